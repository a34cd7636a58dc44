package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.tcp.HeaderRefusal;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A TCP server that reads PROXY protocol headers: of trusted proxies only, and of everybody who is let in. */
class AcceptHeaderTest {
    private static final String V1 = "PROXY TCP4 203.0.113.7 198.51.100.1 4000 443\r\n";
    private static final byte[] V2 = Headers.v2(0x21, 0x11, Headers.ipv4("203.0.113.7", "198.51.100.1", 4000, 443));

    private final RawServer node = RawServer.start();

    @AfterEach
    void stop() {
        node.close();
    }

    private TcpFixture.Builder reading() {
        return TcpFixture.to(node)
                .server("proxy-protocol", true)
                .server("trusted-proxies", List.of("127.0.0.1"))
                .pass("proxy-protocol", "v1");
    }

    private static void expect(RawServer node, String bytes) throws Exception {
        try (RawClient server = node.accept()) {
            assertThat(new String(server.readExactly(bytes.length()), US_ASCII)).isEqualTo(bytes);
        }
    }

    @Test
    void headersInOneWriteAndInSingleBytesAreRead() throws Exception {
        try (TcpFixture gateway = reading().start()) {
            for (byte[] header : List.of(V1.getBytes(US_ASCII), V2)) {
                try (RawClient client = gateway.connect()) {
                    client.send(Headers.joined(header, "and more".getBytes(US_ASCII)));
                    expect(node, V1 + "and more");
                }
                try (RawClient client = gateway.connect()) {
                    client.sendByteByByte(Headers.joined(header, "and more".getBytes(US_ASCII)));
                    expect(node, V1 + "and more");
                }
            }
        }
    }

    @Test
    void aLongFirstWriteBehindAHeaderIsKeptWhole() throws Exception {
        String body = "x".repeat(300_000);
        try (TcpFixture gateway = reading().start();
                RawClient client = gateway.connect()) {
            client.send(V1 + body).halfClose();
            try (RawClient server = node.accept()) {
                assertThat(new String(server.readUntilClose(), US_ASCII)).isEqualTo(V1 + body);
            }
        }
    }

    @Test
    void aHealthCheckOfTheProxyHasItsOwnAddresses() throws Exception {
        try (TcpFixture gateway = reading().start();
                RawClient client = gateway.connect()) {
            client.send(Headers.v2(0x20, 0x00, new byte[0]));
            expect(node, "PROXY TCP4 127.0.0.1 127.0.0.1 " + client.localPort() + " " + gateway.port() + "\r\n");
        }
    }

    @Test
    void fromWhoIsNotTrustedNothingIsRead() throws Exception {
        try (TcpFixture gateway = reading().start()) {
            gateway.expectRefused(ClientOptions.defaults().withLocalHost("127.0.0.2"));
            gateway.awaitRefusals(HeaderRefusal.UNTRUSTED.label(), 1);
            gateway.awaitFaults(Fault.PROXY_HEADER_REFUSED, 1);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isZero();
        }
    }

    @Test
    void withoutAHeaderItIsReset() throws Exception {
        try (TcpFixture gateway = reading().start();
                RawClient client = gateway.connect()) {
            client.send("GET / HTTP/1.1\r\n\r\n");
            client.expectReset();
            gateway.awaitRefusals(HeaderRefusal.ABSENT.label(), 1);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isZero();
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @Test
    void aMalformedHeaderIsReset() throws Exception {
        try (TcpFixture gateway = reading().start();
                RawClient client = gateway.connect()) {
            client.send("PROXY TCP4 203.0.113.7 198.51.100.1 4000\r\n");
            client.expectReset();
            gateway.awaitRefusals(HeaderRefusal.MALFORMED.label(), 1);
        }
    }

    @Test
    void aHeaderThatDoesNotComeInTimeIsReset() throws Exception {
        try (TcpFixture gateway =
                        reading().top("timeouts", Map.of("header", "200ms")).start();
                RawClient client = gateway.connect();
                RawClient silent = gateway.connect()) {
            client.send("PROXY TCP4 203");
            client.expectReset();
            silent.expectReset();
            gateway.awaitRefusals(HeaderRefusal.LATE.label(), 2);
        }
    }

    @Test
    void aHeaderThatIsCutIsReset() throws Exception {
        try (TcpFixture gateway = reading().start();
                RawClient client = gateway.connect()) {
            client.send("PROXY TCP4 203").halfClose();
            client.expectReset();
            gateway.awaitRefusals(HeaderRefusal.CUT.label(), 1);
        }
    }

    @Test
    void aResetWithinAHeaderEndsTheSession() throws Exception {
        try (TcpFixture gateway = reading().start();
                RawClient client = gateway.connect()) {
            client.send("PROXY TCP4 203");
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 1);
            client.reset();
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            gateway.awaitFaults(Fault.CLIENT_GONE, 1);
        }
    }
}
