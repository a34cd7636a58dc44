package net.oooops.sigma.ring;

import io.netty.channel.AbstractServerChannel;
import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.EventLoop;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.NativeInetAddress;
import io.netty.channel.unix.Socket;
import io.netty.channel.unix.UnixChannel;
import io.netty.channel.uring.IoUringIoEvent;
import io.netty.channel.uring.IoUringIoHandle;
import io.netty.util.concurrent.PromiseNotifier;
import java.io.IOException;
import java.net.SocketAddress;
import java.nio.channels.ClosedChannelException;
import org.jspecify.annotations.Nullable;

/**
 * A socket on an io_uring that listens for TCP. The ring says that connections wait, and they are accepted by calls of their own, here and now: what nobody here takes
 * stays in the socket, for whoever has it, too.
 *
 * <p>An accept that is left to the kernel isn't so. Of all that wait in one socket by such an accept the kernel wakes one: where that one is about to leave, or its
 * process to end, the connection waits until another one comes. And what was accepted while it was being cancelled is known to the ring alone. A poll is told of beside
 * all others that wait, and each one looks at the socket anew.
 *
 * <pre>
 *   IDLE ─ wished ─▶ POLLED ─ not wished, closed ─▶ CANCELLED
 *    ▲                 │ connections wait             │ its completion
 *    └─────────────────┴──────────────────────────────┘  (and polled again where reading is wished)
 * </pre>
 */
public final class RingServerChannel extends AbstractServerChannel implements UnixChannel {
    /** Its length, an address of IPv6, a scope and a port: Netty's native code writes no more. */
    private static final int ADDRESS_BYTES = 1 + 16 + 4 + 4;

    private final Socket socket;
    private final RingServerConfig config;
    private final byte[] address = new byte[ADDRESS_BYTES];
    private volatile boolean active;

    private @Nullable IoRegistration registration;
    private boolean wished;
    /** As its submission returned; 0 where no poll is under way. */
    private long poll;

    private boolean cancelled;
    private @Nullable Closing closing;

    /** Who is to be told of a close that waits for a completion, and what fails then. */
    private record Closing(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {}

    /** A channel that is to be bound. */
    public RingServerChannel(Socket socket) {
        this(socket, false);
    }

    /** Takes over a socket that listens already, and whose calls don't wait. */
    public RingServerChannel(int listening) {
        this(new Socket(listening), true);
    }

    private RingServerChannel(Socket socket, boolean active) {
        this.socket = socket;
        this.config = new RingServerConfig(this, socket);
        this.active = active;
    }

    @Override
    public ChannelConfig config() {
        return config;
    }

    @Override
    public Socket fd() {
        return socket;
    }

    @Override
    public boolean isOpen() {
        return socket.isOpen();
    }

    @Override
    public boolean isActive() {
        return active;
    }

    @Override
    protected AbstractUnsafe newUnsafe() {
        return new ListeningUnsafe();
    }

    @Override
    protected boolean isCompatible(EventLoop loop) {
        return loop instanceof IoEventLoop io && io.isCompatible(ListeningUnsafe.class);
    }

    @Override
    protected @Nullable SocketAddress localAddress0() {
        return socket.isOpen() ? socket.localAddress() : null;
    }

    @Override
    protected void doRegister(ChannelPromise promise) {
        IoEventLoop loop = (IoEventLoop) eventLoop();
        loop.register((ListeningUnsafe) unsafe()).addListener(done -> {
            if (!done.isSuccess()) {
                promise.setFailure(done.cause());
                return;
            }
            IoRegistration registered = (IoRegistration) done.getNow();
            if (isOpen()) {
                registration = registered;
                promise.setSuccess();
            } else {
                registered.cancel();
                promise.setFailure(new ClosedChannelException());
            }
        });
    }

    @Override
    protected void doDeregister() {
        IoRegistration registered = registration;
        if (registered != null) {
            registered.cancel();
        }
    }

    @Override
    protected void doBind(SocketAddress local) throws Exception {
        socket.bind(local);
        socket.listen(config.backlog());
        active = true;
    }

    @Override
    protected void doClose() throws Exception {
        active = false;
        socket.close();
    }

    // ---- accepting

    @Override
    protected void doBeginRead() {
        wished = true;
        poll();
    }

    /** {@code autoRead} was switched off, on any thread. */
    void pauseReading() {
        if (!isRegistered()) {
            return;
        }
        if (eventLoop().inEventLoop()) {
            pause();
        } else {
            eventLoop().execute(this::pause);
        }
    }

    private void pause() {
        if (!config.isAutoRead()) {
            wished = false;
            cancel();
        }
    }

    private void poll() {
        if (poll == 0 && registration != null && active && closing == null) {
            cancelled = false;
            poll = registration.submit(Op.pollIn(socket.intValue()));
        }
    }

    private void cancel() {
        if (poll != 0 && !cancelled && registration != null) {
            cancelled = true;
            registration.submit(Op.cancel(poll));
        }
    }

    private void onPolled(int result) {
        poll = 0;
        Closing wanted = closing;
        if (wanted != null) {
            ((ListeningUnsafe) unsafe()).closeNow(wanted);
        } else if (cancelled) {
            // It is wished again, maybe.
            goOn();
        } else if (wished) {
            wished = false;
            if (result < 0 && result != Op.ECANCELED && !Op.isToRepeat(result)) {
                ended(pipeline(), Errors.newIOException("poll", result));
            } else {
                acceptAll();
            }
        }
    }

    private void goOn() {
        if (wished) {
            poll();
        }
    }

    private void acceptAll() {
        ChannelPipeline pipeline = pipeline();
        RecvByteBufAllocator.ExtendedHandle turn = (RecvByteBufAllocator.ExtendedHandle) unsafe().recvBufAllocHandle();
        turn.reset(config);
        turn.attemptedBytesRead(1);
        Throwable failed = null;
        try {
            do {
                turn.lastBytesRead(socket.accept(address));
                if (turn.lastBytesRead() < 0) {
                    break;
                }
                turn.incMessagesRead(1);
                pipeline.fireChannelRead(accepted(turn.lastBytesRead()));
                // Whoever got it may have closed this one, whose number may be another's by then.
            } while (active && turn.continueReading());
        } catch (IOException | RuntimeException | Error e) {
            failed = e;
        }
        turn.readComplete();
        ended(pipeline, failed);
    }

    private static void ended(ChannelPipeline pipeline, @Nullable Throwable failed) {
        if (failed != null) {
            // Before it is read on: whoever hears it may have that end for a while.
            pipeline.fireExceptionCaught(failed);
        }
        // Wishes again, with autoRead.
        pipeline.fireChannelReadComplete();
    }

    private RingSocketChannel accepted(int descriptor) throws IOException {
        Socket accepted = new Socket(descriptor);
        try {
            return new RingSocketChannel(this, accepted, NativeInetAddress.address(address, 1, address[0]));
        } catch (RuntimeException | Error e) {
            accepted.close();
            throw e;
        }
    }

    /** Of this channel. */
    final class ListeningUnsafe extends AbstractUnsafe implements IoUringIoHandle {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException("it listens"));
        }

        @Override
        public void handle(IoRegistration registered, IoEvent event) {
            // Else a cancellation: what it was for completes by itself.
            if (((IoUringIoEvent) event).opcode() == Op.POLL_ADD) {
                onPolled(((IoUringIoEvent) event).res());
            }
        }

        @Override
        public void close() {
            close(voidPromise());
        }

        @Override
        protected void close(ChannelPromise promise, Throwable cause, ClosedChannelException closeCause) {
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
            Closing wanted = new Closing(promise.isVoid() ? newPromise() : promise, cause, closeCause);
            closing = wanted;
            // Until then the kernel holds on to the socket, which listens as long.
            cancel();
            if (poll == 0) {
                closeNow(wanted);
            }
        }

        void closeNow(Closing wanted) {
            super.close(wanted.promise, wanted.cause, wanted.closeCause);
        }
    }
}
