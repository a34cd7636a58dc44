package net.oooops.sigma.plugins.bodylimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.zip.GZIPOutputStream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BodyLimitTest {
    private static final String CHUNKED = "POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(Map<String, ?> settings) {
        return GatewayFixture.to(node)
                .plugin("body-limit", settings)
                .accessLog(dir.resolve("access.log"))
                .start();
    }

    private static String post(String body) {
        return "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.length() + "\r\n\r\n" + body;
    }

    /** That is the plugin's refusal, and no fault. */
    private static void refusedOnly(GatewayFixture gateway, int count) {
        assertThat(gateway.pluginCount("body-limit", "too-large")).isEqualTo(count);
        assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void itIsOneRefusalWhicheverWayTheBodyComes(boolean whole) throws IOException {
        List<String> requests = List.of(
                post("hello!"),
                "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 6\r\n\r\n",
                CHUNKED + "6\r\nhello!\r\n0\r\n\r\n",
                CHUNKED + "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n");
        try (GatewayFixture gateway = gateway(Map.of("max", "5B", "whole", whole))) {
            for (String request : requests) {
                try (RawClient client = gateway.connect()) {
                    assertThat(client.send(request).readResponse().status()).isEqualTo(413);
                }
            }
            refusedOnly(gateway, requests.size());
        }
        assertThat(Files.readAllLines(dir.resolve("access.log")))
                .hasSize(requests.size())
                .allMatch(line -> line.contains("\"flag\":\"PR\",\"reason\":\"body-limit: too-large\""));
    }

    /** Nothing is refused, held back or sent in another way; what would be refused is told, whichever way it comes. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void inShadowItIsToldWhicheverWayTheBodyComes(boolean whole) throws IOException {
        List<String> large = List.of(
                post("hello!"),
                CHUNKED + "6\r\nhello!\r\n0\r\n\r\n",
                CHUNKED + "5\r\nhello\r\n1\r\n!\r\n3\r\n!!!\r\n0\r\n\r\n");
        try (GatewayFixture gateway = gateway(Map.of("mode", "shadow", "max", "5B", "whole", whole));
                RawClient client = gateway.connect()) {
            for (String request : large) {
                assertThat(client.send(request).readResponse().bodyText()).startsWith("hello!");
            }
            assertThat(node.requests().getLast().bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            for (String request : List.of(post("hello"), CHUNKED + "5\r\nhello\r\n0\r\n\r\n")) {
                assertThat(client.send(request).readResponse().bodyText()).isEqualTo("hello");
            }
            gateway.drain(Duration.ofSeconds(5));
            assertThat(gateway.counters().shadows())
                    .containsExactly(new Counters.Shadow("body-limit", "answer", 413, "too-large", large.size()));
            assertThat(gateway.pluginCount("body-limit", "too-large")).isZero();
        }
        assertThat(Files.readAllLines(dir.resolve("access.log")))
                .filteredOn(line -> line.contains("\"flag\":null,\"reason\":\"shadow: body-limit: 413 too-large\""))
                .hasSize(large.size());
    }

    /** The node has got the first part before the rest is sent: nothing waits for the whole. */
    @Test
    void inShadowNothingIsCollected() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("mode", "shadow", "max", "5B", "whole", true));
                RawClient client = gateway.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhe");
            Await.until("the node is asked", () -> node.connectionCount() > 0);
            assertThat(client.send("llo").readResponse().bodyText()).isEqualTo("hello");
        }
    }

    /** The Listener's own bound is none of the plugin's refusals. */
    @Test
    void theBoundOfTheListenerStaysAFault() throws IOException {
        try (GatewayFixture gateway = GatewayFixture.to(node)
                        .plugin("body-limit", Map.of("max", "1KiB", "whole", true))
                        .limit("bufferedBodyBytesMax", 5)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(CHUNKED + "6\r\nhello!\r\n0\r\n\r\n")
                            .readResponse()
                            .status())
                    .isEqualTo(413);
            assertThat(gateway.pluginCount("body-limit", "too-large")).isZero();
            assertThat(gateway.faults(Fault.BODY_TOO_LARGE)).isEqualTo(1);
        }
    }

    @Test
    void aLengthThatIsTooLargeIsRefusedAtOnce() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "5B"))) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(post("hello")).readResponse().bodyText()).isEqualTo("hello");
                ReceivedRequest seen = node.requests().getLast();
                assertThat(seen.header("Content-Length"))
                        .as("it streams as it came")
                        .isEqualTo("5");
                assertThat(client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(200);
            }
            for (String length : List.of("6", "9223372036854775807")) {
                try (RawClient client = gateway.connect()) {
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + length + "\r\n\r\n");
                    assertThat(client.readResponse().status()).isEqualTo(413);
                }
            }
            assertThat(node.requestCount()).isEqualTo(2);
        }
        assertThat(Files.readString(dir.resolve("access.log"))).contains("body-limit: too-large");
    }

    @Test
    void aBodyWithoutALengthIsCutOnceItIsTooLarge() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "5B"))) {
            try (RawClient client = gateway.connect()) {
                client.send(CHUNKED + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("hello");
                assertThat(node.requests().getLast().bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            }
            try (RawClient client = gateway.connect()) {
                client.send(CHUNKED + "5\r\nhello\r\n");
                Await.until("the node is asked", () -> node.connectionCount() > 0);
                client.send("1\r\n!\r\n0\r\n\r\n");
                assertThat(client.readResponse().status()).isEqualTo(413);
            }
            refusedOnly(gateway, 1);
            Await.until(
                    "the node sees it cut",
                    () -> node.requests().getLast().bodyEnd().truncated());
            assertThat(node.requests().getLast().bodyBytes()).isLessThanOrEqualTo(5);
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(post("fine")).readResponse().bodyText()).isEqualTo("fine");
            }
        }
        assertThat(Files.readString(dir.resolve("access.log"))).contains("body larger than 5 bytes");
    }

    /** A chunk that comes with the head, and is too large, opens no connection. */
    @Test
    void whatIsTooLargeFromTheBeginningReachesNoNode() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "5B"));
                RawClient client = gateway.connect()) {
            client.send(CHUNKED + "6\r\nhello!\r\n0\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(413);
            assertThat(node.requestCount()).isZero();
        }
    }

    @Test
    void wholeBodiesReachNoNodeInPart() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "5B", "whole", true))) {
            try (RawClient client = gateway.connect()) {
                client.sendByteByByte(CHUNKED + "2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("hello");
            }
            try (RawClient client = gateway.connect()) {
                client.sendByteByByte(CHUNKED + "5\r\nhello\r\n1\r\n!");
                assertThat(client.readResponse().status()).isEqualTo(413);
            }
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(post("hello!")).readResponse().status()).isEqualTo(413);
            }
            assertThat(node.requestCount()).isEqualTo(1);
        }
    }

    private static byte[] packed(String text) throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream out = new GZIPOutputStream(packed)) {
            out.write(text.getBytes(StandardCharsets.US_ASCII));
        }
        return packed.toByteArray();
    }

    /** What was sent is small, and what becomes of it isn't: Content-Length says nothing of that. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBodyThatIsUnpackedIsCounted(boolean whole) throws IOException {
        try (GatewayFixture gateway = GatewayFixture.to(node)
                .plugin("decompress-request", Map.of("max-ratio", 10_000))
                .plugin("body-limit", Map.of("max", "100KiB", "whole", whole))
                .start()) {
            for (int bytes : new int[] {1, 100 << 10, (100 << 10) + 1, 700 << 10}) {
                byte[] body = packed("x".repeat(bytes));
                try (RawClient client = gateway.connect()) {
                    client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: " + body.length
                                    + "\r\n\r\n")
                            .send(body);
                    RawResponse answer = client.readResponse();
                    assertThat(answer.status()).as(bytes + " bytes").isEqualTo(bytes <= 100 << 10 ? 200 : 413);
                }
            }
            refusedOnly(gateway, 2);
            Await.until(
                    "all are seen",
                    () -> node.requests().stream()
                            .allMatch(request ->
                                    request.complete() || request.bodyEnd().truncated()));
            assertThat(node.requests()).filteredOn(ReceivedRequest::complete).hasSize(2);
            assertThat(node.requests()).allMatch(request -> request.bodyBytes() <= 100 << 10);
            if (whole) {
                assertThat(node.requestCount()).as("none sees a part").isEqualTo(2);
            }
        }
    }

    /** Before the one that unpacks, what counts is what was sent. */
    @Test
    void aBodyThatIsUnpackedLaterIsCountedAsItWasSent() throws IOException {
        byte[] body = packed("x".repeat(10_000));
        try (GatewayFixture gateway = GatewayFixture.to(node)
                        .plugin("body-limit", Map.of("max", "1KiB"))
                        .plugin("decompress-request", Map.of())
                        .start();
                RawClient client = gateway.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Encoding: gzip\r\nContent-Length: " + body.length
                            + "\r\n\r\n")
                    .send(body);
            assertThat(client.readResponse().bodyBytes()).isEqualTo(10_000);
        }
    }

    @Test
    void aBodyOverHttp2WithoutALengthIsCounted() throws Exception {
        Needed.here(Files.isExecutable(Path.of("/usr/bin/curl")), "curl");
        try (GatewayFixture gateway = GatewayFixture.to(node)
                .plugin("body-limit", Map.of("max", "5B"))
                .tls(null)
                .http2(ListenerConfig.Http2.TOO)
                .start()) {
            assertThat(uploaded(gateway, "hello")).isEqualTo("200");
            assertThat(node.requests().getLast().header("Content-Length"))
                    .as("none was said")
                    .isNull();
            assertThat(uploaded(gateway, "hello!")).isEqualTo("413");
            refusedOnly(gateway, 1);
        }
    }

    private String uploaded(GatewayFixture gateway, String body) throws Exception {
        Process curl = new ProcessBuilder(
                        "curl",
                        "-s",
                        "-o",
                        dir.resolve("out").toString(),
                        "-w",
                        "%{http_code}",
                        "--http2-prior-knowledge",
                        "-X",
                        "POST",
                        "-T",
                        "-",
                        "http://127.0.0.1:" + gateway.port() + "/")
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try (OutputStream in = curl.getOutputStream()) {
            in.write(body.getBytes(StandardCharsets.US_ASCII));
        }
        return new String(curl.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
    }

    @Test
    void noneMayHaveAByte() throws IOException {
        try (GatewayFixture gateway = gateway(Map.of("max", "0B"));
                RawClient client = gateway.connect()) {
            assertThat(client.send(post("")).readResponse().status()).isEqualTo(200);
            assertThat(client.send(CHUNKED + "0\r\n\r\n").readResponse().status())
                    .isEqualTo(200);
            assertThat(client.send(post("a")).readResponse().status()).isEqualTo(413);
        }
    }

    @Test
    void problemsNameTheirPlace() {
        for (Object max : List.of("5", "x", "-1B", "1TiB")) {
            assertThatThrownBy(() -> new BodyLimitFactory().create(Settings.of(Map.of("max", max)), new TestContext()))
                    .isInstanceOfSatisfying(
                            SettingsException.class,
                            e -> assertThat(e.pointer()).isEqualTo("/max"));
        }
        for (String max : List.of("0B", "2GiB")) {
            Settings settings = Settings.of(Map.of("max", max, "whole", true));
            assertThatThrownBy(() -> new BodyLimitFactory().create(settings, new TestContext()))
                    .isInstanceOf(SettingsException.class);
        }
    }
}
