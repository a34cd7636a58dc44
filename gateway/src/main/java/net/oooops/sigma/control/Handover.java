package net.oooops.sigma.control;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.listen.PassedSocket;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A gateway's place given to another process that has the same sockets: step by step, and back again where that one ends before this one has.
 *
 * <pre>
 *   begin (no reload from here on) ─▶ letGo (of what only one may have) ─▶ leave, drain ─▶ all has ended
 *                     └ abandon            └ takeBack                             └ takeBack, where the other one ends: it accepts again
 * </pre>
 *
 * <p>One thread at a time; all of it may wait.
 */
public final class Handover {
    private static final long POLL_MILLIS = 20;
    /** Sockets of datagrams are looked at so often, whether clients still have sessions by them. */
    private static final long IDLE_LOOK_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger LOG = LoggerFactory.getLogger(Handover.class);

    private final Parts parts;
    private volatile boolean underWay;

    /** What it hands over. */
    record Parts(ListeningSockets sockets, Workers workers, ControlPlane plane, CertificateThreads certificates) {}

    Handover(Parts parts) {
        this.parts = parts;
    }

    /** Whether it has begun. Any thread. */
    boolean isUnderWay() {
        return underWay;
    }

    /**
     * Begins.
     *
     * @return the sockets, which stay this process's, too
     * @throws StartException where they can't be passed on; nothing has begun then
     */
    List<PassedSocket> begin() throws StartException {
        List<PassedSocket> sockets = parts.sockets.passable();
        underWay = true;
        return sockets;
    }

    /** It comes to nothing: the other process hasn't got anything yet. */
    public void abandon() {
        underWay = false;
    }

    /** Ends what only one of both may have: the admin server, and who asks for certificates. Clients notice nothing. */
    public void letGo() {
        parts.plane.endAdmin();
        parts.certificates.stopAsking();
    }

    /**
     * The other process has ended: all is as before.
     *
     * @param config the one that holds
     */
    public void takeBack(SigmaConfig config) {
        // In this order: who has waited in the sockets is read by those that drain no longer.
        attempt(() -> parts.workers.resume());
        // Where the other one has ended what listens, a socket is bound anew.
        attempt(parts.sockets::closeDeaf);
        attempt(() -> parts.sockets.prepare(config).take(config));
        attempt(parts.sockets::bindMissing);
        attempt(() -> parts.sockets.read(true));
        attempt(() -> parts.plane.serveAdmin(config.admin()));
        parts.certificates.askAgain();
        underWay = false;
    }

    private static void attempt(Step<StartException> step) {
        try {
            step.run();
        } catch (StartException | RuntimeException e) {
            LOG.error("it serves again, but not all of it", e);
        }
    }

    /** The other process serves: whoever connects from now on gets that one. {@link #drain} has to follow. */
    public void leave() {
        try {
            parts.sockets.read(false);
        } catch (StartException | RuntimeException e) {
            LOG.error("another process serves, and this one may still accept some connections", e);
        }
    }

    /**
     * The other process serves: nothing more is accepted here, and what is under way comes to its end.
     *
     * @return whether this one may end; else the other one has, and it is to be taken back
     */
    public boolean drain(Watch watch) {
        leave();
        parts.workers.drainAround();
        return new Draining(watch).run();
    }

    /** This process, from when the other one serves until one of both has ended. */
    private final class Draining {
        private final Watch watch;
        private final long begunNanos = System.nanoTime();
        private boolean proven;
        private boolean closed;
        private boolean called;
        private long idleLookNanos = begunNanos;

        Draining(Watch watch) {
            this.watch = watch;
        }

        boolean run() {
            Other other = watch.other();
            while (other != Other.GONE) {
                close(other == Other.DONE);
                closeIdle(other == Other.DONE);
                call();
                boolean over = isPast(watch.limit());
                boolean proves = !proven && (over || isPast(watch.probation()));
                boolean ends = over || ((proven || proves) && parts.workers.isIdle());
                // Nothing of it holds for one that has ended just now.
                if ((proves || ends) && watch.other() == Other.GONE) {
                    return false;
                }
                if (proves) {
                    proven = true;
                    watch.proven();
                }
                if (ends) {
                    return true;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
                other = watch.other();
            }
            return false;
        }

        private boolean isPast(Duration limit) {
            return System.nanoTime() - begunNanos > limit.toNanos();
        }

        /** Where the other one is done, nobody would take what comes in by the sockets. */
        private void close(boolean done) {
            parts.sockets.closeDeaf();
            if (done && !closed) {
                closed = true;
                parts.sockets.close();
            }
        }

        /** What no client needs of this one is the other one's alone, which may close it for good, or end: then others may bind it. */
        private void closeIdle(boolean done) {
            long now = System.nanoTime();
            if ((done || proven) && now - idleLookNanos >= 0) {
                idleLookNanos = now + IDLE_LOOK_NANOS;
                try {
                    parts.sockets.closeIdle();
                } catch (StartException | RuntimeException e) {
                    LOG.warn("sockets of UDP that another process has, too, can't be closed yet", e);
                }
            }
        }

        private void call() {
            if (!called && isPast(watch.limit().minus(watch.lastCall()))) {
                called = true;
                parts.workers.drainAll();
            }
        }
    }

    /** What is known of the other process. */
    public enum Other {
        SERVES,
        /** It has ended, or is about to, as it should: it won't come back to this one. */
        DONE,
        /** It has ended as it shouldn't. */
        GONE
    }

    /** Watches the other process meanwhile; asked again and again. */
    public interface Watch {
        /** What is known of it; never {@link Other#SERVES} again after something else. */
        Other other();

        /** For so long this process stays in any case, as far as the limit allows: where the first clients of the other one are its end, this one is there. */
        Duration probation();

        /** That is over. Called once. */
        void proven();

        /** How long all of it may take. */
        Duration limit();

        /** So much of it is for what lies open for long, as WebSockets do, to be told and to end. */
        Duration lastCall();
    }
}
