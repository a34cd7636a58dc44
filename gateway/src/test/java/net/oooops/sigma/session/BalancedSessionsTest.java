package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Map;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of three nodes of TCP, one that fails at once isn't taken for the one that has least to do. */
class BalancedSessionsTest {
    private static final int SESSIONS = 60;
    /** That all of them fall on the same one of two nodes comes once in 2^40 times. */
    private static final int ADDRESSES = 41;

    private final ScriptedUpstream one = greeting();
    private final ScriptedUpstream two = greeting();

    private static ScriptedUpstream greeting() {
        return ScriptedUpstream.play(
                Script.script().send("hello").awaitPeerClose().repeat());
    }

    @AfterEach
    void stop() {
        one.close();
        two.close();
    }

    private TcpFixture to(int port, String strategy) {
        return TcpFixture.to()
                .node(port)
                .node(one.port())
                .node(two.port())
                .upstream("rule-strategy", strategy)
                .start();
    }

    /** How many sessions, one after the other, were greeted. */
    private static int greeted(TcpFixture gateway) throws IOException {
        int greeted = 0;
        for (int i = 0; i < SESSIONS; i++) {
            try (RawClient client = gateway.connect()) {
                client.readExactly(5);
                greeted++;
            } catch (IOException | AssertionError e) {
                // Reset, as its node did.
            }
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
        return greeted;
    }

    private static void greetedFrom(TcpFixture gateway, String address) throws IOException {
        try (RawClient client = gateway.connect(ClientOptions.defaults().withLocalHost(address))) {
            client.readExactly(5);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"least-connections", "p2c"})
    void oneThatRefusesConnections(String strategy) throws IOException {
        try (PortHold refused = ScriptedUpstream.refusedPort();
                TcpFixture gateway = to(refused.port(), strategy)) {
            assertThat(greeted(gateway)).isEqualTo(SESSIONS);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isBetween(1L, 10L);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"least-connections", "p2c"})
    void oneThatResetsThem(String strategy) throws IOException {
        try (ScriptedUpstream resetting =
                        ScriptedUpstream.play(Script.script().reset().repeat());
                TcpFixture gateway = to(resetting.port(), strategy)) {
            greeted(gateway);
            assertThat(resetting.connectionCount()).isBetween(1, 15);
        }
    }

    @Test
    void aClientKeepsItsNodeByConsistentHashToo() throws IOException {
        try (TcpFixture gateway = TcpFixture.to()
                .node(one.port())
                .node(two.port())
                .upstream("rule-strategy", "consistent-hash")
                .upstream("hash", Map.of("client-address", true))
                .workers(2)
                .start()) {
            for (int i = 1; i <= ADDRESSES; i++) {
                int before = one.connectionCount();
                for (int round = 0; round < 3; round++) {
                    greetedFrom(gateway, "127.0.0." + i);
                }
                assertThat(one.connectionCount() - before).isIn(0, 3);
            }
            assertThat(one.connectionCount()).isBetween(1, 3 * ADDRESSES - 1);
        }
    }

    @Test
    void sessionsEarnTheBudget() throws IOException {
        try (TcpFixture gateway = TcpFixture.to()
                .node(one.port())
                .upstream("retry-budget", Map.of("percent", 100, "per-second", 0))
                .start()) {
            assertThat(leftOfBudget(gateway)).isZero();
            Await.until("some is earned", () -> {
                assertThat(ofOneRound(gateway)).isEqualTo(SESSIONS);
                return leftOfBudget(gateway) > 0;
            });
        }
    }

    private static int ofOneRound(TcpFixture gateway) {
        try {
            return greeted(gateway);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static long leftOfBudget(TcpFixture gateway) {
        return gateway.gateway().upstreams().getFirst().budget().left();
    }

    @Test
    void theBudgetBoundsHowManyDeadNodesAreTried() throws IOException {
        try (PortHold first = ScriptedUpstream.refusedPort();
                PortHold second = ScriptedUpstream.refusedPort();
                PortHold third = ScriptedUpstream.refusedPort();
                TcpFixture gateway = TcpFixture.to()
                        .node(first.port())
                        .node(second.port())
                        .node(third.port())
                        .upstream("retry-budget", Map.of("percent", 0, "per-second", 0))
                        .upstream("health", Map.of("passive", Map.of("enable", false)))
                        .start()) {
            assertThat(greeted(gateway)).isZero();
            // Of the others the first session knew nothing.
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isEqualTo(SESSIONS + 2);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_OVER_BUDGET)).isEqualTo(SESSIONS - 1);
        }
    }
}
