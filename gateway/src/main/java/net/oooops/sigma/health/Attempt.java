package net.oooops.sigma.health;

import io.vertx.core.Vertx;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One check under way: it passes or fails, once, at the latest when its time is over; then its connection is closed.
 *
 * <pre>
 *   (asking) ── pass, fail, the time is over ──▶ (over)
 *      └─ pass early ─▶ (the rest is read) ── end, the time is over ──▶ (over)
 * </pre>
 */
final class Attempt {
    /** Who is told how it ended. */
    interface Owner {
        /** It passed. */
        void onPassed();

        /** It failed. */
        void onFailed(String why);

        /** It is over; told after one of the others. */
        void onOver();
    }

    private static final int CONNECT_MILLIS_MORE = 100;

    private final Vertx vertx;
    private final Owner owner;
    private final long timeoutMillis;
    private final long timer;
    private @Nullable Runnable closing;
    private boolean connected;
    private boolean decided;
    private boolean over;

    /** Begins it. */
    Attempt(Vertx vertx, long timeoutNanos, Owner owner) {
        this.vertx = vertx;
        this.owner = owner;
        this.timeoutMillis = Math.max(1, TimeUnit.NANOSECONDS.toMillis(timeoutNanos));
        this.timer = vertx.setTimer(timeoutMillis, fired -> late());
    }

    /** How long connecting may take, milliseconds: a little longer than all, so that it is this that says what was late. */
    int connectMillis() {
        return Math.clamp(timeoutMillis + CONNECT_MILLIS_MORE, 1, Integer.MAX_VALUE);
    }

    /** Whether nothing more is wanted. */
    boolean isOver() {
        return over;
    }

    /** There is a connection, which {@code close} closes: at once where the attempt is over. */
    void connected(Runnable close) {
        connected = true;
        if (over) {
            close.run();
        } else {
            closing = close;
        }
    }

    /** It passed, and what still comes is to be read until {@link #end}. */
    void passEarly() {
        if (!decided) {
            decided = true;
            owner.onPassed();
        }
    }

    /** It passed. */
    void pass() {
        passEarly();
        end();
    }

    /** It failed, unless it has passed before. */
    void fail(String why) {
        if (!decided) {
            decided = true;
            owner.onFailed(why);
        }
        end();
    }

    /** Ends it without a word, where it has not been decided. */
    void cancel() {
        decided = true;
        end();
    }

    /** Nothing more is to be read. */
    void end() {
        if (over) {
            return;
        }
        over = true;
        vertx.cancelTimer(timer);
        Runnable close = closing;
        if (close != null) {
            closing = null;
            close.run();
        }
        owner.onOver();
    }

    private void late() {
        String what = connected ? "no answer" : "no connection";
        fail(what + " within " + timeoutMillis + " ms");
    }
}
