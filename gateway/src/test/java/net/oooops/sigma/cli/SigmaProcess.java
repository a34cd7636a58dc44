package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import net.oooops.sigma.testkit.Await;

/** The command in a JVM of its own. What it prints is in two files of a folder. */
final class SigmaProcess implements AutoCloseable {
    private static final Pattern ADDRESS = Pattern.compile("listens on +http://[^ ]*:([0-9]+) ");

    /** Where other JVMs start beside it, and cores are few. */
    private static final Duration START = Duration.ofSeconds(60);

    private final Path folder;
    private final Process process;

    /**
     * How it is started.
     *
     * @param before words of a command that runs another one, which is written behind them: none for the JVM itself
     * @param classPath of the JVM
     */
    record How(List<String> before, String classPath) {
        /** By the JVM of this test, with its classes. */
        static final How PLAIN = new How(List.of(), System.getProperty("java.class.path"));
    }

    private SigmaProcess(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
    }

    /**
     * Starts it.
     *
     * @param folder where its streams go
     * @param words of the command line
     */
    static SigmaProcess start(Path folder, How how, List<String> words) throws IOException {
        // Whoever runs this test in the background may have it ignore interrupts, and what it starts would, too.
        List<String> command = new ArrayList<>(List.of("env", "--default-signal=INT,HUP"));
        command.addAll(how.before());
        command.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-Xshare:auto",
                "--enable-native-access=ALL-UNNAMED",
                "--sun-misc-unsafe-memory-access=allow",
                "-cp",
                how.classPath(),
                Main.class.getName()));
        command.addAll(words);
        if (words.getFirst().equals("run")) {
            command.addAll(List.of("--run-dir", runDir(folder).toString()));
        }
        Process process = new ProcessBuilder(command)
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile())
                .start();
        return new SigmaProcess(folder, process);
    }

    /** Starts {@code run} with one Worker, everything under {@code /} led to those nodes, and waits until it listens. */
    static SigmaProcess run(Path folder, How how, String runtime, int... nodePorts) throws IOException {
        String nodes = Arrays.stream(nodePorts)
                .mapToObj(port -> "\"http://127.0.0.1:" + port + "\"")
                .collect(Collectors.joining(", "));
        String json = "{\"proxy-server\": {\"http\": {\"id\": \"s\", \"host\": \"127.0.0.1\", \"port\": 0}},"
                + " \"router\": [{\"id\": \"r\", \"proxy-server-id\": \"s\","
                + " \"route\": [{\"id\": \"a\", \"path\": \"/*\", \"proxy-pass-id\": \"p\"}]}],"
                + " \"proxy-pass\": [{\"id\": \"p\", \"upstream-id\": \"u\"}],"
                + " \"upstream\": [{\"id\": \"u\", \"nodes\": [" + nodes + "]}],"
                + " \"runtime\": " + runtime + "}";
        Path conf = Files.writeString(folder.resolve("sigma.json"), json);
        SigmaProcess started =
                start(folder, how, List.of("run", RunWords.VERTICLE, "-conf", conf.toString(), "-instance", "1"));
        started.awaitListening();
        return started;
    }

    /** The folder of the socket of one that was started with that folder. */
    static Path runDir(Path folder) {
        return folder.resolve("run");
    }

    /** Waits until it listens, or has ended. */
    void awaitListening() {
        Await.until("listening", START, () -> out().contains("workers") || !process.isAlive());
    }

    Process process() {
        return process;
    }

    /** The first port that it said it listens on. */
    int port() {
        Matcher matcher = ADDRESS.matcher(out());
        assertThat(matcher.find()).as(out() + err()).isTrue();
        return Integer.parseInt(matcher.group(1));
    }

    void signal(String name) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** Ends it at once, as nobody can keep it from. */
    static void kill(long pid) {
        ProcessHandle.of(pid).ifPresent(ProcessHandle::destroyForcibly);
    }

    /** Its exit code, once it has ended. */
    int exitCode() throws InterruptedException {
        assertThat(process.waitFor(Await.DEADLINE.toSeconds(), TimeUnit.SECONDS))
                .as("ended")
                .isTrue();
        return process.exitValue();
    }

    String out() {
        return read("out");
    }

    String err() {
        return read("err");
    }

    private String read(String stream) {
        try {
            return Files.readString(folder.resolve(stream));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it, whatever it does. */
    @Override
    public void close() {
        process.destroyForcibly();
    }
}
