package net.oooops.sigma.flow;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http1.ClientConnection;
import net.oooops.sigma.upstream.Breaker;
import org.jspecify.annotations.Nullable;

/**
 * The tries of an exchange to have its request answered by a node: the one under way, and what is left of those before. Made once
 * with the exchange, and used again.
 */
final class Attempt {
    final HttpExchange exchange;
    final TriedNodes tried = new TriedNodes();

    // Linked by Unanswered, while no answer to the present try has come.
    @Nullable Attempt before;

    @Nullable Attempt after;

    boolean awaited;
    /** When the present try began. */
    long beganNanos;

    private @Nullable HttpNode node;
    private @Nullable HttpNode lastNode;
    private @Nullable ClientConnection client;
    private HttpNode.@Nullable Opening opening;
    private boolean freshOnly;
    private int count;
    /** The present try finds out if its node is well again. */
    private boolean trial;
    /** Its answer tells of an error of the node's. */
    private boolean erred;
    /** A slow client holds its connection. */
    private boolean held;
    /** Its answer is awaited for less than the last try may take. */
    private boolean limited;
    /** It is in line for a connection. */
    private boolean waiting;
    /** How many tries came to nothing before anything was sent. */
    private int unsentCount;
    /** What the last try failed with, where another one follows it. */
    private @Nullable Fault failedWith;
    /** Not 0 between two tries: the number of this pause. */
    private int pause;
    /** How the Upstream's breaker let the request in; null where it has none, or was told of its end. */
    private Breaker.@Nullable Admission admission;
    /** The breaker was told what became of it. */
    private boolean judged;
    /** It is sent again, and the breaker counts it as that. */
    private boolean repeated;
    /** Goes on over all exchanges that this is used for. */
    private int pauses;

    Attempt(HttpExchange exchange) {
        this.exchange = exchange;
    }

    /** Makes it ready for another request. */
    void reset() {
        node = null;
        lastNode = null;
        client = null;
        opening = null;
        freshOnly = false;
        count = 0;
        trial = false;
        held = false;
        limited = false;
        waiting = false;
        unsentCount = 0;
        failedWith = null;
        pause = 0;
        tried.clear();
    }

    /** Another try begins. */
    void begin(HttpNode on, boolean asTrial) {
        node = on;
        trial = asTrial;
        erred = false;
        lastNode = on;
        count++;
    }

    /** Whether it finds out if its node is well again. */
    boolean isTrial() {
        return trial;
    }

    /** The same, for whoever says what came of it: asked again, it no longer is one. */
    boolean takeTrial() {
        boolean was = trial;
        trial = false;
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
        HttpNode on = node;
        if (held != slow && on != null) {
            held = slow;
            on.hold(slow);
        }
    }

    boolean isHeld() {
        return held;
    }

    /** Its answer is awaited for less than the last try may take, or not. */
    void limit(boolean toLess) {
        limited = toLess;
    }

    boolean isLimited() {
        return limited;
    }

    /** It is in line for a connection, or no longer is. */
    void waits(boolean inLine) {
        waiting = inLine;
    }

    boolean isWaiting() {
        return waiting;
    }

    /** The present try failed so, and another one follows it. */
    void failedWith(Fault fault) {
        failedWith = fault;
    }

    @Nullable Fault failedWith() {
        return failedWith;
    }

    /** Nothing was sent in the present try. */
    void wasUnsent() {
        unsentCount++;
    }

    int unsentCount() {
        return unsentCount;
    }

    /** The next try is waited with; returns the number of this pause. */
    int pause() {
        pauses = Math.max(1, pauses + 1 & Integer.MAX_VALUE);
        pause = pauses;
        return pause;
    }

    /** Whether that pause lasts. */
    boolean isPaused(int number) {
        return pause == number;
    }

    /** The pause is over. */
    void goOn() {
        pause = 0;
    }

    // What the Upstream's breaker counts of it

    /** Whether it may begin, as far as the breaker goes; if not, why. */
    @Nullable Fault admit(Breaker breaker) {
        if (admission != null) {
            return null;
        }
        Breaker.Admission now = breaker.admit();
        Fault refused = now.fault();
        if (refused == null) {
            admission = now;
            judged = false;
        }
        return refused;
    }

    /** Whether it may be sent again, as far as the breaker goes. */
    boolean mayRepeat(Breaker breaker) {
        repeated = repeated || breaker.tryRetry();
        return repeated;
    }

    /** What became of it: told once. */
    void judge(Breaker breaker, boolean failed, long nowNanos) {
        Breaker.Admission now = admission;
        if (now != null && !judged) {
            judged = true;
            breaker.judged(now, failed, nowNanos - beganNanos, nowNanos);
        }
    }

    /** Whether the breaker counts it. */
    boolean isCounted() {
        return admission != null || repeated;
    }

    /** It is over. */
    void release(Breaker breaker) {
        Breaker.Admission now = admission;
        admission = null;
        if (now != null) {
            breaker.ended(now, judged);
        }
        if (repeated) {
            repeated = false;
            breaker.endRetry();
        }
    }

    /** A connection is being opened for it. */
    void open(HttpNode.Opening connection) {
        opening = connection;
    }

    /** Whether that is the connection which is being opened for it. */
    boolean awaits(HttpNode.Opening connection) {
        return opening == connection;
    }

    /** No connection is being opened for it any more. */
    void stopOpening() {
        opening = null;
    }

    /** It has a connection. */
    void connected(ClientConnection connection) {
        client = connection;
    }

    /** It is over. Returns the connection that it had, if any. */
    @Nullable ClientConnection leave() {
        ClientConnection left = client;
        node = null;
        client = null;
        return left;
    }

    /** From now on only a connection that is opened for it will do. */
    void needFresh() {
        freshOnly = true;
    }

    boolean isFreshOnly() {
        return freshOnly;
    }

    /** The node of the try under way. */
    @Nullable HttpNode node() {
        return node;
    }

    /** The node of the last try, for the log. */
    @Nullable HttpNode lastNode() {
        return lastNode;
    }

    /** The connection of the try under way. */
    @Nullable ClientConnection client() {
        return client;
    }

    /** How many there were, with the one under way. */
    int count() {
        return count;
    }
}
