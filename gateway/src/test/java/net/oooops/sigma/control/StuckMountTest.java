package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.HeldFile;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.ask.FileAnswers;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.tls.Renewable;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** A file of which nothing can be had, not even its time, keeps nobody from seeing what becomes of others. */
@Tag("long")
@Timeout(120)
@Isolated("the log")
class StuckMountTest {
    private static final Duration LONG = FileAnswers.LIMIT.multipliedBy(3);

    private final CountDownLatch answers = new CountDownLatch(1);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    /** Whoever looks at it stays there. */
    private Path stuck(Path file) {
        return (Path) Proxy.newProxyInstance(
                Path.class.getClassLoader(), new Class<?>[] {Path.class}, (proxy, method, args) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == args[0];
                    }
                    if (method.getName().equals("getFileSystem")) {
                        HeldFile.await(answers);
                    }
                    try {
                        return method.invoke(file, args);
                    } catch (InvocationTargetException e) {
                        throw Objects.requireNonNull(e.getCause());
                    }
                });
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(dir.resolve(name), text);
    }

    private static List<String> names(NodeRegistry nodes, String id) {
        return Objects.requireNonNull(nodes.find(id)).nodes().stream()
                .map(Node::name)
                .toList();
    }

    @Test
    void otherFilesOfNodesAreFollowed() throws Exception {
        Path a = stuck(write("a", "[\"http://127.0.0.1:11\"]"));
        Path b = write("b", "[\"http://127.0.0.1:12\"]");
        SigmaConfig config = Beside.config(
                Beside.upstream("a", new Discovery.OfFile(a), 1), Beside.upstream("b", new Discovery.OfFile(b), 2));
        NodeRegistry nodes = Beside.registry(config);
        ControlPlane plane = ControlPlane.start(config, nodes);
        try (LoggedLines log = new LoggedLines(NodesFileWatch.class)) {
            plane.check();
            Await.value("read", LONG, () -> names(nodes, "b"), List.of("127.0.0.1:12")::equals);
            write("b", "[\"http://127.0.0.1:13\"]");
            Await.value("read again", () -> names(nodes, "b"), List.of("127.0.0.1:13")::equals);
            assertThat(names(nodes, "a")).containsExactly("127.0.0.1:1");
            assertThat(Objects.requireNonNull(nodes.find("a")).freshness().isStale())
                    .isTrue();
            assertThat(log.lines())
                    .filteredOn(line -> line.contains("upstream a"))
                    .containsExactly(
                            "WARN upstream a: nodes-file " + a + ": hasn't answered within 10 s; nodes kept: 1");
        } finally {
            answers.countDown();
            plane.close(Duration.ofSeconds(10));
        }
    }

    /** Of which it only counts how often it is read. */
    private record Counted(Path file, AtomicInteger times) implements Renewable {
        @Override
        public List<Path> files() {
            return List.of(file);
        }

        @Override
        public String what() {
            return "certificate";
        }

        @Override
        public Instant notAfter() {
            return Instant.MAX;
        }

        @Override
        public boolean renew() {
            times.incrementAndGet();
            return false;
        }
    }

    @Test
    void otherCertificatesAreFollowed() throws Exception {
        Counted a = new Counted(stuck(write("a", "1")), new AtomicInteger());
        Counted b = new Counted(write("b", "1"), new AtomicInteger());
        try (LoggedLines log = new LoggedLines(CertificateWatch.class);
                CertificateWatch watch = new CertificateWatch()) {
            watch.follow(List.of(
                    new CertificateWatch.Owner(Sources.CertificateOwner.LISTENER, "web", a, List.of(a, b), false)));
            Await.until("read", LONG, () -> b.times.get() > 0);
            assertThat(a.times).hasValue(0);
            assertThat(log.lines())
                    .containsExactly(
                            "WARN web: " + a.file + ": hasn't answered within 10 s; the certificate before stays");
        } finally {
            answers.countDown();
        }
    }

    @Test
    void otherFilesAreWatched() throws Exception {
        List<Path> files = List.of(stuck(write("a", "1")), write("b", "1"));
        AtomicInteger changes = new AtomicInteger();
        try (LoggedLines log = new LoggedLines(FilesWatch.class);
                FilesWatch _ = FilesWatch.start(() -> files, () -> false, () -> changes.incrementAndGet() > 0)) {
            Await.until("what may have changed before", LONG, () -> changes.get() == 1);
            write("b", "12");
            Await.until("told", () -> changes.get() == 2);
            assertThat(log.lines())
                    .containsExactly("WARN " + files.getFirst()
                            + ": hasn't answered within 10 s; whether it has changed is seen once it does");
        } finally {
            answers.countDown();
        }
    }
}
