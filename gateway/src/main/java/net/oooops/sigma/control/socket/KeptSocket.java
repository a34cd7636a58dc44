package net.oooops.sigma.control.socket;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The socket of this gateway, as long as it is to have one. Where it can't be had, as the folder is full, or somebody has emptied it, it is tried again and
 * again, whatever kept it from that. A gateway without one serves all the same.
 *
 * <p>Any thread; it waits for files.
 */
public final class KeptSocket implements AutoCloseable {
    private static final Duration PAUSE = Duration.ofSeconds(2);
    private static final Logger LOG = LoggerFactory.getLogger(KeptSocket.class);

    private final Opening opening;
    private final Duration pause;
    private volatile @Nullable ControlSocket socket;
    private volatile @Nullable String unreachable;
    private Map<String, Steered> steered = Map.of();
    /** Whether a thread tries to have one. */
    private boolean trying;
    /** Whether there is to be none. */
    private boolean without;
    /** Whether the log has what nobody had expected, since there was one. */
    private boolean said;

    /** Makes one that listens. */
    @FunctionalInterface
    interface Opening {
        ControlSocket open() throws SocketFault;
    }

    /** @param pause between two tries */
    KeptSocket(Opening opening, Duration pause) {
        this.opening = opening;
        this.pause = pause;
    }

    /**
     * Has one that listens, where it can: {@link #unreachable} says so. Who asks waits until {@link #serve}.
     *
     * @param presence of this gateway, without a socket yet
     */
    public static KeptSocket open(RunFolder folder, Presence presence) {
        KeptSocket kept = new KeptSocket(() -> ControlSocket.open(folder, presence), PAUSE);
        kept.open();
        return kept;
    }

    synchronized void open() {
        socket = opened();
    }

    /** Why commands don't reach this gateway; null where they do. */
    public @Nullable String unreachable() {
        return unreachable;
    }

    /** Whether there is one, as far as that is known: somebody may have taken its file away. */
    public boolean isOpen() {
        return socket != null;
    }

    /**
     * Answers from now on; where there is none yet, as soon as there is one.
     *
     * @param all what can be asked, by the word of the command
     */
    public synchronized void serve(Map<String, Steered> all) {
        steered = all;
        ControlSocket now = socket;
        if (now == null || !isServing(now)) {
            tryUntilThere();
        }
    }

    /** There is to be one again, after {@link #close}. */
    public synchronized void takeBack() {
        without = false;
        listenAgain();
    }

    /** Where somebody has taken it away, or it couldn't be had, it is there from now on, if that can be. */
    public synchronized void hold() {
        ControlSocket now = socket;
        if (without || (now != null && now.isThere())) {
            return;
        }
        if (now != null) {
            now.close();
        }
        listenAgain();
    }

    private void listenAgain() {
        if (!isThereAgain()) {
            LOG.warn("`sigma status` and others can't reach this gateway any more: {}", unreachable);
            tryUntilThere();
        }
    }

    private boolean isThereAgain() {
        socket = null;
        ControlSocket fresh = opened();
        return fresh != null && isServing(fresh);
    }

    private @Nullable ControlSocket opened() {
        try {
            return opening.open();
        } catch (SocketFault e) {
            unreachable = e.text();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
        return null;
    }

    private boolean isServing(ControlSocket fresh) {
        try {
            fresh.serve(steered);
            socket = fresh;
            unreachable = null;
            said = false;
            return true;
        } catch (RuntimeException | Error e) {
            failed(e);
            socket = null;
            // Who connects to it would wait for nobody.
            close(fresh);
            return false;
        }
    }

    private void close(ControlSocket unused) {
        try {
            unused.close();
        } catch (RuntimeException | Error e) {
            failed(e);
        }
    }

    /** In a way that nobody expected, such as no memory for one thread more: there may be some later. */
    private void failed(Throwable why) {
        unreachable = why.toString();
        if (said) {
            return;
        }
        said = true;
        try {
            LOG.error("no socket can be had, in a way that nobody expected: it is tried again", why);
        } catch (RuntimeException | Error e) {
            // Where there is no memory, there is none to say so.
            return;
        }
    }

    /** A folder that is full has room again some time, without anybody who says so. */
    private void tryUntilThere() {
        if (!trying) {
            Thread.ofVirtual().name("sigma-socket").start(() -> {
                do {
                    LockSupport.parkNanos(this, pause.toNanos());
                } while (!isSettled());
            });
            trying = true;
        }
    }

    private synchronized boolean isSettled() {
        if (without || socket != null) {
            trying = false;
        } else if (isThereAgain()) {
            trying = false;
            LOG.info("`sigma status` and others can reach this gateway now");
        }
        return !trying;
    }

    /** There is none from now on: another process is asked in place of this one, or it has ended. */
    @Override
    public synchronized void close() {
        without = true;
        ControlSocket now = socket;
        socket = null;
        if (now != null) {
            now.close();
        }
    }
}
