package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import com.alipay.remoting.Connection;
import com.alipay.remoting.config.Configs;
import com.alipay.remoting.rpc.RpcClient;
import java.nio.file.Path;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A connection without calls, over which SOFABolt's client sends heartbeats and closes where three of them are not answered. */
class HeartbeatTest {
    private static final String INTERVAL_MILLIS = "100";

    /** Longer than the listeners' idle timeout takes, and more often than a client would miss one. */
    private static final int HEARTBEATS = 15;

    private static final int TIMEOUT_MILLIS = 5_000;

    @TempDir
    private static Path folder;

    @AutoClose
    private static Node node;

    @AutoClose
    private static Sigma sigma;

    @AutoClose("shutdown")
    private final RpcClient client = new RpcClient();

    private HeartbeatAcks acks;

    @BeforeAll
    static void start() {
        node = Node.bolt(folder, "node");
        sigma = Sigma.run(folder, SigmaJson.everyModeIdle("1s", node));
    }

    @BeforeEach
    void startClient() {
        System.setProperty(Configs.TCP_IDLE, INTERVAL_MILLIS);
        client.startup();
        acks = HeartbeatAcks.counted();
    }

    @AfterEach
    void restore() {
        System.clearProperty(Configs.TCP_IDLE);
    }

    @ParameterizedTest
    @MethodSource("net.oooops.sigma.interop.SofaBoltCallsTest#ways")
    void keepAnIdleConnectionOpen(Mode mode, WireForm form) throws Exception {
        String address = form.address(sigma.port(mode.id()), 1);
        assertThat(client.invokeSync(address, Ask.of("before"), form.context(), TIMEOUT_MILLIS))
                .isEqualTo(node.answer("before"));
        Connection connection = client.getConnection(address, TIMEOUT_MILLIS);

        Await.until("heartbeats answered", () -> acks.count() >= HEARTBEATS);

        assertThat(connection.isFine()).isTrue();
        assertThat(client.getConnection(address, TIMEOUT_MILLIS)).isSameAs(connection);
        assertThat(client.invokeSync(address, Ask.of("after"), form.context(), TIMEOUT_MILLIS))
                .isEqualTo(node.answer("after"));
    }
}
