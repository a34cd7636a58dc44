package net.oooops.sigma;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/** What something allocates each time. */
public final class Allocation {
    private static final int TIMES = 20_000;

    private Allocation() {}

    /** Bytes for each time, rounded down: what the JVM itself allocates meanwhile is less than one. */
    public static long bytes(Runnable each) {
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        repeat(each);
        threads.getCurrentThreadAllocatedBytes();
        long before = threads.getCurrentThreadAllocatedBytes();
        repeat(each);
        return (threads.getCurrentThreadAllocatedBytes() - before) / TIMES;
    }

    private static void repeat(Runnable each) {
        for (int i = 0; i < TIMES; i++) {
            each.run();
        }
    }
}
