package net.oooops.sigma.http1;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.HttpServer;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.time.StallWatch;
import net.oooops.sigma.time.Timed;
import net.oooops.sigma.tls.SecureEnd;

/**
 * The one deadline that a client's connection has at a time, what it is for, and how long that may take.
 *
 * <p>Called on the connection's event loop only.
 */
final class ServerDeadline extends Timed {
    /** Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md. */
    private static final class Wait {
        /** The first byte of another request. */
        static final int KEEP_ALIVE = 0;
        /** The first byte of a last request. */
        static final int LAST = 1;
        /** The rest of a head. */
        static final int HEAD = 2;
        /** More of a body. */
        static final int BODY = 3;
        /** More of a body that nobody wants. */
        static final int REST = 4;
        /** Nothing of the client: it is the node's turn. */
        static final int NOTHING = 5;
        /** That the client takes what it is sent. */
        static final int SEND = 6;
        /** That the client closes. */
        static final int LINGER = 7;
        /** The first byte of the first request. */
        static final int FIRST = 8;

        private Wait() {}
    }

    private final ServerConnection connection;
    private final HttpServer server;
    private final Outlet outlet;
    private final StallWatch sending;
    /** Those that it goes by: the Listener's, or what they were until it is told. */
    private Timeouts timeouts;

    private int wait = Wait.KEEP_ALIVE;

    ServerDeadline(ServerConnection connection, HttpServer server, Outlet outlet) {
        this.connection = connection;
        this.server = server;
        this.outlet = outlet;
        this.timeouts = server.timeouts();
        this.sending = new StallWatch(connection.channel(), timeouts.sendStallNanos());
    }

    /** Those that the connection goes by. */
    Timeouts timeouts() {
        return timeouts;
    }

    /**
     * The connection goes by others, also in what is awaited: counted from when that began, but for what is thrown away.
     *
     * @param restNanos how long more of what is thrown away may take to come
     */
    void follow(Timeouts now, long restNanos) {
        Timeouts before = timeouts;
        timeouts = now;
        sending.within(now.sendStallNanos());
        switch (wait) {
            // It looks, and goes on from there.
            case Wait.SEND -> server.wheel().hasten(this, 0);
            case Wait.REST, Wait.LINGER -> server.wheel().hasten(this, restNanos);
            default -> server.wheel().move(this, nanosOf(wait, now) - nanosOf(wait, before));
        }
    }

    private static long nanosOf(int wait, Timeouts timeouts) {
        return switch (wait) {
            case Wait.FIRST, Wait.HEAD -> timeouts.headerNanos();
            case Wait.KEEP_ALIVE -> timeouts.keepAliveNanos();
            case Wait.LAST -> timeouts.drainIdleNanos();
            case Wait.BODY -> timeouts.bodyIdleNanos();
            default -> 0;
        };
    }

    private void await(int why) {
        await(why, nanosOf(why, timeouts));
    }

    private void await(int why, long nanos) {
        wait = why;
        server.wheel().arm(this, nanos);
    }

    /** The first byte of the first request: for as long as a head may take. */
    void awaitFirst() {
        await(server.isDraining() ? Wait.LAST : Wait.FIRST);
    }

    /** The first byte of another request; before that, that the client takes what it was answered. */
    void awaitNext() {
        if (connection.channel().isWritable()) {
            await(server.isDraining() ? Wait.LAST : Wait.KEEP_ALIVE);
        } else {
            awaitSend();
        }
    }

    /** All end: another request is the last one, which the client may send before it can know. */
    void drain() {
        if (wait != Wait.SEND) {
            await(Wait.LAST);
        }
    }

    /** The rest of a head, all of it by the same time. */
    void awaitHead() {
        if (wait != Wait.HEAD) {
            await(Wait.HEAD);
        }
    }

    /** More of a body, unless it is awaited that the client takes what it is sent. */
    void awaitBody() {
        if (wait != Wait.SEND) {
            await(Wait.BODY);
        }
    }

    /** More of a body that is thrown away, unless it is awaited that the client takes its answer. */
    void awaitRest(long nanos) {
        if (wait != Wait.SEND) {
            await(Wait.REST, nanos);
        }
    }

    /** That the client closes. */
    void awaitClose(long nanos) {
        await(Wait.LINGER, nanos);
    }

    /** The same, where that is awaited already. */
    void awaitCloseLonger(long nanos) {
        if (wait == Wait.LINGER) {
            await(Wait.LINGER, nanos);
        }
    }

    /** Whether it is awaited that the client takes what it is sent. */
    boolean isForSending() {
        return wait == Wait.SEND;
    }

    /** That the client takes any of what it is sent. */
    void awaitSend() {
        await(Wait.SEND, sending.begin(progress(), server.clock().nanos()));
    }

    void awaitNothing() {
        wait = Wait.NOTHING;
        server.wheel().disarm(this);
    }

    /** Nothing more of a body, where that was awaited. */
    void awaitNoBody() {
        if (wait == Wait.BODY) {
            awaitNothing();
        }
    }

    /** Out of the wheel at once: the connection is closed. */
    void remove() {
        server.wheel().remove(this);
    }

    @Override
    protected void onDeadline() {
        switch (wait) {
            case Wait.KEEP_ALIVE, Wait.FIRST -> {
                server.onIdleTimeout();
                SecureEnd.close(connection.channel());
            }
            case Wait.LAST -> last();
            case Wait.HEAD, Wait.BODY -> connection.failLate(Fault.REQUEST_TIMEOUT);
            case Wait.REST -> connection.giveUpRest();
            case Wait.SEND -> look();
            case Wait.LINGER -> connection.endLingering();
            case Wait.NOTHING -> {}
        }
    }

    /** The server may have been gone, and be back. */
    private void last() {
        if (server.isDraining()) {
            connection.closeIdle();
        } else {
            awaitNext();
        }
    }

    /** Who sends a body, as fast as it has to, may read its answer after that. */
    private long progress() {
        return outlet.sentBytes() + connection.takenBodyBytes();
    }

    private void look() {
        long nanos = sending.look(progress(), server.clock().nanos());
        if (nanos > 0) {
            await(Wait.SEND, nanos);
        } else {
            connection.failLate(Fault.CLIENT_STALLED);
        }
    }
}
