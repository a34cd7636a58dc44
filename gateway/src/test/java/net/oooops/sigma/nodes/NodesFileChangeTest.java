package net.oooops.sigma.nodes;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.call.BoltMessage;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file of nodes changes while the gateway runs: who stays stays, who leaves ends what it has, and no client notices. */
class NodesFileChangeTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private Path file() {
        return dir.resolve("nodes.json");
    }

    private void write(String... nodes) throws IOException {
        Files.writeString(file(), "[" + String.join(", ", nodes) + "]");
    }

    private static String http(ScriptedUpstream node) {
        return "\"" + node.url() + "\"";
    }

    private static String name(ScriptedUpstream node) {
        return "127.0.0.1:" + node.port();
    }

    private ChangingGateway.Builder gateway() {
        return ChangingGateway.http().upstream("nodes-file", file().toString());
    }

    private static ScriptedUpstream node(String name) {
        return ScriptedUpstream.start(request -> Answer.ok(name));
    }

    @Test
    void changesUnderLoadFailNothing() throws Exception {
        try (ScriptedUpstream a = node("a");
                ScriptedUpstream b = node("b");
                ScriptedUpstream c = node("c")) {
            write(http(a), http(b));
            try (ChangingGateway gateway = gateway().workers(2).start()) {
                AtomicBoolean over = new AtomicBoolean();
                List<CompletableFuture<Integer>> loops = new ArrayList<>();
                for (int i = 0; i < 4; i++) {
                    loops.add(CompletableFuture.supplyAsync(() -> loop(gateway, over), Thread::startVirtualThread));
                }
                for (int i = 0; i < 3; i++) {
                    write(http(b), http(c));
                    gateway.awaitNodes(name(b), name(c));
                    write(http(a), http(c));
                    gateway.awaitNodes(name(a), name(c));
                    write(http(a), http(b));
                    gateway.awaitNodes(name(a), name(b));
                }
                over.set(true);
                for (CompletableFuture<Integer> loop : loops) {
                    assertThat(loop.get()).isPositive();
                }
                assertThat(gateway.upstream().changeCount()).isEqualTo(9);
                assertThat(c.requestCount()).isPositive();
            }
        }
    }

    private static int loop(ChangingGateway gateway, AtomicBoolean over) {
        int answered = 0;
        while (!over.get()) {
            try (RawClient client = gateway.connect()) {
                for (int i = 0; i < 100; i++) {
                    RawResponse response = ChangingGateway.ask(client);
                    assertThat(response.status()).as(response.bodyText()).isEqualTo(200);
                    answered++;
                }
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }
        return answered;
    }

    @Test
    void whoLeavesEndsWhatItHasAndGetsNothingMore() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream leaving = ScriptedUpstream.start(request -> {
                    gate.pass();
                    return Answer.ok("leaving");
                });
                ScriptedUpstream staying = node("staying")) {
            write(http(leaving));
            try (ChangingGateway gateway = gateway().start();
                    RawClient first = gateway.connect();
                    RawClient second = gateway.connect()) {
                first.send("GET /first HTTP/1.1\r\nHost: a.example\r\n\r\n");
                leaving.awaitHeads(1);
                write(http(staying));
                gateway.awaitNodes(name(staying));
                Await.until("taken up", () -> gateway.pools(name(leaving)).isEmpty());
                assertThat(ChangingGateway.ask(second).bodyText()).isEqualTo("staying");
                gate.release();
                assertThat(first.readResponse().bodyText()).isEqualTo("leaving");
                leaving.awaitAllClosed();
                assertThat(ChangingGateway.ask(first).bodyText()).isEqualTo("staying");
                assertThat(leaving.requests())
                        .extracting(ReceivedRequest::target)
                        .containsExactly("/first");
            }
        }
    }

    @Test
    void whoWaitsForAConnectionGoesElsewhere() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream leaving = ScriptedUpstream.start(request -> {
                    gate.pass();
                    return Answer.ok("leaving");
                });
                ScriptedUpstream staying = node("staying")) {
            write(http(leaving));
            try (ChangingGateway gateway = gateway()
                            .section("proxy-client", Map.of("max-pool-size-per-server", 1, "wait-timeout", "60s"))
                            .start();
                    RawClient first = gateway.connect();
                    RawClient second = gateway.connect()) {
                first.send("GET /first HTTP/1.1\r\nHost: a.example\r\n\r\n");
                leaving.awaitHeads(1);
                second.send("GET /second HTTP/1.1\r\nHost: a.example\r\n\r\n");
                Await.until(
                        "one waits",
                        () -> gateway.gateway().counters().pools().stream().anyMatch(pool -> pool.waiting() == 1));
                write(http(staying));
                assertThat(second.readResponse().bodyText()).isEqualTo("staying");
                gate.release();
                assertThat(first.readResponse().bodyText()).isEqualTo("leaving");
            }
        }
    }

    @Test
    void whoStaysKeepsItsConnectionsAndWhatIsKnownOfIt() throws Exception {
        try (ScriptedUpstream a = node("a");
                ScriptedUpstream b = node("b")) {
            write(http(a));
            try (ChangingGateway gateway = gateway().start();
                    RawClient client = gateway.connect()) {
                ChangingGateway.ask(client);
                Node before = gateway.gateway().nodes().getFirst();
                write(http(b), "{\"url\": \"" + a.url() + "\", \"weight\": 5}");
                gateway.awaitNodes(name(a), name(b));
                Node after = gateway.gateway().nodes().getLast();
                assertThat(after).isSameAs(before);
                assertThat(after.config().weight()).isEqualTo(5);
                assertThat(after.counts().requests()).isEqualTo(1);
                Await.until("both are used", () -> {
                    ChangingGateway.ask(client);
                    return b.requestCount() > 1 && a.requestCount() > 6;
                });
                assertThat(a.connectionCount()).isEqualTo(1);
            }
        }
    }

    @Test
    void aTryAfterAChangeGoesToWhoIsThere() throws Exception {
        Gate gate = new Gate();
        try (ScriptedUpstream first = ScriptedUpstream.start(request -> {
                    gate.pass();
                    return connection -> connection.reset();
                });
                ScriptedUpstream second = node("second")) {
            write(http(first));
            try (ChangingGateway gateway = gateway().start();
                    RawClient client = gateway.connect()) {
                client.send("GET /a HTTP/1.1\r\nHost: a.example\r\n\r\n");
                first.awaitHeads(1);
                write(http(second));
                Await.until("taken up", () -> gateway.pools(name(first)).isEmpty());
                gate.release();
                // It stands where the first one stood, and wasn't tried yet.
                assertThat(client.readResponse().bodyText()).isEqualTo("second");
            }
        }
    }

    @Test
    void aListThatIsNoneLeavesTheLastOneInPlace() throws Exception {
        try (ScriptedUpstream a = node("a");
                ScriptedUpstream b = node("b")) {
            write(http(a));
            try (ChangingGateway gateway = gateway().start();
                    RawClient client = gateway.connect()) {
                String[] wrong = {"[]", "", "[\"" + b.url() + "\", {\"url\": 1}]", "[\"tcp://127.0.0.1:1\"]"};
                for (int i = 0; i < wrong.length; i++) {
                    int failures = i + 1;
                    Files.writeString(file(), wrong[i]);
                    Await.until(
                            "noticed: " + wrong[i],
                            () -> gateway.upstream().freshness().failureCount() == failures);
                    assertThat(gateway.names()).containsExactly(name(a));
                }
                Files.delete(file());
                Await.until("gone", () -> gateway.upstream().freshness().failureCount() == wrong.length + 1);
                assertThat(gateway.upstream().freshness().isStale()).isTrue();
                assertThat(ChangingGateway.ask(client).bodyText()).isEqualTo("a");
                write(http(b));
                gateway.awaitNodes(name(b));
                Await.until("fresh", () -> !gateway.upstream().freshness().isStale());
                assertThat(gateway.upstream().freshness().failureCount()).isEqualTo(wrong.length + 1);
            }
        }
    }

    @Test
    void aFileInThePlaceOfAnotherAndALinkThatLeadsElsewhereAreSeen() throws Exception {
        try (ScriptedUpstream a = node("a");
                ScriptedUpstream b = node("b");
                ScriptedUpstream c = node("c")) {
            // As Kubernetes has it: nodes.json -> ..data/nodes.json, ..data -> a folder by its time.
            Path one = Files.createDirectory(dir.resolve("..1"));
            Path two = Files.createDirectory(dir.resolve("..2"));
            Files.writeString(one.resolve("nodes.json"), "[" + http(a) + "]");
            Files.writeString(two.resolve("nodes.json"), "[" + http(b) + "]");
            Files.setLastModifiedTime(two.resolve("nodes.json"), Files.getLastModifiedTime(one.resolve("nodes.json")));
            Files.createSymbolicLink(dir.resolve("..data"), Path.of("..1"));
            Files.createSymbolicLink(file(), Path.of("..data/nodes.json"));
            try (ChangingGateway gateway = gateway().start()) {
                assertThat(gateway.names()).containsExactly(name(a));
                Path link = Files.createSymbolicLink(dir.resolve("..data_tmp"), Path.of("..2"));
                Files.move(link, dir.resolve("..data"), StandardCopyOption.ATOMIC_MOVE);
                gateway.awaitNodes(name(b));
                Path fresh = Files.writeString(dir.resolve("fresh"), "[" + http(c) + "]");
                Files.move(fresh, file(), StandardCopyOption.ATOMIC_MOVE);
                gateway.awaitNodes(name(c));
            }
        }
    }

    @Test
    void checksBeginForWhoComesAndEndForWhoIsGone() throws Exception {
        try (ScriptedUpstream a = node("a");
                ScriptedUpstream b = ScriptedUpstream.start(request -> Answer.of(500))) {
            write(http(a));
            Map<String, Object> active =
                    Map.of("http", Map.of("path", "/health"), "interval", "500ms", "timeout", "500ms");
            try (ChangingGateway gateway =
                    gateway().upstream("health", Map.of("active", active)).start()) {
                a.awaitRequests(1);
                write(http(b), http(a));
                Await.until(
                        "b is down", () -> gateway.gateway().nodes().stream().anyMatch(Node::isDown));
                write(http(a));
                Await.value(
                        "who is checked",
                        () -> gateway.gateway().checks().stream()
                                .map(CheckView::node)
                                .toList(),
                        List.of(name(a))::equals);
                b.awaitAllClosed();
                int asked = b.requestCount();
                a.awaitRequests(a.requestCount() + 3);
                assertThat(b.requestCount()).isEqualTo(asked);
                assertThat(gateway.gateway().nodes()).allMatch(Node::isAvailable);
            }
        }
    }

    @Test
    void aCookieNamesItsNodeWhereverThatStands() throws Exception {
        try (ScriptedUpstream a = node("a");
                ScriptedUpstream b = node("b");
                ScriptedUpstream c = node("c")) {
            write(http(a), http(b));
            try (ChangingGateway gateway = gateway()
                            .upstream("sticky", Map.of("name", "node", "key", "0123456789abcdef"))
                            .start();
                    RawClient client = gateway.connect()) {
                RawResponse first = ChangingGateway.ask(client);
                String cookie =
                        String.valueOf(first.headers().first("Set-Cookie")).split(";", 2)[0];
                ScriptedUpstream own = first.bodyText().equals("a") ? a : b;
                write(http(c), http(own));
                gateway.awaitNodes(name(c), name(own));
                String again = "GET /a HTTP/1.1\r\nHost: a.example\r\nCookie: " + cookie + "\r\n\r\n";
                for (int i = 0; i < 10; i++) {
                    RawResponse response = client.send(again).readResponse();
                    assertThat(response.bodyText()).isEqualTo(first.bodyText());
                }
                write(http(c));
                gateway.awaitNodes(name(c));
                Await.until("taken up", () -> gateway.pools(name(own)).isEmpty());
                assertThat(ask(client, again).bodyText()).isEqualTo("c");
                assertThat(ask(client, again).headers().values("Set-Cookie")).hasSize(1);
            }
        }
    }

    private static RawResponse ask(RawClient client, String request) {
        try {
            return client.send(request).readResponse();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void callsOfBoltEndOnTheNodeThatLeaves() throws Exception {
        try (RawServer leaving = RawServer.start();
                RawServer staying = RawServer.start()) {
            write("\"bolt://127.0.0.1:" + leaving.port() + "\"");
            try (ChangingGateway gateway = ChangingGateway.of("bolt")
                            .upstream("nodes-file", file().toString())
                            .start();
                    RawClient client = gateway.connect()) {
                BoltMessage request = BoltMessage.request(1, 7, "a.B", "first");
                client.send(request.bytes());
                RawClient node = leaving.accept();
                BoltMessage there = BoltMessage.read(node);
                write("\"bolt://127.0.0.1:" + staying.port() + "\"");
                gateway.awaitNodes("127.0.0.1:" + staying.port());
                Await.until(
                        "taken up",
                        () -> gateway.pools("127.0.0.1:" + leaving.port()).isEmpty());
                BoltMessage second = BoltMessage.request(1, 8, "a.B", "second");
                client.send(second.bytes());
                RawClient other = staying.accept();
                other.send(BoltMessage.read(other).answer("there").bytes());
                assertThat(BoltMessage.read(client).bytes())
                        .isEqualTo(second.answer("there").bytes());
                node.send(there.answer("here").bytes());
                assertThat(BoltMessage.read(client).bytes())
                        .isEqualTo(request.answer("here").bytes());
                node.expectClosed();
                other.close();
                node.close();
            }
        }
    }

    @Test
    void sessionsOfTcpGoOnWithTheNodeThatLeaves() throws Exception {
        try (RawServer leaving = RawServer.start();
                RawServer staying = RawServer.start()) {
            write("\"tcp://127.0.0.1:" + leaving.port() + "\"");
            try (ChangingGateway gateway = ChangingGateway.of("tcp")
                            .upstream("nodes-file", file().toString())
                            .start();
                    RawClient client = gateway.connect()) {
                client.send("before");
                RawClient node = leaving.accept();
                assertThat(node.readExactly(6)).asString(US_ASCII).isEqualTo("before");
                write("\"tcp://127.0.0.1:" + staying.port() + "\"");
                Await.until(
                        "taken up",
                        () -> gateway.pools("127.0.0.1:" + leaving.port()).isEmpty());
                client.send("after");
                assertThat(node.readExactly(5)).asString(US_ASCII).isEqualTo("after");
                try (RawClient second = gateway.connect()) {
                    second.send("new");
                    RawClient other = staying.accept();
                    assertThat(other.readExactly(3)).asString(US_ASCII).isEqualTo("new");
                    other.close();
                }
                node.close();
            }
        }
    }

    @Test
    void sessionsOfUdpGoOnWithoutTheNodeThatLeaves() throws Exception {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (DatagramSocket leaving = new DatagramSocket(0, loopback);
                DatagramSocket staying = new DatagramSocket(0, loopback);
                DatagramSocket client = new DatagramSocket(0, loopback);
                DatagramSocket second = new DatagramSocket(0, loopback)) {
            write("\"udp://127.0.0.1:" + leaving.getLocalPort() + "\"");
            try (ChangingGateway gateway = ChangingGateway.of("udp")
                    .upstream("nodes-file", file().toString())
                    .start()) {
                send(client, gateway.port(), "before");
                expect(leaving, "before");
                write("\"udp://127.0.0.1:" + staying.getLocalPort() + "\"");
                Await.until(
                        "taken up",
                        () -> gateway.pools("127.0.0.1:" + leaving.getLocalPort())
                                .isEmpty());
                staying.setSoTimeout(20);
                DatagramPacket got = new DatagramPacket(new byte[64], 64);
                Await.until("the session has left", () -> {
                    try {
                        send(client, gateway.port(), "after");
                        staying.receive(got);
                        return true;
                    } catch (IOException e) {
                        return false;
                    }
                });
                send(second, gateway.port(), "new");
                expect(staying, "new");
                assertThat(gateway.count(Counter.SESSIONS_IN_FLIGHT)).isEqualTo(2);
            }
        }
    }

    private static void send(DatagramSocket from, int port, String text) throws IOException {
        byte[] bytes = text.getBytes(US_ASCII);
        from.send(new DatagramPacket(bytes, bytes.length, InetAddress.getLoopbackAddress(), port));
    }

    private static void expect(DatagramSocket at, String text) throws IOException {
        DatagramPacket got = new DatagramPacket(new byte[64], 64);
        at.setSoTimeout((int) Await.DEADLINE.toMillis());
        at.receive(got);
        assertThat(new String(got.getData(), 0, got.getLength(), US_ASCII)).isEqualTo(text);
    }
}
