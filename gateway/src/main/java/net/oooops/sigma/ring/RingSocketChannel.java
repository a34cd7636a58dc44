package net.oooops.sigma.ring;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.ChannelInputShutdownReadComplete;
import io.netty.channel.socket.DuplexChannel;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringSocketChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.channels.AlreadyConnectedException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ConnectionPendingException;
import java.nio.channels.NotYetConnectedException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.memory.ReadAhead;
import org.jspecify.annotations.Nullable;

/**
 * A TCP connection on an io_uring. To its handlers it is like Netty's {@link IoUringSocketChannel}, whose sockets it uses, but it receives by {@link Receiving}.
 *
 * <p>Two operations at most are under way, a receive and a send (or the connect). Closing cancels them and waits for their
 * completions, because until then the kernel holds on to the socket and to the memory that it is to send.
 */
public final class RingSocketChannel extends RingChannel implements DuplexChannel, ReadAhead {
    private static final ChannelMetadata METADATA = new ChannelMetadata(false);

    private final RingSocketConfig config;
    private final @Nullable SocketAddress acceptedFrom;

    private @Nullable Receiving receiving;
    private @Nullable Sending sending;
    private @Nullable Connecting connecting;
    private long connectOperation;

    /** A channel that is to be connected. */
    public RingSocketChannel() {
        // A socket that blocks, so that the kernel waits for it by itself: only Netty's channel makes one.
        super(null, (Socket) new IoUringSocketChannel().fd(), false);
        config = new RingSocketConfig(this);
        acceptedFrom = null;
    }

    /** A connection that {@code listening} has accepted. */
    RingSocketChannel(RingServerChannel listening, Socket accepted, @Nullable SocketAddress from) {
        super(listening, accepted, true);
        config = new RingSocketConfig(this);
        acceptedFrom = from;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public ChannelMetadata metadata() {
        return METADATA;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ConnectedUnsafe();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        if (acceptedFrom != null) {
            return acceptedFrom;
        }
        return active && socket.isOpen() ? socket.remoteAddress() : null;
    }

    @Override
    void begin(IoEventLoop loop, IoRegistration registered) throws IOException {
        SharedBuffers buffers = SharedBuffers.of(loop, config.getAllocator());
        receiving = new Receiving(this, registered, buffers, socket.intValue());
        sending = new Sending(registered, socket.intValue());
    }

    @Override
    protected void doBind(SocketAddress local) throws Exception {
        socket.bind(local);
    }

    @Override
    protected void doDisconnect() throws Exception {
        doClose();
    }

    @Override
    protected void doClose() throws Exception {
        active = false;
        if (receiving != null) {
            receiving.stop();
        }
        if (sending != null) {
            sending.release();
        }
        super.doClose();
    }

    // ---- reading

    @Override
    protected void doBeginRead() {
        if (receiving != null && !isClosing()) {
            receiving.wish();
        }
    }

    @Override
    void pause() {
        if (receiving != null) {
            receiving.pause();
        }
    }

    @Override
    public void restartRead() {
        if (receiving != null) {
            receiving.beginAnew();
        }
    }

    @Override
    public long heldBytes() {
        return receiving == null ? 0 : receiving.heldBytes();
    }

    @Override
    public boolean hasMore() {
        return receiving != null && receiving.hasMore();
    }

    /** The peer sent its last byte, or the connection broke. */
    void endInput(int result) {
        if (socket.isInputShutdown()) {
            return;
        }
        if (result < 0) {
            pipeline().fireExceptionCaught(Errors.newIOException("recv", result));
            unsafe().close(voidPromise());
        } else if (config.isAllowHalfClosure()) {
            shutdownInput();
            pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
            pipeline().fireUserEventTriggered(ChannelInputShutdownReadComplete.INSTANCE);
        } else {
            unsafe().close(voidPromise());
        }
    }

    /** There is no memory for what was received. */
    void onReceiveFailed(Throwable cause) {
        pipeline().fireExceptionCaught(cause);
        unsafe().close(voidPromise());
    }

    // ---- writing

    @Override
    protected Object filterOutboundMessage(Object message) {
        return Sending.sendable(message, alloc());
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) throws Exception {
        Sending sender = sending;
        if (sender != null && !isToClose() && !out.isEmpty()) {
            sender.send(out);
        }
    }

    @Override
    protected void doShutdownOutput() throws Exception {
        Sending sender = sending;
        if (sender != null) {
            sender.stop();
        }
        socket.shutdown(false, true);
    }

    // ---- the two halves

    @Override
    public boolean isInputShutdown() {
        return socket.isInputShutdown();
    }

    @Override
    public boolean isOutputShutdown() {
        return socket.isOutputShutdown();
    }

    @Override
    public boolean isShutdown() {
        return socket.isShutdown();
    }

    @Override
    public ChannelFuture shutdownInput() {
        return shutdownInput(newPromise());
    }

    @Override
    public ChannelFuture shutdownInput(ChannelPromise promise) {
        onLoop(() -> {
            try {
                socket.shutdown(true, false);
                promise.trySuccess();
            } catch (IOException | NotYetConnectedException e) {
                // The second: both sides have ended already, and the kernel is done with the connection.
                promise.tryFailure(e);
            }
        });
        return promise;
    }

    @Override
    public ChannelFuture shutdownOutput() {
        return shutdownOutput(newPromise());
    }

    @Override
    public ChannelFuture shutdownOutput(ChannelPromise promise) {
        onLoop(() -> ((ConnectedUnsafe) unsafe()).shutdownOutput(promise));
        return promise;
    }

    @Override
    public ChannelFuture shutdown() {
        return shutdown(newPromise());
    }

    @Override
    public ChannelFuture shutdown(ChannelPromise promise) {
        shutdownOutput().addListener(done -> shutdownInput(promise));
        return promise;
    }

    private void onLoop(Runnable task) {
        if (eventLoop().inEventLoop()) {
            task.run();
        } else {
            eventLoop().execute(task);
        }
    }

    // ---- closing

    @Override
    void cancelAll(ClosedChannelException closeCause) {
        Connecting begun = connecting;
        if (begun != null) {
            begun.abandon(closeCause);
            Objects.requireNonNull(registration, "registered").submit(Op.cancel(connectOperation));
        }
        if (receiving != null) {
            receiving.stop();
        }
        if (sending != null) {
            sending.cancel();
        }
    }

    @Override
    boolean isIdle() {
        return connectOperation == 0
                && (receiving == null || !receiving.isArmed())
                && (sending == null || !sending.isUnderWay());
    }

    private final class ConnectedUnsafe extends RingUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            if (promise.isDone() || !ensureOpen(promise)) {
                return;
            }
            if (connecting != null) {
                throw new ConnectionPendingException();
            }
            if (active) {
                throw new AlreadyConnectedException();
            }
            try {
                if (local != null) {
                    socket.bind(local);
                }
                begin((InetSocketAddress) remote, promise);
            } catch (IOException e) {
                promise.tryFailure(annotateConnectException(e, remote));
                closeIfClosed();
            }
        }

        private void begin(InetSocketAddress remote, ChannelPromise promise) throws IOException {
            IoRegistration registered = Objects.requireNonNull(registration, "registered");
            SocketAddressMemory address = new SocketAddressMemory(remote, Socket.isIPv6Preferred());
            connectOperation = registered.submit(Op.connect(socket.intValue(), address.address(), address.length()));
            if (connectOperation == 0) {
                address.release();
                throw new ClosedChannelException();
            }
            Connecting begun = new Connecting(remote, promise, address);
            connecting = begun;
            int millis = config.getConnectTimeoutMillis();
            if (millis > 0) {
                begun.endsWith(eventLoop().schedule(() -> onLate(begun, millis), millis, TimeUnit.MILLISECONDS));
            }
            promise.addListener(done -> {
                if (done.isCancelled()) {
                    close(voidPromise());
                }
            });
        }

        private void onLate(Connecting late, int millis) {
            if (connecting == late
                    && late.abandon(new ConnectTimeoutException("not connected after " + millis + " ms"))) {
                close(voidPromise());
            }
        }

        private void onConnected(int result) {
            connectOperation = 0;
            Connecting ended = Objects.requireNonNull(connecting, "connecting");
            connecting = null;
            if (isToClose()) {
                ended.release();
                closeIfIdle();
            } else if (result == 0) {
                active = true;
                boolean wanted = ended.succeed();
                pipeline().fireChannelActive();
                if (!wanted) {
                    close(voidPromise());
                }
            } else {
                ended.fail(result);
                closeIfClosed();
            }
        }

        private void onSent(int result) {
            Sending sender = Objects.requireNonNull(sending, "sending");
            ChannelOutboundBuffer out = isToClose() ? null : outboundBuffer();
            if (out != null && result >= 0) {
                // It counts as under way until then: the connection may become writable by it, and more is flushed.
                out.removeBytes(result);
            }
            sender.end();
            if (isToClose()) {
                closeIfIdle();
            } else if (result >= 0 || Op.isToRepeat(result)) {
                flush0();
            } else if (out != null && result != Op.ECANCELED) {
                handleWriteError(Errors.newIOException("send", result));
            }
        }

        @Override
        public void handle(IoRegistration registered, IoEvent event) {
            IoUringIoEvent completed = (IoUringIoEvent) event;
            Objects.requireNonNull(sending, "sending").submitBy(registered);
            switch (completed.opcode()) {
                case Op.RECV ->
                    Objects.requireNonNull(receiving, "receiving").onCompleted(completed.res(), completed.flags());
                case Op.SEND, Op.SENDMSG -> onSent(completed.res());
                case Op.CONNECT -> onConnected(completed.res());
                default -> {
                    // A cancellation: what it was for completes by itself.
                }
            }
        }
    }
}
