package net.oooops.sigma.ring;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelPipeline;
import io.netty.channel.IoRegistration;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.uring.IoUringIoOps;
import java.util.ArrayDeque;
import java.util.Objects;
import net.oooops.sigma.memory.BoundedReads;
import org.jspecify.annotations.Nullable;

/**
 * Reading from one connection. A receive is armed for as long as reading is wished, and cancelled when it isn't: what the
 * kernel received until then waits here, which is what it can receive in one turn of the event loop and no more.
 *
 * <pre>
 *   IDLE ─ wished ─▶ ARMED ─ not wished ─▶ CANCELLED
 *    ▲                │ its last completion  │ its last completion
 *    └────────────────┴──────────────────────┘  (and armed again where reading is wished)
 * </pre>
 *
 * <p>Messages are received by one operation for all, into small buffers. A connection that fills one goes over to large ones,
 * with an operation for each, until what comes is small again; and, where its {@code RecvByteBufAllocator} guesses that more than a
 * large one will come, to buffers of its own of that size. Where {@link BoundedReads} say so,
 * it receives into small buffers with an operation for each.
 *
 * <p>Called on the event loop only.
 */
final class Receiving {
    /** What is received into. */
    private enum Into {
        SMALL,
        LARGE,
        OWN
    }

    private static final int OPEN = 1;
    /** A transfer's last piece may be small, or one in between. */
    private static final int SMALL_IN_A_ROW = 8;

    private final RingSocketChannel channel;
    private final IoRegistration registration;
    private final SharedBuffers buffers;
    private final int socket;

    private boolean wished;
    private boolean armed;
    private boolean cancelled;
    private boolean delivering;
    private Into into = Into.SMALL;
    /** What is received into where that is {@link Into#OWN}. */
    private @Nullable ByteBuf own;

    /** Whether what is armed next receives into larger buffers than small ones. */
    private boolean inBulk;

    private boolean mayHaveMore;
    private int smallInARow;
    private long operation;
    /** {@link #OPEN}, 0 at the peer's end, or the negative number of an error. */
    private int end = OPEN;

    private @Nullable ArrayDeque<ByteBuf> held;

    Receiving(RingSocketChannel channel, IoRegistration registration, SharedBuffers buffers, int socket) {
        this.channel = channel;
        this.registration = registration;
        this.buffers = buffers;
        this.socket = socket;
    }

    /** Reading is wished, once or until {@link #pause}: it goes on by itself with {@code autoRead}. */
    void wish() {
        wished = true;
        if (delivering) {
            return;
        }
        if (holds() || end != OPEN) {
            // Not here: whoever asks is in the middle of something.
            channel.eventLoop().execute(this::deliverHeld);
        } else {
            arm();
        }
    }

    /** Reading is not wished for now. */
    void pause() {
        wished = false;
        if (!delivering) {
            disarm();
        }
    }

    /** What is received into may be another size from now on: a receive that is armed begins anew. */
    void beginAnew() {
        disarm();
    }

    /** The connection is being closed: what comes is dropped. */
    void stop() {
        wished = false;
        disarm();
        ArrayDeque<ByteBuf> dropped = held;
        if (dropped != null) {
            held = null;
            dropped.forEach(ByteBuf::release);
        }
    }

    /** How much was received and not delivered. */
    long heldBytes() {
        long bytes = 0;
        if (held != null) {
            for (ByteBuf waiting : held) {
                bytes += waiting.readableBytes();
            }
        }
        return bytes;
    }

    /** Whether more is to be delivered by now: it waits here, or in the kernel. */
    boolean hasMore() {
        return mayHaveMore || holds();
    }

    /** Whether the kernel may still complete a receive. */
    boolean isArmed() {
        return armed;
    }

    private void arm() {
        if (!armed) {
            try {
                operation = registration.submit(next());
            } catch (OutOfMemoryError e) {
                channel.onReceiveFailed(e);
                return;
            }
            armed = operation != 0;
            cancelled = false;
            if (!armed) {
                releaseOwn();
            }
        }
    }

    /** A receive that fits what came before. */
    private IoUringIoOps next() {
        if (channel.config().getRecvByteBufAllocator() instanceof BoundedReads bounded && bounded.isOneByOne()) {
            into = Into.SMALL;
            return Op.receiveOnce(socket, buffers.smallGroup(), mayHaveMore);
        }
        if (!inBulk) {
            into = Into.SMALL;
            return Op.receiveAll(socket, buffers.smallGroup());
        }
        int expected = sizes().guess();
        if (expected > SharedBuffers.LARGE_BYTES) {
            ByteBuf buffer = channel.alloc().directBuffer(expected, expected);
            own = buffer;
            into = Into.OWN;
            return Op.receiveInto(socket, Sending.addressOf(buffer, 0, expected), expected, mayHaveMore);
        }
        into = Into.LARGE;
        return Op.receiveOnce(socket, buffers.largeGroup(), mayHaveMore);
    }

    private RecvByteBufAllocator.ExtendedHandle sizes() {
        return (RecvByteBufAllocator.ExtendedHandle) channel.unsafe().recvBufAllocHandle();
    }

    private void disarm() {
        if (armed && !cancelled) {
            cancelled = true;
            registration.submit(Op.cancel(operation));
        }
    }

    /** A receive brought {@code result} bytes, or ended. */
    void onCompleted(int result, int flags) {
        ByteBuf bytes =
                into == Into.OWN ? takeOwn(result) : Op.hasBuffer(flags) ? take(Op.buffer(flags), result) : null;
        mayHaveMore = Op.mayHaveMore(flags);
        if (!Op.isArmed(flags)) {
            armed = false;
            if (result == Op.ENOBUFS) {
                // All are in completions not handled yet. Small ones are back as soon as these are; for large ones
                // others
                // may be quicker again.
                buffers.onNoneSmall();
                inBulk = false;
            } else if (result <= 0 && result != Op.ECANCELED && !Op.isToRepeat(result)) {
                end = result;
            }
        }
        if (bytes != null) {
            adapt(result);
            accept(bytes);
        }
        goOn();
    }

    private @Nullable ByteBuf take(int id, int bytes) {
        boolean large = into == Into.LARGE;
        if (bytes > 0 && !channel.isClosing()) {
            try {
                return large
                        ? buffers.takeLarge(id, bytes, channel.alloc())
                        : buffers.takeSmall(id, bytes, channel.alloc());
            } catch (OutOfMemoryError e) {
                channel.onReceiveFailed(e);
            }
        }
        if (large) {
            buffers.giveBackLarge(id);
        } else {
            buffers.giveBackSmall(id);
        }
        return null;
    }

    private @Nullable ByteBuf takeOwn(int bytes) {
        ByteBuf filled = Objects.requireNonNull(own, "own buffer");
        if (bytes > 0 && !channel.isClosing()) {
            filled.writerIndex(bytes);
            if (bytes > SharedBuffers.LARGE_BYTES) {
                own = null;
                return filled;
            }
            try {
                // Whoever is slow to pass on a little keeps no more memory than that.
                ByteBuf copy = channel.alloc().directBuffer(bytes);
                copy.writeBytes(filled);
                releaseOwn();
                return copy;
            } catch (OutOfMemoryError e) {
                channel.onReceiveFailed(e);
            }
        }
        releaseOwn();
        return null;
    }

    private void releaseOwn() {
        ByteBuf unused = own;
        if (unused != null) {
            own = null;
            unused.release();
        }
    }

    private void adapt(int bytes) {
        if (into == Into.SMALL) {
            if (bytes == SharedBuffers.SMALL_BYTES) {
                inBulk = true;
                disarm();
            }
            return;
        }
        sizes().lastBytesRead(bytes);
        if (bytes > SharedBuffers.SMALL_BYTES) {
            smallInARow = 0;
        } else if (++smallInARow == SMALL_IN_A_ROW) {
            smallInARow = 0;
            inBulk = false;
        }
    }

    private void accept(ByteBuf bytes) {
        if (wished && !holds()) {
            deliver(bytes);
        } else {
            ArrayDeque<ByteBuf> waiting = held;
            if (waiting == null) {
                waiting = new ArrayDeque<>();
                held = waiting;
            }
            waiting.add(bytes);
            if (channel.config().getRecvByteBufAllocator() instanceof BoundedReads bounded) {
                bounded.held(bytes.readableBytes());
            }
        }
    }

    private boolean holds() {
        ArrayDeque<ByteBuf> waiting = held;
        return waiting != null && !waiting.isEmpty();
    }

    private void deliver(ByteBuf bytes) {
        wished = false;
        delivering = true;
        try {
            ChannelPipeline pipeline = channel.pipeline();
            pipeline.fireChannelRead(bytes);
            // Wishes again, with autoRead.
            pipeline.fireChannelReadComplete();
        } finally {
            delivering = false;
        }
    }

    private void deliverHeld() {
        ArrayDeque<ByteBuf> waiting = held;
        while (waiting != null && wished && !delivering) {
            ByteBuf next = waiting.poll();
            if (next == null) {
                break;
            }
            deliver(next);
            waiting = held;
        }
        goOn();
    }

    private void goOn() {
        if (channel.isClosing()) {
            channel.closeIfIdle();
        } else if (!wished) {
            disarm();
        } else if (!holds()) {
            if (end == OPEN) {
                arm();
            } else {
                channel.endInput(end);
            }
        }
    }
}
