package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** Other things are said of an Upstream while it has connections and requests. */
class ChangedUpstreamTest {
    private static final int NONE = BreakerConfig.NONE;

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: a.example\r\n\r\n";
    }

    private static void ask(RawClient client, String expected) throws IOException {
        assertThat(client.send(get("/")).readResponse().bodyText()).isEqualTo(expected);
    }

    private static Upstream of(GatewayFixture gateway) {
        return gateway.gateway().upstreams().getFirst();
    }

    private static void bound(Upstream upstream, int connectionsMax, int requestsMax) {
        upstream.configure(
                Said.as(upstream.config()).breaker(connectionsMax, requestsMax).config(), Predecessors.NONE);
    }

    private static Breaker breaker(Upstream upstream) {
        return Objects.requireNonNull(upstream.breaker());
    }

    private static int connections(Breaker breaker) {
        return Objects.requireNonNull(breaker.connections()).count();
    }

    private static void connectionsAreCountedByWhatBoundsThem(GatewayFixture gateway) throws IOException {
        Upstream upstream = of(gateway);
        try (RawClient client = gateway.connect()) {
            ask(client, "fine");
            Breaker first = breaker(upstream);
            assertThat(connections(first)).isEqualTo(1);
            bound(upstream, 7, NONE);
            Breaker second = breaker(upstream);
            Await.until("moved", () -> connections(first) == 0 && connections(second) == 1);
            ask(client, "fine");
            bound(upstream, NONE, NONE);
            Await.until("no bound", () -> connections(second) == 0);
            ask(client, "fine");
            bound(upstream, 1, NONE);
            Await.until("a bound again", () -> connections(breaker(upstream)) == 1);
            ask(client, "fine");
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
        }
    }

    @Test
    void connectionsOfHttp1StayUnderOtherBounds() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("fine"));
                GatewayFixture gateway =
                        GatewayFixture.to(node).breaker("connectionsMax", 5).start()) {
            connectionsAreCountedByWhatBoundsThem(gateway);
        }
    }

    @Test
    void connectionsOfHttp2StayUnderOtherBounds() throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("fine"));
                GatewayFixture before = GatewayFixture.to(node).start();
                GatewayFixture gateway = GatewayFixture.toPorts(before.port())
                        .http2Nodes()
                        .breaker("connectionsMax", 5)
                        .start()) {
            connectionsAreCountedByWhatBoundsThem(gateway);
        }
    }

    @Test
    void aRequestUnderWayEndsWithTheBreakerThatLetItIn() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream node = ScriptedUpstream.play(
                        Script.script()
                                .readRequest()
                                .stall(gate)
                                .respond(Answer.ok("fine"))
                                .repeat(),
                        Script.script().readRequest().respond(Answer.ok("fine")).repeat());
                GatewayFixture gateway =
                        GatewayFixture.to(node).breaker("requestsMax", 5).start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            Upstream upstream = of(gateway);
            Breaker first = breaker(upstream);
            client.send(get("/slow"));
            node.awaitRequests(1);
            bound(upstream, NONE, 1);
            ask(other, "fine");
            assertThat(first.requestCount()).isEqualTo(1);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("fine");
            Await.until("it is over", () -> first.requestCount() == 0);
            ask(other, "fine");
            Await.until("all are", () -> breaker(upstream).requestCount() == 0);
        }
    }

    @Test
    void whatIsUnderWayAtADrainedNodeEnds() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream slow = ScriptedUpstream.play(
                        Script.script().readRequest().stall(gate).respond(Answer.ok("slow")));
                ScriptedUpstream other = ScriptedUpstream.start(request -> Answer.ok("other"));
                GatewayFixture gateway = GatewayFixture.to(slow, other)
                        .passive("silenceNanos", Duration.ofMillis(50))
                        .start();
                RawClient client = gateway.connect();
                RawClient next = gateway.connect()) {
            client.send(get("/"));
            slow.awaitRequests(1);
            Steering drained = Steering.NONE.withUse(Steering.Use.DRAINED);
            assertThat(of(gateway).steer("127.0.0.1:" + slow.port(), _ -> drained, System.nanoTime()))
                    .isTrue();
            // For longer than a node may be silent, and several ticks.
            long since = System.nanoTime();
            while (System.nanoTime() - since < TimeUnit.MILLISECONDS.toNanos(600)) {
                ask(next, "other");
            }
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            ask(client, "other");
        }
    }
}
