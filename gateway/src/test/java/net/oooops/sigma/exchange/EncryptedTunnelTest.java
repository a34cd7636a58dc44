package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.CertifiedFixture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How switched connections of clients over TLS end: by close_notify, and cut where that wasn't said. */
@Tag("plain") // Encrypted by itself.
class EncryptedTunnelTest extends CertifiedFixture {
    private static final Duration DEADLINE = Duration.ofSeconds(10);
    private static final String ASK = TunnelEnds.ASK.replace("a.example", "localhost");

    private final RawServer nodes = RawServer.start();

    @AfterEach
    void stop() {
        nodes.close();
    }

    private GatewayFixture start() {
        return GatewayFixture.toPorts(nodes.port())
                .tls(Certificates.config(certificates.shown(certificates.issued("localhost"), "localhost")))
                .timeout("lingerNanos", Duration.ofMillis(500))
                .start();
    }

    private TunnelEnds open(RawClient client) throws IOException {
        return TunnelEnds.open(client, nodes, ASK, TunnelEnds.SWITCH);
    }

    private static void ended(GatewayFixture gateway, Fault fault, int faults) {
        Ask.count(gateway, Counter.TUNNELS_IN_FLIGHT, 0);
        Ask.quiet(gateway);
        assertThat(gateway.faults(fault)).isEqualTo(faults);
        assertThat(gateway.faults(Fault.INTERNAL)).isZero();
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void aClientThatSaysThatItEndsHasEnded(String version) throws IOException {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = open(secure.only(version).connect(gateway.port(), "localhost"))) {
            ends.pass("hello");
            ends.client().send("bye");
            ends.client().socket().close();
            assertThat(new String(ends.node().readUntilClose(), StandardCharsets.US_ASCII))
                    .isEqualTo("bye");
            ends.node().close();
            ended(gateway, Fault.CLIENT_GONE, 0);
        }
    }

    @Test
    void aClientThatDoesNotSaySoIsCut() throws IOException {
        try (GatewayFixture gateway = start();
                RawClient under = RawClient.connect(gateway.port());
                TunnelEnds ends = open(RawClient.of(secure.over(under.socket(), "localhost"), DEADLINE))) {
            ends.pass("hello");
            under.halfClose();
            ends.node().expectReset();
            ended(gateway, Fault.CLIENT_GONE, 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TLSv1.3", "TLSv1.2"})
    void aNodeThatEndsIsHeardOut(String version) throws IOException {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = open(secure.only(version).connect(gateway.port(), "localhost"))) {
            ends.node().send("all I have").halfClose();
            assertThat(new String(ends.client().readUntilClose(), StandardCharsets.US_ASCII))
                    .isEqualTo("all I have");
            ends.client().socket().close();
            ends.node().expectCleanClose();
            ended(gateway, Fault.CLIENT_GONE, 0);
        }
    }

    @Test
    void aResetOfTheNodeIsNoEndForTheClient() throws IOException {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = open(secure.connect(gateway.port(), "localhost"))) {
            ends.pass("half of it");
            ends.node().reset();
            assertThatThrownBy(() -> ends.client().socket().getInputStream().read())
                    .isInstanceOf(IOException.class);
            ended(gateway, Fault.UPSTREAM_TRUNCATED, 1);
        }
    }
}
