package net.oooops.sigma.upstream;

import java.util.concurrent.TimeUnit;

/**
 * Finds out what more connections to a busy node bring. While requests wait for one, twice as many are tried; where the node doesn't answer
 * more over them it is the node, or whoever asks, that is waited for, and the pool is fixed at what it had. A pool that became wide while
 * nobody waited is tried with half as many, and keeps the fewest that do as well.
 *
 * <p>Steps are that large, and both widths take turns while answers are counted, so that a gain is told from noise: how much a node answers differs by
 * a third from one moment to the next on a machine that others use, too. Only a node that answers often and soon is tried: elsewhere
 * connections cost little, and a pool may be as wide as is asked for. Whoever waits for long ends a trial, and what it found.
 *
 * <p>Belongs to one node on one Worker.
 */
public final class WidthTrial {
    /** A node that gives so many answers in {@link #PACE_NANOS} answers often, until it gives fewer than half of them for {@link #SELDOM_NANOS}. */
    private static final int PACE_ANSWERS_MIN = 64;

    private static final long PACE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    /** A node that halts for a moment isn't one that answers seldom. */
    private static final long SELDOM_NANOS = TimeUnit.MILLISECONDS.toNanos(100);
    /** A node where each connection waits for longer than that for an answer doesn't answer soon. */
    private static final long SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    /** Twice as many connections are tried with twice as many again where they bring so many times the answers. */
    private static final double GAIN_LARGE = 1.25;
    /** With so many times they are at once. */
    private static final double GAIN_CLEAR = 1.6;
    /** Where they bring less than that part of the answers, one turn tells it. */
    private static final double GAIN_NONE = 0.9;
    /** Where nobody waits any more, those that came into use have to bring this part of what the others do. */
    private static final double ENOUGH_GAIN_MIN = 0.5;
    /** Twice as many are kept where they bring so many times the answers. */
    private static final double GAIN_MIN = 1.15;
    /** Half as many do as well with that part of the answers, */
    private static final double KEPT_MIN = 0.92;
    /** and with that part of what the widest pool gave: small losses don't add up. */
    private static final double KEPT_OF_MOST = 0.75;
    /** With less than that part they are taken to be too few after one turn. */
    private static final double KEPT_DOUBTFUL = 0.8;
    /** With less than that part they are too few at once. */
    private static final double KEPT_LEAST = 0.6;
    /** With either width answers are counted for so long in each turn, and until each connection has given two. */
    private static final long COUNT_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private static final long COUNT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(200);
    private static final int ANSWERS_EACH = 2;
    /** Each width has so many turns, unless one or two tell enough. */
    private static final int TURNS = 3;

    /** A pool that is fixed is tried with more where the node answers less than that part for so long. */
    private static final double FIXED_LEAST = 0.8;

    private static final long FIXED_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** So long after it was fixed it is tried with more anyway; twice as long each time that more bring nothing. */
    private static final long WIDER_AFTER_NANOS = TimeUnit.SECONDS.toNanos(2);

    private static final long WIDER_AFTER_NANOS_MAX = TimeUnit.SECONDS.toNanos(8);
    /** So long after a trial with fewer it isn't tried with fewer again; twice as long each time that fewer don't do as well. */
    private static final long NARROWER_AFTER_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** At most so long where they did somewhat less well, as noise makes look, too. */
    private static final long NARROWER_AFTER_NANOS_DOUBT = TimeUnit.SECONDS.toNanos(2);

    private static final long NARROWER_AFTER_NANOS_MAX = TimeUnit.SECONDS.toNanos(32);

    private enum Phase {
        /** The pool may be as wide as is asked for. */
        FREE,
        /** Answers are counted before a step. */
        BEFORE,
        /** Another width has come into force. Answers to what was sent before it don't count. */
        SETTLING,
        /** Answers are counted with one of both widths. */
        COUNTING,
        /** The pool keeps its width. */
        FIXED
    }

    /** What was answered with one of both widths. */
    private static final class Tally {
        private long nanos;
        private long answers;

        private void clear() {
            nanos = 0;
            answers = 0;
        }

        private void add(long countedNanos, long counted) {
            nanos += countedNanos;
            answers += counted;
        }

        private void take(Tally other) {
            nanos = other.nanos;
            answers = other.answers;
        }

        /** Answers per nanosecond, never 0: it is divided by. */
        private double rate() {
            return (double) Math.max(1, answers) / Math.max(1, nanos);
        }
    }

    private Phase phase = Phase.FREE;
    private boolean narrower;
    /** Whether the pool was fixed before the trial. */
    private boolean wasFixed;
    /** Whether fewer have been found to do as well within the trial. */
    private boolean fewerDid;
    /** How wide the pool was before the trial. */
    private int widthBefore;
    /** How many were in use before the last step, how many may be after it, and how many when it is undone. */
    private int from;

    private int to;
    private int back;
    /** Whether it is in force: both widths take turns. */
    private boolean stepped;

    private final Tally before = new Tally();
    private final Tally after = new Tally();
    /** How many turns both have had. */
    private int turns;

    /** How often it was looked at while the step was in force, and how often of these nobody waited. */
    private int looks;

    private int calmLooks;

    private long nowNanos;
    private long answers;

    private long sinceNanos;
    private long answersBefore;
    /** Which part of the answers is left of what the widest pool gave: the product of what each step kept or brought, 1 at most. */
    private double kept = 1;

    /** What the pool gave when it was fixed. */
    private double rateWhenFixed;

    /** The last that was counted since. */
    private double fixedRate;

    private long widerFromNanos;
    private long widerAfterNanos = WIDER_AFTER_NANOS;
    private long narrowerFromNanos;
    private long narrowerAfterNanos = NARROWER_AFTER_NANOS;
    private int waitingWhenFixed;

    private long paceNanos;
    private long paceAnswers;
    private double pace;
    private boolean often;
    /** When it was last half of what is often. */
    private long enoughNanos;

    public WidthTrial(long nowNanos) {
        this.widerFromNanos = nowNanos;
        this.narrowerFromNanos = nowNanos + NARROWER_AFTER_NANOS;
        this.paceNanos = nowNanos;
        this.enoughNanos = nowNanos;
    }

    /** Whether it is to be looked at though nobody waits. */
    public boolean isUnderWay() {
        return phase == Phase.BEFORE || phase == Phase.SETTLING || phase == Phase.COUNTING;
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
        boolean steady = phase == Phase.FREE || phase == Phase.FIXED;
        if (!steady || !often || used < 2 * NodePool.WIDTH_MIN || nowNanos - narrowerFromNanos < 0) {
            return false;
        }
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
                    begin(false, width);
                }
                yield width;
            }
            case BEFORE -> lookBefore(used, width, waiting, spare);
            case SETTLING, COUNTING -> narrower ? lookNarrower(width, waiting) : lookWider(used, width, waiting);
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
        boolean fewer = narrower && (phase == Phase.SETTLING || phase == Phase.COUNTING);
        phase = Phase.FREE;
        kept = 1;
        widerAfterNanos = WIDER_AFTER_NANOS;
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
        if (pace >= enough / 2) {
            enoughNanos = nowNanos;
            often |= pace >= enough;
        } else if (nowNanos - enoughNanos >= SELDOM_NANOS) {
            often = false;
        }
    }

    /** The trial ends without a finding. */
    private int leave(int width) {
        if (wasFixed) {
            enter(Phase.FIXED);
            return widthBefore;
        }
        return free(width);
    }

    private void begin(boolean toFewer, int width) {
        narrower = toFewer;
        wasFixed = phase == Phase.FIXED;
        fewerDid = false;
        widthBefore = width;
        before.clear();
        enter(Phase.BEFORE);
    }

    /** A pool that is fixed needs no counting before the step: its answers have been counted for longer than that. */
    private int beginFixed(boolean toFewer, int used, int width) {
        begin(toFewer, width);
        before.add(COUNT_NANOS, (long) (fixedRate * COUNT_NANOS));
        return step(used, width);
    }

    private int lookBefore(int used, int width, int waiting, boolean spare) {
        // A pool that many wait for isn't too wide, unless it is the Worker that has no time; where nobody does there
        // is no need for more.
        boolean aimless = narrower ? spare && waiting > used / 2 : waiting == 0;
        if (aimless) {
            return leave(width);
        }
        boolean counted = isCounted(used);
        if (isOverdue() && !counted) {
            // Each connection waits for long: it isn't for want of others that the node answers no more.
            narrowerLater(true);
        }
        if (isOverdue()) {
            return leave(width);
        }
        if (!counted || (!narrower && !spare)) {
            return width;
        }
        before.add(nowNanos - sinceNanos, answers - answersBefore);
        return step(used, narrower ? width : used);
    }

    /** Twice or half as many as are in use may be. */
    private int step(int used, int undone) {
        from = used;
        back = undone;
        // Those whose answer has begun aren't among those in use.
        to = Math.max(NodePool.WIDTH_MIN, narrower ? used / 2 : 2 * Math.max(used, back));
        after.clear();
        turns = 0;
        looks = 0;
        calmLooks = 0;
        return turn(true);
    }

    /** The step did well: it is where the next one begins. */
    private int stepOn(int used) {
        before.take(after);
        return step(used, to);
    }

    private int turn(boolean toStep) {
        stepped = toStep;
        enter(Phase.SETTLING);
        return stepped ? to : back;
    }

    /** Whether one of both widths has had its turn, whose answers are added to its others. */
    private boolean isTurnOver() {
        if (phase == Phase.SETTLING) {
            if (answers - answersBefore >= (stepped ? from : to) || isOverdue()) {
                enter(Phase.COUNTING);
            }
            return false;
        }
        if (!isCounted(stepped ? to : from) && !isOverdue()) {
            return false;
        }
        Tally counted = stepped ? after : before;
        counted.add(nowNanos - sinceNanos, answers - answersBefore);
        turns += stepped ? 1 : 0;
        return true;
    }

    private int lookWider(int used, int width, int waiting) {
        if (stepped) {
            looks++;
            calmLooks += waiting == 0 ? 1 : 0;
        }
        if (!isTurnOver()) {
            return width;
        }
        if (!stepped) {
            return turn(true);
        }
        double gain = after.rate() / before.rate();
        boolean enough = 2 * calmLooks > looks;
        if (enough && gain - 1 >= ENOUGH_GAIN_MIN * (used - from) / from) {
            // For all who ask, and the node does more with them.
            return free(width);
        }
        boolean unsure = turns < TURNS && gain >= GAIN_NONE && gain < GAIN_CLEAR;
        if (unsure) {
            return turn(false);
        }
        if (gain < GAIN_MIN) {
            widerAfterNanos = Math.min(WIDER_AFTER_NANOS_MAX, 2 * widerAfterNanos);
            return fix(back, before, waiting);
        }
        widerAfterNanos = WIDER_AFTER_NANOS;
        kept = Math.min(1, kept * gain);
        return gain >= GAIN_LARGE ? stepOn(used) : fix(to, after, waiting);
    }

    private int lookNarrower(int width, int waiting) {
        if (!stepped) {
            return isTurnOver() ? turn(true) : width;
        }
        boolean tooFew = nowNanos - sinceNanos >= PACE_NANOS && rate() < before.rate() * KEPT_LEAST;
        if (!tooFew && !isTurnOver()) {
            return width;
        }
        double gain = after.rate() / before.rate();
        if (!tooFew && turns < TURNS && gain >= KEPT_DOUBTFUL) {
            return turn(false);
        }
        if (tooFew || gain < KEPT_MIN || kept * gain < KEPT_OF_MOST) {
            narrowerLater(tooFew);
            return fewerDid ? fix(from, before, waiting) : leave(width);
        }
        narrowerAfterNanos = NARROWER_AFTER_NANOS;
        kept = Math.min(1, kept * gain);
        fewerDid = true;
        return to > NodePool.WIDTH_MIN ? stepOn(to) : fix(to, after, waiting);
    }

    private int lookFixed(int used, int width, int waiting, boolean spare) {
        if (nowNanos - sinceNanos >= 2 * FIXED_NANOS) {
            // For a while nobody waited: what was answered then was all that was asked.
            enter(Phase.FIXED);
            return width;
        }
        boolean changed = waiting > 2 * waitingWhenFixed + width;
        if (nowNanos - sinceNanos >= FIXED_NANOS) {
            fixedRate = rate();
            // Some may be taken by now by what lasts long, or never ends; or the node is faster, and could do more over
            // more.
            changed |= fixedRate < rateWhenFixed * FIXED_LEAST || fixedRate > rateWhenFixed * GAIN_LARGE;
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

    private int fix(int width, Tally counted, int waiting) {
        enter(Phase.FIXED);
        rateWhenFixed = counted.rate();
        fixedRate = rateWhenFixed;
        waitingWhenFixed = waiting;
        widerFromNanos = nowNanos + widerAfterNanos;
        return width;
    }

    private void narrowerLater(boolean clear) {
        narrowerFromNanos = nowNanos + narrowerAfterNanos;
        narrowerAfterNanos =
                Math.min(clear ? NARROWER_AFTER_NANOS_MAX : NARROWER_AFTER_NANOS_DOUBT, 2 * narrowerAfterNanos);
    }

    private void enter(Phase next) {
        phase = next;
        sinceNanos = nowNanos;
        answersBefore = answers;
    }

    private boolean isCounted(int used) {
        return nowNanos - sinceNanos >= COUNT_NANOS && answers - answersBefore >= (long) ANSWERS_EACH * used;
    }

    private boolean isOverdue() {
        return nowNanos - sinceNanos >= COUNT_NANOS_MAX;
    }

    private double rate() {
        return (double) (answers - answersBefore) / Math.max(1, nowNanos - sinceNanos);
    }
}
