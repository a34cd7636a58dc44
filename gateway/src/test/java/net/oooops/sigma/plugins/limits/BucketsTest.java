package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.Allocation;
import net.oooops.sigma.testkit.ManualClock;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BucketsTest {
    private static final int KEYS = 1000;

    private final TestContext context = new TestContext();
    private final ManualClock clock = ManualClock.startingAt(Long.MAX_VALUE - 1000);

    private Buckets buckets(int keysMax, Rate... rates) {
        Buckets.Shared shared = new Buckets.Shared("test", "keys", context.counter("shared", "Test."));
        return new Buckets(clock, List.of(rates), keysMax, shared);
    }

    private static Rate rate(long tokens, Duration per, long burst) {
        return Rate.of(per.toString(), tokens, per, burst);
    }

    private static ShortKey key(long number) {
        return new ShortKey(number * 0x9E3779B97F4A7C15L, number);
    }

    private static int taken(Buckets buckets, ShortKey key, int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += buckets.take(key, 1) == 0 ? 1 : 0;
        }
        return taken;
    }

    /** A bucket as it is told to children: tokens fall into it one by one, in parts of a nanosecond's work, and never more than it holds. */
    private static final class Model {
        private final Rate rate;
        private BigInteger parts;

        Model(Rate rate) {
            this.rate = rate;
            this.parts = size();
        }

        private BigInteger size() {
            return BigInteger.valueOf(rate.burst()).multiply(BigInteger.valueOf(rate.tokenNanos()));
        }

        private BigInteger cost(long tokens) {
            return BigInteger.valueOf(rate.tokenNanos()).multiply(BigInteger.valueOf(tokens));
        }

        void pass(long nanos) {
            parts = parts.add(BigInteger.valueOf(nanos)).min(size());
        }

        boolean has(long tokens) {
            return parts.compareTo(cost(tokens)) >= 0;
        }

        void take(long tokens) {
            parts = parts.subtract(cost(tokens));
        }

        long missingNanos(long tokens) {
            return cost(tokens).subtract(parts).max(BigInteger.ZERO).longValueExact();
        }

        long left() {
            return parts.divide(BigInteger.valueOf(rate.tokenNanos())).longValueExact();
        }
    }

    /** With one to four rates, costs and steps of time as they come, over the overflow of the clock. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20})
    void itDecidesAsTheModelDoes(long seed) {
        Random random = new Random(seed);
        Rate[] rates = new Rate[1 + random.nextInt(4)];
        Model[] models = new Model[rates.length];
        for (int i = 0; i < rates.length; i++) {
            Duration per = Duration.ofMillis(random.nextLong(1, 100_000));
            rates[i] = rate(random.nextLong(1, 1000), per, random.nextLong(5, 100));
            models[i] = new Model(rates[i]);
        }
        Buckets buckets = buckets(KEYS, rates);
        int passed = 0;
        for (int step = 0; step < 5000; step++) {
            long nanos = random.nextInt(4) == 0 ? random.nextLong(1L << (1 + random.nextInt(29))) : 0;
            clock.advance(Duration.ofNanos(nanos));
            long tokens = random.nextLong(1, 6);
            boolean all = true;
            long missing = 0;
            for (Model model : models) {
                model.pass(nanos);
                all &= model.has(tokens);
                missing = Math.max(missing, model.missingNanos(tokens));
            }
            assertThat(buckets.take(key(1), tokens)).as("step %d", step).isEqualTo(missing);
            passed += all ? 1 : 0;
            for (int i = 0; i < models.length; i++) {
                if (all) {
                    models[i].take(tokens);
                }
                assertThat(buckets.of(key(1)).left(rates, i, clock.getAsLong())).isEqualTo(models[i].left());
            }
        }
        assertThat(passed).isPositive().isLessThan(5000);
    }

    @Test
    void aRateIsNeverExceededByRounding() {
        Rate third = rate(3, Duration.ofSeconds(1), 1);
        assertThat(third.tokenNanos() * 3).isGreaterThanOrEqualTo(1_000_000_000);
    }

    @Test
    void whatOneLimitRefusesTakesNothingOfAnother() {
        Rate second = rate(2, Duration.ofSeconds(1), 2);
        Rate hour = rate(10, Duration.ofHours(1), 10);
        Buckets buckets = buckets(KEYS, second, hour);
        assertThat(taken(buckets, key(1), 1000)).isEqualTo(2);
        assertThat(buckets.of(key(1)).left(buckets.rates(), 1, clock.getAsLong()))
                .isEqualTo(8);
        for (int i = 0; i < 4; i++) {
            clock.advance(Duration.ofSeconds(1));
            assertThat(taken(buckets, key(1), 1000)).isEqualTo(2);
        }
        clock.advance(Duration.ofSeconds(1));
        assertThat(taken(buckets, key(1), 1000)).as("ten in all").isZero();
    }

    /** Those who know nothing yet, and have both to make the bucket and to take of it. */
    @RepeatedTest(5)
    void threadsAtOnceGetWhatThereIsAndNoMore() throws Exception {
        Buckets one = buckets(KEYS, rate(1000, Duration.ofHours(1), 1000));
        Buckets several = buckets(
                KEYS,
                rate(1000, Duration.ofHours(1), 1000),
                rate(1, Duration.ofHours(2), 777),
                rate(3, Duration.ofHours(3), 5000));
        assertThat(takenAtOnce(one, 4, 1000)).isEqualTo(1000);
        assertThat(takenAtOnce(several, 4, 1000)).isEqualTo(777);
        Bucket bucket = several.of(key(1));
        assertThat(bucket.left(several.rates(), 0, clock.getAsLong())).isEqualTo(1000 - 777);
        assertThat(bucket.left(several.rates(), 2, clock.getAsLong())).isEqualTo(5000 - 777);
    }

    /** With the clock going on: no more than the bucket and what came into it, and no less. */
    @Test
    void norMoreWhileTokensCome() throws Exception {
        Rate rate = rate(1, Duration.ofNanos(1000), 100);
        AtomicInteger taken = new AtomicInteger();
        Buckets buckets = buckets(KEYS, rate, rate(1, Duration.ofHours(1), 100_000));
        CountDownLatch done = new CountDownLatch(3);
        for (int i = 0; i < 3; i++) {
            Thread.ofPlatform().start(() -> {
                for (int j = 0; j < 20_000; j++) {
                    taken.addAndGet(buckets.take(key(1), 1) == 0 ? 1 : 0);
                    clock.advance(Duration.ofNanos(7));
                }
                done.countDown();
            });
        }
        done.await();
        int came = 3 * 20_000 * 7 / 1000;
        assertThat(taken.get() + taken(buckets, key(1), 1000)).isBetween(came, 100 + came);
    }

    private static int takenAtOnce(Buckets buckets, int threads, int tries) throws InterruptedException {
        AtomicInteger taken = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(threads);
        for (int i = 0; i < threads; i++) {
            Thread.ofPlatform().start(() -> {
                taken.addAndGet(taken(buckets, key(1), tries));
                done.countDown();
            });
        }
        done.await();
        return taken.get();
    }

    /** Who has come before keeps its bucket while others fill the table, whether it has tokens left or had all of them again. */
    @Test
    void whoIsKnownIsNotDrivenOut() {
        Buckets buckets = buckets(KEYS, rate(10, Duration.ofSeconds(1), 10));
        taken(buckets, key(-1), 1);
        clock.advance(Duration.ofSeconds(2));
        taken(buckets, key(-1), 1);
        clock.advance(Duration.ofSeconds(2));
        int others = 0;
        for (int i = 0; i < 10 * KEYS; i++) {
            others += taken(buckets, key(i), 1);
            assertThat(buckets.count()).isLessThanOrEqualTo(KEYS);
        }
        assertThat(others).as("each of its own, and those of one bucket more").isEqualTo(KEYS - 1 + 10);
        assertThat(context.count("shared")).isEqualTo(9L * KEYS + 1);
        assertThat(taken(buckets, key(-1), 100)).isEqualTo(10);
        assertThat(taken(buckets, key(5 * KEYS), 1)).as("one who is new").isZero();
    }

    /** Whoever has come again with as many keys as there is room for, and needs a request of each in a minute to stay. */
    @Test
    void whoIsKnownWithAllKeysDoesNotKeepOutWhoIsNew() {
        Rate[] one = {rate(10, Duration.ofSeconds(1), 10)};
        Rate[] two = {rate(10, Duration.ofSeconds(1), 10), rate(100, Duration.ofSeconds(10), 100)};
        for (Rate[] rates : List.of(one, two)) {
            Buckets buckets = buckets(KEYS, rates);
            for (int round = 0; round < 3; round++) {
                for (int i = 0; i < KEYS; i++) {
                    taken(buckets, key(i), 1);
                }
                clock.advance(Duration.ofSeconds(2));
            }
            assertThat(buckets.count()).isEqualTo(KEYS);
            for (int i = 0; i < KEYS / 4; i++) {
                assertThat(taken(buckets, key(-1 - i), 20)).isEqualTo(10);
            }
            assertThat(context.count("shared")).isZero();
            assertThat(buckets.count()).isLessThanOrEqualTo(KEYS);
        }
    }

    /** Its bucket isn't kept for ever. */
    @Test
    void roomIsMadeOfWhatIsFullAgain() {
        Buckets buckets = buckets(KEYS, rate(10, Duration.ofSeconds(1), 10), rate(10, Duration.ofSeconds(2), 10));
        for (int round = 0; round < 5; round++) {
            for (int i = 0; i < KEYS; i++) {
                assertThat(taken(buckets, key(1000L * round * KEYS + i), 20)).isEqualTo(10);
            }
            clock.advance(Duration.ofSeconds(2));
        }
        assertThat(context.count("shared")).isZero();
        assertThat(buckets.count()).isLessThanOrEqualTo(KEYS);
    }

    /** Nobody finds the table full because another sweeps it. */
    @Test
    void manyNewOnesAtOnceNeedNoSharedBucket() throws Exception {
        Buckets buckets = buckets(KEYS, rate(1, Duration.ofNanos(1000), 1));
        CountDownLatch done = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            long from = 1_000_000L * i;
            Thread.ofPlatform().start(() -> {
                for (int j = 0; j < 20_000; j++) {
                    buckets.take(key(from + j), 1);
                    clock.advance(Duration.ofNanos(500));
                }
                done.countDown();
            });
        }
        done.await();
        assertThat(context.count("shared")).isZero();
        assertThat(buckets.count()).isLessThanOrEqualTo(KEYS + 4);
    }

    @Test
    void otherLimitsKnowWhatWasTakenByTheirTime() {
        Buckets before = buckets(KEYS, rate(10, Duration.ofSeconds(1), 10), rate(100, Duration.ofHours(1), 100));
        assertThat(taken(before, key(1), 6)).isEqualTo(6);
        clock.advance(Duration.ofSeconds(1));
        assertThat(taken(before, key(1), 4)).isEqualTo(4);

        Rate[] rates = {
            rate(200, Duration.ofHours(1), 200),
            rate(20, Duration.ofSeconds(1), 20),
            rate(50, Duration.ofMinutes(1), 50)
        };
        Buckets after = buckets(KEYS, rates);
        after.takeOver(before);

        Bucket bucket = after.of(key(1));
        long now = clock.getAsLong();
        assertThat(bucket.left(rates, 0, now)).isEqualTo(190);
        assertThat(bucket.left(rates, 1, now)).isEqualTo(16);
        assertThat(bucket.left(rates, 2, now)).as("as in the second").isEqualTo(46);
        assertThat(taken(after, key(2), 100)).isEqualTo(20);
    }

    @Test
    void takingAllocatesNothingOrOneArray() {
        Buckets one = buckets(KEYS, rate(1_000_000, Duration.ofSeconds(1), 1_000_000));
        Buckets several = buckets(
                KEYS,
                rate(1_000_000, Duration.ofSeconds(1), 1_000_000),
                rate(1_000_000, Duration.ofSeconds(2), 1_000_000));
        ShortKey key = key(1);
        assertThat(Allocation.bytes(() -> one.take(key, 1))).isZero();
        assertThat(Allocation.bytes(() -> several.take(key, 1))).isLessThanOrEqualTo(32);
        taken(one, key, 1_000_000);
        assertThat(Allocation.bytes(() -> one.take(key, 1))).isZero();
    }
}
