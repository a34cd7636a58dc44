package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading again with what is known of routes comes to what reading without does; and routes whose text is the same aren't looked at. */
class KnownRoutesTest {
    private static final int ROUTES = 12;
    private static final int CHANGES = 500;
    private static final String SERVERS = """
            {
              "proxy-server": {
                "http": {"id": "s", "port": 1},
                "tcp": [{"id": "t", "port": 2, "proxy-pass-id": "sessions"}]
              },
              "proxy-pass": [
                {"id": "p", "upstream-id": "u"},
                {"id": "q", "upstream-id": "u", "plugin": {"hsts": {}}},
                {"id": "sessions", "upstream-id": "v"}
              ],
              "upstream": [{"id": "u", "nodes": ["http://a:1"]}, {"id": "v", "nodes": ["tcp://a:1"]}],
              "router": [
                {"id": "r", "proxy-server-id": "s", "route": [
            """;

    @TempDir
    private Path folder;

    private static String route(int number) {
        String more = number % 3 == 0 ? ",\n      \"allow-method\": [\"GET\", \"POST\"]" : "";
        return "    {\"id\": \"r" + number + "\", \"path\": \"/a/" + number + "/*\", \"proxy-pass-id\": \"p\"" + more
                + "}";
    }

    private static List<String> routes() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < ROUTES; i++) {
            all.add(route(i));
        }
        return all;
    }

    private static String text(List<String> routes) {
        return SERVERS + String.join(",\n", routes) + "\n    ]}\n  ]\n}\n";
    }

    private static ConfigReader reader() {
        return new ConfigReader(TestPlugins.schemas());
    }

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("sigma.json"), text);
    }

    private ConfigResult.Valid valid(String text) throws IOException {
        ConfigResult result = reader().read(write(text));
        assertThat(result).isInstanceOf(ConfigResult.Valid.class);
        return (ConfigResult.Valid) result;
    }

    /** Reads it with what is known, and without, which comes to the same. */
    private ConfigResult again(KnownRoutes known, String text) throws IOException {
        Path file = write(text);
        ConfigResult with = reader().knowing(known).read(file);
        ConfigResult without = reader().read(file);
        assertThat(shown(with)).as(text).isEqualTo(shown(without));
        if (with instanceof ConfigResult.Valid known1 && without instanceof ConfigResult.Valid fresh) {
            assertThat(known1.config()).as(text).isEqualTo(fresh.config());
            for (int i = 0; i <= ROUTES; i++) {
                String pointer = "/router/0/route/" + i + "/path";
                assertThat(known1.placeOf().apply(pointer))
                        .as(text)
                        .isEqualTo(fresh.placeOf().apply(pointer));
            }
        }
        return with;
    }

    private static String shown(ConfigResult result) {
        return switch (result) {
            case ConfigResult.Invalid invalid -> invalid.text("sigma.json");
            case ConfigResult.Valid valid -> "warnings " + valid.warnings();
        };
    }

    private static List<RouteConfig> of(ConfigResult result) {
        return ((ConfigResult.Valid) result).config().routers().getFirst().routes();
    }

    @Test
    void whatIsTheSameIsTheSameObjectAndNotLookedAt() throws IOException {
        ConfigResult.Valid before = valid(text(routes()));
        List<String> routes = routes();
        routes.set(4, route(4).replace("/a/4/", "/b/4/"));
        routes.remove(7);
        routes.add(1, route(77));

        ConfigResult.Valid after = (ConfigResult.Valid) again(before.routes(), text(routes));

        assertThat(after.routes().lookedAtCount()).isEqualTo(2);
        assertThat(of(after).get(0)).isSameAs(of(before).get(0));
        assertThat(of(after).get(2)).isSameAs(of(before).get(1));
        assertThat(of(after).get(5)).isNotSameAs(of(before).get(4));
        assertThat(of(after).get(7)).isSameAs(of(before).get(6));
        assertThat(of(after).get(8)).isSameAs(of(before).get(8));
        assertThat(of(after).getLast()).isSameAs(of(before).getLast());
    }

    @Test
    void aThirdReadingKnowsWhatTheSecondKnew() throws IOException {
        ConfigResult.Valid first = valid(text(routes()));
        ConfigResult.Valid second = (ConfigResult.Valid) again(first.routes(), "// moved\n\n" + text(routes()));
        ConfigResult.Valid third = (ConfigResult.Valid) again(second.routes(), "  " + text(routes()));

        assertThat(third.routes().lookedAtCount()).isZero();
        assertThat(of(third).getFirst()).isSameAs(of(first).getFirst());
    }

    @Test
    void routesOfIncludedFilesAreKnownToo() throws IOException {
        Files.createDirectories(folder.resolve("more"));
        Files.writeString(
                folder.resolve("more/one.json"),
                "{\"router\": [{\"id\": \"o\", \"proxy-server-id\": \"s\", \"virtual-host\": \"o.example\", \"route\": ["
                        + route(1) + "]}]}");
        String text = text(routes()).replaceFirst("\\{", "{\"include\": \"more\",");
        ConfigResult.Valid before = valid(text);

        ConfigResult.Valid after = (ConfigResult.Valid) again(before.routes(), text);

        assertThat(after.routes().lookedAtCount()).isZero();
        assertThat(after.config().routers().getLast().routes().getFirst())
                .isSameAs(before.config().routers().getLast().routes().getFirst());
    }

    @Test
    void inLayersNothingIsKnown() throws IOException {
        Path base = write(text(routes()));
        Path layer = Files.writeString(
                folder.resolve("layer.json"),
                "{\"router\": {\"id\": \"r\", \"route\": {\"id\": \"r2\", \"desc\": \"other\"}}}");
        List<Layer> layers = List.of(Layer.of(base), Layer.of(layer));
        ConfigResult.Valid first = (ConfigResult.Valid) reader().read(layers);

        ConfigResult.Valid second = (ConfigResult.Valid)
                reader().knowing(valid(text(routes())).routes()).read(layers);

        assertThat(first.routes()).isSameAs(KnownRoutes.NONE);
        assertThat(second.config()).isEqualTo(first.config());
        assertThat(of(second).get(2).desc()).isEqualTo("other");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"plugin\": {\"hsts\": {\"enable\": false}}",
                "\"desc\": \"${HOME:-x}\"",
                "\"desc\": \"\\u0024{HOME:-x}\"",
                "\"allow-method\": [\"FETCH\"]",
                "\"enable\": false"
            })
    void whatIsMoreThanItsTextIsLookedAtEachTime(String more) throws IOException {
        List<String> routes = routes();
        routes.set(5, "    {\"id\": \"r5\", \"path\": \"/a/5\", \"proxy-pass-id\": \"p\", " + more + "}");
        ConfigResult.Valid before = valid(text(routes));

        ConfigResult.Valid after = (ConfigResult.Valid) again(before.routes(), text(routes));

        assertThat(after.routes().lookedAtCount()).isEqualTo(1);
    }

    /** What is wrong, or worth a warning, only because of something else than the route. */
    @Test
    void whatElsewhereMakesWrongIsFound() throws IOException {
        KnownRoutes known = valid(text(routes())).routes();
        List<UnaryOperator<String>> changes = List.of(
                text -> text.replace("{\"id\": \"p\", \"upstream-id\": \"u\"},", ""),
                text -> text.replace(
                        "{\"id\": \"p\", \"upstream-id\": \"u\"}", "{\"id\": \"p\", \"upstream-id\": \"v\"}"),
                text -> text.replace("\"r3\"", "\"r4\""),
                text -> text.replace("/a/3/*", "/a/7/*"),
                text -> text.replace("/a/9/*", "/a/2/*"),
                text -> text.replace("\"http\": {", "\"bolt\": {"),
                text -> text.replace("\"id\": \"r\", \"proxy-server-id\": \"s\"", "\"id\": \"r\""),
                text -> text.replace("\"proxy-server-id\": \"s\", \"route\"", "\"proxy-server-id\": \"s\", \"rout\""),
                text -> text.replace("{\"id\": \"r\",", "{\"id\": \"r\", \"enable\": false,"),
                text -> text.replace("{\"id\": \"r\",", "{\"id\": \"r\", \"plugin\": {\"hsts\": {}},"),
                text -> text.replace("\"nodes\": [\"http://a:1\"]", "\"nodes\": [\"http://localhost:1\"]"),
                text -> text.replace("[\n", "[/*").replace("\n    ]}", "*/]}"),
                text -> text.replace("    {\"id\": \"r2\"", "    [{\"id\": \"r2\""),
                text -> text + "}",
                text -> text.replace("\"port\": 2", "\"port\": 2, \"route\": [" + route(3) + "]"),
                text -> text.replace("/a/3/*", "/a/3/*\", \"sub-router\": \"x"));
        for (UnaryOperator<String> each : changes) {
            String text = each.apply(text(routes()));
            assertThat(text).isNotEqualTo(text(routes()));
            again(known, text);
        }
    }

    @Test
    void whateverIsChangedComesToTheSame() throws IOException {
        SplittableRandom random = new SplittableRandom(11);
        KnownRoutes known = valid(text(routes())).routes();
        int validCount = 0;
        for (int i = 0; i < CHANGES; i++) {
            List<String> routes = routes();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                change(routes, random);
            }
            StringBuilder text = new StringBuilder(text(routes));
            if (random.nextInt(4) == 0) {
                int at = random.nextInt(text.length());
                text.replace(
                        at, Math.min(text.length(), at + random.nextInt(3)), "\"*/{\n}$".substring(random.nextInt(6)));
            }
            ConfigResult result = again(known, text.toString());
            if (result instanceof ConfigResult.Valid valid) {
                validCount++;
                known = random.nextBoolean() ? valid.routes() : known;
            }
        }
        assertThat(validCount).isBetween(CHANGES / 10, CHANGES * 9 / 10);
    }

    private static void change(List<String> routes, SplittableRandom random) {
        int at = random.nextInt(routes.size());
        int other = random.nextInt(routes.size());
        switch (random.nextInt(7)) {
            case 0 -> routes.add(at, routes.get(other));
            case 1 -> routes.add(at, routes.remove(other));
            case 2 -> routes.set(at, routes.get(at).replace("/a/", "/b/"));
            case 3 -> routes.add(at, route(ROUTES + random.nextInt(3)));
            case 4 -> routes.set(at, routes.get(at).replace("\"p\"", random.nextBoolean() ? "\"q\"" : "\"x\""));
            case 5 -> routes.set(at, "\n" + routes.get(at).replace(", ", ",\n"));
            default -> {
                if (routes.size() > 1) {
                    routes.remove(at);
                }
            }
        }
    }
}
