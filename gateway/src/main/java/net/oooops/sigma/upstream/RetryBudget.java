package net.oooops.sigma.upstream;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;

/**
 * How many requests to an {@link Upstream} may be sent again, over all Workers, so that an outage isn't multiplied: a share of the
 * requests that clients sent, or so many a second where that is more. Of what wasn't used it keeps what it has earned in a quarter of a
 * second, or five seconds of the least: so a share of 20 % and a least of 3 make it 1.25 times what clients ask in the first five seconds of an
 * outage, and 1.2 times later on, from 60 requests a second on.
 *
 * <p>A node that dies takes all that it has at work with it, at once, and that is no outage that would be multiplied. So the budget may hold a
 * further try for each request that waits for its answer: given when so many wait for the first time and few fail, earned again as all else
 * where it was spent.
 *
 * <p>{@link #tryTake}, {@link #trySeek}: any thread. {@link #earn}: one thread, now and then.
 */
public final class RetryBudget {
    private static final long WHOLE = 1000;
    /** What a quiet Upstream has saved is so many seconds of the least; a busy one what it earns in a part of one. */
    private static final int SECONDS_SAVED = 5;

    private static final double PART_SAVED = 0.25;

    /** What was earned is looked at over so many times: a second, as it is worked out ten times a second. */
    private static final int TIMES_SEEN = 10;

    private static final double SMOOTHING = 0.1;
    /** What a busy time earned is forgotten sooner than a quiet one. */
    private static final double SMOOTHING_LESS = 0.2;

    private static final double SECOND_NANOS = 1e9;

    private static final long SEEK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** How much of what was held for requests that waited is left a tick later. */
    private static final double HELD_LEFT = 0.9;

    /** Some requests fail at all times. */
    private static final int ANSWERS_PER_FAILURE = 20;

    private final int percent;
    private final int perSecondMin;
    private final AtomicLong thousandths;
    private final AtomicLong soughtNanos = new AtomicLong(System.nanoTime());
    private final LongAdder refused = new LongAdder();
    /** What the share of the last times was, and how long each of them was. */
    private final double[] shares = new double[TIMES_SEEN];

    private final long[] times = new long[TIMES_SEEN];
    private int next;
    /** What the share makes in a second, smoothed. */
    private double savingPerSecond;
    /** How many waited at once, ever, while few failed: for so many a try was given. */
    private long waitingMost;
    /** How many of these wait, or did a moment ago. */
    private double held;

    RetryBudget(int percent, int perSecondMin) {
        this.percent = percent;
        this.perSecondMin = perSecondMin;
        this.thousandths = new AtomicLong(WHOLE * SECONDS_SAVED * perSecondMin);
    }

    /** Whether one more request may be sent again; it is counted then. */
    public boolean tryTake() {
        long left = thousandths.get();
        while (left >= WHOLE) {
            if (thousandths.compareAndSet(left, left - WHOLE)) {
                return true;
            }
            left = thousandths.get();
        }
        refused.increment();
        return false;
    }

    /**
     * Whether one of the requests that wait since no node takes them may look for one now: where the budget has nothing left, since all
     * that ask are waiting, one does each time that {@link #SEEK_NANOS} have passed.
     */
    public boolean trySeek(long nowNanos) {
        if (left() > 0 && tryTake()) {
            return true;
        }
        long sought = soughtNanos.get();
        return nowNanos - sought >= SEEK_NANOS && soughtNanos.compareAndSet(sought, nowNanos);
    }

    /** One that was taken isn't sent again after all. */
    public void giveBack() {
        thousandths.addAndGet(WHOLE);
    }

    /** How many requests weren't sent again because of it. */
    public long refusedCount() {
        return refused.sum();
    }

    /** How many requests may be sent again now. */
    public long left() {
        return thousandths.get() / WHOLE;
    }

    /** That is what clients asked since the last time, however often each request was sent. */
    void earn(Demand since) {
        if (since.nanos() <= 0) {
            return;
        }
        double share = since.requests() * percent / 100.0;
        shares[next] = share;
        times[next] = since.nanos();
        next = (next + 1) % TIMES_SEEN;
        double perSecond = earnedPerSecond();
        savingPerSecond += (perSecond < savingPerSecond ? SMOOTHING_LESS : SMOOTHING) * (perSecond - savingPerSecond);
        // What the share lacks of the least over the last second: requests come in bursts.
        double lacking = Math.max(0, perSecondMin - perSecond) * (since.nanos() / SECOND_NANOS);
        long earned = Math.round((share + lacking) * WHOLE) + given(since) * WHOLE;
        double saved = Math.max(SECONDS_SAVED * (double) perSecondMin, savingPerSecond * PART_SAVED);
        long most = Math.round(Math.max(saved, held) * WHOLE);
        // Upstreams that were busy and no longer are have no use for what they saved.
        thousandths.updateAndGet(before -> Math.min(most, before + earned));
    }

    /** How many tries come with more requests that wait than ever. Where many fail, that may be why they are more, and nothing is given for it. */
    private long given(Demand since) {
        if (percent == 0) {
            return 0;
        }
        long most = since.failures() * ANSWERS_PER_FAILURE <= since.answers() ? since.answers() : 0;
        long more = Math.clamp(since.waiting() - waitingMost, 0, most);
        waitingMost += more;
        held = Math.max((double) Math.min(since.waiting(), waitingMost), held * HELD_LEFT);
        return more;
    }

    private double earnedPerSecond() {
        double share = 0;
        long nanos = 0;
        for (int i = 0; i < TIMES_SEEN; i++) {
            share += shares[i];
            nanos += times[i];
        }
        return share * SECOND_NANOS / nanos;
    }
}
