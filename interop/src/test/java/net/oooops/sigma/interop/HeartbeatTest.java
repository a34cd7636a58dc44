package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.alipay.remoting.Connection;
import com.alipay.remoting.config.Configs;
import com.alipay.remoting.exception.ConnectionClosedException;
import com.alipay.remoting.rpc.RpcClient;
import com.alipay.remoting.rpc.RpcResponseFuture;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A connection without calls, over which SOFABolt's client sends heartbeats and closes where three of them are not answered. */
@Isolated("a system property, and heartbeats of the process")
class HeartbeatTest {
    private static final String INTERVAL_MILLIS = "100";

    /** Longer than the listeners' idle timeout takes, and more often than a client would miss one. */
    private static final int HEARTBEATS = 30;

    /** Of all forms together. */
    private static final int GATEWAY_HEARTBEATS = 9;

    private static final int TIMEOUT_MILLIS = 10_000;

    @TempDir
    private static Path folder;

    @AutoClose
    private static Node node;

    @AutoClose
    private static Sigma sigma;

    /** One for each form: a client has one pool for an address, whatever forms it is asked for. */
    private final Map<WireForm, RpcClient> clients = new EnumMap<>(WireForm.class);

    private HeartbeatAcks acks;

    @BeforeAll
    static void start() {
        node = Node.bolt(folder, "node");
        sigma = Sigma.run(folder, SigmaJson.everyModeIdle("2s", node));
    }

    @BeforeEach
    void startClients() {
        System.setProperty(Configs.TCP_IDLE, INTERVAL_MILLIS);
        for (WireForm form : WireForm.values()) {
            RpcClient client = new RpcClient();
            client.startup();
            clients.put(form, client);
        }
        acks = HeartbeatAcks.counted();
    }

    @AfterEach
    void restore() {
        System.clearProperty(Configs.TCP_IDLE);
        clients.values().forEach(RpcClient::shutdown);
    }

    @Test
    void keepIdleConnectionsOpen() throws Exception {
        List<Connection> connections = new ArrayList<>();
        for (Mode mode : Mode.values()) {
            for (WireForm form : WireForm.values()) {
                connections.add(called(mode, form));
            }
        }
        Await.until("heartbeats answered", () -> acks.count() >= HEARTBEATS * connections.size());
        for (Mode mode : Mode.values()) {
            for (WireForm form : WireForm.values()) {
                assertThat(called(mode, form)).isIn(connections).matches(Connection::isFine);
            }
        }
    }

    /** The connection over which a call has just been answered. */
    private Connection called(Mode mode, WireForm form) throws Exception {
        String address = form.address(sigma.port(mode.id()), 1);
        assertThat(client(form).invokeSync(address, Ask.of("a"), form.context(), TIMEOUT_MILLIS))
                .isEqualTo(node.answer("a"));
        return client(form).getConnection(address, TIMEOUT_MILLIS);
    }

    @Test
    void theGatewayKeepsItsOwnConnectionsToANode() throws Exception {
        try (Node idle = Node.bolt(folder, "idle");
                Sigma asking = Sigma.run(folder, "asking", SigmaJson.heartbeats("100ms", 3, idle))) {
            callInEachForm(asking);
            Await.until("heartbeats of the gateway", () -> idle.count(Journal.HEARTBEAT) >= GATEWAY_HEARTBEATS);
            callInEachForm(asking);
            // One for each protocol and version; a fourth where calls with and without checksum came to different
            // Workers.
            assertThat(idle.count(Journal.CONNECTED)).isBetween(3L, 4L);
        }
    }

    private void callInEachForm(Sigma asking) throws Exception {
        for (WireForm form : WireForm.values()) {
            String address = form.address(asking.port("route"), 1);
            client(form).invokeSync(address, Ask.of("a"), form.context(), TIMEOUT_MILLIS);
        }
    }

    @Test
    void aFrozenNodeIsGivenUp() throws Exception {
        try (Node freezing = Node.bolt(folder, "freezing");
                Sigma asking = Sigma.run(folder, "giving-up", SigmaJson.heartbeats("300ms", 2, freezing))) {
            List<RpcResponseFuture> futures = new ArrayList<>();
            for (WireForm form : WireForm.values()) {
                String address = form.address(asking.port("route"), 1);
                Ask never = Ask.after(1_000_000, form.name());
                futures.add(client(form).invokeWithFuture(address, never, form.context(), 30_000));
            }
            Await.until("with the node", () -> freezing.calls().size() == futures.size());
            freezing.freeze();
            for (RpcResponseFuture future : futures) {
                assertThatThrownBy(() -> future.get(TIMEOUT_MILLIS)).isInstanceOf(ConnectionClosedException.class);
            }
        }
    }

    private RpcClient client(WireForm form) {
        return Objects.requireNonNull(clients.get(form));
    }
}
