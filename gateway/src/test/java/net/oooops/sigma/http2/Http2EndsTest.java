package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.http2.Http2Client.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How connections and streams end before they are done, by either side. */
class Http2EndsTest {
    private static final Answer LARGE = Answer.of(200).body(new byte[300_000]);

    private final Gate gate = new Gate();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request -> switch (request.target()) {
        case "/late" -> Script.script().stall(gate).respond(200, "late");
        case "/never" -> Script.script().awaitPeerClose();
        case "/large" -> LARGE;
        case "/half" -> Script.script().sendCut(LARGE, 100_000).awaitPeerClose();
        default -> Script.script().readBody().respond(Answer.ok(request.target()));
    });
    private final GatewayFixture gateway = GatewayFixture.to(upstream).start();

    @AfterEach
    void stop() {
        gate.release();
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    private void awaitNoExchange() {
        Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }

    private void awaitNoConnection() {
        Await.until("no connection", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
    }

    /** Who has said all gets all answers. */
    @Test
    void aClientMayEndItsOutputBehindItsRequests() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled().get(1, "/late").get(3, "/late").request(5, false, "POST", "/late");
            client.data(5, true, "all of it");
            client.socket().shutdownOutput();
            upstream.awaitHeads(3);
            gate.release();
            Set<Integer> ended = new HashSet<>();
            for (Frame frame = client.read(); frame != null; frame = client.read()) {
                if (frame.type() == Http2Client.HEADERS) {
                    assertThat(client.fields(frame)).containsEntry(":status", "200");
                }
                if (frame.type() == Http2Client.DATA && frame.has(Http2Client.END_STREAM)) {
                    ended.add(frame.stream());
                }
            }
            assertThat(ended).containsExactlyInAnyOrder(1, 3, 5);
        }
        awaitNoConnection();
    }

    /** A request that came too late ends none of those that came in time, whatever follows of it. */
    @Test
    void requestsBehindTheLastOneLeaveTheOthersAlone() throws Exception {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.get(1, "/late");
            upstream.awaitHeads(1);
            Thread draining = Thread.ofVirtual().start(() -> gateway.drain(Duration.ofSeconds(20)));
            client.await(Http2Client.GOAWAY);
            // The ping is left unanswered.
            assertThat(client.await(Http2Client.GOAWAY).number(0)).isEqualTo(1);
            client.request(3, false, "POST", "/x").data(3, false, "abc").window(3, 10);
            client.data(3, true, "def").reset(3, Http2Error.CANCEL.code());
            gate.release();
            assertThat(client.response(1).text()).isEqualTo("late");
            client.awaitEnd();
            draining.join();
        }
    }

    /** What isn't complete then never will be. */
    @Test
    void requestsThatAreNotCompleteEndWithTheOutput() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled()
                    .request(1, false, "POST", "/never")
                    .data(1, false, "some")
                    .get(3, "/late");
            upstream.awaitHeads(2);
            client.socket().shutdownOutput();
            Await.until("one given up", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 1);
            gate.release();
            Frame head = client.await(Http2Client.HEADERS);
            assertThat(head.stream()).isEqualTo(3);
            assertThat(client.fields(head)).containsEntry(":status", "200");
            client.awaitEnd();
        }
        awaitNoConnection();
        assertThat(upstream.requests()).noneMatch(seen -> seen.target().equals("/never") && seen.complete());
    }

    @Test
    void aClientThatOnlyConnectsAndEnds() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.socket().shutdownOutput();
            client.awaitEnd();
        }
        awaitNoConnection();
    }

    /** Each request is given up, and its node's connection with it. */
    @Test
    void aClientThatGoesAwayInTheMiddle() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.settled().get(1, "/never").get(3, "/half").request(5, false, "POST", "/never");
            client.data(5, false, "some").frame(Http2Client.HEADERS, 0, 7, new byte[] {(byte) 0x82});
            upstream.awaitHeads(3);
            client.socket().setSoLinger(true, 0);
        }
        awaitNoConnection();
        awaitNoExchange();
        for (int i = 0; i < 3; i++) {
            upstream.awaitClosed(upstream.request(i).connection());
        }
        assertThat(gateway.faults(Fault.CLIENT_GONE)).isEqualTo(3);
    }

    /** What waits of it is thrown away, and its turn with it. */
    @Test
    void aClientResetsWhatWaitsForItsWindow() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 0)) {
            for (int stream = 1; stream < 40; stream += 2) {
                client.get(stream, "/large");
                client.fields(client.await(Http2Client.HEADERS));
                client.reset(stream, Http2Error.CANCEL.code());
            }
            awaitNoExchange();
            client.get(41, "/after").window(41, 100);
            assertThat(client.response(41).text()).isEqualTo("/after");
        }
    }

    /** The answer is complete at the gateway, and its node's connection given back; its end still waits. */
    @Test
    void aClientResetsWhatOnlyHasToBeSent() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 3)) {
            client.get(1, "/short");
            client.fields(client.await(Http2Client.HEADERS));
            assertThat(client.await(Http2Client.DATA).payload()).hasSize(3);
            Await.until(
                    "left by its node",
                    () -> gateway.counters().pools().getFirst().idle() == 1);
            client.reset(1, Http2Error.CANCEL.code());
            awaitNoExchange();
            client.window(0, 100).window(1, 100);
            client.get(3, "/ok").window(3, 100);
            assertThat(client.response(3).text()).isEqualTo("/ok");
        }
    }

    /** Begun or not, each client can tell. */
    @Test
    void theGatewayIsStoppedWhileStreamsRun() throws IOException, InterruptedException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.get(1, "/half");
            client.fields(client.await(Http2Client.HEADERS));
            client.get(3, "/late");
            upstream.awaitHeads(2);
            Thread stopping = Thread.ofVirtual().start(gateway::close);
            int status = 0;
            int reset = -1;
            boolean said = false;
            for (Frame frame = client.read(); frame != null; frame = client.read()) {
                if (frame.type() == Http2Client.HEADERS && frame.stream() == 3) {
                    status = Integer.parseInt(client.fields(frame).get(":status"));
                } else if (frame.type() == Http2Client.RST_STREAM && frame.stream() == 1) {
                    reset = frame.number(0);
                }
                said |= frame.type() == Http2Client.GOAWAY;
                assertThat(frame.stream() == 1 && frame.type() == 0 && frame.has(Http2Client.END_STREAM))
                        .as("an end that is none")
                        .isFalse();
            }
            assertThat(status).isEqualTo(503);
            assertThat(reset).as("reset of what had begun").isPositive();
            assertThat(said).isTrue();
            stopping.join();
        }
    }

    /** A node's response that is longer than the connection lasts isn't ended cleanly. */
    @Test
    void aNodeThatBreaksOffBehindAClosedWindow() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.get(1, "/half");
            client.fields(client.await(Http2Client.HEADERS));
            int seen = 0;
            while (seen < 65_535) {
                seen += client.await(Http2Client.DATA).payload().length;
            }
            upstream.resetConnections();
            Await.until("noticed", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
            Frame reset = client.await(Http2Client.RST_STREAM);
            assertThat(reset.number(0)).isEqualTo(Http2Error.INTERNAL_ERROR.code());
            client.window(0, 1 << 20);
            Response other = client.get(3, "/other").response(3);
            assertThat(other.text()).isEqualTo("/other");
        }
    }
}
