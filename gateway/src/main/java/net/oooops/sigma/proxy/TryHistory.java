package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.runtime.TriedNodes;
import net.oooops.sigma.upstream.Breaker;
import org.jspecify.annotations.Nullable;

/**
 * What is known of all tries of an exchange together: how many there were and on which nodes, and what its Upstream's breaker counts of
 * it. Made once with the exchange, and used again.
 */
final class TryHistory {
    final TriedNodes tried = new TriedNodes();

    private boolean freshOnly;

    private int freshCount;
    private int count;
    private long beganNanos;
    /** How long the last node that answered took until its answer began; -1 where none has. */
    private long answerNanos = -1;
    /** How many tries came to nothing before anything was sent. */
    private int unsentCount;
    /** What the last try failed with, where another one follows it. */
    private @Nullable Fault failedWith;

    private boolean waiting;
    private boolean waited;
    private long waitsSinceNanos;
    private int unsentBefore;
    /** Not 0 between two tries: the number of this pause. */
    private int pause;
    /** The breaker that counts it: the one that its Upstream had, though that may have another one by now; null where none does. */
    private @Nullable Breaker breaker;
    /** How the breaker let the request in; null where there is none, or it was told of its end. */
    private Breaker.@Nullable Admission admission;
    /** The breaker was told what became of it. */
    private boolean judged;
    /** An answer to it has begun. */
    private boolean answerBegun;
    /** The breaker counts it among those that wait for an answer: not while only its client keeps it from being answered. */
    private boolean awaited;
    /** It is sent again, and the breaker counts it as that. */
    private boolean repeated;
    /** A further try was refused by the breaker or the budget, and is counted as that. */
    private boolean refused;
    /** Goes on over all exchanges that this is used for. */
    private int pauses;

    /** Makes it ready for another request. */
    void reset() {
        freshOnly = false;
        freshCount = 0;
        count = 0;
        answerNanos = -1;
        unsentCount = 0;
        failedWith = null;
        waiting = false;
        waited = false;
        unsentBefore = 0;
        pause = 0;
        refused = false;
        tried.clear();
    }

    /** Another try begins. */
    void counted(long nowNanos) {
        if (count == 0) {
            beganNanos = nowNanos;
        }
        count++;
    }

    /** The answer to one of them began so long after its node had the request. */
    void answered(long afterNanos) {
        answerNanos = afterNanos;
    }

    /** How long it took until the last answer began; -1 where none has. */
    long answerNanos() {
        return answerNanos;
    }

    /** When the first one began. */
    long beganNanos() {
        return beganNanos;
    }

    /** How many there were, with those under way. */
    int count() {
        return count;
    }

    /** The same node is asked once more, since it had closed the connection before: only one that is opened for it will do. */
    void needFresh() {
        freshOnly = true;
        freshCount++;
    }

    /** It goes to another node, on whatever connection there is. */
    void elsewhere() {
        freshOnly = false;
    }

    /** How many tries came to nothing because a node had closed the connection before: these aren't held against the request. */
    int freshCount() {
        return freshCount;
    }

    boolean isFreshOnly() {
        return freshOnly;
    }

    /** The present try failed so, and another one follows it. */
    void failedWith(Fault fault) {
        failedWith = fault;
    }

    /** No node could be reached, for that reason: it waits until one can be. */
    void waitForNode(Fault why, long nowNanos) {
        if (!waited) {
            waited = true;
            waitsSinceNanos = nowNanos;
        }
        unsentBefore = unsentCount;
        failedWith = why;
        waiting = true;
        tried.clear();
    }

    /** Whether it has waited for a node. */
    boolean hasWaited() {
        return waited;
    }

    /** When it began to wait for a node, where it did. */
    long waitsSinceNanos() {
        return waitsSinceNanos;
    }

    /** In how many tries nothing was sent since it last waited for a node. */
    int unsentOfRound() {
        return unsentCount - unsentBefore;
    }

    /** Whether it waits for a node. */
    boolean isWaitingForNode() {
        return waiting;
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
        waiting = false;
        pause = 0;
    }

    // What the Upstream's breaker counts of it

    /**
     * Whether it may begin, as far as the breaker goes; if not, why.
     *
     * @param present the one that its Upstream has now
     */
    @Nullable Fault admit(Breaker present) {
        if (admission != null) {
            return null;
        }
        Breaker counting = counting(present);
        Breaker.Admission now = counting.admit();
        Fault refused = now.fault();
        if (refused == null) {
            breaker = counting;
            admission = now;
            judged = false;
            answerBegun = false;
            awaited = true;
        }
        return refused;
    }

    private Breaker counting(Breaker present) {
        Breaker counting = breaker;
        return counting == null ? present : counting;
    }

    /** Whether it might be sent again, as far as the breaker goes. Nothing is taken. */
    boolean mightRepeat(@Nullable Breaker present) {
        return present == null || repeated || counting(present).allowsRetry();
    }

    /** A further try was refused. Whether that is the first time. */
    boolean refuse() {
        boolean first = !refused;
        refused = true;
        return first;
    }

    boolean isRefused() {
        return refused;
    }

    /** Whether it may be sent again, as far as the breaker goes. */
    boolean mayRepeat(Breaker present) {
        if (!repeated) {
            Breaker counting = counting(present);
            repeated = counting.tryRetry();
            breaker = repeated ? counting : breaker;
        }
        return repeated;
    }

    /**
     * What became of it: told once.
     *
     * @param latencyNanos how long the answer took to begin, or not to come; below 0 where that says nothing of the nodes
     */
    void judge(boolean failed, long latencyNanos, long nowNanos) {
        Breaker counting = breaker;
        Breaker.Admission now = admission;
        if (counting != null && now != null && !judged) {
            judged = true;
            counting.judged(now, failed, latencyNanos, nowNanos);
        }
    }

    /** An answer has begun. */
    void answerBegun() {
        answerBegun = true;
        await(false);
    }

    /** Its client is slow to send it, and only that keeps it from being answered; or no longer is. */
    void hold(boolean slow) {
        if (!answerBegun) {
            await(!slow);
        }
    }

    private void await(boolean now) {
        Breaker counting = breaker;
        if (counting != null && admission != null && awaited != now) {
            awaited = now;
            counting.await(now);
        }
    }

    /** The breaker that counts it, if any. */
    @Nullable Breaker countedBy() {
        return breaker;
    }

    /** It is over. */
    void release() {
        Breaker counting = breaker;
        if (counting == null) {
            return;
        }
        breaker = null;
        Breaker.Admission now = admission;
        admission = null;
        if (now != null) {
            counting.ended(now, judged, awaited);
        }
        if (repeated) {
            repeated = false;
            counting.endRetry();
        }
    }
}
