package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.tls.Certificates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Certificates are looked after as each configuration says, on the same threads. */
@Isolated("the log, threads and descriptors of the process")
class CertificateThreadsTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final int away = FreePorts.one();
    private final AtomicInteger asked = new AtomicInteger();

    private WorkerCounters counters() {
        asked.incrementAndGet();
        return new WorkerCounters(Refusals.NAMES);
    }

    /** The hosts are asked for where nobody answers. */
    private AcmeConfig acme(String... hosts) {
        return new AcmeConfig(
                List.of(hosts),
                null,
                null,
                URI.create("https://127.0.0.1:" + away + "/dir"),
                dir.resolve("acme"),
                List.of(),
                List.of(AcmeConfig.Challenge.HTTP_01),
                Map.of());
    }

    private static Snapshot snapshot(@Nullable TlsConfig tls) {
        SigmaConfig plain = Beside.config();
        return SnapshotCompiler.compile(
                Beside.with(plain, of(plain.listeners().getFirst(), tls)),
                new PluginCatalog(CertificateThreadsTest.class.getClassLoader()));
    }

    private static ListenerConfig of(ListenerConfig plain, @Nullable TlsConfig tls) {
        return new ListenerConfig(
                plain.id(),
                plain.serverId(),
                plain.desc(),
                plain.host(),
                plain.port(),
                plain.contentBytesMax(),
                plain.plugins(),
                plain.limits(),
                plain.timeouts(),
                plain.http2(),
                tls);
    }

    @Test
    void eachHasOneThreadAndItsCountersWhateverComesAndGoes() {
        Certificates certificates = new Certificates(dir);
        TlsConfig acme = Certificates.stapled(acme("b.example"), certificates.shown(certificates.issued("a.example")));
        TlsConfig written = Certificates.stapled(null, certificates.shown(certificates.issued("c.example")));
        try (LoggedLines log = new LoggedLines("net.oooops.sigma");
                Snapshot none = snapshot(null);
                Snapshot asking = snapshot(acme);
                Snapshot plain = snapshot(written)) {
            CertificateThreads threads = new CertificateThreads(none, this::counters);
            threads.watch();
            threads.ask();
            assertThat(asked).hasValue(0);
            assertThat(threads.shown()).isEmpty();
            threads.follow(asking);
            Await.until("asked for", () -> log.lines().stream().anyMatch(line -> line.contains("b.example: no")));
            Beside.Use before = Beside.Use.now();
            assertThat(before.threads()).containsKeys("sigma-acme", "sigma-certificates");
            int sets = asked.get();
            for (int i = 0; i < 1000; i++) {
                threads.follow(i % 3 == 0 ? none : i % 3 == 1 ? plain : asking);
            }
            assertThat(threads.shown()).isEmpty();
            threads.follow(asking);
            assertThat(threads.shown()).extracting(Sources.Certificate::ownerId).contains("listener");
            assertThat(asked).hasValue(sets);
            Await.value("no more than before", Beside.Use::now, now -> now.isLike(before));
            assertThat(log.lines().stream().filter(line -> line.contains("b.example: no")))
                    .as("asked for once")
                    .hasSize(1);
            threads.stopAsking();
            threads.stopWatching();
        }
    }
}
