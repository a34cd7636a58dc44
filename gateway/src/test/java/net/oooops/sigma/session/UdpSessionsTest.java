package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.net.BindException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** How sessions of UDP begin and end, and which node they have; on each transport that works on this machine. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
class UdpSessionsTest {
    private final Transport transport;
    private final RawUdp node = RawUdp.open();
    private final RawUdp client = RawUdp.open();

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    UdpSessionsTest(Transport transport) throws IOException {
        this.transport = transport;
    }

    @AfterEach
    void close() {
        client.close();
        node.close();
    }

    private UdpFixture.Builder toNode() {
        return UdpFixture.on(transport, node);
    }

    private static int refusingPort() throws IOException {
        try (RawUdp closed = RawUdp.open()) {
            return closed.port();
        }
    }

    @Test
    void eachClientHasASocketToTheNode() throws Exception {
        try (UdpFixture gateway = toNode().start();
                RawUdp other = RawUdp.open()) {
            client.send("one", gateway.address());
            InetSocketAddress ofClient = node.expect("one");
            other.send("two", gateway.address());
            InetSocketAddress ofOther = node.expect("two");
            assertThat(ofOther).isNotEqualTo(ofClient);
            node.send("to two", ofOther).send("to one", ofClient).send("to one again", ofClient);
            assertThat(client.expect("to one")).isEqualTo(gateway.address());
            client.expect("to one again");
            other.expect("to two");
            client.send("more", gateway.address());
            assertThat(node.expect("more")).isEqualTo(ofClient);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 2);
            gateway.awaitCount(Counter.UDP_SESSIONS_IN_FLIGHT, 2);
        }
    }

    @Test
    void nobodyButTheNodeIsHeard() throws Exception {
        try (UdpFixture gateway = toNode().start();
                RawUdp stranger = RawUdp.open()) {
            client.send("question", gateway.address());
            InetSocketAddress session = node.expect("question");
            stranger.send("forged", session);
            client.send("", gateway.address());
            node.expect("");
            stranger.send("forged again", session);
            node.send("answer", session);
            client.expect("answer");
            client.expectNothing();
            gateway.awaitCount(Counter.UPSTREAM_DATAGRAMS_RECEIVED, 1);
        }
    }

    @Test
    void anotherNodeTakesTheNextDatagramOfWhoWasRefused() throws Exception {
        node.echo();
        try (UdpFixture gateway = UdpFixture.on(transport)
                .node(refusingPort())
                .node(refusingPort())
                .node(node.port())
                .start()) {
            int sent = 0;
            while (gateway.count(Counter.UPSTREAM_DATAGRAMS_RECEIVED) == 0) {
                long refusals = sent++;
                client.send("try " + sent, gateway.address());
                Await.until(
                        "refused or answered",
                        () -> gateway.count(Counter.UPSTREAM_REFUSALS) > refusals
                                || gateway.count(Counter.UPSTREAM_DATAGRAMS_RECEIVED) > 0);
            }
            client.expect("try " + sent);
            long refusals = sent - 1L;
            assertThat(refusals).isBetween(0L, 2L);
            gateway.awaitCount(Counter.UPSTREAM_REFUSALS, refusals);
            gateway.awaitCount(Counter.UPSTREAM_RETRIES, refusals);
            for (int i = 0; i < 10; i++) {
                client.send("on " + i, gateway.address());
                client.expect("on " + i);
            }
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
            gateway.awaitCount(Counter.UPSTREAM_REFUSALS, refusals);
        }
    }

    @Test
    void whereAllRefuseTheFirstThatIsBackServes() throws Exception {
        int port = refusingPort();
        try (UdpFixture gateway = UdpFixture.on(transport).node(port).start()) {
            for (int i = 1; i <= 3; i++) {
                client.send("nobody hears", gateway.address());
                gateway.awaitCount(Counter.UPSTREAM_REFUSALS, i);
            }
            try (RawUdp back = RawUdp.at("127.0.0.1", port)) {
                back.echo();
                client.send("hello", gateway.address());
                client.expect("hello");
            }
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
        }
    }

    @Test
    void aNodeThatNoSocketCanReachIsPassedOverAtOnce() throws Exception {
        node.echo();
        try (UdpFixture gateway = UdpFixture.on(transport)
                .node("255.255.255.255", 9)
                .node("nowhere.invalid", 9)
                .node(node.port())
                .start()) {
            client.send("first of all", gateway.address());
            client.expect("first of all");
            assertThat(gateway.count(Counter.UPSTREAM_DATAGRAMS_DROPPED)).isZero();
        }
    }

    @Test
    void whereNoNodeCanBeReachedTheSessionEnds() throws Exception {
        try (UdpFixture gateway = UdpFixture.on(transport)
                .node("255.255.255.255", 9)
                .upstream("rule-strategy", "least-connections")
                .start()) {
            client.send("x", gateway.address()).send("y", gateway.address());
            gateway.awaitCount(Counter.SESSIONS_CUT, 2);
            gateway.awaitFaults(Fault.CONNECT_FAILED, 2);
            gateway.awaitCount(Counter.UPSTREAM_CONNECTIONS_FAILED, 2);
            gateway.awaitCount(Counter.UPSTREAM_DATAGRAMS_DROPPED, 2);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aSessionWhoseNodesAllRefusedHasFailed() throws Exception {
        Path log = dir.resolve("access.log");
        try (UdpFixture gateway = UdpFixture.on(transport)
                .node(refusingPort())
                .server("idle-timeout", "300ms")
                .accessLog(log)
                .start()) {
            client.send("nobody hears", gateway.address());
            gateway.awaitCount(Counter.UPSTREAM_REFUSALS, 1);
            gateway.awaitCount(Counter.SESSIONS_CUT, 1);
            gateway.awaitFaults(Fault.CONNECT_FAILED, 1);
            gateway.stop(Duration.ofSeconds(5)).get();
        }
        assertThat(line(log, 0).get("flag").asText()).isEqualTo("UF");
    }

    @Test
    void beingIdleIsHowASessionEnds() throws Exception {
        Path log = dir.resolve("access.log");
        try (UdpFixture gateway =
                toNode().server("idle-timeout", "200ms").accessLog(log).start()) {
            client.send("question", gateway.address());
            InetSocketAddress session = node.expect("question");
            node.send("an answer", session);
            client.expect("an answer");
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            Await.until("its port is free", () -> isFree(session.getPort()));
            node.send("late", session);
            client.expectNothing();
            client.send("again", gateway.address());
            node.expect("again");
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 2);
            gateway.stop(Duration.ofSeconds(5)).get();
        }
        JsonNode line = line(log, 0);
        List<String> texts = new ArrayList<>();
        for (String member : List.of("client", "status", "bytes", "listener", "upstream", "node", "attempts", "flag")) {
            texts.add(line.get(member).asText());
        }
        assertThat(texts)
                .containsExactly("127.0.0.1", "0", "9", "udp", "upstream", "127.0.0.1:" + node.port(), "1", "null");
        assertThat(line.get("duration_ms").doubleValue()).isGreaterThanOrEqualTo(200);
    }

    private static JsonNode line(Path log, int number) throws IOException {
        return new ObjectMapper().readTree(Files.readAllLines(log).get(number));
    }

    private static boolean isFree(int port) {
        try (RawUdp socket = RawUdp.at("127.0.0.1", port)) {
            return socket.port() == port;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void eitherSideKeepsASessionAlive() throws Exception {
        try (UdpFixture gateway = toNode().server("idle-timeout", "1500ms").start()) {
            client.send("begin", gateway.address());
            InetSocketAddress session = node.expect("begin");
            long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2500);
            while (System.nanoTime() < end) {
                node.send("news", session);
                client.expect("news");
            }
            end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(2500);
            while (System.nanoTime() < end) {
                client.send("report", gateway.address());
                node.expect("report");
            }
            assertThat(gateway.count(Counter.SESSIONS_COMPLETE)).isZero();
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
        }
    }

    @Test
    void beyondTheBoundNewClientsAreNotHeard() throws Exception {
        node.echo();
        try (UdpFixture gateway = toNode().server("max-sessions", 1)
                        .server("idle-timeout", "500ms")
                        .start();
                RawUdp other = RawUdp.open()) {
            client.send("first", gateway.address());
            client.expect("first");
            other.send("second", gateway.address());
            gateway.awaitCount(Counter.DATAGRAMS_DROPPED_SESSIONS, 1);
            client.send("first again", gateway.address());
            client.expect("first again");
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            other.send("third", gateway.address());
            other.expect("third");
        }
    }

    @Test
    void theBoundIsSharedOutAmongWorkers() throws Exception {
        List<RawUdp> clients = new ArrayList<>();
        try (UdpFixture gateway = toNode().workers(2).server("max-sessions", 4).start()) {
            for (int i = 0; i < 60; i++) {
                RawUdp each = RawUdp.open();
                clients.add(each);
                each.send("x", gateway.address());
            }
            gateway.awaitCount(Counter.DATAGRAMS_DROPPED_SESSIONS, 56);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 4);
        } finally {
            clients.forEach(RawUdp::close);
        }
    }

    @Test
    void pluginsSeeASessionBeforeItHasANode() throws Exception {
        node.echo();
        try (UdpFixture gateway = toNode().server(
                                "plugin", Map.of("ip-restriction", Map.of("deny", List.of("127.0.0.3"))))
                        .pass("plugin", Map.of("connection-rate", Map.of("connections", 1, "per", "1h")))
                        .start();
                RawUdp denied = RawUdp.at("127.0.0.3", 0);
                RawUdp second = RawUdp.open()) {
            denied.send("x", gateway.address());
            gateway.awaitCount(Counter.DATAGRAMS_DROPPED_REFUSED, 1);
            client.send("a", gateway.address());
            client.expect("a");
            client.send("b", gateway.address());
            client.expect("b");
            second.send("too often", gateway.address());
            gateway.awaitCount(Counter.DATAGRAMS_DROPPED_REFUSED, 2);
            gateway.awaitFaults(Fault.SESSION_REFUSED, 2);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
            gateway.awaitCount(Counter.UPSTREAM_DATAGRAMS_SENT, 2);
        }
    }

    @Test
    void whileDrainingSessionsGoOnAndNoneBegins() throws Exception {
        node.echo();
        try (UdpFixture gateway =
                toNode().workers(2).server("idle-timeout", "800ms").start()) {
            client.send("before", gateway.address());
            client.expect("before");
            CompletableFuture<Long> stopped = gateway.stop(Duration.ofSeconds(20));
            while (gateway.count(Counter.DATAGRAMS_DROPPED_DRAINING) == 0) {
                try (RawUdp other = RawUdp.open()) {
                    other.send("new", gateway.address());
                }
                client.send("on", gateway.address());
                client.expect("on");
            }
            client.send("after", gateway.address());
            client.expect("after");
            assertThat(stopped).isNotDone();
            assertThat(stopped.get(20, TimeUnit.SECONDS)).isZero();
            assertThat(gateway.faults(Fault.SESSION_CUT)).isZero();
            assertThat(isFree(gateway.port())).isTrue();
        }
    }

    @Test
    void whatIsLeftAfterDrainingIsCut() throws Exception {
        node.echo();
        try (UdpFixture gateway = toNode().start()) {
            client.send("before", gateway.address());
            client.expect("before");
            assertThat(gateway.stop(Duration.ofMillis(200)).get(20, TimeUnit.SECONDS))
                    .isOne();
            gateway.awaitFaults(Fault.SESSION_CUT, 1);
            assertThat(isFree(gateway.port())).isTrue();
        }
    }

    @Test
    void aClientHasOneSessionHoweverManyWorkersThereAre() throws Exception {
        node.echo();
        List<RawUdp> clients = new ArrayList<>();
        try (UdpFixture gateway = toNode().workers(2).start()) {
            for (int i = 0; i < 40; i++) {
                clients.add(RawUdp.open());
            }
            for (int round = 0; round < 5; round++) {
                for (RawUdp each : clients) {
                    each.send("round " + round, gateway.address());
                }
                for (RawUdp each : clients) {
                    each.expect("round " + round);
                }
            }
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 40);
            gateway.awaitCount(Counter.DOWNSTREAM_DATAGRAMS_SENT, 200);
        } finally {
            clients.forEach(RawUdp::close);
        }
    }

    @Test
    void theSameAddressHasTheSameNodeOnEveryWorker() throws Exception {
        try (RawUdp other = RawUdp.open();
                UdpFixture gateway = UdpFixture.on(transport, node, other)
                        .upstream("rule-strategy", "source-hash")
                        .workers(2)
                        .start()) {
            node.echo();
            other.echo();
            for (int i = 1; i <= 6; i++) {
                askFromFourPorts(gateway, "127.0.1." + i);
            }
            List<Integer> open = Await.value(
                    "all sessions are shown",
                    gateway::sessionsOfNodes,
                    each -> each.stream().mapToInt(Integer::intValue).sum() == 24);
            assertThat(open).allSatisfy(count -> assertThat(count % 4).isZero());
        }
    }

    private static void askFromFourPorts(UdpFixture gateway, String address) throws IOException {
        // Open at once: a port that is free again may be the next one's too, and its session then.
        List<RawUdp> ports = new ArrayList<>();
        try {
            for (int i = 0; i < 4; i++) {
                RawUdp each = RawUdp.at(address, 0);
                ports.add(each);
                each.send("x", gateway.address());
                each.expect("x");
            }
        } finally {
            ports.forEach(RawUdp::close);
        }
    }

    @Test
    void aNodeMayHaveAName() throws Exception {
        node.echo();
        try (UdpFixture gateway =
                UdpFixture.on(transport).node("localhost", node.port()).start()) {
            // Until its addresses are known, datagrams are dropped; and one of them may be of IPv6, where nobody is.
            String answered = Await.value("an answer", () -> ask(gateway), text -> !text.isEmpty());
            assertThat(answered).isEqualTo("hello");
        }
    }

    private String ask(UdpFixture gateway) {
        try {
            client.send("hello", gateway.address());
            return client.receiveWithin(100);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aSecondGatewayCannotTakeThePort() throws Exception {
        try (UdpFixture gateway = toNode().workers(2).start()) {
            UdpFixture.Builder second = toNode().server("port", gateway.port());
            assertThatThrownBy(second::tryStart)
                    .isInstanceOf(StartException.class)
                    .hasMessageContaining("proxy-server \"udp\": can't listen on 127.0.0.1:" + gateway.port())
                    .hasRootCauseInstanceOf(BindException.class);
        }
    }
}
