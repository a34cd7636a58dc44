package net.oooops.sigma.acme;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.ask.LookingThread;
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

    private static final Logger LOG = LoggerFactory.getLogger(CertificateKeeper.class);

    private final List<KeptCertificate> all;
    private final LookingThread thread;

    private CertificateKeeper(List<KeptCertificate> all) {
        this.all = List.copyOf(all);
        this.thread = new LookingThread("sigma-acme", LOG, this::look);
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

    private Duration look() throws InterruptedException {
        Instant next = Instant.now().plus(SLEEP_MOST);
        for (KeptCertificate each : all) {
            Instant wanted = each.look(Instant.now());
            next = wanted.isBefore(next) ? wanted : next;
        }
        Duration sleep = Duration.between(Instant.now(), next);
        return sleep.compareTo(SLEEP_LEAST) < 0 ? SLEEP_LEAST : sleep;
    }

    /** Ends it, in the middle of asking, too: the certificate is asked for anew at the next start. */
    @Override
    public void close() {
        thread.close();
    }
}
