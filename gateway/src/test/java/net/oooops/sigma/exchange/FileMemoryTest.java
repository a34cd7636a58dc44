package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A file passes in little memory, however slowly its client reads. */
@Isolated("direct memory")
class FileMemoryTest {
    private static final int MEBI = 1 << 20;
    private static final Duration LONG = Duration.ofSeconds(60);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path folder;

    @ParameterizedTest
    @EnumSource(
            value = Way.class,
            names = {"EPOLL", "NIO", "IO_URING", "WATCHED"})
    void aSlowReaderGetsAllInLittleMemory(Way way) throws IOException {
        ServedFile file = ServedFile.of(folder, 12 * MEBI);
        AtomicLong watched = new AtomicLong();
        ClientOptions small = ClientOptions.defaults().withReceiveBufferBytes(8192);
        try (GatewayFixture gateway = way.gateway(file.probe(), watched).start();
                RawClient client = gateway.connect(small).deadline(LONG);
                DirectMemory memory = DirectMemory.watched()) {
            client.send(Ask.get("/")).readHead();
            assertThat(client.readInPieces(64 * 1024, 1024, Duration.ofMillis(1)))
                    .hasSize(64 * 1024);
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
            byte[] rest = client.readExactly((int) file.content.bytes() - 64 * 1024);
            assertThat(rest).endsWith(lastOf(file));
            Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 0);
            assertThat(memory.grownBytesMax()).isLessThan(4 * MEBI);
            file.allClosed(1);
        }
    }

    private static byte[] lastOf(ServedFile file) throws IOException {
        byte[] all = Files.readAllBytes(file.path);
        return Arrays.copyOfRange(all, all.length - 1000, all.length);
    }
}
