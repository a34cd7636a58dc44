package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * The connections of one Worker to a Node of HTTP, and the tries that wait for one. How many tries a connection takes at once is the
 * version's.
 *
 * <p>Called on the Worker's event loop only.
 */
abstract class HttpPool {
    private final HttpRoad road;
    private final HttpNode node;
    private final LoopContext loop;

    HttpPool(HttpRoad road, HttpNode node) {
        this.road = road;
        this.node = node;
        this.loop = road.loop();
    }

    final HttpRoad road() {
        return road;
    }

    final HttpNode node() {
        return node;
    }

    /**
     * Finds a connection for a try that has begun: at once, or once one is opened or free. A node that is gone has none any more, whatever
     * the try waited for until now: others may take it.
     */
    final void find(Attempt attempt) {
        if (node.isRetired()) {
            unsent(attempt, Fault.NO_HEALTHY_NODE, null);
        } else {
            seek(attempt);
        }
    }

    /**
     * The try has that connection, or its part. What is thrown then ends its exchange, and is nobody else's: who tells it has others to tell,
     * and may be the connection of another exchange.
     */
    static void connected(Attempt attempt, ClientStream client) {
        HttpExchange x = attempt.exchange;
        try {
            attempt.onConnection(client);
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
        }
    }

    /** The try has come to nothing, and nothing was sent: as for {@link #connected}. */
    static void unsent(Attempt attempt, Fault fault, @Nullable Throwable cause) {
        HttpExchange x = attempt.exchange;
        try {
            attempt.onUnsent(fault, cause);
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
        }
    }

    /** What is to speak over a connection that was opened can't be made: it is closed. Its slot is for whoever took that. */
    final void untaken(Channel channel, Throwable cause) {
        channel.close();
        loop.thrown(cause);
    }

    /** The same, of a node that is there. */
    abstract void seek(Attempt attempt);

    /** The try has no connection, and needs none any more. */
    abstract void giveUp(Attempt attempt);

    /** The try has that connection, or its part, from now on. */
    void lend(Attempt attempt, ClientStream client) {}

    /** A try no longer needs its connection, or its part; whether it is fit for another exchange. */
    abstract void release(Attempt attempt, ClientStream client, boolean fit);

    /**
     * The deadline of a try in line has passed. It gets a connection where no bound forbids that. Where it has got none it is to be refused
     * if it has waited for {@code wait-timeout}, as that is by now; else it has a deadline again, for what is left of that. A reload may have
     * made it longer; one that makes it shorter is for those who come after it. Where so many have waited for so long that this turn of the
     * event loop doesn't come to all of them, none of these is refused: their deadline is the next tick.
     *
     * @return whether it isn't to be refused: it no longer waits, or it waits on
     */
    final boolean serveLate(Attempt attempt) {
        boolean isDeferred = serveUpTo(attempt);
        if (!attempt.isWaiting()) {
            return true;
        }
        // Not by the time of the turn's beginning, when it may not have been due yet.
        long leftNanos = waitTimeoutNanos() - (loop.clock().now() - attempt.beganNanos);
        boolean waitsOn = isDeferred || leftNanos > 0;
        if (waitsOn) {
            loop.wheel().arm(attempt, Math.max(leftNanos, 1));
        }
        return waitsOn;
    }

    /**
     * Serves those who have waited for long, up to that one, as far as this turn of the event loop may. Whether others of them are left to
     * another turn.
     */
    boolean serveUpTo(Attempt attempt) {
        return false;
    }

    /** The connection of a try, held or with an answer that has begun, doesn't keep others waiting, or does again. */
    abstract void setAside(Attempt attempt, boolean aside);

    /** Whether the node says of requests that it didn't look at them: those may be sent again, whatever they ask for. */
    abstract boolean tellsUnprocessed();

    /** Whether that failure to open a connection is to be held against the node once more. */
    boolean isToBlame(Throwable cause) {
        return true;
    }

    /** An answer has begun, which may tell of an error. */
    void onAnswer(boolean error, long nowNanos) {}

    /** Time has passed; whether the Worker had some to spare. */
    void tickWidth(boolean spare) {}

    /** The node's name may have other addresses: connections to those that it no longer has are let go. */
    void leaveFormerAddresses() {}

    /** What bounds it may have changed: it is asked for again. Connections that are open stay. */
    abstract void follow();

    /** The node is about to be gone: connections aren't wanted any more. */
    void retire() {}

    /** The node is gone: those that wait go elsewhere. */
    abstract void dismiss();

    /** Closes the connections that nobody uses. */
    abstract void close();

    /** How many connections there are, with those that are being opened. */
    abstract int openCount();

    /** How many connections nobody uses. */
    abstract int idleCount();

    /** How many tries wait for one. */
    abstract int waitingCount();

    /** The try waits in line for a connection. */
    final void await(Attempt attempt) {
        loop.wheel().arm(attempt, waitTimeoutNanos());
    }

    /** It no longer does. */
    final void stopWaiting(Attempt attempt) {
        loop.wheel().disarm(attempt);
    }

    final long waitTimeoutNanos() {
        return loop.client().waitTimeoutNanos();
    }

    /** Whether the handshake of an encrypted connection has agreed on HTTP/2. */
    static boolean isHttp2Agreed(Channel channel) {
        return channel.pipeline().first() instanceof SslHandler encrypted
                && TlsSession.HTTP2.equals(encrypted.applicationProtocol());
    }
}
