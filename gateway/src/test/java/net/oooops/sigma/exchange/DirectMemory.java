package net.oooops.sigma.exchange;

import io.netty.util.internal.PlatformDependent;
import java.util.concurrent.locks.LockSupport;

/** Watches how much direct memory Netty has reserved: its peak since the watch began. */
public final class DirectMemory implements AutoCloseable {
    private static final long LOOK_NANOS = 1_000_000;

    private final long atStartBytes;
    private final Thread watcher;
    private volatile long peakBytes;
    private volatile boolean closed;

    private DirectMemory() {
        atStartBytes = used();
        peakBytes = atStartBytes;
        watcher = Thread.ofPlatform().daemon().start(() -> {
            while (!closed) {
                peakBytes = Math.max(peakBytes, used());
                LockSupport.parkNanos(LOOK_NANOS);
            }
        });
    }

    /** Begins to watch. */
    public static DirectMemory watched() {
        return new DirectMemory();
    }

    private static long used() {
        long bytes = PlatformDependent.usedDirectMemory();
        if (bytes < 0) {
            throw new AssertionError("direct memory: not counted (expected: Netty counts it)");
        }
        return bytes;
    }

    /** How much more than at the beginning it ever was. */
    public long grownBytesMax() {
        peakBytes = Math.max(peakBytes, used());
        return peakBytes - atStartBytes;
    }

    @Override
    public void close() throws AssertionError {
        closed = true;
        LockSupport.unpark(watcher);
    }
}
