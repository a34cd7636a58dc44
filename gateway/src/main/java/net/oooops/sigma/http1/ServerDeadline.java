package net.oooops.sigma.http1;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;

/** The one deadline that a client's connection has at a time, and what it is for. */
final class ServerDeadline extends Timed {
    /** What is awaited. */
    enum Wait {
        /** The first byte of a request. */
        KEEP_ALIVE,
        /** The rest of a head. */
        HEAD,
        /** More of a body. */
        BODY,
        /** Nothing of the client: it is the node's turn. */
        NOTHING,
        /** That the client takes what it is sent. */
        SEND,
        /** That the client closes. */
        LINGER
    }

    private final ServerConnection connection;
    private final DeadlineWheel wheel;
    private Wait wait = Wait.KEEP_ALIVE;

    ServerDeadline(ServerConnection connection, DeadlineWheel wheel) {
        this.connection = connection;
        this.wheel = wheel;
    }

    Wait waitsFor() {
        return wait;
    }

    void await(Wait why, long nanos) {
        wait = why;
        wheel.arm(this, nanos);
    }

    void awaitNothing() {
        wait = Wait.NOTHING;
        wheel.disarm(this);
    }

    /** Nothing more of a body, where that was awaited. */
    void awaitNoBody() {
        if (wait == Wait.BODY) {
            awaitNothing();
        }
    }

    /** Out of the wheel at once: the connection is closed. */
    void remove() {
        wheel.remove(this);
    }

    @Override
    protected void onDeadline() {
        switch (wait) {
            case KEEP_ALIVE -> connection.onIdle();
            case HEAD, BODY -> connection.failLate(Fault.REQUEST_TIMEOUT);
            case SEND -> connection.onUnsent();
            case LINGER -> connection.channel().close();
            case NOTHING -> {}
        }
    }
}
