package net.oooops.sigma.control;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.snapshot.Snapshot;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How another configuration takes the place of the one that holds. What may be refused or may take its time is done first, and undone where something is; what
 * follows is quick, and each part of it is done whatever becomes of the others.
 *
 * <p>Any thread; it waits. One at a time.
 */
final class Reloads {
    private static final Logger LOG = LoggerFactory.getLogger(Reloads.class);

    private final Parts parts;
    private final Allowed allowed;
    /** Written under the first of both locks. */
    private final WorkerCounters counters;
    /** One is compiled at a time, however long its files take to read. */
    private final ReentrantLock reloading = new ReentrantLock();
    /** Held for moments: while one takes the place of another, or what doesn't bear that begins. */
    private final ReentrantLock replacing = new ReentrantLock();
    /** How often something began by which what was made ready isn't what there is any more. Under that lock. */
    private int overtaken;

    /**
     * All that follows.
     *
     * @param plugins told of each Snapshot, to watch its plugins
     */
    record Parts(
            Snapshots snapshots,
            Workers workers,
            ListeningSockets sockets,
            ControlPlane plane,
            CertificateThreads certificates,
            AccessLogs logs,
            Consumer<Snapshot> plugins) {}

    /** Whether one may take effect now. */
    @FunctionalInterface
    interface Allowed {
        /**
         * Looks.
         *
         * @throws StartException where it may not
         */
        void require() throws StartException;
    }

    Reloads(Parts parts, Allowed allowed) {
        this.parts = parts;
        this.allowed = allowed;
        this.counters = parts.workers.freshCounters();
    }

    /** What {@link Gateway#reload} says. */
    void reload(Gateway.Compiling compiling) throws StartException {
        reloading.lock();
        try {
            allowed.require();
            Gateway.Next next = compiling.compile(parts.snapshots.current());
            if (next != null) {
                String but = replace(next.snapshot());
                counters.increment(Counter.CONFIG_RELOADS);
                next.onFollowed().accept(but, parts.snapshots.generation().number());
            }
        } catch (StartException e) {
            counters.increment(Counter.CONFIG_RELOADS_FAILED);
            throw e;
        } catch (RuntimeException | Error e) {
            // A fault of a plugin's, or of Sigma's own, must not end who asked: nobody could ask any more.
            LOG.error("a reload failed in a way that nobody expected", e);
            counters.increment(Counter.CONFIG_RELOADS_FAILED);
            throw new StartException("the reload failed: " + e, e);
        } finally {
            reloading.unlock();
        }
    }

    /** Does something that doesn't bear that a configuration takes the place of another one meanwhile. One that is still being read isn't waited for. */
    <E extends Exception> void between(Step<E> what) throws E {
        replacing.lock();
        try {
            what.run();
        } finally {
            replacing.unlock();
        }
    }

    /** The same, with something that a configuration which is being made ready meanwhile doesn't bear: that one doesn't take effect. */
    <E extends Exception> void overtaking(Step<E> what) throws E {
        between(() -> {
            what.run();
            overtaken++;
        });
    }

    private String replace(Snapshot next) throws StartException {
        int before = overtakenIfAllowed(next);
        ListeningSockets.Change change = prepare(next);
        replacing.lock();
        try {
            return followIfAllowed(next, change, before);
        } finally {
            replacing.unlock();
        }
    }

    private int overtakenIfAllowed(Snapshot next) throws StartException {
        replacing.lock();
        try {
            allowed.require();
            return overtaken;
        } catch (StartException e) {
            next.close();
            throw e;
        } finally {
            replacing.unlock();
        }
    }

    private String followIfAllowed(Snapshot next, ListeningSockets.Change change, int before) throws StartException {
        try {
            allowed.require();
            if (overtaken != before) {
                // What was made ready isn't what there is any more: sockets, and the admin server, are others.
                throw new StartException(
                        "an upgrade was under way meanwhile, and came to nothing (expected: to be asked again)",
                        new IllegalStateException("upgrade"));
            }
            next.take();
        } catch (StartException | RuntimeException | Error e) {
            undo(change, next);
            throw e;
        }
        return follow(next, change);
    }

    /** All that may be refused, and may take its time; where something is, all is as before. */
    private ListeningSockets.Change prepare(Snapshot next) throws StartException {
        ListeningSockets.Change change = null;
        boolean ready = false;
        try {
            // Who asks the admin server is to miss it for as short as can be: plugins may take long to begin.
            boolean last = parts.plane.isInTheWayOf(next.config());
            change = last ? null : bind(next.config());
            parts.logs.prepare(next.config().accessLog());
            Gateway.begin(next);
            if (change == null) {
                parts.plane.makeWay();
                change = bind(next.config());
            }
            ready = true;
            return change;
        } finally {
            if (!ready) {
                undo(change, next);
            }
        }
    }

    private ListeningSockets.Change bind(SigmaConfig next) throws StartException {
        ListeningSockets.Change change = parts.sockets.prepare(next);
        boolean ready = false;
        try {
            parts.plane.prepare(next, change::leaves);
            ready = true;
            return change;
        } finally {
            if (!ready) {
                change.undo();
            }
        }
    }

    private void undo(ListeningSockets.@Nullable Change change, Snapshot next) {
        parts.logs.abandon();
        if (change != null) {
            change.undo();
        }
        // After that: the admin server may want the place of one of those sockets back.
        parts.plane.abandon();
        next.close();
    }

    /** What is left is quick, and can't be undone: where a part of it fails, the others follow all the same. Gives what failed, a line each. */
    private String follow(Snapshot next, ListeningSockets.Change change) {
        SigmaConfig before = parts.snapshots.current().config();
        SigmaConfig now = next.config();
        Generation generation = parts.snapshots.replace(next);
        StringBuilder but = new StringBuilder();
        each(but, () -> parts.plane.follow(before, now, next.nodes()));
        each(but, parts.plane::awaitSrv);
        each(but, () -> parts.certificates.follow(next));
        each(but, () -> parts.workers.follow(next, generation));
        each(but, next::work);
        each(but, () -> parts.logs.follow(now.accessLog(), AccessLogs.Handover.to(parts.workers.all())));
        each(but, () -> parts.plugins.accept(next));
        each(but, () -> change.take(now));
        each(but, parts.workers::unreachable);
        each(but, parts.plane::serveLate);
        return but.toString();
    }

    private static void each(StringBuilder but, Step<StartException> step) {
        try {
            step.run();
        } catch (StartException | RuntimeException | Error e) {
            LOG.error("the configuration holds, but a part of the gateway doesn't follow it", e);
            but.append("it holds, but: ")
                    .append(e.getMessage() == null ? e : e.getMessage())
                    .append('\n');
        }
    }
}
