package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.RawDescriptors;
import net.oooops.sigma.testkit.RawClient;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A server that has another address in the process that takes the place of its own, at the same port. */
@ParameterizedClass
@EnumSource(
        value = Transport.class,
        names = {"EPOLL", "IO_URING"})
@Timeout(60)
class MovedListenersTest extends ListeningFixture {
    /** For documents alone: RFC 5737. */
    private static final String NOWHERE = "192.0.2.1";

    MovedListenersTest(Transport transport) {
        super(transport);
    }

    /** Knows whether the process before was asked to leave, and whether the new place took connections by then. */
    private static final class Before implements Takeover {
        private final List<PassedSocket> sockets;
        private final InetSocketAddress place;
        private boolean asked;
        private boolean bound;

        Before(List<PassedSocket> sockets, String host, int port) {
            this.sockets = sockets;
            this.place = new InetSocketAddress(host, port);
        }

        @Override
        public List<PassedSocket> sockets() {
            return sockets;
        }

        @Override
        public void take(Gateway gateway, Proof proof) {
            asked = true;
            try (Socket client = new Socket()) {
                client.connect(place);
                bound = true;
            } catch (IOException e) {
                bound = false;
            }
        }
    }

    @Test
    void anAddressThatIsNotOfThisMachineIsRefusedBeforeAnythingIsHandedOver() throws Exception {
        int passed = RawDescriptors.tcp("0.0.0.0", 0, true);
        int port = RawDescriptors.port(passed);
        Before before = new Before(Taking.from("a", passed).sockets(), "127.0.0.1", port);

        assertThatThrownBy(() -> Taking.start(sigma(NOWHERE, port), 2, before))
                .isInstanceOf(StartException.class)
                .hasMessage("proxy-server \"a\": can't listen on " + NOWHERE + ":" + port
                        + " (Cannot assign requested address)");

        assertThat(before.asked).isFalse();
    }

    @Test
    void soIsOneOfUdp() throws Exception {
        int passed = RawDescriptors.udp("127.0.0.1", 0, true);
        int port = RawDescriptors.port(passed);
        ObjectNode sigma = sigma("127.0.0.1", 0);
        ArrayNode udp = sigma.withObject("/proxy-server").putArray("udp");
        udp.addObject().put("id", "u").put("host", NOWHERE).put("port", port).put("proxy-pass-id", "udp");
        sigma.withArray("/proxy-pass").addObject().put("id", "udp").put("upstream-id", "udp");
        ObjectNode upstream = sigma.withArray("/upstream").addObject().put("id", "udp");
        upstream.putArray("nodes").add("udp://127.0.0.1:1");
        Before before = new Before(Taking.from("u", passed).sockets(), "127.0.0.1", port);

        assertThatThrownBy(() -> Taking.start(sigma, 2, before))
                .isInstanceOf(StartException.class)
                .hasMessage("proxy-server \"u\": can't listen on " + NOWHERE + ":" + port
                        + " (Cannot assign requested address)");

        assertThat(before.asked).isFalse();
    }

    /** Nobody comes to the new address by the socket of before: no connection is waited for by that, and none is kept waiting by its own. */
    @Test
    void whatNobodyCameToIsBoundAtOnce() throws Exception {
        int passed = RawDescriptors.tcp("127.0.0.1", 0, true);
        int port = RawDescriptors.port(passed);
        Before before = new Before(Taking.from("a", passed).sockets(), "127.0.0.2", port);

        try (Taking gateway = Taking.start(sigma("127.0.0.2", port), 2, before)) {
            assertThat(before.bound).isTrue();
            assertThat(gateway.port()).isEqualTo(port);
            assertThat(answer("127.0.0.2", port)).isEqualTo("hello");
            assertThatThrownBy(() -> answer("127.0.0.1", port)).isInstanceOf(IOException.class);
        }
    }

    /** Versions before had a socket of both families for all addresses of IPv4. */
    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "127.0.0.1"})
    void oneThatCameByAnotherOneHasItsOwnOnceTheGatewayBegins(String host) throws Exception {
        int passed = RawDescriptors.tcp("::", 0, true);
        int port = RawDescriptors.port(passed);
        Before before = new Before(Taking.from("a", passed).sockets(), "127.0.0.1", port);

        try (Taking _ = Taking.start(sigma(host, port), 2, before)) {
            assertThat(before.asked).isTrue();
            assertThat(answer("127.0.0.1", port)).isEqualTo("hello");
        }
        assertThat(node.requestCount()).isEqualTo(1);
    }

    private static String answer(String host, int port) throws IOException {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port));
            try (RawClient client = RawClient.of(socket, Duration.ofSeconds(20))) {
                return Taking.get(client).bodyText();
            }
        }
    }
}
