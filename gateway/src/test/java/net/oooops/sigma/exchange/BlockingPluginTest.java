package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Semaphore;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plugins that block do so on virtual threads, and nobody else waits for them. */
class BlockingPluginTest {
    private static final int MANY = 1000;
    private static final long SLOWER_NANOS_MAX = 50_000_000;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itRunsOnAVirtualThreadAndTheExchangeGoesOn(boolean inResponse) throws IOException {
        Queue<Boolean> virtual = new ConcurrentLinkedQueue<>();
        Semaphore turns = new Semaphore(0);
        Probe.Step step = exchange -> {
            virtual.add(Thread.currentThread().isVirtual());
            turns.acquire();
            return exchange.request().path().equals("/stop")
                    ? Outcome.respond(Response.text(403, "stopped"))
                    : Outcome.CONTINUE;
        };
        Probe blocks =
                inResponse ? Probe.probe().onResponse(step) : Probe.probe().onRequest(step);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = start(upstream, blocks.blocking());
                RawClient client = gateway.connect()) {
            for (String[] asked : new String[][] {
                {Ask.post("/", "body"), "body"}, {Ask.get("/stop"), "stopped"}, {Ask.post("/", "more"), "more"}
            }) {
                client.send(asked[0]);
                Await.until("the plugin waits", turns::hasQueuedThreads);
                turns.release();
                assertThat(client.readResponse().bodyText()).isEqualTo(asked[1]);
            }
            assertThat(virtual).containsExactly(true, true, true);
            Ask.count(gateway, Counter.BLOCKING_CALLS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aThousandRunAtTheSameTimeOnOneWorker() throws Exception {
        Gate gate = new Gate();
        Probe blocks = Probe.probe()
                .onRequest(exchange -> {
                    gate.pass();
                    return Outcome.CONTINUE;
                })
                .blocking();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withRequestsKept(0), request -> Answer.ok("hello"));
                GatewayFixture gateway = start(upstream, blocks);
                Crowd crowd = Crowd.of(gateway, MANY);
                RawClient plain = gateway.connect()) {
            latency(plain);
            long alone = latency(plain);
            crowd.send(Ask.get("/blocking"));
            Await.value("plugins that wait (expected: " + MANY + ")", Crowd.PATIENCE, gate::waiting, n -> n == MANY);

            assertThat(latency(plain))
                    .as("median in ns, " + alone + " with nobody else")
                    .isLessThan(10 * alone + SLOWER_NANOS_MAX);
            assertThat(gateway.count(Counter.BLOCKING_CALLS_IN_FLIGHT)).isEqualTo(MANY);
            assertThat(gate.waiting()).isEqualTo(MANY);
            gate.release();
            assertThat(crowd.statuses()).hasSize(MANY).containsOnly(200);
        }
    }

    @Test
    void beyondTheLimitIs503() throws Exception {
        Gate gate = new Gate();
        Probe blocks = Probe.probe()
                .onRequest(exchange -> {
                    gate.pass();
                    return Outcome.CONTINUE;
                })
                .blocking();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/blocking", blocks.config())
                        .limit("blockingCallsMax", 2)
                        .start();
                Crowd crowd = Crowd.of(gateway, 2);
                RawClient third = gateway.connect()) {
            crowd.send(Ask.get("/blocking"));
            Ask.count(gateway, Counter.BLOCKING_CALLS_IN_FLIGHT, 2);
            RawResponse refused = third.send(Ask.get("/blocking")).readResponse();

            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).isEqualTo("1");
            assertThat(gateway.faults(Fault.OVERLOADED)).isEqualTo(1);
            assertThat(gateway.count(Counter.BLOCKING_CALLS_REJECTED)).isEqualTo(1);
            gate.release();
            assertThat(crowd.statuses()).containsOnly(200);
            assertThat(third.send(Ask.get("/blocking")).readResponse().status()).isEqualTo(200);
        }
    }

    @Test
    void whatABlockedPluginHoldsIsItsOwnThoughTheClientIsGone() throws Exception {
        Gate gate = new Gate();
        Queue<String> bodies = new ConcurrentLinkedQueue<>();
        Probe blocks = Probe.probe()
                .wholeRequest(100_000)
                .onRequest(exchange -> {
                    var body = exchange.requestBody();
                    if (exchange.request().path().equals("/gone")) {
                        gate.pass();
                        bodies.add(PluginFlowTest.text(body.duplicate()));
                        assertThatIllegalStateException().isThrownBy(exchange::requestBody);
                        bodies.add("nothing more");
                    }
                    return Outcome.CONTINUE;
                })
                .blocking();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", blocks.config())
                        .start()) {
            String secret = "secret".repeat(5000);
            RawClient gone = gateway.connect();
            gone.send(Ask.post("/gone", secret));
            Await.value("plugins that wait", gate::waiting, n -> n == 1);
            gone.reset();
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            try (RawClient other = gateway.connect()) {
                for (int i = 0; i < 50; i++) {
                    String text = ("other" + i).repeat(4000);
                    assertThat(other.send(Ask.post("/other", text))
                                    .readResponse()
                                    .bodyText())
                            .isEqualTo(text);
                }
                gate.release();
                Await.value("bodies", bodies::size, n -> n == 2);
                assertThat(bodies).containsExactly(secret, "nothing more");
                assertThat(other.send(Ask.post("/other", "last")).readResponse().bodyText())
                        .isEqualTo("last");
            }
            Ask.count(gateway, Counter.BLOCKING_CALLS_IN_FLIGHT, 0);
            Ask.quiet(gateway);
        }
    }

    @Test
    void aPluginThatBlocksForTooLongIs500() throws IOException {
        Gate gate = new Gate();
        Probe blocks = Probe.probe()
                .onRequest(exchange -> {
                    gate.pass();
                    return Outcome.respond(Response.text(200, "late"));
                })
                .blocking();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .timeout("pluginNanos", Duration.ofMillis(300))
                        .route("/blocking", blocks.config())
                        .route("/plain")
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/blocking")).readResponse().status())
                    .isEqualTo(500);
            assertThat(client.send(Ask.get("/plain")).readResponse().bodyText()).isEqualTo("hello");
            gate.release();
            Ask.count(gateway, Counter.BLOCKING_CALLS_IN_FLIGHT, 0);
            assertThat(client.send(Ask.get("/plain")).readResponse().bodyText()).isEqualTo("hello");
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
        }
    }

    /** The median of plain requests, in nanoseconds: what else runs on this machine moves single ones. */
    private static long latency(RawClient client) throws IOException {
        int requests = 300;
        long[] nanos = new long[requests];
        for (int i = 0; i < requests; i++) {
            long from = System.nanoTime();
            assertThat(client.send(Ask.get("/plain")).readResponse().bodyText()).isEqualTo("hello");
            nanos[i] = System.nanoTime() - from;
        }
        Arrays.sort(nanos);
        return nanos[requests / 2];
    }

    private static GatewayFixture start(ScriptedUpstream upstream, Probe blocking) {
        return GatewayFixture.to(upstream)
                .plugins(Probe.LOADER)
                .route("/plain")
                .route("/*", blocking.config())
                .start();
    }
}
