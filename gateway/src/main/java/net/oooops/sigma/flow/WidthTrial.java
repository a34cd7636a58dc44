package net.oooops.sigma.flow;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.upstream.NodePool;

/**
 * Finds out if a node answers as much over fewer connections: where the node, or whoever asks, is what is waited for, more connections only
 * make each answer take longer, and cost more. Narrows the pool by steps and compares how many answers come. Where they become fewer at
 * once the pool may be as wide as is asked for, and is left alone for a while. Otherwise it is held at the narrowest width that does as
 * well, and becomes wider only by steps that bring more answers.
 *
 * <p>Belongs to one node on one Worker, and is asked in each of its ticks.
 */
final class WidthTrial {
    /** A free pool narrower than that isn't worth a trial. */
    static final int WIDTH_MIN = 2 * NodePool.WIDTH_MIN;

    private static final double NARROWER = 0.75;
    private static final int WIDER = 2;
    /** Answers that come while it grows by more than that say nothing. */
    private static final double STABLE_MAX = 1.05;
    /** With fewer answers than that part of those that came before, the pool is too narrow. */
    private static final double ANSWERS_MIN = 0.95;
    /** With fewer than that part while it is held, twice in a row, it is tried with more connections. */
    private static final double HELD_ANSWERS_MIN = 0.85;
    /** How much the last answers count while it is held. */
    private static final double NEW_RATE = 0.25;
    /** So many times the answers are worth {@link #WIDER} times the connections. */
    private static final double WIDER_ANSWERS_MIN = 1.1;

    private static final long WINDOW_NANOS = TimeUnit.MILLISECONDS.toNanos(150);
    /** What comes more slowly than can be counted within that time isn't tried. */
    private static final long WINDOW_NANOS_MAX = TimeUnit.SECONDS.toNanos(2);

    private static final long REST_NANOS_FIRST = TimeUnit.SECONDS.toNanos(1);
    private static final long REST_NANOS_MAX = TimeUnit.SECONDS.toNanos(64);
    /** So long it is held before it is tried anew, wider or narrower by turns; twice as long each time that it is found to be right. */
    private static final long HOLD_NANOS_FIRST = TimeUnit.SECONDS.toNanos(2);

    private static final long HOLD_NANOS_MAX = TimeUnit.SECONDS.toNanos(64);

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
    /** How many answers had come when the phase began. */
    private long answersBefore;
    /** Answers per nanosecond that it is compared with. */
    private double rate;
    /** How wide it was before it became narrower or wider; 0 where it was free. */
    private int widthBefore;
    /** How wide it is to stay while answers are counted. */
    private int widthCounted;

    private long heldSinceNanos;
    private long holdNanos = HOLD_NANOS_FIRST;
    private boolean narrowerNext;
    private boolean fewBefore;
    /** While free: when the next trial may begin, and how long after the last one. */
    private long restsUntilNanos;

    private long restNanos = REST_NANOS_FIRST;

    /** Whether the pool is to have the width that it has been given. */
    boolean isBounded() {
        return phase != Phase.FREE && phase != Phase.BEFORE;
    }

    /** It is to be as wide as is asked for. */
    void free(long nowNanos) {
        phase = Phase.FREE;
        restsUntilNanos = nowNanos + restNanos;
    }

    /**
     * Time has passed.
     *
     * @param answers how many the node has given to this Worker
     * @param width how many connections there are
     * @param used how many of them are in use
     * @param crowded whether requests wait for one
     * @return how many there may be, or 0 where that doesn't change
     */
    int tick(long nowNanos, long answers, int width, int used, boolean crowded) {
        switch (phase) {
            case FREE -> {
                if (nowNanos - restsUntilNanos >= 0 && isWorthIt(width, used)) {
                    begin(Phase.BEFORE, nowNanos, answers);
                    widthCounted = width;
                }
            }
            case BEFORE -> {
                if (!isWorthIt(width, used) || isOver(nowNanos)) {
                    free(nowNanos);
                } else if (width > widthCounted * STABLE_MAX) {
                    begin(Phase.BEFORE, nowNanos, answers);
                    widthCounted = width;
                } else if (isCounted(nowNanos, answers, width)) {
                    rate = rate(nowNanos, answers);
                    widthBefore = 0;
                    return narrower(nowNanos, answers, width);
                }
            }
            case NARROWING, WIDENING -> {
                if (isOver(nowNanos)) {
                    free(nowNanos);
                } else if (answers - answersBefore >= width) {
                    begin(phase == Phase.NARROWING ? Phase.NARROWER : Phase.WIDER, nowNanos, answers);
                }
            }
            case NARROWER -> {
                if (!crowded || isOver(nowNanos)) {
                    restLonger();
                    free(nowNanos);
                } else if (isCounted(nowNanos, answers, width)) {
                    return judgeNarrower(nowNanos, answers, width);
                }
            }
            case WIDER -> {
                if (isCounted(nowNanos, answers, width)) {
                    return judgeWider(nowNanos, answers, width, crowded);
                } else if (isOver(nowNanos)) {
                    held(nowNanos, answers);
                    return widthBefore;
                }
            }
            case HELD -> {
                return hold(nowNanos, answers, width, crowded);
            }
        }
        return 0;
    }

    private int judgeNarrower(long nowNanos, long answers, int width) {
        if (rate(nowNanos, answers) >= rate * ANSWERS_MIN) {
            if (width > NodePool.WIDTH_MIN) {
                widthBefore = width;
                return narrower(nowNanos, answers, width);
            }
            held(nowNanos, answers);
            return 0;
        }
        if (widthBefore == 0) {
            restLonger();
            free(nowNanos);
            return 0;
        }
        held(nowNanos, answers);
        return widthBefore;
    }

    private int judgeWider(long nowNanos, long answers, int width, boolean crowded) {
        double now = rate(nowNanos, answers);
        if (now >= rate * WIDER_ANSWERS_MIN) {
            if (!crowded) {
                free(nowNanos);
                return 0;
            }
            rate = now;
            holdNanos = HOLD_NANOS_FIRST;
            return wider(nowNanos, answers, width);
        }
        held(nowNanos, answers);
        return widthBefore;
    }

    private int hold(long nowNanos, long answers, int width, boolean crowded) {
        boolean over = nowNanos - heldSinceNanos >= holdNanos;
        if (!crowded) {
            if (nowNanos - heldSinceNanos >= HOLD_NANOS_MAX) {
                free(nowNanos);
            } else {
                begin(Phase.HELD, nowNanos, answers);
            }
            return 0;
        }
        if (!isCounted(nowNanos, answers, width)) {
            if (isOver(nowNanos)) {
                free(nowNanos);
            }
            return 0;
        }
        double now = rate(nowNanos, answers);
        if (over) {
            holdNanos = Math.min(HOLD_NANOS_MAX, holdNanos * 2);
            narrowerNext = !narrowerNext && width > NodePool.WIDTH_MIN;
        }
        boolean few = now < rate * HELD_ANSWERS_MIN;
        if (over && narrowerNext) {
            widthBefore = width;
            return narrower(nowNanos, answers, width);
        }
        if (over || (few && fewBefore)) {
            rate = few ? now : rate;
            return wider(nowNanos, answers, width);
        }
        fewBefore = few;
        rate += few ? 0 : (now - rate) * NEW_RATE;
        begin(Phase.HELD, nowNanos, answers);
        return 0;
    }

    private int narrower(long nowNanos, long answers, int width) {
        begin(Phase.NARROWING, nowNanos, answers);
        return Math.max(NodePool.WIDTH_MIN, (int) (width * NARROWER));
    }

    private int wider(long nowNanos, long answers, int width) {
        widthBefore = width;
        begin(Phase.WIDENING, nowNanos, answers);
        return width * WIDER;
    }

    private void held(long nowNanos, long answers) {
        heldSinceNanos = nowNanos;
        fewBefore = false;
        restNanos = REST_NANOS_FIRST;
        begin(Phase.HELD, nowNanos, answers);
    }

    private void restLonger() {
        restNanos = Math.min(REST_NANOS_MAX, restNanos * 2);
    }

    private void begin(Phase next, long nowNanos, long answers) {
        phase = next;
        sinceNanos = nowNanos;
        answersBefore = answers;
    }

    private static boolean isWorthIt(int width, int used) {
        return width >= WIDTH_MIN && used >= width / 2;
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
