package net.oooops.sigma.upstream;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import io.netty.util.ReferenceCountUtil;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import net.oooops.sigma.memory.BoundedReads;
import net.oooops.sigma.memory.ReadAhead;
import org.jspecify.annotations.Nullable;

/**
 * The socket's end of a {@link CrossedChannel}: the last handler of its pipeline. What happens there is posted to the owner in
 * order, one task for all of one turn.
 *
 * <p>Called on the socket's event loop, where nothing else is said.
 */
final class SocketEnd extends ChannelInboundHandlerAdapter {
    /** About so many bytes may have been read and not yet been delivered; beyond, and with any where memory is short, the socket isn't read. */
    static final int READ_AHEAD_BYTES_MAX = 128 * 1024;

    /** So many events of one socket are delivered in one turn of the owner's event loop. */
    private static final int EVENTS_PER_TURN = 32;

    /** Events that carry nothing. */
    enum Mark {
        READ_COMPLETE,
        INACTIVE
    }

    /**
     * Messages have been sent.
     *
     * @param count how many
     * @param failure why they couldn't be, or null
     */
    record Written(int count, @Nullable Throwable failure) {}

    /** Something was thrown. */
    record Failed(Throwable cause) {}

    private final Channel socket;
    private final SingleThreadEventLoop owner;
    private final Consumer<Object> deliver;
    private final Queue<Object> posted = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean delivery = new AtomicBoolean();
    private final AtomicInteger aheadBytes = new AtomicInteger();
    private boolean wished;
    /** The socket isn't read until the owner has taken more. */
    private volatile boolean tooFarAhead;

    private volatile @Nullable BoundedReads reads;

    /** @param deliver takes each event over, on the owner's event loop: buffers, marks, {@link Written}, {@link Failed}, and the socket's own */
    SocketEnd(Channel socket, SingleThreadEventLoop owner, Consumer<Object> deliver) {
        this.socket = socket;
        this.owner = owner;
        this.deliver = deliver;
    }

    /** Has a task run on an event loop; whether that is possible: a loop that has ended takes none. Any thread. */
    static boolean post(EventLoop loop, Runnable task) {
        try {
            loop.execute(task);
            return true;
        } catch (RejectedExecutionException e) {
            return false;
        }
    }

    // What the owner wants

    /** Reading is wished or not. */
    void wish(boolean read) {
        wished = read;
        readIfWished();
    }

    /** How much is read at once; asked before anything was read. */
    void bound(BoundedReads by) {
        reads = by;
        socket.config().setRecvByteBufAllocator(by);
    }

    /** Memory has become short. */
    void restartRead() {
        if (socket instanceof ReadAhead begun) {
            begun.restartRead();
        }
    }

    /** Whether more was read than the owner has taken. Any thread. */
    boolean isAhead() {
        return aheadBytes.get() > 0;
    }

    private int aheadBytesMax() {
        BoundedReads by = reads;
        return by != null && by.isOneByOne() ? 1 : READ_AHEAD_BYTES_MAX;
    }

    private void readIfWished() {
        // Told before it is looked at: whoever takes the last bytes meanwhile has this run again.
        tooFarAhead = true;
        boolean mayRead = aheadBytes.get() < aheadBytesMax();
        if (mayRead) {
            tooFarAhead = false;
        }
        socket.config().setAutoRead(wished && mayRead);
    }

    /** The owner has taken that many of the bytes that were read. Called on the owner's event loop. */
    void delivered(int bytes) {
        int left = aheadBytes.addAndGet(-bytes);
        if (tooFarAhead && left < aheadBytesMax()) {
            tooFarAhead = false;
            post(socket.eventLoop(), this::readIfWished);
        }
    }

    /** Sends these messages, which are its own then. */
    void write(List<Object> batch) {
        int last = batch.size() - 1;
        for (int i = 0; i < last; i++) {
            socket.write(batch.get(i), socket.voidPromise());
        }
        socket.writeAndFlush(batch.get(last)).addListener(sent -> post(new Written(batch.size(), sent.cause())));
    }

    /** Sets one of the socket's own options. */
    <T> void option(ChannelOption<T> option, T value) {
        try {
            socket.config().setOption(option, value);
        } catch (ChannelException e) {
            // Some systems know nothing more of a connection that was reset; its end is told anyway.
        }
    }

    // What happens to the socket

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        // Counted before it can be delivered, and be another's.
        int ahead = aheadBytes.addAndGet(((ByteBuf) message).readableBytes());
        posted.add(message);
        if (ahead >= aheadBytesMax()) {
            readIfWished();
            deliverPosted();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        post(Mark.READ_COMPLETE);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        post(event);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        post(new Failed(cause));
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        post(Mark.INACTIVE);
    }

    private void post(Object event) {
        posted.add(event);
        deliverPosted();
    }

    private void deliverPosted() {
        if (!delivery.getAndSet(true) && !post(owner, this::deliverSome)) {
            // The owner is gone, and nobody closes it any more.
            drop();
            socket.close();
        }
    }

    /** Each event has one taker, whoever else is at it. */
    private void drop() {
        Object event = posted.poll();
        while (event != null) {
            ReferenceCountUtil.release(event);
            event = posted.poll();
        }
    }

    /** Delivers, for one turn, what there is; what is left after that waits until others had their turn. Called on the owner's event loop. */
    private void deliverSome() {
        boolean all = false;
        try {
            all = deliverUpTo(EVENTS_PER_TURN);
        } finally {
            if (!all) {
                // Also where one throws: nothing more would ever be delivered.
                owner.executeAfterEventLoopIteration(() -> post(owner, this::deliverSome));
            }
        }
    }

    /** Whether that is all there is. */
    private boolean deliverUpTo(int count) {
        for (int i = 0; i < count; i++) {
            Object event = posted.poll();
            if (event == null) {
                delivery.set(false);
                if (!posted.isEmpty()) {
                    deliverPosted();
                }
                return true;
            }
            deliver.accept(event);
        }
        return false;
    }
}
