package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What nodes see beyond what clients ask, ticked ten times a second as in the gateway. */
class RetryBudgetTest {
    private static final long TICK = TimeUnit.MILLISECONDS.toNanos(100);
    private static final int SECOND = 10;
    /** How often a request is sent at most: {@code proxy-pass.retry.tries}. */
    private static final int TRIES = 3;

    private final Upstream upstream = new NodeRegistry()
            .upstream(new UpstreamConfig(
                    "u",
                    UpstreamConfig.Discovery.STATIC_CONFIG,
                    UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                    UpstreamConfig.Protocol.HTTP,
                    List.of(new NodeConfig("a", 80, 1), new NodeConfig("b", 80, 1)),
                    null,
                    null));
    private final NodeTally tally = upstream.nodes().get(0).tally(0);
    private final RetryBudget budget = upstream.budget();
    private long now = TICK;
    private int asked;

    /** Clients ask so many a second, for so many ticks. Returns how many tries nodes see. */
    private int load(int perSecond, int ticks, boolean failing) {
        int seen = 0;
        int before = asked;
        for (int i = 1; i <= ticks; i++) {
            for (int due = before + perSecond * i / SECOND; asked < due; asked++) {
                tally.firstTried();
                seen += tries(failing);
            }
            now += TICK;
            upstream.tick(now);
        }
        return seen;
    }

    private int tries(boolean failing) {
        int tries = 1;
        tally.began();
        while (failing && tries < TRIES && budget.tryTake()) {
            tries++;
            tally.ended();
            tally.began();
        }
        tally.ended();
        return tries;
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 65, 100, 1000, 10_000})
    void anOutageIsMultipliedByFiveFourthsAtMost(int perSecond) {
        load(perSecond, 30 * SECOND, false);
        int first = load(perSecond, 5 * SECOND, true);
        assertThat(first).isLessThanOrEqualTo(perSecond * 5 * 5 / 4);
        int later = load(perSecond, 60 * SECOND, true);
        assertThat(later).isLessThanOrEqualTo(perSecond * 60 * 5 / 4);
    }

    @ParameterizedTest
    @ValueSource(ints = {60, 1000})
    void soIsOneThatIsThereAtTheStart(int perSecond) {
        upstream.tick(now);
        assertThat(load(perSecond, 5 * SECOND, true)).isLessThanOrEqualTo(perSecond * 5 * 5 / 4);
    }

    /** All who asked wait, so nobody asks: a second later the least is earned again. */
    @Test
    void soonAfterABusyTimeThereIsTheLeast() {
        load(2000, 10 * SECOND, false);
        while (budget.tryTake()) {
            // Somebody has used it.
        }
        load(0, SECOND, false);
        assertThat(budget.left()).isLessThanOrEqualTo(1);
        load(0, 2 * SECOND, false);
        assertThat(budget.left()).isBetween(6L, 7L);
    }

    @Test
    void whatABusyTimeEarnedIsGoneThreeSecondsLater() {
        load(30_000, 10 * SECOND, false);
        load(1680, 3 * SECOND, false);
        assertThat(load(1680, 3 * SECOND, true)).isLessThanOrEqualTo(1680 * 3 * 5 / 4);
    }

    /** All that one second brings comes at once. */
    @Test
    void burstsEarnNoMoreThanTheirShare() {
        upstream.tick(now);
        int seen = 0;
        for (int i = 0; i < 60; i++) {
            load(60 * SECOND, 1, false);
            load(0, SECOND - 1, false);
        }
        for (int i = 0; i < 5; i++) {
            seen += load(60 * SECOND, 1, true);
            seen += load(0, SECOND - 1, true);
        }
        assertThat(seen).isLessThanOrEqualTo(375);
    }

    @Test
    void fewRequestsHaveThreeASecond() {
        upstream.tick(now);
        assertThat(budget.left()).isEqualTo(15);
        load(2, 60 * SECOND, false);
        assertThat(budget.left()).isEqualTo(15);
        // Each of them as often as it may be.
        assertThat(load(1, 60 * SECOND, true)).isEqualTo(180);
        assertThat(budget.refusedCount()).isZero();
        assertThat(load(6, 60 * SECOND, true)).isBetween(360 + 178, 360 + 180 + 15);
    }

    @Test
    void itIsSpentAsAShareOfWhatClientsAsk() {
        load(1000, 30 * SECOND, false);
        assertThat(load(1000, 60 * SECOND, true)).isBetween(60_000 + 11_990, 60_000 + 12_000 + 200);
    }

    /** So many clients ask anew once they are answered: that takes a tick. */
    private void waiting(int clients, int ticks) {
        for (int tick = 0; tick < ticks; tick++) {
            for (int i = 0; i < clients; i++) {
                tally.firstTried();
                tally.answered(TICK, now);
            }
            now += TICK;
            upstream.tick(now);
        }
    }

    @Test
    void aNodeThatDiesMayTakeAllThatWaits() {
        upstream.tick(now);
        waiting(2000, 1);
        assertThat(budget.left()).isEqualTo(2000);
    }

    @Test
    void whatThatCostIsEarnedAgainAsAllElse() {
        upstream.tick(now);
        waiting(2000, 5);
        for (int i = 0; i < 2000; i++) {
            assertThat(budget.tryTake()).isTrue();
        }
        assertThat(budget.left()).isZero();
        waiting(2000, 3);
        assertThat(budget.left()).isEqualTo(3 * 400);
        waiting(2000, 3);
        assertThat(budget.left()).isEqualTo(2000);
    }

    /** They hang: what is in flight then is an outage. */
    @Test
    void nothingIsGivenForRequestsThatPileUp() {
        load(100, 10 * SECOND, false);
        for (int i = 0; i < 2000; i++) {
            tally.began();
            tally.firstTried();
        }
        while (budget.tryTake()) {
            // They are sent once more.
        }
        load(0, 10 * SECOND, false);
        assertThat(budget.left()).isEqualTo(15);
    }

    @Test
    void nothingIsGivenWhereManyFail() {
        upstream.tick(now);
        for (int i = 0; i < 10; i++) {
            fail(101);
            waiting(2000, 1);
        }
        // A quarter of what a second has earned.
        assertThat(budget.left()).isLessThanOrEqualTo(1000);
        fail(100);
        waiting(2000, 1);
        assertThat(budget.left()).isGreaterThan(1900);
    }

    private void fail(int requests) {
        for (int i = 0; i < requests; i++) {
            tally.failed();
        }
    }

    /** WebSockets, streams of gRPC, long downloads: they can't be sent again. */
    @Test
    void whatHasItsAnswerDoesNotCount() {
        upstream.tick(now);
        for (int i = 0; i < 10_000; i++) {
            tally.began();
            tally.firstTried();
            tally.answered(TICK / 1000, now);
        }
        now += TICK;
        upstream.tick(now);
        load(0, 5 * SECOND, false);
        assertThat(budget.left()).isEqualTo(15);
    }

    @Test
    void whatNoLongerWaitsHasNothingLeft() {
        waiting(2000, 20);
        load(100, 5 * SECOND, false);
        assertThat(budget.left()).isEqualTo(15);
    }

    @Test
    void whereTheShareIsZeroThereIsTheLeastAlone() {
        RetryBudget least = new RetryBudget(0, 3);
        least.earn(new Demand(2000, 2000, 0, 2000 * TICK, TICK));
        assertThat(least.left()).isEqualTo(15);
    }

    /** What a busy time has saved is gone when it is over: it would multiply an outage of few requests. */
    @Test
    void aQuarterOfASecondIsSaved() {
        load(1000, 30 * SECOND, false);
        assertThat(budget.left()).isBetween(47L, 50L);
        load(40, 10 * SECOND, false);
        assertThat(budget.left()).isEqualTo(15);
    }

    @Test
    void onceItIsSpentOneOfThoseThatWaitLooksFourTimesASecond() {
        long begun = System.nanoTime();
        while (budget.left() > 0) {
            assertThat(budget.trySeek(begun)).isTrue();
        }
        int sought = 0;
        for (int millis = 0; millis < 1000; millis += 10) {
            sought += budget.trySeek(begun + TimeUnit.MILLISECONDS.toNanos(millis)) ? 1 : 0;
        }
        assertThat(sought).isBetween(3, 4);
        assertThat(budget.refusedCount()).isZero();
    }
}
