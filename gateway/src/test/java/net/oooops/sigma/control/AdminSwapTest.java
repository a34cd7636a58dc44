package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Objects;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The admin server takes the place of another server, and that one its, in one reload. */
@Tag("plain") // Which of both answers is told by its body.
class AdminSwapTest {
    private static final String NODE = "node";
    private static final String ALIVE = "ok";
    /** Of no machine (RFC 5737). */
    private static final String NOWHERE = "192.0.2.1";

    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(NODE));
    private String transport = "auto";
    private int one;
    private int other;
    private @Nullable Running running;

    @BeforeEach
    void choosePorts() throws IOException {
        int[] ports = FreePorts.several(2);
        one = ports[0];
        other = ports[1];
    }

    @AfterEach
    void stop() {
        if (running != null) {
            running.close();
        }
        node.close();
    }

    private static final class Running extends WrittenGateway {
        Running(ObjectNode root) throws StartException {
            super(root, 2);
        }

        void reload(ObjectNode root) throws StartException {
            follow(root);
        }

        static ObjectNode withTransport(String transport) {
            ObjectNode root = JSON.createObjectNode();
            root.set("runtime", "auto".equals(transport) ? runtime() : runtime().put("transport", transport));
            return root;
        }
    }

    private Running start(ObjectNode root) throws StartException {
        Running started = new Running(root);
        running = started;
        return started;
    }

    /** @param admin where it listens; -1 for nowhere */
    private ObjectNode sigma(int admin, String adminHost, int... servers) {
        ObjectNode root = Running.withTransport(transport);
        ObjectNode server = root.putObject("proxy-server");
        ArrayNode http = server.putArray("http");
        ArrayNode routers = root.putArray("router");
        for (int i = 0; i < servers.length; i++) {
            http.addObject().put("id", "s" + i).put("host", "127.0.0.1").put("port", servers[i]);
            ObjectNode router = routers.addObject();
            router.put("id", "r" + i).put("proxy-server-id", "s" + i);
            router.putArray("route")
                    .addObject()
                    .put("id", "all")
                    .put("path", "/*")
                    .put("proxy-pass-id", "p");
        }
        if (admin >= 0) {
            server.putObject("admin").put("host", adminHost).put("port", admin);
        }
        root.putArray("proxy-pass").addObject().put("id", "p").put("upstream-id", "u");
        root.putArray("upstream").addObject().put("id", "u").putArray("nodes").add("http://127.0.0.1:" + node.port());
        return root;
    }

    private ObjectNode sigma(int admin, int... servers) {
        return sigma(admin, "127.0.0.1", servers);
    }

    private static String ask(int port) throws IOException {
        try (RawClient client = RawClient.connect(port)) {
            client.send("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
            return client.readResponse().bodyText().trim();
        }
    }

    private static void expectClosed(int port) {
        assertThatThrownBy(() -> ask(port)).isInstanceOf(ConnectException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"auto", "nio"})
    void bothSwap(String by) throws Exception {
        transport = by;
        Running gateway = start(sigma(other, one));
        assertThat(ask(one)).isEqualTo(NODE);
        assertThat(ask(other)).isEqualTo(ALIVE);

        gateway.reload(sigma(one, other));

        assertThat(ask(other)).isEqualTo(NODE);
        assertThat(ask(one)).isEqualTo(ALIVE);
        gateway.reload(sigma(other, one));
        assertThat(ask(one)).isEqualTo(NODE);
        assertThat(ask(other)).isEqualTo(ALIVE);
    }

    @Test
    void aServerTakesThePlaceThatTheAdminServerLeaves() throws Exception {
        Running gateway = start(sigma(other, one));

        gateway.reload(sigma(-1, other));

        assertThat(ask(other)).isEqualTo(NODE);
        expectClosed(one);
        gateway.reload(sigma(-1, one));
        gateway.reload(sigma(other, one));
        gateway.reload(sigma(0, one, other));
        assertThat(ask(other)).isEqualTo(NODE);
        assertThat(ask(Objects.requireNonNull(gateway.gateway().adminAddress()).getPort()))
                .isEqualTo(ALIVE);
    }

    @Test
    void theAdminServerTakesThePlaceThatAServerLeaves() throws Exception {
        Running gateway = start(sigma(-1, one, other));

        gateway.reload(sigma(other, one));

        assertThat(ask(one)).isEqualTo(NODE);
        assertThat(ask(other)).isEqualTo(ALIVE);
        gateway.reload(sigma(other, "0.0.0.0", one));
        assertThat(ask(other)).isEqualTo(ALIVE);
    }

    @Test
    void whereAnotherPlaceIsTakenAllIsAsItWas() throws Exception {
        Running gateway = start(sigma(other, one));
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            int port = taken.getLocalPort();

            assertThatThrownBy(() -> gateway.reload(sigma(one, other, port)))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("can't listen on 127.0.0.1:" + port);
            assertThatThrownBy(() -> gateway.reload(sigma(port, other)))
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("proxy-server.admin: can't listen on 127.0.0.1:" + port);
        }
        assertThat(ask(one)).isEqualTo(NODE);
        assertThat(ask(other)).isEqualTo(ALIVE);
        assertThat(gateway.count(Counter.CONFIG_RELOADS_FAILED)).isEqualTo(2);
        gateway.reload(sigma(one, other));
        assertThat(ask(other)).isEqualTo(NODE);
        assertThat(ask(one)).isEqualTo(ALIVE);
    }

    /** That it is a place at all is seen before the server there is gone. */
    @Test
    void whereTheAdminServersHostIsNoneAllIsAsItWas() throws Exception {
        ObjectNode wide = sigma(other, one);
        ((ObjectNode) wide.at("/proxy-server/http/0")).put("host", "0.0.0.0");
        Running gateway = start(wide);

        assertThatThrownBy(() -> gateway.reload(sigma(one, NOWHERE, other)))
                .isInstanceOf(StartException.class)
                .hasMessageContaining("proxy-server.admin: can't listen on " + NOWHERE + ":" + one);

        assertThat(ask(one)).isEqualTo(NODE);
        assertThat(ask(other)).isEqualTo(ALIVE);
    }
}
