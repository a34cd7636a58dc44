package net.oooops.sigma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.util.UncheckedBooleanSupplier;
import net.oooops.sigma.ring.BoundedReads;

/**
 * How much of one connection is read at once: about as much as came before, up to {@link #USUAL_BYTES_MAX}; and {@link #BULK_BYTES}
 * once that was filled several times in a row, as long as {@link SessionMemory} allows it and much comes. Where memory is short, little is
 * read.
 *
 * <p>Called on the connection's event loop only.
 */
final class ReadSize implements BoundedReads {
    static final int USUAL_BYTES_MAX = 64 * 1024;
    static final int BULK_BYTES = 512 * 1024;

    private static final int FULL_IN_A_ROW = 8;
    /** Where the other side is slow for a moment, little comes for some reads. */
    private static final int LITTLE_IN_A_ROW = 32;

    private static final int FIRST_BYTES = 2048;
    private static final int LEAST_BYTES = 64;
    private static final AdaptiveRecvByteBufAllocator USUAL =
            new AdaptiveRecvByteBufAllocator(LEAST_BYTES, FIRST_BYTES, USUAL_BYTES_MAX);

    private final SessionMemory memory;
    private boolean inBulk;
    private int inARow;

    ReadSize(SessionMemory memory) {
        this.memory = memory;
    }

    @Override
    public ExtendedHandle newHandle() {
        return new Sized((ExtendedHandle) USUAL.newHandle());
    }

    @Override
    public boolean isOneByOne() {
        return memory.isShort();
    }

    @Override
    public void held(int bytes) {
        memory.received(bytes);
    }

    /** Whether it is read in large pieces. */
    boolean isInBulk() {
        return inBulk;
    }

    /** So many bytes came with one read. */
    void came(int bytes) {
        boolean counts = inBulk ? bytes < USUAL_BYTES_MAX : bytes == USUAL_BYTES_MAX;
        inARow = counts ? inARow + 1 : 0;
        if (inBulk && inARow == LITTLE_IN_A_ROW) {
            end();
        } else if (!inBulk && inARow == FULL_IN_A_ROW) {
            inARow = 0;
            inBulk = memory.takeBulkRead();
        }
    }

    /** Nothing came for long, or nothing more will come: read in pieces of the usual size, if at all. */
    void end() {
        inARow = 0;
        if (inBulk) {
            inBulk = false;
            memory.giveBackBulkRead();
        }
    }

    private final class Sized implements ExtendedHandle {
        private final ExtendedHandle usual;

        Sized(ExtendedHandle usual) {
            this.usual = usual;
        }

        @Override
        public ByteBuf allocate(ByteBufAllocator allocator) {
            return allocator.ioBuffer(guess());
        }

        @Override
        public int guess() {
            if (memory.isShort()) {
                return Math.min(usual.guess(), SessionMemory.LITTLE_BYTES);
            }
            return inBulk ? BULK_BYTES : usual.guess();
        }

        @Override
        public void lastBytesRead(int bytes) {
            usual.lastBytesRead(bytes);
            if (bytes > 0) {
                came(bytes);
            }
        }

        @Override
        public int lastBytesRead() {
            return usual.lastBytesRead();
        }

        @Override
        public void reset(ChannelConfig config) {
            usual.reset(config);
        }

        @Override
        public void incMessagesRead(int count) {
            usual.incMessagesRead(count);
        }

        @Override
        public void attemptedBytesRead(int bytes) {
            usual.attemptedBytesRead(bytes);
        }

        @Override
        public int attemptedBytesRead() {
            return usual.attemptedBytesRead();
        }

        @Override
        public boolean continueReading() {
            return usual.continueReading();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return usual.continueReading(maybeMoreData);
        }

        @Override
        public void readComplete() {
            usual.readComplete();
        }
    }
}
