package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.remoting.rpc.RpcClient;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What mode route does with calls of real clients that a relay can't: choose for each of them, and share connections to the nodes. */
class RouteTest {
    /** More than a busy machine takes for the first calls, with which programs load their classes: what is late isn't looked at here. */
    private static final int TIMEOUT_MILLIS = 25_000;

    private static final int CLIENT_CONNECTIONS = 60;
    private static final int CALLERS = 200;
    private static final int ANSWERS = 4_000;

    /** As {@link Sigma} is started; each opens one connection to a node. */
    private static final int WORKERS = 2;

    @TempDir
    private Path folder;

    @AutoClose("shutdown")
    private final RpcClient client = new RpcClient();

    @BeforeEach
    void startClient() {
        client.startup();
    }

    @Test
    void manyClientsConnectionsShareOneOfEachWorker() throws Exception {
        try (Node node = Node.bolt(folder, "node");
                Sigma sigma = Sigma.run(folder, SigmaJson.everyMode(node))) {
            StrayAnswers strays = StrayAnswers.counted();
            WireForm form = WireForm.V1;
            String address = form.address(sigma.port("route"), CLIENT_CONNECTIONS);
            List<Callers.Outcome> outcomes;
            client.invokeSync(address, Ask.of("first"), form.context(), TIMEOUT_MILLIS);
            try (Callers callers = Callers.start(
                    CALLERS, text -> client.invokeSync(address, Ask.of(text), form.context(), TIMEOUT_MILLIS))) {
                callers.awaitAnswers(ANSWERS);
                assertThat(client.getAllManagedConnections().values())
                        .singleElement()
                        .satisfies(connections -> assertThat(connections).hasSize(CLIENT_CONNECTIONS));
                outcomes = callers.finish();
            }
            assertThat(outcomes)
                    .allSatisfy(outcome -> assertThat(outcome.answer()).isEqualTo(node.answer(outcome.text())));
            assertThat(strays.count(sigma.port("route")))
                    .as("answers that nobody waited for")
                    .isZero();
            assertThat(node.count(Journal.CONNECTED)).isBetween(1L, (long) WORKERS);
        }
    }

    @Test
    void callsOfOneConnectionAreBalancedOneByOne() throws Exception {
        try (Node first = Node.bolt(folder, "first");
                Node second = Node.bolt(folder, "second");
                Sigma sigma = Sigma.run(folder, SigmaJson.everyMode(first, second))) {
            for (int i = 0; i < 100; i++) {
                client.invokeSync(WireForm.V1.address(sigma.port("route"), 1), Ask.of("a-" + i), TIMEOUT_MILLIS);
            }
            assertThat(first.calls()).hasSize(50);
            assertThat(second.calls()).hasSize(50);
        }
    }

    @Test
    void callsFindTheirNodeByInterfaceAndByClass() throws Exception {
        try (Node greeter = Node.sofa(folder, "greeter");
                Node ask = Node.bolt(folder, "ask");
                Sigma sigma = Sigma.run(folder, SigmaJson.byKind(greeter, ask));
                GreeterClient sofa = GreeterClient.sync(sigma.port("route"), TIMEOUT_MILLIS)) {
            for (int i = 0; i < 10; i++) {
                assertThat(sofa.greeter().greet("hello")).isEqualTo(greeter.answer("hello"));
                String address = WireForm.V2_CRC.address(sigma.port("route"), 1);
                assertThat(client.invokeSync(address, Ask.of("hello"), TIMEOUT_MILLIS))
                        .isEqualTo(ask.answer("hello"));
            }
        }
    }
}
