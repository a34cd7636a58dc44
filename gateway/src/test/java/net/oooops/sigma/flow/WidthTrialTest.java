package net.oooops.sigma.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.function.DoubleUnaryOperator;
import net.oooops.sigma.upstream.NodePool;
import org.junit.jupiter.api.Test;

/** A pool is as wide as brings more answers: with a node that is busy narrow, with one that is slow wide. */
class WidthTrialTest {
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    private static final int LOOKS_PER_SECOND = 500;
    private static final int LOOKS_PER_TICK = 50;
    private static final int CLIENTS = 2000;
    /** What a busy node answers in one look. */
    private static final double FULL = 80;

    private static final double BUSY = FULL * LOOKS_PER_SECOND;

    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);
    private final WidthTrial trial = new WidthTrial(now);
    private int width = NodePool.WIDTH_MIN;
    private double answers;
    private double waiting;
    private boolean watched;
    private boolean spare = true;

    /** What was sent in each of the last looks to a node that takes its time. */
    private final Deque<Double> sent = new ArrayDeque<>();

    private double used;
    /** How many connections are held by what never ends. */
    private int streams;

    private int widest;
    private int narrowest;
    /** In how many looks requests waited. */
    private int narrowLooks;

    /** A look passes: the node has answered so many, and so many new requests come. */
    private void pass(double answered, double come, int look) {
        now += LOOK_NANOS;
        answers += answered;
        used -= answered;
        waiting += come;
        take();
        if (look % LOOKS_PER_TICK == 0 && trial.tick(now, (long) answers, (int) used)) {
            watched = true;
        }
        if (watched || waiting > 0) {
            int to = trial.look(now, (long) answers, (int) used, (int) waiting, spare);
            width = to > 0 ? to : width;
            if (trial.isFree() && spare) {
                width = (int) Math.max(width, used + Math.max(used, NodePool.WIDTH_MIN) / 4);
            }
            take();
            watched = trial.isUnderWay();
        }
        widest = Math.max(widest, width);
        narrowest = Math.min(narrowest, width);
        narrowLooks += waiting > 0 ? 1 : 0;
    }

    private void take() {
        double taken = Math.max(0, Math.min(waiting, width - used));
        waiting -= taken;
        used += taken;
        if (!sent.isEmpty()) {
            sent.addLast(sent.removeLast() + taken);
        }
    }

    /** Each client asks anew when it is answered. The node answers so many in a second, over however many connections. */
    private void full(double seconds, double perSecond) {
        forget();
        for (int look = 0; look < seconds * LOOKS_PER_SECOND; look++) {
            double answered = Math.min(used - streams, perSecond / LOOKS_PER_SECOND);
            pass(answered, answered, look);
        }
    }

    /** Each client asks anew when it is answered, and each answer takes so long. */
    private void slow(double seconds, int millis) {
        forget();
        slowFor(seconds, millis);
    }

    private void slowFor(double seconds, int millis) {
        while (sent.size() < millis / 2) {
            sent.addLast(0.0);
        }
        for (int look = 0; look < seconds * LOOKS_PER_SECOND; look++) {
            double answered = sent.removeFirst();
            sent.addLast(0.0);
            pass(answered, answered, look);
        }
    }

    /** Nobody asks any more; then so many clients ask at once. */
    private void ask(int clients) {
        waiting = clients;
        used = streams;
        sent.clear();
    }

    /** From now on it is told how wide it has been. */
    private void forget() {
        widest = width;
        narrowest = width;
    }

    @Test
    void aBusyNodeGetsFew() {
        ask(CLIENTS);
        full(5, BUSY);
        full(60, BUSY);
        assertThat(width).isLessThanOrEqualTo(2 * NodePool.WIDTH_MIN);
        assertThat(widest).isLessThanOrEqualTo(4 * NodePool.WIDTH_MIN);
        assertThat(narrowest).isEqualTo(NodePool.WIDTH_MIN);
    }

    @Test
    void aPoolThatBecameWideIsNarrowedWhereTheNodeIsBusy() {
        width = CLIENTS;
        ask(CLIENTS);
        full(5, BUSY);
        assertThat(width).isLessThanOrEqualTo(2 * NodePool.WIDTH_MIN);
    }

    @Test
    void aSlowNodeGetsAsManyAsThereAreClientsAndIsSeldomTriedWithFewer() {
        ask(CLIENTS);
        slow(0.3, 20);
        assertThat(used).isEqualTo(CLIENTS);
        narrowLooks = 0;
        slow(64, 20);
        // Each of the few trials ends as soon as fewer answers come.
        assertThat(narrowLooks).isBetween(5, 20);
    }

    @Test
    void aNodeThatIsFasterThanThatGetsTwiceAsManyUntilNobodyWaits() {
        ask(CLIENTS);
        slow(1, 8);
        assertThat(used).isEqualTo(CLIENTS);
    }

    @Test
    void aNodeThatBecomesSlowGetsMoreAtOnce() {
        ask(CLIENTS);
        full(20, BUSY);
        ask(CLIENTS);
        slow(0.5, 20);
        assertThat(used).isEqualTo(CLIENTS);
    }

    @Test
    void whatNeverEndsDoesNotKeepOthersWaiting() {
        ask(CLIENTS);
        full(20, BUSY);
        streams = 500;
        used = streams;
        waiting = CLIENTS;
        full(0.1, BUSY);
        assertThat(width).isGreaterThan(streams);
        double before = answers;
        full(60, BUSY);
        assertThat(answers - before).isGreaterThan(0.99 * 60 * BUSY);
    }

    /** Of few connections some are held by what never ends: the others answer less than the node could, and more often than seldom. */
    @Test
    void whatTakesSomeConnectionsAwayIsMadeUpFor() {
        ask(CLIENTS);
        full(40, BUSY);
        int held = width - 4;
        over(3, used -> (used - held) * 5);
        double before = answers;
        over(1, used -> (used - held) * 5);
        assertThat(answers - before).isGreaterThan(0.95 * BUSY);
    }

    @Test
    void aQueueThatGrowsIsNotHeld() {
        ask(CLIENTS);
        full(40, BUSY);
        double each = FULL / width;
        ask(0);
        // From here on requests come whether others are answered or not.
        for (int look = 0; look < 5 * LOOKS_PER_SECOND; look++) {
            pass(each * used, 1.2 * FULL, look);
        }
        assertThat(waiting).isZero();
    }

    @Test
    void whereHalfAsManyDoNotDoAsWellTheyStay() {
        width = CLIENTS;
        ask(CLIENTS);
        over(10, used -> used * 0.06);
        double before = answers;
        over(60, used -> used * 0.06);
        assertThat(answers - before).isGreaterThan(0.98 * 60 * BUSY);
    }

    /** Each client asks anew when it is answered; in each look the node answers what so many connections allow. */
    private void over(double seconds, DoubleUnaryOperator answersPerLook) {
        for (int look = 0; look < seconds * LOOKS_PER_SECOND; look++) {
            double answered = Math.clamp(answersPerLook.applyAsDouble(used), 0, FULL);
            pass(answered, answered, look);
        }
    }

    @Test
    void aWorkerWithoutTimeToSpareTriesNoMore() {
        spare = false;
        ask(CLIENTS);
        full(10, BUSY);
        assertThat(widest).isEqualTo(NodePool.WIDTH_MIN);
    }

    @Test
    void aNodeThatAnswersSeldomGetsWhatIsAskedFor() {
        ask(CLIENTS);
        full(5, 5000);
        assertThat(used).isEqualTo(CLIENTS);
        assertThat(trial.isFree()).isTrue();
    }
}
