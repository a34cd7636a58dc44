package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Cause;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeCounts;
import net.oooops.sigma.upstream.RetryBudget;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of three nodes of Bolt, one that fails at once isn't taken for the one that has least to do. */
class BalancedCallsTest {
    private static final int CALLS = 60;

    private static int[] answers(BoltFixture gateway) throws IOException {
        int[] answers = new int[256];
        try (RawClient client = gateway.connect()) {
            for (int id = 1; id <= CALLS; id++) {
                client.send(
                        BoltMessage.request(2, id, "com.acme.Request", "ask").bytes());
                answers[BoltMessage.read(client).word()]++;
            }
        }
        return answers;
    }

    private static void serve(RawServer server, Status status) {
        serve(server, status, 0);
    }

    private static void serve(RawServer server, Status status, long afterMillis) {
        Thread.ofVirtual().start(() -> {
            try (RawClient connection = server.accept()) {
                while (true) {
                    BoltMessage asked = BoltMessage.read(connection);
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(afterMillis));
                    connection.send(asked.answer("").withWord(status.code()).bytes());
                }
            } catch (IOException | AssertionError e) {
                // The test is over.
            }
        });
    }

    @Test
    void callsEarnTheBudget() throws IOException {
        try (RawServer node = RawServer.start();
                BoltFixture gateway = BoltFixture.to(node)
                        .upstream("retry-budget", Map.of("percent", 100, "per-second", 0))
                        .start()) {
            serve(node, Status.SUCCESS);
            RetryBudget budget = gateway.gateway().upstreams().getFirst().budget();
            assertThat(budget.left()).isZero();
            Await.until("some is earned", () -> {
                try {
                    assertThat(answers(gateway)[Status.SUCCESS.code()]).isEqualTo(CALLS);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
                return budget.left() > 0;
            });
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"least-connections", "p2c"})
    void oneThatIsAlwaysBusy(String strategy) throws IOException {
        try (RawServer busy = RawServer.start();
                RawServer one = RawServer.start();
                RawServer two = RawServer.start();
                BoltFixture gateway = BoltFixture.to(busy, one, two)
                        .upstream("rule-strategy", strategy)
                        .start()) {
            serve(busy, Status.SERVER_THREADPOOL_BUSY);
            serve(one, Status.SUCCESS);
            serve(two, Status.SUCCESS);
            int[] answers = answers(gateway);
            assertThat(answers[Status.SERVER_THREADPOOL_BUSY.code()]).isBetween(1, 10);
            assertThat(answers[Status.SUCCESS.code()]).isEqualTo(CALLS - answers[Status.SERVER_THREADPOOL_BUSY.code()]);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"least-connections", "p2c"})
    void oneThatRefusesConnections(String strategy) throws IOException {
        try (PortHold refused = ScriptedUpstream.refusedPort();
                RawServer one = RawServer.start();
                RawServer two = RawServer.start();
                BoltFixture gateway = BoltFixture.to(one, two)
                        .node(refused.port())
                        .upstream("rule-strategy", strategy)
                        .start()) {
            serve(one, Status.SUCCESS);
            serve(two, Status.SUCCESS);
            assertThat(answers(gateway)[Status.SUCCESS.code()]).isEqualTo(CALLS);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isBetween(1L, 10L);
            NodeCounts ofRefused = gateway.gateway().nodes().getLast().counts();
            assertThat(ofRefused.requests()).isZero();
            assertThat(ofRefused.connectFailures()).isEqualTo(gateway.count(Counter.UPSTREAM_RETRIES));
        }
    }

    private static Map<String, Object> passive(String key, Object value) {
        return Map.of("passive", Map.of(key, value));
    }

    @Test
    void oneThatIsBusyIsLeftAlone() throws IOException {
        try (RawServer busy = RawServer.start();
                RawServer good = RawServer.start();
                BoltFixture gateway = BoltFixture.to(busy, good)
                        .upstream("health", passive("ejection-time", "5m"))
                        .start()) {
            serve(busy, Status.SERVER_THREADPOOL_BUSY);
            serve(good, Status.SUCCESS);
            assertThat(answers(gateway)[Status.SERVER_THREADPOOL_BUSY.code()]).isEqualTo(5);
            Node left = gateway.gateway().nodes().getFirst();
            assertThat(left.ejectionCount(Cause.ERRORS)).isOne();
        }
    }

    @Test
    void aBusyOneIsNotTakenForWell() throws IOException {
        try (RawServer busy = RawServer.start();
                RawServer good = RawServer.start();
                BoltFixture gateway = BoltFixture.to(busy, good)
                        .upstream("health", passive("ejection-time", "100ms"))
                        .start()) {
            serve(busy, Status.SERVER_THREADPOOL_BUSY);
            serve(good, Status.SUCCESS);
            Node left = gateway.gateway().nodes().getFirst();
            Await.until("trials fail", () -> {
                assertThat(quietly(gateway)[Status.SUCCESS.code()]).isPositive();
                return left.ejectionCount(Cause.TRIAL) >= 3;
            });
            assertThat(left.ejectionCount(Cause.ERRORS)).as("never used again").isOne();
        }
    }

    private static int[] quietly(BoltFixture gateway) {
        try {
            return answers(gateway);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void exceptionsOfTheApplicationAreNoErrorsOfTheNode() throws IOException {
        try (RawServer throwing = RawServer.start();
                RawServer good = RawServer.start();
                BoltFixture gateway = BoltFixture.to(throwing, good).start()) {
            serve(throwing, Status.SERVER_EXCEPTION);
            serve(good, Status.SUCCESS);
            assertThat(answers(gateway)[Status.SERVER_EXCEPTION.code()]).isEqualTo(CALLS / 2);
            assertThat(gateway.gateway().nodes().getFirst().isAvailable()).isTrue();
        }
    }

    @Test
    void oneThatSaysNothingIsNoticed() throws IOException {
        try (RawServer silent = RawServer.start();
                RawServer good = RawServer.start();
                BoltFixture gateway = BoltFixture.to(silent, good)
                        .upstream("health", passive("silence", "200ms"))
                        .start();
                RawClient client = gateway.connect()) {
            serve(good, Status.SUCCESS);
            for (int id = 1; id <= 6; id++) {
                client.send(
                        BoltMessage.request(2, id, "com.acme.Request", "ask").bytes());
            }
            for (int i = 0; i < 3; i++) {
                assertThat(BoltMessage.read(client).word()).isEqualTo(Status.SUCCESS.code());
            }
            Node left = gateway.gateway().nodes().getFirst();
            Await.until("ejected", () -> left.ejectionCount(Cause.SILENCE) == 1);
            assertThat(answers(gateway)[Status.SUCCESS.code()]).isEqualTo(CALLS);
        }
    }

    @Test
    void oneThatIsFarSlowerThanTheOthersIsNoticed() throws IOException {
        Map<String, Object> compared = Map.of("interval", "2s", "compared-requests", 2, "silence", "none");
        try (RawServer slow = RawServer.start();
                RawServer good = RawServer.start();
                BoltFixture gateway = BoltFixture.to(slow, good)
                        .upstream("health", Map.of("passive", compared))
                        .start();
                RawClient client = gateway.connect()) {
            serve(slow, Status.SUCCESS, 400);
            serve(good, Status.SUCCESS);
            Node left = gateway.gateway().nodes().getFirst();
            for (int id = 1; id <= 60 && left.ejectionCount(Cause.SLOW) == 0; id++) {
                client.send(
                        BoltMessage.request(2, id, "com.acme.Request", "ask").bytes());
                assertThat(BoltMessage.read(client).word()).isEqualTo(Status.SUCCESS.code());
            }
            assertThat(left.ejectionCount(Cause.SLOW)).isOne();
        }
    }

    @Test
    void theBudgetBoundsHowManyDeadNodesAreTried() throws IOException {
        try (PortHold one = ScriptedUpstream.refusedPort();
                PortHold two = ScriptedUpstream.refusedPort();
                PortHold three = ScriptedUpstream.refusedPort();
                BoltFixture gateway = BoltFixture.to()
                        .node(one.port())
                        .node(two.port())
                        .node(three.port())
                        .upstream("retry-budget", Map.of("percent", 0, "per-second", 0))
                        .upstream("health", passive("enable", false))
                        .start()) {
            assertThat(answers(gateway)[Status.CLIENT_SEND_ERROR.code()]).isEqualTo(CALLS);
            // Of the others the first call knew nothing.
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(2);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_OVER_BUDGET)).isEqualTo(CALLS - 1);
        }
    }
}
