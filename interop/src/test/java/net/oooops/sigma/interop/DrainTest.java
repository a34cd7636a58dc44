package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.remoting.rpc.RpcClient;
import com.alipay.remoting.rpc.RpcResponseFuture;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.file.Path;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A gateway that is asked to end while calls are in flight. */
class DrainTest {
    private static final int TIMEOUT_MILLIS = 10_000;
    private static final int CALLS = 20;

    @TempDir
    private static Path folder;

    @AutoClose
    private static Node node;

    @AutoClose("shutdown")
    private final RpcClient client = new RpcClient();

    @BeforeAll
    static void start() {
        node = Node.bolt(folder, "node");
    }

    @BeforeEach
    void startClient() {
        client.startup();
    }

    @ParameterizedTest
    @EnumSource
    void callsInFlightAreAnsweredAndNobodyNewIsTaken(Mode mode) throws Exception {
        try (Sigma sigma = Sigma.run(folder, SigmaJson.everyModeDraining("20s", node))) {
            WireForm form = WireForm.V1;
            String address = form.address(sigma.port(mode.id()), 1);
            RpcResponseFuture[] futures = new RpcResponseFuture[CALLS];
            for (int i = 0; i < CALLS; i++) {
                Ask ask = Ask.after(1_000, mode + "-" + i);
                futures[i] = client.invokeWithFuture(address, ask, form.context(), TIMEOUT_MILLIS);
            }
            Await.until("all with the node", () -> node.calls().contains(mode + "-" + (CALLS - 1)));
            sigma.terminate();
            Await.until("draining", () -> sigma.out().contains("draining"));

            Await.until("nobody new taken", () -> isRefused(sigma.port(mode.id())));
            for (int i = 0; i < CALLS; i++) {
                assertThat(futures[i].get(TIMEOUT_MILLIS)).isEqualTo(node.answer(mode + "-" + i));
            }
            client.closeConnection(address);

            assertThat(sigma.awaitEnd()).isZero();
            assertThat(sigma.out()).endsWith("stopped\n");
        }
    }

    private static boolean isRefused(int port) {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), port)) {
            return !socket.isConnected();
        } catch (IOException e) {
            return true;
        }
    }
}
