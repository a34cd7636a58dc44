package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import net.oooops.sigma.exchange.DirectMemory;
import net.oooops.sigma.exchange.Standstill;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Many sessions whose nodes don't read hold no more than is said, still pass on what they can, and lose nothing. */
@Isolated("direct memory")
class SessionMemoryTest {
    private static final Duration PATIENCE = Duration.ofMinutes(1);
    private static final int SESSIONS = 200;
    private static final int EACH_BYTES = 600_000;
    private static final int BOUND_BYTES = 1 << 20;
    /** What each may hold beyond: a little that was read as the bound was reached, both ways, and what it is made of. */
    private static final int BEYOND_EACH_BYTES = 12 << 10;

    private final RawServer node = RawServer.start(8192);
    private final List<RawClient> clients = new ArrayList<>();
    private final List<RawClient> servers = new ArrayList<>();
    private final Queue<String> failures = new ConcurrentLinkedQueue<>();

    @AfterEach
    void stop() {
        clients.forEach(RawClient::close);
        servers.forEach(RawClient::close);
        node.close();
    }

    @Test
    void slowNodesOfManySessionsDoNotTakeAllMemory() throws Exception {
        try (TcpFixture gateway = TcpFixture.to(node)
                        .runtime("relay-memory", "1MiB")
                        .runtime("send-buffer", "8KiB")
                        .runtime("allocator", "unpooled")
                        .server("idle-timeout", "8s")
                        .start();
                DirectMemory memory = DirectMemory.watched()) {
            for (int i = 0; i < SESSIONS; i++) {
                clients.add(gateway.connect().deadline(PATIENCE));
                servers.add(node.accept().deadline(PATIENCE));
            }
            for (int i = 0; i < SESSIONS; i++) {
                send(clients.get(i), GeneratedBody.of(i, EACH_BYTES));
            }
            Standstill standstill = new Standstill();
            Await.until(
                    "nothing is passed on any more",
                    PATIENCE,
                    () -> standstill.seen(gateway.count(Counter.DOWNSTREAM_BYTES_RECEIVED)));
            assertThat(gateway.count(Counter.RELAY_MEMORY_SHORT)).isPositive();
            assertThat(memory.grownBytesMax()).isLessThan(BOUND_BYTES + SESSIONS * BEYOND_EACH_BYTES);

            theOthersPass(gateway);

            eachArrives();
            assertThat(failures).isEmpty();
        }
    }

    /** All at once: one that waits for its turn would be idle. */
    private void eachArrives() throws InterruptedException {
        List<Thread> reading = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            int number = i;
            reading.add(Thread.ofVirtual().start(() -> {
                try {
                    assertThat(Hash.of(servers.get(number).readUntilClose()))
                            .isEqualTo(GeneratedBody.of(number, EACH_BYTES).sha256());
                } catch (IOException | AssertionError e) {
                    failures.add(e.toString());
                }
            }));
        }
        for (Thread each : reading) {
            each.join();
        }
    }

    /** A session whose node reads, and the way back of one whose node doesn't. */
    private void theOthersPass(TcpFixture gateway) throws Exception {
        try (RawClient client = gateway.connect().deadline(PATIENCE);
                RawClient server = node.accept().deadline(PATIENCE)) {
            GeneratedBody body = GeneratedBody.of(SESSIONS, EACH_BYTES);
            send(client, body);
            assertThat(Hash.of(server.readUntilClose())).isEqualTo(body.sha256());
        }
        servers.getFirst().send("still here");
        assertThat(new String(clients.getFirst().readExactly(10), US_ASCII)).isEqualTo("still here");
    }

    private void send(RawClient client, GeneratedBody body) {
        Thread.ofVirtual().start(() -> {
            try {
                client.send(body).halfClose();
            } catch (IOException e) {
                failures.add(e.toString());
            }
        });
    }
}
