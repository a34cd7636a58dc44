package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A node that is started again refuses connections for a while: requests wait for it. */
class RestartedNodeTest {
    /** Nothing was sent, so any method may wait; and none reaches the node twice. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2})
    void whatNoNodeTakesWaitsForOneThatIsStartedAgain(int count) throws IOException {
        int[] ports = FreePorts.several(count);
        try (GatewayFixture gateway = GatewayFixture.toPorts(ports)
                .client("waitTimeoutNanos", Duration.ofSeconds(30))
                .start()) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                clients.add(gateway.connect());
                clients.getLast().send(i % 2 == 0 ? Ask.get("/") : Ask.post("/", "hello"));
            }
            Await.until("all wait", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 40);
            Await.until("refused", () -> gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED) >= 40);
            try (ScriptedUpstream back = ScriptedUpstream.start(
                    UpstreamOptions.defaults().withPort(ports[0]), request -> Answer.ok("back"))) {
                for (RawClient client : clients) {
                    assertThat(client.readResponse().bodyText()).isEqualTo("back");
                }
                assertThat(back.requestCount()).isEqualTo(40);
            }
            // The budget bounds how often they tried.
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isLessThan(40 * count + 60);
            clients.forEach(RawClient::close);
        }
    }

    /** That it takes a connection says that it is there, however long its answers take: nobody knocks one by one any more. */
    @Test
    void whatWaitsGoesOnOnceAConnectionStands() throws IOException {
        int port = FreePorts.several(1)[0];
        Gate gate = new Gate();
        try (GatewayFixture gateway = GatewayFixture.toPorts(port)
                .budget(0, 0)
                .client("waitTimeoutNanos", Duration.ofSeconds(60))
                .start()) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 60; i++) {
                clients.add(gateway.connect());
                clients.getLast().send(i % 2 == 0 ? Ask.get("/") : Ask.post("/", "hello"));
            }
            Await.until("refused", () -> gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED) >= 60);
            try (ScriptedUpstream back =
                    ScriptedUpstream.start(UpstreamOptions.defaults().withPort(port), request -> {
                        gate.pass();
                        return Answer.ok("back");
                    })) {
                back.awaitHeads(60);
                gate.release();
                for (RawClient client : clients) {
                    assertThat(client.readResponse().bodyText()).isEqualTo("back");
                }
            }
            clients.forEach(RawClient::close);
        }
    }

    /** All who ask wait, so that nothing is earned: one of them looks all the same, now and then. */
    @Test
    void whatWaitsLooksForItsNodeThoughTheBudgetIsSpent() throws IOException {
        int port = FreePorts.several(1)[0];
        try (GatewayFixture gateway = GatewayFixture.toPorts(port)
                .budget(0, 0)
                .client("waitTimeoutNanos", Duration.ofSeconds(30))
                .start()) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 40; i++) {
                clients.add(gateway.connect());
                clients.getLast().send(Ask.get("/"));
            }
            Await.until("all wait", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 40);
            long since = System.nanoTime();
            Await.until("several looked", () -> gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED) >= 43);
            long quarters = (System.nanoTime() - since) / 250_000_000;
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isLessThanOrEqualTo(40 + quarters + 4);
            try (ScriptedUpstream back =
                    ScriptedUpstream.start(UpstreamOptions.defaults().withPort(port), request -> Answer.ok("back"))) {
                for (RawClient client : clients) {
                    assertThat(client.readResponse().bodyText()).isEqualTo("back");
                }
                assertThat(back.requestCount()).isEqualTo(40);
            }
            clients.forEach(RawClient::close);
        }
    }
}
