package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.api.Fault;
import org.junit.jupiter.api.Test;

@SuppressWarnings("EnumOrdinal") // Only as numbers that differ.
class WorkerCountersTest {
    private enum Http {
        BARE_CR,
        BARE_LF
    }

    private enum Other {
        METHOD
    }

    private static final List<Enum<?>> REASONS = List.of(Http.BARE_CR, Http.BARE_LF, Other.METHOD);
    private static final RefusalNames NAMES = RefusalNames.NONE
            .and(Http.class, why -> why.name().toLowerCase(Locale.ROOT))
            .and(Other.class, why -> "method");

    private final WorkerCounters one = new WorkerCounters(NAMES);
    private final WorkerCounters other = new WorkerCounters(NAMES);
    private final CountersView view = new CountersView(List.of(one, other));

    @Test
    void everythingIsCountedUnderItsOwnName() {
        for (Counter counter : Counter.values()) {
            one.add(counter, 1000 + counter.ordinal());
            other.increment(counter);
        }
        for (Fault fault : Fault.values()) {
            for (int i = 0; i <= fault.ordinal(); i++) {
                one.failed(fault);
            }
        }
        one.refused(Http.BARE_CR);
        one.refused(Other.METHOD);
        other.refused(Other.METHOD);

        Counters counters = view.snapshot();
        for (Counter counter : Counter.values()) {
            assertThat(counters.count(counter)).as(counter.label()).isEqualTo(1001 + counter.ordinal());
        }
        for (Fault fault : Fault.values()) {
            assertThat(counters.faults(fault)).as(fault.name()).isEqualTo(fault.ordinal() + 1);
        }
        assertThat(counters.refusals())
                .containsExactly(Map.entry("bare_cr", 1L), Map.entry("bare_lf", 0L), Map.entry("method", 2L));
        assertThat(counters.refusals("unheard_of")).isZero();
        assertThat(counters.counts().keySet())
                .containsExactlyElementsOf(
                        Arrays.stream(Counter.values()).map(Counter::label).toList());
    }

    @Test
    void requestsAreCountedByTheClassOfTheirStatus() {
        for (int status : new int[] {101, 200, 204, 299, 301, 404, 499, 500, 504, 599, 0, 999, -1}) {
            one.requestBegan();
            one.requestEnded(status);
        }
        one.requestBegan();
        other.requestBegan();

        Counters counters = view.snapshot();
        assertThat(counters.count(Counter.REQUESTS_1XX)).isEqualTo(1);
        assertThat(counters.count(Counter.REQUESTS_2XX)).isEqualTo(3);
        assertThat(counters.count(Counter.REQUESTS_3XX)).isEqualTo(1);
        assertThat(counters.count(Counter.REQUESTS_4XX)).isEqualTo(2);
        assertThat(counters.count(Counter.REQUESTS_5XX)).isEqualTo(6);
        assertThat(counters.count(Counter.REQUESTS_IN_FLIGHT)).isEqualTo(2);
    }

    @Test
    void poolsAreSummedOverWorkersByUpstreamAndNode() {
        PoolGauges pool = one.pool("u1", "10.0.0.1:80");
        pool.set(5, 3, 1);
        pool.set(4, 2, 0);
        pool.hold(2);
        other.pool("u1", "10.0.0.1:80").set(10, 1, 7);
        other.pool("u2", "10.0.0.1:80").set(1, 1, 0);
        assertThat(view.snapshot().pools())
                .containsExactly(
                        new Counters.Pool("u1", "10.0.0.1:80", 14, 3, 2, 7),
                        new Counters.Pool("u2", "10.0.0.1:80", 1, 1, 0, 0));

        one.remove(pool);
        assertThat(view.snapshot().pools()).contains(new Counters.Pool("u1", "10.0.0.1:80", 10, 1, 0, 7));
    }

    @Test
    void whatIsReadIsNeverHalfWrittenNorGoesBack() throws InterruptedException {
        // Both halves of the long change with every step.
        long step = 0x1_0000_0001L;
        int steps = 2_000_000;
        List<Thread> workers = new ArrayList<>();
        for (WorkerCounters counters : List.of(one, other)) {
            workers.add(Thread.ofPlatform().start(() -> {
                for (int i = 0; i < steps; i++) {
                    counters.add(Counter.DOWNSTREAM_BYTES_SENT, step);
                    counters.refused(REASONS.get(i % REASONS.size()));
                }
            }));
        }
        long last = 0;
        while (workers.stream().anyMatch(Thread::isAlive)) {
            long now = view.snapshot().count(Counter.DOWNSTREAM_BYTES_SENT);
            assertThat(now % step).isZero();
            assertThat(now).isGreaterThanOrEqualTo(last);
            last = now;
        }
        for (Thread worker : workers) {
            worker.join();
        }
        Counters counters = view.snapshot();
        assertThat(counters.count(Counter.DOWNSTREAM_BYTES_SENT)).isEqualTo(2L * steps * step);
        assertThat(counters.refusals().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .isEqualTo(2L * steps);
    }

    @Test
    void countingAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        PoolGauges pool = one.pool("u", "n");
        count(pool);
        long before = threads.getCurrentThreadAllocatedBytes();
        count(pool);
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20_000);
    }

    private void count(PoolGauges pool) {
        for (int i = 0; i < 100_000; i++) {
            one.requestBegan();
            one.requestEnded(200);
            one.add(Counter.UPSTREAM_BYTES_SENT, i);
            one.failed(Fault.NO_ROUTE);
            one.refused(Http.BARE_LF);
            pool.set(i, i, i);
        }
    }

    @Test
    void whatIsShownCanNotBeChanged() {
        Counters counters = view.snapshot();
        assertThatThrownBy(() -> counters.counts().clear()).isInstanceOf(UnsupportedOperationException.class);
        assertThatThrownBy(() -> counters.pools().clear()).isInstanceOf(UnsupportedOperationException.class);
    }
}
