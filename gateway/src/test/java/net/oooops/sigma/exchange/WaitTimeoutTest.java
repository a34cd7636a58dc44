package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who waits for a connection to a node is refused once {@code wait-timeout} is over, as long as that is by then: not sooner, and not never. */
class WaitTimeoutTest {
    private static final int BEFORE_MS = 1500;
    /** More than half of it is left when the time of before is over. */
    private static final int LONG_MS = 3500;

    private static final int LONGER_MS = 2200;

    private final Gate gate = new Gate();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(
            request -> Script.script().readBody().stall(gate).respond(Answer.ok("at last")));

    @AfterEach
    void stop() {
        gate.release();
        upstream.close();
    }

    /** One connection is all that there may be. */
    private static String json(String node, int waitMillis) {
        return """
                {
                  "proxy-server": { "http": { "id": "web" } },
                  "proxy-client": { "max-pool-size-per-server": 1, "wait-timeout": "%dms" },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "node" }] }],
                  "proxy-pass": [{ "id": "node", "upstream-id": "node" }],
                  "upstream": [{ "id": "node", "nodes": ["%s"] }]
                }
                """.formatted(waitMillis, node);
    }

    private static long waiting(TextGateway gateway) {
        return gateway.counters().pools().getFirst().waiting();
    }

    /** How long the second of two requests waited until it was refused. */
    private Duration refusedAfter(String node, int thenMillis) throws IOException {
        try (TextGateway gateway = TextGateway.start(json(node, BEFORE_MS));
                RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            // What the first one costs isn't to be waited for later.
            gateway.reload(json(node, BEFORE_MS + 1));
            first.send(Ask.get("/"));
            upstream.awaitHeads(1);
            long beganNanos = System.nanoTime();
            second.send(Ask.get("/"));
            Await.until("one waits", () -> waiting(gateway) == 1);
            gateway.reload(json(node, thenMillis));
            assertThat(second.readResponse().status()).isEqualTo(503);
            Duration after = Duration.ofNanos(System.nanoTime() - beganNanos);
            assertThat(gateway.faults(Fault.POOL_TIMEOUT)).isEqualTo(1);
            Await.until("nobody waits", () -> waiting(gateway) == 0);
            gate.release();
            assertThat(first.readResponse().bodyText()).isEqualTo("at last");
            return after;
        }
    }

    @Test
    void whoHasWaitedForLessThanHalfOfItWaitsForTheRest() throws IOException {
        assertThat(refusedAfter(upstream.url(), LONG_MS)).isGreaterThanOrEqualTo(Duration.ofMillis(LONG_MS));
    }

    @Test
    void whoHasWaitedForMoreThanHalfOfItWaitsForTheRest() throws IOException {
        assertThat(refusedAfter(upstream.url(), LONGER_MS)).isGreaterThanOrEqualTo(Duration.ofMillis(LONGER_MS));
    }

    /** Its deadline is seen in a turn of the event loop that began long before it. */
    @Test
    void whoWaitsForABusyWorkerIsRefusedInTheEndWhereABoundForbidsMore() throws IOException {
        Probe busy = Probe.probe().onRequest(exchange -> {
            if (exchange.request().path().equals("/busy")) {
                PoolWidthTest.keepBusy(Duration.ofMillis(BEFORE_MS + 200));
            }
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 1)
                        .client("waitTimeoutNanos", Duration.ofMillis(BEFORE_MS))
                        .plugins(Probe.LOADER)
                        .route("/*", busy.config())
                        .start();
                RawClient first = gateway.connect();
                RawClient second = gateway.connect();
                RawClient third = gateway.connect()) {
            first.send(Ask.get("/"));
            upstream.awaitHeads(1);
            second.send(Ask.get("/"));
            Await.until("one waits", () -> Ask.pool(gateway).waiting() == 1);
            third.send(Ask.get("/busy"));
            assertThat(second.readResponse().status()).isEqualTo(503);
            assertThat(third.readResponse().status()).isEqualTo(503);
            assertThat(gateway.faults(Fault.POOL_TIMEOUT)).isEqualTo(2);
        }
    }

    @Test
    void whoWaitsForAStreamWaitsForTheRest() throws IOException {
        try (GatewayFixture node =
                GatewayFixture.to(upstream).http2Limit("streamsMax", 1).start()) {
            assertThat(refusedAfter("h2c://127.0.0.1:" + node.port(), LONGER_MS))
                    .isGreaterThanOrEqualTo(Duration.ofMillis(LONGER_MS));
        }
    }
}
