package net.oooops.sigma.plugins.limits;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.testkit.PluginHarness;
import net.oooops.sigma.testkit.TestContext;
import net.oooops.sigma.testkit.TestExchange;
import org.junit.jupiter.api.Test;

class ConcurrencyLimitTest {
    private final TestContext context = new TestContext();

    private ConcurrencyLimit make(Map<String, Object> settings) {
        return (ConcurrencyLimit) new ConcurrencyLimitFactory().create(Settings.of(settings), context);
    }

    private static TestExchange from(String address) {
        return TestExchange.of("GET", "/").withAddresses(address, address);
    }

    /** Those that entered, of so many tries. */
    private static List<TestExchange> entered(ConcurrencyLimit limit, String address, int tries) {
        List<TestExchange> entered = new ArrayList<>();
        for (int i = 0; i < tries; i++) {
            TestExchange exchange = from(address);
            if (limit.onRequest(exchange) == Outcome.CONTINUE) {
                entered.add(exchange);
            }
        }
        return entered;
    }

    @Test
    void whoIsOneTooManyIsRefusedUntilOneEnds() throws Exception {
        ConcurrencyLimit limit = make(Map.of("max", 2));
        PluginHarness plugin = PluginHarness.of(limit);
        TestExchange one = from("192.0.2.1");
        TestExchange other = from("192.0.2.1");
        TestExchange refused = from("192.0.2.1");
        assertThat(plugin.request(one)).isEqualTo(Outcome.CONTINUE);
        assertThat(plugin.request(other)).isEqualTo(Outcome.CONTINUE);
        plugin.request(refused);
        assertThat(refused.response().status()).isEqualTo(429);
        assertThat(refused.response().lines()).contains("Retry-After: 1");
        assertThat(context.count("too-many-at-once")).isEqualTo(1);
        assertThat(plugin.request(from("192.0.2.2"))).isEqualTo(Outcome.CONTINUE);

        plugin.end(refused);
        plugin.end(one);
        plugin.end(one);
        assertThat(entered(limit, "192.0.2.1", 5)).as("one has left, once").hasSize(1);
        assertThat(context.count("in_flight")).isEqualTo(3);
    }

    /** Those of the instance before it are counted, and leave what they have entered. */
    @Test
    void otherSettingsKnowWhoIsUnderWay() {
        ConcurrencyLimit before = make(Map.of("max", 3));
        List<TestExchange> old = entered(before, "192.0.2.1", 5);
        ConcurrencyLimit after = make(Map.of("max", 2, "status", 503));
        after.takeOver(before);

        assertThat(entered(after, "192.0.2.1", 5)).isEmpty();
        before.onEnd(old.get(0));
        assertThat(entered(after, "192.0.2.1", 5)).as("two are left").isEmpty();
        before.onEnd(old.get(1));
        List<TestExchange> entered = entered(after, "192.0.2.1", 5);
        assertThat(entered).hasSize(1);
        before.onEnd(old.get(2));
        entered.forEach(after::onEnd);
        assertThat(after.count()).isZero();
        assertThat(context.count("in_flight")).isZero();
        assertThat(entered(after, "192.0.2.1", 5)).hasSize(2);
    }

    /** Never more than may be, and none is lost, while keys come and are forgotten. */
    @Test
    void threadsAtOnceAreNeverTooMany() throws Exception {
        ConcurrencyLimit limit = make(Map.of("max", 3));
        AtomicInteger inside = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger passed = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(6);
        for (int i = 0; i < 6; i++) {
            int thread = i;
            Thread.ofPlatform().start(() -> {
                for (int j = 0; j < 5000; j++) {
                    for (TestExchange each : entered(limit, "192.0.2.1", 1)) {
                        most.accumulateAndGet(inside.incrementAndGet(), Math::max);
                        passed.incrementAndGet();
                        Thread.onSpinWait();
                        inside.decrementAndGet();
                        limit.onEnd(each);
                    }
                    String other = "10." + thread + "." + (j >> 8) + "." + (j & 255);
                    entered(limit, other, 1).forEach(limit::onEnd);
                }
                done.countDown();
            });
        }
        done.await();
        assertThat(most.get()).isBetween(1, 3);
        assertThat(passed).hasPositiveValue();
        assertThat(limit.count()).isZero();
        assertThat(limit.keysCount()).as("of 30,001 keys").isLessThan(5000);
        assertThat(entered(limit, "192.0.2.1", 5)).hasSize(3);
    }
}
