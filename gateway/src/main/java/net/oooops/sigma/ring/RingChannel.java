package net.oooops.sigma.ring;

import io.netty.channel.AbstractChannel;
import io.netty.channel.Channel;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.util.concurrent.PromiseNotifier;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * What listens on an io_uring and what is connected have in common: a socket, how it comes to a ring, and how it leaves it. Closing cancels what is under way,
 * and waits for the completions, because until then the kernel holds on to the socket, and to the memory that it was given.
 *
 * <pre>
 *   open ─ close ─▶ CLOSING: operations are cancelled ─ the last one has completed, or none was under way ─▶ closed
 * </pre>
 *
 * <p>On the channel's event loop, where nothing else is said.
 */
abstract class RingChannel extends AbstractChannel implements UnixChannel {
    final Socket socket;
    /** Whether it is connected, or listens. */
    volatile boolean active;

    /** Null until it has come to its ring. */
    @Nullable IoRegistration registration;

    private @Nullable Closing closing;

    /** Who is to be told of a close that waits for completions, and what fails then. */
    private record Closing(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {}

    /** @param active whether it is connected, or listens, already */
    RingChannel(@Nullable Channel parent, Socket socket, boolean active) {
        super(parent);
        this.socket = socket;
        this.active = active;
    }

    @Override
    public final Socket fd() {
        return socket;
    }

    @Override
    public final boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public final boolean isActive() {
        return active;
    }

    @Override
    protected final boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(RingUnsafe.class);
    }

    @Override
    protected final @Nullable SocketAddress localAddress0() {
        return socket.isOpen() ? socket.localAddress() : null;
    }

    // ---- coming to a ring

    @Override
    protected final void doRegister(ChannelPromise promise) {
        IoEventLoop loop = (IoEventLoop) eventLoop();
        loop.register((RingUnsafe) unsafe()).addListener(done -> {
            if (done.isSuccess()) {
                begin(loop, (IoRegistration) done.getNow(), promise);
            } else {
                promise.setFailure(done.cause());
            }
        });
    }

    private void begin(IoEventLoop loop, IoRegistration registered, ChannelPromise promise) {
        try {
            if (!isOpen()) {
                throw new ClosedChannelException();
            }
            begin(loop, registered);
        } catch (IOException | OutOfMemoryError e) {
            registered.cancel();
            promise.setFailure(e);
            return;
        }
        registration = registered;
        promise.setSuccess();
    }

    /**
     * Makes what it needs there.
     *
     * @throws IOException where that can't be; it is closed then
     */
    abstract void begin(IoEventLoop loop, IoRegistration registered) throws IOException;

    @Override
    protected final void doDeregister() {
        IoRegistration registered = registration;
        if (registered != null) {
            registered.cancel();
        }
    }

    // ---- reading

    /** {@code autoRead} was switched off, on any thread. */
    final void pauseReading() {
        if (!isRegistered()) {
            return;
        }
        if (eventLoop().inEventLoop()) {
            pauseIfWished();
        } else {
            eventLoop().execute(this::pauseIfWished);
        }
    }

    private void pauseIfWished() {
        if (!config().isAutoRead()) {
            pause();
        }
    }

    /** Nothing is read until it is wished again. */
    abstract void pause();

    // ---- closing

    final boolean isClosing() {
        return closing != null || !active;
    }

    /** Whether a close was asked for: what completes is no news any more. */
    final boolean isToClose() {
        return closing != null;
    }

    /** Cancels what is under way. */
    abstract void cancelAll(ClosedChannelException closeCause);

    /** Whether nothing is under way. */
    abstract boolean isIdle();

    /** Closes where that waited for this completion only. */
    final void closeIfIdle() {
        Closing wanted = closing;
        if (wanted != null && isIdle() && socket.isOpen()) {
            ((RingUnsafe) unsafe()).closeNow(wanted);
        }
    }

    @Override
    protected void doClose() throws Exception {
        active = false;
        socket.close();
    }

    /** Of such a channel. */
    abstract class RingUnsafe extends AbstractUnsafe implements IoUringIoHandle {
        @Override
        public final void close() {
            close(voidPromise());
        }

        @Override
        protected final void close(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
            if (!promise.setUncancellable()) {
                return;
            }
            Closing before = closing;
            if (before != null) {
                if (!promise.isVoid()) {
                    before.promise.addListener(new PromiseNotifier<>(false, promise));
                }
                return;
            }
            closing = new Closing(promise.isVoid() ? newPromise() : promise, cause, closeCause);
            cancelAll(closeCause);
            closeIfIdle();
        }

        private void closeNow(Closing wanted) {
            super.close(wanted.promise, wanted.cause, wanted.closeCause);
        }
    }
}
