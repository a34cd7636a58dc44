package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.exchange.DirectMemory;
import net.oooops.sigma.exchange.Standstill;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Bytes of a session that nobody reads wait at the side that they come from. */
@Isolated("direct memory")
class RelayMemoryTest {
    private final RawServer node = RawServer.start();

    @AfterEach
    void stop() {
        node.close();
    }

    @Test
    void whoDoesNotReadStopsTheOtherAndLosesNothing() throws Exception {
        GeneratedBody down = GeneratedBody.of(3, 32 << 20);
        // Bytes are counted each 500 ms then.
        try (TcpFixture gateway =
                        TcpFixture.to(node).server("idle-timeout", "8s").start();
                DirectMemory memory = DirectMemory.watched();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096));
                RawClient server = node.accept()) {
            CompletableFuture<Void> sent =
                    Background.run(() -> server.deadline(Duration.ofSeconds(60)).send(down));
            Standstill standstill = new Standstill();
            Await.until(
                    "the node's output stands still",
                    () -> standstill.seen(gateway.count(Counter.UPSTREAM_BYTES_RECEIVED)));
            assertThat(sent).isNotDone();
            assertThat(gateway.count(Counter.UPSTREAM_BYTES_RECEIVED)).isLessThan(24 << 20);
            // The way up is as open as ever.
            client.send("still here");
            assertThat(new String(server.readExactly(10), US_ASCII)).isEqualTo("still here");

            assertThat(Hash.of(client.deadline(Duration.ofSeconds(60)).readExactly((int) down.bytes())))
                    .isEqualTo(down.sha256());
            sent.join();
            // Some arenas' chunks; all that was sent would be more.
            assertThat(memory.grownBytesMax()).isLessThan(16 << 20);
        }
    }
}
