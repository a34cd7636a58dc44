package net.oooops.sigma.upstream;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.BreakerConfig;

/**
 * Finds out how many requests an Upstream takes at once before they wait in it: compares the time that answers take now with the least
 * that they took. Where it is longer than is tolerated the limit falls in proportion; where it isn't, and the limit is in use, it
 * grows, by the root of itself. Where no answer begins, so that nothing is learnt, a limit that has fallen goes back, little by little, to
 * the one that it began with: else those few that are never answered would keep all others out.
 *
 * <p>What the least time is has to be found anew now and then, for nodes change. Where the limit was in use all the time the time
 * measured holds some waiting, so the limit is halved for a moment to measure without.
 *
 * <p>Belongs to one thread. The clock is the caller's.
 */
final class Gradient {
    /** A limit is worked out from at least so much time, and so many answers. */
    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private static final int ANSWERS_MIN = 10;
    /** How long the least time is believed. */
    static final long ERA_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** How long it is measured with half of the limit. */
    static final long PROBE_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How long at most, where too few answers begin meanwhile to know it. */
    static final long PROBE_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);
    /** Where no answer began for so long the limit goes a step back. */
    static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final double FIRST = 100;
    /** By no more than that the limit is to fall, and a part of it at once. */
    private static final double LEAST = 0.5;

    private static final double SMOOTHING = 0.2;

    private final BreakerConfig.Adaptive config;
    private double limit;
    /** The least time that answers took; 0 where it isn't known. */
    private double leastNanos;

    private double eraLeastNanos;
    private long eraFromNanos;
    private boolean eraBusy = true;
    private boolean begun;
    /** The limit to go back to while it is halved, else 0. */
    private double before;

    private long windowFromNanos;
    private long answers;
    private double latencyNanos;
    private int waitingMost;
    /** When the last answer began, or the last step back was taken. */
    private long heardNanos;

    Gradient(BreakerConfig.Adaptive config) {
        this.config = config;
        this.limit = Math.clamp(FIRST, config.limitMin(), config.limitMax());
    }

    /** How many requests may wait for their answers. */
    int limit() {
        return (int) limit;
    }

    /**
     * Time has passed.
     *
     * @param answered how many answers began since
     * @param nanos how long these took together
     * @param waiting how many requests wait for their answers
     */
    void look(long nowNanos, long answered, double nanos, int waiting) {
        if (!begun) {
            begun = true;
            windowFromNanos = nowNanos;
            eraFromNanos = nowNanos;
            heardNanos = nowNanos;
        }
        answers += answered;
        latencyNanos += nanos;
        waitingMost = Math.max(waitingMost, waiting);
        if (answered > 0) {
            heardNanos = nowNanos;
        } else if (nowNanos - heardNanos >= QUIET_NANOS) {
            heardNanos = nowNanos;
            stepBack();
        }
        if (answers >= ANSWERS_MIN && nowNanos - windowFromNanos >= WINDOW_NANOS) {
            window(nowNanos, latencyNanos / answers, waitingMost * 2 >= limit());
            windowFromNanos = nowNanos;
            answers = 0;
            latencyNanos = 0;
            waitingMost = 0;
        } else if (before > 0 && nowNanos - eraFromNanos >= PROBE_NANOS_MAX) {
            // What few have told is better than what is long ago; what nobody has told isn't.
            eraLeastNanos = answers > 0 ? latencyNanos / answers : leastNanos;
            endProbe(nowNanos);
        }
    }

    /** Nothing is learnt by refusing: towards the limit that it began with. */
    private void stepBack() {
        double first = bounded(FIRST);
        if (limit < first) {
            limit = Math.min(first, limit + Math.sqrt(limit));
        }
    }

    private void endProbe(long nowNanos) {
        limit = Math.max(limit, before);
        before = 0;
        nextEra(nowNanos);
    }

    private void window(long nowNanos, double meanNanos, boolean busy) {
        eraLeastNanos = least(eraLeastNanos, meanNanos);
        eraBusy &= busy;
        if (before > 0) {
            if (nowNanos - eraFromNanos >= PROBE_NANOS) {
                endProbe(nowNanos);
            }
            return;
        }
        leastNanos = least(leastNanos, meanNanos);
        if (nowNanos - eraFromNanos < ERA_NANOS) {
            move(meanNanos, busy);
        } else if (eraBusy) {
            before = limit;
            limit = bounded(limit / 2);
            eraFromNanos = nowNanos;
            eraLeastNanos = 0;
        } else {
            nextEra(nowNanos);
        }
    }

    private void nextEra(long nowNanos) {
        leastNanos = eraLeastNanos;
        eraLeastNanos = 0;
        eraFromNanos = nowNanos;
        eraBusy = true;
    }

    private void move(double meanNanos, boolean busy) {
        double tolerated = leastNanos * config.tolerancePercent() / 100;
        double gradient = meanNanos <= 0 ? 1 : Math.clamp(tolerated / meanNanos, LEAST, 1.0);
        double to = limit * gradient + Math.sqrt(limit);
        if (to < limit) {
            limit = bounded(limit + SMOOTHING * (to - limit));
        } else if (busy) {
            limit = bounded(to);
        }
    }

    private double bounded(double wanted) {
        return Math.clamp(wanted, config.limitMin(), config.limitMax());
    }

    private static double least(double known, double nanos) {
        return known == 0 ? nanos : Math.min(known, nanos);
    }
}
