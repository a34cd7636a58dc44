package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A gateway that is told to stop ends what it has begun, in the time it is given. */
class DrainTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int TRIES = 100;

    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void idleConnectionsClose(int workers) throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = quick(upstream).workers(workers).start();
                RawClient used = gateway.connect();
                RawClient unused = gateway.connect()) {
            used.send(Ask.get("/")).readResponse();
            Ask.count(gateway, Counter.DOWNSTREAM_CONNECTIONS_OPEN, 2);
            CompletableFuture<Long> stopped = stop(gateway, LONG);

            used.expectCleanClose();
            unused.expectCleanClose();
            assertThat(stopped.get()).isZero();
            upstream.awaitAllClosed();
        }
    }

    /** The client may have sent it before it could know; the connection may be one that has had none before. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRequestThatWasOnItsWayIsAnswered(boolean used) throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway =
                        quick(upstream).timeout("drainIdleNanos", LONG).start();
                RawClient client = gateway.connect()) {
            int port = gateway.port();
            if (used) {
                client.send(Ask.get("/")).readResponse();
            }
            Ask.count(gateway, Counter.DOWNSTREAM_CONNECTIONS_OPEN, 1);
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            Await.until("connections refused", () -> isRefused(port));

            awaitLast(client);
            assertThat(stopped.get()).isZero();
        }
    }

    /** The Workers hear of it a moment later. */
    private static void awaitLast(RawClient client) throws IOException {
        RawResponse response = client.send(Ask.get("/")).readResponse();
        for (int i = 0; i < TRIES && !isLast(response); i++) {
            response = client.send(Ask.get("/")).readResponse();
        }
        assertThat(isLast(response)).isTrue();
        client.expectCleanClose();
    }

    private static boolean isLast(RawResponse response) {
        assertThat(response.bodyText()).isEqualTo("hello");
        return "close".equals(response.header("Connection"));
    }

    @Test
    void whatIsUnderWayIsAnsweredAndNothingElseIsAccepted() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        request -> Script.script().stall(gate).respond(Answer.ok("hello")));
                GatewayFixture gateway = quick(upstream).start();
                RawClient idle = gateway.connect();
                RawClient client = gateway.connect()) {
            int port = gateway.port();
            client.send(Ask.get("/"));
            upstream.awaitRequests(1);
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            idle.expectCleanClose();

            Await.until("connections refused", () -> isRefused(port));
            assertThat(stopped).isNotDone();
            gate.release();
            RawResponse response = client.readResponse();
            assertThat(response.bodyText()).isEqualTo("hello");
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    @Test
    void aResponseThatHadBegunComesToItsEnd() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readRequest()
                        .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
                        .stall(gate)
                        .send("0\r\n\r\n"));
                GatewayFixture gateway = quick(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readHead();
            client.readBody(5);
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            gate.release();

            assertThat(client.readRest().bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            client.expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    /** Its head had left, and didn't say that the connection ends: the client goes on with it, or has already. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aRequestBehindAResponseThatHadBegunIsAnswered(boolean pipelined) throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.startOnHead(request -> request.target().equals("/slow")
                                ? Script.script()
                                        .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
                                        .stall(gate)
                                        .send("hello")
                                : Script.script().respond(Answer.ok("hello")));
                GatewayFixture gateway =
                        quick(upstream).timeout("drainIdleNanos", LONG).start();
                RawClient other = gateway.connect();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/slow") + (pipelined ? Ask.get("/") : ""));
            assertThat(client.readHead().header("Connection")).isNull();
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            awaitLast(other);
            gate.release();

            assertThat(client.readRest().bodyText()).isEqualTo("hello");
            RawResponse last = (pipelined ? client : client.send(Ask.get("/"))).readResponse();
            assertThat(isLast(last)).isTrue();
            client.expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    /** It is long enough to wait for its client, which doesn't read it. */
    @Test
    void aRequestBehindAResponseThatIsNotReadYetIsAnswered() throws Exception {
        String large = "a".repeat(1_000_000);
        Probe answers = Probe.probe().onRequest(_ -> Outcome.respond(Response.text(200, large)));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = quick(upstream)
                        .timeout("drainIdleNanos", LONG)
                        .runtime("sendBufferBytes", 10_000)
                        .plugins(Probe.LOADER)
                        .route("/large", answers.config())
                        .route("/*")
                        .start();
                RawClient other = gateway.connect();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(10_000))) {
            client.send(Ask.get("/large"));
            Ask.count(gateway, Counter.REQUESTS_2XX, 1);
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            awaitLast(other);

            assertThat(client.readResponse().bodyText()).isEqualTo(large);
            assertThat(isLast(client.send(Ask.get("/")).readResponse())).isTrue();
            client.expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    @Test
    void aRequestThatIsBeingSentIsTaken() throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = quick(upstream).start();
                RawClient idle = gateway.connect();
                RawClient inHead = gateway.connect();
                RawClient inBody = gateway.connect()) {
            inHead.send("GET / HTTP/1.1\r\nHo");
            inBody.send(Ask.postHead("/", 5) + "he");
            upstream.awaitHeads(1);
            Ask.count(gateway, Counter.DOWNSTREAM_CONNECTIONS_OPEN, 3);
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            idle.expectCleanClose();

            RawResponse ofHead = inHead.send("st: a\r\n\r\n").readResponse();
            assertThat(ofHead.status()).isEqualTo(200);
            assertThat(ofHead.header("Connection")).isEqualTo("close");
            RawResponse ofBody = inBody.send("llo").readResponse();
            assertThat(ofBody.bodyText()).isEqualTo("hello");
            assertThat(ofBody.header("Connection")).isEqualTo("close");
            assertThat(stopped.get()).isZero();
        }
    }

    @Test
    void whatDoesNotEndInTimeIsCut() throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = quick(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            upstream.awaitRequests(1);
            long from = System.nanoTime();
            CompletableFuture<Long> stopped = stop(gateway, Duration.ofMillis(500));

            assertThat(stopped.get()).isEqualTo(1);
            assertThat(System.nanoTime() - from).isGreaterThanOrEqualTo(500_000_000L);
            RawResponse cut = client.readResponse();
            assertThat(cut.status()).isEqualTo(503);
            assertThat(cut.bodyText()).isEqualTo(Fault.REQUEST_CUT.text() + "\n");
            assertThat(cut.header("Connection")).isEqualTo("close");
            client.expectClosed();
            upstream.awaitAllClosed();
            assertThat(gateway.faults(Fault.REQUEST_CUT)).isEqualTo(1);
            assertThat(gateway.faults(Fault.CLIENT_GONE)).isZero();
        }
    }

    @Test
    void aBlockedPluginIsWaitedForToo() throws Exception {
        Gate gate = new Gate();
        Probe blocks = Probe.probe()
                .onRequest(exchange -> {
                    gate.pass();
                    return Outcome.CONTINUE;
                })
                .blocking();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = quick(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", blocks.config())
                        .start();
                RawClient idle = gateway.connect();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            Ask.count(gateway, Counter.BLOCKING_CALLS_IN_FLIGHT, 1);
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            idle.expectCleanClose();
            gate.release();

            assertThat(client.readResponse().bodyText()).isEqualTo("hello");
            assertThat(stopped.get()).isZero();
        }
    }

    private static boolean isRefused(int port) {
        try (RawClient client = RawClient.connect(port)) {
            return client.socket().isClosed();
        } catch (IOException _) {
            return true;
        }
    }

    private static GatewayBuilder quick(ScriptedUpstream upstream) {
        return GatewayFixture.to(upstream).timeout("lingerNanos", Duration.ofMillis(100));
    }

    private static CompletableFuture<Long> stop(GatewayFixture gateway, Duration drain) {
        CompletableFuture<Long> left = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> {
            try {
                left.complete(gateway.gateway().stop(drain));
            } catch (RuntimeException e) {
                left.completeExceptionally(e);
            }
        });
        return left;
    }
}
