package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Where routes were changed, moved, added or removed, or can't be known, hardly any other is looked at. */
class RouteTextsTest {
    /** More than are looked through. */
    private static final int MANY = 12;

    private static final String PARTS = """
            {
              "proxy-server": {"http": {"id": "s", "port": 1}},
              "proxy-pass": [{"id": "p", "upstream-id": "u"}],
              "upstream": [{"id": "u", "nodes": ["http://a:1"]}],
              "router": [
            """;

    @TempDir
    private Path folder;

    private static String route(String id, String path) {
        return "{\"id\": \"" + id + "\", \"path\": \"" + path + "\", \"proxy-pass-id\": \"p\"}";
    }

    /** The same one with more keys. */
    private static String with(String more, String route) {
        return route.replace("}", ", " + more + "}");
    }

    /** Their ids are those of any router, but not their paths. */
    private static List<String> routes(String router) {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            all.add(route("r" + i, "/" + router + "/" + i));
        }
        return all;
    }

    private static String router(String id, List<String> routes) {
        return "{\"id\": \"" + id + "\", \"proxy-server-id\": \"s\", \"virtual-host\": \"" + id
                + ".example\", \"route\": [\n" + String.join(",\n", routes) + "]}";
    }

    /** Three routers, of which the first has these routes. */
    private static List<String> routers(List<String> first) {
        return new ArrayList<>(List.of(router("a", first), router("b", routes("b")), router("c", routes("c"))));
    }

    private ConfigResult.Valid read(List<String> routers, KnownRoutes known) throws IOException {
        Path file = Files.writeString(folder.resolve("sigma.json"), PARTS + String.join(",\n", routers) + "]}");
        return (ConfigResult.Valid)
                new ConfigReader(TestPlugins.schemas()).knowing(known).read(file);
    }

    /** How many routes are looked at where some routers take the place of others. */
    private int lookedAtCount(List<String> before, List<String> after) throws IOException {
        KnownRoutes known = read(before, KnownRoutes.NONE).routes();
        ConfigResult.Valid again = read(after, known);
        assertThat(again.config()).isEqualTo(read(after, KnownRoutes.NONE).config());
        return again.routes().lookedAtCount();
    }

    @Test
    void theLastOneOfAllMovedToTheFront() throws IOException {
        List<String> moved = routes("a");
        moved.addFirst(moved.removeLast());

        assertThat(lookedAtCount(List.of(router("a", routes("a"))), List.of(router("a", moved))))
                .isEqualTo(1);
    }

    @Test
    void oneMovedTowardsTheFrontAndOneTowardsTheEnd() throws IOException {
        List<String> moved = routes("a");
        moved.addFirst(moved.remove(3));
        moved.addLast(moved.remove(5));

        assertThat(lookedAtCount(routers(routes("a")), routers(moved))).isEqualTo(1);
    }

    @Test
    void twoRoutersThatChangePlaces() throws IOException {
        List<String> routers = routers(routes("a"));
        routers.replaceAll(router -> router.replaceAll("\"r(\\d)", "\"" + router.charAt(8) + "$1"));
        List<String> after = List.of(routers.get(1), routers.get(0), routers.get(2));

        assertThat(lookedAtCount(routers, after)).isEqualTo(3);
    }

    @Test
    void oneThatCanNotBeKnownAmongEqualIds() throws IOException {
        List<String> routers = new ArrayList<>();
        for (String each : List.of("a", "b", "c")) {
            String api = route("api", "/" + each + "/api/*");
            String first = routers.isEmpty() ? with("\"plugin\": {\"hsts\": {}}", api) : api;
            routers.add(router(each, List.of(first, route("static", "/" + each + "/static/*"))));
        }

        assertThat(lookedAtCount(routers, routers)).isEqualTo(1);
    }

    @Test
    void theLastOfItsRouterThatCanNotBeKnownAmongEqualIds() throws IOException {
        List<String> first = routes("a");
        first.addLast(with("\"enable\": false", first.removeLast()));
        List<String> routers = routers(first);

        assertThat(lookedAtCount(routers, routers)).isEqualTo(1);
    }

    @Test
    void oneThatChangedBehindManyThatWereRemovedAmongEqualIds() throws IOException {
        List<String> changed = List.of(with("\"desc\": \"x\"", routes("a").getLast()));

        assertThat(lookedAtCount(routers(routes("a")), routers(changed))).isEqualTo(1);
    }

    @Test
    void manyInARowThatChangedAmongEqualIds() throws IOException {
        List<String> changed = new ArrayList<>(routes("a"));
        changed.replaceAll(route -> with("\"desc\": \"x\"", route));

        assertThat(lookedAtCount(routers(routes("a")), routers(changed))).isEqualTo(MANY);
    }

    /** Its last text is also that of others, which are still to come. */
    @Test
    void aRouterThatIsAddedBeforeOthersWithARouteOfTheSameText() throws IOException {
        String same = route("health", "/health");
        List<String> before = new ArrayList<>();
        for (String each : List.of("a", "b", "c")) {
            before.add(router(each, List.of(route("api", "/" + each + "/*"), same)));
        }
        List<String> after = new ArrayList<>(before);
        after.addFirst(router("new", List.of(route("api", "/new/*"), same)));

        assertThat(lookedAtCount(before, after)).isEqualTo(1);
    }

    @Test
    void ofAFileThatIsReadNoEarlierTextIsHeld() throws IOException {
        KnownRoutes known = read(routers(routes("a")), KnownRoutes.NONE).routes();
        Path file = folder.resolve("sigma.json");
        String text = Files.readString(file);
        int start = text.indexOf("{\"id\": \"r0\"");
        assertThat(known.of(file).known(text, start)).isNotNull();

        RouteTexts routes = known.of(file);
        JsonReader.read("{}", Source.UNNAMED, new Problems(), routes);

        assertThat(routes.known(text, start)).isNull();
    }
}
