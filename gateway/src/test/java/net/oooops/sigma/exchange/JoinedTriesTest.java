package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.HedgedNodes.SLOW;
import static net.oooops.sigma.exchange.HedgedNodes.SOON;
import static net.oooops.sigma.exchange.HedgedNodes.after;
import static net.oooops.sigma.exchange.HedgedNodes.idle;
import static net.oooops.sigma.exchange.HedgedNodes.quiet;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.HedgeConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import org.junit.jupiter.api.Test;

/** A try that has waited for as long as one is to is joined by the next one: what a node needs long for isn't begun anew. */
class JoinedTriesTest {
    private static final Duration LATER = Duration.ofSeconds(1);

    private static GatewayBuilder gateway(HedgedNodes nodes) {
        return nodes.gateway().retry("hedge", HedgeConfig.DEFAULT).retry("tryNanos", SOON);
    }

    private static void passLimits() {
        long since = System.nanoTime();
        Await.until("several limits of a try", () -> System.nanoTime() - since > 5 * SOON.toNanos());
    }

    @Test
    void theFirstNodeMayTakeAsLongAsItNeeds() throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(first, "first"), after(second, "second"));
                GatewayFixture gateway = gateway(nodes).start()) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                passLimits();
                first.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("first");
                assertThat(nodes.askedCount()).isEqualTo(2);
                assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(1);
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES)).isZero();
                second.release();
            }
            quiet(gateway);
        }
    }

    @Test
    void whatTheSecondNodeAnswersIsHeldAgainstTheFirst() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "first"), Answer.ok("second"));
                GatewayFixture gateway = gateway(nodes).start()) {
            try (RawClient client = gateway.connect()) {
                String asked = "PUT " + SLOW + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
                assertThat(client.send(asked).readResponse().bodyText()).isEqualTo("second");
                assertThat(nodes.node(1).request(0).bodyText()).isEqualTo("hello");
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES_WON)).isZero();
                assertThat(gateway.gateway().nodes()).anyMatch(node -> node.isSuspect());
                gate.release();
            }
            idle(gateway);
        }
    }

    @Test
    void aNodeThatAnswersOthersIsWaitedFor() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "first"), Answer.ok("second"));
                GatewayFixture gateway = gateway(nodes)
                        .strategy(RuleStrategy.ROUND_ROBIN)
                        .retry("tryNanos", LATER)
                        .limit("requestsPerConnectionMax", Integer.MAX_VALUE)
                        .start();
                RawClient other = gateway.connect();
                RawClient client = gateway.connect()) {
            client.send(Ask.get(SLOW));
            nodes.awaitAsked(1);
            long since = System.nanoTime();
            while (System.nanoTime() - since < 2 * LATER.toNanos()) {
                assertThat(other.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("warm");
            }
            assertThat(nodes.askedCount()).isEqualTo(1);
            // From then on it says nothing, and is taken for one that hangs.
            assertThat(client.readResponse().bodyText()).isEqualTo("second");
            gate.release();
        }
    }

    @Test
    void aLimitThatIsWrittenHoldsWhateverTheNodeAnswersOthers() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "first"), Answer.ok("second"));
                GatewayFixture gateway =
                        gateway(nodes).retry("silentOnly", false).start();
                RawClient other = gateway.connect();
                RawClient client = gateway.connect()) {
            client.send(Ask.get(SLOW));
            nodes.awaitAsked(1);
            Await.until("joined", () -> {
                Ask.count(gateway, Counter.UPSTREAM_HEDGES, 0);
                try {
                    other.send(Ask.get("/")).readResponse();
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return nodes.askedCount() == 2;
            });
            assertThat(client.readResponse().bodyText()).isEqualTo("second");
            gate.release();
        }
    }

    @Test
    void aRequestThatMayNotBeRepeatedIsSentOnce() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "first"), Answer.ok("second"));
                GatewayFixture gateway = gateway(nodes).start();
                RawClient client = gateway.connect()) {
            client.send("POST " + SLOW + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
            nodes.awaitAsked(1);
            passLimits();
            assertThat(nodes.askedCount()).isEqualTo(1);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("first");
        }
    }

    @Test
    void aSecondNodeThatHangsIsFollowedByAThird() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(4, after(gate, "first"), after(gate, "second"), Answer.ok("third"));
                GatewayFixture gateway = gateway(nodes).start()) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get(SLOW)).readResponse().bodyText()).isEqualTo("third");
                assertThat(nodes.askedCount()).isEqualTo(3);
                gate.release();
            }
            idle(gateway);
        }
    }

    @Test
    void aSecondNodeThatFailsIsFollowedByAThird() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(
                        4,
                        after(gate, "first"),
                        Script.script().send("HTTP/1.1 2").close(),
                        Answer.ok("third"));
                GatewayFixture gateway = gateway(nodes).start()) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get(SLOW)).readResponse().bodyText()).isEqualTo("third");
                gate.release();
            }
            idle(gateway);
        }
    }

    @Test
    void afterAllTriesTheFirstNodeMayStillAnswer() throws IOException {
        Gate first = new Gate();
        Gate others = new Gate();
        try (HedgedNodes nodes =
                        new HedgedNodes(4, after(first, "first"), after(others, "second"), after(others, "third"));
                GatewayFixture gateway = gateway(nodes).start()) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(3);
                passLimits();
                first.release();
                assertThat(client.readResponse().bodyText()).isEqualTo("first");
                assertThat(nodes.askedCount()).isEqualTo(3);
                others.release();
            }
            idle(gateway);
        }
    }

    /** The first node answers nobody: there is nobody else to wait for. */
    @Test
    void anErrorOfTheLastNodeIsTheAnswer() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "first"), Answer.of(503));
                GatewayFixture gateway = gateway(nodes).start()) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get(SLOW)).readResponse().status()).isEqualTo(503);
                gate.release();
            }
            idle(gateway);
        }
    }

    @Test
    void aHedgeThatFailsWhenARetryIsDueIsFollowedByOne() throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(
                        4, after(first, "first"), Script.script().stall(second).close(), Answer.ok("third"));
                GatewayFixture gateway = nodes.gateway()
                        .retry("tryNanos", LATER)
                        .retry("silentOnly", false)
                        .start()) {
            try (RawClient client = gateway.connect()) {
                HedgedNodes.warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                long since = System.nanoTime();
                Await.until("the limit of a try", () -> System.nanoTime() - since > 2 * LATER.toNanos());
                assertThat(nodes.askedCount()).isEqualTo(2);
                second.release();
                assertThat(client.readResponse().bodyText()).isEqualTo("third");
                first.release();
            }
            idle(gateway);
        }
    }

    /** There is no room for two: one that is begun anew needs none. */
    @Test
    void whereTheBreakerIsFullItIsBegunAnew() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "first"), Answer.ok("second"));
                GatewayFixture gateway =
                        gateway(nodes).breaker("requestsMax", 1).start()) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get(SLOW)).readResponse().bodyText()).isEqualTo("second");
                gate.release();
            }
            idle(gateway);
        }
    }
}
