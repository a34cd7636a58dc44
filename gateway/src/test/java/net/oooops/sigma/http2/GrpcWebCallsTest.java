package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.http2.Http2Client.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Calls of gRPC-Web on their way to nodes of HTTP/2: here another gateway, before an upstream that speaks HTTP/1.1. */
class GrpcWebCallsTest {
    private static final byte[] HELLO = frame(0, "hello");
    private static final byte[] WORLD = frame(0, "world");
    private static final byte[] OK = frame(0x80, "grpc-status: 0\r\n");
    private static final String WEB = "application/grpc-web+proto";
    private static final String TEXT = "application/grpc-web-text+proto";
    private static final String ANSWER_HEAD =
            "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String ANSWER_END = "0\r\ngrpc-status: 0\r\n\r\n";

    private volatile Step next = ok();
    private final ScriptedUpstream upstream =
            ScriptedUpstream.startOnHead(request -> Script.script().readBody().step(next));
    private final GatewayFixture node = GatewayFixture.to(upstream).start();
    private final GatewayFixture gateway =
            web(GatewayFixture.toPorts(node.port()).http2Nodes()).start();

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL) + node.faults(Fault.INTERNAL);
        gateway.close();
        node.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    private static GatewayBuilder web(GatewayBuilder builder) {
        return builder.plugin("grpc-web", Map.of());
    }

    private static Answer ok() {
        return Answer.of(200)
                .header("Content-Type", "application/grpc")
                .body(HELLO)
                .chunked(3)
                .trailer("grpc-status", "0");
    }

    private static byte[] frame(int flag, String message) {
        byte[] bytes = message.getBytes(ISO_8859_1);
        return ByteBuffer.allocate(5 + bytes.length)
                .put((byte) flag)
                .putInt(bytes.length)
                .put(bytes)
                .array();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Arrays.stream(parts).forEach(all::writeBytes);
        return all.toByteArray();
    }

    private static byte[] decoded(byte[] text) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (int i = 0; i < text.length; i += 4) {
            all.writeBytes(Base64.getDecoder().decode(Arrays.copyOfRange(text, i, i + 4)));
        }
        return all.toByteArray();
    }

    private static byte[] encoded(byte[] bytes) {
        return Base64.getEncoder().encode(bytes);
    }

    private static byte[] chunk(byte[] bytes) {
        return join((Integer.toHexString(bytes.length) + "\r\n").getBytes(ISO_8859_1), bytes, new byte[] {'\r', '\n'});
    }

    private static byte[] request(String type, byte[] body, String... more) {
        String head = "POST /shop.Orders/Get HTTP/1.1\r\nHost: a.example\r\nContent-Type: " + type
                + "\r\nContent-Length: " + body.length + "\r\nX-Grpc-Web: 1\r\nX-User-Agent: test/1\r\n"
                + String.join("", more) + "\r\n";
        return join(head.getBytes(ISO_8859_1), body);
    }

    private static RawResponse ask(GatewayFixture of, String type, byte[] body, String... more) throws IOException {
        try (RawClient client = RawClient.connect(of.port())) {
            return client.send(request(type, body, more)).readResponse();
        }
    }

    private static byte[] answer(RawResponse response) {
        String type = response.header("Content-Type");
        return type != null && type.contains("text") ? decoded(response.body()) : response.body();
    }

    private static String told(RawResponse response) {
        byte[] answer = answer(response);
        assertThat(answer[0]).isEqualTo((byte) 0x80);
        return new String(answer, ISO_8859_1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aUnaryCallOverHttp11(boolean text) throws IOException {
        byte[] body = text ? join(encoded(HELLO), encoded(new byte[0])) : HELLO;
        for (int i = 0; i < 3; i++) {
            RawResponse response = ask(gateway, text ? TEXT : WEB, body);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("Content-Type")).isEqualTo(text ? TEXT : WEB);
            assertThat(response.header("Content-Length")).isNull();
            assertThat(response.trailers().has("grpc-status")).isFalse();
            assertThat(answer(response)).isEqualTo(join(HELLO, OK));
        }
        ReceivedRequest seen = upstream.requests().getLast();
        assertThat(seen.body()).isEqualTo(HELLO);
        assertThat(seen.header("Content-Type")).isEqualTo("application/grpc+proto");
        assertThat(seen.header("X-Grpc-Web")).isEqualTo("1");
        assertThat(seen.header("X-User-Agent")).isEqualTo("test/1");
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aUnaryCallOverHttp2(boolean text) throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/shop.Orders/Get", "content-type", text ? TEXT : WEB);
            byte[] body = text ? encoded(HELLO) : HELLO;
            client.data(1, false, Arrays.copyOf(body, 7)).data(1, true, Arrays.copyOfRange(body, 7, body.length));
            Response response = client.response(1);
            assertThat(response.head()).containsEntry("content-type", text ? TEXT : WEB);
            assertThat(response.trailers()).isNull();
            assertThat(text ? decoded(response.body()) : response.body()).isEqualTo(join(HELLO, OK));
            assertThat(upstream.requests().getLast().body()).isEqualTo(HELLO);
        }
    }

    @Test
    void theNodeIsToldThatTrailersAreTaken() throws IOException {
        try (RawServer nodes = RawServer.start();
                GatewayFixture before =
                        web(GatewayFixture.toPorts(nodes.port()).http2Nodes()).start();
                RawClient client = RawClient.connect(before.port())) {
            client.send(request(WEB, HELLO, "grpc-timeout: 9S\r\n"));
            try (Http2Client one = Http2Client.node(nodes)) {
                Map<String, String> head = one.fields(one.await(Http2Client.HEADERS));
                assertThat(head)
                        .containsEntry("te", "trailers")
                        .containsEntry("content-type", "application/grpc+proto")
                        .doesNotContainKey("content-length");
                assertThat(head.get("grpc-timeout")).matches("[89]\\d\\d\\dm|9000m");
                Frame body = one.await(Http2Client.DATA);
                assertThat(body.payload()).isEqualTo(HELLO);
                one.headers(1, true, ":status", "200", "content-type", "application/grpc", "grpc-status", "7");
                assertThat(told(client.readResponse())).endsWith("grpc-status: 7\r\n");
            }
        }
    }

    /** A message comes while the node has yet to send the next one: nothing is collected, and no bit kept back. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void messagesOfAStreamPassAsTheyCome(boolean text) throws IOException {
        Gate gate = new Gate();
        next = Script.script()
                .send(join(ANSWER_HEAD.getBytes(ISO_8859_1), chunk(HELLO)))
                .stall(gate)
                .send(join(chunk(WORLD), ANSWER_END.getBytes(ISO_8859_1)));
        try (RawClient client = RawClient.connect(gateway.port())) {
            client.send(request(text ? TEXT : WEB, text ? encoded(HELLO) : HELLO))
                    .readHead();
            byte[] first = client.readBody(text ? encoded(HELLO).length : HELLO.length);
            assertThat(text ? decoded(first) : first).isEqualTo(HELLO);
            gate.release();
            RawResponse rest = client.readRest();
            byte[] all = text ? decoded(rest.body()) : rest.body();
            assertThat(new String(all, ISO_8859_1)).endsWith(new String(join(WORLD, OK), ISO_8859_1));
            assertThat(rest.truncated()).isFalse();
        }
    }

    /** A client that takes nothing stops the node. */
    @Test
    void aStreamGoesAtThePaceOfItsClient() throws IOException {
        AtomicLong written = new AtomicLong();
        long most = 64 << 20;
        byte[] message = frame(0, "x".repeat(60_000));
        next = connection -> {
            connection.write(ANSWER_HEAD);
            while (written.get() < most) {
                connection.write(chunk(message));
                written.addAndGet(message.length);
            }
            connection.write(ANSWER_END);
        };
        ClientOptions narrow = ClientOptions.defaults().withReceiveBufferBytes(4096);
        try (RawClient client = RawClient.connect(gateway.port(), narrow)) {
            client.send(request(TEXT, encoded(HELLO))).readHead();
            AtomicLong before = new AtomicLong(-1);
            AtomicLong same = new AtomicLong();
            Await.until("the node stands still", Duration.ofSeconds(20), () -> {
                long now = written.get();
                same.set(now == before.getAndSet(now) ? same.get() + 1 : 0);
                return same.get() > 20;
            });
            // What is in the sockets and windows of two gateways.
            assertThat(written.get()).isLessThan(most / 2);
        }
    }

    // Errors

    @Test
    void anErrorWithoutABody() throws IOException {
        next = Answer.of(200)
                .header("Content-Type", "application/grpc")
                .header("grpc-status", "5")
                .header("grpc-message", "no%20such order")
                .body("");
        RawResponse response = ask(gateway, TEXT, encoded(HELLO));
        assertThat(response.header("grpc-status")).isNull();
        assertThat(answer(response)).isEqualTo(frame(0x80, "grpc-status: 5\r\ngrpc-message: no%20such order\r\n"));
    }

    @ParameterizedTest
    @CsvSource({
        "AAA, ends too early",
        "AA-A, not base64",
        "AAAAAAU=, within a frame",
        "gAAAAAA=, flag 128",
    })
    void aRequestThatIsNone(String body, String why) throws IOException {
        assertThat(told(ask(gateway, TEXT, body.getBytes(ISO_8859_1))))
                .contains("grpc-status: 13\r\n")
                .contains(why);
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/a", "content-type", TEXT).data(1, true, body);
            Response response = client.response(1);
            assertThat(response.head()).containsEntry(":status", "200").containsEntry("content-type", TEXT);
            assertThat(new String(decoded(response.body()), ISO_8859_1))
                    .contains("grpc-status: 13\r\n")
                    .contains(why);
            Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
        }
        assertThat(gateway.pluginCount("grpc-web", "garbled")).isEqualTo(2);
        assertThat(gateway.faults(Fault.BAD_REQUEST)).isZero();
        assertThat(upstream.requests()).noneMatch(ReceivedRequest::complete);
    }

    @Test
    void anAnswerThatEndsWithinAFrameIsCut() throws IOException {
        next = Answer.of(200)
                .header("Content-Type", "application/grpc")
                .body(Arrays.copyOf(HELLO, 7))
                .chunked(9)
                .trailer("grpc-status", "0");
        assertThat(ask(gateway, WEB, HELLO).truncated()).isTrue();
        assertThat(gateway.faults(Fault.UPSTREAM_PROTOCOL)).isEqualTo(1);
    }

    @Test
    void errorsOfSigmasOwn() throws IOException {
        try (GatewayFixture dead = web(GatewayFixture.toPorts(
                                ScriptedUpstream.refusedPort().port())
                        .http2Nodes()
                        .client("waitTimeoutNanos", Duration.ofMillis(100)))
                .start()) {
            RawResponse response = ask(dead, TEXT, encoded(HELLO));
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.header("Content-Type")).isEqualTo(TEXT);
            assertThat(told(response)).contains("grpc-status: 14\r\n").contains("grpc-message: ");
        }
    }

    /** Between two messages a stream that fails can still say so, where its node didn't. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aStreamThatFailsEndsWithItsStatus(boolean reset) throws IOException {
        try (RawServer nodes = RawServer.start();
                GatewayFixture before =
                        web(GatewayFixture.toPorts(nodes.port()).http2Nodes()).start();
                RawClient client = RawClient.connect(before.port())) {
            client.send(request(TEXT, encoded(HELLO), "grpc-timeout: 700m\r\n"));
            try (Http2Client one = Http2Client.node(nodes)) {
                one.await(Http2Client.HEADERS);
                one.headers(1, false, ":status", "200", "content-type", "application/grpc")
                        .data(1, false, HELLO);
                if (reset) {
                    one.reset(1, Http2Error.INTERNAL_ERROR.code());
                }
                RawResponse response = client.readResponse();
                assertThat(response.truncated()).isFalse();
                String told = new String(answer(response), ISO_8859_1);
                assertThat(told).startsWith(new String(HELLO, ISO_8859_1));
                assertThat(told).contains("grpc-status: " + (reset ? 14 : 4) + "\r\n");
                Await.until("no exchange", () -> before.count(Counter.REQUESTS_IN_FLIGHT) == 0);
                assertThat(before.faults(reset ? Fault.UPSTREAM_TRUNCATED : Fault.UPSTREAM_TIMEOUT))
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void aStreamThatFailsWithinAMessageIsCut() throws IOException {
        byte[] part = Arrays.copyOf(HELLO, 7);
        next = Script.script()
                .send(join(ANSWER_HEAD.getBytes(ISO_8859_1), chunk(part)))
                .awaitPeerClose();
        RawResponse response = ask(gateway, WEB, HELLO, "grpc-timeout: 300m\r\n");
        assertThat(response.truncated()).isTrue();
        assertThat(response.body()).isEqualTo(part);
    }

    @Test
    void aDeadlineIsTold() throws IOException {
        next = Script.script().awaitPeerClose();
        assertThat(told(ask(gateway, WEB, HELLO, "grpc-timeout: 200m\r\n"))).contains("grpc-status: 4\r\n");
    }

    @Test
    void noRouteIsUnimplemented() throws IOException {
        try (GatewayFixture routed = web(GatewayFixture.toPorts(node.port())
                        .http2Nodes()
                        .route("/other/*"))
                .start()) {
            assertThat(told(ask(routed, WEB, HELLO))).contains("grpc-status: 12\r\n");
        }
    }

    @Test
    void anAnswerThatIsNotOfGrpc() throws IOException {
        next = Answer.of(404).header("Content-Type", "text/html").body("<html>");
        RawResponse response = ask(gateway, WEB, HELLO);
        assertThat(response.status()).isEqualTo(200);
        assertThat(told(response)).contains("grpc-status: 12\r\n").contains("HTTP status 404");
    }

    /** Calls of gRPC itself, and all else, pass beside them. */
    @Test
    void othersPass() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/a", "content-type", "application/grpc", "te", "trailers")
                    .data(1, true, HELLO);
            Response call = client.response(1);
            assertThat(call.body()).isEqualTo(HELLO);
            assertThat(call.trailers()).containsEntry("grpc-status", "0");
        }
        next = Answer.ok("plain");
        List<String> plain = new ArrayList<>();
        for (String type : List.of("text/plain", "application/json")) {
            plain.add(ask(gateway, type, HELLO).bodyText());
        }
        assertThat(plain).containsOnly("plain");
    }
}
