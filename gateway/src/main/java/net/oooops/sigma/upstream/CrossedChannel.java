package net.oooops.sigma.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.DefaultChannelConfig;
import io.netty.channel.EventLoop;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.channel.nio.AbstractNioChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.util.ReferenceCountUtil;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.memory.BoundedReads;
import net.oooops.sigma.memory.ReadAhead;
import org.jspecify.annotations.Nullable;

/**
 * A connection whose socket is driven by another event loop than its owner's: together with {@link SocketEnd} the one place
 * where anything hops from loop to loop. To its owner it is a channel on the owner's own loop, like any other.
 *
 * <pre>
 *   owner's loop                                           socket's loop
 *   CrossedChannel ── what is written, options, closing ─▶ SocketEnd ─ socket
 *                  ◀─ what is read, ends, faults, what ───
 *                     has been sent
 * </pre>
 *
 * What is written stays in this channel's outbound buffer until the socket's loop has sent it, so that writability and
 * promises mean what they mean elsewhere. What was read and not yet delivered is bounded by {@link
 * SocketEnd#READ_AHEAD_BYTES_MAX}: beyond, the socket isn't read.
 *
 * <p>Called on the owner's event loop only.
 */
final class CrossedChannel extends AbstractChannel implements DuplexChannel, ReadAhead {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final Channel socket;
    private final SocketAddress local;
    private final SocketAddress remote;
    private final Config config;
    private final SocketEnd end;
    /** Done when the socket is closed, and not just this channel. */
    private final ChannelPromise socketClosed;

    private volatile boolean open = true;
    private boolean readWished;
    private boolean inputShutdown;
    private boolean outputShutdown;
    /** How many of the flushed messages the socket's loop has. */
    private int handedCount;

    private @Nullable Throwable writeFailure;

    /** In front of an open socket, whose end posts what happens there to {@link #deliver}. */
    private CrossedChannel(Channel socket, SocketAddress local, SocketAddress remote, SingleThreadEventLoop owner) {
        super(null);
        this.socket = socket;
        this.local = local;
        this.remote = remote;
        this.config = new Config(this);
        config.setAutoRead(false);
        config.setAutoClose(false);
        config.setAllocator(socket.alloc());
        this.end = new SocketEnd(socket, owner, this::deliver);
        this.socketClosed = newPromise();
        socket.closeFuture().addListener(closed -> SocketEnd.post(owner, socketClosed::setSuccess));
    }

    /**
     * Puts the channel that its owner sees in front of an open socket. Called on the socket's event loop; nothing was read from
     * it yet.
     */
    static void open(Channel socket, SingleThreadEventLoop owner, NodeConnector.Callback callback) {
        SocketAddress local = socket.localAddress();
        SocketAddress remote = socket.remoteAddress();
        if (local == null || remote == null) {
            // Reset as soon as it was there.
            socket.close();
            SocketEnd.post(owner, () -> callback.onConnectFailed(Fault.CONNECT_FAILED, new ClosedChannelException()));
            return;
        }
        CrossedChannel crossed;
        try {
            crossed = new CrossedChannel(socket, local, remote, owner);
            // Before its owner could: the peer's end may be there already.
            socket.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
            socket.pipeline().addLast(crossed.end);
        } catch (RuntimeException | Error e) {
            socket.close();
            SocketEnd.post(owner, () -> callback.onConnectFailed(Fault.INTERNAL, e));
            return;
        }
        boolean heard = SocketEnd.post(owner, () -> {
            owner.register(crossed);
            NodeConnector.connected(crossed, callback);
        });
        if (!heard) {
            socket.close();
        }
    }

    /** Something has happened to the socket. */
    private void deliver(Object event) {
        switch (event) {
            case ByteBuf bytes -> read(bytes);
            case SocketEnd.Mark mark -> {
                if (mark == SocketEnd.Mark.INACTIVE) {
                    unsafe().close(unsafe().voidPromise());
                } else if (open) {
                    if (!config.isAutoRead()) {
                        // What was asked for without it has come.
                        wish(false);
                    }
                    pipeline().fireChannelReadComplete();
                }
            }
            case SocketEnd.Written written -> written(written);
            case SocketEnd.Failed failed -> {
                if (open) {
                    pipeline().fireExceptionCaught(failed.cause());
                }
            }
            case ChannelInputShutdownEvent ended -> inputEnded(ended);
            default -> {
                if (open) {
                    pipeline().fireUserEventTriggered(event);
                }
            }
        }
    }

    private void inputEnded(ChannelInputShutdownEvent ended) {
        inputShutdown = true;
        if (open && config.allowHalfClosure) {
            pipeline().fireUserEventTriggered(ended);
        } else {
            unsafe().close(unsafe().voidPromise());
        }
    }

    private void read(ByteBuf bytes) {
        int count = bytes.readableBytes();
        if (open) {
            pipeline().fireChannelRead(bytes);
        } else {
            bytes.release();
        }
        end.delivered(count);
    }

    private void written(SocketEnd.Written written) {
        ChannelOutboundBuffer out = unsafe().outboundBuffer();
        if (out == null) {
            // Its output was shut down meanwhile.
            return;
        }
        if (written.failure() == null) {
            for (int i = 0; i < written.count(); i++) {
                handedCount--;
                out.remove();
            }
        } else {
            writeFailure = written.failure();
            unsafe().flush();
        }
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer in) throws Exception {
        Throwable failure = writeFailure;
        if (failure instanceof Exception exception) {
            throw exception;
        } else if (failure != null) {
            throw new ClosedChannelException();
        }
        Batch batch = new Batch(handedCount);
        in.forEachFlushedMessage(batch);
        List<Object> messages = batch.messages;
        if (messages.isEmpty()) {
            return;
        }
        handedCount += messages.size();
        if (!SocketEnd.post(socket.eventLoop(), () -> end.write(messages))) {
            messages.forEach(ReferenceCountUtil::release);
            throw new ClosedChannelException();
        }
    }

    /**
     * With NIO all slices of a buffer are sent through one view that they have in common, and they may be on their way on several
     * event loops: a slice is copied.
     */
    @Override
    protected Object filterOutboundMessage(Object message) {
        boolean shared =
                message instanceof ByteBuf bytes && bytes.unwrap() != null && socket instanceof AbstractNioChannel;
        if (!shared) {
            return message;
        }
        ByteBuf slice = (ByteBuf) message;
        ByteBuf copy = alloc().directBuffer(slice.readableBytes()).writeBytes(slice);
        slice.release();
        return copy;
    }

    /** Where it is called without auto-read, reading goes on until what comes next was delivered. */
    @Override
    protected void doBeginRead() {
        wish(true);
    }

    private void wish(boolean read) {
        if (readWished != read) {
            readWished = read;
            SocketEnd.post(socket.eventLoop(), () -> end.wish(read));
        }
    }

    @Override
    public void restartRead() {
        SocketEnd.post(socket.eventLoop(), end::restartRead);
    }

    @Override
    public boolean hasMore() {
        return end.isAhead();
    }

    /** {@inheritDoc} That is when the socket's loop has closed it: until then it has a descriptor, which isn't another's. */
    @Override
    public ChannelFuture closeFuture() {
        return socketClosed;
    }

    @Override
    protected void doClose() {
        open = false;
        SocketEnd.post(socket.eventLoop(), socket::close);
    }

    @Override
    protected void doDisconnect() {
        doClose();
    }

    @Override
    protected void doShutdownOutput() {
        outputShutdown = true;
        SocketEnd.post(socket.eventLoop(), ((DuplexChannel) socket)::shutdownOutput);
    }

    @Override
    public boolean isInputShutdown() {
        return inputShutdown || !open;
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        inputShutdown = true;
        SocketEnd.post(socket.eventLoop(), ((DuplexChannel) socket)::shutdownInput);
        return promise.setSuccess();
    }

    @Override
    public boolean isOutputShutdown() {
        return outputShutdown || !open;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    /** {@inheritDoc} It is done, as far as its owner can see, before the peer is told. */
    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        ((AbstractUnsafe) unsafe()).shutdownOutput(promise);
        return promise;
    }

    @Override
    public boolean isShutdown() {
        return isInputShutdown() && isOutputShutdown();
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownInput();
        return shutdownOutput(promise);
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ConnectedUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return true;
    }

    @Override
    protected SocketAddress localAddress0() {
        return local;
    }

    @Override
    protected SocketAddress remoteAddress0() {
        return remote;
    }

    @Override
    protected void doBind(SocketAddress localAddress) {
        throw new UnsupportedOperationException("bind (expected: nothing, it is connected)");
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public boolean isOpen() {
        return open;
    }

    @Override
    public boolean isActive() {
        return open;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    private final class ConnectedUnsafe extends AbstractUnsafe {
        @Override
        public void connect(SocketAddress remoteAddress, @Nullable SocketAddress localAddress, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("connect (expected: nothing, it is connected)"));
        }
    }

    /** The flushed messages that the socket's loop doesn't have yet. */
    private static final class Batch implements ChannelOutboundBuffer.MessageProcessor {
        private final List<Object> messages = new ArrayList<>(2);
        private int toSkip;

        Batch(int handedCount) {
            this.toSkip = handedCount;
        }

        @Override
        public boolean processMessage(Object message) {
            if (toSkip > 0) {
                toSkip--;
            } else {
                messages.add(ReferenceCountUtil.retain(message));
            }
            return true;
        }
    }

    /** What concerns reading, writing and buffers is kept here; the options of the socket go to it, in order with all else. */
    private static final class Config extends DefaultChannelConfig {
        private final CrossedChannel crossed;
        private boolean allowHalfClosure;

        Config(CrossedChannel crossed) {
            super(crossed);
            this.crossed = crossed;
        }

        @Override
        public <T> boolean setOption(ChannelOption<T> option, T value) {
            if (option.equals(ChannelOption.ALLOW_HALF_CLOSURE)) {
                allowHalfClosure = (Boolean) value;
                return true;
            }
            return super.setOption(option, value)
                    || SocketEnd.post(crossed.socket.eventLoop(), () -> crossed.end.option(option, value));
        }

        @Override
        public ChannelConfig setRecvByteBufAllocator(RecvByteBufAllocator reads) {
            if (reads instanceof BoundedReads bounded) {
                BoundedReads there = bounded.elsewhere();
                SocketEnd.post(crossed.socket.eventLoop(), () -> crossed.end.bound(there));
            }
            return super.setRecvByteBufAllocator(reads);
        }

        @Override
        protected void autoReadCleared() {
            crossed.wish(false);
        }
    }
}
