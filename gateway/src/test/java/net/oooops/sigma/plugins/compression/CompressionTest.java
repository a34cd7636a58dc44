package net.oooops.sigma.plugins.compression;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.plugins.compression.coding.DeflateParameters;
import net.oooops.sigma.plugins.compression.coding.Gzip;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import net.oooops.sigma.testkit.TestTrailers;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which answers are compressed, and what their heads say. */
class CompressionTest {
    private static final String TEXT = "Content-Type: text/plain; charset=utf-8";
    private static final String ALL = "Accept-Encoding: gzip, deflate, br, zstd";

    private final PluginHarness plugin = PluginHarness.of(new CompressionFactory(), Map.of());

    private TestExchange answered(String method, String asked, int status, String... fields) throws Exception {
        TestExchange exchange = TestExchange.of(method, "/", asked.split("\n", -1));
        plugin.request(exchange);
        plugin.response(exchange, status, fields);
        return exchange;
    }

    private static @Nullable String of(TestExchange exchange, String field) {
        return exchange.response().value(FieldName.of(field));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', nullValues = "none", textBlock = """
            "gzip, deflate, br, zstd"           | zstd
            "gzip, deflate, br"                 | br
            "gzip, deflate"                     | gzip
            "deflate"                           | none
            "x-gzip"                            | gzip
            "*"                                 | zstd
            "*;q=0.5, gzip"                     | gzip
            "zstd;q=0, *"                       | br
            "*;q=0"                             | none
            "gzip;q=0.8, br;q=0.7, zstd;q=0.1"  | gzip
            "gzip;q=0.5, identity"              | none
            "gzip, identity;q=0.5"              | gzip
            "gzip, identity"                    | gzip
            "gzip;q=0.5, identity;q=0"          | gzip
            "identity;q=0"                      | none
            "identity"                          | none
            ""                                  | none
            "gzip;q=0"                          | none
            """)
    void byPreference(String accepts, @Nullable String coding) throws Exception {
        TestExchange exchange = answered("GET", "Accept-Encoding: " + accepts, 200, TEXT);
        assertThat(of(exchange, "Content-Encoding")).isEqualTo(coding);
        assertThat(of(exchange, "Vary")).isEqualTo("Accept-Encoding");
        exchange.passResponse(new TestTrailers());
    }

    @Test
    void whoSaysNothingGetsNothing() throws Exception {
        TestExchange exchange = answered("GET", "Accept: */*", 200, TEXT, "ETag: \"a\"");
        assertThat(exchange.response().lines()).containsExactly(TEXT, "ETag: \"a\"", "Vary: Accept-Encoding");
    }

    @Test
    void theOrderOfSettingsAmongEquals() throws Exception {
        PluginHarness other =
                PluginHarness.of(new CompressionFactory(), Map.of("encodings", List.of("gzip", "br"), "gzip-level", 1));
        TestExchange exchange = TestExchange.of("GET", "/", ALL);
        other.request(exchange);
        other.response(exchange, 200, TEXT);
        assertThat(of(exchange, "Content-Encoding")).isEqualTo("gzip");
    }

    /** Nodes needn't compress: another plugin, behind this one, may take the field from the request. */
    @Test
    void whatTheClientAcceptsIsSeenFirst() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/", ALL);
        plugin.request(exchange);
        exchange.request().remove(FieldName.of("Accept-Encoding"));
        plugin.response(exchange, 200, TEXT);
        assertThat(of(exchange, "Content-Encoding")).isEqualTo("zstd");
    }

    @Test
    void theHeadSaysWhatBecameOfIt() throws Exception {
        TestExchange exchange = answered(
                "GET",
                ALL,
                200,
                TEXT,
                "ETag: \"a\"",
                "Accept-Ranges: bytes",
                "Vary: Origin",
                "Content-Digest: sha-256=:x:",
                "Repr-Digest: sha-256=:x:",
                "Content-MD5: x");
        assertThat(exchange.response().lines())
                .containsExactlyInAnyOrder(
                        TEXT, "ETag: W/\"a\"", "Vary: Origin", "Vary: Accept-Encoding", "Content-Encoding: zstd");
        assertThat(of(answered("GET", ALL, 200, TEXT, "ETag: W/\"a\""), "ETag")).isEqualTo("W/\"a\"");
    }

    @ParameterizedTest
    @ValueSource(strings = {"*", "Origin, accept-encoding", "Accept-Encoding"})
    void varyIsThereOnce(String vary) throws Exception {
        TestExchange exchange = answered("GET", ALL, 200, TEXT, "Vary: " + vary);
        assertThat(exchange.response().values(FieldName.of("Vary"))).containsExactly(vary);
    }

    /** Nothing is said of those that never are. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "200 Content-Type: image/png",
                "200 Content-Type: application/grpc",
                "200 Content-Type: application/grpc-web-text+proto",
                "200 X: no type",
                "200 Content-Type: text/plain\nContent-Encoding: br",
                "200 Content-Type: text/plain\nContent-Range: bytes 0-1/2",
                "200 Content-Type: text/plain\nCache-Control: public, no-transform",
                "200 Content-Type: text/plain\nContent-Length: 255",
                "206 Content-Type: image/png\nContent-Range: bytes 0-1/2",
                "206 Content-Type: text/plain\nContent-Encoding: br",
                "206 Content-Type: text/plain\nCache-Control: no-transform",
                "204 X: nothing",
                "304 ETag: \"a\"\nContent-Type: image/png",
                "304 ETag: \"a\"\nCache-Control: no-transform",
            })
    void leftAlone(String answer) throws Exception {
        String[] fields = answer.substring(4).split("\n", -1);
        TestExchange exchange = answered("GET", ALL, Integer.parseInt(answer.substring(0, 3)), fields);
        assertThat(exchange.response().lines()).containsExactly(fields);
    }

    /** RFC 9110 section 15.3.7: it says what the whole would; a cache must not give it to who would have that packed. */
    @ParameterizedTest
    @ValueSource(strings = {"text/plain\nContent-Range: bytes 0-1/2", "Multipart/Byteranges; boundary=a"})
    void aPartIsAsItIsAndVaries(String answer) throws Exception {
        String[] fields = ("Content-Type: " + answer).split("\n", -1);
        List<String> expected = new ArrayList<>(List.of(fields));
        expected.add("Vary: Accept-Encoding");
        assertThat(answered("GET", ALL, 206, fields).response().lines()).isEqualTo(expected);
        assertThat(answered("GET", "Accept-Encoding: identity", 206, fields)
                        .response()
                        .lines())
                .isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/html",
                "TEXT/CSS ; charset=x",
                "application/json",
                "application/problem+json;a=b",
                "application/wasm",
                "image/svg+xml",
                "application/xhtml+xml",
                "font/ttf",
                "text/event-stream"
            })
    void typesOfTheUsualList(String type) throws Exception {
        assertThat(of(answered("GET", ALL, 200, "Content-Type: " + type, "Content-Length: 256"), "Content-Encoding"))
                .isEqualTo("zstd");
    }

    @Test
    void requestsForbidItToo() throws Exception {
        TestExchange exchange = answered("GET", ALL + "\nCache-Control: no-transform", 200, TEXT);
        assertThat(exchange.response().lines()).containsExactly(TEXT);
        assertThat(answered("CONNECT", ALL, 200, TEXT).response().lines()).containsExactly(TEXT);
    }

    /** RFC 9110 section 9.3.2: the head that GET would have got. */
    @Test
    void headIsAsGet() throws Exception {
        String[] fields = {TEXT, "ETag: \"a\"", "Accept-Ranges: bytes"};
        assertThat(answered("HEAD", ALL, 200, fields).response().lines())
                .isEqualTo(answered("GET", ALL, 200, fields).response().lines())
                .contains("Content-Encoding: zstd", "ETag: W/\"a\"");
    }

    /** RFC 9110 section 15.4.5: what a 200 would have had; and the tag that the client has got. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\'', textBlock = """
            If-None-Match: W/"a"           | "a"   | W/"a"
            If-None-Match: "z", W/"a"      | "a"   | W/"a"
            If-None-Match: "a", W/"a"      | "a"   | W/"a"
            If-None-Match: "a"             | "a"   | "a"
            If-None-Match: "z, W/", "a"    | "a"   | "a"
            If-None-Match: xW/"a"          | "a"   | W/"a"
            If-None-Match: *               | "a"   | W/"a"
            If-Modified-Since: yesterday   | "a"   | W/"a"
            If-None-Match: W/"a"           | W/"a" | W/"a"
            """)
    void notModified(String condition, String tag, String told) throws Exception {
        TestExchange exchange = answered("GET", ALL + "\n" + condition, 304, "ETag: " + tag);
        assertThat(exchange.response().lines()).containsExactlyInAnyOrder("ETag: " + told, "Vary: Accept-Encoding");
        assertThat(answered("GET", ALL + "\n" + condition, 304, "ETag: " + tag, TEXT)
                        .response()
                        .lines())
                .containsExactlyInAnyOrder("ETag: " + told, TEXT, "Vary: Accept-Encoding");
    }

    @Test
    void notModifiedWithoutTag() throws Exception {
        String[] fields = {"Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT", "Vary: Origin"};
        assertThat(answered("GET", ALL, 304, fields).response().lines())
                .containsExactly(fields[0], fields[1], "Vary: Accept-Encoding");
    }

    /** Whoever takes no coding would have got the answer as it is. */
    @Test
    void notModifiedForWhoTakesNoCoding() throws Exception {
        TestExchange exchange =
                answered("GET", "Accept-Encoding: identity\nIf-None-Match: W/\"a\"", 304, "ETag: \"a\"");
        assertThat(exchange.response().lines()).containsExactly("ETag: \"a\"", "Vary: Accept-Encoding");
    }

    /** Beyond so many at once answers go as they are, and still vary. */
    @Test
    void soManyAtOnce() throws Exception {
        PluginHarness one = PluginHarness.of(new CompressionFactory(), Map.of("max-bodies", 1));
        TestExchange first = TestExchange.of("GET", "/", ALL);
        TestExchange second = TestExchange.of("GET", "/", ALL);
        one.request(first);
        one.request(second);
        one.response(first, 200, TEXT);
        one.response(second, 200, TEXT);
        assertThat(second.response().lines()).containsExactly(TEXT, "Vary: Accept-Encoding");
        byte[] body = "hello".getBytes(StandardCharsets.UTF_8);
        assertThat(Decoded.of("zstd", first.passResponse(new TestTrailers(), body)))
                .isEqualTo(body);
        one.response(second, 200, TEXT);
        assertThat(of(second, "Content-Encoding")).isEqualTo("zstd");
    }

    /** Ten places hold no more than one, nor does what a reload replaces: each packs as long as all together pack fewer than it may. */
    @Test
    void soManyAtOnceOverAllPlaces() throws Exception {
        for (PluginFactory factory : List.of(new CompressionFactory(), new GzipFactory())) {
            TestContext context = new TestContext();
            List<PluginHarness> places = new ArrayList<>();
            for (int most : new int[] {2, 2, 3}) {
                places.add(PluginHarness.of(factory.create(Settings.of(Map.of("max-bodies", most)), context)));
            }
            List<TestExchange> exchanges = new ArrayList<>();
            List<String> codings = new ArrayList<>();
            for (int place : new int[] {0, 1, 0, 1, 2, 2}) {
                TestExchange exchange = TestExchange.of("GET", "/", ALL);
                places.get(place).request(exchange);
                places.get(place).response(exchange, 200, TEXT);
                exchanges.add(exchange);
                codings.add(of(exchange, "Content-Encoding") == null ? "none" : "packed");
            }
            assertThat(codings).containsExactly("packed", "packed", "none", "none", "packed", "none");
            assertThat(context.count("bodies")).isEqualTo(3);
            assertThat(context.count("too_many")).isEqualTo(3);
            exchanges.getFirst().passResponse(new TestTrailers());
            assertThat(context.count("bodies")).isEqualTo(2);
        }
    }

    // Settings

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
            encodings     | br;br      | /encodings/1     | each once
            encodings     | deflate    | /encodings/0     | "one of zstd, br, gzip"
            content-types | text       | /content-types/0 | a media type
            content-types | te*t/plain | /content-types/0 | a media type
            content-types | text/*l    | /content-types/0 |
            """)
    void lists(String key, String values, String pointer, @Nullable String expected) {
        Settings settings = Settings.of(Map.of(key, List.of(values.split(";", -1))));
        if (expected == null) {
            new CompressionFactory().create(settings, new TestContext()).close();
            return;
        }
        assertThatThrownBy(() -> new CompressionFactory().create(settings, new TestContext()))
                .isInstanceOfSatisfying(SettingsException.class, e -> {
                    assertThat(e.pointer()).isEqualTo(pointer);
                    assertThat(e.expected()).contains(expected);
                });
    }

    @ParameterizedTest
    @CsvSource({"gzip-level,0", "gzip-level,10", "br-level,10", "zstd-level,13", "min-length,-1", "max-bodies,0"})
    void bounds(String key, int value) {
        assertThatThrownBy(() -> new CompressionFactory().create(Settings.of(Map.of(key, value)), new TestContext()))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/" + key));
    }

    /** The keys that Sigma had before, with all of their values. */
    @ParameterizedTest
    @CsvSource({"1,9,1", "9,15,9", "6,12,5", "6,15,8"})
    void gzipOfBefore(int level, int windowBits, int memLevel) throws Exception {
        Needed.here(Gzip.whyNotSystem() == null, "the system's zlib (Debian: zlib1g)");
        PluginHarness gzip = PluginHarness.of(
                new GzipFactory(),
                Map.of("compression-level", level, "window-bits", windowBits, "mem-level", memLevel));
        TestExchange exchange = TestExchange.of("GET", "/", ALL);
        gzip.request(exchange);
        gzip.response(exchange, 200, TEXT);
        assertThat(of(exchange, "Content-Encoding")).isEqualTo("gzip");
        byte[] body = "hello".repeat(100).getBytes(StandardCharsets.UTF_8);
        assertThat(Decoded.of("gzip", exchange.passResponse(new TestTrailers(), body)))
                .isEqualTo(body);
    }

    @ParameterizedTest
    @CsvSource({
        "compression-level,0", "compression-level,10",
        "window-bits,8", "window-bits,16",
        "mem-level,0", "mem-level,10"
    })
    void boundsOfGzip(String key, int value) {
        Settings settings = Settings.of(Map.of(key, value));
        assertThatThrownBy(() -> GzipFactory.parameters(settings, null))
                .isInstanceOfSatisfying(
                        SettingsException.class, e -> assertThat(e.pointer()).isEqualTo("/" + key));
    }

    /** What the JDK can't do is said, not passed over. */
    @ParameterizedTest
    @CsvSource({"window-bits,15,true", "window-bits,9,false", "mem-level,8,true", "mem-level,9,false"})
    void gzipWithoutTheSystemsZlib(String key, int value, boolean taken) {
        Settings settings = Settings.of(Map.of("compression-level", 9, key, value));
        if (taken) {
            assertThat(GzipFactory.parameters(settings, "libz: gone")).isEqualTo(DeflateParameters.ofLevel(9));
            return;
        }
        assertThatThrownBy(() -> GzipFactory.parameters(settings, "libz: gone"))
                .isInstanceOfSatisfying(SettingsException.class, e -> {
                    assertThat(e.pointer()).isEqualTo("/" + key);
                    assertThat(e.expected()).contains("leave it out").contains("libz: gone");
                });
    }
}
