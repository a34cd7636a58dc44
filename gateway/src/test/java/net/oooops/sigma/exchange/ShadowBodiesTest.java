package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters.Shadow;
import net.oooops.sigma.plugins.compression.Decoded;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What plugins in shadow that would make others of bodies tell of them, and that these pass as they are. */
class ShadowBodiesTest {
    private static final String DECOMPRESS = "decompress-request";
    private static final String GRPC_WEB = "grpc-web";
    private static final byte[] CALL = {0, 0, 0, 0, 2, 'h', 'i'};

    private static byte[] random(int size) {
        byte[] bytes = new byte[size];
        new Random(size).nextBytes(bytes);
        return bytes;
    }

    private static byte[] post(String field, byte[] body) {
        byte[] head = ("POST /a HTTP/1.1\r\nHost: a\r\n" + field + "\r\nContent-Length: " + body.length + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocate(head.length + body.length)
                .put(head)
                .put(body)
                .array();
    }

    /** What is told of requests with these bodies, which all get to the node as they are. */
    private static List<Shadow> told(String plugin, Map<String, Object> settings, String field, byte[]... bodies)
            throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("done"));
                GatewayFixture gateway =
                        GatewayFixture.to(upstream).plugin(plugin, settings).start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < bodies.length; i++) {
                byte[] request = post(field, bodies[i]);
                client.sendInPieces(request, 1000);
                assertThat(client.readResponse().status()).isEqualTo(200);
                assertThat(upstream.request(i).body()).isEqualTo(bodies[i]);
            }
            gateway.drain(Duration.ofSeconds(5));
            return gateway.counters().shadows();
        }
    }

    private static Map<String, Object> shadow(String... more) {
        return more.length == 0 ? Map.of("mode", "shadow") : Map.of("mode", "shadow", more[0], more[1]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"gzip", "deflate", "br", "zstd"})
    void aBodyThatIsNotWhatItSaysIsTold(String coding) throws IOException {
        byte[] packed = Decoded.encoded(coding, random(5000));
        byte[] cut = Arrays.copyOf(packed, packed.length - 3);
        byte[] none = {};
        assertThat(told(DECOMPRESS, shadow(), "Content-Encoding: " + coding, packed, cut, random(5000), none))
                .containsExactly(
                        new Shadow(DECOMPRESS, "answer", 400, "garbled", 2),
                        new Shadow(DECOMPRESS, "change", 0, "", 4));
    }

    /** What is behind the first 64 KiB of it costs what unpacking costs. */
    @Test
    void aLongBodyIsLookedAtWhereItBegins() throws IOException {
        byte[] packed = Decoded.encoded("gzip", random(300_000));
        byte[] cut = Arrays.copyOf(packed, packed.length - 3);
        assertThat(told(DECOMPRESS, shadow("max-size", "1KiB"), "Content-Encoding: gzip", cut))
                .containsExactly(
                        new Shadow(DECOMPRESS, "answer", 413, "too-large", 1),
                        new Shadow(DECOMPRESS, "change", 0, "", 1));
        assertThat(told(DECOMPRESS, shadow(), "Content-Encoding: gzip", cut))
                .containsExactly(new Shadow(DECOMPRESS, "change", 0, "", 1));
    }

    @Test
    void ofSeveralCodingsTheOutermostIsLookedAt() throws IOException {
        byte[] twice = Decoded.encoded("br", Decoded.encoded("gzip", random(5000)));
        assertThat(told(DECOMPRESS, shadow(), "Content-Encoding: gzip, br", twice))
                .containsExactly(new Shadow(DECOMPRESS, "change", 0, "", 1));
        assertThat(told(DECOMPRESS, shadow(), "Content-Encoding: br, gzip", twice))
                .containsExactly(
                        new Shadow(DECOMPRESS, "answer", 400, "garbled", 1),
                        new Shadow(DECOMPRESS, "change", 0, "", 1));
    }

    /** Those that would be let in count until they are over. */
    @ParameterizedTest
    @CsvSource({"1,503,too-many-bodies", "2,429,client-busy"})
    void aBodyThatWouldntBeLetInIsTold(int most, int status, String reason) throws IOException {
        byte[] request = post("Content-Encoding: gzip", Decoded.encoded("gzip", random(5000)));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(asked -> Answer.ok("done"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugin(DECOMPRESS, Map.of("mode", "shadow", "max-bodies", most))
                        .start();
                RawClient slow = gateway.connect();
                RawClient quick = gateway.connect()) {
            slow.send(Arrays.copyOf(request, request.length - 3));
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
            assertThat(quick.send(request).readResponse().status()).isEqualTo(200);
            slow.send(Arrays.copyOfRange(request, request.length - 3, request.length));
            assertThat(slow.readResponse().status()).isEqualTo(200);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            assertThat(quick.send(request).readResponse().status()).isEqualTo(200);
            gateway.drain(Duration.ofSeconds(5));
            assertThat(gateway.counters().shadows())
                    .containsExactly(
                            new Shadow(DECOMPRESS, "answer", status, reason, 1),
                            new Shadow(DECOMPRESS, "change", 0, "", 2));
        }
    }

    @Test
    void framesThatAreNoneAreTold() throws IOException {
        byte[] cut = Arrays.copyOf(CALL, CALL.length - 1);
        byte[] flagged = CALL.clone();
        flagged[0] = (byte) 0x80;
        assertThat(told(GRPC_WEB, shadow(), "Content-Type: application/grpc-web", CALL, cut, flagged, new byte[0]))
                .containsExactly(
                        new Shadow(GRPC_WEB, "answer", 400, "garbled", 2), new Shadow(GRPC_WEB, "change", 0, "", 4));
        byte[] noText = {'?', '?', '?', '?'};
        assertThat(told(GRPC_WEB, shadow(), "Content-Type: application/grpc-web-text", noText))
                .containsExactly(
                        new Shadow(GRPC_WEB, "answer", 400, "garbled", 1), new Shadow(GRPC_WEB, "change", 0, "", 1));
    }

    /** Those that would be packed count until they are over, beside those that are: of these there are never fewer for it. */
    @Test
    void anAnswerThatWouldStayAsItIsIsTold() throws Exception {
        String get = "GET /%s HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n";
        byte[] large = new byte[10 << 20];
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.of(200)
                        .header("Content-Type", "text/plain")
                        .header("Vary", "Accept-Encoding")
                        .body(request.target().equals("/slow") ? large : new byte[1000]));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugin("compression", Map.of("mode", "shadow", "max-bodies", 1))
                        .start();
                RawClient slow = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096));
                RawClient quick = gateway.connect()) {
            assertPlain(quick.send(get.formatted("1")).readResponse());
            assertPlain(quick.send(get.formatted("2")).readResponse());
            slow.send(get.formatted("slow"));
            slow.readHead();
            assertPlain(quick.send(get.formatted("3")).readResponse());
            assertPlain(quick.send(get.formatted("4")).readResponse());
            slow.readExactly(large.length);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            assertPlain(quick.send(get.formatted("5")).readResponse());
            gateway.drain(Duration.ofSeconds(5));
            assertThat(gateway.counters().shadows())
                    .containsExactly(
                            new Shadow("compression", "change", 0, "", 4),
                            new Shadow("compression", "effect", 0, "too-many-bodies", 2));
        }
    }

    private static void assertPlain(RawResponse response) {
        assertThat(response.body()).isEqualTo(new byte[1000]);
        assertThat(response.header("Content-Encoding")).isNull();
    }
}
