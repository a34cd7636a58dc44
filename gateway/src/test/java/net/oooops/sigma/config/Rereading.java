package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A configuration that is read again: with what is known of its routes, and without. */
final class Rereading {
    static final int ROUTES = 12;

    private static final String BEGIN = """
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

    /** Ids that others have, too, a path that two share, and a router that another leads into. */
    private static final String OTHER_ROUTERS = """
            ,
                {"id": "o", "proxy-server-id": "s", "virtual-host": "o.example", "route": [
                  {"id": "r0", "path": "/a/1/*", "proxy-pass-id": "p"},
                  {"id": "r1", "path": "/of/:name", "allow-method": ["GET"], "proxy-pass-id": "p"},
                  {"id": "r2", "path": "/of/:name",
                    "allow-method": ["POST"], "proxy-pass-id": "p"},
                  {"id": "r3", "path": "/in/*", "sub-router": "within"}
                ]},
                {"id": "within", "route": [
                  {"id": "r0", "path": "/with/:part", "proxy-pass-id": "p"},
                  {"id": "r1", "path": "/*", "proxy-pass-id": "p"}
                ]}
            """;

    private final Path folder;

    /** @param folder where its files are */
    Rereading(Path folder) {
        this.folder = folder;
    }

    static String route(int number) {
        String more = number % 3 == 0 ? ",\n      \"allow-method\": [\"GET\", \"POST\"]" : "";
        return "    {\"id\": \"r" + number + "\", \"path\": \"/a/" + number + "/*\", \"proxy-pass-id\": \"p\"" + more
                + "}";
    }

    static List<String> routes() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < ROUTES; i++) {
            all.add(route(i));
        }
        return all;
    }

    /** One router with these routes. */
    static String text(List<String> routes) {
        return text(routes, "\n");
    }

    /** The same, with other routers behind it. */
    static String textOfRouters(List<String> routes) {
        return text(routes, OTHER_ROUTERS);
    }

    private static String text(List<String> routes, String others) {
        return BEGIN + String.join(",\n", routes) + "\n    ]}" + others + "  ]\n}\n";
    }

    static ConfigReader reader() {
        return new ConfigReader(TestPlugins.schemas());
    }

    Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("sigma.json"), text);
    }

    ConfigResult.Valid valid(String text) throws IOException {
        ConfigResult result = reader().read(write(text));
        assertThat(result).isInstanceOf(ConfigResult.Valid.class);
        return (ConfigResult.Valid) result;
    }

    /** Reads it with what is known, and without, which comes to the same. */
    ConfigResult again(KnownRoutes known, String text) throws IOException {
        Path file = write(text);
        ConfigResult with = reader().knowing(known).read(file);
        ConfigResult without = reader().read(file);
        assertThat(shown(with)).as(text).isEqualTo(shown(without));
        if (with instanceof ConfigResult.Valid known1 && without instanceof ConfigResult.Valid fresh) {
            assertThat(known1.config()).as(text).isEqualTo(fresh.config());
            assertThat(places(known1)).as(text).isEqualTo(places(fresh));
        }
        return with;
    }

    /** Of the paths of all routes. */
    private static List<Place> places(ConfigResult.Valid result) {
        List<Place> places = new ArrayList<>();
        for (int router = 0; router < result.config().routers().size(); router++) {
            for (int i = 0; i <= ROUTES; i++) {
                places.add(result.placeOf().apply("/router/" + router + "/route/" + i + "/path"));
            }
        }
        return places;
    }

    /** What is wrong with it, or worth a warning. */
    static String shown(ConfigResult result) {
        return switch (result) {
            case ConfigResult.Invalid invalid -> invalid.text("sigma.json");
            case ConfigResult.Valid valid -> "warnings " + valid.warnings();
        };
    }

    /** The routes of its first router. */
    static List<RouteConfig> firstRoutes(ConfigResult result) {
        return ((ConfigResult.Valid) result).config().routers().getFirst().routes();
    }
}
