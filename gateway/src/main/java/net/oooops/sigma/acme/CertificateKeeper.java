package net.oooops.sigma.acme;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.tls.PendingChallenges;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the certificates that are to be asked for, from a thread of its own: one host after the other.
 *
 * <p>{@link #start} and {@link #close}: any thread.
 */
public final class CertificateKeeper implements AutoCloseable {
    /** Clocks may be set: nothing is slept through for longer. */
    private static final Duration SLEEP_MOST = Duration.ofMinutes(1);

    private static final Duration SLEEP_LEAST = Duration.ofMillis(100);
    private static final Duration CLOSE_LIMIT = Duration.ofSeconds(2);

    private static final Logger LOG = LoggerFactory.getLogger(CertificateKeeper.class);

    private final List<KeptCertificate> all;
    private final Thread thread;
    private volatile boolean closed;

    private CertificateKeeper(List<KeptCertificate> all) {
        this.all = List.copyOf(all);
        this.thread = Thread.ofPlatform().daemon().name("sigma-acme").unstarted(this::run);
    }

    /**
     * Asks from now on, until it is closed: the gateway listens, so that issuers can see it.
     *
     * @param asked a host and folder that are in several is asked for once
     * @param pending what issuers are shown
     * @param counters written by this alone
     */
    public static CertificateKeeper start(List<AcmeConfig> asked, PendingChallenges pending, WorkerCounters counters) {
        return start(asked, pending, counters, Backoff.DEFAULT);
    }

    static CertificateKeeper start(
            List<AcmeConfig> asked, PendingChallenges pending, WorkerCounters counters, Backoff backoff) {
        KeptCertificate.Means means = new KeptCertificate.Means(
                backoff, counters, () -> ThreadLocalRandom.current().nextDouble());
        List<KeptCertificate> all = new ArrayList<>();
        Set<Object> seen = new HashSet<>();
        for (AcmeConfig config : asked) {
            CertificateFolder folder = new CertificateFolder(config);
            Issuer issuer = new DirectoryIssuer(config, folder, pending);
            for (String host : config.hosts()) {
                if (seen.add(List.of(config.folder(), host))) {
                    all.add(new KeptCertificate(host, folder, issuer, means));
                }
            }
        }
        CertificateKeeper keeper = new CertificateKeeper(all);
        keeper.thread.start();
        return keeper;
    }

    private void run() {
        try {
            while (!closed) {
                Instant now = Instant.now();
                Instant next = now.plus(SLEEP_MOST);
                for (KeptCertificate each : all) {
                    Instant wanted = look(each);
                    next = wanted.isBefore(next) ? wanted : next;
                }
                Duration sleep = Duration.between(Instant.now(), next);
                LockSupport.parkNanos(this, (sleep.compareTo(SLEEP_LEAST) < 0 ? SLEEP_LEAST : sleep).toNanos());
            }
        } catch (InterruptedException e) {
            // The gateway ends.
            closed = true;
        }
    }

    private static Instant look(KeptCertificate each) throws InterruptedException {
        Instant now = Instant.now();
        try {
            return each.look(now);
        } catch (RuntimeException | OutOfMemoryError e) {
            // An answer of the issuer may have been too large.
            LOG.error("certificates could not be looked after", e);
            return now.plus(SLEEP_MOST);
        }
    }

    /** Ends it, in the middle of asking, too: the certificate is asked for anew at the next start. */
    @Override
    public void close() {
        closed = true;
        thread.interrupt();
        try {
            thread.join(CLOSE_LIMIT);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
