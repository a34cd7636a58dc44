package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.util.Random;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Each datagram arrives whole, alone, and from where it should; on each transport that works on this machine. */
@ParameterizedClass
@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
class UdpDatagramsTest {
    /** The most that fits into one of IPv4: 65,535 less headers. */
    private static final int BYTES_MAX_IPV4 = 65_507;

    private static final int BYTES_MAX_IPV6 = 65_527;

    private final Transport transport;
    private final RawUdp node = RawUdp.open();
    private final RawUdp client = RawUdp.open();

    UdpDatagramsTest(Transport transport) throws IOException {
        this.transport = transport;
    }

    @AfterEach
    void close() {
        client.close();
        node.close();
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new Random(count).nextBytes(bytes);
        return bytes;
    }

    @Test
    void anySizePassesBothWays() throws Exception {
        try (UdpFixture gateway = UdpFixture.on(transport, node).start()) {
            client.send("begin", gateway.address());
            InetSocketAddress session = node.expect("begin");
            for (int size : new int[] {1, 0, 512, 1472, 1473, 9000, 0, 65_000, BYTES_MAX_IPV4}) {
                byte[] up = bytes(size);
                client.send(up, gateway.address());
                RawUdp.Datagram seen = node.receive(size + " bytes up");
                assertThat(seen.bytes()).as(size + " bytes").isEqualTo(up);
                assertThat(seen.from()).isEqualTo(session);
                byte[] down = bytes(size);
                node.send(down, session);
                assertThat(client.receive(size + " bytes down").bytes())
                        .as(size + " bytes down")
                        .isEqualTo(down);
            }
            gateway.awaitCount(Counter.DOWNSTREAM_DATAGRAMS_RECEIVED, 10);
            gateway.awaitCount(Counter.UPSTREAM_DATAGRAMS_SENT, 10);
            gateway.awaitCount(Counter.UPSTREAM_DATAGRAMS_RECEIVED, 9);
            gateway.awaitCount(Counter.DOWNSTREAM_DATAGRAMS_SENT, 9);
            assertThat(gateway.count(Counter.DOWNSTREAM_BYTES_SENT))
                    .isEqualTo(gateway.count(Counter.UPSTREAM_BYTES_RECEIVED))
                    .isEqualTo(1 + 512 + 1472 + 1473 + 9000 + 65_000 + BYTES_MAX_IPV4);
        }
    }

    @Test
    void manyAtOnceStayApart() throws Exception {
        try (UdpFixture gateway = UdpFixture.on(transport, node).start()) {
            for (int round = 0; round < 20; round++) {
                for (int i = 0; i < 30; i++) {
                    client.send(i % 5 == 0 ? "" : "number " + round * 30 + i, gateway.address());
                }
                InetSocketAddress session = gateway.address();
                for (int i = 0; i < 30; i++) {
                    session = node.expect(i % 5 == 0 ? "" : "number " + round * 30 + i);
                }
                for (int i = 0; i < 30; i++) {
                    node.send(i % 3 == 0 ? "" : "answer " + i, session);
                }
                for (int i = 0; i < 30; i++) {
                    client.expect(i % 3 == 0 ? "" : "answer " + i);
                }
            }
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
        }
    }

    @Test
    void anEmptyDatagramMayBeTheFirst() throws Exception {
        try (UdpFixture gateway = UdpFixture.on(transport, node).start()) {
            client.send("", gateway.address());
            InetSocketAddress session = node.expect("");
            node.send("", session).send("x", session);
            client.expect("");
            client.expect("x");
        }
    }

    @Test
    void whatIsTooLongForTheWayIsDroppedAndCounted() throws Exception {
        try (RawUdp overIpv6 = RawUdp.at("::1", 0);
                UdpFixture gateway =
                        UdpFixture.on(transport, node).server("host", "::1").start()) {
            InetSocketAddress address = new InetSocketAddress(InetAddress.ofLiteral("::1"), gateway.port());
            overIpv6.send(bytes(BYTES_MAX_IPV6), address);
            gateway.awaitCount(Counter.UPSTREAM_DATAGRAMS_DROPPED, 1);
            overIpv6.send("short", address);
            node.expect("short");
        }
    }

    @Test
    void theWildcardOfIpv6TakesIpv4Too() throws Exception {
        node.echo();
        try (RawUdp overIpv6 = RawUdp.at("::1", 0);
                UdpFixture gateway = UdpFixture.on(transport, node)
                        .server("host", "::")
                        .workers(2)
                        .start()) {
            overIpv6.send("six", new InetSocketAddress(InetAddress.ofLiteral("::1"), gateway.port()));
            overIpv6.expect("six");
            client.send("four", gateway.address());
            assertThat(client.expect("four")).isEqualTo(gateway.address());
            // By the socket that stands for all: the loopback interface has no address but the first.
            client.send("four of another", new InetSocketAddress(InetAddress.ofLiteral("127.0.0.77"), gateway.port()));
            client.expect("four of another");
        }
    }

    @Test
    void answersLeaveFromTheAddressThatWasAsked() throws Exception {
        InetAddress own = ownAddress();
        node.echo();
        try (RawUdp there = RawUdp.at(own.getHostAddress(), 0);
                UdpFixture gateway = UdpFixture.on(transport, node)
                        .server("host", "0.0.0.0")
                        .workers(2)
                        .start()) {
            InetSocketAddress external = new InetSocketAddress(own, gateway.port());
            // The routing table would answer each from its own address.
            there.send("to loopback", gateway.address());
            assertThat(there.expect("to loopback")).isEqualTo(gateway.address());
            client.send("from loopback", external);
            assertThat(client.expect("from loopback")).isEqualTo(external);
            // One that no interface has: the whole block is of the loopback interface.
            InetSocketAddress unnamed = new InetSocketAddress(InetAddress.ofLiteral("127.0.0.77"), gateway.port());
            client.send("elsewhere", unnamed);
            client.expect("elsewhere");
        }
    }

    private static InetAddress ownAddress() throws IOException {
        var found = NetworkInterface.networkInterfaces()
                .flatMap(NetworkInterface::inetAddresses)
                .filter(each -> each instanceof Inet4Address && !each.isLoopbackAddress())
                .findFirst();
        assumeTrue(found.isPresent(), "this machine has an address beside that of loopback");
        return found.orElseThrow();
    }

    @Test
    void aFloodLeavesNothingBehind() throws Exception {
        try (RawUdp quiet = RawUdp.open();
                UdpFixture gateway = UdpFixture.on(transport, node).workers(2).start()) {
            for (int i = 0; i < 20_000; i++) {
                client.send("flood", gateway.address());
            }
            node.echo();
            String answer = "";
            // As clients of UDP do: the flood may have filled the kernel's buffers.
            for (int tries = 0; tries < 50 && answer.isEmpty(); tries++) {
                quiet.send("still there?", gateway.address());
                answer = quiet.receiveWithin(200);
            }
            assertThat(answer).isEqualTo("still there?");
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 2);
        }
    }
}
