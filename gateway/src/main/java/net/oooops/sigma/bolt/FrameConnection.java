package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.io.IOException;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.tls.SecureEnd;
import org.jspecify.annotations.Nullable;

/**
 * A connection that speaks Bolt, to either side: gives each frame that came whole to its owner, and gathers what is written.
 *
 * <pre>
 *   OPEN ─▶ refused frame ─▶ DEAF (nothing more is read)
 *     ├▶ finish ─▶ DEAF, our FIN after the last write, the peer's awaited ─▶ CLOSED
 *     └▶ close, the peer's end, an error ─▶ CLOSED
 * </pre>
 *
 * What isn't whole yet is held, up to the length that the frame itself says, in a buffer that grows with what comes: never is more
 * than about twice of what came held, whatever was announced. Paused, it isn't read, and what one read brought is held.
 *
 * <p>Called on the connection's event loop only.
 */
final class FrameConnection extends ChannelInboundHandlerAdapter {
    /** Who it belongs to. */
    public interface Owner {
        /** The connection is open; nothing is read before {@link FrameConnection#begin}. */
        void onOpened();

        /** Bytes were received. */
        void onBytes(int count);

        /** A frame came. It is there in {@code in} until this returns; its bytes may be changed. */
        void onFrame(Frame frame, ByteBuf in);

        /** What came isn't a frame; nothing more is read. */
        void onRefused(FrameRefusal why);

        /** More, or nothing more for now, can be written. */
        void onWritabilityChanged(boolean writable);

        /** It has ended, by whichever side. Called once. */
        void onClosed();

        /** Something was thrown, a fault of Sigma's own unless it is of input and output; the connection is closed. */
        void onThrown(Throwable cause);
    }

    private static final int HELD_BYTES_MIN = 512;

    private final Owner owner;
    private final Channel channel;
    private final FlushTurn turn;
    private final FrameOutlet outlet;
    private final Frame frame;
    private @Nullable FrameForm spoken;
    private @Nullable ByteBuf held;
    private boolean decoding;
    private boolean paused;
    private boolean deaf;
    private boolean finishing;
    /** It is closed by us, or has ended by itself. */
    private boolean ended;

    private boolean told;
    private boolean unflushed;
    private long countedBytes;
    /** Whether a frame has begun that isn't whole. */
    private boolean begun;
    /** How long a frame may be behind the one that has begun; 0 where that is as long as this one might. */
    private int nextBytesMax;

    /**
     * What connections of a Worker share.
     *
     * @param turn sends what was written
     * @param writer writes it
     * @param reads how much is read at once
     */
    public record Shared(FlushTurn turn, FrameWriter writer, RecvByteBufAllocator reads) {}

    /** What may come on a connection.
     *
     * @param form that the peer has to speak; null for that of its first frame
     * @param frameBytesMax how long a frame may be
     */
    public record Accepted(@Nullable FrameForm form, int frameBytesMax) {}

    /** A connection, of whichever side. */
    public FrameConnection(Owner owner, Channel channel, Shared shared, Accepted accepted) {
        this.owner = owner;
        this.spoken = accepted.form();
        this.channel = channel;
        this.turn = shared.turn();
        this.outlet = new FrameOutlet(channel, shared.writer());
        this.frame = new Frame(accepted.frameBytesMax());
    }

    /**
     * What has to hold of a connection before anything is read from it.
     *
     * @param shared with others of its Worker
     * @param writeBytesMax about so many bytes may wait to be sent before it isn't writable
     */
    public static void prepare(Channel channel, Shared shared, int writeBytesMax) {
        ChannelConfig config = channel.config();
        config.setAutoRead(false);
        // Before the first read, which may be one of a handshake.
        config.setRecvByteBufAllocator(shared.reads());
        // Of what a side sent, only whole frames matter, and they are taken as they come.
        config.setOption(ChannelOption.AUTO_CLOSE, true);
        config.setWriteBufferWaterMark(new WriteBufferWaterMark(writeBytesMax / 2, writeBytesMax));
    }

    /** So long may a frame be from now on, but for one that has begun. */
    public void limit(int frameBytesMax) {
        if (begun && frame.bytes() > 0) {
            nextBytesMax = frameBytesMax;
        } else {
            frame.limit(frameBytesMax);
        }
    }

    /** Begins to read. */
    public void begin() {
        channel.config().setAutoRead(!paused && !ended);
    }

    /** The channel. */
    public Channel channel() {
        return channel;
    }

    /** Whether it has neither ended nor is about to. */
    public boolean isOpen() {
        return !ended && !finishing && !deaf;
    }

    /** Whether more may be written: not more is waiting than the high-water mark. */
    public boolean isWritable() {
        return channel.isWritable();
    }

    /** How many bytes wait to be sent, what is gathered included. */
    public long unsentBytes() {
        return outlet.unsentBytes();
    }

    /** How many bytes it holds, of either direction: for what was received and not taken yet, or written and not sent. None once it has ended. */
    public long heldBytes() {
        if (ended) {
            return 0;
        }
        ByteBuf before = held;
        return (before == null ? 0 : before.capacity()) + outlet.gatheredBytes() + RelayMemory.waitingOn(channel);
    }

    /** How many bytes were written since it was opened, sent or not. */
    public long writtenBytes() {
        return outlet.writtenBytes();
    }

    /** How many bytes were written since this was last asked. */
    public long takeWrittenBytes() {
        long now = outlet.writtenBytes();
        long taken = now - countedBytes;
        countedBytes = now;
        return taken;
    }

    // Writing

    /** Writes a frame that came on another connection, with another id. The frame's bytes may be changed. */
    public void write(ByteBuf in, Frame received, int id) {
        if (!ended) {
            outlet.frame(in, received, id);
            written();
        }
    }

    /** Writes a response of Sigma's own. */
    public void write(Correlation asked, Status status) {
        if (!ended) {
            outlet.response(asked, status);
            written();
        }
    }

    /** Writes a heartbeat. */
    public void writeHeartbeat(FrameForm form, int id) {
        if (!ended) {
            outlet.heartbeat(form, id);
            written();
        }
    }

    private void written() {
        if (!unflushed) {
            unflushed = true;
            turn.add(this);
        }
    }

    void flush() {
        if (unflushed) {
            unflushed = false;
            outlet.flush();
        }
    }

    // Reading

    /** Stops reading. */
    public void pause() {
        if (!paused) {
            paused = true;
            channel.config().setAutoRead(false);
        }
    }

    /** Goes on reading, with what is held first. */
    public void resume() {
        if (!paused) {
            return;
        }
        paused = false;
        ByteBuf before = held;
        if (before != null && !decoding) {
            held = null;
            decode(before);
        }
        if (!paused && !ended) {
            channel.config().setAutoRead(true);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        owner.onOpened();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (ended || deaf) {
            in.release();
            return;
        }
        owner.onBytes(in.readableBytes());
        ByteBuf all = joined(in);
        if (paused) {
            hold(all);
        } else {
            decode(all);
        }
    }

    /** What is held, and {@code in} behind it. */
    private ByteBuf joined(ByteBuf in) {
        ByteBuf before = held;
        if (before == null) {
            return in;
        }
        int more = in.readableBytes();
        ByteBuf all = before;
        try {
            if (before.writableBytes() < more || before.refCnt() > 1) {
                int count = before.readableBytes();
                all = channel.alloc().directBuffer(count + Math.max(more, Math.min(count, frame.bytes() - count)));
                all.writeBytes(before);
                before.release();
            }
            all.writeBytes(in);
        } finally {
            // Where there is no memory for it, what is held goes with the connection.
            in.release();
        }
        held = null;
        return all;
    }

    private void decode(ByteBuf in) {
        boolean done = false;
        decoding = true;
        try {
            frames(in);
            done = true;
        } finally {
            decoding = false;
            if (!done) {
                in.release();
            }
        }
        if (ended || deaf || !in.isReadable()) {
            in.release();
        } else {
            hold(in);
        }
    }

    private void frames(ByteBuf in) {
        boolean going = true;
        while (going && in.isReadable() && !paused && !deaf && !ended) {
            Frame.Step step = frame.parse(in);
            begun = step == Frame.Step.MORE;
            switch (step) {
                case DONE -> going = frame(in);
                case MORE -> going = false;
                case REFUSED -> refuse(frame.refusal());
            }
        }
    }

    /** Whether there may be more. */
    private boolean frame(ByteBuf in) {
        if (spoken == null) {
            spoken = frame.form();
        } else if (spoken != frame.form()) {
            refuse(FrameRefusal.MIXED);
            return false;
        }
        int end = frame.start() + frame.bytes();
        owner.onFrame(frame, in);
        in.readerIndex(end);
        if (nextBytesMax > 0) {
            frame.limit(nextBytesMax);
            nextBytesMax = 0;
        }
        return true;
    }

    private void refuse(FrameRefusal why) {
        deaf = true;
        channel.config().setAutoRead(false);
        owner.onRefused(why);
    }

    /** Keeps what isn't whole: copied where a slice of the rest may be on its way out, or a large buffer would be kept for little. */
    private void hold(ByteBuf in) {
        int count = in.readableBytes();
        if (in.refCnt() == 1 && 2L * count + HELD_BYTES_MIN >= in.capacity()) {
            held = in;
            return;
        }
        int whole = frame.bytes() == 0 ? HELD_BYTES_MIN : frame.bytes();
        try {
            ByteBuf kept = channel.alloc().directBuffer(Math.max(count, Math.min(whole, 2 * count + HELD_BYTES_MIN)));
            held = kept.writeBytes(in);
        } finally {
            in.release();
        }
    }

    // Its end

    /** Ends it when all that was written is sent, and the peer has seen that: what comes from now on is thrown away. */
    public void finish() {
        if (ended || finishing) {
            return;
        }
        finishing = true;
        deaf = true;
        releaseHeld();
        flush();
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> {
            if (sent.isSuccess() && channel instanceof DuplexChannel duplex) {
                SecureEnd.shutdownOutput(duplex);
            } else {
                channel.close();
            }
        });
        channel.config().setAutoRead(true);
    }

    /** Whether {@link #finish} was called. */
    public boolean isFinishing() {
        return finishing;
    }

    /** Closes it when all that was written is sent, as far as that goes at once. */
    public void close() {
        if (!ended) {
            flush();
            end();
        }
    }

    private void end() {
        ended = true;
        outlet.release();
        releaseHeld();
        channel.close();
    }

    /** Resets it: what waits to be sent is lost, and the peer can't take what it got for all. */
    public void abort() {
        if (!ended) {
            outlet.release();
            unflushed = false;
            try {
                SecureEnd.reset(channel);
            } catch (ChannelException e) {
                // Some systems know nothing more of a connection that was reset: there is nothing left to reset.
            }
            end();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        ended = true;
        outlet.release();
        releaseHeld();
        if (!told) {
            told = true;
            owner.onClosed();
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        channelInactive(ctx);
    }

    private void releaseHeld() {
        ByteBuf rest = held;
        if (rest != null) {
            held = null;
            rest.release();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        owner.onWritabilityChanged(channel.isWritable());
    }

    /** A peer that says close_notify has ended, and can't be told anything more. */
    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslCloseCompletionEvent && !finishing) {
            channel.close();
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException || SecureEnd.isGarbled(cause))) {
            owner.onThrown(cause);
        }
        channel.close();
    }
}
