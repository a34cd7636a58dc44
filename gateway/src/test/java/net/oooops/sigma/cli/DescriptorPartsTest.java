package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process with few file descriptors: no kind of client takes what the others, or those who run it, need. */
@EnabledOnOs(OS.LINUX)
class DescriptorPartsTest {
    private static final int DESCRIPTORS = 700;
    private static final String REQUEST = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String LIVE = "GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n";
    private static final String PART = "the part that they may take of " + DESCRIPTORS + " (ulimit -n)";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void eachKindOfClientHasItsPart(String transport) throws Exception {
        int tcp = FreePorts.one();
        int udp = FreePorts.one();
        int admin = FreePorts.one();
        List<Socket> sockets = new ArrayList<>();
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("yes"));
                SigmaProcess sigma = start(transport, tcp, udp, admin, node.port());
                RawClient client = RawClient.connect(sigma.port())) {
            assertAnswers(client);
            sendFromMany(udp);
            Await.until(
                    "no room for sessions", () -> sigma.err().contains("u: a datagram of a new client is dropped, "));
            try (RawClient next = RawClient.connect(sigma.port())) {
                assertAnswers(next);
            }
            connect(sockets, tcp, 120);
            Await.until("no room at nodes", () -> sigma.err().contains("upstream t node "));
            try (RawClient next = RawClient.connect(sigma.port())) {
                assertAnswers(next);
            }
            connect(sockets, sigma.port(), DESCRIPTORS / 2);
            Await.until("no room for clients", () -> sigma.err().contains("s: a connection is refused, "));
            assertAnswers(client);
            try (RawClient operator = RawClient.connect(admin)) {
                assertThat(operator.send(LIVE).readResponse().status()).isEqualTo(200);
            }
            closeAll(sockets);
            Await.until("back", () -> answers(sigma.port()));
            assertThat(sigma.err())
                    .contains(
                            "out of file descriptors: 87 sessions and connections to nodes, " + PART,
                            ": not connected, out of file descriptors: 175 connections to nodes, " + PART,
                            "out of file descriptors: 175 of clients, " + PART)
                    .doesNotContain("exceptionCaught", "can be accepted");
        } finally {
            closeAll(sockets);
        }
    }

    private SigmaProcess start(String transport, int tcp, int udp, int admin, int node) throws IOException {
        String json = """
                {"proxy-server": {
                   "admin": {"port": %2$d},
                   "http": {"id": "s", "host": "127.0.0.1", "port": 0},
                   "tcp": [{"id": "t", "host": "127.0.0.1", "port": %3$d, "proxy-pass-id": "t"}],
                   "udp": [{"id": "u", "host": "127.0.0.1", "port": %4$d, "proxy-pass-id": "u"}]},
                 "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "h"}]}],
                 "proxy-pass": [{"id": "h", "upstream-id": "h"}, {"id": "t", "upstream-id": "t"}, {"id": "u", "upstream-id": "u"}],
                 "upstream": [
                   {"id": "h", "nodes": ["http://127.0.0.1:%5$d"]},
                   {"id": "t", "nodes": ["tcp://127.0.0.1:%5$d"]},
                   {"id": "u", "nodes": ["udp://127.0.0.1:%5$d"]}],
                 "runtime": {"transport": "%1$s"}}
                """.formatted(transport, admin, tcp, udp, node);
        Path conf = Files.writeString(folder.resolve("sigma.json"), json);
        SigmaProcess.How bounded = new SigmaProcess.How(
                List.of("bash", "-c", "ulimit -n " + DESCRIPTORS + "; exec \"$@\"", "bash"),
                System.getProperty("java.class.path"));
        SigmaProcess sigma = SigmaProcess.start(
                folder, bounded, List.of("run", RunWords.VERTICLE, "-conf", conf.toString(), "-instance", "1"));
        sigma.awaitListening();
        return sigma;
    }

    /** From as many addresses as there are descriptors: each is a client of its own. */
    private static void sendFromMany(int port) throws IOException {
        InetSocketAddress to = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        for (int i = 0; i < DESCRIPTORS; i++) {
            InetAddress from = InetAddress.ofLiteral("127.0." + (1 + i / 250) + "." + (1 + i % 250));
            try (DatagramSocket client = new DatagramSocket(new InetSocketAddress(from, 0))) {
                client.send(new DatagramPacket(new byte[1], 1, to));
            }
        }
    }

    private static void connect(List<Socket> all, int port, int count) throws IOException {
        for (int i = 0; i < count; i++) {
            all.add(new Socket(InetAddress.getLoopbackAddress(), port));
        }
    }

    private static void assertAnswers(RawClient client) throws IOException {
        assertThat(client.send(REQUEST).readResponse().bodyText()).isEqualTo("yes");
    }

    private static boolean answers(int port) {
        try (RawClient client = RawClient.connect(port)) {
            return client.send(REQUEST).readResponse().status() == 200;
        } catch (IOException | AssertionError e) {
            return false;
        }
    }

    private static void closeAll(List<Socket> sockets) throws IOException {
        for (Socket each : sockets) {
            each.close();
        }
        sockets.clear();
    }
}
