package net.oooops.sigma.interop;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A program of the machine, run to its end. Usable on any thread. */
final class Program {
    private Program() {}

    /**
     * What came of it.
     *
     * @param exit its exit code
     * @param out what it wrote to standard output
     * @param err what it wrote to standard error
     */
    record Ran(int exit, String out, String err) {
        /** The end of what it said, for a message. */
        String tail() {
            String said = (out + err).strip();
            return said.substring(Math.max(0, said.length() - 400));
        }
    }

    /** Where a program of that name is, by PATH and where Debian keeps those of administrators. */
    static Optional<Path> find(String name) {
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin";
        return Arrays.stream(path.split(File.pathSeparator))
                .map(folder -> Path.of(folder, name))
                .filter(Files::isExecutable)
                .findFirst();
    }

    /**
     * Runs it in that folder, with these variables more, and waits for its end.
     *
     * @throws AssertionError where it hasn't ended by the deadline; it is ended then
     */
    static Ran run(Path folder, Map<String, String> variables, Duration deadline, List<String> words) {
        ProcessBuilder builder =
                new ProcessBuilder(words).directory(folder.toFile()).redirectInput(new File("/dev/null"));
        builder.environment().putAll(variables);
        try {
            Path said = Files.createTempDirectory("program");
            try {
                return run(builder, said.resolve("out"), said.resolve("err"), deadline);
            } finally {
                Files.deleteIfExists(said.resolve("out"));
                Files.deleteIfExists(said.resolve("err"));
                Files.delete(said);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Ran run(ProcessBuilder builder, Path out, Path err, Duration deadline) throws IOException {
        builder.redirectOutput(out.toFile()).redirectError(err.toFile());
        int exit = awaitEnd(builder.start(), deadline, builder.command());
        return new Ran(exit, Files.readString(out), Files.readString(err));
    }

    private static int awaitEnd(Process process, Duration deadline, List<String> words) {
        try {
            if (!process.waitFor(deadline.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError(words + ": still running after " + deadline);
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }
}
