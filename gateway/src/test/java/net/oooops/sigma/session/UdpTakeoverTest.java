package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.control.Handover;
import net.oooops.sigma.control.Takeover;
import net.oooops.sigma.control.Watching;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.RawDescriptors;
import net.oooops.sigma.observe.Counter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A gateway begins with sockets of UDP that are bound already, and gives its place to another one. */
@ParameterizedClass
@EnumSource(
        value = Transport.class,
        names = {"EPOLL", "IO_URING"})
@Timeout(60)
@SuppressWarnings("NullAway.Init")
class UdpTakeoverTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final int CLIENTS = 40;

    private final Transport transport;
    private RawUdp node;
    private RawUdp other;

    UdpTakeoverTest(Transport transport) {
        this.transport = transport;
    }

    @BeforeEach
    void start() throws IOException {
        Needed.transport(transport);
        node = RawUdp.open().echo();
        other = RawUdp.open();
    }

    @AfterEach
    void close() {
        node.close();
        other.close();
    }

    private static int[] bound(String host, int count, boolean shared) throws IOException {
        int[] all = new int[count];
        all[0] = RawDescriptors.udp(host, 0, shared);
        for (int i = 1; i < count; i++) {
            all[i] = RawDescriptors.udp(host, RawDescriptors.port(all[0]), shared);
        }
        return all;
    }

    private static Takeover of(String listenerId, int... descriptors) throws IOException {
        List<PassedSocket> all = new ArrayList<>();
        for (int each : descriptors) {
            all.add(PassedSocket.of(listenerId, each));
        }
        return () -> all;
    }

    private static List<PassedSocket> copies(List<PassedSocket> sockets) {
        return sockets.stream()
                .map(each -> new PassedSocket(
                        each.listenerId(),
                        RawDescriptors.same(each.descriptor()),
                        each.datagrams(),
                        each.local(),
                        each.shared()))
                .toList();
    }

    private static InetSocketAddress at(int port) {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    }

    /** So many new clients send there, and each gets back what it has sent. */
    private static void assertEchoes(int port, int clients) throws IOException {
        List<RawUdp> all = new ArrayList<>();
        for (int i = 0; i < clients; i++) {
            RawUdp client = RawUdp.open();
            all.add(client);
            client.send("client " + i, at(port));
        }
        for (int i = 0; i < clients; i++) {
            assertThat(all.get(i).expect("client " + i)).isEqualTo(at(port));
            all.get(i).close();
        }
    }

    /** The kernel shares clients out among all sockets: each of them is read. */
    @ParameterizedTest
    @CsvSource({"1, 1, true", "1, 3, true", "3, 3, true", "5, 2, true", "1, 1, false", "1, 3, false"})
    void itServesByThem(int sockets, int workers, boolean shared) throws Exception {
        int[] passed = bound("127.0.0.1", sockets, shared);
        int port = RawDescriptors.port(passed[0]);
        List<String> those = new ArrayList<>();
        for (int each : passed) {
            those.add(RawDescriptors.socketOf(each));
        }
        try (UdpFixture gateway = UdpFixture.on(transport, node)
                .server("port", port)
                .workers(workers)
                .after(of("", passed))
                .start()) {
            assertEchoes(port, CLIENTS);
            assertThat(gateway.port()).isEqualTo(port);
            gateway.awaitCount(Counter.UDP_SESSIONS_IN_FLIGHT, CLIENTS);
        }
        for (String each : those) {
            assertThat(RawDescriptors.isGone(each)).as(each).isTrue();
        }
    }

    /** As systemd binds where only a port is said; by one socket that isn't shared, or that all may share. */
    @ParameterizedTest
    @CsvSource({"0.0.0.0, 1, false", "0.0.0.0, 3, false", "0.0.0.0, 1, true", "0.0.0.0, 3, true"})
    void oneThatIsBoundToAllAddresses(String host, int workers, boolean shared) throws Exception {
        int[] passed = bound(host, 1, shared);
        int port = RawDescriptors.port(passed[0]);
        try (UdpFixture gateway = UdpFixture.on(transport, node)
                .server("host", host)
                .server("port", port)
                .workers(workers)
                .after(of("", passed))
                .start()) {
            assertEchoes(port, CLIENTS);
            gateway.awaitCount(Counter.UDP_SESSIONS_IN_FLIGHT, CLIENTS);
        }
    }

    /** Calls of systemd's sockets wait, unless its configuration says otherwise: nothing else would be served. */
    @Test
    void itDoesNotWaitInTheirCalls() throws Exception {
        int passed = RawDescriptors.blocking(RawDescriptors.udp("127.0.0.1", 0, false));
        int port = RawDescriptors.port(passed);
        try (UdpFixture gateway = UdpFixture.on(transport, node)
                .server("port", port)
                .after(of("", passed))
                .start()) {
            for (int i = 0; i < 5; i++) {
                assertEchoes(port, 1);
            }
            gateway.awaitCount(Counter.UDP_SESSIONS_IN_FLIGHT, 5);
        }
    }

    @Test
    void theListenerOfAFreePortGoesOnWithTheOneThatItHad() throws Exception {
        int passed = RawDescriptors.udp("127.0.0.1", 0, true);
        int port = RawDescriptors.port(passed);
        try (UdpFixture gateway = UdpFixture.on(transport, node)
                .workers(2)
                .after(of("udp", passed))
                .start()) {
            assertThat(gateway.port()).isEqualTo(port);
            assertEchoes(port, CLIENTS);
        }
    }

    private Handover handOver(UdpFixture gateway, List<PassedSocket> sockets) throws Exception {
        return gateway.gateway().handOver(passed -> sockets.addAll(copies(passed)));
    }

    private static CompletableFuture<Boolean> drain(Handover handover, Watching watch) {
        return CompletableFuture.supplyAsync(() -> handover.drain(watch), Thread::startVirtualThread);
    }

    /** What nodes send to those who were there before still goes out. */
    @Test
    void theOtherOneReadsAndSessionsComeToTheirEnd() throws Exception {
        try (UdpFixture gateway = UdpFixture.on(transport, other)
                        .server("idle-timeout", "1s")
                        .workers(2)
                        .start();
                RawUdp client = RawUdp.open()) {
            client.send("first", gateway.address());
            InetSocketAddress session = other.expect("first");
            List<PassedSocket> sockets = new ArrayList<>();
            Handover handover = handOver(gateway, sockets);
            assertThat(sockets).hasSize(2).allMatch(each -> each.datagrams() && each.shared());
            try (UdpFixture _ = UdpFixture.on(transport, node)
                    .workers(2)
                    .after(() -> sockets)
                    .start()) {
                Watching watch = new Watching(LONG);
                CompletableFuture<Boolean> drained = drain(handover, watch);
                watch.awaitWatched();
                assertEchoes(gateway.port(), CLIENTS);
                other.send("answer", session);
                client.expect("answer");

                assertThat(drained.get()).isTrue();
                assertThat(gateway.count(Counter.SESSIONS_COMPLETE)).isEqualTo(1);
                client.send("again", gateway.address());
                client.expect("again");
                gateway.gateway().stop(Duration.ZERO);
                assertEchoes(sockets.getFirst().local().getPort(), CLIENTS);
            }
        }
    }

    /** Those who have sent meanwhile have waited in its sockets. */
    @Test
    void takenBackItReadsAgain() throws Exception {
        try (UdpFixture gateway = UdpFixture.on(transport, node).workers(2).start();
                RawUdp client = RawUdp.open()) {
            List<PassedSocket> sockets = new ArrayList<>();
            Handover handover = handOver(gateway, sockets);
            assertThat(handover.drain(new Watching(LONG))).isTrue();
            client.send("meanwhile", gateway.address());
            client.expectNothing();
            assertThat(gateway.count(Counter.UDP_SESSIONS_IN_FLIGHT)).isZero();
            sockets.forEach(PassedSocket::close);

            handover.takeBack(gateway.gateway().config());

            client.expect("meanwhile");
            assertEchoes(gateway.port(), CLIENTS);
            client.send("again", gateway.address());
            client.expect("again");
        }
    }

    /** Back and forth, as often as may be. */
    @Test
    void itIsTakenBackAgainAndAgain() throws Exception {
        try (UdpFixture gateway = UdpFixture.on(transport, node).workers(2).start()) {
            for (int i = 0; i < 10; i++) {
                List<PassedSocket> sockets = new ArrayList<>();
                Handover handover = handOver(gateway, sockets);
                handover.drain(new Watching(LONG).end());
                sockets.forEach(PassedSocket::close);
                handover.takeBack(gateway.gateway().config());
                assertEchoes(gateway.port(), 4);
            }
        }
    }
}
