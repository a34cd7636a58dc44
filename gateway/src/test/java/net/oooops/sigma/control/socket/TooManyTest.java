package net.oooops.sigma.control.socket;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Who asks while too many do, or asks for too much, is told so, and not cut off. */
@DisabledOnOs(OS.WINDOWS)
class TooManyTest {
    private static final String WAIT = "{\"protocol\":1,\"command\":\"wait\",\"arguments\":{}}\n";

    @TempDir
    private Path folder;

    private final List<SocketChannel> open = new ArrayList<>();

    private ControlSocket socket() throws SocketFault {
        RunFolder run = RunFolder.named(folder.resolve("run"));
        return ControlSocket.open(run, Presence.ofProcess("", Instant.EPOCH, "0.0"));
    }

    private SocketChannel asking(ControlSocket socket, String request) throws IOException {
        SocketChannel channel = SocketChannel.open(UnixDomainSocketAddress.of(socket.path()));
        open.add(channel);
        ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(UTF_8));
        while (bytes.hasRemaining()) {
            channel.write(bytes);
        }
        return channel;
    }

    private static String rest(SocketChannel channel) throws IOException {
        ByteBuffer answer = ByteBuffer.allocate(1 << 16);
        while (channel.read(answer) >= 0) {
            assertThat(answer.hasRemaining()).isTrue();
        }
        return UTF_8.decode(answer.flip()).toString();
    }

    private void closeAll() throws IOException {
        for (SocketChannel each : open) {
            each.close();
        }
        open.clear();
    }

    private static Steered waiting(CountDownLatch go) {
        return asked -> {
            try {
                // Whoever asks sees it: here nobody would see that it fails.
                return Answer.of(go.await(30, TimeUnit.SECONDS) ? "waited" : "waited in vain");
            } catch (InterruptedException e) {
                throw new Refused("interrupted");
            }
        };
    }

    /** All have written before one is read: what is closed with something unread is reset. */
    @Test
    void allThatAreTooManyAreTold() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ControlSocket socket = socket()) {
            List<SocketChannel> taken = new ArrayList<>();
            List<SocketChannel> tooMany = new ArrayList<>();
            for (int i = 0; i < 56; i++) {
                (i < ControlSocket.CONNECTIONS_MAX ? taken : tooMany).add(asking(socket, WAIT));
            }
            socket.serve(Map.of("wait", waiting(go)));
            for (SocketChannel each : tooMany) {
                assertThat(rest(each)).contains("16 ask already");
            }
            go.countDown();
            for (SocketChannel each : taken) {
                assertThat(rest(each)).contains("\"waited\"");
            }
        } finally {
            closeAll();
        }
    }

    /** Nor do those that never end keep others from being told. */
    @Test
    void thoseThatStayAreLeftAlone() throws Exception {
        CountDownLatch go = new CountDownLatch(1);
        try (ControlSocket socket = socket()) {
            socket.serve(Map.of("wait", waiting(go)));
            for (int i = 0; i < ControlSocket.CONNECTIONS_MAX; i++) {
                asking(socket, WAIT);
            }
            for (int i = 0; i < 200; i++) {
                assertThat(rest(asking(socket, WAIT))).contains("16 ask already");
            }
            go.countDown();
            Await.until("free again", () -> isAnswered(socket));
        } finally {
            closeAll();
        }
    }

    private boolean isAnswered(ControlSocket socket) {
        try {
            return rest(asking(socket, WAIT)).contains("\"waited\"");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void oneThatAsksForTooMuchIsTold() throws Exception {
        try (ControlSocket socket = socket()) {
            socket.serve(Map.of());
            String tooMuch = "x".repeat(Protocol.REQUEST_BYTES_MAX * 3);
            assertThat(rest(asking(socket, tooMuch))).contains("a request longer than 1048576 bytes");
        } finally {
            closeAll();
        }
    }
}
