package net.oooops.sigma.upstream;

import java.util.concurrent.TimeUnit;

/**
 * Finds out what more connections to a busy node bring. While requests wait for one, twice as many are tried; where the node doesn't answer
 * more over them it is the node, or whoever asks, that is waited for, and the pool is fixed at what it had. A pool that became wide while
 * nobody waited is tried with half as many, and keeps the fewest that do as well.
 *
 * <p>Steps are that large so that a gain is told from noise. Only a node that answers often and soon is tried: elsewhere connections cost
 * little, and a pool may be as wide as is asked for. Whoever waits for long ends a trial, and what it found.
 *
 * <p>Belongs to one node on one Worker.
 */
public final class WidthTrial {
    /** A node that gives so many answers in {@link #PACE_NANOS} answers often, until it gives fewer than half of them twice. */
    private static final int PACE_ANSWERS_MIN = 64;

    private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** A node where each connection waits for longer than that for an answer doesn't answer soon. */
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    /** Twice as many connections are tried with twice as many again where they bring so many times the answers. */
    private static final double GAIN_LARGE = 1.25;
    /** With so many times they are at once. */
    private static final double GAIN_CLEAR = 1.6;
    /** Twice as many are kept where they bring so many times the answers. */
    private static final double GAIN_MIN = 1.15;
    /** Half as many do as well with that part of the answers, */
    private static final double KEPT_MIN = 0.92;
    /** and with that part of the most that were seen: small losses don't add up. */
    private static final double KEPT_OF_MOST = 0.75;
    /** With that part they are too few at once. */
    private static final double KEPT_LEAST = 0.6;
    /** Answers are counted for so long, and until each connection has given two. */
    private static final long COUNT_NANOS = TimeUnit.MILLISECONDS.toNanos(40);

    private static final long COUNT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int TURNS = 2;

    /** A pool that is fixed is tried with more where the node answers less than that part for so long. */
    private static final double FIXED_LEAST = 0.8;

    private static final long FIXED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** So long after it was fixed it is tried with more anyway. */
    private static final long WIDER_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);
    /** So long after a trial with fewer it isn't tried with fewer again; twice as long each time that fewer don't do as well. */
    private static final long NARROWER_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** At most so long where they did somewhat less well, as noise makes look, too. */
    private static final long NARROWER_AFTER_NANOS_DOUBT = TimeUnit.SECONDS.toNanos(4);

    private static final long NARROWER_AFTER_NANOS_MAX = TimeUnit.SECONDS.toNanos(32);

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
        FIXED
    }

    private Phase phase = Phase.FREE;
    private boolean narrower;
    /** Whether the pool was fixed before the trial. */
    private boolean wasFixed;
    /** Whether fewer have been found to do as well within the trial. */
    private boolean fewerDid;
    /** How wide the pool was before the trial. */
    private int widthBefore;
    /** How many were in use before the last step, and how many may be after it. */
    private int from;

    private int to;

    /** How often it was looked at since the last step, and how often of these nobody waited. */
    private int looks;

    private int calmLooks;

    private long nowNanos;
    private long answers;

    private long sinceNanos;
    private long answersBefore;
    /** Answers per nanosecond that the step is compared with. */
    private double rate;
    /** The most of them since the pool was free. */
    private double rateMax;

    /** The last that were counted while the pool was fixed. */
    private double fixedRate;

    private long widerFromNanos;
    private long narrowerFromNanos;
    private long narrowerAfterNanos = NARROWER_AFTER_NANOS;
    private int waitingWhenFixed;

    private long paceNanos;
    private long paceAnswers;
    private double pace;
    private boolean often;
    private boolean doubted;

    public WidthTrial(long nowNanos) {
        this.widerFromNanos = nowNanos;
        this.narrowerFromNanos = nowNanos + NARROWER_AFTER_NANOS;
        this.paceNanos = nowNanos;
    }

    /** Whether it is to be looked at though nobody waits. */
    public boolean isUnderWay() {
        return phase == Phase.BEFORE || phase == Phase.SETTLING || phase == Phase.AFTER;
    }

    /** Whether the pool may be as wide as is asked for. */
    public boolean isFree() {
        return phase == Phase.FREE;
    }

    /**
     * Time has passed, be anybody waiting or not.
     *
     * @param used how many connections are in use
     * @param width how many may be
     * @return whether a trial begins: {@link #look} is to be called from now on
     */
    public boolean tick(int used, int width) {
        if (phase != Phase.FREE || !often || used < 2 * NodePool.WIDTH_MIN || nowNanos - narrowerFromNanos < 0) {
            return false;
        }
        rateMax = 0;
        begin(true, width);
        return true;
    }

    /**
     * Every other millisecond, while requests wait or a trial is under way.
     *
     * @param used how many connections are in use
     * @param width how many may be
     * @param waiting how many requests wait for one
     * @param spare whether the Worker has time for more
     * @return how many may be in use from now on
     */
    public int look(int used, int width, int waiting, boolean spare) {
        if (!often) {
            return free(width);
        }
        return switch (phase) {
            case FREE -> {
                boolean soon = used <= pace * SOON_NANOS;
                if (waiting > 0 && spare && soon && nowNanos - widerFromNanos >= 0) {
                    rateMax = 0;
                    begin(false, width);
                }
                yield width;
            }
            case BEFORE -> lookBefore(used, width, waiting, spare);
            case SETTLING, AFTER -> narrower ? lookNarrower(width, waiting) : lookWider(used, width, waiting);
            case FIXED -> lookFixed(used, width, waiting, spare);
        };
    }

    /**
     * Someone has waited for too long: the pool may be as wide as is asked for, for a while.
     *
     * @param width how many may be in use
     * @return how many may be in use from now on
     */
    public int late(int width) {
        if (phase == Phase.FREE) {
            return width;
        }
        narrowerLater(true);
        widerFromNanos = narrowerFromNanos;
        return free(width);
    }

    private int free(int width) {
        boolean fewer = narrower && (phase == Phase.SETTLING || phase == Phase.AFTER);
        phase = Phase.FREE;
        return fewer ? Math.max(width, widthBefore) : width;
    }

    /**
     * What is known now. To be said before {@link #tick} and {@link #look}.
     *
     * @param nanos the time
     * @param given how many answers the node has given to this Worker, errors aside
     */
    public void at(long nanos, long given) {
        nowNanos = nanos;
        answers = given;
        long passed = nowNanos - paceNanos;
        if (passed < PACE_NANOS) {
            return;
        }
        pace = (double) (answers - paceAnswers) / passed;
        paceNanos = nowNanos;
        paceAnswers = answers;
        double enough = (double) PACE_ANSWERS_MIN / PACE_NANOS;
        if (pace >= enough) {
            often = true;
            doubted = false;
        } else if (pace < enough / 2) {
            often &= !doubted;
            doubted = true;
        }
    }

    private void begin(boolean toFewer, int width) {
        narrower = toFewer;
        wasFixed = phase == Phase.FIXED;
        fewerDid = false;
        widthBefore = width;
        enter(Phase.BEFORE);
    }

    /** A pool that is fixed needs no counting before the step: its answers have been counted for longer than that. */
    private int beginFixed(boolean toFewer, int used, int width) {
        begin(toFewer, width);
        rate = fixedRate;
        rateMax = Math.max(rateMax, rate);
        return step(used);
    }

    private int lookBefore(int used, int width, int waiting, boolean spare) {
        // A pool that many wait for isn't too wide; where nobody does there is no need for more.
        boolean aimless = narrower ? waiting > used / 2 : waiting == 0;
        if (aimless) {
            return free(width);
        }
        if (nowNanos - sinceNanos >= COUNT_NANOS_MAX) {
            return late(width);
        }
        if (!isCounted(used) || (!narrower && !spare)) {
            return width;
        }
        rate = rate();
        rateMax = Math.max(rateMax, rate);
        return step(used);
    }

    private int step(int used) {
        from = used;
        looks = 0;
        calmLooks = 0;
        to = Math.max(NodePool.WIDTH_MIN, narrower ? used / 2 : used * 2);
        enter(Phase.SETTLING);
        return to;
    }

    private int lookWider(int used, int width, int waiting) {
        looks++;
        calmLooks += waiting == 0 ? 1 : 0;
        double now = rate();
        boolean clear = phase == Phase.AFTER && nowNanos - sinceNanos >= PACE_NANOS && now >= rate * GAIN_CLEAR;
        if (!clear && !isDone()) {
            return width;
        }
        rateMax = Math.max(rateMax, now);
        if (2 * calmLooks > looks) {
            // So many are enough for all who ask.
            return free(width);
        }
        if (now >= rate * GAIN_LARGE) {
            rate = now;
            return step(used);
        }
        if (now >= rate * GAIN_MIN) {
            rate = now;
            return fix(to, waiting);
        }
        return fix(from, waiting);
    }

    private int lookNarrower(int width, int waiting) {
        double now = rate();
        boolean tooFew = nowNanos - sinceNanos >= PACE_NANOS && now < rate * KEPT_LEAST;
        if (!tooFew && waiting > 0 && !isDone()) {
            return width;
        }
        if (tooFew || waiting == 0 || now < Math.max(rate * KEPT_MIN, rateMax * KEPT_OF_MOST)) {
            narrowerLater(tooFew);
            if (fewerDid) {
                return fix(from, waiting);
            }
            return wasFixed ? fix(widthBefore, waiting) : free(width);
        }
        narrowerAfterNanos = NARROWER_AFTER_NANOS;
        fewerDid = true;
        rate = now;
        rateMax = Math.max(rateMax, now);
        return to > NodePool.WIDTH_MIN ? step(to) : fix(to, waiting);
    }

    private int lookFixed(int used, int width, int waiting, boolean spare) {
        boolean changed = waiting > 2 * waitingWhenFixed + width;
        if (nowNanos - sinceNanos >= FIXED_NANOS) {
            fixedRate = rate();
            // Some may be taken by now by what lasts long, or never ends.
            changed |= fixedRate < rate * FIXED_LEAST;
            enter(Phase.FIXED);
        }
        if (waiting > 0 && spare && (changed || nowNanos - widerFromNanos >= 0)) {
            return beginFixed(false, used, width);
        }
        if (used >= 2 * NodePool.WIDTH_MIN && nowNanos - narrowerFromNanos >= 0) {
            return beginFixed(true, used, width);
        }
        return width;
    }

    private int fix(int width, int waiting) {
        enter(Phase.FIXED);
        fixedRate = rate;
        waitingWhenFixed = waiting;
        widerFromNanos = nowNanos + WIDER_AFTER_NANOS;
        return width;
    }

    private void narrowerLater(boolean clear) {
        narrowerFromNanos = nowNanos + narrowerAfterNanos;
        narrowerAfterNanos =
                Math.min(clear ? NARROWER_AFTER_NANOS_MAX : NARROWER_AFTER_NANOS_DOUBT, 2 * narrowerAfterNanos);
    }

    /** Whether enough answers were counted after the step; and goes on from those before it to those after it. */
    private boolean isDone() {
        if (nowNanos - sinceNanos >= COUNT_NANOS_MAX) {
            return true;
        }
        if (phase == Phase.SETTLING) {
            if (answers - answersBefore >= from) {
                enter(Phase.AFTER);
            }
            return false;
        }
        return isCounted(to);
    }

    private void enter(Phase next) {
        phase = next;
        sinceNanos = nowNanos;
        answersBefore = answers;
    }

    private boolean isCounted(int used) {
        return nowNanos - sinceNanos >= COUNT_NANOS && answers - answersBefore >= (long) TURNS * used;
    }

    private double rate() {
        return (double) (answers - answersBefore) / Math.max(1, nowNanos - sinceNanos);
    }
}
