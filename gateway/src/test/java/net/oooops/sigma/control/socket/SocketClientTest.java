package net.oooops.sigma.control.socket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SocketClientTest {
    @TempDir
    private Path folder;

    /** Who is told so and closed before it has asked, says what it was told. */
    @Test
    void whoIsRefusedBeforeItHasAskedSaysWhy() throws Exception {
        Path path = folder.resolve("busy.sock");
        try (ServerSocketChannel server = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
            server.bind(UnixDomainSocketAddress.of(path));
            Thread.ofVirtual().start(() -> {
                try (SocketChannel channel = server.accept()) {
                    channel.write(ByteBuffer.wrap(Protocol.error("16 ask already (expected: fewer at once)")));
                    channel.write(ByteBuffer.wrap("\n".getBytes(UTF_8)));
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            // More than fits between the two: it is being sent when the other end closes.
            Map<String, String> much = Map.of("word", "w".repeat(4 << 20));
            assertThatThrownBy(() -> SocketClient.ask(path, "echo", much, Duration.ofSeconds(10)))
                    .isInstanceOf(Refused.class)
                    .hasMessageContaining("16 ask already");
        }
    }
}
