package net.oooops.sigma.interop;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.testkit.SigmaCommand;

/**
 * The built gateway, run as a user runs it: its jar, or what {@code -Dsigma.command} names, a sigma.json, a process of its own with two Workers.
 */
final class Sigma implements AutoCloseable {
    private static final Pattern WORKERS = Pattern.compile("workers +(\\d+)");

    private final Child child;

    private Sigma(Child child) {
        this.child = child;
    }

    /** Starts it and waits until it listens. */
    static Sigma run(Path folder, String json) {
        return run(folder, "sigma", json);
    }

    /** The same, under a name of its own, where a test runs several. */
    static Sigma run(Path folder, String name, String json) {
        try {
            Path conf = Files.writeString(folder.resolve(name + ".json"), json);
            return start(folder, name, List.of("-conf", conf.toString(), "-instance", "2"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Starts it with these words of its own, and waits until it listens. */
    static Sigma start(Path folder, String name, List<String> words) {
        List<String> all = new ArrayList<>(command());
        all.add("run");
        all.addAll(words);
        all.addAll(List.of("--run-dir", folder.resolve(name + ".run").toString()));
        Sigma sigma = new Sigma(Child.program(folder, name, all));
        sigma.child.awaitSaid(WORKERS);
        return sigma;
    }

    /** What {@code -Dsigma.command} names, else the built jar. */
    static List<String> command() {
        return SigmaCommand.words().orElseGet(Sigma::jar);
    }

    private static List<String> jar() {
        Path jar = Path.of(System.getProperty("sigma.interop.jar"));
        if (!Files.exists(jar)) {
            throw new AssertionError(jar + " is missing (expected: built by `mvn verify` or `./sigma version`)");
        }
        List<String> words = new ArrayList<>(Child.jvm());
        words.addAll(List.of("-Dio.netty.leakDetection.level=paranoid", "-jar", jar.toString()));
        return words;
    }

    /** The port of a listener, by its id. */
    int port(String id) {
        Matcher said = Pattern.compile("listens on +\\w+://[^ ]*:(\\d+) \\(" + id + "[;)]")
                .matcher(out());
        assertThat(said.find()).as(id + " in " + out()).isTrue();
        return Integer.parseInt(said.group(1));
    }

    /** What it said. */
    String out() {
        return child.out();
    }

    /** Asks it to drain and end, as {@code kill PID} does. */
    void terminate() {
        child.terminate();
    }

    /** Waits for its end; returns its exit code. */
    int awaitEnd() {
        return child.awaitEnd();
    }

    /** Ends it, and fails where it complained: of a leaked buffer, or of a fault of its own. */
    @Override
    public void close() {
        try (child) {
            boolean ranToTheEnd = child.isAlive();
            child.terminate();
            child.awaitEnd();
            assertThat(ranToTheEnd || child.out().contains("stopped"))
                    .as(child.out() + child.err())
                    .isTrue();
            assertThat(child.err()).doesNotContain("LEAK:").doesNotContain("ERROR");
        }
    }
}
