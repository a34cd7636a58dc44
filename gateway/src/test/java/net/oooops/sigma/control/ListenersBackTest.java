package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import net.oooops.sigma.WrittenGateway;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.call.BoltMessage;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that is gone, or has moved, and is back while its clients drain, has them again, but for those that were told that it ends. */
@Tag("plain") // Encrypted connections have no halves.
class ListenersBackTest {
    private static final long DRAIN_MILLIS = 1500;
    /** By then whatever still drains is cut. */
    private static final Duration OVER = Duration.ofMillis(DRAIN_MILLIS + 500);

    /** A client of Bolt that drains is closed when it is quiet for a tenth of that. */
    private static final Duration QUIET = Duration.ofSeconds(1);

    private static final String GOING_AWAY = "\u0088\u0002\u0003\u00e9";
    private static final String ASK = "GET /chat HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade\r\nUpgrade: ";
    private static final String WEBSOCKET =
            ASK + "websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";

    private final RawServer nodes = RawServer.start();

    @AfterEach
    void stopNodes() {
        nodes.close();
    }

    /** One server at a time. */
    private static final class Running extends WrittenGateway {
        private final String kind;
        private final int nodePort;
        private final int[] ports;

        Running(String kind, int nodePort, int[] ports) throws StartException {
            super(sigma(kind, nodePort, "s", ports[0]), 1);
            this.kind = kind;
            this.nodePort = nodePort;
            this.ports = ports;
        }

        void move() throws StartException {
            follow(sigma(kind, nodePort, "s", ports[1]));
        }

        void back(String id) throws StartException {
            follow(sigma(kind, nodePort, id, ports[0]));
        }

        void moveAndBack() throws StartException {
            move();
            back("s");
        }

        private static ObjectNode sigma(String kind, int nodePort, String id, int port) {
            ObjectNode root = JSON.createObjectNode();
            root.set("runtime", runtime());
            root.putObject("timeouts").put("drain", DRAIN_MILLIS + "ms").put("drain-idle", "1s");
            ObjectNode server = root.putObject("proxy-server").putArray(kind).addObject();
            server.put("id", id).put("host", "127.0.0.1").put("port", port);
            ObjectNode pass = root.putArray("proxy-pass").addObject();
            pass.put("id", "p").put("upstream-id", "u");
            if ("http".equals(kind)) {
                pass.putArray("upgrade").add("websocket").add("chat");
                ObjectNode router = root.putArray("router").addObject();
                router.put("id", "r").put("proxy-server-id", id);
                router.putArray("route")
                        .addObject()
                        .put("id", "all")
                        .put("path", "/*")
                        .put("proxy-pass-id", "p");
            } else {
                server.put("proxy-pass-id", "p");
            }
            if ("bolt".equals(kind)) {
                server.put("mode", "relay");
            }
            root.putArray("upstream")
                    .addObject()
                    .put("id", "u")
                    .putArray("nodes")
                    .add(kind + "://127.0.0.1:" + nodePort);
            return root;
        }
    }

    private Running start(String kind) throws IOException, StartException {
        return new Running(kind, nodes.port(), FreePorts.several(2));
    }

    private static void pass(String text, RawClient from, RawClient to) throws IOException {
        from.send(text);
        assertThat(new String(to.readExactly(text.length()), StandardCharsets.ISO_8859_1))
                .isEqualTo(text);
    }

    private RawClient request(RawClient client, String head) throws IOException {
        client.send(head);
        RawClient node = nodes.accept();
        readRequest(node);
        return node;
    }

    private static void readRequest(RawClient node) throws IOException {
        StringBuilder read = new StringBuilder();
        while (read.indexOf("\r\n\r\n") < 0) {
            read.append((char) node.readExactly(1)[0]);
        }
    }

    /** The other end of a connection whose protocol was switched. */
    private RawClient switched(RawClient client, String head, String protocol) throws IOException {
        RawClient node = request(client, head);
        node.send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: " + protocol
                + "\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n");
        client.readHead();
        return node;
    }

    @Test
    void sessionsGoOn() throws Exception {
        try (Running running = start("tcp");
                RawClient client = running.connect();
                RawClient node = nodes.accept()) {
            pass("before", client, node);

            running.moveAndBack();

            client.expectSilence(OVER);
            pass("after", client, node);
            pass("and back", node, client);
            assertThat(running.faults(Fault.SESSION_CUT)).isZero();
        }
    }

    /** Nobody asked for that one: it only listens where another one did. */
    @Test
    void oneOfAnotherNameHasNoneOfThem() throws Exception {
        try (Running running = start("tcp");
                RawClient client = running.connect();
                RawClient node = nodes.accept()) {
            pass("before", client, node);
            running.move();

            running.back("another");

            client.expectReset();
            node.expectReset();
        }
    }

    @Test
    void callsGoOn() throws Exception {
        try (Running running = start("bolt");
                RawClient client = running.connect()) {
            client.send(BoltMessage.request(2, 1, "a.Call", "one").bytes());
            try (RawClient node = nodes.accept()) {
                BoltMessage asked = BoltMessage.read(node);

                running.moveAndBack();

                client.expectSilence(OVER);
                node.send(asked.answer("one").bytes());
                assertThat(BoltMessage.read(client).id()).isEqualTo(1);
                client.expectSilence(QUIET);
                client.send(BoltMessage.request(2, 2, "a.Call", "two").bytes());
                assertThat(BoltMessage.read(node).id()).isEqualTo(2);
            }
        }
    }

    /** One that is idle, and one with a request under way, whose answer doesn't say that it is the last. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void connectionsStay(boolean idle) throws Exception {
        String head = "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n";
        String answer = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";
        try (Running running = start("http");
                RawClient client = running.connect();
                RawClient node = request(client, head)) {
            if (idle) {
                node.send(answer);
                client.readResponse();
            }

            running.moveAndBack();

            client.expectSilence(OVER);
            if (!idle) {
                node.send(answer);
                RawResponse response = client.readResponse();
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.header("Connection")).isNotEqualTo("close");
            }
            client.send(head);
            readRequest(node);
            node.send(answer);
            assertThat(client.readResponse().bodyText()).isEqualTo("ok");
            assertThat(running.faults(Fault.REQUEST_CUT)).isZero();
        }
    }

    @Test
    void tunnelsGoOnInWhichNothingCanBeSaid() throws Exception {
        try (Running running = start("http");
                RawClient client = running.connect();
                RawClient node = switched(client, ASK + "chat\r\n\r\n", "chat")) {
            pass("before", client, node);

            running.moveAndBack();

            client.expectSilence(OVER);
            pass("after", client, node);
            pass("and back", node, client);
        }
    }

    /** Nothing may follow a Close frame: one that isn't closed in turn is reset when its time is over. */
    @Test
    void webSocketsEndAsTheyWereTold() throws Exception {
        try (Running running = start("http");
                RawClient client = running.connect();
                RawClient node = switched(client, WEBSOCKET, "websocket")) {
            pass("\u0081\u0001a", node, client);

            running.moveAndBack();

            assertThat(new String(client.readExactly(GOING_AWAY.length()), StandardCharsets.ISO_8859_1))
                    .isEqualTo(GOING_AWAY);
            client.expectReset();
            running.awaitFaults(Fault.REQUEST_CUT, 1);
            running.awaitCount(Counter.TUNNELS_IN_FLIGHT, 0);
        }
    }
}
