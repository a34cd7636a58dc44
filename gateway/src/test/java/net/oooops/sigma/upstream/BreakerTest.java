package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.upstream.Breaker.Admission;
import org.junit.jupiter.api.Test;

class BreakerTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private static final int NONE = BreakerConfig.NONE;

    /** For breakers that don't open. */
    private static final Admission ANY = Admission.passed();

    private long now = SECOND;

    private static boolean passed(Admission admission) {
        return admission.fault() == null && !admission.isTrial();
    }

    private static boolean trial(Admission admission) {
        return admission.fault() == null && admission.isTrial();
    }

    private static boolean full(Admission admission) {
        return admission.fault() == Fault.BREAKER_FULL;
    }

    private static boolean limited(Admission admission) {
        return admission.fault() == Fault.BREAKER_LIMITED;
    }

    private static boolean open(Admission admission) {
        return admission.fault() == Fault.BREAKER_OPEN;
    }

    private static Breaker bounded(int requests, int retries) {
        return new Breaker("u", config(requests, retries, 0, BreakerConfig.Adaptive.DEFAULT));
    }

    /** Opens at half of 10 requests or more in 10 s, for 5 s, and tries out with 2. */
    private static Breaker byErrors(int requests) {
        return new Breaker("u", config(requests, NONE, 50, BreakerConfig.Adaptive.DEFAULT));
    }

    private static BreakerConfig config(int requests, int retries, int percent, BreakerConfig.Adaptive adaptive) {
        return new BreakerConfig(NONE, NONE, requests, retries, percent, 10 * SECOND, 10, 5 * SECOND, 2, adaptive);
    }

    private void pass(Breaker breaker, long nanos) {
        now += nanos;
        breaker.tick(now);
    }

    private void requests(Breaker breaker, int count, boolean failed) {
        for (int i = 0; i < count; i++) {
            Admission admission = breaker.admit();
            assertThat(admission.fault()).isNull();
            breaker.judged(admission, failed, SECOND, now);
            breaker.ended(admission, true, true);
        }
    }

    private Breaker opened() {
        Breaker breaker = byErrors(NONE);
        pass(breaker, 0);
        requests(breaker, 10, true);
        pass(breaker, SECOND / 10);
        assertThat(breaker.admit()).matches(BreakerTest::open);
        return breaker;
    }

    @Test
    void whereNothingIsConfiguredThereIsNone() {
        assertThat(BreakerConfig.DEFAULT.isOff()).isTrue();
        assertThat(config(1, NONE, 0, BreakerConfig.Adaptive.DEFAULT).isOff()).isFalse();
        assertThat(config(NONE, 0, 0, BreakerConfig.Adaptive.DEFAULT).isOff()).isFalse();
        assertThat(config(NONE, NONE, 1, BreakerConfig.Adaptive.DEFAULT).isOff())
                .isFalse();
        assertThat(config(NONE, NONE, 0, new BreakerConfig.Adaptive(true, 1, 2, 150))
                        .isOff())
                .isFalse();
    }

    @Test
    void requestsAndRetriesInFlightAreBounded() {
        Breaker breaker = bounded(2, 1);
        Admission one = breaker.admit();
        assertThat(one).matches(BreakerTest::passed);
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        assertThat(breaker.admit()).matches(BreakerTest::full);
        breaker.ended(one, false, true);
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        assertThat(breaker.requestCount()).isEqualTo(2);
        assertThat(breaker.allowsRetry()).isTrue();
        assertThat(breaker.tryRetry()).isTrue();
        assertThat(breaker.allowsRetry()).isFalse();
        assertThat(breaker.refusedCount(Breaker.Limit.RETRIES)).as("only asked").isZero();
        assertThat(breaker.tryRetry()).isFalse();
        breaker.endRetry();
        assertThat(breaker.tryRetry()).isTrue();
    }

    @Test
    void fewRequestsOrFewFailuresDontOpen() {
        Breaker breaker = byErrors(NONE);
        pass(breaker, 0);
        requests(breaker, 9, true);
        pass(breaker, SECOND);
        assertThat(breaker.isOpen()).isFalse();
        requests(breaker, 10, false);
        pass(breaker, SECOND);
        assertThat(breaker.isOpen()).isFalse();
        requests(breaker, 1, true);
        pass(breaker, SECOND);
        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.openingCount()).isEqualTo(1);
    }

    @Test
    void whatIsLongerAgoDoesntCount() {
        Breaker breaker = byErrors(NONE);
        pass(breaker, 0);
        requests(breaker, 9, true);
        pass(breaker, 0);
        for (int i = 0; i < 11; i++) {
            pass(breaker, SECOND);
        }
        requests(breaker, 9, true);
        pass(breaker, SECOND);
        assertThat(breaker.isOpen()).isFalse();
        pass(breaker, 1000 * SECOND);
        requests(breaker, 9, true);
        pass(breaker, SECOND);
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void itOpensOnAFailureAlone() {
        Breaker breaker = byErrors(NONE);
        pass(breaker, 0);
        requests(breaker, 60, false);
        pass(breaker, SECOND / 10);
        pass(breaker, 4 * SECOND);
        requests(breaker, 40, true);
        // 40 of 100, then all is well again.
        for (int i = 0; i < 40; i++) {
            pass(breaker, SECOND / 4);
            requests(breaker, 1, false);
            assertThat(breaker.isOpen()).isFalse();
        }
        requests(breaker, 40, true);
        pass(breaker, SECOND / 10);
        assertThat(breaker.isOpen()).isTrue();
    }

    @Test
    void openItRefusesAndSaysForHowLong() {
        Breaker breaker = opened();
        assertThat(breaker.waitSeconds(now)).isEqualTo(5);
        assertThat(breaker.waitSeconds(now + 3 * SECOND + SECOND / 2)).isEqualTo(2);
        assertThat(breaker.tryRetry()).isFalse();
        pass(breaker, 4 * SECOND);
        assertThat(breaker.admit()).matches(BreakerTest::open);
    }

    @Test
    void itClosesWhenAllTrialsGoWell() {
        Breaker breaker = opened();
        pass(breaker, 5 * SECOND);
        Admission one = breaker.admit();
        Admission two = breaker.admit();
        assertThat(List.of(one, two)).allMatch(BreakerTest::trial);
        assertThat(breaker.admit()).matches(BreakerTest::open);
        // Its client went away: that says nothing, and another one tries.
        breaker.ended(one, false, true);
        Admission three = breaker.admit();
        assertThat(three).matches(BreakerTest::trial);
        breaker.judged(two, false, SECOND, now);
        breaker.ended(two, true, true);
        assertThat(breaker.isOpen()).isTrue();
        breaker.judged(three, false, SECOND, now);
        breaker.ended(three, true, true);
        assertThat(breaker.isOpen()).isFalse();
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        // What failed before is forgotten.
        requests(breaker, 1, true);
        pass(breaker, SECOND);
        assertThat(breaker.isOpen()).isFalse();
    }

    @Test
    void itOpensAgainWhenATrialFails() {
        Breaker breaker = opened();
        pass(breaker, 5 * SECOND);
        Admission trial = breaker.admit();
        breaker.judged(trial, true, SECOND, now);
        breaker.ended(trial, true, true);
        assertThat(breaker.admit()).matches(BreakerTest::open);
        assertThat(breaker.openingCount()).isEqualTo(2);
        pass(breaker, 4 * SECOND);
        assertThat(breaker.admit()).matches(BreakerTest::open);
        pass(breaker, SECOND);
        assertThat(breaker.admit()).matches(BreakerTest::trial);
    }

    /** A trial that hung, and fails or ends long after, when others try out how it is now. */
    @Test
    void aTrialOfAnEarlierTimeSaysNothing() {
        Breaker breaker = opened();
        pass(breaker, 5 * SECOND);
        Admission hangs = breaker.admit();
        Admission fails = breaker.admit();
        breaker.judged(fails, true, SECOND, now);
        breaker.ended(fails, true, true);
        pass(breaker, 6 * SECOND);
        Admission one = breaker.admit();
        assertThat(one).matches(BreakerTest::trial);
        breaker.judged(hangs, true, SECOND, now);
        assertThat(breaker.state()).isEqualTo("half-open");
        breaker.judged(hangs, false, SECOND, now);
        breaker.judged(one, false, SECOND, now);
        assertThat(breaker.state()).isEqualTo("half-open");
        breaker.ended(hangs, false, true);
        assertThat(breaker.admit()).matches(BreakerTest::trial);
        assertThat(breaker.admit()).as("two in all").matches(BreakerTest::open);
    }

    /** Those under way when it opened fail by their timeouts when it is closed again. */
    @Test
    void whatWasSentBeforeItOpenedSaysNothingOfHowItIsNow() {
        Breaker breaker = byErrors(NONE);
        pass(breaker, 0);
        List<Admission> hang = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            hang.add(breaker.admit());
        }
        requests(breaker, 10, true);
        pass(breaker, SECOND / 10);
        pass(breaker, 5 * SECOND);
        requests(breaker, 2, false);
        assertThat(breaker.isOpen()).isFalse();
        for (Admission each : hang) {
            breaker.judged(each, true, SECOND, now);
            breaker.ended(each, true, true);
        }
        pass(breaker, SECOND / 10);
        assertThat(breaker.isOpen()).isFalse();
    }

    /** Trials may wait for an answer for very long. */
    @Test
    void whereTrialsHangOthersTryItOut() {
        Breaker breaker = opened();
        pass(breaker, 5 * SECOND);
        Admission one = breaker.admit();
        breaker.admit();
        pass(breaker, 4 * SECOND);
        assertThat(breaker.admit()).matches(BreakerTest::open);
        pass(breaker, SECOND);
        requests(breaker, 1, false);
        assertThat(breaker.isOpen()).isTrue();
        breaker.judged(one, false, SECOND, now);
        assertThat(breaker.isOpen()).as("two went well").isFalse();
    }

    @Test
    void aTrialThatABoundRefusesIsLeftToAnother() {
        Breaker breaker = byErrors(1);
        pass(breaker, 0);
        Admission slow = breaker.admit();
        for (int i = 0; i < 10; i++) {
            breaker.judged(slow, true, SECOND, now);
        }
        pass(breaker, SECOND);
        pass(breaker, 5 * SECOND);
        assertThat(breaker.admit()).matches(BreakerTest::full);
        assertThat(breaker.admit()).matches(BreakerTest::full);
        assertThat(breaker.admit()).matches(BreakerTest::full);
        breaker.ended(slow, false, true);
        assertThat(breaker.admit()).matches(BreakerTest::trial);
    }

    /** So many tenths of a second in which all that may be in flight ends after so long. */
    private void windows(Breaker breaker, int count, boolean failed, long nanos) {
        for (int i = 0; i < count; i++) {
            int inFlight = breaker.limit();
            for (int j = 0; j < inFlight; j++) {
                Admission admission = breaker.admit();
                assertThat(admission).matches(BreakerTest::passed);
                breaker.judged(admission, failed, nanos, now);
            }
            pass(breaker, SECOND / 10);
            for (int j = 0; j < inFlight; j++) {
                breaker.ended(ANY, true, true);
            }
        }
    }

    /** A refused connection takes a hundredth of an answer's time. That isn't the least time that an answer takes. */
    @Test
    void failuresDontMoveTheLimitThatIsFound() {
        Breaker breaker = new Breaker("u", config(NONE, NONE, 0, new BreakerConfig.Adaptive(true, 5, 1000, 150)));
        pass(breaker, 0);
        windows(breaker, 20, false, SECOND / 100);
        int before = breaker.limit();
        assertThat(before).isGreaterThan(100);
        windows(breaker, 2, true, SECOND / 10_000);
        assertThat(breaker.limit()).isEqualTo(before);
        windows(breaker, 50, false, SECOND / 100);
        assertThat(breaker.limit()).isGreaterThan(before);
        before = breaker.limit();
        windows(breaker, 20, true, 10 * SECOND);
        assertThat(breaker.limit()).isEqualTo(before);
    }

    @Test
    void theLimitThatIsFoundBoundsRequests() {
        Breaker breaker = new Breaker("u", config(NONE, NONE, 0, new BreakerConfig.Adaptive(true, 2, 2, 150)));
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        assertThat(breaker.admit()).matches(BreakerTest::limited);
        assertThat(breaker.limit()).isEqualTo(2);
    }

    /** Else a few streams that flow for hours, such as events, would keep all others out. */
    @Test
    void whatFlowsDoesNotCountForTheLimitThatIsFound() {
        Breaker breaker = new Breaker("u", config(NONE, NONE, 0, new BreakerConfig.Adaptive(true, 2, 2, 150)));
        for (int i = 0; i < 20; i++) {
            Admission admission = breaker.admit();
            assertThat(admission).matches(BreakerTest::passed);
            breaker.judged(admission, false, SECOND, now);
            breaker.await(false);
        }
        assertThat(breaker.requestCount()).isEqualTo(20);
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        assertThat(breaker.admit()).matches(BreakerTest::limited);
        breaker.ended(ANY, true, false);
        assertThat(breaker.admit()).as("it counted no more").matches(BreakerTest::limited);
        breaker.ended(ANY, false, true);
        assertThat(breaker.admit()).matches(BreakerTest::passed);
    }

    @Test
    void aBoundThatIsWrittenCountsWhatFlows() {
        Breaker breaker = new Breaker("u", config(2, NONE, 0, new BreakerConfig.Adaptive(true, 1, 1, 150)));
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        breaker.await(false);
        assertThat(breaker.admit()).matches(BreakerTest::passed);
        assertThat(breaker.admit()).matches(BreakerTest::full);
        breaker.ended(ANY, true, false);
        assertThat(breaker.admit()).as("one waits").matches(BreakerTest::limited);
        assertThat(breaker.refusedCount(Breaker.Limit.REQUESTS)).isEqualTo(2);
        assertThat(breaker.requestCount()).as("what was refused").isEqualTo(1);
    }

    @Test
    void whatSaysNothingOfTheNodesMovesNothing() {
        Breaker breaker = new Breaker("u", config(NONE, NONE, 0, new BreakerConfig.Adaptive(true, 5, 1000, 150)));
        pass(breaker, 0);
        windows(breaker, 20, false, SECOND / 100);
        int before = breaker.limit();
        windows(breaker, 5, false, -1);
        assertThat(breaker.limit()).isEqualTo(before);
    }
}
