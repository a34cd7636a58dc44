package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.NodePool;
import org.junit.jupiter.api.Test;

/** With the defaults nobody has to say how many connections to a node there may be. */
class PoolWidthTest {
    /** More than a pool begins with, several times over. */
    private static final int CLIENTS = 400;

    private static final int READERS = 150;

    /** More than a pool opens in a turn of the event loop, with a few that others do. */
    private static final int IN_A_TURN = 280;

    private static final long BUSY_NANOS = 5_000_000;

    private static GatewayFixture gateway(ScriptedUpstream upstream) {
        return gateway(upstream, ClientConfig.DEFAULT.maxWaitQueue());
    }

    private static GatewayFixture gateway(ScriptedUpstream upstream, int waitersMax) {
        return GatewayFixture.to(upstream)
                .client("maxPoolSizePerServer", ClientConfig.DEFAULT.maxPoolSizePerServer())
                .client("maxWaitQueue", waitersMax)
                .start();
    }

    private static void close(List<RawClient> clients) {
        clients.forEach(RawClient::close);
    }

    @Test
    void aSlowNodeGetsAsManyConnectionsAsThereAreRequests() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(slow(gate));
                GatewayFixture gateway = gateway(upstream)) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(gateway.connect());
                clients.getLast().send(Ask.get("/"));
            }
            // None of them is answered before the last one is here.
            upstream.awaitRequests(CLIENTS);
            gate.release();
            for (RawClient client : clients) {
                assertThat(client.readResponse().status()).isEqualTo(200);
            }
            close(clients);
        }
    }

    private static Script[] slow(Gate gate) {
        Script[] scripts = new Script[CLIENTS];
        for (int i = 0; i < CLIENTS; i++) {
            scripts[i] = Script.script().readRequest().stall(gate).respond(Answer.ok("slow"));
        }
        return scripts;
    }

    @Test
    void slowUploadsLeaveConnectionsToOthers() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("fine"));
                GatewayFixture gateway = gateway(upstream)) {
            List<RawClient> slow = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                slow.add(gateway.connect());
                slow.getLast().send("POST /slow HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\nbegun");
            }
            upstream.awaitConnections(CLIENTS);
            try (RawClient honest = gateway.connect()) {
                for (int i = 0; i < 10; i++) {
                    assertThat(honest.send(Ask.get("/")).readResponse().bodyText())
                            .isEqualTo("fine");
                }
            }
            close(slow);
        }
    }

    @Test
    void slowReadersLeaveConnectionsToOthers() throws IOException {
        GeneratedBody large = GeneratedBody.of(1, 4 << 20);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request ->
                        request.target().equals("/slow") ? Answer.of(200).body(large) : Answer.ok("fine"));
                GatewayFixture gateway = gateway(upstream)) {
            List<RawClient> slow = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                slow.add(gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8 << 10)));
                slow.getLast().send(Ask.get("/slow"));
                slow.getLast().readHead();
            }
            try (RawClient honest = gateway.connect()) {
                for (int i = 0; i < 10; i++) {
                    assertThat(honest.send(Ask.get("/")).readResponse().bodyText())
                            .isEqualTo("fine");
                }
            }
            close(slow);
        }
    }

    /** Nobody may wait here, so whoever would have to is refused. */
    @Test
    void downloadsLeaveConnectionsToOthers() throws IOException {
        Gate gate = new Gate();
        Script[] scripts = new Script[READERS + 1];
        for (int i = 0; i < READERS; i++) {
            scripts[i] = Script.script()
                    .readRequest()
                    .send("HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\nhalf")
                    .stall(gate)
                    .send("half");
        }
        scripts[READERS] =
                Script.script().readRequest().respond(Answer.ok("fine")).repeat();
        try (ScriptedUpstream upstream = ScriptedUpstream.play(scripts);
                GatewayFixture gateway = gateway(upstream, 0)) {
            List<RawClient> downloads = new ArrayList<>();
            for (int i = 0; i < READERS; i++) {
                downloads.add(gateway.connect());
                assertThat(downloads.getLast().send(Ask.get("/")).readHead().status())
                        .isEqualTo(200);
            }
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("fine");
            }
            gate.release();
            for (RawClient download : downloads) {
                assertThat(download.readRest().bodyText()).isEqualTo("halfhalf");
            }
            close(downloads);
        }
    }

    /** Nobody may wait here either. */
    @Test
    void longPollsLeaveConnectionsToOthers() throws IOException {
        Gate gate = new Gate();
        Script later = Script.script().stall(gate).respond(Answer.ok("at last"));
        Script atOnce = Script.script().respond(Answer.ok("fine"));
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> request.target().equals("/poll") ? later : atOnce);
                GatewayFixture gateway = gateway(upstream, 0)) {
            List<RawClient> polls = new ArrayList<>();
            for (int i = 0; i < NodePool.WIDTH_MIN; i++) {
                polls.add(gateway.connect());
                polls.getLast().send(Ask.get("/poll"));
            }
            upstream.awaitRequests(NodePool.WIDTH_MIN);
            Await.until("their answers are awaited for long", () -> isAnswered(gateway));
            gate.release();
            for (RawClient poll : polls) {
                assertThat(poll.readResponse().bodyText()).isEqualTo("at last");
            }
            close(polls);
        }
    }

    private static boolean isAnswered(GatewayFixture gateway) {
        try (RawClient client = gateway.connect()) {
            return client.send(Ask.get("/")).readResponse().status() == 200;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A Worker that is busy for longer than they may wait hasn't looked whether more connections would do good. */
    @Test
    void whoWaitsForABusyWorkerIsNotRefused() throws IOException {
        Gate first = new Gate();
        Gate gate = new Gate();
        Probe busy = Probe.probe().onRequest(exchange -> keepBusy(exchange, first));
        try (ScriptedUpstream upstream = ScriptedUpstream.play(slow(gate));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", ClientConfig.DEFAULT.maxPoolSizePerServer())
                        .client("maxWaitQueue", ClientConfig.DEFAULT.maxWaitQueue())
                        .client("waitTimeoutNanos", BUSY_NANOS * CLIENTS / 2)
                        .plugins(Probe.LOADER)
                        .route("/*", busy.config())
                        .start()) {
            List<RawClient> clients = new ArrayList<>();
            clients.add(gateway.connect());
            clients.getFirst().send(Ask.get("/first"));
            Await.until("the Worker is busy", () -> first.waiting() == 1);
            for (int i = 1; i < CLIENTS; i++) {
                clients.add(gateway.connect());
                clients.getLast().send(Ask.get("/"));
            }
            first.release();
            upstream.awaitRequests(CLIENTS);
            gate.release();
            for (RawClient client : clients) {
                assertThat(client.readResponse().status()).isEqualTo(200);
            }
            close(clients);
        }
    }

    /** All have waited for too long when the Worker comes to something else again, and no bound forbids them connections any more. */
    @Test
    void whoWaitsForABusyWorkerIsServedInTurns() throws IOException {
        int clients = 1200;
        Duration wait = Duration.ofSeconds(6);
        int connections = 2 * clients;
        Gate gate = new Gate();
        OpenedInTurns opened = new OpenedInTurns();
        AtomicReference<Bound> bound = new AtomicReference<>();
        Probe stall = Probe.probe().onRequest(exchange -> {
            if (exchange.request().path().equals("/last")) {
                opened.countAfter(() -> {
                    keepBusy(wait.plusMillis(200));
                    give(bound.get(), connections);
                });
            }
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        request -> Script.script().stall(gate).respond(Answer.ok("slow")));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", ClientConfig.DEFAULT.maxPoolSizePerServer())
                        .client("maxWaitQueue", ClientConfig.DEFAULT.maxWaitQueue())
                        .client("waitTimeoutNanos", wait)
                        .breaker("connectionsMax", connections)
                        .plugins(Probe.LOADER)
                        .route("/*", stall.config())
                        .start();
                Crowd crowd = Crowd.of(gateway, clients);
                RawClient last = gateway.connect().deadline(Crowd.PATIENCE)) {
            bound.set(taken(gateway, connections));
            crowd.send(Ask.get("/"));
            // There may always be one.
            Await.until("all but one wait", () -> Ask.pool(gateway).waiting() == clients - 1);
            last.send(Ask.get("/last"));
            upstream.awaitRequests(clients + 1);
            gate.release();
            assertThat(crowd.statuses()).hasSize(clients).containsOnly(200);
            assertThat(last.readResponse().status()).isEqualTo(200);
            // A turn that takes as long as the first one here leaves some that it opens to the next.
            assertThat(opened.most()).isLessThan(2 * IN_A_TURN);
        }
    }

    /** Each look may make the pool wider by half, which is many where there are many. */
    @Test
    void aSlowNodeGetsItsConnectionsInTurns() throws IOException {
        int clients = 1500;
        Gate gate = new Gate();
        OpenedInTurns opened = new OpenedInTurns();
        Probe count = Probe.probe().onRequest(exchange -> {
            if (exchange.request().path().equals("/count")) {
                opened.countAfter(() -> {});
            }
            return Outcome.CONTINUE;
        });
        Script slow = Script.script().stall(gate).respond(Answer.ok("slow"));
        Script atOnce = Script.script().respond(Answer.ok("fine"));
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> request.target().equals("/") ? slow : atOnce);
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", ClientConfig.DEFAULT.maxPoolSizePerServer())
                        .client("maxWaitQueue", ClientConfig.DEFAULT.maxWaitQueue())
                        .plugins(Probe.LOADER)
                        .route("/*", count.config())
                        .start();
                Crowd crowd = Crowd.of(gateway, clients);
                RawClient first = gateway.connect()) {
            assertThat(first.send(Ask.get("/count")).readResponse().status()).isEqualTo(200);
            crowd.send(Ask.get("/"));
            upstream.awaitRequests(clients + 1);
            gate.release();
            assertThat(crowd.statuses()).hasSize(clients).containsOnly(200);
            // What is left of the width then is for whoever comes in the same turn, which nothing counts.
            assertThat(opened.most()).isLessThan(2 * IN_A_TURN);
        }
    }

    /** All connections that there may be are another's. */
    private static Bound taken(GatewayFixture gateway, int connections) {
        Breaker breaker = gateway.gateway().upstreams().getFirst().breaker();
        Bound bound = Objects.requireNonNull(Objects.requireNonNull(breaker).connections());
        for (int i = 0; i < connections; i++) {
            bound.take();
        }
        return bound;
    }

    private static void give(Bound bound, int connections) {
        for (int i = 0; i < connections; i++) {
            bound.release();
        }
    }

    private static Outcome keepBusy(Exchange exchange, Gate first) throws InterruptedException {
        if (exchange.request().path().equals("/first")) {
            first.pass();
        }
        keepBusy(Duration.ofNanos(BUSY_NANOS));
        return Outcome.CONTINUE;
    }

    static void keepBusy(Duration time) {
        long beganNanos = System.nanoTime();
        while (System.nanoTime() - beganNanos < time.toNanos()) {
            Thread.onSpinWait();
        }
    }

    @Test
    void twoThousandClientsAreAnswered() throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("fine"));
                GatewayFixture gateway = gateway(upstream);
                Crowd crowd = Crowd.of(gateway, 2000)) {
            crowd.send(Ask.get("/"));
            assertThat(crowd.statuses()).hasSize(2000).containsOnly(200);
        }
    }
}
