package net.oooops.sigma.http2;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.time.StallWatch;
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
        /** That a client which has ended its output takes an answer, and is asked anew meanwhile whether it is still there. */
        ANSWER,
        /** That the client closes. */
        LINGER,
        /** That the client takes what lies in the kernel: all of it, and any of it within the time of {@link #SEND}. */
        TAKEN
    }

    /** How often a client that has ended its output is asked whether it is there. */
    private static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final Http2Server server;
    private final Outlet outlet;
    private final Consumer<Wait> onLate;
    private final StallWatch sending;
    /** Those that it goes by: the Listener's, or what they were until it is told. */
    private Timeouts timeouts;

    private Wait wait = Wait.NOTHING;

    /** @param onLate is told what hasn't come in time */
    ServerDeadline(Http2Server server, Channel channel, Outlet outlet, Consumer<Wait> onLate) {
        this.server = server;
        this.outlet = outlet;
        this.onLate = onLate;
        this.timeouts = server.timeouts();
        this.sending = new StallWatch(channel, timeouts.sendStallNanos());
    }

    /** Those that the connection goes by. */
    Timeouts timeouts() {
        return timeouts;
    }

    /** The connection goes by others, also in what is awaited: counted from when that began. */
    void follow(Timeouts now) {
        Timeouts before = timeouts;
        timeouts = now;
        sending.within(now.sendStallNanos());
        if (wait == Wait.SEND || wait == Wait.TAKEN) {
            // It looks, and goes on from there.
            server.wheel().hasten(this, 0);
        } else {
            server.wheel().move(this, nanosOf(wait, now) - nanosOf(wait, before));
        }
    }

    private static long nanosOf(Wait what, Timeouts timeouts) {
        return switch (what) {
            case REQUEST -> timeouts.keepAliveNanos();
            case HEAD -> timeouts.headerNanos();
            case LINGER -> timeouts.lingerNanos();
            case ANSWER -> PROBE_NANOS;
            case NOTHING, SEND, TAKEN -> 0;
        };
    }

    /** Waits for that, which isn't {@link Wait#SEND} or {@link Wait#TAKEN}. */
    void await(Wait what) {
        await(what, nanosOf(what, timeouts));
    }

    private void await(Wait what, long forNanos) {
        wait = what;
        server.wheel().arm(this, forNanos);
    }

    /** Waits for that, unless it does already. */
    void keep(Wait what) {
        if (wait != what) {
            await(what);
        }
    }

    /** Waits for {@link Wait#SEND}. */
    void awaitSend() {
        await(Wait.SEND, sending.begin(outlet.sentBytes(), server.clock().nanos()));
    }

    /** The same, unless it does already. */
    void keepSend() {
        if (wait != Wait.SEND) {
            awaitSend();
        }
    }

    /** Waits for {@link Wait#TAKEN}, if there is anything to take. Whether there is. */
    boolean awaitTaken() {
        boolean untaken = sending.isUntaken();
        if (untaken) {
            await(Wait.TAKEN, sending.begin(outlet.sentBytes(), server.clock().nanos()));
        }
        return untaken;
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
            server.wheel().disarm(this);
        }
    }

    /** Out of the wheel at once: the connection is closed. */
    void remove() {
        server.wheel().remove(this);
    }

    @Override
    protected void onDeadline() {
        Wait was = wait;
        if (was == Wait.TAKEN && !sending.isUntaken()) {
            // Its system has it all, and it has still to read that.
            await(Wait.LINGER);
            return;
        }
        boolean takes = was == Wait.SEND || was == Wait.TAKEN;
        long more = takes ? sending.look(outlet.sentBytes(), server.clock().nanos()) : 0;
        if (more > 0) {
            await(was, more);
        } else {
            wait = Wait.NOTHING;
            onLate.accept(was);
        }
    }
}
