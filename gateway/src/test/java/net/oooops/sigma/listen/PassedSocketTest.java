package net.oooops.sigma.listen;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.unix.DomainSocketAddress;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.config.UdpListenerConfig;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What a descriptor is that was passed, and which Listener it is for. */
class PassedSocketTest {
    private final List<Integer> open = new ArrayList<>();

    @BeforeAll
    static void linux() {
        Needed.transport(Transport.EPOLL);
    }

    @AfterEach
    void close() {
        open.forEach(RawDescriptors::close);
    }

    private int opened(int descriptor) {
        open.add(descriptor);
        return descriptor;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneOfTcpThatListens(boolean shared) throws IOException {
        int descriptor = opened(RawDescriptors.tcp("127.0.0.1", 0, shared));

        PassedSocket passed = PassedSocket.of("http", descriptor);

        assertThat(passed.descriptor()).isEqualTo(descriptor);
        assertThat(passed.datagrams()).isFalse();
        assertThat(passed.shared()).isEqualTo(shared);
        assertThat(passed.local())
                .isEqualTo(new InetSocketAddress(InetAddress.getLoopbackAddress(), RawDescriptors.port(descriptor)));
        assertThat(passed.isOfGateway()).isTrue();
        assertThat(PassedSocket.of("", descriptor).isOfGateway()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneOfUdp(boolean shared) throws IOException {
        int descriptor = opened(RawDescriptors.udp("127.0.0.1", 0, shared));

        PassedSocket passed = PassedSocket.of("udp", descriptor);

        assertThat(passed.datagrams()).isTrue();
        assertThat(passed.shared()).isEqualTo(shared);
        assertThat(passed.local().getPort()).isEqualTo(RawDescriptors.port(descriptor));
    }

    @Test
    void aConnectionIsRefused() throws IOException {
        int listening = opened(RawDescriptors.tcp("127.0.0.1", 0, false));
        Socket client = Socket.newSocketStream();
        opened(client.intValue());
        client.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), RawDescriptors.port(listening)));

        assertRefused(client.intValue(), "no socket of TCP that listens");
    }

    @Test
    void oneThatIsBoundAndDoesNotListenIsRefused() throws IOException {
        Socket bound = Socket.newSocketStream();
        opened(bound.intValue());
        bound.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));

        assertRefused(bound.intValue(), "no socket of TCP that listens");
    }

    @Test
    void aFileIsRefused(@TempDir Path dir) throws IOException {
        Path file = Files.createFile(dir.resolve("a"));
        try (var _ = Files.newByteChannel(file)) {
            int descriptor = numberOf(file);
            assertRefused(descriptor, "descriptor " + descriptor + ": ");
            assertThat(RawDescriptors.socketOf(descriptor))
                    .as("it stays open")
                    .isEqualTo(file.toRealPath().toString());
        }
    }

    private static int numberOf(Path file) throws IOException {
        String name = file.toRealPath().toString();
        try (var all = Files.list(Path.of("/proc/self/fd"))) {
            return all.mapToInt(each -> Integer.parseInt(each.getFileName().toString()))
                    .filter(each -> RawDescriptors.socketOf(each).equals(name))
                    .findFirst()
                    .orElseThrow();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneOfTheFileSystemIsRefused(boolean datagrams, @TempDir Path dir) throws IOException {
        Socket socket = datagrams ? Socket.newSocketDomainDgram() : Socket.newSocketDomain();
        opened(socket.intValue());
        socket.bind(new DomainSocketAddress(dir.resolve("a").toString()));
        if (!datagrams) {
            socket.listen(1);
        }

        assertRefused(socket.intValue(), "descriptor " + socket.intValue() + ": ");
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 1_000_000})
    void aNumberOfNothingIsRefused(int number) {
        assertRefused(number, "descriptor " + number + ": ");
    }

    private static void assertRefused(int descriptor, String message) {
        assertThatThrownBy(() -> PassedSocket.of("", descriptor))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1, true",
        "localhost, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.2, false",
        "127.0.0.1, 0.0.0.0, false",
        "0.0.0.0, 127.0.0.1, false",
        "0.0.0.0, 0.0.0.0, true",
        "0.0.0.0, ::, false",
        "::, ::, true",
        "::, 0.0.0.0, false",
        "::1, ::1, true",
        "::1, 127.0.0.1, false",
        "::1, ::, false",
        "no.such.host.invalid, 127.0.0.1, false"
    })
    void oneOfTcpIsForTheListenerAtItsPlace(String asked, String bound, boolean expected) {
        PassedSocket passed = passed("other", false, bound, 4000);

        assertThat(passed.isFor(http("id", asked, 4000))).isEqualTo(expected);
        assertThat(passed.isFor(http("other", asked, 4001))).isFalse();
        assertThat(passed.isFor(udp("id", asked, 4000))).as("of UDP").isFalse();
    }

    /** Nothing can be bound beside it, and whoever has bound it has said who may come. */
    @ParameterizedTest
    @CsvSource({"0.0.0.0, ::, true", "::, 0.0.0.0, true", "::, ::, true", "0.0.0.0, 127.0.0.1, false"})
    void oneThatNoGatewayHasBoundIsForAllAddresses(String asked, String bound, boolean expected) {
        assertThat(passed("", false, bound, 4000).isFor(http("id", asked, 4000)))
                .isEqualTo(expected);
    }

    /** Where a Listener of UDP is bound to all addresses, a gateway has a socket at each. */
    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1, true",
        "127.0.0.1, 127.0.0.2, false",
        "127.0.0.1, 0.0.0.0, false",
        "0.0.0.0, 127.0.0.1, true",
        "0.0.0.0, 0.0.0.0, true",
        "::, ::1, true"
    })
    void oneOfUdpIsForTheListenerAtItsPlaceOrAtAll(String asked, String bound, boolean expected) {
        PassedSocket passed = passed("other", true, bound, 4000);

        assertThat(passed.isFor(udp("id", asked, 4000))).isEqualTo(expected);
        assertThat(passed.isFor(udp("other", asked, 4001))).isFalse();
        assertThat(passed.isFor(http("id", asked, 4000))).as("of TCP").isFalse();
    }

    /** It takes any free port: only its id says whether it had that one. */
    @Test
    void theListenerOfAFreePortIsKnownByItsId() {
        assertThat(passed("id", false, "127.0.0.1", 4000).isFor(http("id", "127.0.0.1", 0)))
                .isTrue();
        assertThat(passed("other", false, "127.0.0.1", 4000).isFor(http("id", "127.0.0.1", 0)))
                .isFalse();
        assertThat(passed("", false, "127.0.0.1", 4000).isFor(http("id", "127.0.0.1", 0)))
                .isFalse();
        assertThat(passed("id", true, "127.0.0.1", 4000).isFor(udp("id", "127.0.0.1", 0)))
                .isTrue();
        assertThat(passed("id", true, "127.0.0.1", 4000).isFor(http("id", "127.0.0.1", 0)))
                .isFalse();
    }

    /** It isn't the same place any more: another one is bound. */
    @Test
    void theListenerOfAFreePortThatMovesToAnotherAddressGetsNone() {
        assertThat(passed("id", false, "127.0.0.1", 4000).isFor(http("id", "127.0.0.2", 0)))
                .isFalse();
    }

    private static PassedSocket passed(String id, boolean datagrams, String host, int port) {
        return new PassedSocket(id, 1_000_000, datagrams, new InetSocketAddress(host, port), true);
    }

    private static Listener http(String id, String host, int port) {
        return new ListenerConfig(
                id, id, "", host, port, 0, List.of(), Limits.DEFAULT, Timeouts.DEFAULT, ListenerConfig.Http2.TOO, null);
    }

    private static Listener udp(String id, String host, int port) {
        return new UdpListenerConfig(id, "", host, port, "pass", List.of(), 10, 1_000_000_000L, Timeouts.DEFAULT);
    }
}
