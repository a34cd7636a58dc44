package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.testkit.Await;

/** A process of its own, most often a JVM, as a user would start it; what it says is in two files. Ended, whatever happens, by {@link #close}. */
final class Child implements AutoCloseable {
    private static final Duration START_MAX = Duration.ofSeconds(40);

    private final String name;
    private final Process process;
    private final Path out;
    private final Path err;

    private Child(String name, Process process, Path out, Path err) {
        this.name = name;
        this.process = process;
        this.out = out;
        this.err = err;
    }

    /** Starts {@code java} of this JVM's JDK with what the modules' own tests give it, and then these words. */
    static Child java(Path folder, String name, List<String> words) {
        List<String> command = new ArrayList<>(jvm());
        command.addAll(words);
        return program(folder, name, command);
    }

    /** {@code java} of this JVM's JDK with what the modules' own tests give it. */
    static List<String> jvm() {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xmx256m", "-Xshare:auto", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC"));
        command.addAll(List.of(System.getProperty("sigma.interop.jvm").split(" +")));
        return command;
    }

    /** Starts any program. */
    static Child program(Path folder, String name, List<String> command) {
        Path out = folder.resolve(name + ".out");
        Path err = folder.resolve(name + ".err");
        try {
            Process process = new ProcessBuilder(command)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            return new Child(name, process, out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until it has said something of this form in lines that it has ended, and returns what stands in its first parentheses. */
    String awaitSaid(Pattern form) {
        Matcher said = Await.value(
                name + " saying " + form,
                START_MAX,
                () -> form.matcher(lines()),
                matcher -> matcher.find() || !process.isAlive());
        if (!said.reset(lines()).find()) {
            throw new AssertionError(name + " ended with " + process.exitValue() + "\n" + out() + err());
        }
        return said.group(1);
    }

    String out() {
        return read(out);
    }

    /** What it has said but for a line that it is still writing. */
    private String lines() {
        String said = out();
        return said.substring(0, said.lastIndexOf('\n') + 1);
    }

    String err() {
        return read(err);
    }

    /** Ends it as a power cut would. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Stops it where it is, as a machine does that has no time for it. */
    void freeze() {
        try {
            assertThat(new ProcessBuilder("kill", "-STOP", String.valueOf(process.pid()))
                            .start()
                            .waitFor())
                    .isZero();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    /** Asks it to end, as {@code kill PID} does. */
    void terminate() {
        process.destroy();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** Waits for its end; returns its exit code. */
    int awaitEnd() {
        try {
            assertThat(process.waitFor(START_MAX.toSeconds(), TimeUnit.SECONDS))
                    .as(name + " ended")
                    .isTrue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
        return process.exitValue();
    }

    @Override
    public void close() {
        process.descendants().forEach(ProcessHandle::destroyForcibly);
        process.destroyForcibly();
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
