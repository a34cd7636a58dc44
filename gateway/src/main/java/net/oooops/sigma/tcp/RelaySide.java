package net.oooops.sigma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelOutputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.memory.WriteBound;
import net.oooops.sigma.tls.SecureEnd;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a session. What it receives it writes to the other one, and flushes once for all that a turn of the event loop
 * brought, or earlier where that is more than may wait. Buffers pass as they are; nothing is allocated for them here.
 */
final class RelaySide extends ChannelInboundHandlerAdapter {
    private final Relay relay;
    private final boolean ofClient;
    private final RelayMemory memory;
    private final ReadSize readSize;
    /** How much may wait here to be sent; null before there is a connection. */
    private @Nullable WriteBound bound;

    private @Nullable ChannelHandlerContext ctx;
    private @Nullable RelaySide other;
    /** Where to write what is read; null while bytes don't pass. */
    private @Nullable ChannelHandlerContext out;
    /** What was received before there was another side; null where that was nothing. */
    private @Nullable Queue<ByteBuf> held;

    private long passedBytes;
    private boolean unflushed;
    /** It isn't read since the other side can't be written. */
    private boolean paused;

    private boolean inputEnded;
    /** Its peer is told that no more comes. */
    private boolean ending;

    private boolean outputEnded;
    /** The peer of an encrypted connection said that it ends (close_notify). */
    private boolean endSaid;
    /** Reading or writing failed: its end, once it is read, is that of a reset. */
    private boolean broken;

    RelaySide(Relay relay, boolean ofClient, RelayMemory memory) {
        this.relay = relay;
        this.ofClient = ofClient;
        this.memory = memory;
        this.readSize = new ReadSize(memory);
    }

    ReadSize readSize() {
        return readSize;
    }

    /** How much may wait here to be sent before the other side isn't read. */
    void bound(Channel channel, int bytesMax) {
        bound = new WriteBound(memory, channel, bytesMax);
    }

    private void writing(int bytes) {
        WriteBound mine = bound;
        if (mine != null) {
            mine.writing(bytes);
        }
    }

    /** It is read otherwise from now on than when the read that may be under way began. */
    void restartRead() {
        ChannelHandlerContext mine = ctx;
        if (mine != null) {
            RelayMemory.restartRead(mine.channel());
        }
    }

    /** Nothing has come for a while. A ring may wait for more in a buffer as large as the last ones, which nobody else has meanwhile. */
    void quiet() {
        if (readSize.isInBulk()) {
            readSize.end();
            restartRead();
        }
    }

    /** How much waits here: to be sent or, received, to be read. */
    long waitingBytes() {
        ChannelHandlerContext mine = ctx;
        return mine == null ? 0 : RelayMemory.waitingOn(mine.channel());
    }

    @Override
    public void handlerAdded(ChannelHandlerContext added) {
        ctx = added;
    }

    private ChannelHandlerContext context() {
        return Objects.requireNonNull(ctx, "no connection");
    }

    boolean isOutputEnded() {
        return outputEnded;
    }

    /** How many bytes it has passed on. */
    long passedBytes() {
        return passedBytes;
    }

    /** There is another side. */
    void join(RelaySide to) {
        other = to;
        out = to.endSaid ? null : to.context();
    }

    /** Nothing more is passed on. */
    void part() {
        out = null;
    }

    /** Passes on what was held, and is read from now on. */
    void begin() {
        Queue<ByteBuf> before = held;
        held = null;
        while (before != null && !before.isEmpty()) {
            pass(before.remove());
        }
        RelaySide to = Objects.requireNonNull(other, "no other side");
        flush(to.context(), to);
        if (!relay.isPassing()) {
            return;
        }
        if (inputEnded) {
            to.endOutput();
        } else if (!paused) {
            context().channel().config().setAutoRead(true);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext active) {
        if (ofClient) {
            relay.watcher().onOpened();
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext reading, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (other != null || relay.isClosed()) {
            pass(in);
        } else {
            // Netty reads once more where it is told of the peer's end, though it wasn't asked to read.
            hold(in);
        }
    }

    private void hold(ByteBuf in) {
        Queue<ByteBuf> parts = held;
        if (parts == null) {
            parts = new ArrayDeque<>(1);
            held = parts;
        }
        parts.add(in);
    }

    /** What is held comes again, through the handlers that were added before this one since. */
    void reread() {
        Queue<ByteBuf> before = held;
        held = null;
        while (before != null && !before.isEmpty()) {
            context().pipeline().fireChannelRead(before.remove());
        }
    }

    private void pass(ByteBuf in) {
        ChannelHandlerContext to = out;
        RelaySide toSide = other;
        if (to == null || toSide == null) {
            in.release();
            return;
        }
        int bytes = in.readableBytes();
        passedBytes += bytes;
        toSide.writing(bytes);
        unflushed = true;
        to.write(in, to.voidPromise());
        if (!to.channel().isWritable() || toSide.isFull()) {
            flush(to, toSide);
        }
    }

    /** Sends what was written, and isn't read until that is less than may wait. */
    private void flush(ChannelHandlerContext to, RelaySide toSide) {
        WriteBound its = toSide.bound;
        boolean much = its != null && its.flushing();
        to.flush();
        if (its != null && much) {
            its.flushed();
        }
        pauseUnlessWritable(to.channel());
    }

    private boolean isFull() {
        return bound != null && bound.isFull();
    }

    private void pauseUnlessWritable(Channel otherChannel) {
        if (!otherChannel.isWritable() && !paused) {
            paused = true;
            context().channel().config().setAutoRead(false);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext reading) {
        ChannelHandlerContext to = out;
        RelaySide toSide = other;
        if (unflushed && to != null && toSide != null) {
            unflushed = false;
            if (!ofClient) {
                relay.watcher().onNodeRead();
            }
            flush(to, toSide);
        }
        if (ending && !endSaid && SecureEnd.isEndSaid(reading.channel())) {
            // The engine has told before that it does, when it hadn't.
            endSaid();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext changed) {
        RelaySide from = other;
        if (from != null && from.paused && changed.channel().isWritable()) {
            from.paused = false;
            if (relay.isPassing() && !from.inputEnded) {
                from.context().channel().config().setAutoRead(true);
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext triggered, Object event) {
        if (event instanceof SslCloseCompletionEvent end && end.isSuccess()) {
            // Netty's engine for BoringSSL says so, too, with the first that comes after this side has ended its
            // output.
            if (SecureEnd.isEndSaid(context().channel())) {
                endSaid();
            }
        } else if (event instanceof ChannelInputShutdownEvent) {
            broken |= !endSaid && mayBeCut();
            inputEnded();
        } else if (event instanceof ChannelOutputShutdownEvent && !ending) {
            // Writing has failed. Of what is encrypted nobody else is told.
            failed();
        }
    }

    /**
     * Whether a FIN says nothing: its peer speaks TLS, may have had more to say, and hasn't said that it ends. A client that was told first that
     * its node ends need not: few say it back.
     */
    private boolean mayBeCut() {
        return SecureEnd.isSecure(context().channel()) && !(ofClient && ending);
    }

    /**
     * The peer of an encrypted connection has ended it, both ways: who says close_notify can say nothing more, and engines for TLS don't
     * let it be told anything more.
     */
    private void endSaid() {
        endSaid = true;
        outputEnded = true;
        RelaySide from = other;
        if (from != null) {
            from.part();
        }
        inputEnded();
    }

    @Override
    public void channelInactive(ChannelHandlerContext inactive) {
        // Closed, and not by Sigma.
        if (!endSaid) {
            relay.resetBy(this);
        }
    }

    private void inputEnded() {
        if (inputEnded) {
            return;
        }
        inputEnded = true;
        // Read again, it would only say so again.
        context().channel().config().setAutoRead(false);
        RelaySide to = other;
        if (broken) {
            relay.resetBy(this);
        } else if (to != null && relay.isPassing()) {
            to.endOutput();
        } else {
            relay.lingered(this);
        }
    }

    /** Whether it may still send, though nobody takes that any more. */
    boolean isUnheard() {
        return !inputEnded && other != null && other.endSaid;
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext caught, Throwable cause) {
        if (SecureEnd.isGarbled(cause)) {
            relay.resetBy(this);
        } else if (cause instanceof IOException) {
            failed();
        } else {
            relay.watcher().onThrown(cause);
        }
    }

    /** Reading or writing failed. Where writing did, what it sent before may still be read, up to its end. */
    private void failed() {
        if (endSaid) {
            // Nothing is read from it or written to it any more.
            return;
        }
        broken = true;
        RelaySide from = other;
        if (from != null) {
            from.part();
        }
        if (inputEnded || other == null) {
            relay.resetBy(this);
        }
    }

    /** Ends the output when all that was written before is sent. */
    private void endOutput() {
        context().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> {
            if (!sent.isSuccess()) {
                failed();
            } else if (relay.isPassing() && context().channel() instanceof DuplexChannel duplex) {
                ending = true;
                SecureEnd.sayEnd(duplex).addListener(this::onOutputEnded);
            }
        });
    }

    private void onOutputEnded(Future<?> done) {
        if (done.isSuccess()) {
            outputEnded = true;
            relay.outputEnded();
        } else {
            failed();
        }
    }

    /** Closes it: its output and its input have ended. */
    void close() {
        context().close();
    }

    /** Resets it when all that was written before is sent. */
    void abortAfterLast() {
        context().channel().config().setAutoRead(false);
        context().writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> relay.abort());
    }

    /** Closes it: what came of it is thrown away. */
    void refuse() {
        release();
        close();
    }

    private void release() {
        Queue<ByteBuf> unsent = held;
        held = null;
        if (unsent != null) {
            unsent.forEach(ByteBuf::release);
        }
    }

    /** Resets it now. */
    void abort() {
        release();
        ChannelHandlerContext mine = ctx;
        if (mine == null) {
            return;
        }
        try {
            SecureEnd.reset(mine.channel());
        } catch (ChannelException e) {
            // Some systems know nothing more of a connection that was reset: there is nothing left to reset.
            mine.channel().close();
        }
    }
}
