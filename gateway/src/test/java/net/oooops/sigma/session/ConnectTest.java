package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeCounts;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How a session gets its node: another one where one can't be reached, and what nodes are told of the client. */
class ConnectTest {
    /** How long a node is looked at, and how often, until another one is: {@link Await#DEADLINE} in all. */
    private static final Duration LOOK = Duration.ofMillis(10);

    private static final int LOOKS = 500;

    private final RawServer node = RawServer.start();

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void anotherNodeTakesASessionWithAllThatWasSent() throws Exception {
        String early = "x".repeat(50_000);
        try (PortHold refused = ScriptedUpstream.refusedPort();
                TcpFixture gateway =
                        TcpFixture.to().node(refused.port()).node(node.port()).start();
                RawClient client = gateway.connect()) {
            client.send(early);
            try (RawClient server = node.accept()) {
                assertThat(new String(server.readExactly(50_000), US_ASCII)).isEqualTo(early);
                server.send("yes");
                assertThat(new String(client.readExactly(3), US_ASCII)).isEqualTo("yes");
            }
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_FAILED, 1);
            gateway.awaitCount(Counter.UPSTREAM_RETRIES, 1);
            List<NodeCounts> counts =
                    gateway.gateway().nodes().stream().map(Node::counts).toList();
            assertThat(counts).extracting(NodeCounts::requests).containsExactly(0L, 1L);
            assertThat(counts).extracting(NodeCounts::connectFailures).containsExactly(1L, 0L);
            assertThat(counts).extracting(NodeCounts::retries).containsExactly(1L, 0L);
            assertThat(counts)
                    .extracting(of -> LongStream.of(of.buckets()).sum())
                    .containsExactly(0L, 1L);
        }
    }

    @Test
    void aNodeThatDoesNotAnswerInTimeIsPassedOver() throws Exception {
        try (PortHold hanging = ScriptedUpstream.fullBacklogPort();
                TcpFixture gateway = TcpFixture.to()
                        .node(hanging.port())
                        .node(node.port())
                        .top("proxy-client", Map.of("connect-timeout", "200ms"))
                        .start();
                RawClient client = gateway.connect()) {
            client.send("early").halfClose();
            try (RawClient server = node.accept()) {
                assertThat(new String(server.readUntilClose(), US_ASCII)).isEqualTo("early");
            }
            gateway.awaitCount(Counter.UPSTREAM_RETRIES, 1);
        }
    }

    @Test
    void whereNoNodeCanBeReachedTheClientIsReset() throws Exception {
        try (PortHold one = ScriptedUpstream.refusedPort();
                PortHold two = ScriptedUpstream.refusedPort();
                TcpFixture gateway =
                        TcpFixture.to().node(one.port()).node(two.port()).start()) {
            try (RawClient client = gateway.connect()) {
                client.expectReset();
            } catch (SocketException e) {
                // It was reset before the client saw that it was connected.
                assertThat(e).hasMessageContaining("reset");
            }
            gateway.awaitFaults(Fault.CONNECT_FAILED, 1);
            gateway.awaitCount(Counter.SESSIONS_CUT, 1);
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_FAILED, 2);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aClientThatIsGoneBeforeItsNodeIsThereCostsTheNodeNothing() throws Exception {
        try (PortHold hanging = ScriptedUpstream.fullBacklogPort();
                TcpFixture gateway = TcpFixture.to()
                        .node(hanging.port())
                        .top("proxy-client", Map.of("connect-timeout", "300ms"))
                        .start();
                RawClient client = gateway.connect()) {
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
            client.reset();
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_FAILED, 1);
            gateway.awaitCount(Counter.SESSIONS_CUT, 1);
        }
    }

    /** Whose server is gone, say, or who is gone himself: as long as its connection is being opened, that has a descriptor, which isn't another's. */
    @Test
    void theRoomOfASessionThatIsCutIsAnothersWhenItsSocketIs() throws Exception {
        try (TcpFixture gateway = connectingForLong().start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            Bound connections = gateway.registry().descriptors().nodes();
            server.readExactly(1);
            assertThat(connections.count()).isEqualTo(1);
            gateway.reload(connectingForLong().server("host", "127.0.0.2"));
            client.expectReset();
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            gateway.awaitCount(Counter.SESSIONS_CUT, 1);
            assertThat(connections.count()).isEqualTo(1);
            server.socket().close();
            Await.value("connections to nodes", connections::count, seen -> seen == 0);
        }
    }

    private TcpFixture.Builder connectingForLong() {
        return TcpFixture.to()
                .secureNode(node.port())
                .top("proxy-client", Map.of("connect-timeout", "30s"))
                .top("timeouts", Map.of("drain", "100ms"));
    }

    @Test
    void theRoomOfASessionIsAnothersWhenBothHaveEnded() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node).start();
                RawClient client = gateway.connect();
                RawClient server = node.accept()) {
            Bound connections = gateway.registry().descriptors().nodes();
            client.send("x").halfClose();
            server.readUntilClose();
            assertThat(connections.count()).isEqualTo(1);
            server.halfClose();
            Await.value("connections to nodes", connections::count, seen -> seen == 0);
        }
    }

    @Test
    void aConnectionThatComesTooLateForItsSessionIsClosed() throws Exception {
        try (TcpFixture gateway =
                TcpFixture.to(node).server("idle-timeout", "10s").start()) {
            for (int i = 0; i < 200; i++) {
                gateway.connect().reset();
            }
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            Bound connections = gateway.registry().descriptors().nodes();
            Await.value("connections to nodes", connections::count, seen -> seen == 0);
        }
    }

    @Test
    void version1TellsTheNodeWhoTheClientIs() throws Exception {
        try (TcpFixture gateway =
                        TcpFixture.to(node).pass("proxy-protocol", "v1").start();
                RawClient client = gateway.connect(ClientOptions.defaults().withLocalHost("127.0.0.7"))) {
            client.send("hello");
            String expected = "PROXY TCP4 127.0.0.7 127.0.0.1 " + client.localPort() + " " + gateway.port() + "\r\n";
            try (RawClient server = node.accept()) {
                assertThat(new String(server.readExactly(expected.length() + 5), US_ASCII))
                        .isEqualTo(expected + "hello");
            }
        }
    }

    @Test
    void version2TellsTheNodeWhoTheClientIs() throws Exception {
        try (TcpFixture gateway =
                        TcpFixture.to(node).pass("proxy-protocol", "v2").start();
                RawClient client = gateway.connect(ClientOptions.defaults().withLocalHost("127.0.0.7"))) {
            client.send("hello");
            byte[] expected =
                    Headers.v2(0x21, 0x11, Headers.ipv4("127.0.0.7", "127.0.0.1", client.localPort(), gateway.port()));
            try (RawClient server = node.accept()) {
                assertThat(server.readExactly(expected.length)).isEqualTo(expected);
                assertThat(server.readExactly(5)).isEqualTo("hello".getBytes(US_ASCII));
            }
        }
    }

    @Test
    void aHeaderIsReadAndAnotherSent() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                        .server("proxy-protocol", true)
                        .server("trusted-proxies", List.of("127.0.0.0/8"))
                        .pass("proxy-protocol", "v1")
                        .start();
                RawClient client = gateway.connect()) {
            client.send("PROXY TCP6 2001:db8::7 2001:db8::1 4000 443\r\nhello");
            try (RawClient server = node.accept()) {
                String expected = "PROXY TCP6 2001:db8::7 2001:db8::1 4000 443\r\nhello";
                assertThat(new String(server.readExactly(expected.length()), US_ASCII))
                        .isEqualTo(expected);
            }
        }
    }

    @Test
    void theSameClientHasTheSameNodeOnEveryWorker() throws Exception {
        try (RawServer other = RawServer.start();
                TcpFixture gateway = TcpFixture.to(node, other)
                        .upstream("rule-strategy", "source-hash")
                        .workers(2)
                        .start()) {
            List<Boolean> first = new ArrayList<>();
            for (int round = 0; round < 3; round++) {
                List<Boolean> toFirst = new ArrayList<>();
                for (int i = 1; i <= 12; i++) {
                    toFirst.add(isServedBy(node, gateway, "127.0.0." + i, other));
                }
                first = round == 0 ? toFirst : first;
                assertThat(toFirst).isEqualTo(first);
            }
            assertThat(first).contains(true, false);
        }
    }

    private static boolean isServedBy(RawServer one, TcpFixture gateway, String from, RawServer other)
            throws IOException {
        try (RawClient client = gateway.connect(ClientOptions.defaults().withLocalHost(from))) {
            client.send("x").halfClose();
            // Which of them it is isn't known by who is asked first, but by who has it.
            for (int i = 0; i < LOOKS; i++) {
                if (one.acceptsWithin(LOOK)) {
                    return true;
                }
                if (other.acceptsWithin(LOOK)) {
                    return false;
                }
            }
            throw new AssertionError("neither node has the session of " + from);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"round-robin", "least-connections", "random"})
    void otherStrategiesGoByWeight(String strategy) throws Exception {
        try (RawServer other = RawServer.start();
                TcpFixture gateway = TcpFixture.to()
                        .node(node.port(), 1)
                        .node(other.port(), 60_000)
                        .upstream("rule-strategy", strategy)
                        .start()) {
            for (int i = 0; i < 4; i++) {
                try (RawClient client = gateway.connect();
                        RawClient server = other.accept()) {
                    client.send("x");
                    assertThat(server.readExactly(1)).hasSize(1);
                }
                gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            }
        }
    }
}
