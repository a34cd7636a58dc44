package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What depends on how sockets are driven, with each transport that works here. */
class CallTransportsTest {
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void callsPassAndEnd(Transport transport) throws IOException {
        Needed.transport(transport);
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .top("runtime", Map.of("transport", transport.name().toLowerCase(Locale.ROOT)))
                        .start();
                RawClient client = gateway.connect();
                RawClient refused = gateway.connect()) {
            for (int id = 0; id < 50; id++) {
                client.send(BoltMessage.request(3, id, "a.B", "x")
                        .withContent(new byte[id * 1000])
                        .bytes());
            }
            RawClient node = server.accept();
            for (int id = 0; id < 50; id++) {
                BoltMessage request = BoltMessage.read(node);
                node.send(request.answer("").withContent(request.content()).bytes());
            }
            for (int id = 0; id < 50; id++) {
                BoltMessage answer = BoltMessage.read(client);
                assertThat(answer.content()).hasSize(answer.id() * 1000);
            }
            refused.send("what is this");
            refused.expectClosed();
            client.send(BoltMessage.request(3, 99, "a.B", "x").bytes());
            BoltMessage.read(node);
            node.reset();
            assertThat(BoltMessage.read(client).word()).isEqualTo(Status.CONNECTION_CLOSED.code());
            CompletableFuture<Long> stopped = gateway.stop(Duration.ofSeconds(5));
            client.expectCleanClose();
            client.halfClose();
            assertThat(stopped.join()).isZero();
        }
    }
}
