package net.oooops.sigma.acme;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.pkitesting.X509Bundle;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.config.AcmeConfig.Challenge;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.tls.Certificates;
import net.oooops.sigma.tls.PendingChallenges;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** What is asked for follows another configuration: nobody is asked sooner than without it. */
@Isolated("the log, and threads of the process")
class CertificateKeeperTest {
    @TempDir
    @SuppressWarnings("NullAway.Init")
    private Path dir;

    private final PendingChallenges pending = new PendingChallenges();
    private final LoggedLines log = new LoggedLines(KeptCertificate.class);
    private final Queue<String> asked = new ConcurrentLinkedQueue<>();
    private final Map<String, NotIssuedException> failing = new ConcurrentHashMap<>();
    private final CountDownLatch held = new CountDownLatch(1);
    private int made;
    private @Nullable CertificateKeeper keeper;

    @SuppressWarnings("NullAway.Init")
    private Certificates certificates;

    /** Gives certificates but for hosts that are to fail, and waits with that of {@code slow.example}. */
    private final class Scripted implements Issuer {
        private final AcmeConfig config;

        private Scripted(AcmeConfig config) {
            this.config = config;
        }

        @Override
        public KeyedCertificate issue(String host, @Nullable KeyedCertificate before)
                throws NotIssuedException, InterruptedException {
            asked.add(host + " by " + config.email());
            if (host.equals("slow.example")) {
                held.await();
            }
            NotIssuedException why = failing.get(host);
            if (why != null) {
                throw why;
            }
            X509Bundle issued = Certificates.issued(
                    Certificates.builder(host)
                            .notBefore(Instant.now().minusSeconds(60))
                            .notAfter(Instant.now().plus(Duration.ofDays(90))),
                    certificates.authority());
            return new KeyedCertificate(
                    List.of(issued.getCertificate()), issued.getKeyPair().getPrivate());
        }

        @Override
        public @Nullable Advice advice(KeyedCertificate certificate) {
            return null;
        }
    }

    @BeforeEach
    void prepare() {
        certificates = new Certificates(dir);
    }

    @AfterEach
    void end() {
        if (keeper != null) {
            keeper.close();
        }
        pending.close();
        log.close();
    }

    private AcmeConfig config(String email, String... hosts) {
        return new AcmeConfig(
                List.of(hosts),
                email,
                null,
                URI.create("https://localhost/dir"),
                dir.resolve("acme"),
                List.of(),
                List.of(Challenge.HTTP_01),
                Map.of());
    }

    private CertificateKeeper start(AcmeConfig... configs) {
        KeptCertificate.Means means =
                new KeptCertificate.Means(Backoff.DEFAULT, new WorkerCounters(RefusalNames.NONE), () -> 0.5);
        CertificateKeeper started =
                CertificateKeeper.start(List.of(configs), pending, means, (config, folder, shown) -> {
                    made++;
                    return new Scripted(config);
                });
        keeper = started;
        return started;
    }

    private void awaitAsked(String... expected) {
        Await.value("asked", () -> List.copyOf(asked), List.of(expected)::equals);
    }

    /** Waits until a host was asked for that comes behind all others. */
    private void awaitLast(CertificateKeeper keeper, String last, AcmeConfig... configs) {
        List<AcmeConfig> all = new java.util.ArrayList<>(List.of(configs));
        all.add(config("last", last));
        keeper.follow(all, pending);
        Await.until(last, () -> asked.contains(last + " by last"));
    }

    @Test
    void whatIsAskedForAsBeforeIsNotAskedForAgain() {
        failing.put("bad.example", new NotIssuedException("the issuer is away", null));
        AcmeConfig both = config("me", "bad.example", "good.example");
        CertificateKeeper running = start(both);
        awaitAsked("bad.example by me", "good.example by me");
        for (int i = 0; i < 1000; i++) {
            running.follow(List.of(both), pending);
        }
        awaitLast(running, "last.example", both);
        assertThat(asked).hasSize(3);
        // One host more, in the same place.
        running.follow(List.of(config("me", "new.example", "bad.example", "good.example")), pending);
        awaitAsked("bad.example by me", "good.example by me", "last.example by last", "new.example by me");
        assertThat(made).as("issuers").isEqualTo(2);
        assertThat(threads()).isEqualTo(1);
    }

    @Test
    void whatHasFailedRestsThoughItIsGoneForAWhile() {
        failing.put("bad.example", new NotIssuedException("the issuer is away", null));
        AcmeConfig bad = config("me", "bad.example");
        CertificateKeeper running = start(bad);
        awaitAsked("bad.example by me");
        awaitLast(running, "one.example");
        awaitLast(running, "two.example", bad);
        assertThat(asked).containsExactly("bad.example by me", "one.example by last", "two.example by last");
    }

    /** Somebody has changed what may have been wrong; but what the issuer said holds. */
    @Test
    void whatIsAskedForInAnotherWayIsAskedForAtOnceUnlessTheIssuerSaidWhen() {
        failing.put("bad.example", new NotIssuedException("the issuer is away", null));
        failing.put(
                "limited.example",
                new NotIssuedException("too many", null, Instant.now().plus(Duration.ofHours(1))));
        CertificateKeeper running = start(config("me", "bad.example", "limited.example"));
        awaitAsked("bad.example by me", "limited.example by me");
        AcmeConfig other = config("you", "bad.example", "limited.example");
        awaitLast(running, "last.example", other);
        awaitAsked("bad.example by me", "limited.example by me", "bad.example by you", "last.example by last");
    }

    @Test
    void anOrderThatIsUnderWayEndsThoughItIsWantedNoLonger() {
        AcmeConfig slow = config("me", "slow.example", "never.example");
        CertificateKeeper running = start(slow);
        awaitAsked("slow.example by me");
        running.follow(List.of(config("me", "next.example")), pending);
        held.countDown();
        awaitAsked("slow.example by me", "next.example by me");
        Path folder = dir.resolve("acme");
        Await.until("kept", () -> folder.resolve("next.example.pem").toFile().exists());
        assertThat(folder.resolve("slow.example.pem")).exists();
        running.follow(List.of(), null);
        running.follow(List.of(slow), pending);
        awaitAsked("slow.example by me", "next.example by me", "never.example by me");
    }

    private static long threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(each -> each.getName().equals("sigma-acme"))
                .count();
    }
}
