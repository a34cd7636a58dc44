package net.oooops.sigma.examples;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.oooops.sigma.testkit.Await;

/** A gateway in a process of its own, from a command that was named: see {@code SigmaCommand}. What it says is in files beside its sigma.json. */
final class ExampleProcess implements AutoCloseable {
    private static final Duration START = Duration.ofSeconds(60);

    private final Path folder;
    private final Process process;

    private ExampleProcess(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
    }

    /**
     * Starts it, and waits until it listens.
     *
     * @param command what its command line begins with
     * @param folder to be made for it, where it finds all that is in {@code examples/}
     * @param words more of its own
     */
    static ExampleProcess start(List<String> command, Path folder, byte[] json, List<String> words) throws IOException {
        Files.createDirectory(folder);
        try (Stream<Path> all = Files.list(ExampleFiles.folder())) {
            for (Path each : all.toList()) {
                Files.createSymbolicLink(folder.resolve(each.getFileName()), each);
            }
        }
        Path conf = Files.write(folder.resolve("sigma.json"), json);
        List<String> all = new ArrayList<>(command);
        all.addAll(List.of("run", "-conf", conf.toString()));
        all.addAll(List.of("--run-dir", folder.resolve("run").toString()));
        all.addAll(words);
        Process process = new ProcessBuilder(all)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        ExampleProcess started = new ExampleProcess(folder, process);
        try {
            Await.until("listening", START, () -> started.said("out").contains("workers") || !process.isAlive());
            assertThat(process.isAlive())
                    .as(started.said("out") + started.said("err"))
                    .isTrue();
            return started;
        } catch (AssertionError e) {
            process.destroyForcibly();
            throw e;
        }
    }

    private String said(String file) {
        try {
            return Files.readString(folder.resolve(file));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it, which it does by itself once it is asked to. */
    @Override
    public void close() {
        process.destroy();
        try {
            assertThat(process.waitFor(START.toSeconds(), TimeUnit.SECONDS))
                    .as("ended")
                    .isTrue();
            assertThat(process.exitValue()).as(said("out") + said("err")).isZero();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        } finally {
            process.destroyForcibly();
            unlink();
        }
    }

    /** JUnit would say of each link that it leaves alone what that leads to. */
    private void unlink() {
        try (Stream<Path> all = Files.list(folder)) {
            for (Path each : all.filter(Files::isSymbolicLink).toList()) {
                Files.delete(each);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
