package net.oooops.sigma.flow;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.upstream.NodePool;

/**
 * Finds out what more connections to a busy node bring. While requests wait for one, twice as many are tried; where the node doesn't answer
 * more over them it is the node, or whoever asks, that is waited for, and the pool is held at what it had. A pool that became wide while
 * nobody waited is tried with half as many, and keeps the fewest that do as well.
 *
 * <p>Steps are that large so that a gain is told from noise. Only a node that answers often is tried: elsewhere connections cost little,
 * and a pool may be as wide as is asked for.
 *
 * <p>Belongs to one node on one Worker.
 */
final class WidthTrial {
    /** With fewer answers than that in {@link #PACE_NANOS} a node isn't tried. */
    private static final int PACE_ANSWERS_MIN = 64;

    private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Twice as many connections are worth it with so many times the answers. */
    private static final double GAIN_MIN = 1.25;
    /** Half as many do as well with that part of the answers. */
    private static final double KEPT_MIN = 0.92;
    /** With that part they are too few at once. */
    private static final double KEPT_LEAST = 0.6;

    /** Answers are counted for so long, and until each connection has given two. */
    private static final long COUNT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long COUNT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int TURNS = 2;

    /** A pool that is held is tried with more where it has answered less than that part for so long. */
    private static final double HELD_LEAST = 0.7;

    private static final long HELD_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    /** So long it rests after a trial; twice as long each time that a trial changes nothing. */
    private static final long REST_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final long REST_NANOS_MAX = TimeUnit.SECONDS.toNanos(32);

    private enum Phase {
        /** The pool may be as wide as is asked for. */
        FREE,
        /** Answers are counted before a step. */
        BEFORE,
        /** The step has been made. Answers to what was sent before it don't count. */
        SETTLING,
        /** Answers are counted after the step. */
        AFTER,
        /** The pool keeps its width. */
        HELD
    }

    private Phase phase = Phase.FREE;
    private boolean narrower;
    /** Whether the pool was held before the trial. */
    private boolean wasHeld;

    /** How many were in use before the first step to fewer, before the last step, and how many may be after it. */
    private int first;

    private int from;
    private int to;

    private long sinceNanos;
    private long answersBefore;
    /** Answers per nanosecond that the step is compared with. */
    private double rate;

    private long restsUntilNanos;
    private long restNanos = REST_NANOS;
    private int waitingHeld;
    private boolean narrowerNext;

    private long paceNanos;
    private long paceAnswers;
    private boolean often;

    WidthTrial(long nowNanos) {
        this.restsUntilNanos = nowNanos + REST_NANOS;
        this.paceNanos = nowNanos;
    }

    /** Whether the pool may be as wide as is asked for. */
    boolean isFree() {
        return phase == Phase.FREE;
    }

    /** Whether it is to be looked at though nobody waits. */
    boolean isUnderWay() {
        return phase == Phase.BEFORE || phase == Phase.SETTLING || phase == Phase.AFTER;
    }

    /**
     * Time has passed, be anybody waiting or not.
     *
     * @param answers how many the node has given to this Worker, errors aside
     * @param used how many connections are in use
     * @return whether a trial begins: {@link #look} is to be called from now on
     */
    boolean tick(long nowNanos, long answers, int used) {
        pace(nowNanos, answers);
        if (phase == Phase.FREE && often && used >= 2 * NodePool.WIDTH_MIN && nowNanos - restsUntilNanos >= 0) {
            wasHeld = false;
            first = used;
            before(nowNanos, answers, true);
            return true;
        }
        return false;
    }

    /**
     * Every other millisecond, while requests wait or a trial is under way.
     *
     * @param answers how many the node has given to this Worker, errors aside
     * @param used how many connections are in use
     * @param waiting how many requests wait for one
     * @param spare whether the Worker has time for more
     * @return how many may be in use from now on, or 0 where that doesn't change
     */
    int look(long nowNanos, long answers, int used, int waiting, boolean spare) {
        pace(nowNanos, answers);
        if (!often) {
            return seldom(nowNanos);
        }
        switch (phase) {
            case FREE -> {
                if (waiting > 0 && spare) {
                    before(nowNanos, answers, false);
                }
                return 0;
            }
            case BEFORE -> {
                return lookBefore(nowNanos, answers, used, waiting, spare);
            }
            case SETTLING, AFTER -> {
                return narrower ? lookNarrower(nowNanos, answers, waiting) : lookWider(nowNanos, answers, waiting);
            }
            case HELD -> {
                lookHeld(nowNanos, answers, used, waiting);
                return 0;
            }
        }
        return 0;
    }

    private int free(long nowNanos) {
        boolean bound = narrower && (phase == Phase.SETTLING || phase == Phase.AFTER);
        phase = Phase.FREE;
        rest(nowNanos);
        return bound ? first : 0;
    }

    private void pace(long nowNanos, long answers) {
        long passed = nowNanos - paceNanos;
        if (passed >= PACE_NANOS) {
            often = (double) (answers - paceAnswers) * PACE_NANOS >= (double) PACE_ANSWERS_MIN * passed;
            paceNanos = nowNanos;
            paceAnswers = answers;
        }
    }

    private int seldom(long nowNanos) {
        return phase == Phase.FREE ? 0 : free(nowNanos);
    }

    private void before(long nowNanos, long answers, boolean toFewer) {
        narrower = toFewer;
        begin(Phase.BEFORE, nowNanos, answers);
    }

    private int lookBefore(long nowNanos, long answers, int used, int waiting, boolean spare) {
        boolean aimless = !narrower && waiting == 0;
        if (aimless || nowNanos - sinceNanos >= COUNT_NANOS_MAX) {
            return free(nowNanos);
        }
        if (!narrower && !spare) {
            before(nowNanos, answers, false);
            return 0;
        }
        if (!isCounted(nowNanos, answers, used)) {
            return 0;
        }
        rate = rate(nowNanos, answers);
        return step(nowNanos, answers, used);
    }

    private int step(long nowNanos, long answers, int used) {
        from = used;
        to = narrower ? Math.max(NodePool.WIDTH_MIN, used / 2) : 2 * used;
        begin(Phase.SETTLING, nowNanos, answers);
        return to;
    }

    private int lookWider(long nowNanos, long answers, int waiting) {
        if (waiting == 0) {
            // So many are enough for all who ask.
            return free(nowNanos);
        }
        if (!isDone(nowNanos, answers)) {
            return 0;
        }
        if (rate(nowNanos, answers) >= rate * GAIN_MIN) {
            restNanos = REST_NANOS;
            before(nowNanos, answers, false);
            return 0;
        }
        return hold(nowNanos, answers, from, waiting);
    }

    private int lookNarrower(long nowNanos, long answers, int waiting) {
        double now = rate(nowNanos, answers);
        boolean tooFew = nowNanos - sinceNanos >= PACE_NANOS && now < rate * KEPT_LEAST;
        if (!tooFew && waiting > 0 && !isDone(nowNanos, answers)) {
            return 0;
        }
        if (tooFew || waiting == 0 || now < rate * KEPT_MIN) {
            return from == first && !wasHeld ? free(nowNanos) : hold(nowNanos, answers, from, waiting);
        }
        restNanos = REST_NANOS;
        rate = Math.max(rate, now);
        return to > NodePool.WIDTH_MIN ? step(nowNanos, answers, to) : hold(nowNanos, answers, to, waiting);
    }

    private void lookHeld(long nowNanos, long answers, int used, int waiting) {
        boolean more = waiting > 2 * waitingHeld + to;
        if (nowNanos - sinceNanos >= HELD_NANOS) {
            // Some may be held by now by what takes long, or never ends.
            more |= rate(nowNanos, answers) < rate * HELD_LEAST;
            begin(Phase.HELD, nowNanos, answers);
        }
        if (more || nowNanos - restsUntilNanos >= 0) {
            narrowerNext = !more && !narrowerNext && used > NodePool.WIDTH_MIN;
            wasHeld = true;
            first = used;
            before(nowNanos, answers, narrowerNext);
        }
    }

    /** Whether enough answers were counted after the step; and goes on from those before it to those after it. */
    private boolean isDone(long nowNanos, long answers) {
        if (nowNanos - sinceNanos >= COUNT_NANOS_MAX) {
            return true;
        }
        if (phase == Phase.SETTLING) {
            if (answers - answersBefore >= from) {
                begin(Phase.AFTER, nowNanos, answers);
            }
            return false;
        }
        return isCounted(nowNanos, answers, to);
    }

    private int hold(long nowNanos, long answers, int width, int waiting) {
        begin(Phase.HELD, nowNanos, answers);
        to = width;
        waitingHeld = waiting;
        rest(nowNanos);
        return width;
    }

    private void rest(long nowNanos) {
        restsUntilNanos = nowNanos + restNanos;
        restNanos = Math.min(REST_NANOS_MAX, 2 * restNanos);
    }

    private void begin(Phase next, long nowNanos, long answers) {
        phase = next;
        sinceNanos = nowNanos;
        answersBefore = answers;
    }

    private boolean isCounted(long nowNanos, long answers, int used) {
        return nowNanos - sinceNanos >= COUNT_NANOS && answers - answersBefore >= (long) TURNS * used;
    }

    private double rate(long nowNanos, long answers) {
        return (double) (answers - answersBefore) / Math.max(1, nowNanos - sinceNanos);
    }
}
