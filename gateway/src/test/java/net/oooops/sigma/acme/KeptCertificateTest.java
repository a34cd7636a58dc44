package net.oooops.sigma.acme;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.pkitesting.X509Bundle;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.tls.Certificates;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** When a certificate is asked for, with an issuer and a clock by hand. */
@Isolated("the log")
class KeptCertificateTest {
    private static final String HOST = "a.example";

    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final Instant start = Instant.now().truncatedTo(ChronoUnit.SECONDS);
    private final Scripted issuer = new Scripted();
    private final WorkerCounters counters = new WorkerCounters(RefusalNames.NONE);
    private final LoggedLines log = new LoggedLines(KeptCertificate.class);

    @SuppressWarnings("NullAway.Init")
    private CertificateFolder folder;

    @SuppressWarnings("NullAway.Init")
    private KeptCertificate kept;

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    /** Gives, or doesn't, as it is told. */
    private final class Scripted implements Issuer {
        private final List<@Nullable KeyedCertificate> replaced = new ArrayList<>();
        private @Nullable NotIssuedException failing;
        private @Nullable Error unable;
        private @Nullable Advice advice;
        private int advised;
        private Instant from = start;
        private Duration life = Duration.ofDays(90);

        @Override
        public KeyedCertificate issue(String host, @Nullable KeyedCertificate before) throws NotIssuedException {
            replaced.add(before);
            if (unable != null) {
                throw unable;
            }
            NotIssuedException why = failing;
            if (why != null) {
                throw why;
            }
            if (before != null) {
                // What was said was said of that one.
                advice = null;
            }
            X509Bundle issued = Certificates.issued(
                    Certificates.builder(host).notBefore(from).notAfter(from.plus(life)), certificates.authority());
            return new KeyedCertificate(
                    List.of(issued.getCertificate()), issued.getKeyPair().getPrivate());
        }

        @Override
        public @Nullable Advice advice(KeyedCertificate certificate) {
            advised++;
            return advice;
        }
    }

    @BeforeEach
    void prepare() {
        certificates = new Certificates(dir);
        AcmeConfig config = new AcmeConfig(
                List.of(HOST),
                null,
                null,
                URI.create("https://localhost/dir"),
                dir.resolve("acme"),
                List.of(),
                List.of(AcmeConfig.Challenge.HTTP_01),
                Map.of());
        folder = new CertificateFolder(config);
        kept = another();
    }

    private KeptCertificate another() {
        return new KeptCertificate(
                HOST, folder, issuer, new KeptCertificate.Means(Backoff.DEFAULT, counters, () -> 0.5));
    }

    @AfterEach
    void end() {
        log.close();
    }

    private long count(Counter counter) {
        return new CountersView(List.of(counters)).snapshot().count(counter);
    }

    private KeyedCertificate there() {
        return Objects.requireNonNull(folder.read(HOST));
    }

    /** Looks whenever it is wanted, until then. */
    private void lookUntil(Instant end) throws InterruptedException {
        Instant at = kept.look(start);
        while (at.isBefore(end)) {
            at = kept.look(at);
        }
    }

    @Test
    void theFirstIsAskedForAtOnceAndTheNextWhenTwoThirdsOfItsTimeAreOver() throws Exception {
        kept.look(start);
        KeyedCertificate first = there();
        assertThat(issuer.replaced).hasSize(1).containsOnlyNulls();
        lookUntil(start.plus(Duration.ofDays(60)));
        assertThat(there()).isEqualTo(first);
        issuer.from = start.plus(Duration.ofDays(63));
        lookUntil(start.plus(Duration.ofDays(63)));
        assertThat(there()).isNotEqualTo(first);
        assertThat(issuer.replaced).hasSize(2).contains(first);
        assertThat(count(Counter.ACME_CERTIFICATES)).isEqualTo(2);
    }

    @Test
    void whatIsThereIsNotAskedForAfterARestart() throws Exception {
        kept.look(start);
        kept = another();
        lookUntil(start.plus(Duration.ofDays(10)));
        assertThat(issuer.replaced).hasSize(1);
    }

    @Test
    void failuresAreFollowedByLongerAndLongerWaitsAndSaidOnce() throws Exception {
        kept.look(start);
        KeyedCertificate first = there();
        issuer.failing = new NotIssuedException("the issuer is away", null);
        Instant from = start.plus(Duration.ofDays(63));
        List<Long> minutes = new ArrayList<>();
        Instant at = from;
        for (int i = 0; i < 12; i++) {
            Instant next = kept.look(at);
            minutes.add(Duration.between(at, next).toMinutes());
            at = next;
        }
        assertThat(minutes).containsExactly(1L, 2L, 4L, 8L, 16L, 32L, 64L, 128L, 256L, 512L, 720L, 720L);
        assertThat(there()).as("it stays").isEqualTo(first);
        assertThat(count(Counter.ACME_FAILURES)).isEqualTo(12);
        issuer.failing = new NotIssuedException("something else", null);
        kept.look(at);
        assertThat(log.lines().stream().filter(line -> line.startsWith("WARN")))
                .hasSize(2)
                .anyMatch(line -> line.contains("a.example: no certificate was given: the issuer is away;"));
    }

    /** An answer may be too much for what memory there is: it isn't asked for again and again for that. */
    @Test
    void anErrorOfTheJvmIsAFailureLikeOthers() throws Exception {
        issuer.unable = new NoClassDefFoundError("org/bouncycastle/A");
        Instant again = kept.look(start);
        assertThat(again).isEqualTo(start.plus(Duration.ofMinutes(1)));
        assertThat(kept.look(again)).isEqualTo(again.plus(Duration.ofMinutes(2)));
        assertThat(count(Counter.ACME_FAILURES)).isEqualTo(2);
        assertThat(log.lines())
                .singleElement()
                .asString()
                .contains(
                        "a fault of Sigma's own or of the JVM's, java.lang.NoClassDefFoundError: org/bouncycastle/A; asked");
        issuer.unable = null;
        kept.look(again.plus(Duration.ofMinutes(2)));
        assertThat(there().hosts()).containsExactly(HOST);
    }

    @Test
    void anIssuerThatSaysWhenIsNotAskedBefore() throws Exception {
        Instant later = start.plus(Duration.ofHours(5));
        issuer.failing = new NotIssuedException("too many", null, later);
        assertThat(kept.look(start)).isEqualTo(later);
        assertThat(kept.look(start.plus(Duration.ofHours(4)))).isEqualTo(later);
        assertThat(issuer.replaced).hasSize(1);
        issuer.failing = null;
        kept.look(later);
        assertThat(there().hosts()).containsExactly(HOST);
    }

    @Test
    void theIssuersAdviceGoesBeforeTheClock() throws Exception {
        kept.look(start);
        KeyedCertificate first = there();
        Instant early = start.plus(Duration.ofDays(10));
        issuer.advice = new Issuer.Advice(early, early.plus(Duration.ofHours(1)), start.plus(Duration.ofDays(20)));
        issuer.from = early;
        lookUntil(early.plus(Duration.ofHours(3)));
        assertThat(issuer.replaced).hasSize(2).contains(first);
        assertThat(issuer.advised)
                .as("each day of the first, and once for the second")
                .isBetween(11, 12);
    }

    /** However late the issuer wants it. */
    @Test
    void adviceDoesNotMakeACertificateExpire() throws Exception {
        Instant far = Instant.MAX.minusSeconds(60);
        for (Instant from : List.of(start.plus(Duration.ofDays(200)), far)) {
            kept = another();
            Files.deleteIfExists(dir.resolve("acme").resolve(HOST + ".pem"));
            issuer.replaced.clear();
            issuer.from = start;
            kept.look(start);
            issuer.advice = new Issuer.Advice(from, far.plusSeconds(1), far);
            lookUntil(start.plus(Duration.ofDays(80)));
            assertThat(issuer.replaced).hasSize(1);
            issuer.from = start.plus(Duration.ofDays(82));
            lookUntil(start.plus(Duration.ofDays(82)));
            assertThat(issuer.replaced).as("from %s", from).hasSize(2);
        }
    }

    /** Advice of long ago is one to renew now. */
    @Test
    void adviceFromTheBeginningOfTimeIsFollowed() throws Exception {
        kept.look(start);
        issuer.advice = new Issuer.Advice(Instant.MIN, Instant.EPOCH, start.plus(Duration.ofHours(6)));
        lookUntil(start.plus(Duration.ofHours(9)));
        assertThat(issuer.replaced).hasSize(2);
    }

    /** Also where the issuer says that it may be asked for again at once: not twice for one decision. */
    @Test
    void adviceIsAskedForOnceAMinuteAtMost() throws Exception {
        kept.look(start);
        kept.look(start);
        Instant at = start.plus(Duration.ofHours(7));
        issuer.advice = new Issuer.Advice(at.minusSeconds(2), at.minusSeconds(1), Instant.MIN);
        int before = issuer.advised;
        kept.look(at);
        assertThat(issuer.replaced).hasSize(2);
        assertThat(issuer.advised - before).isEqualTo(1);
    }

    @Test
    void anIssuerWithoutAdviceIsAskedForItAgainLater() throws Exception {
        kept.look(start);
        lookUntil(start.plus(Duration.ofHours(5)));
        assertThat(issuer.advised).isEqualTo(1);
        lookUntil(start.plus(Duration.ofHours(13)));
        assertThat(issuer.advised).isEqualTo(3);
    }

    /** An issuer that wants everything at once doesn't have it asked for without an end. */
    @Test
    void whatWasJustGivenStaysForAnHour() throws Exception {
        issuer.advice = new Issuer.Advice(start.minusSeconds(60), start, start.plus(Duration.ofDays(1)));
        kept.look(start);
        Instant at = start;
        while (at.isBefore(start.plus(Duration.ofMinutes(59)))) {
            at = kept.look(at.plusSeconds(1));
        }
        assertThat(issuer.replaced).hasSize(1);
        kept.look(start.plus(Duration.ofMinutes(61)));
        assertThat(issuer.replaced).hasSize(2);
    }

    @Test
    void nobodyAsksWhileAnotherDoes() throws Exception {
        try (CertificateFolder.Lock lock = folder.lock()) {
            assertThat(lock).isNotNull();
            assertThat(kept.look(start)).isEqualTo(start.plusSeconds(5));
            assertThat(issuer.replaced).isEmpty();
            kept.look(start.plusSeconds(5));
            assertThat(issuer.replaced).isEmpty();
        }
        kept.look(start.plusSeconds(10));
        assertThat(issuer.replaced).hasSize(1);
    }

    @Test
    void whatCantBeReadIsReplaced() throws Exception {
        kept.look(start);
        Path file = dir.resolve("acme").resolve(HOST + ".pem");
        Files.writeString(file, "garbage");
        kept = another();
        kept.look(start);
        assertThat(there().hosts()).containsExactly(HOST);
        assertThat(issuer.replaced).hasSize(2);
    }

    @Test
    void aFolderThatCantBeMadeIsSaid() throws Exception {
        Files.writeString(dir.resolve("acme"), "a file");
        kept.look(start);
        assertThat(issuer.replaced).isEmpty();
        assertThat(log.lines())
                .singleElement()
                .asString()
                .contains("the folder " + dir.resolve("acme"))
                .contains("a file is in its place")
                .doesNotContain("Exception");
        assertThat(count(Counter.ACME_FAILURES)).isEqualTo(1);
    }

    @Test
    void theAccountsKeyIsMadeOnceAndKept() throws Exception {
        try (CertificateFolder.Lock _ = Objects.requireNonNull(folder.lock())) {
            assertThat(folder.accountKey().getPublic())
                    .isEqualTo(folder.accountKey().getPublic());
        }
        Files.writeString(dir.resolve("acme").resolve(AcmeConfig.ACCOUNT_KEY), "garbage");
        assertThatThrownBy(() -> folder.accountKey())
                .isInstanceOf(NotIssuedException.class)
                .hasMessageContaining("account.key, which holds no private key");
    }

    @Test
    void waitsDiffer() {
        Backoff backoff = Backoff.DEFAULT;
        assertThat(backoff.after(1, 0)).isEqualTo(Duration.ofSeconds(54));
        assertThat(backoff.after(1, 1)).isEqualTo(Duration.ofSeconds(66));
        assertThat(backoff.after(1000, 0.5)).isEqualTo(Duration.ofHours(12));
    }
}
