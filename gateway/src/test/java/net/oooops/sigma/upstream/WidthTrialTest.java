package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleUnaryOperator;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** A pool is as wide as brings more answers: with a node that is busy narrow, with one that is slow wide. */
class WidthTrialTest {
    private static final int LOOK_MILLIS = 2;
    private static final int LOOKS_PER_SECOND = 1000 / LOOK_MILLIS;
    private static final int LOOKS_PER_TICK = 50;
    private static final int CLIENTS = 2000;
    /** What a busy node answers in one look, and in a second. */
    private static final double FULL = 80;

    private static final double BUSY = FULL * LOOKS_PER_SECOND;

    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);
    private final WidthTrial trial = new WidthTrial(now);
    private int width = NodePool.WIDTH_MIN;
    private int widthMax = Integer.MAX_VALUE;
    private double answers;
    private double used;
    private double waiting;
    private boolean watched;
    private IntPredicate spare = look -> true;
    private int look;
    /** When those that wait came, and how many. */
    private final Deque<double[]> queue = new ArrayDeque<>();
    /** What was sent in each of the last looks to a node that takes its time. */
    private final Deque<Double> sent = new ArrayDeque<>();

    private int widest;
    private int longestWaitMillis;
    /** In how many looks requests waited. */
    private int crowdedLooks;

    /** A look passes: the node has answered so many, and so many new requests come. */
    private void pass(double answered, double come) {
        look++;
        now += TimeUnit.MILLISECONDS.toNanos(LOOK_MILLIS);
        answers += answered;
        used -= answered;
        come(come);
        take();
        trial.at(now, (long) answers);
        if (look % LOOKS_PER_TICK == 0 && trial.tick((int) used, width)) {
            watched = true;
        }
        if (watched || waiting > 0) {
            boolean free = spare.test(look);
            width = trial.look((int) used, width, (int) waiting, free);
            if (trial.isFree() && free) {
                width = (int) Math.max(width, used + Math.max(used, NodePool.WIDTH_MIN) / 4);
            }
            take();
            watched = trial.isUnderWay();
        }
        widest = Math.max(widest, width);
        crowdedLooks += waiting > 0 ? 1 : 0;
        if (!queue.isEmpty()) {
            longestWaitMillis = Math.max(longestWaitMillis, (look - (int) queue.getFirst()[0]) * LOOK_MILLIS);
        }
    }

    private void come(double requests) {
        waiting += requests;
        queue.addLast(new double[] {look, requests});
    }

    private void take() {
        double taken = Math.max(0, Math.min(waiting, Math.min(width, widthMax) - used));
        waiting -= taken;
        used += taken;
        if (!sent.isEmpty()) {
            sent.addLast(sent.removeLast() + taken);
        }
        while (!queue.isEmpty() && queue.getFirst()[1] <= taken + 1e-6) {
            taken -= queue.removeFirst()[1];
        }
        if (!queue.isEmpty()) {
            queue.getFirst()[1] -= taken;
        }
    }

    /** Nobody asks any more; then so many clients ask at once. */
    private void ask(int clients) {
        waiting = 0;
        queue.clear();
        sent.clear();
        used = 0;
        come(clients);
    }

    /** From now on it is told how wide it has been, and how long was waited. */
    private void forget() {
        widest = width;
        longestWaitMillis = 0;
        crowdedLooks = 0;
    }

    /** Each client asks anew when it is answered. The node answers so many in a look, over however many connections. */
    private void full(double seconds) {
        over(seconds, used -> FULL);
    }

    /** Each client asks anew when it is answered; in each look the node answers what so many connections allow. */
    private void over(double seconds, DoubleUnaryOperator answersPerLook) {
        for (int i = 0; i < seconds * LOOKS_PER_SECOND; i++) {
            double answered = Math.clamp(answersPerLook.applyAsDouble(used), 0, Math.max(0, used));
            pass(answered, answered);
        }
    }

    /** Requests come whether others are answered or not; in each look the node answers what so many connections allow. */
    private void open(double seconds, double comePerLook, DoubleUnaryOperator answersPerLook) {
        for (int i = 0; i < seconds * LOOKS_PER_SECOND; i++) {
            pass(Math.clamp(answersPerLook.applyAsDouble(used), 0, Math.max(0, used)), comePerLook);
        }
    }

    /** Each client asks anew when it is answered, and each answer takes so long. */
    private void slow(double seconds, int millis) {
        while (sent.size() < millis / LOOK_MILLIS) {
            sent.addLast(0.0);
        }
        for (int i = 0; i < seconds * LOOKS_PER_SECOND; i++) {
            double answered = sent.removeFirst();
            sent.addLast(0.0);
            pass(answered, answered);
        }
    }

    private double answered(Runnable what) {
        double before = answers;
        what.run();
        return answers - before;
    }

    @Test
    void aBusyNodeGetsFew() {
        ask(CLIENTS);
        full(5);
        forget();
        full(60);
        assertThat(width).isLessThanOrEqualTo(2 * NodePool.WIDTH_MIN);
        assertThat(widest).isLessThanOrEqualTo(4 * NodePool.WIDTH_MIN);
    }

    @Test
    void aPoolThatBecameWideIsNarrowedWhereTheNodeIsBusy() {
        width = CLIENTS;
        ask(CLIENTS);
        full(5);
        assertThat(width).isLessThanOrEqualTo(2 * NodePool.WIDTH_MIN);
    }

    /** What others use of the machine changes from one moment to the next. */
    @Test
    void itStaysFewOnAMachineThatOthersUse() {
        Random random = new Random(8);
        double wide = 0;
        int times = 100;
        for (int i = 0; i < times; i++) {
            ask(CLIENTS);
            full(1);
            for (int j = 0; j < 400; j++) {
                double rate = FULL * (0.6 + 0.8 * random.nextDouble());
                over((5 + random.nextInt(40)) / 1000.0, used -> rate);
                wide += width > 2 * NodePool.WIDTH_MIN ? 1 : 0;
            }
        }
        assertThat(wide / times / 400).isLessThan(0.25);
    }

    @Test
    void itStaysFewWhereTheNodeHaltsNowAndThen() {
        ask(CLIENTS);
        full(5);
        int wide = 0;
        for (int i = 0; i < 100; i++) {
            over(i % 2 == 0 ? 0.01 : 0.06, used -> 0);
            full(0.5);
            wide += width > 2 * NodePool.WIDTH_MIN ? 1 : 0;
        }
        assertThat(wide).isLessThan(20);
    }

    @Test
    void aSlowNodeGetsAsManyAsThereAreClientsAndIsSeldomTriedWithFewer() {
        ask(CLIENTS);
        slow(0.3, 20);
        assertThat(used).isEqualTo(CLIENTS);
        forget();
        slow(64, 20);
        // Each of the few trials ends as soon as fewer answers come.
        assertThat(crowdedLooks).isBetween(5, 64 * LOOKS_PER_SECOND / 400);
        assertThat(longestWaitMillis).isLessThanOrEqualTo(20);
    }

    @Test
    void aNodeThatTakesSomeMillisecondsGetsTwiceAsManyUntilNobodyWaits() {
        ask(CLIENTS);
        slow(1, 8);
        assertThat(used).isEqualTo(CLIENTS);
        assertThat(longestWaitMillis).isLessThan(100);
    }

    @Test
    void aSlowNodeIsNotTriedHoweverManyItAnswers() {
        ask(CLIENTS);
        slow(0.5, 150);
        assertThat(used).isEqualTo(CLIENTS);
        come(CLIENTS);
        forget();
        slow(0.5, 150);
        assertThat(used).isEqualTo(2 * CLIENTS);
        assertThat(longestWaitMillis).isLessThanOrEqualTo(10);
    }

    @Test
    void whoComesWhileATrialWithFewerBeginsDoesNotWaitForIt() {
        ask(CLIENTS);
        slow(0.5, 20);
        beginTrial(20);
        come(CLIENTS);
        forget();
        slow(0.5, 20);
        assertThat(used).isEqualTo(2 * CLIENTS);
        assertThat(longestWaitMillis).isLessThanOrEqualTo(20);
    }

    @Test
    void afterATrialWithTooFewThePoolIsAsWideAsBefore() {
        ask(CLIENTS);
        slow(0.5, 20);
        spare = look -> false;
        beginTrial(20);
        slow(0.5, 20);
        assertThat(crowdedLooks).isPositive();
        assertThat(used).isEqualTo(CLIENTS);
    }

    private void beginTrial(int millis) {
        for (int i = 0; i < 2 * LOOKS_PER_SECOND && !trial.isUnderWay(); i++) {
            slow(LOOK_MILLIS / 1000.0, millis);
        }
        assertThat(trial.isUnderWay()).isTrue();
    }

    @Test
    void aNodeThatBecomesSlowGetsMoreSoon() {
        ask(CLIENTS);
        full(20);
        ask(CLIENTS);
        slow(1, 20);
        assertThat(used).isEqualTo(CLIENTS);
    }

    @Test
    void aNodeThatBecomesFasterIsTriedWithMoreSoon() {
        ask(CLIENTS);
        full(20);
        over(8.5, used -> used * 1.5);
        assertThat(answered(() -> over(1, used -> used * 1.5))).isGreaterThan(2 * BUSY);
    }

    @Test
    void whatNeverEndsDoesNotKeepOthersWaiting() {
        ask(CLIENTS);
        full(20);
        int streams = 500;
        ask(CLIENTS + streams);
        DoubleUnaryOperator others = used -> Math.min(FULL, used - streams);
        over(0.25, others);
        assertThat(width).isGreaterThan(streams);
        assertThat(answered(() -> over(60, others))).isGreaterThan(0.98 * 60 * BUSY);
    }

    /** Of few connections some are held by what never ends: the others answer less than the node could, and more often than seldom. */
    @Test
    void whatTakesSomeConnectionsAwayIsMadeUpFor() {
        for (double left : new double[] {0.3, 0.75}) {
            ask(CLIENTS);
            full(40);
            int held = (int) (width * (1 - left));
            double each = FULL / width;
            DoubleUnaryOperator others = used -> Math.min(FULL, (used - held) * each);
            over(1, others);
            assertThat(answered(() -> over(1, others))).isGreaterThan(0.9 * BUSY);
        }
    }

    @Test
    void aQueueThatGrowsIsNotFixed() {
        for (double more : new double[] {1.02, 1.15, 1.5}) {
            ask(CLIENTS);
            full(40);
            double each = FULL / width;
            ask(0);
            forget();
            // With as many as there are the node could answer all but a part of what comes, with more all of it.
            open(20, more * FULL, used -> Math.min(1.1 * more * FULL, used * each));
            assertThat(waiting).isZero();
            assertThat(longestWaitMillis).isLessThan(100);
        }
    }

    @Test
    void whereTwiceAsManyBringAFifthMoreTheyStay() {
        ask(CLIENTS);
        DoubleUnaryOperator node = used -> Math.min(FULL, used * FULL / (NodePool.WIDTH_MIN * 1.2));
        over(5, node);
        assertThat(answered(() -> over(10, node))).isGreaterThan(0.97 * 10 * BUSY);
    }

    @Test
    void whereHalfAsManyDoNotDoAsWellTheyStay() {
        width = CLIENTS;
        ask(CLIENTS);
        over(10, used -> Math.min(FULL, used * 0.06));
        assertThat(answered(() -> over(60, used -> Math.min(FULL, used * 0.06))))
                .isGreaterThan(0.98 * 60 * BUSY);
    }

    /** Fixed at what a slow node was worth; then fewer ask, none of whom waits, and the node is busy. */
    @Test
    void aFixedPoolThatNobodyWaitsForIsTriedWithFewer() {
        ask(CLIENTS);
        slow(1, 8);
        over(40, used -> Math.min(FULL, used * 0.12));
        int fixed = width;
        assertThat(trial.isFree()).isFalse();
        assertThat(fixed).isGreaterThan(4 * NodePool.WIDTH_MIN);
        ask(fixed - 50);
        full(40);
        assertThat(width).isLessThanOrEqualTo(2 * NodePool.WIDTH_MIN);
    }

    /** Half as many give 0.93 of the answers: once is enough. */
    @Test
    void smallLossesDoNotAddUp() {
        width = CLIENTS;
        ask(CLIENTS);
        DoubleUnaryOperator node = used -> FULL * Math.pow(used / CLIENTS, 0.1);
        over(60, node);
        assertThat(answered(() -> over(10, node))).isGreaterThan(0.75 * 10 * BUSY);
    }

    @Test
    void aHiccupWhileAnswersAreCountedIsMadeGood() {
        ask(CLIENTS);
        slow(0.9, 10);
        assertThat(used).isEqualTo(CLIENTS);
        int before = width;
        // The first trial with fewer begins, and sees a node that hardly answers before it.
        beginTrial(10);
        over(0.01, used -> 4);
        slow(1, 10);
        assertThat(width).isGreaterThanOrEqualTo(Math.min(before, CLIENTS));
    }

    @Test
    void aWorkerWithTimeToSpareNowAndThenStillFindsOut() {
        spare = look -> look % 5 != 0;
        ask(CLIENTS);
        slow(2, 8);
        assertThat(used).isEqualTo(CLIENTS);
    }

    @Test
    void aWorkerWithoutTimeToSpareTriesNoMore() {
        ask(CLIENTS);
        full(5);
        spare = look -> false;
        full(1);
        forget();
        full(10);
        assertThat(widest).isLessThanOrEqualTo(2 * NodePool.WIDTH_MIN);
        assertThat(trial.isUnderWay()).isFalse();
    }

    @Test
    void aNodeThatAnswersSeldomGetsWhatIsAskedFor() {
        ask(CLIENTS);
        over(5, used -> 10);
        assertThat(used).isEqualTo(CLIENTS);
        assertThat(trial.isFree()).isTrue();
    }

    @Test
    void whereThereMayBeNoMoreAllAreUsed() {
        widthMax = 75;
        ask(CLIENTS);
        over(20, used -> used * 1.5);
        assertThat(used).isEqualTo(widthMax);
    }

    @Test
    void whoeverWaitsForTooLongEndsWhatWasFoundForAWhile() {
        ask(CLIENTS);
        full(5);
        while (!trial.isUnderWay()) {
            full(LOOK_MILLIS / 1000.0);
        }
        trial.late(width);
        assertThat(trial.isFree()).isTrue();
        full(0.5);
        assertThat(used).isEqualTo(CLIENTS);
        assertThat(trial.isFree()).isTrue();
        full(5);
        assertThat(width).isLessThanOrEqualTo(2 * NodePool.WIDTH_MIN);
    }
}
