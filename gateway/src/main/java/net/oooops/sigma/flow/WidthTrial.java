package net.oooops.sigma.flow;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.upstream.NodePool;

/**
 * Finds out if a node answers as much over fewer connections: where the node, or whoever asks, is what is waited for, more connections only
 * make each answer take longer, and cost more. Narrows the pool by steps and compares how many answers come. Where they become fewer at
 * once the pool may be as wide as is asked for, and is left alone for a while. Otherwise it is held at the narrowest width that does as
 * well, and becomes wider by steps that bring more answers, or after which nobody waits.
 *
 * <p>What is slow isn't tried: within {@link #WINDOW_NANOS_MAX} each connection has to answer once.
 *
 * <p>Belongs to one node on one Worker, and is asked in each of its ticks.
 */
final class WidthTrial {
    /** A free pool narrower than that isn't worth a trial. */
    private static final int WORTH_MIN = 2 * NodePool.WIDTH_MIN;

    private static final double NARROWER_SHARE = 0.6;
    private static final int WIDER_TIMES = 2;
    /** Answers that come while a free pool grows by more than that say nothing. */
    private static final double STABLE_TIMES = 1.05;
    /** With fewer answers than that part of those that came before, the pool is too narrow. */
    private static final double ANSWERS_MIN = 0.95;
    /** With fewer than that part it is at once. */
    private static final double FAR_FEWER = 0.7;
    /** So often answers are counted anew where they are somewhat fewer: closing connections, too, costs something. */
    private static final int WINDOWS_MAX = 4;
    /** With fewer than that part while it is held, twice in a row, it is tried with more connections. */
    private static final double HELD_ANSWERS_MIN = 0.85;
    /** How much the last answers count while it is held, where they are more than before, and where they are fewer. */
    private static final double RISE = 0.25;

    private static final double FALL = 0.05;
    /** So many times the answers are worth {@link #WIDER_TIMES} times the connections. */
    private static final double WIDER_ANSWERS_MIN = 1.1;

    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
    private static final long WINDOW_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(600);

    /** Trials of a free pool begin with a second: Workers that share a node narrow at once, for one alone would lose its share of it. */
    private static final long BEGIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long REST_NANOS_FIRST = TimeUnit.SECONDS.toNanos(1);
    private static final long REST_NANOS_MAX = TimeUnit.SECONDS.toNanos(64);
    /** So long it is held before it is tried anew, wider or narrower by turns; twice as long each time that it is found to be right. */
    private static final long HOLD_NANOS_FIRST = TimeUnit.SECONDS.toNanos(2);

    private static final long HOLD_NANOS_MAX = TimeUnit.SECONDS.toNanos(64);
    /** Where nobody has waited for so long, what was found out holds no longer. */
    private static final long CALM_NANOS = TimeUnit.SECONDS.toNanos(5);

    private enum Phase {
        /** It may be as wide as is asked for. */
        FREE,
        /** The same; answers are counted before it becomes narrower. */
        BEFORE,
        /** It becomes narrower. Answers to what was sent before don't count. */
        NARROWING,
        /** Answers are counted after it became narrower. */
        NARROWER,
        /** It stays as it is. */
        HELD,
        /** It becomes wider. */
        WIDENING,
        /** Answers are counted after it became wider. */
        WIDER
    }

    private Phase phase = Phase.FREE;
    private long sinceNanos;
    /** How many answers had come when the phase began, and how many requests waited. */
    private long answersBefore;

    private int waitingBefore;
    /** Answers per nanosecond that it is compared with. */
    private double rate;
    /** How wide it was before the last step. */
    private int widthBefore;
    /** How wide it was before the first step; while that is tried, before any. */
    private int freeWidth;

    private boolean firstStep;
    /** How often answers were counted since the last step. */
    private int windows;

    private boolean narrowerNext;
    /** Whether the last window told that the pool might be too narrow. */
    private boolean doubted;

    private long heldSinceNanos;
    private long holdNanos = HOLD_NANOS_FIRST;
    private long crowdedNanos;
    private long restsUntilNanos;
    private long restNanos = REST_NANOS_FIRST;

    WidthTrial(long nowNanos) {
        this.restsUntilNanos = nowNanos;
    }

    /** Whether the pool is to have the width that it has been given. */
    boolean isSet() {
        return phase != Phase.FREE && phase != Phase.BEFORE;
    }

    /**
     * The pool is too narrow: someone waits for too long, or may not wait. It may be as wide as is asked for, and the next trial begins
     * later than it did after the last one.
     *
     * @return how wide it was before the trial
     */
    int fail(long nowNanos) {
        restNanos = Math.min(REST_NANOS_MAX, restNanos * 2);
        free(nowNanos);
        return freeWidth;
    }

    /**
     * Time has passed.
     *
     * @param answers how many the node has given to this Worker, errors aside
     * @param width how many connections there are
     * @param used how many of them are in use
     * @param waiting how many requests wait for one
     * @return how many there may be, or 0 where that doesn't change
     */
    int tick(long nowNanos, long answers, int width, int used, int waiting) {
        if (waiting > 0) {
            crowdedNanos = nowNanos;
        }
        switch (phase) {
            case FREE -> {
                if (nowNanos - restsUntilNanos >= 0 && isWorthIt(width, used)) {
                    begin(Phase.BEFORE, nowNanos, answers, waiting);
                    freeWidth = width;
                }
                return 0;
            }
            case BEFORE -> {
                return before(nowNanos, answers, width, used, waiting);
            }
            case NARROWING, WIDENING -> {
                return settle(nowNanos, answers, width, waiting);
            }
            case NARROWER -> {
                if (waiting == 0 || isOver(nowNanos)) {
                    return fail(nowNanos);
                }
                return isCounted(nowNanos, answers, width) ? judgeNarrower(nowNanos, answers, width, waiting) : 0;
            }
            case WIDER -> {
                return isCounted(nowNanos, answers, width) || isOver(nowNanos)
                        ? judgeWider(nowNanos, answers, width, waiting)
                        : 0;
            }
            case HELD -> {
                return hold(nowNanos, answers, width, waiting);
            }
        }
        return 0;
    }

    private int before(long nowNanos, long answers, int width, int used, int waiting) {
        if (!isWorthIt(width, used) || isOver(nowNanos)) {
            free(nowNanos);
        } else if (width > freeWidth * STABLE_TIMES) {
            begin(Phase.BEFORE, nowNanos, answers, waiting);
            freeWidth = width;
        } else if (isCounted(nowNanos, answers, width)) {
            rate = rate(nowNanos, answers);
            firstStep = true;
            narrowerNext = false;
            return narrower(nowNanos, answers, width, waiting);
        }
        return 0;
    }

    private int settle(long nowNanos, long answers, int width, int waiting) {
        boolean narrowing = phase == Phase.NARROWING;
        if (answers - answersBefore >= width) {
            begin(narrowing ? Phase.NARROWER : Phase.WIDER, nowNanos, answers, waitingBefore);
            return 0;
        }
        // What is left may be held by others, by what never ends.
        boolean starved = narrowing
                && waiting > 0
                && nowNanos - sinceNanos >= WINDOW_NANOS
                && rate(nowNanos, answers) < rate * FAR_FEWER;
        return starved || isOver(nowNanos) ? tooNarrow(nowNanos, answers, waiting) : 0;
    }

    private int judgeNarrower(long nowNanos, long answers, int width, int waiting) {
        double now = rate(nowNanos, answers);
        if (now < rate * ANSWERS_MIN) {
            if (now < rate * FAR_FEWER || ++windows >= WINDOWS_MAX) {
                return tooNarrow(nowNanos, answers, waiting);
            }
            begin(Phase.NARROWER, nowNanos, answers, waiting);
            return 0;
        }
        firstStep = false;
        if (width > NodePool.WIDTH_MIN) {
            return narrower(nowNanos, answers, width, waiting);
        }
        holdNanos = HOLD_NANOS_FIRST;
        held(nowNanos, answers, waiting);
        return 0;
    }

    private int tooNarrow(long nowNanos, long answers, int waiting) {
        if (firstStep) {
            return fail(nowNanos);
        }
        foundRight(nowNanos, answers, waiting);
        return widthBefore;
    }

    private int judgeWider(long nowNanos, long answers, int width, int waiting) {
        if (waiting == 0) {
            // Nobody has to wait for what they ask, be it as much as before.
            fail(nowNanos);
            return width;
        }
        double now = rate(nowNanos, answers);
        if (now >= rate * WIDER_ANSWERS_MIN) {
            rate = now;
            holdNanos = HOLD_NANOS_FIRST;
            return wider(nowNanos, answers, width, waiting);
        }
        foundRight(nowNanos, answers, waiting);
        return widthBefore;
    }

    private int hold(long nowNanos, long answers, int width, int waiting) {
        if (waiting == 0) {
            if (nowNanos - crowdedNanos >= CALM_NANOS) {
                free(nowNanos);
                return freeWidth;
            }
            doubted = false;
            begin(Phase.HELD, nowNanos, answers, 0);
            return 0;
        }
        boolean counted = isCounted(nowNanos, answers, width);
        if (!counted && !isOver(nowNanos)) {
            return 0;
        }
        double now = rate(nowNanos, answers);
        boolean few = now < rate * HELD_ANSWERS_MIN;
        boolean grows = waitingBefore > 0 && waiting > waitingBefore + width / 2;
        if (doubted && (few || grows)) {
            rate = few ? now : rate;
            return wider(nowNanos, answers, width, waiting);
        }
        doubted = few || grows;
        if (!doubted && nowNanos - heldSinceNanos >= holdNanos) {
            boolean narrower = narrowerNext && width > NodePool.WIDTH_MIN;
            narrowerNext = !narrowerNext;
            return narrower ? narrower(nowNanos, answers, width, waiting) : wider(nowNanos, answers, width, waiting);
        }
        if (!few) {
            rate += (now - rate) * (now > rate ? RISE : FALL);
        }
        begin(Phase.HELD, nowNanos, answers, waiting);
        return 0;
    }

    private int narrower(long nowNanos, long answers, int width, int waiting) {
        widthBefore = width;
        windows = 0;
        begin(Phase.NARROWING, nowNanos, answers, waiting);
        return (int) (width * NARROWER_SHARE);
    }

    private int wider(long nowNanos, long answers, int width, int waiting) {
        widthBefore = width;
        begin(Phase.WIDENING, nowNanos, answers, waiting);
        return width * WIDER_TIMES;
    }

    private void foundRight(long nowNanos, long answers, int waiting) {
        holdNanos = Math.min(HOLD_NANOS_MAX, holdNanos * 2);
        held(nowNanos, answers, waiting);
    }

    private void held(long nowNanos, long answers, int waiting) {
        heldSinceNanos = nowNanos;
        restNanos = REST_NANOS_FIRST;
        doubted = false;
        begin(Phase.HELD, nowNanos, answers, waiting);
    }

    private void begin(Phase next, long nowNanos, long answers, int waiting) {
        phase = next;
        sinceNanos = nowNanos;
        answersBefore = answers;
        waitingBefore = waiting;
    }

    private void free(long nowNanos) {
        phase = Phase.FREE;
        holdNanos = HOLD_NANOS_FIRST;
        long rested = nowNanos + restNanos;
        restsUntilNanos = rested + BEGIN_NANOS - Math.floorMod(rested, BEGIN_NANOS);
    }

    private static boolean isWorthIt(int width, int used) {
        return width >= WORTH_MIN && used >= width / 2;
    }

    /** Whether so much time has passed and so many answers have come that their number says something. */
    private boolean isCounted(long nowNanos, long answers, int width) {
        return nowNanos - sinceNanos >= WINDOW_NANOS && answers - answersBefore >= width;
    }

    private boolean isOver(long nowNanos) {
        return nowNanos - sinceNanos >= WINDOW_NANOS_MAX;
    }

    private double rate(long nowNanos, long answers) {
        return (double) (answers - answersBefore) / (nowNanos - sinceNanos);
    }
}
