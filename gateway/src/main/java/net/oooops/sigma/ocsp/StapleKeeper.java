package net.oooops.sigma.ocsp;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import net.oooops.sigma.ask.Backoff;
import net.oooops.sigma.ask.LookingThread;
import net.oooops.sigma.certificate.CertificateFault;
import net.oooops.sigma.certificate.KeyedCertificate;
import net.oooops.sigma.certificate.OcspQuestion;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.tls.ServerTls;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps OCSP responses for the certificates of all servers that staple them, from a thread of its own: each certificate's once, whoever shows it; one that takes
 * another's place gets its own. Where no server staples, the thread sleeps.
 *
 * <p>{@link #start}, {@link #follow} and {@link #close}: any thread, one at a time.
 */
public final class StapleKeeper implements AutoCloseable {
    /** Certificates may have been replaced. */
    private static final Duration LOOK = Duration.ofSeconds(1);

    /** So long an answer's head may take, and then its body. */
    private static final Duration ANSWER_LIMIT = Duration.ofSeconds(10);

    /** Until there is somebody to ask about, for whom it is woken. */
    private static final Duration LONG = Duration.ofDays(1);

    /** So many are asked for at once. */
    private static final int ASKED_MAX = 16;

    private static final Logger LOG = LoggerFactory.getLogger(StapleKeeper.class);

    private volatile List<ServerTls> servers;
    private final WebResponder responder;
    private final KeptAnswer.Means means;
    private final LookingThread thread;
    private final Map<X509Certificate, KeptAnswer> all = new HashMap<>();
    /** Those that nobody can be asked about, with the chain for which that was found: another one may have what is lacking. */
    private final Map<X509Certificate, List<X509Certificate>> unaskable = new HashMap<>();

    private StapleKeeper(List<ServerTls> servers, WorkerCounters counters, Bounds bounds) {
        this.servers = List.copyOf(servers);
        this.thread = new LookingThread("sigma-ocsp", LOG, this::look);
        this.responder = new WebResponder(bounds.answer(), thread::wake);
        this.means = new KeptAnswer.Means(
                responder,
                bounds.backoff(),
                counters,
                () -> ThreadLocalRandom.current().nextDouble());
    }

    /**
     * How long things take.
     *
     * @param answer so long an answer's head may take, and then its body
     */
    record Bounds(Duration answer, Backoff backoff) {
        static final Bounds DEFAULT = new Bounds(ANSWER_LIMIT, Backoff.DEFAULT);
    }

    /**
     * Asks from now on, until it is closed.
     *
     * @param servers that staple
     * @param counters written by this alone
     */
    public static StapleKeeper start(List<ServerTls> servers, WorkerCounters counters) {
        return start(servers, counters, Bounds.DEFAULT);
    }

    static StapleKeeper start(List<ServerTls> servers, WorkerCounters counters, Bounds bounds) {
        StapleKeeper keeper = new StapleKeeper(servers, counters, bounds);
        keeper.thread.start();
        return keeper;
    }

    /**
     * These are the servers that staple from now on: those that are new show what is known of their certificates when this returns, and nobody is asked again about
     * those that were shown before.
     */
    public void follow(List<ServerTls> now) {
        servers = List.copyOf(now);
        tryLook();
        thread.wake();
    }

    private Duration look() {
        look(Instant.now());
        return servers.isEmpty() ? LONG : LOOK;
    }

    private void tryLook() {
        try {
            look(Instant.now());
        } catch (RuntimeException e) {
            LOG.error("OCSP responses could not be looked after", e);
        }
    }

    /** Waits for nobody; one thread at a time. */
    private synchronized void look(Instant now) {
        List<ServerTls> stapling = servers;
        Map<X509Certificate, KeyedCertificate> shown = new HashMap<>();
        for (ServerTls server : stapling) {
            server.certificates().forEach(each -> shown.put(each.certificate(), each));
        }
        all.keySet().retainAll(shown.keySet());
        unaskable.keySet().retainAll(shown.keySet());
        shown.forEach((certificate, keyed) -> {
            if (!keyed.chain().equals(unaskable.get(certificate))) {
                all.computeIfAbsent(certificate, one -> keptOf(keyed));
            }
        });
        long asked = all.values().stream().filter(KeptAnswer::isAsked).count();
        for (KeptAnswer each : all.values()) {
            boolean before = each.isAsked();
            each.look(now, asked < ASKED_MAX);
            asked += before == each.isAsked() ? 0 : before ? -1 : 1;
        }
        stapling.forEach(server -> server.staple(certificate -> {
            KeptAnswer kept = all.get(certificate);
            return kept == null ? null : kept.shown(now);
        }));
    }

    private @Nullable KeptAnswer keptOf(KeyedCertificate shown) {
        try {
            KeptAnswer kept = new KeptAnswer(OcspQuestion.about(shown), means);
            unaskable.remove(shown.certificate());
            return kept;
        } catch (CertificateFault e) {
            LOG.warn(
                    "certificate of {}, {}: no OCSP response is shown with it",
                    shown.certificate().getSubjectX500Principal(),
                    e.found());
            unaskable.put(shown.certificate(), shown.chain());
            return null;
        }
    }

    /** Ends it, in the middle of asking, too. */
    @Override
    public void close() {
        thread.close();
        responder.close();
    }
}
