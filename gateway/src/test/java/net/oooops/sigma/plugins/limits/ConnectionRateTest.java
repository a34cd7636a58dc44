package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.SessionOutcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.testkit.ManualClock;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestSession;
import org.junit.jupiter.api.Test;

class ConnectionRateTest {
    private static final Duration TOKEN = Duration.ofMillis(100);

    private final ManualClock clock = ManualClock.startingAt(Long.MAX_VALUE - 1000);

    private Buckets buckets(int burst, int addressesMax) {
        return buckets(TOKEN, burst, addressesMax);
    }

    private Buckets buckets(Duration token, int burst, int addressesMax) {
        Buckets.Shared shared = new Buckets.Shared("test", "addresses", new TestContext().counter("shared", "Test."));
        return new Buckets(clock, List.of(Rate.of("a", 1, token, burst)), addressesMax, shared);
    }

    private static ShortKey client(int number) {
        return new ShortKey(0, number);
    }

    private static int taken(Buckets buckets, ShortKey client, int tries) {
        int taken = 0;
        for (int i = 0; i < tries; i++) {
            taken += buckets.take(client, 1) == 0 ? 1 : 0;
        }
        return taken;
    }

    @Test
    void aFullBucketIsABurstAndThenTokensComeOneByOne() {
        Buckets buckets = buckets(5, 10);
        assertThat(taken(buckets, client(1), 20)).isEqualTo(5);
        clock.advance(TOKEN.minusNanos(1));
        assertThat(buckets.take(client(1), 1)).isPositive();
        clock.advance(Duration.ofNanos(1));
        assertThat(taken(buckets, client(1), 5)).isEqualTo(1);
        clock.advance(TOKEN.multipliedBy(3));
        assertThat(taken(buckets, client(1), 20)).isEqualTo(3);
        clock.advance(Duration.ofHours(1));
        assertThat(taken(buckets, client(1), 20)).isEqualTo(5);
    }

    @Test
    void otherNumbersKnowWhatWasTaken() {
        Buckets before = buckets(10, 10);
        assertThat(taken(before, client(1), 20)).isEqualTo(10);
        assertThat(taken(before, client(2), 4)).isEqualTo(4);

        // Half as many tokens in a bucket, which come in half of the time.
        Buckets after = buckets(TOKEN.dividedBy(2), 5, 10);
        after.takeOver(before);

        assertThat(taken(after, client(1), 20)).as("all is taken").isZero();
        assertThat(taken(after, client(2), 20)).isEqualTo(1);
        assertThat(taken(after, client(3), 20)).isEqualTo(5);
        clock.advance(TOKEN);
        assertThat(taken(after, client(1), 20)).isEqualTo(2);
    }

    @Test
    void eachClientHasABucketOfItsOwn() {
        Buckets buckets = buckets(2, 10);
        assertThat(taken(buckets, client(1), 5)).isEqualTo(2);
        assertThat(taken(buckets, client(2), 5)).isEqualTo(2);
        assertThat(buckets.take(client(1), 1)).isPositive();
    }

    @Test
    void beyondTheMostAddressesNewOnesShareOneBucket() {
        Buckets buckets = buckets(2, 3);
        for (int i = 0; i < 3; i++) {
            assertThat(taken(buckets, client(i), 5)).isEqualTo(2);
        }
        assertThat(buckets.take(client(3), 1)).isZero();
        assertThat(buckets.take(client(4), 1)).isZero();
        assertThat(buckets.take(client(5), 1)).isPositive();
        assertThat(buckets.count()).isEqualTo(3);
        // Those who were there before are not the worse for it.
        clock.advance(TOKEN);
        assertThat(buckets.take(client(0), 1)).isZero();
    }

    @Test
    void aBucketThatIsFullAgainIsForgotten() {
        Buckets buckets = buckets(2, 3);
        for (int i = 0; i < 3; i++) {
            buckets.take(client(i), 1);
        }
        clock.advance(Duration.ofSeconds(1));
        assertThat(taken(buckets, client(9), 5)).isEqualTo(2);
        assertThat(buckets.count()).isEqualTo(1);
    }

    @Test
    void noTokenIsGivenTwiceToThreadsAtOnce() throws Exception {
        Buckets buckets = buckets(1000, 10);
        AtomicInteger taken = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(4);
        for (int i = 0; i < 4; i++) {
            Thread.ofPlatform().start(() -> {
                taken.addAndGet(taken(buckets, client(1), 1000));
                done.countDown();
            });
        }
        done.await();
        assertThat(taken).hasValue(1000);
    }

    @Test
    void ipv6ClientsOfOneNetworkAreOne() throws Exception {
        PluginHarness plugin = PluginHarness.of(new ConnectionRateFactory(), Map.of("connections", 1, "per", "1h"));
        assertThat(plugin.session(TestSession.from("2001:db8::1"))).isEqualTo(SessionOutcome.CONTINUE);
        assertThat(plugin.session(TestSession.from("2001:db8::2"))).isEqualTo(SessionOutcome.REFUSE);
        assertThat(plugin.session(TestSession.from("2001:db8:0:1::1"))).isEqualTo(SessionOutcome.CONTINUE);
        assertThat(plugin.session(TestSession.from("192.0.2.1"))).isEqualTo(SessionOutcome.CONTINUE);
        assertThat(plugin.session(TestSession.from("::ffff:192.0.2.1"))).isEqualTo(SessionOutcome.REFUSE);
    }

    @Test
    void aBurstIsAsLargeAsTheRateWhereItIsNotSaid() throws Exception {
        PluginHarness plugin = PluginHarness.of(new ConnectionRateFactory(), Map.of("connections", 3, "per", "1h"));
        for (int i = 0; i < 3; i++) {
            assertThat(plugin.session(TestSession.from("192.0.2.1"))).isEqualTo(SessionOutcome.CONTINUE);
        }
        assertThat(plugin.session(TestSession.from("192.0.2.1"))).isEqualTo(SessionOutcome.REFUSE);
    }

    @Test
    void aBucketThatWouldTakeTooLongToFillIsRefused() {
        Map<String, Object> settings = Map.of("connections", 1, "per", "999999h", "burst", 1_000_000);
        assertThatThrownBy(() -> new ConnectionRateFactory()
                        .create(Objects.requireNonNull(Settings.of(settings)), new TestContext()))
                .hasMessageContaining("/burst");
    }
}
