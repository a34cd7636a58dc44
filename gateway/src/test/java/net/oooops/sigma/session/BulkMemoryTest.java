package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.util.internal.PlatformDependent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** Sessions through which much has passed keep none of the large buffers while they are idle. */
@Isolated("direct memory")
class BulkMemoryTest {
    private static final int SESSIONS = 16;
    private static final int EACH_BYTES = 8 << 20;
    /** Two of the large buffers; and what each connection and the ring take. */
    private static final int KEPT_BYTES_MAX = 3 << 20;

    private final RawServer node = RawServer.start();
    private final List<RawClient> clients = new ArrayList<>();
    private final List<RawClient> servers = new ArrayList<>();

    @AfterEach
    void stop() {
        clients.forEach(RawClient::close);
        servers.forEach(RawClient::close);
        node.close();
    }

    @Test
    void anIdleSessionGivesItsLargeBufferBack() throws Exception {
        Needed.transport(Transport.IO_URING);
        long before = PlatformDependent.usedDirectMemory();
        // Each is looked at once a second.
        try (TcpFixture gateway = TcpFixture.to(node)
                .runtime("transport", "io_uring")
                .runtime("allocator", "unpooled")
                .server("idle-timeout", "2m")
                .start()) {
            for (int i = 0; i < SESSIONS; i++) {
                RawClient client = gateway.connect();
                clients.add(client);
                RawClient server = node.accept();
                servers.add(server);
                CompletableFuture<Void> sent = Background.run(() -> client.send(GeneratedBody.of(1, EACH_BYTES)));
                server.readExactly(EACH_BYTES);
                sent.join();
            }
            Await.until(
                    "large buffers are given back",
                    () -> PlatformDependent.usedDirectMemory() - before < KEPT_BYTES_MAX);
            for (int i = 0; i < SESSIONS; i++) {
                clients.get(i).send("on");
                assertThat(servers.get(i).readExactly(2)).asString(US_ASCII).isEqualTo("on");
            }
        }
    }
}
