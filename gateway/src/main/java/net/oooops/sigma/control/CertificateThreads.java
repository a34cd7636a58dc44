package net.oooops.sigma.control;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import net.oooops.sigma.acme.CertificateKeeper;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.ocsp.StapleKeeper;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.tls.NodeTls;
import net.oooops.sigma.tls.PendingChallenges;
import net.oooops.sigma.tls.ServerTls;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * All that looks after certificates while a gateway runs, each on a thread of its own, and only where there is something to look after: whoever reads their
 * files again, has OCSP responses for them, and asks for them by ACME.
 *
 * <p>For the thread that starts the gateway, then for the one that stops it.
 */
final class CertificateThreads {
    private final Snapshot snapshot;
    private final Supplier<WorkerCounters> counters;
    private @Nullable CertificateWatch watch;
    private @Nullable StapleKeeper staples;
    private @Nullable CertificateKeeper asked;

    /** @param counters fresh ones, for a thread that counts */
    CertificateThreads(Snapshot snapshot, Supplier<WorkerCounters> counters) {
        this.snapshot = snapshot;
        this.counters = counters;
    }

    /** Reads files again from now on, and has responses for what was in them. */
    void watch() {
        List<CertificateWatch.Owner> owners = new ArrayList<>();
        snapshot.encrypted().forEach((id, tls) -> owners.add(CertificateWatch.Owner.listener(id, tls)));
        for (Upstream upstream : snapshot.nodes().all()) {
            NodeTls tls = upstream.tls();
            if (tls != null && !tls.renewables().isEmpty()) {
                owners.add(CertificateWatch.Owner.upstream(upstream.id(), tls));
            }
        }
        if (!owners.isEmpty()) {
            watch = CertificateWatch.of(owners).start();
        }
        List<ServerTls> stapling = snapshot.encrypted().values().stream()
                .filter(ServerTls::staples)
                .toList();
        if (!stapling.isEmpty()) {
            staples = StapleKeeper.start(stapling, counters.get());
        }
    }

    /** Asks for certificates from now on: issuers have to see the gateway listen. */
    void ask() {
        PendingChallenges challenges = snapshot.challenges();
        if (challenges != null) {
            asked = CertificateKeeper.start(snapshot.config().asked(), challenges, counters.get());
        }
    }

    /** The certificates that there are. Any thread, once the gateway has been started. */
    List<Sources.Certificate> shown() {
        return watch == null ? List.of() : watch.shown();
    }

    /** Asks nobody any more. */
    void stopAsking() {
        if (asked != null) {
            asked.close();
        }
        if (staples != null) {
            staples.close();
        }
    }

    /** Reads no files any more. */
    void stopWatching() {
        if (watch != null) {
            watch.close();
        }
    }
}
