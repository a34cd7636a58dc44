package net.oooops.sigma.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.netty.pkitesting.X509Bundle;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.TlsConfig.Shown;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.ServerTls;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Another configuration with other certificates takes effect: the watch goes on with those that stay. */
@Isolated("the log")
class CertificateWatchFollowsTest {
    private final Instant now = Instant.now().truncatedTo(ChronoUnit.SECONDS);

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    private final LoggedLines log = new LoggedLines(CertificateWatch.class);

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    @SuppressWarnings("NullAway.Init")
    private X509Bundle first;

    @SuppressWarnings("NullAway.Init")
    private Shown shown;

    @SuppressWarnings("NullAway.Init")
    private ServerTls tls;

    @BeforeEach
    void start() {
        certificates = new Certificates(dir);
        first = issued("a.example");
        shown = certificates.shown(first);
        tls = new ServerTls(Certificates.config(shown));
    }

    @AfterEach
    void stop() {
        log.close();
        tls.close();
    }

    private X509Bundle issued(String host) {
        return Certificates.issued(
                Certificates.builder(host)
                        .notBefore(now.minus(1, ChronoUnit.DAYS))
                        .notAfter(now.plus(80, ChronoUnit.DAYS)),
                certificates.authority());
    }

    private static void age(Path file, Instant written) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(written));
    }

    private void look(CertificateWatch watch) {
        for (int i = 0; i < 3; i++) {
            watch.look(now);
        }
    }

    private List<CertificateWatch.Owner> owners(ServerTls... others) {
        List<CertificateWatch.Owner> owners = new ArrayList<>();
        for (ServerTls each : others) {
            owners.add(CertificateWatch.Owner.listener("other", each));
        }
        owners.add(CertificateWatch.Owner.listener("web", tls));
        return owners;
    }

    /** Another configuration: what was said isn't said again, and files are read again only where they have changed. */
    @Test
    void whatIsShownAsBeforeIsWatchedAsBefore() throws IOException {
        Path keyFile = shown.files().all().get(1);
        age(shown.files().certificates(), now.minusSeconds(60));
        age(keyFile, now.minusSeconds(60));
        CertificateWatch before = CertificateWatch.of(owners());
        look(before);
        Files.writeString(keyFile, "");
        age(keyFile, now.minusSeconds(30));
        look(before);
        assertThat(log.lines()).hasSize(1);
        ServerTls other = new ServerTls(Certificates.config(certificates.shown(issued("other.example"))));
        try (CertificateWatch watch = CertificateWatch.of(owners(other))) {
            look(watch);
            assertThat(log.lines()).as("another watch says it, too").hasSize(2);
            watch.follow(owners());
            assertThat(watch.shown()).extracting(Sources.Certificate::ownerId).containsExactly("web");
            watch.follow(owners(other));
            assertThat(watch.shown())
                    .extracting(Sources.Certificate::ownerId, Sources.Certificate::wrong)
                    .containsExactly(tuple("other", false), tuple("web", true));
        } finally {
            other.close();
        }
        assertThat(log.lines()).hasSize(2);
    }

    @Test
    void anotherTlsOfTheSameServerIsWatchedAnew() throws IOException {
        ServerTls next = new ServerTls(Certificates.config(shown));
        X509Bundle second = issued("b.example");
        Certificates.write(shown.files(), second);
        try (CertificateWatch watching = CertificateWatch.of(owners())) {
            watching.follow(List.of(CertificateWatch.Owner.listener("web", next)));
            Await.until(
                    "read", () -> next.certificates().getFirst().certificate().equals(second.getCertificate()));
            assertThat(tls.certificates())
                    .extracting(KeyedCertificate::certificate)
                    .containsExactly(first.getCertificate());
        } finally {
            next.close();
        }
    }

    @Test
    void followingLeavesNothing() {
        try (CertificateWatch watching = new CertificateWatch()) {
            watching.follow(List.of());
            assertThat(threads()).isZero();
            watching.follow(owners());
            Beside.Use before = Beside.Use.now();
            assertThat(threads()).isEqualTo(1);
            for (int i = 0; i < 1000; i++) {
                watching.follow(i % 3 == 0 ? List.of() : owners());
            }
            assertThat(watching.shown()).isEmpty();
            Await.value("no more than before", Beside.Use::now, use -> use.isLike(before));
        }
        Await.until("ended", () -> threads() == 0);
    }

    private static int threads() {
        return Beside.Use.now().threads().getOrDefault("sigma-certificates", 0);
    }
}
