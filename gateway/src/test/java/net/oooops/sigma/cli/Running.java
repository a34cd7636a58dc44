package net.oooops.sigma.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.testkit.Await;

/** {@code sigma run} in this JVM, on a thread of its own, stopped by hand instead of by a signal. */
final class Running implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("listens on +https?://[^ ]*:([0-9]+) ");

    private final Shell shell = new Shell();
    private final Signals stop = Signals.byHand();
    private final CompletableFuture<Integer> exitCode = new CompletableFuture<>();
    private final Path runDir;

    private final boolean ownsFolder;

    private Running(Path runDir, boolean ownsFolder) {
        this.runDir = runDir;
        this.ownsFolder = ownsFolder;
    }

    /** Starts it and waits until it listens. Where nothing is said of a folder for its socket, it has one of its own. */
    static Running start(RunWords words) {
        Running running = words.runDir() == null ? new Running(ownFolder(), true) : new Running(words.runDir(), false);
        RunWords own = new RunWords(
                words.verticle(),
                words.conf(),
                words.options(),
                words.instances(),
                running.runDir,
                words.watch(),
                words.first(),
                words.plugins(),
                words.log());
        Thread.ofPlatform().name("run").start(() -> running.run(own));
        Await.until("listening", () -> running.shell.out().contains("workers") || running.exitCode.isDone());
        return running;
    }

    private static Path ownFolder() {
        try {
            return Files.createTempDirectory("sigma-run").toRealPath();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The folder of its socket. */
    Path runDir() {
        return runDir;
    }

    private void run(RunWords words) {
        try {
            exitCode.complete(new Run(stop).run(words, shell.console()));
        } catch (Failure e) {
            exitCode.complete(e.report("sigma run", shell.console()));
        } catch (RuntimeException | Error e) {
            exitCode.completeExceptionally(e);
        }
    }

    /** The first port that it said it listens on. */
    int port() {
        Matcher matcher = ADDRESS.matcher(shell.out());
        if (!matcher.find()) {
            throw new AssertionError("no address in: " + shell.out() + shell.err());
        }
        return Integer.parseInt(matcher.group(1));
    }

    /** What a user sees. */
    Shell shell() {
        return shell;
    }

    /** Asks for its end, as Ctrl-C does. */
    void interrupt() {
        stop.ask();
    }

    /** Its exit code, once it has ended. */
    int exitCode() {
        return exitCode.orTimeout(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        stop.ask();
        exitCode();
        if (ownsFolder) {
            delete(runDir);
        }
    }

    private static void delete(Path folder) {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
