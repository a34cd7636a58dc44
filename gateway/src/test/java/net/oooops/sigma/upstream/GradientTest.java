package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.BreakerConfig;
import org.junit.jupiter.api.Test;

/** Against a server that takes so many requests at once, and lets the others wait. */
class GradientTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long TICK = 100 * MILLI;
    private static final int SECOND = 10;

    private final Gradient gradient = new Gradient(new BreakerConfig.Adaptive(true, 5, 1000, 150));
    private long now = 77;
    /** What the server does at once. */
    private int capacity = 50;

    private double serverNanos = 10 * MILLI;

    /** So many want to be answered at once, for so many ticks. Returns the least limit there was. */
    private int load(int wanted, int ticks) {
        int least = Integer.MAX_VALUE;
        for (int i = 0; i < ticks; i++) {
            int inFlight = Math.min(wanted, gradient.limit());
            double latency = serverNanos * Math.max(1, (double) inFlight / capacity);
            long answers = Math.round((double) inFlight * TICK / latency);
            now += TICK;
            gradient.look(now, answers, answers * latency, inFlight);
            least = Math.min(least, gradient.limit());
        }
        return least;
    }

    /** A little load first: so it comes to know how fast answers can be. */
    private void begin() {
        load(10, 5);
    }

    @Test
    void itComesToWhatTheServerTakes() {
        begin();
        load(10_000, 20 * SECOND);
        assertThat(gradient.limit()).isBetween(capacity, 2 * capacity);
    }

    @Test
    void itGrowsWithTheLoadWhereTheServerTakesIt() {
        capacity = 2000;
        begin();
        load(10_000, 10 * SECOND);
        assertThat(gradient.limit()).isEqualTo(1000);
    }

    @Test
    void itDoesntGrowWhereItIsntUsed() {
        capacity = 2000;
        load(30, 60 * SECOND);
        assertThat(gradient.limit()).isEqualTo(100);
    }

    @Test
    void itFallsWhenTheServerTakesLessAndRises() {
        begin();
        load(10_000, 5 * SECOND);
        capacity = 10;
        load(10_000, 10 * SECOND);
        assertThat(gradient.limit()).isBetween(10, 20);
        capacity = 50;
        load(10_000, 10 * SECOND);
        assertThat(gradient.limit()).isBetween(50, 100);
    }

    @Test
    void itStaysWithinItsBounds() {
        begin();
        serverNanos *= 20;
        load(10_000, 10 * SECOND);
        assertThat(gradient.limit()).isGreaterThanOrEqualTo(5).isLessThan(20);
    }

    /** Else the time that requests wait would be taken for the time they need, and the limit grow for ever. */
    @Test
    void underLoadForEverItMeasuresWithLessNowAndThen() {
        begin();
        // Half a minute is over.
        load(10_000, 40 * SECOND);
        int settled = gradient.limit();
        int least = load(10_000, 30 * SECOND);
        assertThat(least).isBetween(settled / 2 - 1, settled / 2 + 1);
        load(10_000, 600 * SECOND);
        assertThat(gradient.limit()).isBetween(capacity, 3 * capacity);
    }

    @Test
    void aServerThatIsSlowerForGoodIsTakenAsItIs() {
        begin();
        load(10_000, 5 * SECOND);
        serverNanos *= 3;
        load(10_000, 20 * SECOND);
        assertThat(gradient.limit()).isLessThan(40);
        load(10_000, 120 * SECOND);
        assertThat(gradient.limit()).isBetween(capacity, 3 * capacity);
    }

    @Test
    void fewAnswersMoveNothing() {
        begin();
        for (int i = 0; i < 9; i++) {
            now += TICK;
            gradient.look(now, 1, 1000.0 * MILLI, 100);
            assertThat(gradient.limit()).isEqualTo(100);
        }
        now += TICK;
        gradient.look(now, 1, 1000.0 * MILLI, 100);
        assertThat(gradient.limit()).isLessThan(100);
    }

    private void silence(int ticks) {
        for (int i = 0; i < ticks; i++) {
            now += TICK;
            gradient.look(now, 0, 0, gradient.limit());
        }
    }

    /** Those few that the limit allows may never be answered. */
    @Test
    void itGoesBackWhereNothingIsAnswered() {
        begin();
        serverNanos *= 20;
        load(10_000, 10 * SECOND);
        int fallen = gradient.limit();
        assertThat(fallen).isLessThan(20);
        silence(5);
        assertThat(gradient.limit()).isEqualTo(fallen);
        silence(15);
        assertThat(gradient.limit()).isGreaterThan(fallen);
        silence(30 * SECOND);
        assertThat(gradient.limit()).as("where it began").isEqualTo(100);
    }

    @Test
    void nothingIsGainedByAQuietTime() {
        capacity = 2000;
        begin();
        load(10_000, 2 * SECOND);
        int before = gradient.limit();
        assertThat(before).isGreaterThan(100);
        silence(60 * SECOND);
        assertThat(gradient.limit()).isEqualTo(before);
    }

    @Test
    void measuringWithLessEndsThoughNobodyAnswers() {
        begin();
        load(10_000, 30 * SECOND);
        int settled = gradient.limit();
        while (gradient.limit() > settled / 2 + 1) {
            load(10_000, 1);
        }
        silence(10 * SECOND);
        assertThat(gradient.limit()).isGreaterThanOrEqualTo(settled - 1);
    }
}
