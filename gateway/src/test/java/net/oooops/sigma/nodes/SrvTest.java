package net.oooops.sigma.nodes;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.call.BoltMessage;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Node;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The nodes are a service that a real name server knows, which changes, fails and comes back. */
class SrvTest {
    private static final String SRV = "_http._tcp.orders.test";
    private static final Duration LONG = Duration.ofSeconds(30);

    private final int port = DnsMasq.freePort();

    @BeforeAll
    static void needsANameServer() {
        DnsMasq.needed();
    }

    private DnsMasq names(String... knows) {
        return DnsMasq.start(port, knows);
    }

    private static String srv(String host, int port, int priority, int weight) {
        return "--srv-host=" + SRV + "," + host + ".test," + port + "," + priority + "," + weight;
    }

    private static String host(String name) {
        return "--host-record=" + name + ".test,127.0.0.1";
    }

    private ChangingGateway.Builder with(ChangingGateway.Builder builder) {
        return builder.upstream("dns-srv", SRV)
                .setting("dns", Map.of("servers", List.of("127.0.0.1:" + port), "timeout", "300ms"));
    }

    private ChangingGateway.Builder gateway() {
        return with(ChangingGateway.http());
    }

    /** Each of its answers takes a connection of its own, so that its name is asked for each time. */
    private static ScriptedUpstream node(String name) {
        return ScriptedUpstream.start(request -> Answer.ok(name).header("Connection", "close"));
    }

    private static void awaitAnswer(RawClient client, String expected) {
        Await.value(
                "answer (expected: " + expected + ")",
                LONG,
                () -> ChangingGateway.ask(client),
                response -> response.bodyText().equals(expected));
    }

    @Test
    void portsWeightsAndPrioritiesAreThoseOfTheRecords() throws IOException {
        try (ScriptedUpstream a = node("a");
                ScriptedUpstream b = node("b");
                ScriptedUpstream c = node("c");
                DnsMasq _ = names(
                        srv("one", a.port(), 10, 3),
                        srv("two", b.port(), 10, 1),
                        srv("one", c.port(), 20, 0),
                        host("one"),
                        host("two"));
                ChangingGateway gateway = gateway().start();
                RawClient client = gateway.connect()) {
            gateway.awaitNodes("one.test:" + a.port(), "two.test:" + b.port(), "one.test:" + c.port());
            assertThat(gateway.gateway().nodes())
                    .extracting(Node::config)
                    .containsExactlyInAnyOrder(
                            new NodeConfig("one.test", a.port(), 3),
                            new NodeConfig("two.test", b.port(), 1),
                            new NodeConfig("one.test", c.port(), 1, true, ""));
            Await.until("taken up", () -> !gateway.pools("two.test:" + b.port()).isEmpty());
            for (int i = 0; i < 40; i++) {
                assertThat(ChangingGateway.ask(client).status()).isEqualTo(200);
            }
            assertThat(a.requestCount()).isEqualTo(30);
            assertThat(b.requestCount()).isEqualTo(10);
            assertThat(c.requestCount()).isZero();
            // Answers come in another order each time, which is no change.
            assertThat(gateway.upstream().changeCount()).isEqualTo(1);
        }
    }

    @Test
    void aNameServerThatDiesLeavesWhatItSaidUntilItComesBack() throws IOException {
        try (ScriptedUpstream a = node("a");
                ScriptedUpstream b = node("b")) {
            DnsMasq first = names(srv("one", a.port(), 0, 0), host("one"));
            try (ChangingGateway gateway = gateway().admin().workers(2).start();
                    RawClient client = gateway.connect()) {
                gateway.awaitNodes("one.test:" + a.port());
                awaitAnswer(client, "a");
                first.close();
                Await.until("both are noticed", LONG, () -> {
                    assertThat(ChangingGateway.ask(client).bodyText()).isEqualTo("a");
                    return gateway.upstream().freshness().isStale()
                            && metrics(gateway).contains("sigma_names_failing 2.0");
                });
                for (int i = 0; i < 30; i++) {
                    assertThat(ChangingGateway.ask(client).bodyText()).isEqualTo("a");
                }
                assertThat(metrics(gateway))
                        .contains("sigma_upstream_nodes_stale{upstream=\"u\"} 1.0")
                        .doesNotContain("sigma_name_failures_total 0.0");
                assertThat(admin(gateway, "/nodes").bodyText()).contains("\"stale\":true");
                try (DnsMasq _ =
                        names(srv("one", a.port(), 0, 0), srv("two", b.port(), 0, 0), host("one"), host("two"))) {
                    gateway.awaitNodes("one.test:" + a.port(), "two.test:" + b.port());
                    awaitAnswer(client, "b");
                    Await.until("nothing fails any more", LONG, () -> {
                        assertThat(ChangingGateway.ask(client).status()).isEqualTo(200);
                        return metrics(gateway).contains("sigma_names_failing 0.0");
                    });
                    assertThat(gateway.upstream().freshness().isStale()).isFalse();
                }
            } finally {
                first.close();
            }
        }
    }

    @Test
    void anEmptyAnswerLeavesTheLastNodes() throws IOException {
        try (ScriptedUpstream a = node("a")) {
            DnsMasq first = names(srv("one", a.port(), 0, 0), host("one"));
            try (ChangingGateway gateway = gateway().start();
                    RawClient client = gateway.connect()) {
                awaitAnswer(client, "a");
                first.close();
                try (DnsMasq _ = names("--txt-record=" + SRV + ",none", host("one"))) {
                    Await.until(
                            "noticed",
                            LONG,
                            () -> gateway.upstream().freshness().failureCount() >= 3);
                    assertThat(ChangingGateway.ask(client).bodyText()).isEqualTo("a");
                    assertThat(gateway.upstream().changeCount()).isEqualTo(1);
                }
            } finally {
                first.close();
            }
        }
    }

    @Test
    void withoutAnAnswerItStartsAndIsNotReadyUntilThereIsOne() throws IOException {
        try (ScriptedUpstream a = node("a");
                ChangingGateway gateway = gateway().admin().start();
                RawClient client = gateway.connect()) {
            assertThat(gateway.names()).isEmpty();
            assertThat(ChangingGateway.ask(client).status()).isEqualTo(503);
            RawResponse ready = admin(gateway, "/health/ready");
            assertThat(ready.status()).isEqualTo(503);
            assertThat(ready.bodyText()).contains("upstream u: no healthy node");
            try (DnsMasq _ = names(srv("one", a.port(), 0, 0), host("one"))) {
                gateway.awaitNodes("one.test:" + a.port());
                awaitAnswer(client, "a");
                assertThat(admin(gateway, "/health/ready").status()).isEqualTo(200);
            }
        }
    }

    @Test
    void aDotMeansThatThereIsNone() throws IOException {
        try (ScriptedUpstream a = node("a")) {
            DnsMasq first = names(srv("one", a.port(), 0, 0), host("one"));
            try (ChangingGateway gateway = gateway().start();
                    RawClient client = gateway.connect()) {
                awaitAnswer(client, "a");
                first.close();
                DnsMasq second = names("--srv-host=" + SRV);
                try {
                    gateway.awaitNodes();
                    Await.until(
                            "none is left", () -> ChangingGateway.ask(client).status() == 503);
                    assertThat(gateway.upstream().freshness().isStale()).isFalse();
                } finally {
                    second.close();
                }
                try (DnsMasq _ = names(srv("one", a.port(), 0, 0), host("one"))) {
                    awaitAnswer(client, "a");
                }
            } finally {
                first.close();
            }
        }
    }

    @Test
    void aLongListComesOverTcp() {
        String[] knows = new String[400];
        for (int i = 0; i < knows.length; i++) {
            knows[i] = srv("a-rather-long-name-for-a-host-of-a-test-" + i, 8000, 0, 0);
        }
        try (DnsMasq _ = names(knows);
                ChangingGateway gateway = gateway().start()) {
            Await.until("all of them", () -> gateway.names().size() == knows.length);
        }
    }

    @Test
    void sessionsOfTcp() throws IOException {
        try (RawServer a = RawServer.start();
                DnsMasq _ = names(srv("one", a.port(), 0, 0), host("one"));
                ChangingGateway gateway = with(ChangingGateway.of("tcp")).start()) {
            Await.until("taken up", () -> !gateway.pools("one.test:" + a.port()).isEmpty());
            try (RawClient client = gateway.connect()) {
                client.send("hello");
                RawClient node = a.accept();
                assertThat(node.readExactly(5)).asString(US_ASCII).isEqualTo("hello");
                node.close();
            }
        }
    }

    @Test
    void callsOfBolt() throws IOException {
        try (RawServer a = RawServer.start();
                DnsMasq _ = names(srv("one", a.port(), 0, 0), host("one"));
                ChangingGateway gateway = with(ChangingGateway.of("bolt")).start()) {
            Await.until("taken up", () -> !gateway.pools("one.test:" + a.port()).isEmpty());
            try (RawClient client = gateway.connect()) {
                BoltMessage request = BoltMessage.request(1, 7, "a.B", "ask");
                client.send(request.bytes());
                RawClient node = a.accept();
                node.send(BoltMessage.read(node).answer("there").bytes());
                assertThat(BoltMessage.read(client).bytes())
                        .isEqualTo(request.answer("there").bytes());
                node.close();
            }
        }
    }

    @Test
    void sessionsOfUdp() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        String name = "_echo._udp.orders.test";
        try (DatagramSocket node = new DatagramSocket(0, loopback);
                DatagramSocket client = new DatagramSocket(0, loopback);
                DnsMasq _ = names("--srv-host=" + name + ",one.test," + node.getLocalPort() + ",0,0", host("one"));
                ChangingGateway gateway = with(ChangingGateway.of("udp"))
                        .upstream("dns-srv", name)
                        .start()) {
            Await.until(
                    "taken up",
                    () -> !gateway.pools("one.test:" + node.getLocalPort()).isEmpty());
            node.setSoTimeout(200);
            byte[] hello = "hello".getBytes(US_ASCII);
            DatagramPacket got = new DatagramPacket(new byte[16], 16);
            // Until the name has an address, datagrams find no node.
            Await.until("received", () -> {
                try {
                    client.send(new DatagramPacket(hello, hello.length, loopback, gateway.port()));
                    node.receive(got);
                    return got.getLength() == hello.length;
                } catch (IOException e) {
                    return false;
                }
            });
        }
    }

    private static String metrics(ChangingGateway gateway) {
        return admin(gateway, "/metrics").bodyText();
    }

    private static RawResponse admin(ChangingGateway gateway, String path) {
        int port = Objects.requireNonNull(gateway.gateway().adminAddress()).getPort();
        try (RawClient client = RawClient.connect(port)) {
            return client.send("GET " + path + " HTTP/1.1\r\nHost: localhost\r\n\r\n")
                    .readResponse();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
