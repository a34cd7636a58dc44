package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.listen.RawDescriptors;
import net.oooops.sigma.testkit.FreePorts;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** An address of IPv4 is listened at by a socket of IPv4: a firewall that knows IPv4 alone has seen all who come. */
@ParameterizedClass
@EnumSource(
        value = Transport.class,
        names = {"EPOLL", "IO_URING", "NIO"})
@Timeout(60)
class ListeningFamilyTest extends ListeningFixture {
    ListeningFamilyTest(Transport transport) {
        super(transport);
    }

    private static boolean isAnswered(String address, int port) throws IOException {
        try (Socket client = new Socket(InetAddress.getByName(address), port)) {
            // The same port of the other family may be a stranger's.
            client.setSoTimeout(5_000);
            client.getOutputStream()
                    .write("GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                            .getBytes(StandardCharsets.US_ASCII));
            return new String(client.getInputStream().readAllBytes(), StandardCharsets.US_ASCII)
                    .startsWith("HTTP/1.1 ");
        } catch (IOException e) {
            return false;
        }
    }

    @ParameterizedTest
    @CsvSource({
        "0.0.0.0, 1, true, false",
        "0.0.0.0, 2, true, false",
        "127.0.0.1, 2, true, false",
        "::, 2, true, true",
        "::1, 2, false, true"
    })
    void whoMayCome(String host, int workers, boolean byIpv4, boolean byIpv6) throws Exception {
        try (Taking gateway = Taking.start(sigma(host, 0), workers, Takeover.NONE)) {
            assertThat(isAnswered("127.0.0.1", gateway.port())).as("IPv4").isEqualTo(byIpv4);
            assertThat(isAnswered("::1", gateway.port())).as("IPv6").isEqualTo(byIpv6);
            assertThat(isListedOfIpv6(gateway.port())).isEqualTo(host.contains(":"));
        }
    }

    @ParameterizedTest
    @CsvSource({"0.0.0.0, true, false", "127.0.0.1, true, false", "::, true, true", "::1, false, true"})
    void whoMayAskTheAdminServer(String host, boolean byIpv4, boolean byIpv6) throws Exception {
        int port = FreePorts.one();
        ObjectNode sigma = sigma("127.0.0.1", 0);
        sigma.withObject("/proxy-server/admin").put("host", host).put("port", port);
        try (Taking _ = Taking.start(sigma, 1, Takeover.NONE)) {
            assertThat(isAnswered("127.0.0.1", port)).as("IPv4").isEqualTo(byIpv4);
            assertThat(isAnswered("::1", port)).as("IPv6").isEqualTo(byIpv6);
            assertThat(isListedOfIpv6(port)).isEqualTo(host.contains(":"));
        }
    }

    /** Each reload listens anew beside the socket of before. */
    @Test
    void aReloadFollows() throws Exception {
        int port = FreePorts.one();
        try (Taking gateway = Taking.start(sigma("0.0.0.0", port), 2, Takeover.NONE)) {
            assertThat(isAnswered("::1", port)).isFalse();
            gateway.reload(sigma("::", port));
            assertThat(isAnswered("::1", port)).isTrue();
            assertThat(isAnswered("127.0.0.1", port)).isTrue();
            gateway.reload(sigma("0.0.0.0", port));
            assertThat(isAnswered("::1", port)).isFalse();
            assertThat(isAnswered("127.0.0.1", port)).isTrue();
        }
    }

    /** A version before had a socket of both families at 0.0.0.0. */
    @Test
    void anUpgradeLetsNobodyInByIpv6() throws Exception {
        if (transport == Transport.NIO) {
            return;
        }
        int before = RawDescriptors.tcp("0.0.0.0", 0, true);
        int port = RawDescriptors.port(before);
        try (Taking _ = Taking.start(sigma("0.0.0.0", port), 2, Taking.from("a", before))) {
            assertThat(isAnswered("127.0.0.1", port)).isTrue();
            assertThat(isAnswered("::1", port)).isFalse();
        }
    }

    private static boolean isListedOfIpv6(int port) throws IOException {
        String end = String.format(Locale.ROOT, ":%04X", port);
        // LISTEN
        return Files.readAllLines(Path.of("/proc/net/tcp6")).stream()
                .map(line -> line.trim().split(" +"))
                .anyMatch(line -> line[1].endsWith(end) && line[3].equals("0A"));
    }
}
