package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.LeakGate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** What nothing but a fault of the gateway's own can throw: it costs one connection, and is seen by who operates it. */
class OwnFaultTest {

    /** A stage that breaks its own contract: nobody expects its methods to throw. */
    private static final class Broken extends CompletableFuture<Outcome> {
        @Override
        public CompletableFuture<Outcome> whenComplete(BiConsumer<? super Outcome, ? super Throwable> action) {
            throw new IllegalStateException("can't be");
        }
    }

    @Test
    void anErrorOnTheEventLoopIsCountedAndCostsOneConnection() throws IOException {
        Probe broken = probe().onRequest(exchange ->
                exchange.request().path().equals("/broken") ? Outcome.suspend(new Broken()) : Outcome.CONTINUE);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", broken.config())
                        .start();
                RawClient other = gateway.connect();
                RawClient client = gateway.connect()) {
            client.send("GET /broken HTTP/1.1\r\nHost: a\r\n\r\n").expectClosed();
            assertThat(gateway.faults(Fault.INTERNAL)).isEqualTo(1);
            assertThat(other.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .bodyText())
                    .isEqualTo("ok");
            Await.until(
                    "nothing left of it",
                    () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0
                            && gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 1);
        }
    }

    /** It is read when the one before is answered, by what that one's node sent. */
    @Test
    void anErrorOfAPipelinedRequestIsNotTheOneBefores() throws IOException {
        AtomicInteger ended = new AtomicInteger();
        Probe broken = probe().onRequest(exchange ->
                        exchange.request().path().equals("/broken") ? Outcome.suspend(new Broken()) : Outcome.CONTINUE)
                .onEnd(_ -> ended.incrementAndGet());
        Gate gate = new Gate();
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(_ -> Script.script().stall(gate).respond(Answer.ok("ok")));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", broken.config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/first") + Ask.get("/broken"));
            upstream.awaitRequests(1);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("ok");
            client.expectClosed();
            Await.until("both are over", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0 && ended.get() == 2);
            assertThat(gateway.faults(Fault.INTERNAL)).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
            try (RawClient other = gateway.connect()) {
                assertThat(other.send(Ask.get("/other")).readResponse().bodyText())
                        .isEqualTo("ok");
            }
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED))
                    .as("the node's connection is used again")
                    .isEqualTo(1);
        }
    }

    /** No connection hears of what is thrown when a source says that there is more. */
    @Test
    void anErrorInATurnOfASourceEndsItsRequest() throws IOException {
        CompletableFuture<Void> end = new CompletableFuture<>();
        GivenSource source = GivenSource.of(out -> {
            if (!end.isDone()) {
                return BodySource.Next.LATER;
            }
            GivenSource.write(out, "end");
            return BodySource.Next.END;
        });
        Probe broken = probe().onRequest(_ -> source.outcome())
                .wholeResponse(5000)
                .onResponse(_ -> Outcome.suspend(new Broken()));
        try (GatewayFixture gateway = Way.in(broken).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            Await.until("its source is asked", () -> source.asked.get() == 1);
            end.complete(null);
            source.more();
            assertEnded(gateway, client);
            source.closed();
        }
    }

    /** Nor of what is thrown when a plugin has come to an outcome. */
    @Test
    void anErrorBehindAPluginThatWasAwaitedEndsItsRequest() throws IOException {
        CompletableFuture<Outcome> held = new CompletableFuture<>();
        Probe broken = probe().onRequest(_ -> Outcome.suspend(held)).onResponse(_ -> Outcome.suspend(new Broken()));
        try (GatewayFixture gateway = Way.in(broken).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            Await.until("it is under way", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 1);
            held.complete(Outcome.respond(Response.text(200, "fine")));
            assertEnded(gateway, client);
        }
    }

    /** Nor of what is thrown at a deadline. */
    @Test
    void anErrorBehindAPluginThatIsLateEndsItsRequest() throws IOException {
        Probe late = probe().onRequest(_ -> Outcome.suspend(new CompletableFuture<>()));
        Probe broken = probe().onRequest(_ -> Outcome.suspend(new Broken()));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .timeout("pluginNanos", Duration.ofMillis(300))
                        .route("/*", late.shadow(), broken.config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            assertEnded(gateway, client);
            // What ended it is not that it was late once more.
            Ask.faults(gateway, Fault.PLUGIN_FAILED, 0);
        }
    }

    private static Probe brokenAtResponses() {
        return probe().onResponse(_ -> Outcome.suspend(new Broken()));
    }

    private static GatewayBuilder before(ScriptedUpstream upstream, Probe plugin) {
        return GatewayFixture.to(upstream)
                .plugins(Probe.LOADER)
                .withoutRetries()
                .route("/*", plugin.config());
    }

    /** The node's connection has nothing more for the exchange by then, and would end nothing but itself. */
    @Test
    void anErrorBehindTheEndOfAnAnswerEndsItsRequest() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("ok"));
                GatewayFixture gateway = before(upstream, brokenAtResponses().wholeResponse(5000))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            assertEnded(gateway, client);
        }
    }

    @Test
    void anErrorBehindTheEndOfANodesConnectionEndsItsRequest() throws IOException {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(_ -> Script.script().close());
                GatewayFixture gateway = before(upstream, brokenAtResponses()).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            assertEnded(gateway, client);
        }
    }

    @Test
    void anErrorBehindANodeThatIsLateEndsItsRequest() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = before(upstream, brokenAtResponses())
                        .proxyPass("responseTimeoutNanos", Duration.ofMillis(300))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            assertEnded(gateway, client);
        }
    }

    @Test
    void anErrorBehindAClientThatIsLateEndsItsRequest() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = before(upstream, brokenAtResponses())
                        .timeout("bodyIdleNanos", Duration.ofMillis(300))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", 5));
            assertEnded(gateway, client);
        }
    }

    private static void assertEnded(GatewayFixture gateway, RawClient client) throws IOException {
        assertThat(client.readResponse().status()).isEqualTo(500);
        assertThat(gateway.faults(Fault.INTERNAL)).isEqualTo(1);
        Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
    }

    /** What was taken off the queue belongs to nobody else: the leak gate would find it. */
    @Test
    void anErrorWhileQueuedPartsOfARequestAreWrittenLeaksNone() throws Exception {
        CompletableFuture<Outcome> held = new CompletableFuture<>();
        CountDownLatch shown = new CountDownLatch(1);
        Probe broken = probe().onRequest(exchange -> Outcome.suspend(held))
                .onRequestChunk((exchange, chunk) -> {
                    shown.countDown();
                    throw new IllegalStateException("chunk");
                })
                .onResponse(exchange -> Outcome.suspend(new Broken()));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", broken.config())
                        .start()) {
            try (RawClient client = gateway.connect()) {
                client.send("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabcde");
                Await.until("the body waits", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 1);
                held.complete(Outcome.CONTINUE);
                assertThat(shown.await(10, TimeUnit.SECONDS)).isTrue();
                client.reset();
            }
            Await.until("nothing left of it", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
        }
        LeakGate.verifyNoLeaks();
    }
}
