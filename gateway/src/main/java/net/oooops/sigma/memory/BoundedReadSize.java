package net.oooops.sigma.memory;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.ChannelConfig;
import io.netty.util.UncheckedBooleanSupplier;

/**
 * How much of a connection is read at once: about as much as came before, up to {@link #USUAL_BYTES_MAX}; little where {@link RelayMemory} is
 * short. A read of the usual size that is filled is followed by others in the same turn of the event loop, up to {@link #READS_PER_TURN},
 * unless {@link ReadTurns#isSpent} of that turn.
 *
 * <p>Called on the connection's event loop only.
 */
public class BoundedReadSize implements BoundedReads {
    /**
     * The most that is read at once as a rule. With the framing of HTTP/2 and TLS it still leaves as one segment that the kernel cuts itself:
     * such a one has at most 64 KiB with its headers, in whole packets (65,483 bytes on the loopback, 45 times 1,448 on Ethernet). Of 64 KiB
     * a few bytes are left each time, and cost as much as all the others.
     */
    public static final int USUAL_BYTES_MAX = 65_024;

    /**
     * So many reads in one turn, where each is filled: what they bring is written at once, and whoever receives it is woken once. More
     * would make those wait that have little to say.
     */
    public static final int READS_PER_TURN = 4;

    /** Netty's sizes are powers of two. */
    private static final int SIZE_MAX = 64 * 1024;

    /** The first read of a connection. */
    static final int FIRST_BYTES = 2048;

    private static final int LEAST_BYTES = 64;
    private static final AdaptiveRecvByteBufAllocator USUAL =
            new AdaptiveRecvByteBufAllocator(LEAST_BYTES, FIRST_BYTES, SIZE_MAX);

    static {
        USUAL.maxMessagesPerRead(READS_PER_TURN);
    }

    private final RelayMemory memory;

    /** For one connection or, where nothing is kept of it, for many of one Worker. */
    protected BoundedReadSize(RelayMemory memory) {
        this.memory = memory;
    }

    /** So many bytes came with one read. */
    protected void came(int bytes) {}

    /**
     * What to read next where memory isn't short.
     *
     * @param usual about as much as came before
     */
    protected int next(int usual) {
        return usual;
    }

    @Override
    public final ExtendedHandle newHandle() {
        return new Sized((ExtendedHandle) USUAL.newHandle());
    }

    @Override
    public final boolean isOneByOne() {
        return memory.isShort();
    }

    @Override
    public void held(int bytes) {
        memory.received(bytes);
    }

    @Override
    public final BoundedReads elsewhere() {
        return new Elsewhere(memory);
    }

    private static final class Elsewhere extends BoundedReadSize {
        Elsewhere(RelayMemory memory) {
            super(memory);
        }

        @Override
        public void held(int bytes) {}
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
            int wished = Math.min(usual.guess(), USUAL_BYTES_MAX);
            return memory.isShort() ? Math.min(wished, RelayMemory.LITTLE_BYTES) : next(wished);
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

        private boolean isFollowed() {
            return !memory.isShort() && !memory.turns().isSpent() && usual.lastBytesRead() <= USUAL_BYTES_MAX;
        }

        @Override
        public boolean continueReading() {
            return isFollowed() && usual.continueReading();
        }

        @Override
        public boolean continueReading(UncheckedBooleanSupplier maybeMoreData) {
            return isFollowed() && usual.continueReading(maybeMoreData);
        }

        @Override
        public void readComplete() {
            usual.readComplete();
        }
    }
}
