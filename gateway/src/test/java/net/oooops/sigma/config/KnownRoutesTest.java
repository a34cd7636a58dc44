package net.oooops.sigma.config;

import static net.oooops.sigma.config.Rereading.ROUTES;
import static net.oooops.sigma.config.Rereading.firstRoutes;
import static net.oooops.sigma.config.Rereading.reader;
import static net.oooops.sigma.config.Rereading.route;
import static net.oooops.sigma.config.Rereading.routes;
import static net.oooops.sigma.config.Rereading.shown;
import static net.oooops.sigma.config.Rereading.text;
import static net.oooops.sigma.config.Rereading.textOfRouters;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Reading again with what is known of routes comes to what reading without does; and routes whose text is the same aren't looked at. */
class KnownRoutesTest {
    private static final int CHANGES = 500;

    @TempDir
    private Path folder;

    private Rereading files;

    @BeforeEach
    void rereading() {
        files = new Rereading(folder);
    }

    @Test
    void whatIsTheSameIsTheSameObjectAndNotLookedAt() throws IOException {
        ConfigResult.Valid before = files.valid(text(routes()));
        List<String> routes = routes();
        routes.set(4, route(4).replace("/a/4/", "/b/4/"));
        routes.remove(7);
        routes.add(1, route(77));

        ConfigResult.Valid after = (ConfigResult.Valid) files.again(before.routes(), text(routes));

        assertThat(after.routes().lookedAtCount()).isEqualTo(2);
        assertThat(firstRoutes(after).get(0)).isSameAs(firstRoutes(before).get(0));
        assertThat(firstRoutes(after).get(2)).isSameAs(firstRoutes(before).get(1));
        assertThat(firstRoutes(after).get(5)).isNotSameAs(firstRoutes(before).get(4));
        assertThat(firstRoutes(after).get(7)).isSameAs(firstRoutes(before).get(6));
        assertThat(firstRoutes(after).get(8)).isSameAs(firstRoutes(before).get(8));
        assertThat(firstRoutes(after).getLast()).isSameAs(firstRoutes(before).getLast());
    }

    @Test
    void aThirdReadingKnowsWhatTheSecondKnew() throws IOException {
        ConfigResult.Valid first = files.valid(text(routes()));
        ConfigResult.Valid second = (ConfigResult.Valid) files.again(first.routes(), "// moved\n\n" + text(routes()));
        ConfigResult.Valid third = (ConfigResult.Valid) files.again(second.routes(), "  " + text(routes()));

        assertThat(third.routes().lookedAtCount()).isZero();
        assertThat(firstRoutes(third).getFirst()).isSameAs(firstRoutes(first).getFirst());
    }

    @Test
    void routesOfIncludedFilesAreKnownToo() throws IOException {
        Files.createDirectories(folder.resolve("more"));
        Files.writeString(
                folder.resolve("more/one.json"),
                "{\"router\": [{\"id\": \"o\", \"proxy-server-id\": \"s\", \"virtual-host\": \"o.example\", \"route\": ["
                        + route(1) + "]}]}");
        String text = text(routes()).replaceFirst("\\{", "{\"include\": \"more\",");
        ConfigResult.Valid before = files.valid(text);

        ConfigResult.Valid after = (ConfigResult.Valid) files.again(before.routes(), text);

        assertThat(after.routes().lookedAtCount()).isZero();
        assertThat(after.config().routers().getLast().routes().getFirst())
                .isSameAs(before.config().routers().getLast().routes().getFirst());
    }

    /** A file that is included may have one router alone, without an array. */
    @Test
    void routesOfARouterThatStandsAloneAreKnownToo() throws IOException {
        Files.writeString(folder.resolve("one.json"), alone("o", route(3)));
        String text = text(routes()).replaceFirst("\\{", "{\"include\": \"one.json\",");
        ConfigResult.Valid before = files.valid(text);

        ConfigResult.Valid after = (ConfigResult.Valid) files.again(before.routes(), text);

        assertThat(after.routes().lookedAtCount()).isZero();
        assertThat(after.config().routers().getLast().routes().getFirst())
                .isSameAs(before.config().routers().getLast().routes().getFirst());
    }

    /** Two files may say something of one router; that of the second isn't there yet when variables of the first have their values. */
    @Test
    void routesThatAnotherFileAddsToARouterAreLookedAt() throws IOException {
        Files.writeString(folder.resolve("1.json"), alone("o", route(1)));
        Files.writeString(folder.resolve("2.json"), alone("o", route(2)));
        Files.writeString(folder.resolve("3.json"), alone("other", route(3)));
        String text = text(routes()).replaceFirst("\\{", "{\"include\": [\"1.json\", \"2.json\", \"3.json\"],");
        text = text.substring(0, text.indexOf(",\n  \"router\"")) + "}";
        ConfigResult.Valid before = files.valid(text);
        assertThat(firstRoutes(before)).hasSize(2);

        Files.writeString(folder.resolve("2.json"), alone("o", route(2).replace("\"p\"", "\"nowhere\"")));

        assertThat(files.again(before.routes(), text)).isInstanceOf(ConfigResult.Invalid.class);
    }

    private static String alone(String id, String route) {
        return "{\"router\": {\"id\": \"" + id + "\", \"proxy-server-id\": \"s\", \"virtual-host\": \"" + id
                + ".example\", \"route\": [" + route + "]}}";
    }

    @Test
    void inLayersNothingIsKnown() throws IOException {
        Path base = files.write(text(routes()));
        Path layer = Files.writeString(
                folder.resolve("layer.json"),
                "{\"router\": {\"id\": \"r\", \"route\": {\"id\": \"r2\", \"desc\": \"other\"}}}");
        List<Layer> layers = List.of(Layer.of(base), Layer.of(layer));
        ConfigResult.Valid first = (ConfigResult.Valid) reader().read(layers);

        ConfigResult.Valid second = (ConfigResult.Valid)
                reader().knowing(files.valid(text(routes())).routes()).read(layers);

        assertThat(first.routes()).isSameAs(KnownRoutes.NONE);
        assertThat(second.config()).isEqualTo(first.config());
        assertThat(firstRoutes(second).get(2).desc()).isEqualTo("other");
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
        ConfigResult.Valid before = files.valid(text(routes));

        ConfigResult.Valid after = (ConfigResult.Valid) files.again(before.routes(), text(routes));

        assertThat(after.routes().lookedAtCount()).isEqualTo(1);
    }

    /** What is wrong, or worth a warning, only because of something else than the route. */
    @Test
    void whatElsewhereMakesWrongIsFound() throws IOException {
        ConfigResult.Valid before = files.valid(text(routes()));
        List<UnaryOperator<String>> changes = List.of(
                text -> text.replace("{\"id\": \"p\", \"upstream-id\": \"u\"},", ""),
                text -> text.replace(
                        "{\"id\": \"p\", \"upstream-id\": \"u\"}", "{\"id\": \"p\", \"upstream-id\": \"v\"}"),
                text -> text.replace("\"r3\"", "\"r4\""),
                text -> text.replace("/a/4/*", "/a/7/*"),
                text -> text.replace("/a/9/*", "/a/2/*"),
                text -> text.replace(
                        "\"http\": {\"id\": \"s\", \"port\": 1}", "\"bolt\": [{\"id\": \"s\", \"port\": 1}]"),
                text -> text.replace("\"id\": \"r\", \"proxy-server-id\": \"s\"", "\"id\": \"r\""),
                text -> text.replace("\"proxy-server-id\": \"s\", \"route\"", "\"proxy-server-id\": \"s\", \"rout\""),
                text -> text.replace("\"nodes\": [\"http://a:1\"]", "\"nodes\": [\"http://localhost:1\"]"),
                text -> text.replace("\"route\": [\n", "\"route\": [/*").replace("\n    ]}", "*/]}"),
                text -> text.replace("    {\"id\": \"r2\"", "    [{\"id\": \"r2\""),
                text -> text + "}",
                text -> text.replace("\"port\": 2", "\"port\": 2, \"route\": [" + route(3) + "]"),
                text -> text.replace("/a/3/*", "/a/3/*\", \"sub-router\": \"x"));
        for (UnaryOperator<String> each : changes) {
            String text = each.apply(text(routes()));
            assertThat(text).isNotEqualTo(text(routes()));
            assertThat(shown(files.again(before.routes(), text))).as(text).isNotEqualTo(shown(before));
        }
    }

    @Test
    void whatChangesAroundThemAndIsRightIsTakenWithThem() throws IOException {
        ConfigResult.Valid before = files.valid(text(routes()));
        List<UnaryOperator<String>> changes = List.of(
                text -> text.replace("{\"id\": \"r\",", "{\"id\": \"r\", \"enable\": false,"),
                text -> text.replace("{\"id\": \"r\",", "{\"id\": \"r\", \"plugin\": {\"hsts\": {}},"),
                text -> text.replace("{\"id\": \"r\",", "{\"id\": \"r\", \"virtual-host\": \"r.example\","));
        for (UnaryOperator<String> each : changes) {
            ConfigResult after = files.again(before.routes(), each.apply(text(routes())));

            assertThat(after).isInstanceOf(ConfigResult.Valid.class);
            assertThat(((ConfigResult.Valid) after).config()).isNotEqualTo(before.config());
        }
    }

    @Test
    void whatOtherRoutersMakeWrongIsFound() throws IOException {
        ConfigResult.Valid before = files.valid(textOfRouters(routes()));
        List<UnaryOperator<String>> changes = List.of(
                // Its path is taken by a route of the first router then.
                text -> text.replace("\"virtual-host\": \"o.example\", ", ""),
                text -> text.replace("[\"POST\"]", "[\"GET\"]"),
                text -> text.replace("\"allow-method\": [\"GET\"], ", ""),
                text -> text.replace("{\"id\": \"r2\", \"path\": \"/of/", "{\"id\": \"r1\", \"path\": \"/of/"),
                text -> text.replace("\"id\": \"o\"", "\"id\": \"r\""),
                text -> text.replace("/in/*", "/in/:part/*"),
                text -> text.replace("\"sub-router\": \"within\"", "\"proxy-pass-id\": \"p\""),
                text -> text.replace("\"id\": \"within\",", "\"id\": \"within\", \"proxy-server-id\": \"s\","),
                text -> text.replace(
                        "\"path\": \"/*\", \"proxy-pass-id\": \"p\"", "\"path\": \"/*\", \"sub-router\": \"within\""));
        for (UnaryOperator<String> each : changes) {
            String text = each.apply(textOfRouters(routes()));
            assertThat(text).isNotEqualTo(textOfRouters(routes()));
            assertThat(files.again(before.routes(), text)).as(text).isInstanceOf(ConfigResult.Invalid.class);
        }
    }

    /** All but the one that leads into another router. */
    @Test
    void routesOfSeveralRoutersAreKnown() throws IOException {
        String text = textOfRouters(routes());
        ConfigResult.Valid before = files.valid(text);

        ConfigResult.Valid after = (ConfigResult.Valid) files.again(before.routes(), text);

        assertThat(after.routes().lookedAtCount()).isEqualTo(1);
        assertThat(after.config().routers().getLast().routes().getFirst())
                .isSameAs(before.config().routers().getLast().routes().getFirst());
    }

    @Test
    void linesMayEndWithTwoCharacters() throws IOException {
        String text = text(routes()).replace("\n", "\r\n");
        ConfigResult.Valid first = files.valid(text);
        ConfigResult.Valid second = (ConfigResult.Valid) files.again(first.routes(), "\r\n" + text);

        assertThat(second.routes().lookedAtCount()).isZero();
        assertThat(firstRoutes(second).getLast()).isSameAs(firstRoutes(first).getLast());
        assertThat(files.again(second.routes(), text.replace("/a/11/*", "/a/10/*")))
                .isInstanceOf(ConfigResult.Invalid.class);
        files.again(first.routes(), text(routes()));
    }

    /** Numbers with exponents are left to the other reader, be it before routes that are known or behind them. */
    @Test
    void whatIsOutOfTheOrdinaryIsReadInFull() throws IOException {
        ConfigResult.Valid first = files.valid(text(routes()));
        String limits = "\"limits\": {\"header-count\": 1e3}";
        String atBegin = text(routes()).replaceFirst("\\{", "{" + limits + ",");
        String atEnd = text(routes()).replaceFirst("\\]\n}\n$", "], " + limits + "}");
        for (String text : List.of(atBegin, atEnd)) {
            ConfigResult.Valid second = (ConfigResult.Valid) files.again(first.routes(), text);

            assertThat(second.config()).isNotEqualTo(first.config());
            files.again(second.routes(), text.replace("/a/4/*", "/b/4/*"));
            files.again(second.routes(), text(routes()));
        }
    }

    @Test
    void whateverIsChangedComesToTheSame() throws IOException {
        SplittableRandom random = new SplittableRandom(11);
        KnownRoutes known = files.valid(text(routes())).routes();
        int validCount = 0;
        for (int i = 0; i < CHANGES; i++) {
            List<String> routes = routes();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                change(routes, random);
            }
            StringBuilder text = new StringBuilder(random.nextBoolean() ? text(routes) : textOfRouters(routes));
            if (random.nextInt(4) == 0) {
                int at = random.nextInt(text.length());
                text.replace(
                        at, Math.min(text.length(), at + random.nextInt(3)), "\"*/{\n}$".substring(random.nextInt(6)));
            }
            ConfigResult result = files.again(known, text.toString());
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
