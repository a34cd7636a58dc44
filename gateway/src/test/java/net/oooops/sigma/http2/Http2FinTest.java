package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client's FIN, wherever it finds the connection: none stays that nobody uses. What waits for a client has a minute; these tests don't. */
class Http2FinTest {
    private static final int LARGE_BYTES = 5_000_000;
    private static final int WIDE = 1 << 30;
    private static final Duration LONG = Duration.ofSeconds(30);
    private static final Duration SOON = Duration.ofSeconds(8);

    private final Gate gate = new Gate();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request -> switch (request.target()) {
        case "/late" -> Script.script().stall(gate).respond(200, "late");
        case "/never" -> Script.script().awaitPeerClose();
        case "/large" -> Answer.of(200).body(new byte[LARGE_BYTES]);
        default -> Answer.ok(request.target());
    });
    private final GatewayFixture gateway = GatewayFixture.to(upstream)
            .http2Limit("controlFramesMax", 100)
            .timeout("lingerNanos", Duration.ofMillis(500))
            .start();

    @AfterEach
    void stop() {
        gate.release();
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    private void nobodyIsLeft() {
        Await.until("no connection", SOON, () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
        Await.until("no exchange", SOON, () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }

    private CompletableFuture<Void> drain() {
        return CompletableFuture.runAsync(() -> gateway.drain(LONG), Thread::startVirtualThread);
    }

    private static void assertSoon(CompletableFuture<Void> drained) {
        Await.until("drained", SOON, drained::isDone);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 10, 23, 24, 30})
    void withinThePreface(int bytes) throws IOException {
        try (Http2Client client = Http2Client.unspoken(gateway)) {
            client.raw(Arrays.copyOf(Http2Client.preface(), bytes));
            client.socket().shutdownOutput();
            client.awaitEnd();
            nobodyIsLeft();
        }
    }

    @Test
    void withoutStreams() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            assertThat(client.get(1, "/x").response(1).status()).isEqualTo(200);
            client.socket().shutdownOutput();
            client.awaitEnd();
            nobodyIsLeft();
        }
    }

    @Test
    void withinAHead() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled().frame(Http2Client.HEADERS, Http2Client.END_STREAM, 1, new byte[] {(byte) 0x82});
            client.socket().shutdownOutput();
            client.awaitEnd();
            nobodyIsLeft();
        }
    }

    @Test
    void withinARequest() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled().request(1, false, "POST", "/never").data(1, false, "some");
            upstream.awaitHeads(1);
            client.socket().shutdownOutput();
            client.awaitEnd();
            nobodyIsLeft();
        }
    }

    /** No window is opened any more. */
    @Test
    void behindAnAnswerThatWaitsForAWindow() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 10)) {
            client.settled().get(1, "/large").get(3, "/late").get(5, "/x");
            client.await(Http2Client.DATA);
            client.socket().shutdownOutput();
            gate.release();
            client.awaitEnd();
            nobodyIsLeft();
            assertThat(gateway.faults(Fault.CLIENT_GONE)).isEqualTo(1);
            assertThat(gateway.count(Counter.REQUESTS_2XX)).isEqualTo(2);
        }
    }

    /** Nor is that of the connection, which others may have used up. */
    @Test
    void beforeAnAnswerThatNeedsMoreThanTheWindow() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, WIDE)) {
            client.settled().get(1, "/late");
            upstream.awaitHeads(1);
            client.get(3, "/large");
            client.socket().shutdownOutput();
            gate.release();
            client.awaitEnd();
            nobodyIsLeft();
        }
    }

    /** Who closes sends the same FIN as who reads on. Its node doesn't work for nobody. */
    @Test
    void ofAClientThatHasLeftASilentNode() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled().get(1, "/never").get(3, "/never");
            upstream.awaitHeads(2);
            while (available(client) > 0) {
                client.read();
            }
        }
        nobodyIsLeft();
        assertThat(gateway.faults(Fault.CLIENT_GONE)).isEqualTo(2);
        upstream.awaitClosed(upstream.request(0).connection());
    }

    /** And who reads on is answered, however often it was asked whether it is there. */
    @Test
    void ofAClientThatReadsOn() throws Exception {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled().get(1, "/late");
            upstream.awaitHeads(1);
            client.socket().shutdownOutput();
            for (int asked = 0; asked < 3; asked++) {
                assertThat(client.await(Http2Client.GOAWAY).number(4)).isZero();
            }
            gate.release();
            assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "200");
            client.awaitEnd();
            nobodyIsLeft();
        }
    }

    @Test
    void behindGoaway() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            assertThat(client.get(1, "/x").response(1).status()).isEqualTo(200);
            CompletableFuture<Void> drained = drain();
            client.await(Http2Client.GOAWAY);
            client.socket().shutdownOutput();
            client.awaitEnd();
            assertSoon(drained);
        }
    }

    @Test
    void behindGoawayWithAStream() throws IOException {
        CompletableFuture<Void> drained;
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled().get(1, "/never");
            upstream.awaitHeads(1);
            drained = drain();
            client.await(Http2Client.GOAWAY);
            client.await(Http2Client.GOAWAY);
        }
        assertSoon(drained);
        nobodyIsLeft();
    }

    /** Its last word is said, and it is waited for that the client closes. */
    @Test
    void whileItLingers() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled().data(1, false, "of no stream");
            client.awaitEnd();
            client.socket().shutdownOutput();
            nobodyIsLeft();
        }
    }

    /** Who floods has no claim to a minute in which to take what it was sent. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void ofAFloodThatTakesNothing(boolean fin) throws IOException {
        try (Http2Client client = narrow()) {
            flood(client);
            if (fin) {
                client.socket().shutdownOutput();
            }
            Await.until("a flood", () -> gateway.count(Counter.HTTP2_FLOODS) == 1);
            nobodyIsLeft();
        }
    }

    @Test
    void noDrainWaitsForAFlood() throws IOException {
        try (Http2Client client = narrow()) {
            flood(client);
            Await.until("a flood", () -> gateway.count(Counter.HTTP2_FLOODS) == 1);
            assertSoon(drain());
        }
    }

    /** One whose answers fill all that is between it and the gateway. */
    private Http2Client narrow() throws IOException {
        Http2Client client = Http2Client.connectNarrow(gateway, 4096, Http2Client.INITIAL_WINDOW_SIZE, WIDE);
        client.window(0, WIDE).get(1, "/large").get(3, "/large");
        upstream.awaitHeads(2);
        Await.until("answers come", () -> available(client) > 1000);
        return client;
    }

    private static int available(Http2Client client) {
        try {
            return client.socket().getInputStream().available();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void flood(Http2Client client) throws IOException {
        try {
            // What still leaves of the answers earns some.
            for (int i = 0; i < 20_000 && gateway.count(Counter.HTTP2_FLOODS) == 0; i++) {
                client.ping(i, false);
            }
        } catch (SocketException _) {
            // Closed.
        }
    }

    /** It says what it speaks while the gateway stops: it is told so, and is not waited for. */
    @Test
    void noDrainWaitsForOneThatBeginsMeanwhile() throws IOException {
        try (Http2Client client = Http2Client.unspoken(gateway)) {
            byte[] preface = Http2Client.preface();
            client.raw(Arrays.copyOf(preface, 10));
            Await.until("seen", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 1);
            CompletableFuture<Void> drained = drain();
            Await.until("draining", () -> isRefused(gateway));
            client.raw(Arrays.copyOfRange(preface, 10, preface.length)).settings();
            client.await(Http2Client.GOAWAY);
            client.awaitEnd();
            assertSoon(drained);
        }
    }

    private static boolean isRefused(GatewayFixture gateway) {
        try (Http2Client _ = Http2Client.unspoken(gateway)) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }
}
