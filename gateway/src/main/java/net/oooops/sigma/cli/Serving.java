package net.oooops.sigma.cli;

import java.time.Duration;
import net.oooops.sigma.control.FilesWatch;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.control.systemd.Systemd;
import net.oooops.sigma.control.upgrade.Predecessor;
import org.jspecify.annotations.Nullable;

/**
 * A gateway that serves: it does what signals ask for, until it has ended what it has begun.
 *
 * <p>For the thread that runs the gateway, which waits.
 */
final class Serving {
    /** What closing takes beside the time to drain. */
    private static final Duration CLOSING = Duration.ofSeconds(5);

    private final Parts parts;
    private final Turns turns = new Turns(this::reloadQuietly);

    /**
     * What it is, and what it can do.
     *
     * @param before the process whose place it has taken; null where there was none
     */
    record Parts(
            Gateway gateway,
            Reloading reloading,
            Upgrading upgrading,
            Steering steering,
            Succession succession,
            Signals signals,
            Systemd systemd,
            Announcement announcement,
            @Nullable Predecessor before) {}

    Serving(Parts parts) {
        this.parts = parts;
    }

    /**
     * Until it has ended.
     *
     * @param watch whether files are looked at
     */
    void run(boolean watch) {
        // Not here: a reload may take its time, and to stop must be possible meanwhile.
        Thread.ofPlatform().daemon().name("sigma-reload").start(turns::work);
        boolean ended = false;
        while (!ended) {
            boolean stop = untilAsked(watch);
            if (stop) {
                parts.upgrading.end();
            }
            boolean upgraded = parts.upgrading.isOver();
            if (parts.before != null) {
                parts.before.ended(upgraded);
            }
            ended = upgraded ? hasHandedOver(stop) : hasStopped();
            parts.succession.end();
            if (!ended) {
                // The process that has ended may have followed files that this one hasn't seen.
                turns.add(() -> parts.reloading.reloadIfOther("the end of the process after this one"));
            }
        }
    }

    /** Whether its end was asked for; else another process serves. */
    private boolean untilAsked(boolean watch) {
        FilesWatch files =
                watch ? FilesWatch.start(parts.reloading::files, parts.reloading::takeUnread, this::follow) : null;
        try {
            while (true) {
                switch (parts.signals.await()) {
                    case RELOAD -> turns.reload();
                    case UPGRADE -> turns.add(this::upgradeQuietly);
                    case STOP -> {
                        return true;
                    }
                    case HAND_OVER -> {
                        return false;
                    }
                }
            }
        } finally {
            if (files != null) {
                files.close();
            }
        }
    }

    /** Files have changed. During an upgrade none can be taken: where it comes to nothing they are taken after it, for nobody would say so again. Gives
     * whether all of them have answered. */
    private boolean follow() {
        boolean answered = true;
        int begun = -1;
        int now = parts.upgrading.awaitNone();
        while (begun != now && !parts.upgrading.isOver()) {
            begun = now;
            answered = parts.reloading.reloadIfOther("watch");
            now = parts.upgrading.awaitNone();
        }
        return answered;
    }

    private void reloadQuietly() {
        parts.systemd.reloading();
        parts.steering.holdSocket();
        parts.reloading.reloadQuietly("SIGHUP");
        parts.systemd.ready();
    }

    private void upgradeQuietly() {
        try {
            parts.upgrading.upgrade("SIGUSR2", null, Upgrading.LIMIT);
        } catch (Failure e) {
            // It is in the log: nobody waits for it.
            return;
        }
    }

    private boolean hasStopped() {
        long begunNanos = System.nanoTime();
        Gateway gateway = parts.gateway;
        parts.systemd.stopping();
        parts.steering.drains();
        Duration drain = gateway.drain();
        parts.succession.stopOthers();
        parts.announcement.draining(gateway.connectionCount(), drain);
        long cut = gateway.stop(drain);
        awaitBefore(drain, begunNanos);
        parts.announcement.stopped(cut, drain);
        return true;
    }

    /** Who has this one stop has all of it stop: processes that were there before may still end what they have begun. */
    private void awaitBefore(Duration drain, long begunNanos) {
        Duration limit = drain.plus(CLOSING);
        if (parts.before != null) {
            parts.before.awaitEnd(left(limit, begunNanos));
        }
        parts.succession.awaitOthers(left(limit, begunNanos));
    }

    private static Duration left(Duration limit, long begunNanos) {
        return Duration.ofNanos(Math.max(0, limit.toNanos() - (System.nanoTime() - begunNanos)));
    }

    /** Whether it has ended, after another process serves; else that one has, and this one goes on. */
    private boolean hasHandedOver(boolean stop) {
        Gateway gateway = parts.gateway;
        Ending ending = new Ending(gateway.drainOfUpgrade(), gateway.drain());
        parts.announcement.draining(gateway.connectionCount(), ending.limit(stop));
        boolean over =
                parts.upgrading.drain(stopped -> ending.limit(stopped || parts.signals.isToStop()), parts.systemd);
        if (over) {
            long cut = gateway.stop(Duration.ZERO);
            if (ending.stopping) {
                awaitBefore(gateway.drain(), System.nanoTime());
            }
            parts.announcement.stopped(cut, ending.limit(false));
        }
        return over;
    }

    /** How long it may take to end: usually, and from the moment on at which a stop is asked for. */
    private final class Ending {
        private final long begunNanos = System.nanoTime();
        private final Duration ofStop;
        private Duration limit;
        private boolean stopping;

        Ending(Duration usual, Duration ofStop) {
            this.limit = usual;
            this.ofStop = ofStop;
        }

        Duration limit(boolean stop) {
            if (stop && !stopping) {
                stopping = true;
                if (parts.before != null) {
                    parts.before.ended(false);
                }
                Duration until =
                        Duration.ofNanos(System.nanoTime() - begunNanos).plus(ofStop);
                limit = until.compareTo(limit) < 0 ? until : limit;
                parts.succession.stopOthers();
            }
            parts.succession.look(parts.gateway::connectionCount, limit);
            return limit;
        }
    }
}
