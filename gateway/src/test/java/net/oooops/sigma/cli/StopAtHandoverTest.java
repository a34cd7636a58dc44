package net.oooops.sigma.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.control.socket.LivingGateways;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.control.socket.SocketClient;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A gateway that is asked to stop as another process is about to serve. */
@EnabledOnOs(OS.LINUX)
@SuppressWarnings("NullAway.Init")
class StopAtHandoverTest {
    @TempDir
    private Path folder;

    /** What the new process says is said here: its launcher only tells where. */
    private Path launcher(Path told) throws IOException {
        String text = "#!/bin/sh\nprintf %s \"$SIGMA_UPGRADE\" > " + told + ".new\nmv " + told + ".new " + told
                + "\nexec sleep 60\n";
        Path script = Files.writeString(folder.resolve("launcher"), text);
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    private Running running() throws IOException {
        Path conf = Files.writeString(folder.resolve("sigma.json"), """
                {"proxy-server": {"http": {"id": "s", "host": "127.0.0.1", "port": 0}},
                 "router": [{"id": "r", "proxy-server-id": "s", "route": [{"id": "a", "path": "/*", "proxy-pass-id": "p"}]}],
                 "proxy-pass": [{"id": "p", "upstream-id": "u"}],
                 "upstream": [{"id": "u", "nodes": ["http://127.0.0.1:1"]}]}
                """);
        String[] words = {"-conf", conf.toString(), "-instance", "1"};
        return Running.start(Objects.requireNonNull(RunWords.plain(words)));
    }

    private static void say(SocketChannel line, String json) throws IOException {
        byte[] text = json.getBytes(UTF_8);
        line.write(ByteBuffer.allocate(Integer.BYTES + text.length)
                .putInt(text.length)
                .put(text)
                .flip());
    }

    private static void awaitSaid(SocketChannel line, String word) throws IOException {
        ByteBuffer in = ByteBuffer.allocate(1 << 16);
        while (!new String(in.array(), 0, in.position(), UTF_8).contains(word)) {
            assertThat(line.read(in)).as("said: " + word).isPositive();
        }
    }

    /** It serves again at first. That the other one serves is heard after the stop, and nothing but that is left to end it. */
    @Test
    void itStopsAlsoWhereTheOtherOneHasEndedSince() throws Exception {
        Path told = folder.resolve("told");
        Path launcher = launcher(told);
        try (Running running = running()) {
            Path socket = LivingGateways.in(RunFolder.named(running.runDir()))
                    .getFirst()
                    .socket();
            CompletableFuture<Void> asked = Background.run(() -> SocketClient.ask(
                    socket, "upgrade", Map.of("launcher", launcher.toString()), Duration.ofSeconds(30)));
            Await.until("started", () -> Files.exists(told));
            try (SocketChannel line = SocketChannel.open(StandardProtocolFamily.UNIX)) {
                line.connect(UnixDomainSocketAddress.of(Files.readString(told)));
                say(line, "{\"hello\": \"1\", \"protocol\": 1, \"pid\": 1}");
                say(line, "{\"ready\": true}");
                awaitSaid(line, "yours");
                running.interrupt();
                say(line, "{\"serving\": true}");
            }
            assertThat(running.exitCode()).isEqualTo(Exit.OK);
            asked.handle((_, _) -> true).join();
            assertThat(running.shell().out()).contains("draining", "stopped");
        }
    }
}
