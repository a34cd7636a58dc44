package net.oooops.sigma.session;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.names.NameServer;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Sessions of UDP whose node has other addresses. */
@Tag("long") // An address that answers no longer have is the name's for a minute.
class UdpMovedTest {
    private static final String NAME = "node.sigma.test";

    @Test
    void theyGoOnWithThoseInTurn() throws Exception {
        try (NameServer names = NameServer.start();
                RawUdp before = RawUdp.at("127.0.0.2", 0);
                RawUdp after = RawUdp.at("127.0.0.3", before.port());
                RawUdp alsoAfter = RawUdp.at("127.0.0.4", before.port());
                RawUdp other = RawUdp.open();
                Clients clients = new Clients()) {
            names.answer(NAME, 1, "127.0.0.2");
            try (UdpFixture gateway = UdpFixture.on(Transport.AUTO)
                    .node(NAME, before.port())
                    .node(other.port())
                    .upstream("rule-strategy", "round-robin")
                    .upstream("health", Map.of("passive", Map.of("enable", false)))
                    .runtime(
                            "dns",
                            Map.of(
                                    "servers",
                                    List.of("127.0.0.1:" + names.address().getPort())))
                    .start()) {
                // Until the name is known they are all the other node's.
                Await.until("two are the name's", () -> {
                    clients.addOne(gateway);
                    return gateway.sessionsOfNodes().getFirst() >= 2;
                });
                List<Integer> sessions = Await.value("all are counted", gateway::sessionsOfNodes, clients::isAll);
                names.answer(NAME, 1, "127.0.0.3", "127.0.0.4");
                clients.awaitReceived(gateway, after, Duration.ofSeconds(90));
                clients.awaitReceived(gateway, alsoAfter, Await.DEADLINE);
                assertThat(gateway.sessionsOfNodes())
                        .as("they stay with their node, well as the other one is")
                        .isEqualTo(sessions);
            }
        }
    }

    private static final class Clients implements AutoCloseable {
        private final List<RawUdp> all = new ArrayList<>();

        private void addOne(UdpFixture gateway) {
            try {
                RawUdp client = RawUdp.open();
                all.add(client);
                client.send("begin", gateway.address());
            } catch (IOException e) {
                throw new AssertionError(e);
            }
        }

        private boolean isAll(List<Integer> sessions) {
            return sessions.stream().mapToInt(Integer::intValue).sum() == all.size();
        }

        /** Each sends on, one after the other. */
        private void awaitReceived(UdpFixture gateway, RawUdp node, Duration within) {
            Await.until("received", within, () -> {
                try {
                    for (RawUdp each : all) {
                        each.send("on", gateway.address());
                    }
                    return node.receiveWithin(100).equals("on");
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
        }

        @Override
        public void close() {
            all.forEach(RawUdp::close);
        }
    }
}
