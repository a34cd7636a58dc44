package net.oooops.sigma.flow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import java.util.function.IntToDoubleFunction;
import org.junit.jupiter.api.Test;

/** A pool becomes narrower where as much is answered over fewer connections, and only there. */
class WidthTrialTest {
    private static final int CLIENTS = 2000;
    private static final int TICKS_PER_SECOND = 10;
    private static final long TICK_NANOS = TimeUnit.SECONDS.toNanos(1) / TICKS_PER_SECOND;

    private final WidthTrial trial = new WidthTrial();
    private long now = Long.MAX_VALUE - TimeUnit.SECONDS.toNanos(3);
    private double answers;
    private int width = CLIENTS;
    private int clients = CLIENTS;

    /** The node gives so many answers in a second over so many connections. A pool that may become wide at once does so. */
    private void pass(int seconds, IntToDoubleFunction answersPerSecond) {
        for (int i = 0; i < seconds * TICKS_PER_SECOND; i++) {
            now += TICK_NANOS;
            answers += answersPerSecond.applyAsDouble(Math.min(width, clients)) / TICKS_PER_SECOND;
            int to = trial.tick(now, (long) answers, width, Math.min(width, clients), clients > width);
            if (to > 0) {
                width = to;
            } else if (!trial.isBounded()) {
                width = Math.max(width, clients);
            }
        }
    }

    private static double full(int width) {
        return 14_000;
    }

    /** Each connection answers a hundred times a second. */
    private static double slow(int width) {
        return width * 100.0;
    }

    @Test
    void aFullNodeGetsFew() {
        pass(10, WidthTrialTest::full);
        assertThat(width).isEqualTo(64);
        pass(40, WidthTrialTest::full);
        assertThat(width).isEqualTo(64);
    }

    @Test
    void aSlowNodeKeepsAllAndIsSeldomTried() {
        int narrow = 0;
        for (int second = 0; second < 100; second++) {
            double before = answers;
            pass(1, WidthTrialTest::slow);
            narrow += answers - before < slow(CLIENTS) * 0.99 ? 1 : 0;
        }
        // After 1, 2, 4, 8, 16, 32 seconds of rest; a trial may touch two of the seconds looked at.
        assertThat(narrow).isBetween(1, 12);
        assertThat(answers).isGreaterThan(100 * slow(CLIENTS) * 0.98);
    }

    @Test
    void itIsAsNarrowAsDoesAndNoNarrower() {
        pass(20, width -> Math.min(width, 500) * 20.0);
        assertThat(width).isBetween(475, 700);
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
        pass(1, width -> 7_000);
        pass(1, WidthTrialTest::full);
        assertThat(width).isLessThanOrEqualTo(4 * 64);
        pass(15, WidthTrialTest::full);
        int narrow = 0;
        for (int second = 0; second < 60; second++) {
            pass(1, WidthTrialTest::full);
            narrow += width == 64 ? 1 : 0;
        }
        assertThat(narrow).isGreaterThan(55);
    }

    /** As while code is compiled: a loss can't be seen at first. */
    @Test
    void whereTooFewWereFoundToDoThatIsCorrected() {
        int[] most = {2_000};
        pass(6, width -> Math.min(most[0] += 200, width * 100.0));
        clients = 5000;
        most[0] = Integer.MAX_VALUE / 2;
        pass(6, width -> Math.min(most[0], width * 100.0));
        assertThat(width).isGreaterThan(1000);
    }

    @Test
    void itIsKnownForAWhileAfterNobodyWaitsAnyMore() {
        pass(10, WidthTrialTest::full);
        clients = 50;
        pass(5, WidthTrialTest::full);
        assertThat(trial.isBounded()).isTrue();
        pass(60, WidthTrialTest::full);
        assertThat(trial.isBounded()).isFalse();
    }

    @Test
    void whoHasWaitedForTooLongEndsIt() {
        pass(10, WidthTrialTest::full);
        assertThat(trial.isBounded()).isTrue();
        trial.free(now);
        assertThat(trial.isBounded()).isFalse();
    }

    /** Bursts need their connections, though in all as much would be answered over fewer. */
    @Test
    void burstsKeepTheirs() {
        for (int burst = 0; burst < 60; burst++) {
            clients = CLIENTS;
            pass(1, width -> 0);
            clients = 0;
            pass(1, width -> CLIENTS);
        }
        assertThat(width).isEqualTo(CLIENTS);
    }

    @Test
    void whatAnswersOnceInAWhileIsNotTried() {
        pass(60, width -> 10);
        assertThat(width).isEqualTo(CLIENTS);
    }
}
