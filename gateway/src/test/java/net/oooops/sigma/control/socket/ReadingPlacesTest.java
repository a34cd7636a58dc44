package net.oooops.sigma.control.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.testkit.Await;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Commands that read files don't take the places of others. */
@DisabledOnOs(OS.WINDOWS)
@Isolated("the log")
class ReadingPlacesTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    @TempDir
    private Path folder;

    /** As those of a mount that is stuck. */
    @Test
    void filesThatNeverAnswerLeavePlacesForOtherCommands() throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        Semaphore begun = new Semaphore(0);
        Steered reading = Steered.readingFiles(asked -> {
            begun.release();
            try {
                answered.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
            return new Answer("read\n", Map.of());
        });
        List<CompletableFuture<Answer>> asking = new ArrayList<>();
        try (ControlSocket socket = ControlSocket.open(
                        RunFolder.named(folder.resolve("run")), Presence.ofProcess("", Instant.EPOCH, "0.0"));
                LoggedLines log = new LoggedLines(ReadingPlaces.class)) {
            socket.serve(Map.of("echo", asked -> new Answer("on\n", Map.of()), "diff", reading));
            for (int i = 0; i < ControlSocket.READING_MAX; i++) {
                asking.add(
                        CompletableFuture.supplyAsync(() -> asked(socket, "diff"), task -> new Thread(task).start()));
            }
            assertThat(begun.tryAcquire(ControlSocket.READING_MAX, PATIENCE.toSeconds(), TimeUnit.SECONDS))
                    .isTrue();
            for (int i = 0; i < ControlSocket.CONNECTIONS_MAX; i++) {
                assertThatThrownBy(() -> SocketClient.ask(socket.path(), "diff", Map.of(), PATIENCE))
                        .isInstanceOf(Refused.class)
                        .hasMessageMatching(
                                "8 commands that read files are under way, the first of them, diff, for [0-9]+ s"
                                        + " \\(expected: fewer at once, and files that answer\\)");
            }
            assertThat(log.lines()).singleElement().asString().startsWith("WARN 8 commands that read files");
            assertThat(SocketClient.ask(socket.path(), "echo", Map.of(), PATIENCE)
                            .text())
                    .isEqualTo("on\n");

            answered.countDown();
            for (CompletableFuture<Answer> each : asking) {
                assertThat(each.get(PATIENCE.toSeconds(), TimeUnit.SECONDS).text())
                        .isEqualTo("read\n");
            }
            Await.until("a place is free", () -> asked(socket, "diff") != null);
        }
    }

    private static @Nullable Answer asked(ControlSocket socket, String command) {
        try {
            return SocketClient.ask(socket.path(), command, Map.of(), PATIENCE);
        } catch (Refused e) {
            return null;
        } catch (SocketFault e) {
            throw new IllegalStateException(e);
        }
    }
}
