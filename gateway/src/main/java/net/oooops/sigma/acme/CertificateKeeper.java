package net.oooops.sigma.acme;

import java.net.URI;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.ask.LookingThread;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.tls.PendingChallenges;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the certificates that are to be asked for, from a thread of its own: one host after the other.
 *
 * <p>{@link #start}, {@link #follow} and {@link #close}: any thread, one at a time.
 */
public final class CertificateKeeper implements AutoCloseable {
    /** Clocks may be set: nothing is slept through for longer. */
    private static final Duration SLEEP_MOST = Duration.ofMinutes(1);

    private static final Duration SLEEP_LEAST = Duration.ofMillis(100);

    private static final Logger LOG = LoggerFactory.getLogger(CertificateKeeper.class);

    private final KeptCertificate.Means means;
    private final IssuerMaker issuers;
    private final LookingThread thread;
    private volatile Wanted wanted;

    // Of its thread

    private @Nullable Wanted taken;
    private Map<Place, Kept> all = Map.of();
    private Map<Manner, Issuer> known = Map.of();
    /** Those that are no longer asked for, as long as they might not be asked for: what was said may be taken back. */
    private final Map<Place, Kept> resting = new HashMap<>();

    /**
     * What is asked for.
     *
     * @param pending what issuers are shown meanwhile
     */
    private record Wanted(List<AcmeConfig> asked, PendingChallenges pending) {}

    /** Where a certificate is kept: it is asked for once. */
    private record Place(Path folder, String host) {}

    private record Kept(Manner manner, KeptCertificate certificate) {}

    /** How an issuer is asked. */
    private record Manner(
            URI directory,
            Path folder,
            @Nullable String email,
            AcmeConfig.@Nullable Binding binding,
            List<X509Certificate> authorities,
            List<AcmeConfig.Challenge> challenges) {
        static Manner of(AcmeConfig config) {
            return new Manner(
                    config.directory(),
                    config.folder(),
                    config.email(),
                    config.binding(),
                    config.authorities(),
                    config.challenges());
        }
    }

    /** Makes who is asked. */
    interface IssuerMaker {
        Issuer make(AcmeConfig config, CertificateFolder folder, PendingChallenges pending);
    }

    private CertificateKeeper(Wanted wanted, KeptCertificate.Means means, IssuerMaker issuers) {
        this.wanted = wanted;
        this.means = means;
        this.issuers = issuers;
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
        return start(asked, pending, means, DirectoryIssuer::new);
    }

    /** @param issuers makes who is asked */
    static CertificateKeeper start(
            List<AcmeConfig> asked, PendingChallenges pending, KeptCertificate.Means means, IssuerMaker issuers) {
        CertificateKeeper keeper = new CertificateKeeper(new Wanted(List.copyOf(asked), pending), means, issuers);
        keeper.thread.start();
        return keeper;
    }

    /**
     * Asks for these from now on. What was asked for before goes on with what is known of it: nobody is asked sooner than without this. What isn't asked for any more
     * ends, an order of it that is under way only when that has ended. Returns at once.
     *
     * @param pending what issuers are shown; null where none is asked
     */
    public void follow(List<AcmeConfig> asked, @Nullable PendingChallenges pending) {
        wanted = new Wanted(List.copyOf(asked), pending == null ? wanted.pending() : pending);
        thread.wake();
    }

    @SuppressWarnings("ReferenceEquality") // Another one is there only where something else is wanted.
    private Duration look() throws InterruptedException {
        Wanted next = wanted;
        if (next != taken) {
            take(next, Instant.now());
        }
        Instant again = Instant.now().plus(SLEEP_MOST);
        for (Kept each : all.values()) {
            Instant due = look(each.certificate());
            again = due.isBefore(again) ? due : again;
            if (wanted != taken) {
                // It may have taken minutes.
                return Duration.ZERO;
            }
        }
        Duration sleep = Duration.between(Instant.now(), again);
        return sleep.compareTo(SLEEP_LEAST) < 0 ? SLEEP_LEAST : sleep;
    }

    private void take(Wanted next, Instant now) {
        Map<Place, Kept> before = new HashMap<>(resting);
        before.putAll(all);
        boolean shownAlike = taken != null && taken.pending() == next.pending();
        Map<Manner, Issuer> knownBefore = shownAlike ? known : Map.of();
        Map<Manner, Issuer> knownNow = new HashMap<>();
        Map<Place, Kept> allNow = new LinkedHashMap<>();
        for (AcmeConfig config : next.asked()) {
            CertificateFolder folder = new CertificateFolder(config);
            Manner manner = Manner.of(config);
            Issuer there = knownBefore.get(manner);
            Issuer issuer = knownNow.computeIfAbsent(
                    manner, key -> there == null ? issuers.make(config, folder, next.pending()) : there);
            for (String host : config.hosts()) {
                Place place = new Place(config.folder(), host);
                Kept kept = before.remove(place);
                if (kept != null) {
                    kept.certificate().follow(issuer, !kept.manner().equals(manner));
                    allNow.put(place, new Kept(manner, kept.certificate()));
                } else {
                    allNow.computeIfAbsent(
                            place, key -> new Kept(manner, new KeptCertificate(host, folder, issuer, means)));
                }
            }
        }
        before.values().removeIf(each -> !each.certificate().isResting(now));
        resting.clear();
        resting.putAll(before);
        all = allNow;
        known = knownNow;
        taken = next;
    }

    private static Instant look(KeptCertificate each) throws InterruptedException {
        Instant now = Instant.now();
        try {
            return each.look(now);
        } catch (RuntimeException | Error e) {
            // An answer of the issuer may have been too large.
            LOG.error("certificates could not be looked after", e);
            return now.plus(SLEEP_MOST);
        }
    }

    /** Ends it, in the middle of asking, too: the certificate is asked for anew at the next start. */
    @Override
    public void close() {
        thread.close();
    }
}
