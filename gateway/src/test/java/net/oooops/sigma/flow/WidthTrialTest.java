package net.oooops.sigma.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.DoubleUnaryOperator;
import net.oooops.sigma.upstream.NodePool;
import org.junit.jupiter.api.Test;

/** A pool becomes narrower where as much is answered over fewer connections, and only there. */
class WidthTrialTest {
    private static final int CLIENTS = 2000;
    private static final int TICKS_PER_SECOND = 10;
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1) / TICKS_PER_SECOND;

    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);
    private final WidthTrial trial = new WidthTrial(now);
    private double answers;
    private int width = CLIENTS;
    /** So many requests are with the node or wait for a connection. */
    private double requests = CLIENTS;
    /** So many of the connections are held by what never ends. */
    private int streams;

    /** The node gives so many answers in a second over so many connections, and each client asks anew. */
    private void pass(double seconds, DoubleUnaryOperator answersPerSecond) {
        for (int i = 0; i < seconds * TICKS_PER_SECOND; i++) {
            answers += answersPerSecond.applyAsDouble(used() - streams) / TICKS_PER_SECOND;
            tick();
        }
    }

    private int used() {
        return (int) Math.min(width, requests);
    }

    /** A pool that may become wide at once does so. */
    private void tick() {
        now += TICK_NANOS;
        int waiting = (int) Math.max(0, requests - width);
        int to = trial.tick(now, (long) answers, width, used(), waiting);
        if (to > 0) {
            width = Math.max(Math.max(to, NodePool.WIDTH_MIN), streams);
        }
        if (!trial.isSet()) {
            width = Math.max(width, (int) requests);
        }
    }

    private static double full(double used) {
        return used > 0 ? 14_000 : 0;
    }

    /** Each connection answers a hundred times a second. */
    private static double slow(double used) {
        return used * 100.0;
    }

    @Test
    void aFullNodeGetsFew() {
        pass(10, WidthTrialTest::full);
        assertThat(width).isEqualTo(64);
        int narrow = 0;
        for (int second = 0; second < 60; second++) {
            pass(1, WidthTrialTest::full);
            narrow += width == 64 ? 1 : 0;
        }
        assertThat(narrow).isGreaterThan(55);
    }

    @Test
    void aSlowNodeKeepsAllAndIsSeldomTried() {
        int narrow = 0;
        for (int second = 0; second < 100; second++) {
            double before = answers;
            pass(1, WidthTrialTest::slow);
            narrow += answers - before < slow(CLIENTS) * 0.99 ? 1 : 0;
        }
        // After 2, 4, 8, 16, 32 seconds of rest; a trial may touch two of the seconds looked at.
        assertThat(narrow).isBetween(1, 12);
        assertThat(answers).isGreaterThan(100 * slow(CLIENTS) * 0.98);
    }

    @Test
    void itIsAsNarrowAsDoesAndNoNarrower() {
        pass(9, used -> Math.min(used, 500) * 20.0);
        assertThat(width).isBetween(475, 800);
    }

    @Test
    void aNodeThatBecomesSlowGetsMoreAgain() {
        pass(10, WidthTrialTest::full);
        assertThat(width).isEqualTo(64);
        pass(4, WidthTrialTest::slow);
        assertThat(width).isGreaterThanOrEqualTo(CLIENTS);
    }

    @Test
    void oneDipDoesNotMakeItWide() {
        pass(10, WidthTrialTest::full);
        pass(1, used -> 7_000);
        pass(1, WidthTrialTest::full);
        assertThat(width).isLessThanOrEqualTo(4 * 64);
        pass(20, WidthTrialTest::full);
        assertThat(width).isLessThanOrEqualTo(128);
    }

    /** As while code is compiled: a loss can't be seen at first. */
    @Test
    void whereTooFewWereFoundToDoThatIsCorrected() {
        double[] most = {2_000};
        pass(6, used -> Math.min(most[0] += 200, used * 100));
        requests = 5000;
        pass(6, used -> used * 100);
        assertThat(width).isGreaterThan(1000);
    }

    @Test
    void itIsForgottenSoonAfterNobodyWaitsAnyMore() {
        pass(10, WidthTrialTest::full);
        requests = 50;
        pass(3, WidthTrialTest::full);
        assertThat(trial.isSet()).isTrue();
        pass(3, WidthTrialTest::full);
        assertThat(trial.isSet()).isFalse();
    }

    @Test
    void whoMayNotWaitEndsItAndTheNextOneBeginsLater() {
        pass(1, WidthTrialTest::full);
        assertThat(trial.isSet()).isTrue();
        width = trial.fail(now);
        assertThat(width).isEqualTo(CLIENTS);
        assertThat(trial.isSet()).isFalse();
        pass(1.9, WidthTrialTest::full);
        assertThat(trial.isSet()).isFalse();
        pass(1.5, WidthTrialTest::full);
        assertThat(trial.isSet()).isTrue();
    }

    /** More is asked than so few connections can bear, and who asks doesn't wait for answers: the queue tells. */
    @Test
    void itBecomesWiderWhereMoreAndMoreWait() {
        pass(9, WidthTrialTest::full);
        assertThat(width).isEqualTo(64);
        double asked = 12_000.0 / TICKS_PER_SECOND;
        double backlog = 0;
        for (int i = 0; i < 2 * TICKS_PER_SECOND && trial.isSet(); i++) {
            double answered = Math.min(backlog + asked, 150.0 * width / TICKS_PER_SECOND);
            answers += answered;
            backlog += asked - answered;
            requests = backlog > 0 ? width + backlog : 80;
            tick();
        }
        assertThat(trial.isSet()).isFalse();
    }

    /** What never ends takes connections from what does. */
    @Test
    void streamsDoNotStarveTheOthers() {
        streams = 300;
        double starved = 0;
        for (int tick = 0; tick < 60 * TICKS_PER_SECOND; tick++) {
            pass(1.0 / TICKS_PER_SECOND, WidthTrialTest::full);
            starved += used() <= streams ? 1 : 0;
        }
        assertThat(width).isGreaterThan(streams);
        // Those ticks in which a step too far is seen.
        assertThat(starved).isLessThan(3 * 6);
    }

    /** Bursts need their connections, though in all as much would be answered over fewer. */
    @Test
    void burstsKeepTheirs() {
        for (int burst = 0; burst < 200; burst++) {
            requests = CLIENTS;
            for (int i = 0; i < 3; i++) {
                double answered = Math.min(requests, used() / 2.0);
                answers += answered;
                requests -= answered;
                tick();
            }
            assertThat(width).isGreaterThanOrEqualTo(CLIENTS * 6 / 10);
            answers += requests;
            requests = 0;
            tick();
        }
    }

    @Test
    void whatAnswersOnceInAWhileIsNotTried() {
        pass(60, used -> 10);
        assertThat(width).isEqualTo(CLIENTS);
    }
}
