package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.time.Timed;
import net.oooops.sigma.upstream.Line;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/**
 * A try of an exchange to have its request answered by a node. Made once with the exchange, and used again for each further try. What is
 * known of all tries together stands in {@link TryHistory}.
 */
final class Attempt extends Timed {
    final HttpExchange exchange;

    /** In {@link Unanswered}, while no answer to it has come. */
    final Line.Link<Attempt> unanswered = new Line.Link<>(this);
    /** In line for a connection. */
    final Line.Link<Attempt> waiting = new Line.Link<>(this);
    /** When it began. */
    long beganNanos;

    /** The node that it is on, or was on last. */
    private @Nullable HttpNode node;

    /** It is under way. */
    private boolean onNode;

    private @Nullable ClientStream client;
    /** When its pool lent that, as the pool tells the time. */
    private int lentTick;

    private @Nullable Object opening;
    /** The number of its trial, where it finds out if its node is well again. */
    private int trial;
    /** Its answer tells of an error of the node's. */
    private boolean erred;
    /** A slow client holds its connection. */
    private boolean held;
    /** Its answer has begun. */
    private boolean flowing;
    /** Its answer is awaited for less than the last try may take. */
    private boolean limited;

    Attempt(HttpExchange exchange) {
        this.exchange = exchange;
    }

    /** Makes it ready for another request. */
    void reset() {
        node = null;
        onNode = false;
        client = null;
        opening = null;
        trial = Node.NO_TRIAL;
        held = false;
        flowing = false;
        limited = false;
    }

    /** A try begins. */
    void begin(HttpNode on, int asTrial, long nowNanos) {
        node = on;
        onNode = true;
        trial = asTrial;
        erred = false;
        exchange.history.counted(nowNanos);
    }

    /** Whether it finds out if its node is well again. */
    boolean isTrial() {
        return trial != Node.NO_TRIAL;
    }

    /** The number of its trial, for whoever says what came of it: asked again, it no longer is one. */
    int takeTrial() {
        int was = trial;
        trial = Node.NO_TRIAL;
        return was;
    }

    /** Its answer tells of an error of the node's, or not. */
    void erred(boolean error) {
        erred = error;
    }

    boolean hasErred() {
        return erred;
    }

    /** Whether it began so long ago. */
    boolean isOlder(long nowNanos, long nanos) {
        return nowNanos - beganNanos >= nanos;
    }

    /** Its client is slow to send or to take, and holds its connection by that; or no longer is. */
    void hold(boolean slow) {
        HttpNode on = node();
        if (held != slow && on != null) {
            held = slow;
            on.hold(slow);
            exchange.history.hold(slow);
            if (!flowing) {
                on.setAside(this, slow);
            }
        }
    }

    /** Its answer begins to flow, or it is over. */
    void flow(boolean begins) {
        HttpNode on = node();
        if (flowing != begins && on != null) {
            flowing = begins;
            if (!held) {
                on.setAside(this, begins);
            }
        }
    }

    boolean isHeld() {
        return held;
    }

    /** Whether its node may be quiet for long: its client said how long it waits for a call. */
    boolean isPatient() {
        GrpcCall call = exchange.call;
        return call != null && call.isPatient();
    }

    /** Its answer is awaited for less than the last try may take, or not. */
    void limit(boolean toLess) {
        limited = toLess;
    }

    boolean isLimited() {
        return limited;
    }

    /** Whether it is in line for a connection. */
    boolean isWaiting() {
        return waiting.isInLine();
    }

    /** A connection is being opened for it. */
    void open(Object connection) {
        opening = connection;
    }

    /** Whether that is the connection which is being opened for it. */
    boolean awaits(Object connection) {
        return opening == connection;
    }

    /** No connection is being opened for it any more. */
    void stopOpening() {
        opening = null;
    }

    /** Its pool lends it that connection now. */
    void lentAt(int tick) {
        lentTick = tick;
    }

    int lentTick() {
        return lentTick;
    }

    /** It is over. Returns the connection that it had, if any. */
    @Nullable ClientStream leave() {
        ClientStream left = client;
        onNode = false;
        client = null;
        return left;
    }

    /** Its node, while it is under way. */
    @Nullable HttpNode node() {
        return onNode ? node : null;
    }

    /** The node that it was given to last, for the log. */
    @Nullable HttpNode lastNode() {
        return node;
    }

    /** Its connection, while it has one. */
    @Nullable ClientStream client() {
        return client;
    }

    // Told by its node

    /** Whether another one is the one that its exchange goes by. */
    private boolean isHedge() {
        return exchange.attempt != this;
    }

    /** It has a connection. */
    void onConnection(ClientStream connection) {
        client = connection;
        HttpNode on = node();
        if (on != null) {
            on.reached();
            on.lend(this, connection);
        }
        HttpExchange x = exchange;
        if (isHedge()) {
            x.proxy.hedges.send(x, x.hedge(), connection);
        } else {
            x.proxy.send(x, connection);
        }
    }

    /** It has come to nothing, and nothing was sent. */
    void onUnsent(Fault fault, @Nullable Throwable cause) {
        HttpExchange x = exchange;
        if (isHedge()) {
            x.proxy.hedges.unsent(x, x.hedge(), fault, cause);
        } else {
            x.proxy.tries.unsent(x, fault, cause);
        }
    }

    /** Its node gives no sign of life. */
    void onSilence() {
        HttpExchange x = exchange;
        if (isHedge()) {
            x.proxy.hedges.leaveSilent(x, x.hedge());
        } else {
            x.proxy.tries.leaveSilent(x);
        }
    }

    /** Has waited for a connection for as long as it might when it began to. */
    @Override
    protected void onDeadline() {
        HttpExchange x = exchange;
        try {
            HttpNode on = node();
            boolean waits = x.stage == Stage.ACQUIRING || isHedge();
            if (waits && (on == null || !on.serveLate(this))) {
                onUnsent(Fault.POOL_TIMEOUT, null);
            }
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
        }
    }
}
