package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A process at the end of its file descriptors: it says so once in a while, idles until there are some, and goes on. */
@Tag("long")
@EnabledOnOs(OS.LINUX)
class OutOfDescriptorsTest {
    private static final int DESCRIPTORS = 250;
    /** Others have taken so much of the reserve that connections find none left before they are as many as may be. */
    private static final String TAKEN = "for i in {100..189}; do eval \"exec $i</dev/null\"; done; ";

    private static final String REQUEST = "GET /a HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final Duration WINDOW = Duration.ofMillis(500);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"epoll", "io_uring", "nio"})
    void itIsSaidAndWaitedForAndOver(String transport) throws Exception {
        SigmaProcess.How bounded = new SigmaProcess.How(
                List.of("bash", "-c", "ulimit -n " + DESCRIPTORS + "; " + TAKEN + "exec \"$@\"", "bash"), inJars());
        List<RawClient> clients = new ArrayList<>();
        try (ScriptedUpstream node =
                        ScriptedUpstream.start(request -> Answer.ok("yes").header("Connection", "close"));
                SigmaProcess sigma = SigmaProcess.run(
                        folder, bounded, "{\"transport\": \"" + transport + "\"}", FreePorts.one(), node.port())) {
            int port = sigma.port();
            try (RawClient first = RawClient.connect(port)) {
                // One node isn't there, which is logged: the jars that logging takes are opened now.
                assertThat(first.send(REQUEST).readResponse().bodyText()).isEqualTo("yes");
            }
            // The last ones wait in the socket's queue.
            for (int i = 0; i < DESCRIPTORS; i++) {
                clients.add(RawClient.connect(port));
            }
            Await.until("said", () -> sigma.err().contains("s: no connection can be accepted, "));
            // One that was closed just then is left until the next of those that wait takes it.
            RawResponse answer =
                    Await.value("none left", () -> ask(clients.getFirst()), response -> response.status() != 200);
            assertThat(answer.status()).as(sigma.err()).isEqualTo(503);
            assertThat(answer.header("Retry-After")).isNotNull();
            awaitIdle(sigma.process());

            String out = "out of file descriptors: " + DESCRIPTORS + " open of " + DESCRIPTORS + " (ulimit -n)";
            assertThat(sigma.err().lines())
                    .anyMatch(line -> line.endsWith("s: no connection can be accepted, " + out))
                    .anyMatch(line ->
                            line.contains("upstream u node 127.0.0.1:") && line.endsWith(": not connected, " + out))
                    // One more for each in ten seconds.
                    .hasSizeLessThan(10)
                    .noneMatch(line -> line.contains("exceptionCaught"));

            RawClient last = clients.removeLast();
            closeAll(clients);
            assertThat(last.send(REQUEST).readResponse().bodyText()).isEqualTo("yes");
            try (RawClient next = RawClient.connect(port)) {
                assertThat(next.send(REQUEST).readResponse().bodyText()).isEqualTo("yes");
            }
            last.close();
        } finally {
            closeAll(clients);
        }
    }

    /** The class path of this test with jars in the place of folders, whose classes would be files to open, one each. */
    private String inJars() throws IOException {
        List<String> jars = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (entry.isEmpty()) {
                // The folder that the test runs in, where others write meanwhile.
                continue;
            }
            Path classes = Path.of(entry);
            jars.add(Files.isDirectory(classes) ? jarOf(classes).toString() : entry);
        }
        return String.join(File.pathSeparator, jars);
    }

    private Path jarOf(Path classes) throws IOException {
        Path jar = Files.createTempFile(folder, "classes", ".jar");
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> all = Files.walk(classes)) {
            for (Path file : all.filter(Files::isRegularFile).toList()) {
                out.putNextEntry(
                        new JarEntry(classes.relativize(file).toString().replace(File.separatorChar, '/')));
                Files.copy(file, out);
            }
        }
        return jar;
    }

    private static RawResponse ask(RawClient client) {
        try {
            return client.send(REQUEST).readResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void closeAll(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            client.close();
        }
        clients.clear();
    }

    /** Waits for half a second in which the process takes a tenth of a core at most. */
    private static void awaitIdle(Process process) {
        long[] last = {System.nanoTime(), cpuNanos(process)};
        Await.until("idle", () -> {
            long now = System.nanoTime();
            if (now - last[0] < WINDOW.toNanos()) {
                return false;
            }
            long cpuNanos = cpuNanos(process);
            boolean idle = cpuNanos - last[1] <= (now - last[0]) / 10;
            last[0] = now;
            last[1] = cpuNanos;
            return idle;
        });
    }

    private static long cpuNanos(Process process) {
        return process.info().totalCpuDuration().orElseThrow().toNanos();
    }
}
