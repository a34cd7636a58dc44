package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugins.compression.Decoded;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code decompress-request} on the wire, and bombs. */
class DecompressedRequestsTest {
    private static final byte[] TEXT = "{\"name\": \"value\"}\n".repeat(500).getBytes(StandardCharsets.US_ASCII);

    static GatewayBuilder decompressing(ScriptedUpstream upstream, Map<String, Object> settings) {
        return GatewayFixture.to(upstream).plugin("decompress-request", settings);
    }

    static ScriptedUpstream upstream() {
        return ScriptedUpstream.start(request -> Answer.ok("done"));
    }

    static byte[] post(String coding, byte[] body, String... fields) {
        String head = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Encoding: " + coding + "\r\nContent-Length: "
                + body.length + "\r\n" + String.join("", fields) + "\r\n";
        byte[] ascii = head.getBytes(StandardCharsets.US_ASCII);
        byte[] all = Arrays.copyOf(ascii, ascii.length + body.length);
        System.arraycopy(body, 0, all, ascii.length, body.length);
        return all;
    }

    static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    @ParameterizedTest
    @CsvSource({
        "gzip,0",
        "deflate,0",
        "br,0",
        "zstd,0",
        "gzip,1",
        "deflate,1",
        "br,1",
        "zstd,1",
        "gzip,100000",
        "deflate,100000",
        "br,100000",
        "zstd,100000",
        "x-gzip,1000",
        "GZIP,1000"
    })
    void nodesGetWhatItWas(String coding, int size) throws IOException {
        byte[] body = random(size);
        String known = coding.startsWith("x-") || coding.equals("GZIP") ? "gzip" : coding;
        byte[] packed = Decoded.encoded(known, body);
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of()).start();
                RawClient client = gateway.connect()) {
            client.send(post(coding, packed, "Content-Digest: sha-256=:x:\r\n", "Content-Type: a/b\r\n"));
            assertThat(client.readResponse().bodyText()).isEqualTo("done");
            if (packed.length < 3000) {
                client.sendByteByByte(post(coding, packed));
            } else {
                client.sendInPieces(post(coding, packed), 777);
            }
            assertThat(client.readResponse().bodyText()).isEqualTo("done");
            ReceivedRequest seen = upstream.request(0);
            assertThat(seen.body()).isEqualTo(body);
            assertThat(seen.header("Content-Encoding")).isNull();
            assertThat(seen.header("Content-Digest")).isNull();
            assertThat(seen.header("Content-Length")).isNull();
            assertThat(seen.header("Content-Type")).isEqualTo("a/b");
            assertThat(seen.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            assertThat(upstream.request(1).body()).isEqualTo(body);
        }
    }

    @Test
    void packedTwice() throws IOException {
        byte[] twice = Decoded.encoded("br", Decoded.encoded("gzip", TEXT));
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of()).start();
                RawClient client = gateway.connect()) {
            client.send(post("gzip, identity,br", twice)).readResponse();
            assertThat(upstream.request(0).body()).isEqualTo(TEXT);
            byte[] thrice = Decoded.encoded("zstd", twice);
            RawResponse refused = client.send(post("gzip, br, zstd", thrice)).readResponse();
            assertThat(refused.status()).isEqualTo(415);
        }
    }

    @Test
    void noBodyAtAll() throws IOException {
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of()).start();
                RawClient client = gateway.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            client.send(post("gzip", new byte[0]));
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(upstream.request(1).body()).isEmpty();
        }
    }

    /** RFC 7694. */
    @Test
    void unknownCodings() throws IOException {
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of("encodings", List.of("gzip", "zstd")))
                        .start();
                RawClient client = gateway.connect()) {
            for (String coding : new String[] {"compress", "br", "gzip, br"}) {
                RawResponse refused = client.send(post(coding, TEXT)).readResponse();
                assertThat(refused.status()).isEqualTo(415);
                assertThat(refused.header("Accept-Encoding")).isEqualTo("gzip, zstd");
            }
            assertThat(upstream.requests()).isEmpty();
        }
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway =
                        decompressing(upstream, Map.of("unknown", "pass")).start();
                RawClient client = gateway.connect()) {
            client.send(post("compress", TEXT)).readResponse();
            assertThat(upstream.request(0).header("Content-Encoding")).isEqualTo("compress");
            assertThat(upstream.request(0).body()).isEqualTo(TEXT);
        }
    }

    /** Members and nothing else (RFC 1952 section 2.2), though gzip(1) passes over zeros as tapes have them. */
    @ParameterizedTest
    @CsvSource({"0,1", "0,512", "31,2"})
    void behindTheMembersOfGzipThereIsNothing(byte behind, int count) throws IOException {
        byte[] packed = Decoded.encoded("gzip", TEXT);
        byte[] padded = Arrays.copyOf(packed, packed.length + count);
        Arrays.fill(padded, packed.length, padded.length, behind);
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of()).start()) {
            assertThat(status(gateway, post("gzip", padded))).isEqualTo(400);
        }
    }

    // Bombs

    static byte[] bomb(String coding, int mebibytes) throws IOException {
        return Decoded.encoded(coding, new byte[mebibytes << 20]);
    }

    /** Where the ratio allows it, no more than may be comes to the node, to the byte. */
    @ParameterizedTest
    @CsvSource({"gzip,1", "br,1", "zstd,1", "gzip,0", "br,0", "zstd,0"})
    void sizes(String coding, int tooMuch) throws IOException {
        byte[] body = new byte[(3 << 20) + tooMuch];
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of("max-size", "3MiB", "max-ratio", 10_000_000))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(post(coding, Decoded.encoded(coding, body)));
            assertThat(client.readResponse().status()).isEqualTo(tooMuch == 0 ? 200 : 413);
            assertThat(upstream.requests().stream().mapToLong(ReceivedRequest::bodyBytes))
                    .allMatch(bytes -> bytes <= 3 << 20);
        }
    }

    /** One within the other: the ratio is that to what was received. */
    @Test
    void aBombInABomb() throws IOException {
        byte[] bomb = Decoded.encoded("gzip", bomb("gzip", 256));
        assertThat(bomb.length).isLessThan(2000);
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of()).start();
                RawClient client = gateway.connect()) {
            client.send(post("gzip, gzip", bomb));
            assertThat(client.readResponse().status()).isEqualTo(413);
            Ask.quiet(gateway);
        }
    }

    @Test
    void soManyAtOnce() throws IOException {
        byte[] packed = Decoded.encoded("gzip", TEXT);
        byte[] head = Arrays.copyOf(post("gzip", packed), post("gzip", packed).length - 5);
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway =
                        decompressing(upstream, Map.of("max-bodies", 1)).start()) {
            for (int i = 0; i < 3; i++) {
                try (RawClient first = gateway.connect();
                        RawClient second = gateway.connect()) {
                    first.send(head);
                    Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
                    RawResponse busy = second.send(post("gzip", packed)).readResponse();
                    assertThat(busy.status()).isEqualTo(503);
                    assertThat(busy.header("Retry-After")).isEqualTo("1");
                }
                Ask.quiet(gateway);
            }
            try (RawClient third = gateway.connect()) {
                assertThat(third.send(post("gzip", packed)).readResponse().status())
                        .isEqualTo(200);
            }
        }
    }

    /** Whose body has passed, or who sends none, waits for an answer without a place. */
    @Test
    void whoWaitsForAnAnswerTakesNoPlace() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        byte[] packed = Decoded.encoded("gzip", TEXT);
        byte[] muchOfLittle = bomb("gzip", 5);
        String get = "GET /slow HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\n\r\n";
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    answered.await();
                    return Answer.ok("done");
                });
                GatewayFixture gateway = decompressing(upstream, Map.of("max-bodies", 1, "max-ratio", 10_000))
                        .start();
                RawClient none = gateway.connect();
                RawClient one = gateway.connect();
                RawClient much = gateway.connect();
                RawClient last = gateway.connect()) {
            none.send(get);
            one.send(post("gzip", packed));
            upstream.awaitRequests(2);
            much.send(post("gzip", muchOfLittle));
            upstream.awaitRequests(3);
            last.send(post("gzip", packed));
            upstream.awaitRequests(4);
            answered.countDown();
            for (RawClient client : List.of(none, one, much, last)) {
                assertThat(client.readResponse().status()).isEqualTo(200);
            }
            assertThat(upstream.requests())
                    .allSatisfy(
                            seen -> assertThat(seen.header("Content-Encoding")).isNull());
        } finally {
            answered.countDown();
        }
    }

    /** Each has a decoder of its own. */
    @Test
    void eachCodingTakesAPlace() throws IOException {
        byte[] twice = post("gzip, zstd", Decoded.encoded("zstd", Decoded.encoded("gzip", TEXT)));
        byte[] once = post("gzip", Decoded.encoded("gzip", TEXT));
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of("max-bodies", 2, "max-bodies-per-client", 2))
                        .start()) {
            beside(gateway, once, once, 200);
            beside(gateway, once, twice, 503);
            beside(gateway, twice, once, 503);
            try (RawClient client = gateway.connect()) {
                for (int i = 0; i < 3; i++) {
                    assertThat(client.send(twice).readResponse().status()).isEqualTo(200);
                }
            }
        }
    }

    /** What the second gets while the first is under way, which is given up then. */
    private static void beside(GatewayFixture gateway, byte[] first, byte[] second, int status) throws IOException {
        try (RawClient slow = gateway.connect();
                RawClient client = gateway.connect()) {
            slow.send(Arrays.copyOf(first, first.length - 5));
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
            assertThat(client.send(second).readResponse().status()).isEqualTo(status);
        }
        Ask.quiet(gateway);
    }

    private static GatewayBuilder behindAProxy(ScriptedUpstream upstream, Map<String, Object> settings) {
        return decompressing(upstream, settings)
                .allowForward(AllowForward.ALL, "127.0.0.1")
                .client("maxPoolSizePerServer", 2_000);
    }

    private static byte[] postOf(String client, String coding) throws IOException {
        return post(coding, Decoded.encoded(coding, TEXT), "X-Forwarded-For: " + client + "\r\n");
    }

    /** All but the end of so many, which is left to come. */
    private static List<RawClient> slow(GatewayFixture gateway, byte[] post, int count) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(gateway.connect().send(Arrays.copyOf(post, post.length - 5)));
        }
        Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, count);
        return clients;
    }

    private static int status(GatewayFixture gateway, byte[] post) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send(post).readResponse().status();
        }
    }

    private static void close(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
    }

    /** Whoever sends slowly what he sends takes a share, and no more: of bodies, and of memory that decoders may come to hold. */
    @ParameterizedTest
    @CsvSource({"gzip,,250", "zstd,,16", "br,,32", "gzip,8,2", "zstd,8,2", "gzip,1,1"})
    void aClientTakesAShare(String coding, Integer bodiesMax, int share, @TempDir Path folder) throws IOException {
        Path log = folder.resolve("access.log");
        Map<String, Object> settings = bodiesMax == null ? Map.of() : Map.of("max-bodies", bodiesMax);
        boolean alone = bodiesMax != null && bodiesMax == share;
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway =
                        behindAProxy(upstream, settings).accessLog(log).start()) {
            List<RawClient> taken = slow(gateway, postOf("192.0.2.1", coding), share);
            try {
                assertThat(status(gateway, postOf("192.0.2.1", coding))).isEqualTo(alone ? 503 : 429);
                assertThat(status(gateway, postOf("192.0.2.2", coding))).isEqualTo(alone ? 503 : 200);
            } finally {
                close(taken);
            }
            Ask.quiet(gateway);
            assertThat(status(gateway, postOf("192.0.2.1", coding))).isEqualTo(200);
        }
        assertThat(Files.readString(log))
                .contains("decompress-request: " + (alone ? "too-many-bodies" : "client-busy"));
    }

    /** So many streams a client's connection may have. */
    @Test
    void aConnectionFullOfBodiesKeepsNobodyOut() throws IOException {
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = behindAProxy(upstream, Map.of()).start()) {
            List<RawClient> taken = slow(gateway, postOf("192.0.2.1", "gzip"), 64);
            try {
                assertThat(status(gateway, postOf("192.0.2.2", "gzip"))).isEqualTo(200);
            } finally {
                close(taken);
            }
        }
    }

    /** A body in two codings counts twice, and is let in all the same where its client has no other. */
    @Test
    void aClientMayHaveOneWhateverItIs() throws IOException {
        byte[] twice = post("gzip, zstd", Decoded.encoded("zstd", Decoded.encoded("gzip", TEXT)));
        Map<String, Object> settings = Map.of("max-bodies", 4, "max-memory", "1MiB");
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, settings).start()) {
            assertThat(status(gateway, twice)).isEqualTo(200);
            beside(gateway, twice, post("gzip", Decoded.encoded("gzip", TEXT)), 429);
            Ask.quiet(gateway);
            assertThat(status(gateway, twice)).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "br", "zstd"})
    void overHttp2(String coding, @TempDir Path folder) throws Exception {
        Path file = folder.resolve("body");
        Files.write(file, Decoded.encoded(coding, TEXT));
        Path bomb = folder.resolve("bomb");
        Files.write(bomb, bomb(coding, 64));
        Needed.here(Files.isExecutable(Path.of("/usr/bin/curl")), "curl");
        try (ScriptedUpstream upstream = upstream();
                GatewayFixture gateway = decompressing(upstream, Map.of())
                        .tls(null)
                        .http2(ListenerConfig.Http2.TOO)
                        .start()) {
            assertThat(curl(gateway, coding, file)).isEqualTo("200");
            assertThat(upstream.request(0).body()).isEqualTo(TEXT);
            assertThat(curl(gateway, coding, bomb)).isEqualTo("413");
            Ask.quiet(gateway);
        }
    }

    private static String curl(GatewayFixture gateway, String coding, Path body) throws IOException {
        Process curl = new ProcessBuilder(
                        "curl",
                        "-s",
                        "-o",
                        "/dev/null",
                        "-w",
                        "%{http_code}",
                        "--http2-prior-knowledge",
                        "-H",
                        "Content-Encoding: " + coding,
                        "--data-binary",
                        "@" + body,
                        "http://127.0.0.1:" + gateway.port() + "/")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        return new String(curl.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }
}
