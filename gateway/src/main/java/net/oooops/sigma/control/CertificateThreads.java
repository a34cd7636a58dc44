package net.oooops.sigma.control;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import net.oooops.sigma.acme.CertificateKeeper;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AcmeConfig;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.ocsp.StapleKeeper;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.tls.NodeTls;
import net.oooops.sigma.tls.PendingChallenges;
import net.oooops.sigma.tls.ServerTls;
import org.jspecify.annotations.Nullable;

/**
 * All that looks after certificates while a gateway runs, each on a thread of its own, from when there is something to look after: whoever reads their
 * files again, has OCSP responses for them, and asks for them by ACME. Another configuration is followed on the same threads.
 *
 * <p>For the thread that starts the gateway, then for those that have it follow another configuration, one at a time, then for the one that stops it.
 */
final class CertificateThreads {
    private final Supplier<WorkerCounters> counters;
    private final CertificateWatch watch = new CertificateWatch();
    private Snapshot snapshot;
    private @Nullable StapleKeeper staples;
    private @Nullable CertificateKeeper asked;

    /** @param counters fresh ones, for a thread that counts: asked for seldom */
    CertificateThreads(Snapshot snapshot, Supplier<WorkerCounters> counters) {
        this.snapshot = snapshot;
        this.counters = counters;
    }

    /** Reads files again from now on, and has responses for what was in them. */
    void watch() {
        watch.follow(owners());
        List<ServerTls> stapling = snapshot.encrypted().values().stream()
                .filter(ServerTls::staples)
                .toList();
        if (staples != null) {
            staples.follow(stapling);
        } else if (!stapling.isEmpty()) {
            staples = StapleKeeper.start(stapling, counters.get());
        }
    }

    private List<CertificateWatch.Owner> owners() {
        List<CertificateWatch.Owner> owners = new ArrayList<>();
        snapshot.encrypted().forEach((id, tls) -> owners.add(CertificateWatch.Owner.listener(id, tls)));
        for (CurrentUpstream each : CurrentUpstream.of(snapshot.config(), snapshot.nodes())) {
            NodeTls tls = each.upstream().tls();
            if (tls != null && !tls.renewables().isEmpty()) {
                owners.add(CertificateWatch.Owner.upstream(each.id(), tls));
            }
        }
        return owners;
    }

    /** Asks for certificates from now on: issuers have to see the gateway listen. */
    void ask() {
        List<AcmeConfig> wanted = snapshot.config().asked();
        PendingChallenges challenges = snapshot.challenges();
        if (asked != null) {
            asked.follow(wanted, challenges);
        } else if (!wanted.isEmpty() && challenges != null) {
            asked = CertificateKeeper.start(wanted, challenges, counters.get());
        }
    }

    /**
     * Another configuration holds: of what is the same in it, by the same {@link ServerTls} and {@link NodeTls}, all that is known stays. What is new shows the responses
     * that there are for its certificates when this returns.
     */
    void follow(Snapshot now) {
        snapshot = now;
        watch();
        ask();
    }

    /** The certificates that there are. Any thread. */
    List<Sources.Certificate> shown() {
        return watch.shown();
    }

    /** Asks nobody any more. */
    void stopAsking() {
        if (asked != null) {
            asked.close();
            asked = null;
        }
        if (staples != null) {
            staples.close();
            staples = null;
        }
    }

    /** Asks as before. */
    void askAgain() {
        watch();
        ask();
    }

    /** Reads no files any more. */
    void stopWatching() {
        watch.close();
    }
}
