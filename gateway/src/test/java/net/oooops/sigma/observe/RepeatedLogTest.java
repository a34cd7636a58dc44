package net.oooops.sigma.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class RepeatedLogTest {
    private static final long START_NANOS = -5;

    private final RepeatedLog log = new RepeatedLog();

    private static long after(long seconds) {
        return START_NANOS + TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void eachCauseIsSaidAtItsFirstFailure() {
        assertThat(log.due("a", after(0))).isEmpty();
        assertThat(log.due("b", after(0))).isEmpty();
        assertThat(log.due("a", after(1))).isNull();
        assertThat(log.due("b", after(9))).isNull();
    }

    @Test
    void laterOnesAreSaidOnceInTenSecondsWithHowMany() {
        log.due("a", after(0));
        log.due("b", after(5));
        for (int i = 0; i < 999; i++) {
            assertThat(log.due("a", after(9))).isNull();
        }
        assertThat(log.due("a", after(10))).isEqualTo("; 1000 times since this was last said");
        assertThat(log.due("b", after(14))).isNull();
        assertThat(log.due("a", after(19))).isNull();
        assertThat(log.due("a", after(60))).isEqualTo("; 2 times since this was last said");
        assertThat(log.due("b", after(60))).isEqualTo("; 2 times since this was last said");
    }

    @Test
    void moreCausesThanAreToldApartShareALine() {
        for (int i = 0; i < RepeatedLog.CAUSES_MAX; i++) {
            assertThat(log.due(i, after(0))).isEmpty();
        }
        assertThat(log.due("x0", after(1))).isEqualTo("; 1 failures of more causes than the 128 that are told apart");
        for (int i = 1; i <= 10_000; i++) {
            assertThat(log.due("x" + i, after(2))).isNull();
        }
        assertThat(log.due(0, after(3))).isNull();
        // By now every one of the first has been quiet for long enough to make room.
        assertThat(log.due("y", after(12))).isEmpty();
        assertThat(log.due(1, after(12))).isNotNull();
    }

    @Test
    void whoeverMakesRoomIsTheOneSaidLongestAgo() {
        for (int i = 0; i < RepeatedLog.CAUSES_MAX; i++) {
            log.due(i, after(i < 64 ? 0 : 9));
        }
        assertThat(log.due(0, after(10))).isEqualTo("; 1 times since this was last said");
        for (int i = 1; i < 64; i++) {
            assertThat(log.due("x" + i, after(11))).isEmpty();
        }
        assertThat(log.due("more", after(11))).contains("more causes");
        assertThat(log.due(0, after(12))).isNull();
    }

    @Test
    void whatIsNotSaidAllocatesNothing() {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        long now = after(1);
        log.due("a", now);
        for (int i = 0; i < 20_000; i++) {
            log.due("a", now);
        }
        long before = threads.getCurrentThreadAllocatedBytes();
        for (int i = 0; i < 1_000_000; i++) {
            log.due("a", now);
        }
        assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(100_000);
    }
}
