package net.oooops.sigma.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.ConnectionEnd;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Answers that are there before the request's body is: they reach a client that sends all before it reads, and the rest of the body is
 * thrown away (RFC 9112 section 9.6), within bounds.
 */
class EarlyAnswerTest extends WireTest {
    private static final Duration LINGER = Duration.ofMillis(100);
    private static final Duration PAUSE = Duration.ofMillis(50);
    /** Where each pause has to be shorter than a limit, and all of them longer. */
    private static final Duration LONG_PAUSE = Duration.ofMillis(150);

    private static final Duration LIMIT = Duration.ofSeconds(1);
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int PIECES = 12;
    private static final String GET = "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String CHUNKED = "POST /next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    /** More than is worth waiting for. */
    private static final int MUCH_BYTES = 120_000;

    @Override
    ScriptedUpstream upstream() {
        return upstreamOnHead();
    }

    @Override
    GatewayBuilder configure(GatewayBuilder builder) {
        return builder.timeout("lingerNanos", LINGER);
    }

    private GatewayBuilder builder() {
        return configure(GatewayFixture.to(upstream));
    }

    private static String post(String path, long bytes) {
        return "POST /" + path + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + bytes + "\r\n\r\n";
    }

    private void answersEarly() {
        next = Script.script().respond(Answer.of(200).body("early")).awaitPeerClose();
    }

    /** Sends in pieces, for several times as long as the gateway lingers where nothing comes. */
    private static void sendSlowly(RawClient client, String bytes) throws IOException {
        sendSlowly(client, bytes, PAUSE);
    }

    private static void sendSlowly(RawClient client, String bytes, Duration pause) throws IOException {
        client.sendInPieces(bytes.getBytes(US_ASCII), Math.ceilDiv(bytes.length(), PIECES), pause);
    }

    private static void answered(RawClient client, int status) throws IOException {
        RawResponse response = client.readResponse();
        assertThat(response.status()).isEqualTo(status);
        assertThat(response.header("Connection")).isEqualTo("close");
        client.expectCleanClose();
    }

    private static void nobodyIsLeft(GatewayFixture running) {
        Await.until("no connection", () -> running.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
        Await.until("no exchange", () -> running.count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }

    /** Sends one byte after the other until the gateway has had enough, and whether it was that within the time of the test. */
    private static void trickleUntilClosed(GatewayFixture running, RawClient client) {
        Await.until("the slow client given up", () -> {
            try {
                client.sendUnlessClosed(new byte[] {'x'}, 1);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return running.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0;
        });
    }

    // Who reads when all is sent

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aSlowUploadIsAnswered(Transport transport) throws IOException {
        Needed.transport(transport);
        answersEarly();
        try (GatewayFixture running = builder().transport(transport).start()) {
            try (RawClient client = running.connect()) {
                client.send(post("next", MUCH_BYTES));
                sendSlowly(client, "x".repeat(MUCH_BYTES));
                answered(client, 200);
            }
            assertThat(upstream.awaitClosed(upstream.requests().getLast().connection()))
                    .isNotEqualTo(ConnectionEnd.OPEN);
            nobodyIsLeft(running);
            assertThat(running.count(Counter.REQUEST_BODIES_LEFT)).isEqualTo(1);
            assertThat(running.count(Counter.REQUEST_BODIES_CUT)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aSlowUploadInChunksIsAnswered(Transport transport) throws IOException {
        Needed.transport(transport);
        answersEarly();
        try (GatewayFixture running = builder().transport(transport).start();
                RawClient client = running.connect()) {
            client.send(CHUNKED);
            sendSlowly(client, "5\r\nabcde\r\n".repeat(40) + "0\r\n\r\n");
            answered(client, 200);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aQuickUploadIsAnswered(Transport transport) throws IOException {
        Needed.transport(transport);
        answersEarly();
        GeneratedBody body = GeneratedBody.of(1, 16 << 20);
        try (GatewayFixture running = builder().transport(transport).start();
                RawClient client = running.connect()) {
            client.deadline(LONG).send(post("next", body.bytes())).send(body);
            answered(client, 200);
        }
    }

    /** An answer of Sigma's own is no other. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatSigmaAnswersItselfArrives(boolean chunked) throws IOException {
        try (GatewayFixture narrow = builder().route("/only").start();
                RawClient client = narrow.connect()) {
            client.send(chunked ? CHUNKED : post("next", MUCH_BYTES));
            sendSlowly(client, chunked ? "5\r\nabcde\r\n".repeat(40) + "0\r\n\r\n" : "x".repeat(MUCH_BYTES));
            answered(client, 404);
        }
    }

    /** Neither is one that says the body is too large, whoever finds that out. */
    @ParameterizedTest
    @ValueSource(strings = {"length", "chunks", "collected"})
    void aBodyThatIsTooLargeIsAnswered(String what) throws IOException {
        boolean collected = what.equals("collected");
        GatewayBuilder strict =
                collected ? builder().contentBytesMax(1000) : builder().limit("bodyBytesMax", 1000);
        try (GatewayFixture running = strict.start()) {
            try (RawClient client = running.connect()) {
                if (what.equals("length")) {
                    client.send(post("other", MUCH_BYTES));
                    sendSlowly(client, "x".repeat(MUCH_BYTES));
                } else {
                    client.send(CHUNKED.replace("next", "other"));
                    sendSlowly(client, ("fff\r\n" + "x".repeat(0xfff) + "\r\n").repeat(40) + "0\r\n\r\n");
                }
                answered(client, 413);
            }
            nobodyIsLeft(running);
            assertThat(running.count(Counter.REQUEST_BODIES_LEFT)).isEqualTo(1);
        }
    }

    /** A large answer is read only when all is sent, whether Sigma has all of it by then or not: its client doesn't stall, as it sends. */
    @ParameterizedTest
    @ValueSource(ints = {60_000, 8 << 20})
    void aLargeAnswerWaitsForTheEndOfTheUpload(int answerBytes) throws IOException {
        GeneratedBody large = GeneratedBody.of(2, answerBytes);
        next = Script.script().respond(Answer.of(200).body(large)).awaitPeerClose();
        try (GatewayFixture running = builder()
                        .runtime("sendBufferBytes", 16 << 10)
                        .timeout("sendStallNanos", LIMIT)
                        .start();
                RawClient client = running.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(post("next", MUCH_BYTES));
            sendSlowly(client, "x".repeat(MUCH_BYTES), LONG_PAUSE);
            RawResponse response = client.deadline(LONG).readResponse();
            assertThat(response.bodySha256()).isEqualTo(large.sha256());
            client.expectCleanClose();
            assertThat(running.faults(Fault.CLIENT_STALLED)).isZero();
        }
    }

    // The connection that goes on

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void behindTheLittleThatIsMissingTheNextRequestComes(Transport transport) throws IOException {
        Needed.transport(transport);
        answersEarly();
        try (GatewayFixture running = builder().transport(transport).start();
                RawClient client = running.connect()) {
            client.send(post("next", 100) + "begin");
            RawResponse response = client.readResponse();
            assertThat(response.bodyText()).isEqualTo("early");
            assertThat(response.header("Connection")).isNull();
            sendSlowly(client, "x".repeat(95));
            assertThat(client.send(GET.formatted("a")).readResponse().bodyText())
                    .isEqualTo("/a");
            // In one write with what is behind it.
            client.send(post("next", 100) + "begin");
            assertThat(client.readResponse().bodyText()).isEqualTo("early");
            client.send("x".repeat(95) + GET.formatted("b") + GET.formatted("c"));
            assertThat(client.readResponse().bodyText()).isEqualTo("/b");
            assertThat(client.readResponse().bodyText()).isEqualTo("/c");
            assertThat(running.count(Counter.REQUEST_BODIES_LEFT)).isEqualTo(2);
            Await.until("counted", () -> running.count(Counter.REQUESTS_IN_FLIGHT) == 0);
            assertThat(running.count(Counter.DOWNSTREAM_BYTES_RECEIVED))
                    .isEqualTo(2 * post("next", 100).length()
                            + 200
                            + 3 * GET.formatted("a").length());
        }
    }

    /** What Sigma answers when it has the head, and what comes in one read with it, byte by byte, or at all. */
    @ParameterizedTest
    @ValueSource(ints = {1, 7, 1000})
    void requestsThatLeadNowhereDoNotCostTheConnection(int pieceBytes) throws IOException {
        try (GatewayFixture narrow = builder().route("/only").start();
                RawClient client = narrow.connect()) {
            for (int i = 0; i < 3; i++) {
                client.sendInPieces(post("nowhere", 20) + "x".repeat(20), pieceBytes);
                RawResponse response = client.readResponse();
                assertThat(response.status()).isEqualTo(404);
                assertThat(response.header("Connection")).isNull();
            }
            assertThat(client.send(GET.formatted("only")).readResponse().bodyText())
                    .isEqualTo("/only");
        }
    }

    /** What isn't the next request behind the body is refused as it would be anywhere. */
    @Test
    void garbageBehindTheRestIsRefused() throws IOException {
        answersEarly();
        try (RawClient client = gateway.connect()) {
            client.send(post("next", 100));
            assertThat(client.readResponse().header("Connection")).isNull();
            client.send("x".repeat(100) + "garbage\r\n\r\n");
            answered(client, 400);
        }
    }

    /** Whether a body comes that its client waited to be asked for, nobody knows. */
    @Test
    void whoWaitedToBeAskedIsToldThatThisWasTheLast() throws IOException {
        answersEarly();
        String expecting = post("next", 5).replace("\r\n\r\n", "\r\nExpect: 100-continue\r\n\r\n");
        try (RawClient client = gateway.connect()) {
            client.send(expecting);
            answered(client, 200);
        }
        // It sends all the same, and reads then.
        try (RawClient client = gateway.connect()) {
            client.send(expecting);
            sendSlowly(client, "hello");
            assertThat(client.readResponse().bodyText()).isEqualTo("early");
        }
    }

    @Test
    void whoSaidCloseIsAnswered() throws IOException {
        answersEarly();
        try (RawClient client = gateway.connect()) {
            client.send(post("next", 100).replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
            sendSlowly(client, "x".repeat(100));
            answered(client, 200);
        }
    }

    /** One that ends its output in the middle has been answered. */
    @Test
    @Tag("plain") // Encrypted connections have no halves.
    void whoEndsInTheMiddleHasItsAnswer() throws IOException {
        answersEarly();
        try (GatewayFixture running = builder().start();
                RawClient client = running.connect()) {
            client.send(post("next", 100) + "begin");
            assertThat(client.readResponse().bodyText()).isEqualTo("early");
            client.halfClose().expectCleanClose();
            nobodyIsLeft(running);
        }
    }

    // Bounds

    /** Nothing of the rest comes: its client is left after as long as a body may pause. */
    @ParameterizedTest
    @ValueSource(ints = {100, MUCH_BYTES})
    void aRestThatDoesNotComeIsNotAwaitedForEver(int bytes) throws IOException {
        answersEarly();
        try (GatewayFixture running = builder()
                        .timeout("bodyIdleNanos", Duration.ofMillis(400))
                        .start();
                RawClient client = running.connect()) {
            client.send(post("next", bytes) + "begin");
            assertThat(client.readResponse().bodyText()).isEqualTo("early");
            client.expectCleanClose();
            nobodyIsLeft(running);
        }
    }

    /** It comes below the rate for bodies: then it may go on for as long as a body may pause, and no longer. */
    @ParameterizedTest
    @ValueSource(ints = {60_000, MUCH_BYTES})
    void aRestThatComesTooSlowlyIsGivenUp(int bytes) throws IOException {
        answersEarly();
        try (GatewayFixture running = builder()
                        .bodyMinRate(10_000_000, Duration.ofMillis(100))
                        .timeout("lingerNanos", LIMIT)
                        .timeout("bodyIdleNanos", Duration.ofMillis(500))
                        .start();
                RawClient client = running.connect()) {
            client.send(post("next", bytes) + "begin");
            assertThat(client.readResponse().bodyText()).isEqualTo("early");
            trickleUntilClosed(running, client);
            assertThat(running.count(Counter.REQUEST_BODIES_CUT)).isEqualTo(1);
        }
    }

    /** It keeps to the rate, and never ends. */
    @ParameterizedTest
    @ValueSource(ints = {60_000_000, 60_000})
    void aRestThatNeverEndsIsGivenUp(int bytes) throws IOException {
        answersEarly();
        try (GatewayFixture running = builder()
                        .bodyMinRate(0, Duration.ofMillis(100))
                        .timeout("bodyDiscardNanos", Duration.ofMillis(500))
                        .start();
                RawClient client = running.connect()) {
            client.send(post("next", bytes) + "begin");
            assertThat(client.readResponse().bodyText()).isEqualTo("early");
            trickleUntilClosed(running, client);
            assertThat(running.count(Counter.REQUEST_BODIES_CUT)).isEqualTo(1);
        }
    }

    /** A body that came too slowly: who goes on sends for a while, and then finds 408. */
    @Test
    void whoWasTooSlowFindsThatOut() throws IOException {
        next = Script.script().readBody().respond(200, "not this");
        try (GatewayFixture running = builder()
                        .bodyMinRate(10_000_000, Duration.ofMillis(100))
                        .timeout("lingerNanos", LIMIT)
                        .start();
                RawClient client = running.connect()) {
            client.send(post("next", MUCH_BYTES));
            sendSlowly(client, "x".repeat(600));
            Await.until("given up", () -> running.faults(Fault.REQUEST_TIMEOUT) == 1);
            sendSlowly(client, "x".repeat(600), LONG_PAUSE);
            answered(client, 408);
        }
    }

    /** And not for ever. */
    @Test
    void whoGoesOnTooSlowlyIsGivenUp() throws IOException {
        next = Script.script().readBody().respond(200, "not this");
        try (GatewayFixture running = builder()
                        .bodyMinRate(10_000_000, Duration.ofMillis(100))
                        .timeout("lingerNanos", LIMIT)
                        .timeout("bodyIdleNanos", Duration.ofMillis(500))
                        .start();
                RawClient client = running.connect()) {
            client.send(post("next", MUCH_BYTES));
            Await.until("asked", () -> running.count(Counter.REQUESTS_IN_FLIGHT) == 1);
            trickleUntilClosed(running, client);
            assertThat(running.faults(Fault.REQUEST_TIMEOUT)).isEqualTo(1);
            assertThat(running.count(Counter.REQUEST_BODIES_CUT)).isEqualTo(1);
        }
    }

    /** Behind what can't be understood nothing is awaited: {@code timeouts.linger} from the answer on, whatever comes. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "POST /attack HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n",
                "POST /attack HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\nContent-Length: 200000\r\n\r\n",
                "POST /attack HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n",
                "POST /a/%00 HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n",
                "POST /attack HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\nExpect: magic\r\n\r\n",
                "garbage\r\n\r\n"
            })
    void whatIsRefusedIsLeftSoon(String attack) throws IOException {
        long begun = System.nanoTime();
        try (GatewayFixture running = builder().start();
                RawClient client = running.connect()) {
            client.send(attack);
            assertThat(client.readResponse().status()).isBetween(400, 417);
            trickleUntilClosed(running, client);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
            assertThat(running.count(Counter.REQUEST_BODIES_LEFT)).isZero();
        }
    }

    // A gateway that stops

    /** What is missing may still come; then the connection has the time for a last request that it would have had. */
    @Test
    void aStopWaitsForTheRest() throws Exception {
        answersEarly();
        try (GatewayFixture running = builder().timeout("drainIdleNanos", LONG).start();
                RawClient client = running.connect()) {
            client.send(post("next", 100) + "begin");
            assertThat(client.readResponse().header("Connection")).isNull();
            Thread stopping = Thread.ofVirtual().start(() -> running.drain(LONG));
            sendSlowly(client, "x".repeat(95));
            RawResponse last = client.send(GET.formatted("last")).readResponse();
            assertThat(last.bodyText()).isEqualTo("/last");
            assertThat(last.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            stopping.join();
        }
    }

    /** Not for longer than it waits for others. */
    @ParameterizedTest
    @ValueSource(ints = {60_000, MUCH_BYTES})
    void aStopDoesNotWaitForEver(int bytes) throws Exception {
        answersEarly();
        try (GatewayFixture running = builder().start();
                RawClient client = running.connect()) {
            client.send(post("next", bytes) + "begin");
            assertThat(client.readResponse().bodyText()).isEqualTo("early");
            long begun = System.nanoTime();
            Thread stopping = Thread.ofVirtual().start(() -> running.drain(Duration.ofMillis(500)));
            trickleUntilClosed(running, client);
            stopping.join();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(8));
        }
    }

    // A node that ends meanwhile

    /** The answer is whole, and its node closes with what was sent unread, which is a reset. */
    @ParameterizedTest
    @ValueSource(ints = {100, MUCH_BYTES})
    void aNodeThatClosesHasAnswered(int bytes) throws IOException {
        next = Script.script().respond(Answer.of(200).body("early")).close();
        byte[] body = new byte[bytes];
        Arrays.fill(body, (byte) 'x');
        try (RawClient client = gateway.connect()) {
            client.send(post("next", bytes) + "begin");
            client.sendInPieces(Arrays.copyOf(body, bytes - 5), Math.ceilDiv(bytes, PIECES), PAUSE);
            assertThat(client.readResponse().bodyText()).isEqualTo("early");
        }
    }
}
