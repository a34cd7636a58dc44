package net.oooops.sigma.ring;

import io.netty.channel.ChannelConfig;
import io.netty.channel.ChannelMetadata;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.ChannelPromise;
import io.netty.channel.IoEvent;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannel;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.NativeInetAddress;
import io.netty.channel.unix.Socket;
import io.netty.channel.uring.IoUringIoEvent;
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
public final class RingServerChannel extends RingChannel implements ServerChannel {
    private static final int ACCEPTS_PER_TURN = 16;
    private static final ChannelMetadata METADATA = new ChannelMetadata(false, ACCEPTS_PER_TURN);

    private static final String LISTENS = "it listens";

    /** Its length, an address of IPv6, a scope and a port: Netty's native code writes no more. */
    private static final int ADDRESS_BYTES = 1 + 16 + 4 + 4;

    private final RingServerConfig config;
    private final byte[] address = new byte[ADDRESS_BYTES];

    private boolean wished;
    /** As its submission returned; 0 where no poll is under way. */
    private long poll;

    private boolean cancelled;

    /** A channel that is to be bound. */
    public RingServerChannel(Socket socket) {
        this(socket, false);
    }

    /** Takes over a socket that listens already, and whose calls don't wait. */
    public RingServerChannel(int listening) {
        this(new Socket(listening), true);
    }

    private RingServerChannel(Socket socket, boolean active) {
        super(null, socket, active);
        this.config = new RingServerConfig(this);
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
        return new ListeningUnsafe();
    }

    @Override
    protected @Nullable SocketAddress remoteAddress0() {
        return null;
    }

    @Override
    void begin(IoEventLoop loop, IoRegistration registered) {
        // It is polled once it is to be read.
    }

    @Override
    protected void doBind(SocketAddress local) throws Exception {
        socket.bind(local);
        socket.listen(config.backlog());
        active = true;
    }

    @Override
    protected void doDisconnect() {
        throw new UnsupportedOperationException(LISTENS);
    }

    @Override
    protected void doWrite(ChannelOutboundBuffer out) {
        throw new UnsupportedOperationException(LISTENS);
    }

    @Override
    protected Object filterOutboundMessage(Object message) {
        throw new UnsupportedOperationException(LISTENS);
    }

    // ---- accepting

    @Override
    protected void doBeginRead() {
        wished = true;
        poll();
    }

    @Override
    void pause() {
        wished = false;
        cancel();
    }

    private void poll() {
        if (poll == 0 && registration != null && !isClosing()) {
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
        if (isToClose()) {
            closeIfIdle();
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

    @Override
    void cancelAll(ClosedChannelException closeCause) {
        // Until its completion the socket listens.
        cancel();
    }

    @Override
    boolean isIdle() {
        return poll == 0;
    }

    private final class ListeningUnsafe extends RingUnsafe {
        @Override
        public void connect(SocketAddress remote, SocketAddress local, ChannelPromise promise) {
            promise.setFailure(new UnsupportedOperationException(LISTENS));
        }

        @Override
        public void handle(IoRegistration registered, IoEvent event) {
            // Else a cancellation: what it was for completes by itself.
            if (((IoUringIoEvent) event).opcode() == Op.POLL_ADD) {
                onPolled(((IoUringIoEvent) event).res());
            }
        }
    }
}
