package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** A new process has the sockets of UDP to itself, once the one before has proven that it isn't needed; and files that it followed hold after it, too. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
class UpgradedDatagramsTest extends UpgradeFixture {
    private static final Duration LONG = Duration.ofSeconds(40);

    private final int[] ports = FreePorts.several(3);

    /** A server of TCP, and what else there is. */
    private Path write(int tcpNode, int udpNode, String more) throws IOException {
        String json = """
                {"proxy-server": {"tcp": [{"id": "t", "host": "127.0.0.1", "port": %d, "proxy-pass-id": "t"}%s},
                 "proxy-pass": [{"id": "t", "upstream-id": "t"}, {"id": "u", "upstream-id": "u"}],
                 "upstream": [{"id": "t", "nodes": ["tcp://127.0.0.1:%d"]}, {"id": "u", "nodes": ["udp://127.0.0.1:%d"]}],
                 "timeouts": {"drain": "1s", "drain-upgrade": "2m"}}
                """.formatted(ports[0], more, tcpNode, udpNode);
        return Files.writeString(folder.resolve("sigma.json"), json);
    }

    private String udp() {
        return "], \"udp\": [{\"id\": \"u\", \"host\": \"127.0.0.1\", \"port\": " + ports[1]
                + ", \"proxy-pass-id\": \"u\"}]";
    }

    private String second() {
        return ", {\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": " + ports[2] + ", \"proxy-pass-id\": \"t\"}";
    }

    private boolean isFree() {
        try (DatagramSocket own = new DatagramSocket(null)) {
            own.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), ports[1]));
            return true;
        } catch (SocketException e) {
            return false;
        }
    }

    private boolean isAnswered() {
        try (DatagramSocket client = new DatagramSocket()) {
            client.setSoTimeout(500);
            client.connect(InetAddress.getLoopbackAddress(), ports[1]);
            return answered(client, "hello").equals("hello");
        } catch (IOException e) {
            return false;
        }
    }

    private boolean isSecondThere() {
        try {
            new Socket(InetAddress.getLoopbackAddress(), ports[2]).close();
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    @Test
    void aServerOfUdpMayGoAndComeBack() throws Exception {
        try (ServerSocket node = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
                DatagramSocket echo = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            Thread.ofVirtual().start(() -> echo(echo));
            int tcpNode = node.getLocalPort();
            int udpNode = echo.getLocalPort();
            Path conf = write(tcpNode, udpNode, udp());
            try (SigmaProcess sigma =
                    SigmaProcess.start(folder, SigmaProcess.How.PLAIN, List.of("run", "-conf", conf.toString()))) {
                sigma.awaitListening();
                try (Socket session = new Socket(InetAddress.getLoopbackAddress(), ports[0]);
                        Socket atNode = node.accept()) {
                    goAndComeBack(sigma, tcpNode, udpNode);
                    session.getOutputStream().write("more".getBytes(US_ASCII));
                    assertThat(atNode.getInputStream().readNBytes(4)).isEqualTo("more".getBytes(US_ASCII));
                }
            }
        }
    }

    private void goAndComeBack(SigmaProcess sigma, int tcpNode, int udpNode) throws IOException {
        assertThat(say("upgrade").err()).isEmpty();
        assertThat(isAnswered()).isTrue();
        write(tcpNode, udpNode, "]");
        assertThat(say("reload").err()).isEmpty();
        Await.until("the port to be free", LONG, this::isFree);
        write(tcpNode, udpNode, second() + udp());
        assertThat(say("reload").err()).isEmpty();
        assertThat(isAnswered()).isTrue();
        assertThat(isSecondThere()).isTrue();

        // Where it ends, the one before binds all of that anew, as the file has it.
        SigmaProcess.kill(serving());
        Await.until("serving again", LONG, () -> serving() == sigma.process().pid());
        Await.until("the second server", LONG, this::isSecondThere);
        Await.until("datagrams answered", LONG, this::isAnswered);
        Await.until(
                "the reload to be told",
                () -> sigma.err().contains("the end of the process after this one asked for a reload: "));
        assertThat(sigma.err()).doesNotContain("what operators told that process isn't known here");
    }
}
