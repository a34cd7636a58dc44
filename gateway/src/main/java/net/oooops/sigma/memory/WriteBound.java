package net.oooops.sigma.memory;

import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.WriteBufferWaterMark;

/**
 * How much may wait to be sent on one connection before {@link Channel#isWritable} says that nothing more should: a bound of its own as a
 * rule, and nothing where memory is short.
 *
 * <p>Called on the connection's event loop only.
 */
public final class WriteBound {
    private static final WriteBufferWaterMark NOTHING_WAITS = new WriteBufferWaterMark(1, 1);

    private final RelayMemory memory;
    private final ChannelConfig config;
    private final WriteBufferWaterMark usual;
    private boolean mayLetWait = true;
    /** What was written since the last flush. Where the connection is encrypted, its channel doesn't know of that yet. */
    private int unflushedBytes;

    /**
     * Bounds a connection.
     *
     * @param bytesMax about so many bytes may wait
     */
    public WriteBound(RelayMemory memory, Channel channel, int bytesMax) {
        this.memory = memory;
        this.config = channel.config();
        WriteBufferWaterMark present = config.getWriteBufferWaterMark();
        boolean fits = present.high() == bytesMax && present.low() == bytesMax / 2;
        this.usual = fits ? present : new WriteBufferWaterMark(bytesMax / 2, bytesMax);
        if (!fits) {
            config.setWriteBufferWaterMark(usual);
        }
    }

    /** So many bytes are about to be written. */
    public void writing(int bytes) {
        unflushedBytes += bytes;
        memory.received(bytes);
        boolean wanted = !memory.isShort();
        if (wanted != mayLetWait) {
            mayLetWait = wanted;
            config.setWriteBufferWaterMark(wanted ? usual : NOTHING_WAITS);
        }
    }

    /** All that was written is with the channel now. */
    public void flushed() {
        unflushedBytes = 0;
    }

    /** Whether so much was written since the last flush that another one is due before more is. */
    public boolean isFull() {
        return unflushedBytes >= (mayLetWait ? usual.high() : 1);
    }
}
