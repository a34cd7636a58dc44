package net.oooops.sigma.control;

import java.net.InetSocketAddress;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.snapshot.Snapshot;

/**
 * Where a gateway is found: its listening sockets, and the admin server. It is taken once, maybe from another process. Then a configuration takes the place of
 * another one there, or another process takes all of it, or it is left: one of these at a time.
 *
 * <pre>
 *   take ─▶ reload, again and again ─▶ handOver ─▶ the other process serves ─▶ leave
 *                  ▲                      └ it comes to nothing: Handover.abandon, takeBack
 *                  └──────────────────────────┘
 * </pre>
 *
 * <p>{@link #take}: the thread that starts the gateway. The rest: any thread; it waits, but {@link #addresses}.
 */
final class Place {
    /** Who was about to connect has, or has been sent the answer a second time. */
    private static final long CONNECTING_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Parts parts;
    private final ListeningSockets sockets;
    private final PassedSockets passed;
    private final Handover handover;
    private final Reloads reloads;

    /**
     * What is found there.
     *
     * @param plugins told of each Snapshot that takes effect, to watch its plugins
     * @param stopping whether the gateway is to end
     */
    record Parts(
            Snapshots snapshots,
            Workers workers,
            ControlPlane plane,
            CertificateThreads certificates,
            AccessLogs logs,
            Consumer<Snapshot> plugins,
            BooleanSupplier stopping) {}

    /**
     * One that isn't taken yet.
     *
     * @param sockets none yet
     * @param passed those of them that were bound before this process was there
     */
    Place(Parts parts, ListeningSockets sockets, PassedSockets passed) {
        this.parts = parts;
        this.sockets = sockets;
        this.passed = passed;
        this.handover = new Handover(new Handover.Parts(sockets, parts.workers, parts.plane, parts.certificates));
        this.reloads = new Reloads(
                new Reloads.Parts(
                        parts.snapshots,
                        parts.workers,
                        sockets,
                        parts.plane,
                        parts.certificates,
                        parts.logs,
                        parts.plugins),
                this::requireStaying);
    }

    /**
     * Takes it: what may fail comes before anything that clients notice.
     *
     * @param gateway that is to be found there
     * @param before who has the place
     * @throws StartException where it can't be had
     */
    void take(Gateway gateway, Snapshot snapshot, Takeover before) throws StartException {
        SigmaConfig config = snapshot.config();
        ListeningSockets.Change change = sockets.prepare(config);
        boolean ready = false;
        try {
            change.lead(config);
            before.take(gateway, change::prove);
            // Before a connection is accepted: where it can't be had, none is to be cut.
            serveAdmin(snapshot);
            ready = true;
        } finally {
            if (!ready) {
                change.undo();
            }
        }
        change.take(config);
        if (change.hasMoved()) {
            // The process before this one accepts by the socket that ends now, until it is told that this one serves.
            LockSupport.parkNanos(CONNECTING_NANOS);
        }
        passed.end();
    }

    /** From when all else is there until all else has ended. */
    private void serveAdmin(Snapshot snapshot) throws StartException {
        Sources sources = new Sources(
                parts.workers::counters,
                snapshot.pluginMeters(),
                snapshot.redis(),
                snapshot.nodes(),
                this::checked,
                parts.certificates::shown,
                parts.workers.ticks(),
                parts.stopping);
        parts.plane.serve(snapshot.config().admin(), sources);
    }

    private List<Sources.Checked> checked() {
        return parts.plane.checks().stream()
                .map(view -> new Sources.Checked(
                        view.upstreamId(), view.node(), view.passedCount(), view.failedCount(), view.latencyNanos()))
                .toList();
    }

    /** What {@link Gateway#reload} says. */
    void reload(Gateway.Compiling compiling) throws StartException {
        reloads.reload(compiling);
    }

    /** What {@link Gateway#handOver} says. */
    Handover handOver(Consumer<List<PassedSocket>> taker) throws StartException {
        reloads.overtaking(() -> {
            requireStaying();
            taker.accept(handover.begin());
        });
        return handover;
    }

    /** Whether nobody leaves it, or gives it to somebody else. */
    private void requireStaying() throws StartException {
        if (parts.stopping.getAsBoolean()) {
            throw new StartException("the gateway is stopping", new IllegalStateException("stopping"));
        }
        if (handover.isUnderWay()) {
            throw new StartException(
                    "an upgrade is under way (expected: to be asked again when it is over)",
                    new IllegalStateException("upgrade"));
        }
    }

    /** The addresses that Listeners have there, in the order of sigma.json. */
    List<InetSocketAddress> addresses() {
        return sockets.addresses();
    }

    /** Accepts nothing more. What is taking another's place does that first. A configuration that is still being read isn't waited for: it comes to nothing. */
    void leave() {
        reloads.between(parts.certificates::stopAsking);
        sockets.close();
    }
}
