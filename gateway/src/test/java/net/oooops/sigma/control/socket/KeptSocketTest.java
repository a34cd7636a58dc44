package net.oooops.sigma.control.socket;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.AbstractMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Whatever keeps a gateway from having its socket, it has one later. */
@DisabledOnOs(OS.WINDOWS)
@Timeout(60)
@Isolated("the log")
class KeptSocketTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final Duration PAUSE = Duration.ofMillis(1);
    private static final Map<String, Steered> ALL = Map.of("hello", asked -> new Answer("hello\n", Map.of()));

    @TempDir
    private Path folder;

    private final AtomicInteger tries = new AtomicInteger();

    private RunFolder run() {
        return RunFolder.named(folder.resolve("run"));
    }

    private ControlSocket open() throws SocketFault {
        return ControlSocket.open(run(), Presence.ofProcess("/etc/a.json", Instant.EPOCH, "0.0"));
    }

    /** Each of these fails in another way. */
    private ControlSocket openAtTheFourthTry() throws SocketFault {
        return switch (tries.getAndIncrement()) {
            case 0 -> throw new SocketFault("full");
            case 1 -> throw new IllegalStateException("nobody expected that");
            case 2 -> throw new OutOfMemoryError("unable to create native thread");
            default -> open();
        };
    }

    private List<Path> sockets() throws IOException {
        try (Stream<Path> all = Files.list(run().path())) {
            return all.filter(each -> each.toString().endsWith(Presence.SOCKET_SUFFIX))
                    .toList();
        }
    }

    private void awaitAnswer(KeptSocket kept) throws Exception {
        Await.until("it is there", kept::isOpen);
        assertThat(kept.unreachable()).isNull();
        assertThat(SocketClient.ask(sockets().getFirst(), "hello", Map.of(), PATIENCE)
                        .text())
                .isEqualTo("hello\n");
        assertThat(sockets()).hasSize(1);
    }

    private static List<String> unexpected(LoggedLines log) {
        return log.lines().stream()
                .filter(line -> line.startsWith("ERROR no socket can be had"))
                .toList();
    }

    @Test
    void itIsTriedAgainWhateverKeptItFromThat() throws Exception {
        try (LoggedLines log = new LoggedLines(KeptSocket.class);
                KeptSocket kept = new KeptSocket(this::openAtTheFourthTry, PAUSE)) {
            kept.open();
            assertThat(kept.unreachable()).isEqualTo("full");
            kept.serve(ALL);
            awaitAnswer(kept);
            assertThat(unexpected(log)).hasSize(1);
        }
        assertThat(sockets()).isEmpty();
    }

    /** As where there is no memory for the thread that accepts. */
    @Test
    void oneThatCannotServeIsClosed() throws Exception {
        Map<String, Steered> failingFirst = new AbstractMap<>() {
            @Override
            public Set<Entry<String, Steered>> entrySet() {
                if (tries.getAndIncrement() < 2) {
                    throw new OutOfMemoryError("unable to create native thread");
                }
                return ALL.entrySet();
            }
        };
        try (KeptSocket kept = new KeptSocket(this::open, PAUSE)) {
            kept.open();
            assertThat(kept.unreachable()).isNull();
            kept.serve(failingFirst);
            awaitAnswer(kept);
        }
        assertThat(tries.get()).isGreaterThan(2);
    }

    @Test
    void oneThatWasTakenAwayIsMadeAnew() throws Exception {
        try (KeptSocket kept = new KeptSocket(this::open, PAUSE)) {
            kept.open();
            kept.serve(ALL);
            Files.delete(sockets().getFirst());
            kept.hold();
            awaitAnswer(kept);
        }
    }

    @Test
    void closedItIsNotTriedUntilItIsTakenBack() throws Exception {
        KeptSocket kept = new KeptSocket(this::openAtTheFourthTry, PAUSE);
        try {
            kept.open();
            kept.close();
            kept.serve(ALL);
            kept.hold();
            assertThat(tries.get()).isEqualTo(1);
            kept.takeBack();
            awaitAnswer(kept);
            assertThat(tries.get()).isEqualTo(4);
        } finally {
            kept.close();
        }
    }
}
