package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.oooops.sigma.Allocation;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.testkit.ManualClock;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Several processes, by a clock that the test moves. */
class SharedLimitTest {
    private static final long SECOND = 1_000_000_000L;
    private final ManualClock clock = ManualClock.startingAt(Duration.ofDays(2).toNanos());
    private final RedisOfTest redis = new RedisOfTest(clock);

    private Sharer sharer(SharedLimit.Terms terms) {
        return new Sharer(clock, redis, terms);
    }

    private static SharedLimit.Terms terms(Rate rate, long lease, long credit) {
        return new SharedLimit.Terms("r", "test", List.of(rate), 1, lease, credit, 1000);
    }

    private static Rate hundredAnHour() {
        return Rate.of("1h", 100, Duration.ofHours(1), 100).inSteps(LeaseScript.UNIT_NANOS);
    }

    private List<Sharer> sharers(int count, SharedLimit.Terms terms) {
        List<Sharer> all = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            all.add(sharer(terms));
        }
        return all;
    }

    /** Where each answer is there before the next request, the limit is exact. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 5})
    void whoIsAnsweredInTimeGetsAsManyAsThereAre(int count) {
        List<Sharer> all = sharers(count, terms(hundredAnHour(), 10, 1));
        int passed = 0;
        for (int i = 0; i < 300; i++) {
            passed += all.get(i % count).passed(1);
        }
        assertThat(passed).isEqualTo(100);
    }

    /** The bound that the guide tells, and that it is reached: a bucket that is empty, and processes that don't know it yet. */
    @ParameterizedTest
    @CsvSource({"1, 10", "2, 10", "3, 1", "7, 4"})
    void theyExceedTheLimitByTheirCreditsAndNoMore(int count, int credit) {
        SharedLimit.Terms terms = terms(hundredAnHour(), 10, credit);
        Sharer first = sharer(terms);
        int passed = first.passed(300);
        assertThat(passed).isEqualTo(100);
        List<Sharer> all = sharers(count, terms);
        for (int i = 0; i < 50; i++) {
            for (Sharer each : all) {
                passed += each.take(1) == 0 ? 1 : 0;
            }
        }
        assertThat(passed).isEqualTo(100 + count * credit);
        for (Sharer each : all) {
            each.line.settle();
            passed += each.passed(50);
        }
        assertThat(passed).isEqualTo(100 + count * credit);
        // What was too many isn't there later: who was told last knows how long it is until one more passes.
        clock.advance(Duration.ofSeconds(36L * count * credit));
        assertThat(all.getLast().passed(50)).isZero();
        clock.advance(Duration.ofSeconds(37));
        assertThat(all.getLast().passed(50)).isEqualTo(1);
    }

    /** Whatever happens in whatever order: at no time has more passed than the limit and all credits. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
    void theBoundHoldsWhateverHappens(long seed) {
        Random random = new Random(seed);
        int count = 1 + random.nextInt(4);
        long credit = 1L + random.nextInt(5);
        long burst = credit + random.nextInt(30);
        Rate rate = Rate.of("1s", 1L + random.nextInt(50), Duration.ofSeconds(1), burst)
                .inSteps(LeaseScript.UNIT_NANOS);
        List<Sharer> all = sharers(count, terms(rate, 1L + random.nextInt((int) burst), credit));
        double level = 0;
        double most = 0;
        long passed = 0;
        long then = clock.getAsLong();
        int busyUntil = 0;
        for (int i = 0; i < 20_000; i++) {
            long now = clock.getAsLong();
            level = Math.max(0, level - (double) (now - then) / rate.tokenNanos());
            then = now;
            Sharer one = all.get(random.nextInt(count));
            switch (random.nextInt(i < busyUntil ? 4 : 9)) {
                case 0, 1 -> {
                    if (one.take(1) == 0) {
                        level++;
                        passed++;
                    }
                }
                case 2 -> one.line.reach();
                case 3 -> one.line.come();
                case 4 -> clock.advance(Duration.ofNanos(random.nextLong(rate.tokenNanos() * 2)));
                case 5 -> one.line.settle();
                case 6 -> busyUntil = i + random.nextInt(200);
                case 7 -> one.key(1).giveBack(now);
                default -> {
                    if (random.nextInt(200) == 0) {
                        clock.advance(Duration.ofNanos(random.nextLong(rate.bucketNanos() * 2)));
                    }
                }
            }
            most = Math.max(most, level);
        }
        assertThat(most).isLessThanOrEqualTo((double) (burst + count * credit) + 0.001);
        assertThat(passed).isGreaterThan(burst);
    }

    /** What nobody uses is there for others soon, though the bucket would take long to be full again. */
    @Test
    void whatLiesHereIdleIsGivenBack() {
        SharedLimit.Terms terms = terms(hundredAnHour(), 40, 1);
        Sharer idle = sharer(terms);
        for (int i = 0; i < 20; i++) {
            idle.take(1);
            idle.line.settle();
            clock.advance(Duration.ofMillis(1));
        }
        long asked = idle.line.askedCount();
        idle.look();
        idle.take(1);
        idle.look();
        assertThat(idle.line.askedCount()).as("what is used").isEqualTo(asked);
        idle.look();
        assertThat(sharer(terms).passed(200)).isEqualTo(79);
        assertThat(idle.later).isEmpty();
    }

    /** It was told that the bucket has none, and has given some back since. */
    @Test
    void whoGaveBackIsLetInAtOnce() {
        assertThat(sharer(terms(hundredAnHour(), 1, 1)).passed(60))
                .as("and one that lies there")
                .isEqualTo(60);
        SharedLimit.Terms terms = terms(hundredAnHour(), 40, 1);
        Sharer last = sharer(terms);
        for (int i = 0; i < 20; i++) {
            last.take(1);
            last.line.settle();
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(last.key(1).giveBack(clock.getAsLong())).isTrue();
        last.line.settle();
        assertThat(last.passed(50)).isEqualTo(100 - 60 - 1 - 20);
    }

    /** What others took since would be there sooner than they were told, and would be given once more. */
    @Test
    void whatOthersTookSinceKeepsItsPlace() {
        SharedLimit.Terms terms = terms(hundredAnHour(), 20, 1);
        for (int tokens = 1; tokens < 100; tokens++) {
            redis.forget();
            Sharer first = sharer(terms);
            Sharer behind = sharer(terms);
            for (int i = 0; i < 24; i++) {
                Sharer each = i < 12 ? first : behind;
                each.take(1);
                each.line.settle();
                clock.advance(Duration.ofMillis(1));
            }
            assertThat(first.key(1).giveBack(clock.getAsLong())).isTrue();
            first.line.settle();
            clock.advance(Duration.ofSeconds(36L * tokens));
            assertThat(sharer(terms).passed(200) + behind.passed(200)).isLessThanOrEqualTo(100);
        }
    }

    /** Who ends gives back what he has. */
    @Test
    void whoEndsGivesBack() {
        SharedLimit.Terms terms = terms(hundredAnHour(), 40, 1);
        Sharer ending = sharer(terms);
        for (int i = 0; i < 20; i++) {
            ending.take(1);
            ending.line.settle();
            clock.advance(Duration.ofMillis(1));
        }
        ending.limit.leave();
        ending.line.settle();
        assertThat(sharer(terms).passed(200)).isEqualTo(80);
    }

    /** What lies here unused is there again for others when it would have been anyway, and may not be used after. */
    @Test
    void leasesExpireAsTheBucketFills() {
        Rate rate = Rate.of("1s", 10, Duration.ofSeconds(1), 100).inSteps(LeaseScript.UNIT_NANOS);
        Sharer holder = sharer(terms(rate, 50, 1));
        assertThat(holder.passed(1)).isEqualTo(1);
        Lease lease = new Lease(new Rate[] {rate}, 10, new long[] {clock.getAsLong() + SECOND}, List.of());
        assertThat(lease.left(clock.getAsLong())).isEqualTo(10);
        clock.advance(Duration.ofMillis(250));
        assertThat(lease.left(clock.getAsLong())).isEqualTo(8);
        assertThat(lease.take(8, clock.getAsLong())).isTrue();
        assertThat(lease.take(1, clock.getAsLong())).isFalse();
        Lease other = new Lease(new Rate[] {rate}, 10, new long[] {clock.getAsLong() + SECOND}, List.of());
        clock.advance(Duration.ofSeconds(1));
        assertThat(other.take(1, clock.getAsLong())).isFalse();
    }

    /** Redis is asked less often than requests come, and once a second for those that are refused. */
    @Test
    void fewQuestionsAreAsked() {
        Rate rate = Rate.of("1m", 10_000, Duration.ofMinutes(1), 10_000).inSteps(LeaseScript.UNIT_NANOS);
        Sharer one = sharer(terms(rate, 1000, 100));
        for (int i = 0; i < 5000; i++) {
            assertThat(one.take(1)).isZero();
            one.line.settle();
            clock.advance(Duration.ofMillis(1));
        }
        assertThat(one.line.askedCount()).isLessThan(50);
        Sharer hungry = sharer(terms(hundredAnHour(), 10, 1));
        hungry.passed(200);
        long asked = hungry.line.askedCount();
        hungry.passed(1000);
        assertThat(hungry.line.askedCount()).isEqualTo(asked);
        clock.advance(Duration.ofSeconds(1));
        hungry.passed(1000);
        assertThat(hungry.line.askedCount()).isEqualTo(asked + 1);
    }

    /** Else requests of a key that has nothing would be refused for as long as Redis had said, whatever is to be done without it. */
    @Test
    void aRedisThatIsGoneIsNoticedByAKeyThatIsEmpty() {
        Sharer one = sharer(terms(hundredAnHour(), 10, 1));
        assertThat(one.passed(200)).isEqualTo(100);
        one.line.lose(true);
        assertThat(one.passed(5)).isZero();
        assertThat(one.limit.isLost()).isFalse();

        clock.advance(Duration.ofSeconds(1));
        assertThat(one.passed(1)).isZero();

        assertThat(one.limit.isLost()).isTrue();
    }

    @Test
    void aRedisThatBeginsAnewHasWholeBucketsWithinASecond() {
        Sharer one = sharer(terms(hundredAnHour(), 10, 1));
        assertThat(one.passed(200)).isEqualTo(100);
        redis.forget();
        assertThat(one.passed(5)).isZero();

        clock.advance(Duration.ofSeconds(1));

        assertThat(one.passed(1)).isZero();
        assertThat(one.passed(200)).isEqualTo(100);
    }

    /** While Redis is lost it is asked for one key in a while. What was owed is taken when it is back. */
    @Test
    void debtsArePaidWhenRedisIsBack() {
        Sharer one = sharer(terms(hundredAnHour(), 10, 5));
        one.line.lose(true);
        assertThat(one.take(1)).isZero();
        assertThat(one.limit.isLost()).isTrue();
        assertThat(one.failures).isEqualTo(1);
        assertThat(one.limit.isProbeDue(clock.getAsLong())).isFalse();
        clock.advance(Duration.ofMillis(100));
        assertThat(one.limit.isProbeDue(clock.getAsLong())).isTrue();
        assertThat(one.limit.isProbeDue(clock.getAsLong())).isFalse();
        one.line.lose(false);
        one.key(1).probe(clock.getAsLong());
        one.line.settle();
        assertThat(one.limit.isLost()).isFalse();
        assertThat(one.passed(200)).isEqualTo(99);
    }

    /** A key that has nothing to say is forgotten, one that owes or waits isn't. */
    @Test
    void keysAreForgottenWhenTheyAreFull() {
        Sharer one = sharer(terms(hundredAnHour(), 10, 5));
        one.take(1);
        SharedKey key = one.key(1);
        clock.advance(Duration.ofMinutes(59));
        assertThat(key.forget(clock.getAsLong())).isFalse();
        one.line.settle();
        assertThat(key.forget(clock.getAsLong())).isFalse();
        clock.advance(Duration.ofHours(1));
        assertThat(key.forget(clock.getAsLong())).isTrue();
        assertThat(key.take(clock.getAsLong())).isEqualTo(SharedKey.FORGOTTEN);
        assertThat(one.take(1)).isZero();
        assertThat(one.key(1)).isNotSameAs(key);
    }

    @Test
    void keysTooManyAreOne() {
        SharedLimit.Terms few = new SharedLimit.Terms("r", "test", List.of(hundredAnHour()), 1, 10, 5, 10);
        Sharer one = sharer(few);
        int passed = 0;
        for (int i = 0; i < 500; i++) {
            passed += one.take(i) == 0 ? 1 : 0;
            one.line.settle();
        }
        assertThat(one.limit.count()).isEqualTo(10);
        assertThat(one.others).isEqualTo(490);
        assertThat(passed).isEqualTo(10 + 100);
    }

    /** What clients are told is what is left in all, as far as it is known. */
    @Test
    void whatIsLeftIsThatOfAll() {
        Sharer one = sharer(terms(hundredAnHour(), 10, 5));
        Sharer two = sharer(terms(hundredAnHour(), 10, 5));
        two.passed(40);
        one.passed(1);
        Rate[] rates = one.limit.rates();
        long left = one.key(1).left(rates, 0, clock.getAsLong());
        // What the other one holds is taken.
        assertThat(left).isBetween(44L, 59L);
    }

    /** A request costs several tokens, of several limits. */
    @Test
    void costsAreTakenWhole() {
        Rate small = Rate.of("1h", 50, Duration.ofHours(1), 50).inSteps(LeaseScript.UNIT_NANOS);
        SharedLimit.Terms three = new SharedLimit.Terms("r", "test", List.of(hundredAnHour(), small), 3, 9, 3, 10);
        Sharer one = sharer(three);
        Sharer two = sharer(three);
        int passed = 0;
        for (int i = 0; i < 100; i++) {
            passed += one.passed(1) + two.passed(1);
        }
        assertThat(passed).isEqualTo(16);
    }

    /** In the way of sigma.json: what can't be counted in Redis is refused. */
    @ParameterizedTest
    @CsvSource({
        "1, 1h, 10000, 'limits/0/burst: 10000 (expected: fewer: with \"shared\" they may take 400 days)'",
        "100, 1h, 100, ''"
    })
    void bucketsAreNotTooLarge(int requests, String per, int burst, String problem) throws Exception {
        Map<String, Object> settings = Map.of(
                "limits", List.of(Map.of("requests", requests, "per", per, "burst", burst)),
                "shared", Map.of("redis-id", "r", "name", "n"));
        RedisOfTest.Line line = redis.line();
        String found = "";
        try {
            new RateLimitFactory()
                    .create(Settings.of(settings), new TestContext().with(line))
                    .close();
            assertThat(line.isClosed()).isTrue();
        } catch (SettingsException e) {
            found = e.pointer().substring(1) + ": " + e.found() + " (expected: " + e.expected() + ")";
        }
        assertThat(found).isEqualTo(problem);
    }

    private static SharedRateLimit made(RedisOfTest.Line line, int status, int credit) {
        Map<String, Object> settings = Map.of(
                "limits",
                List.of(Map.of("requests", 100, "per", "1h")),
                "status",
                status,
                "fields",
                "off",
                "shared",
                Map.of("redis-id", "r", "name", "n", "credit", credit));
        return (SharedRateLimit) new RateLimitFactory().create(Settings.of(settings), new TestContext().with(line));
    }

    private static int passed(SharedRateLimit plugin, int tries) {
        int passed = 0;
        for (int i = 0; i < tries; i++) {
            passed += plugin.onRequest(TestExchange.of("GET", "/")) == Outcome.CONTINUE ? 1 : 0;
        }
        return passed;
    }

    /** A reload leaves what was given on credit given, and the Redis open that is used. One that comes to nothing leaves all as it was. */
    @Test
    void aReloadGivesNoCreditAnew() {
        RedisOfTest.Line first = redis.line();
        SharedRateLimit before = made(first, 429, 5);
        assertThat(passed(before, 20)).isEqualTo(5);
        RedisOfTest.Line second = redis.line();
        SharedRateLimit refused = made(second, 503, 5);
        refused.takeOver(before);
        refused.close();
        assertThat(second.isClosed()).isTrue();
        assertThat(first.isClosed()).isFalse();
        SharedRateLimit after = made(redis.line(), 503, 5);
        after.takeOver(before);
        before.close();
        assertThat(first.isClosed()).isFalse();
        assertThat(passed(after, 20)).isZero();
        first.settle();
        assertThat(passed(after, 1)).isEqualTo(1);
        RedisOfTest.Line third = redis.line();
        SharedRateLimit other = made(third, 503, 6);
        other.takeOver(after);
        after.close();
        assertThat(first.isClosed()).isTrue();
        assertThat(third.isClosed()).isFalse();
        assertThat(passed(other, 20)).isEqualTo(6);
    }

    /** Who floods it with keys gets round nothing, and has nobody refused: each process limits by itself then, whatever on-failure says. */
    @ParameterizedTest
    @CsvSource({"pass, 100", "refuse, 100", "local, 100"})
    void whoAsksForTooMuchDecidesNothing(String then, int expected) {
        RedisOfTest.Line line = redis.line();
        line.crowd();
        Map<String, Object> settings = Map.of(
                "limits", List.of(Map.of("requests", 100, "per", "1h")),
                "shared", Map.of("redis-id", "r", "name", "n", "credit", 1, "on-failure", then));
        SharedRateLimit plugin =
                (SharedRateLimit) new RateLimitFactory().create(Settings.of(settings), new TestContext().with(line));
        // The first one is let in on credit, and finds it out; that counts, too.
        assertThat(passed(plugin, 300)).isEqualTo(expected);
    }

    /** Where something is held, a request makes nothing. */
    @Test
    void whatIsHeldIsGivenWithoutAllocating() {
        Rate rate = Rate.of("1s", 1_000_000, Duration.ofSeconds(1), 1_000_000).inSteps(LeaseScript.UNIT_NANOS);
        Lease lease = new Lease(new Rate[] {rate}, 1_000_000, new long[] {clock.getAsLong() + SECOND}, List.of());
        assertThat(Allocation.bytes(() -> lease.take(1, clock.getAsLong()))).isZero();
        assertThat(lease.left(clock.getAsLong())).isEqualTo(960_000);
        Sharer refused = sharer(terms(hundredAnHour(), 10, 1));
        refused.passed(200);
        ShortKey key = new ShortKey(1, 1);
        long[] passed = {0};
        assertThat(Allocation.bytes(() -> {
                    SharedKey there = refused.limit.find(key);
                    passed[0] += there == null || there.take(clock.getAsLong()) == 0 ? 1 : 0;
                }))
                .isZero();
        assertThat(passed[0]).isZero();
    }

    @Test
    void theLastUserClosesRedis() {
        Sharer one = sharer(terms(hundredAnHour(), 10, 5));
        SharedLimit shared = one.limit.share();
        one.limit.leave();
        assertThat(one.line.isClosed()).isFalse();
        shared.leave();
        assertThat(one.line.isClosed()).isTrue();
    }
}
