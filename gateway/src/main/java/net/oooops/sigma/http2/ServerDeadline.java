package net.oooops.sigma.http2;

import java.util.function.Consumer;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;

/** The one deadline that a client's connection as a whole has at a time, and what it is for. */
final class ServerDeadline extends Timed {
    /** What is awaited. */
    enum Wait {
        NOTHING,
        /** The first request, or the next one. */
        REQUEST,
        /** The client's settings, or the rest of a header block. */
        HEAD,
        /** That the client takes what it is sent: any of it, within that time. */
        SEND,
        /** That the client closes. */
        LINGER
    }

    private final DeadlineWheel wheel;
    private final Outlet outlet;
    private final Consumer<Wait> onLate;
    private Wait wait = Wait.NOTHING;
    private long nanos;
    private long sentBytes;

    /** @param onLate is told what hasn't come in time */
    ServerDeadline(DeadlineWheel wheel, Outlet outlet, Consumer<Wait> onLate) {
        this.wheel = wheel;
        this.outlet = outlet;
        this.onLate = onLate;
    }

    void await(Wait what, long forNanos) {
        wait = what;
        nanos = forNanos;
        sentBytes = outlet.sentBytes();
        wheel.arm(this, forNanos);
    }

    /** Waits for that, unless it does already. */
    void keep(Wait what, long forNanos) {
        if (wait != what) {
            await(what, forNanos);
        }
    }

    /** That is awaited anew. */
    void forget(Wait what) {
        if (wait == what) {
            wait = Wait.NOTHING;
        }
    }

    void awaitNothing() {
        if (wait != Wait.NOTHING) {
            wait = Wait.NOTHING;
            wheel.disarm(this);
        }
    }

    /** Out of the wheel at once: the connection is closed. */
    void remove() {
        wheel.remove(this);
    }

    @Override
    protected void onDeadline() {
        Wait was = wait;
        if (was == Wait.SEND && outlet.sentBytes() > sentBytes) {
            await(was, nanos);
            return;
        }
        wait = Wait.NOTHING;
        onLate.accept(was);
    }
}
