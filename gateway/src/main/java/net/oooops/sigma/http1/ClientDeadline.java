package net.oooops.sigma.http1;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;

/**
 * The one deadline that a node's connection has at a time, what it is for, and how long that may take: by the exchange, by the pool that the
 * connection rests in, and by what the node said itself.
 *
 * <p>Called on the connection's event loop only.
 */
final class ClientDeadline extends Timed {
    /** Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md. */
    private static final class Wait {
        /** Another exchange. */
        static final int EXCHANGE = 0;
        /** The beginning of a response. */
        static final int RESPONSE = 1;
        /** More of it. */
        static final int BODY = 2;

        private Wait() {}
    }

    private static final long SECOND_NANOS = 1_000_000_000L;
    private static final long UNSAID = -1;

    private final ClientConnection connection;
    private final DeadlineWheel wheel;

    private int wait = Wait.EXCHANGE;
    private long pauseNanos;
    private long keepAliveSeconds = UNSAID;

    ClientDeadline(ClientConnection connection, DeadlineWheel wheel) {
        this.connection = connection;
        this.wheel = wheel;
    }

    /**
     * An exchange begins: nothing is awaited yet.
     *
     * @param responsePauseNanos how long its response may pause once it began
     */
    void begin(long responsePauseNanos) {
        pauseNanos = responsePauseNanos;
        awaitNothing();
    }

    void awaitResponse(long nanos) {
        wait = Wait.RESPONSE;
        wheel.arm(this, nanos);
    }

    /** More of the response has to come in time. */
    void awaitBody() {
        wait = Wait.BODY;
        wheel.arm(this, pauseNanos);
    }

    void awaitNothing() {
        wheel.disarm(this);
    }

    /** The node said for how many seconds it keeps the connection when it is idle; below 0: it said nothing. */
    void keepAlive(long seconds) {
        keepAliveSeconds = seconds;
    }

    /** Whether the node said that it waits too little for the connection to be worth keeping. */
    boolean isBrief() {
        return keepAliveSeconds >= 0 && keepAliveSeconds <= 1;
    }

    /** Another exchange has to come in time, or sooner where the node waits less: a second before that one is used up. */
    void awaitExchange(long nanos) {
        wait = Wait.EXCHANGE;
        long nodeNanos = Math.max(0, keepAliveSeconds - 1) * SECOND_NANOS;
        wheel.arm(this, keepAliveSeconds < 0 ? nanos : Math.min(nanos, nodeNanos));
    }

    /** Out of the wheel at once: the connection is closed. */
    void remove() {
        wheel.remove(this);
    }

    @Override
    protected void onDeadline() {
        switch (wait) {
            case Wait.EXCHANGE -> connection.closeIdle();
            case Wait.RESPONSE -> look();
            // Its client has the head already: it can only be cut short.
            case Wait.BODY -> connection.failLate(Fault.UPSTREAM_TRUNCATED);
        }
    }

    private void look() {
        ClientExchange late = connection.exchange();
        long more = late == null ? 0 : late.onResponseLate();
        if (more > 0) {
            wheel.arm(this, more);
        } else {
            connection.failLate(Fault.UPSTREAM_TIMEOUT);
        }
    }
}
