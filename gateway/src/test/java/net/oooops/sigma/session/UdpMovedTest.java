package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.names.NameServer;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A session of UDP whose node has another address. */
@Tag("long") // An address that answers no longer have is the name's for a minute.
class UdpMovedTest {
    private static final String NAME = "node.sigma.test";

    @Test
    void itGoesOnWithThatAddress() throws Exception {
        try (NameServer names = NameServer.start();
                RawUdp before = RawUdp.at("127.0.0.2", 0);
                RawUdp after = RawUdp.at("127.0.0.3", before.port());
                RawUdp client = RawUdp.open()) {
            names.answer(NAME, 1, "127.0.0.2");
            try (UdpFixture gateway = UdpFixture.on(Transport.AUTO)
                    .node(NAME, before.port())
                    .runtime(
                            "dns",
                            Map.of(
                                    "servers",
                                    List.of("127.0.0.1:" + names.address().getPort())))
                    .start()) {
                awaitReceived(gateway, client, before, Await.DEADLINE);
                names.answer(NAME, 1, "127.0.0.3");
                awaitReceived(gateway, client, after, Duration.ofSeconds(90));
                assertThat(gateway.sessionsOfNodes()).containsExactly(1);
            }
        }
    }

    private static void awaitReceived(UdpFixture gateway, RawUdp client, RawUdp node, Duration within) {
        Await.until("received", within, () -> {
            try {
                client.send("on", gateway.address());
                return node.receiveWithin(100).equals("on");
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        });
    }
}
