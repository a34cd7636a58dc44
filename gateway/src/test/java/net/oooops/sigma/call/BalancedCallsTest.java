package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ScriptedUpstream;
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
        Thread.ofVirtual().start(() -> {
            try (RawClient connection = server.accept()) {
                while (true) {
                    connection.send(BoltMessage.read(connection)
                            .answer("")
                            .withWord(status.code())
                            .bytes());
                }
            } catch (IOException | AssertionError e) {
                // The test is over.
            }
        });
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
        }
    }
}
