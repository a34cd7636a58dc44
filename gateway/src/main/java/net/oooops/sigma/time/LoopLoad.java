package net.oooops.sigma.time;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import org.jspecify.annotations.Nullable;

/**
 * How much time the thread of an event loop has to spare: in which it neither ran nor waited for a processor. From the kernel's own
 * account, so that it holds for every transport, whatever is done within system calls. Asking takes some microseconds.
 *
 * <p>Made, called and closed on the event loop only.
 */
public final class LoopLoad implements AutoCloseable {
    private static final String WAITED = "/proc/thread-self/schedstat";
    private static final int BYTES_MAX = 64;

    private final ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    private final boolean known = threads.isCurrentThreadCpuTimeSupported();
    private final byte[] line = new byte[BYTES_MAX];
    private final @Nullable RandomAccessFile waited;
    private long sinceNanos;
    private long busySinceNanos;

    /** Begins to look at the calling thread. */
    public LoopLoad() {
        this.waited = open();
        spare();
    }

    private static @Nullable RandomAccessFile open() {
        try {
            return new RandomAccessFile(WAITED, "r");
        } catch (IOException e) {
            // Not Linux, or a kernel without that account: then waiting for a processor looks like idleness.
            return null;
        }
    }

    /** The part of the time since it was last asked that the thread had to spare, 0 to 1; 1 where the system doesn't tell. */
    public double spare() {
        long now = System.nanoTime();
        long busy = known ? threads.getCurrentThreadCpuTime() + waitedNanos() : 0;
        double share = 1 - (double) (busy - busySinceNanos) / Math.max(1, now - sinceNanos);
        sinceNanos = now;
        busySinceNanos = busy;
        return Math.clamp(share, 0, 1);
    }

    /** Gives up the kernel's account. Asked later, it still answers, by the thread's own time alone. */
    @Override
    public void close() {
        RandomAccessFile open = waited;
        if (open == null) {
            return;
        }
        try {
            open.close();
        } catch (IOException e) {
            throw new UncheckedIOException(WAITED, e);
        }
    }

    private long waitedNanos() {
        if (waited == null) {
            return 0;
        }
        try {
            waited.seek(0);
            return second(line, waited.read(line));
        } catch (IOException e) {
            return 0;
        }
    }

    /** The second of the numbers in a line, 0 where there is none. */
    static long second(byte[] line, int count) {
        int at = 0;
        while (at < count && line[at] != ' ') {
            at++;
        }
        long number = 0;
        for (at++; at < count && line[at] >= '0' && line[at] <= '9'; at++) {
            number = number * 10 + line[at] - '0';
        }
        return number;
    }
}
