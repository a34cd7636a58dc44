package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.collection.IntObjectHashMap;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.Timed;
import net.oooops.sigma.tls.SecureEnd;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a node that speaks HTTP/2 (RFC 9113): lends a stream for each exchange, as many at once as the node takes.
 *
 * <pre>
 *   OPEN ─▶ GOING (the node, or the pool, wants no more streams on it) ─▶ CLOSED
 * </pre>
 *
 * While streams are open and nothing comes the node is asked for a sign of life (PING), as often as {@link NodePings} allows.
 *
 * <p>Called on the connection's event loop only.
 */
public final class Http2ClientConnection extends Http2Handler {
    /** Who keeps the connection. */
    public interface Keeper {
        /** What the Worker's heads are written with. */
        HeadWriter writer();

        /** What the Worker's connections work in. */
        Http2Room room();

        /** A stream is over, or the node has said how many it takes: others may be lent. */
        void onRoom(Http2ClientConnection connection);

        /** No more streams can be had of it. */
        void onGoing(Http2ClientConnection connection);

        /** The connection is closed. */
        void onConnectionLost(Http2ClientConnection connection);

        /** The connection is about to be closed because it was idle for too long. */
        void onIdleTimeout();

        /** The node broke a rule of the protocol, and the connection ends for it. */
        void onBroken(String reason);

        /** Something was thrown on a connection, which closes: a fault of Sigma's own. */
        void onThrown(Throwable cause);
    }

    private enum State {
        OPEN,
        GOING,
        CLOSED
    }

    /** How many streams are lent before the node has said how many it takes. */
    private static final int STREAMS_FIRST = 100;
    /** More at once share one window, and one place in the kernel's queues. */
    private static final int STREAMS_MAX = 1000;

    /** Reading stops where so many times more waits of what answers the node than may of bodies: requests of others never stop their answers. */
    private static final int UNSENT_FACTOR = 16;

    private static final int CONTINUATIONS_MAX = 16;
    private static final int WINDOW_BYTES_MAX = 1 << 20;
    private static final long ALIVE_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** A node that takes nothing and asks all the time isn't read, for so many times as long at most. */
    private static final int UNREAD_MAX = 12;
    /** The content of a PING that asks for a sign of life. */
    private static final long ALIVE = 0x7369_676D_6161_6C76L;

    private final Keeper keeper;
    private final Limits limits;
    private final DeadlineWheel wheel;
    private final Http2Output output;
    private final Http2Input input;
    private final ControlFrames controls;
    private final Responses responses;
    private final IntObjectHashMap<Http2ClientStream> streams = new IntObjectHashMap<>();
    private final SpareStreams spare;
    private final Deadline deadline = new Deadline();
    private final NodePings pings = new NodePings();

    private State state = State.OPEN;
    private int nextId = 1;
    /** Lent, and without a number yet. */
    private int lentCount;

    private long idleTimeoutNanos;
    private boolean used;

    /** A connection that was just opened. */
    public Http2ClientConnection(
            Keeper keeper, Limits limits, DeadlineWheel wheel, RelayMemory memory, Channel channel) {
        super(channel, readerOf(limits, keeper.room()), keeper.room());
        this.keeper = keeper;
        this.limits = limits;
        this.wheel = wheel;
        this.output = new Http2Output(channel, memory, limits.writeBufferBytesMax(), keeper.room());
        this.input = new Http2Input(output, wheel, WINDOW_BYTES_MAX, true, this);
        this.controls = new ControlFrames(this, output, input);
        this.responses = new Responses(this, input);
        this.spare = new SpareStreams(channel);
    }

    private static FrameReader readerOf(Limits limits, Http2Room room) {
        return new FrameReader(room, false, 2 * limits.responseHeaderBytesMax(), CONTINUATIONS_MAX);
    }

    @Override
    Messages messages() {
        return responses;
    }

    @Override
    ControlFrames controls() {
        return controls;
    }

    Keeper keeper() {
        return keeper;
    }

    Limits limits() {
        return limits;
    }

    DeadlineWheel wheel() {
        return wheel;
    }

    /** The address it leads to. */
    public InetSocketAddress remote() {
        return (InetSocketAddress) channel().remoteAddress();
    }

    void onMemoryShort() {
        RelayMemory.restartRead(channel());
    }

    /**
     * Begins to speak.
     *
     * @param idleNanos for how long it stays open without streams
     */
    public void begin(long idleNanos) {
        idleTimeoutNanos = idleNanos;
        output.outlet().content(Unpooled.wrappedBuffer(Frames.PREFACE), Frames.PREFACE.length);
        output.frames()
                .settings(
                        Frames.ENABLE_PUSH,
                        0,
                        Frames.INITIAL_WINDOW_SIZE,
                        input.streamWindow(),
                        Frames.MAX_HEADER_LIST_SIZE,
                        limits.responseHeaderBytesMax());
        input.open();
        output.flushSoon();
        wheel.arm(deadline, idleTimeoutNanos);
    }

    // Streams

    /** Whether another stream may be had. */
    public boolean hasRoom() {
        return state == State.OPEN && !input.isHeld() && channel().isActive() && streamCount() < streamsMax();
    }

    /** Whether the node has yet to say if it takes other protocols on streams: with its first frame (RFC 8441 section 3). */
    public boolean mayTakeTunnels() {
        return state == State.OPEN && !controls.areSettingsKnown();
    }

    /** Whether the node has said that it takes other protocols on streams. */
    public boolean takesTunnels() {
        return controls.takesTunnels();
    }

    private int streamsMax() {
        return controls.areSettingsKnown() ? Math.min(controls.streamsMax(), STREAMS_MAX) : STREAMS_FIRST;
    }

    /** How many streams there are. */
    public int streamCount() {
        return streams.size() + lentCount;
    }

    /** What waits on it, to be sent or to be read, shared out among its streams. */
    long waitingBytesOfEach() {
        return RelayMemory.waitingOn(channel()) / Math.max(1, streamCount());
    }

    /** Lends a stream; only where {@link #hasRoom}. */
    public ClientStream lend() {
        Http2ClientStream known = spare.take();
        Http2ClientStream stream = known == null ? new Http2ClientStream(this, output) : known;
        stream.lend(used);
        lentCount++;
        if (streamCount() == 1) {
            wheel.arm(deadline, ALIVE_NANOS);
        }
        return stream;
    }

    /** It is given back, and nothing was written on it. */
    void unlend(Http2ClientStream stream) {
        lentCount--;
        spare.rest(stream);
        if (state == State.OPEN) {
            keeper.onRoom(this);
        }
        settle();
    }

    /** Its exchange begins to write. */
    void open(Http2ClientStream stream) {
        lentCount--;
        int id = nextId;
        nextId += 2;
        stream.open(id, input.streamWindow());
        streams.put(id, stream);
        pings.streamBegan();
        if (nextId < 0) {
            goOut();
        }
    }

    /** Takes back a stream whose exchange is over, and went well. */
    public static void giveBack(ClientStream stream) {
        ((Http2ClientStream) stream).giveBack();
    }

    /** All of its request is sent, and its exchange is over. */
    void over(Http2ClientStream stream) {
        end(stream, stream.isInputEnded() ? null : Http2Error.CANCEL);
    }

    /** The stream is over: its node is told why where that isn't null. */
    void end(Http2ClientStream stream, @Nullable Http2Error word) {
        if (streams.get(stream.id()) != stream) {
            return;
        }
        int id = stream.id();
        streams.remove(id);
        used = true;
        stream.close();
        spare.rest(stream);
        if (word != null && state != State.CLOSED) {
            output.frames().reset(id, word);
            output.flushSoon();
        }
        if (state == State.OPEN) {
            keeper.onRoom(this);
        }
        settle();
    }

    /** What is awaited of the connection as a whole. */
    private void settle() {
        if (streamCount() > 0 || state == State.CLOSED) {
            return;
        }
        if (state == State.GOING) {
            leave(Http2Error.NO_ERROR);
        } else {
            wheel.arm(deadline, idleTimeoutNanos);
        }
    }

    /** No further streams are wanted; it closes when those that there are have ended. */
    public void goOut() {
        if (state == State.OPEN) {
            state = State.GOING;
            keeper.onGoing(this);
            settle();
        }
    }

    private void leave(Http2Error word) {
        output.frames().goAway(0, word);
        output.flush();
        lose();
    }

    // What comes

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        deadline.heard = true;
        try {
            process(in);
        } finally {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        super.channelReadComplete(ctx);
        stopWhereUnanswered(output.frames(), (long) UNSENT_FACTOR * limits.writeBufferBytesMax());
    }

    /** HEADERS or DATA have come. */
    void onSpoken() {
        pings.spoken();
    }

    // Control frames

    @Override
    public boolean isReading() {
        return state != State.CLOSED;
    }

    @Override
    public void countFrame() {}

    @Override
    public @Nullable Http2ClientStream stream(int id) {
        return streams.get(id);
    }

    @Override
    public Iterable<Http2ClientStream> streams() {
        return streams.values();
    }

    @Override
    public boolean isIdle(int id) {
        return id >= nextId || (id & 1) == 0;
    }

    @Override
    public void onSettings() {
        if (state == State.OPEN) {
            keeper.onRoom(this);
        }
    }

    @Override
    public void onReleased() {
        onSettings();
    }

    @Override
    public void onMeasure() {
        pings.measured(wheel.nowNanos());
    }

    @Override
    public void onPong(long content) {
        pings.answered();
    }

    @Override
    public void onReset(Http2Stream stream, int code) {
        ((Http2ClientStream) stream).onBroken(code == Http2Error.REFUSED_STREAM.code());
    }

    /** RFC 9113 section 6.8: streams beyond that one weren't looked at. */
    @Override
    public void onGoAway(int lastId) {
        goOut();
        for (Http2ClientStream stream : snapshot()) {
            if (stream.id() > lastId) {
                stream.onBroken(true);
            }
        }
    }

    private Http2ClientStream[] snapshot() {
        return streams.values().toArray(Http2ClientStream[]::new);
    }

    @Override
    public void breakOff(Http2Stream stream, Http2Error why) {
        ((Http2ClientStream) stream).breakOff(why);
    }

    @Override
    public void fail(Http2Error why, String reason) {
        if (state == State.CLOSED) {
            return;
        }
        keeper.onBroken(reason);
        leave(why);
    }

    // Its end

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (channel().isWritable() && isReading()) {
            output.frames().forgetControls();
            channel().config().setAutoRead(true);
            output.resume();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslCloseCompletionEvent) {
            SecureEnd.close(channel());
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        lose();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        if (!(cause instanceof IOException)) {
            keeper.onThrown(cause);
        }
        SecureEnd.close(channel());
    }

    private void lose() {
        if (state == State.CLOSED) {
            return;
        }
        boolean going = state == State.GOING;
        state = State.CLOSED;
        wheel.remove(deadline);
        input.close();
        try {
            if (!going) {
                keeper.onGoing(this);
            }
        } finally {
            for (Http2ClientStream stream : snapshot()) {
                stream.onBroken(false);
            }
            reader().close();
            output.outlet().release();
            SecureEnd.close(channel());
            keeper.onConnectionLost(this);
        }
    }

    /** Without streams: how long it may be idle. With them: when the node is asked for a sign of life, and how long for one. */
    private final class Deadline extends Timed {
        private boolean heard;
        private boolean asked;
        private int unreadCount;

        @Override
        protected void onDeadline() {
            if (streamCount() == 0) {
                keeper.onIdleTimeout();
                goOut();
                return;
            }
            boolean unread = !channel().config().isAutoRead();
            unreadCount = unread ? unreadCount + 1 : 0;
            if (heard || (unread && unreadCount < UNREAD_MAX)) {
                // Of one that isn't read nothing can be heard.
                heard = false;
                asked = false;
            } else if (asked || unread) {
                lose();
                return;
            } else if (!streams.isEmpty() && pings.mayAsk(wheel.nowNanos())) {
                asked = true;
                pings.asked(wheel.nowNanos());
                output.frames().ping(ALIVE, false);
                output.flushSoon();
            }
            wheel.arm(this, ALIVE_NANOS);
        }
    }
}
