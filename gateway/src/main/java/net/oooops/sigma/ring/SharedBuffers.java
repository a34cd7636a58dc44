package net.oooops.sigma.ring;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Buffer;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.util.concurrent.FastThreadLocal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that all connections of an event loop receive into. The kernel takes one when bytes have come, so a connection
 * that waits for its peer holds none. There are two groups of them:
 *
 * <ul>
 *   <li>small ones, for messages: what came is copied out at once, so that a connection that is slow to pass it on keeps none
 *       of them from the others;
 *   <li>large ones, for bulk: what fills half of one is handed over with its buffer, and another one takes its place.
 * </ul>
 *
 * <p>Called on the event loop only.
 */
final class SharedBuffers implements IoUringIoHandle {
    /** What a small buffer holds. */
    static final int SMALL_BYTES = 4096;
    /** What a large one holds. */
    static final int LARGE_BYTES = 64 * 1024;

    private static final int SMALL_COUNT = 256;
    private static final int LARGE_COUNT = 8;
    /**
     * So many small ones at least are given back with one operation. The kernel takes them in the order in which it got them,
     * and they come back in nearly that order: one behind the other in memory.
     */
    private static final int RUN_MIN = 64;

    private static final short SMALL = 1;
    private static final short LARGE = 2;
    private static final FastThreadLocal<SharedBuffers> OF_LOOP = new FastThreadLocal<>() {
        @Override
        protected void onRemoval(SharedBuffers buffers) {
            buffers.release();
        }
    };

    private final IoRegistration registration;
    private final ByteBufAllocator allocator;
    // Not freed by hand: the kernel may write into it as long as there are connections.
    private final ByteBuf small;
    private final long smallAddress;
    private int runFrom;
    private int runCount = SMALL_COUNT;
    private final @Nullable ByteBuf[] large = new ByteBuf[LARGE_COUNT];
    private boolean largeProvided;
    private boolean closed;

    private SharedBuffers(IoEventLoop loop, ByteBufAllocator allocator) throws IOException {
        IoRegistration registered = loop.register(this).getNow();
        if (registered == null) {
            throw new IOException("no receive buffers: the event loop is shutting down");
        }
        this.registration = registered;
        this.allocator = allocator;
        ByteBuffer memory = ByteBuffer.allocateDirect(SMALL_COUNT * SMALL_BYTES);
        this.small = Unpooled.wrappedBuffer(memory);
        this.smallAddress = Buffer.memoryAddress(memory);
        provideRun();
    }

    /**
     * The buffers of that event loop.
     *
     * @param allocator makes the large ones, where these are the first that are asked for
     */
    static SharedBuffers of(IoEventLoop loop, ByteBufAllocator allocator) throws IOException {
        SharedBuffers known = OF_LOOP.get();
        if (known == null) {
            known = new SharedBuffers(loop, allocator);
            OF_LOOP.set(known);
        }
        return known;
    }

    short smallGroup() {
        return SMALL;
    }

    short largeGroup() {
        if (!largeProvided && !closed) {
            for (int id = 0; id < LARGE_COUNT; id++) {
                if (large[id] == null) {
                    provideLarge(id, allocator.directBuffer(LARGE_BYTES, LARGE_BYTES));
                }
            }
            largeProvided = true;
        }
        return LARGE;
    }

    /** What came into a small buffer. */
    ByteBuf takeSmall(int id, int bytes, ByteBufAllocator to) {
        ByteBuf copy = to.directBuffer(bytes);
        copy.writeBytes(small, id * SMALL_BYTES, bytes);
        giveBackSmall(id);
        return copy;
    }

    /** A small buffer with nothing in it that is wanted. */
    void giveBackSmall(int id) {
        if (runCount > 0 && id != runFrom + runCount) {
            provideRun();
        }
        if (runCount == 0) {
            runFrom = id;
        }
        runCount++;
        if (runCount >= RUN_MIN) {
            provideRun();
        }
    }

    private void provideRun() {
        if (!closed) {
            long address = smallAddress + (long) runFrom * SMALL_BYTES;
            registration.submit(Op.provide(SMALL, address, SMALL_BYTES, runFrom, runCount));
        }
        runCount = 0;
    }

    /** A receive found no small buffer: those that are back are given at once. */
    void onNoneSmall() {
        if (runCount > 0) {
            provideRun();
        }
    }

    /** What came into a large buffer. */
    ByteBuf takeLarge(int id, int bytes, ByteBufAllocator to) {
        ByteBuf filled = Objects.requireNonNull(large[id], "a large receive buffer that is not in use");
        if (bytes < LARGE_BYTES / 2) {
            // Whoever is slow to pass it on keeps little more memory than it takes.
            ByteBuf copy = to.directBuffer(bytes);
            copy.writeBytes(filled, 0, bytes);
            giveBackLarge(id);
            return copy;
        }
        provideLarge(id, allocator.directBuffer(LARGE_BYTES, LARGE_BYTES));
        return filled.writerIndex(bytes);
    }

    /** A large buffer with nothing in it that is wanted. */
    void giveBackLarge(int id) {
        ByteBuf unused = large[id];
        if (unused != null) {
            provideLarge(id, unused);
        }
    }

    private void provideLarge(int id, ByteBuf buffer) {
        large[id] = buffer;
        if (!closed) {
            registration.submit(Op.provide(LARGE, Sending.addressOf(buffer, 0, LARGE_BYTES), LARGE_BYTES, id, 1));
        }
    }

    @Override
    public void handle(IoRegistration registered, IoEvent event) {
        // Buffers were given.
    }

    @Override
    public void close() {
        closed = true;
        registration.cancel();
    }

    /** The event loop's thread ends, and its ring is closed: nothing is received any more. */
    private void release() {
        closed = true;
        for (int id = 0; id < LARGE_COUNT; id++) {
            ByteBuf unused = large[id];
            if (unused != null) {
                large[id] = null;
                unused.release();
            }
        }
    }
}
