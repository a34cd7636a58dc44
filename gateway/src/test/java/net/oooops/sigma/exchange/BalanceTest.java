package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Three real nodes, chosen among by each rule. */
@SuppressWarnings("try") // closed where the test says, not at the end of a block
class BalanceTest {
    private final List<ScriptedUpstream> nodes = new ArrayList<>();

    @BeforeEach
    void start() {
        for (int i = 0; i < 3; i++) {
            String name = String.valueOf((char) ('a' + i));
            nodes.add(
                    ScriptedUpstream.start(UpstreamOptions.defaults().withRequestsKept(0), request -> Answer.ok(name)));
        }
    }

    @AfterEach
    void stop() {
        nodes.forEach(ScriptedUpstream::close);
    }

    @Test
    void roundRobinTakesTurns() throws IOException {
        assertThat(order(weighted(RuleStrategy.ROUND_ROBIN, 1, 1, 1), 9)).isEqualTo("abcabcabc");
    }

    @Test
    void weightsAreSpreadSmoothly() throws IOException {
        assertThat(order(weighted(RuleStrategy.ROUND_ROBIN, 5, 1, 1), 14)).isEqualTo("aabacaaaabacaa");
    }

    @Test
    void randomFollowsTheWeights() throws IOException {
        String order = order(weighted(RuleStrategy.RANDOM, 6, 3, 1), 1000);

        assertThat(count(order, 'a')).isBetween(500L, 700L);
        assertThat(count(order, 'b')).isBetween(200L, 400L);
        assertThat(count(order, 'c')).isBetween(40L, 180L);
    }

    @Test
    void leastConnectionsLeavesOutTheOneThatStalls() throws IOException {
        try (ScriptedUpstream stalled = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(stalled, nodes.get(1), nodes.get(2))
                        .strategy(RuleStrategy.LEAST_CONNECTIONS)
                        .start();
                RawClient stuck = gateway.connect();
                RawClient client = gateway.connect()) {
            stuck.send(Ask.get("/"));
            stalled.awaitRequests(1);
            StringBuilder order = new StringBuilder();
            for (int i = 0; i < 20; i++) {
                order.append(client.send(Ask.get("/")).readResponse().bodyText());
            }

            assertThat(order.toString()).matches("[bc]{20}");
            assertThat(count(order.toString(), 'b')).isBetween(8L, 12L);
            stuck.reset();
            Await.value("in flight", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT), n -> n == 0);
            client.send(Ask.get("/"));
            client.send(Ask.get("/"));
            stalled.awaitRequests(2);
        }
    }

    @Test
    void aNodeThatIsKilledUnderLoadLosesNoGet() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        AtomicInteger answered = new AtomicInteger();
        try (GatewayFixture gateway =
                GatewayFixture.to(nodes.toArray(ScriptedUpstream[]::new)).start()) {
            Thread killer = Thread.ofVirtual().start(() -> {
                Await.until("under load", () -> answered.get() > 500);
                nodes.get(1).stopAccepting();
                nodes.get(1).closeConnections();
                int atKill = answered.get();
                Await.until("goes on", () -> answered.get() > atKill + 1000);
                stop.set(true);
            });
            Queue<Object> outcomes = PoolTest.concurrently(16, number -> {
                int others = 0;
                try (RawClient client = gateway.connect()) {
                    while (!stop.get()) {
                        RawResponse response = client.send(Ask.get("/")).readResponse();
                        answered.incrementAndGet();
                        others += response.status() == 200 ? 0 : 1;
                    }
                }
                return others;
            });
            killer.join();

            // A request that the node had begun to answer is told so; here none can be: answers are a single segment.
            assertThat(outcomes).hasSize(16).containsOnly(0);
        }
    }

    private GatewayFixture weighted(RuleStrategy strategy, int... weights) {
        GatewayBuilder builder = GatewayFixture.toPorts().strategy(strategy);
        for (int i = 0; i < weights.length; i++) {
            builder.node("127.0.0.1", nodes.get(i).port(), weights[i]);
        }
        return builder.limit("requestsPerConnectionMax", 100_000).start();
    }

    private static String order(GatewayFixture started, int requests) throws IOException {
        StringBuilder order = new StringBuilder();
        try (GatewayFixture gateway = started;
                RawClient client = gateway.connect()) {
            for (int i = 0; i < requests; i++) {
                order.append(client.send(Ask.get("/")).readResponse().bodyText());
            }
        }
        return order.toString();
    }

    private static long count(String text, char c) {
        return text.chars().filter(each -> each == c).count();
    }
}
