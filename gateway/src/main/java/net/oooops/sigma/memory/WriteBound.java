package net.oooops.sigma.memory;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.WriteBufferWaterMark;
import org.jspecify.annotations.Nullable;

/**
 * How much may wait to be sent on one connection before {@link Channel#isWritable} says that nothing more should: a bound of its own as a
 * rule, and nothing where memory is short. Where the other side takes all of that at once, several times as much may be gathered for one
 * write.
 *
 * <p>Called on the connection's event loop only.
 */
public final class WriteBound {
    /** So much is gathered for a side that took all that it got, unless more may wait anyway. */
    public static final int GATHERED_BYTES = 256 * 1024;

    private static final int GATHERED_TIMES_MAX = 4;

    private static final WriteBufferWaterMark NOTHING_WAITS = new WriteBufferWaterMark(1, 1);

    private final RelayMemory memory;
    private final Channel channel;
    private final ChannelConfig config;
    private final WriteBufferWaterMark usual;
    /** For a side that takes much; most connections never carry that. */
    private @Nullable WriteBufferWaterMark gathering;

    private WriteBufferWaterMark marks;
    private boolean takesAll;
    /** What was written since the last flush. */
    private int unflushedBytes;

    /**
     * Bounds a connection.
     *
     * @param bytesMax about so many bytes may wait
     */
    public WriteBound(RelayMemory memory, Channel channel, int bytesMax) {
        this.memory = memory;
        this.channel = channel;
        this.config = channel.config();
        WriteBufferWaterMark present = config.getWriteBufferWaterMark();
        boolean fits = present.high() == bytesMax && present.low() == bytesMax / 2;
        this.usual = fits ? present : new WriteBufferWaterMark(bytesMax / 2, bytesMax);
        this.marks = usual;
        if (!fits) {
            config.setWriteBufferWaterMark(usual);
        }
    }

    /** So many bytes are about to be written. */
    public void writing(int bytes) {
        unflushedBytes += bytes;
        memory.received(bytes);
        mark();
    }

    /**
     * All that was written is about to be with the channel. Whether it is so much that {@link #flushed} wants to know what became of it.
     */
    public boolean flushing() {
        boolean much = takesAll || unflushedBytes >= usual.high() / 2;
        unflushedBytes = 0;
        return much;
    }

    /** It was sent, as far as the other side takes it. */
    public void flushed() {
        ChannelOutboundBuffer unsent = channel.unsafe().outboundBuffer();
        takesAll = unsent != null && unsent.totalPendingWriteBytes() == 0;
        mark();
    }

    private void mark() {
        WriteBufferWaterMark due = memory.isShort() ? NOTHING_WAITS : takesAll ? gathering() : usual;
        if (due != marks) {
            marks = due;
            config.setWriteBufferWaterMark(due);
        }
    }

    private WriteBufferWaterMark gathering() {
        WriteBufferWaterMark made = gathering;
        if (made == null) {
            int few = Math.min(GATHERED_BYTES, GATHERED_TIMES_MAX * usual.high());
            made = few > usual.high() ? new WriteBufferWaterMark(usual.low(), few) : usual;
            gathering = made;
        }
        return made;
    }

    /** Whether so much was written since the last flush that another one is due before more is. */
    public boolean isFull() {
        return unflushedBytes >= marks.high();
    }
}
