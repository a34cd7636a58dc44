package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Http2Limits;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.DownstreamConnection;
import net.oooops.sigma.http.Lingering;
import net.oooops.sigma.http2.ServerDeadline.Wait;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.tls.SecureEnd;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection that speaks HTTP/2 (RFC 9113): many requests at once, each a stream with an exchange of its own.
 *
 * <pre>
 *   OPEN ─▶ GOING (GOAWAY said; what is under way goes on) ─▶ CLOSING (what comes is thrown away) ─▶ CLOSED
 *     └──────────────── what the client sent is wrong, or too much ─▶ CLOSING
 * </pre>
 *
 * <p>Called on the connection's event loop only.
 */
public final class Http2ServerConnection extends Http2Handler implements DownstreamConnection {
    private enum State {
        OPEN,
        GOING,
        CLOSING,
        CLOSED
    }

    /** Reading stops where so many times more waits than may. */
    private static final int UNSENT_FACTOR = 4;

    private final Http2Server server;
    private final Http2Output output;
    private final Http2Input input;
    private final FloodWatch floods;
    private final ControlFrames controls;
    private final GoingAway goingAway;
    private final StreamTable streams;
    private final Requests requests;
    private final Lingering lingering;
    private final ServerDeadline deadline;

    private State state = State.OPEN;
    /** What the client sent was wrong, or too much: it has no claim to the time that an answer may take to arrive. */
    private boolean broken;

    private @Nullable Object attachment;

    /** A connection that was just accepted. */
    public Http2ServerConnection(Http2Server server, Channel channel) {
        super(channel, FrameReader.ofClient(server.limits(), server.room()), server.room());
        Limits limits = server.limits();
        Http2Limits bounds = limits.http2();
        this.server = server;
        this.output = new Http2Output(channel, server.memory(), limits.writeBufferBytesMax(), server.room());
        this.input = new Http2Input(output, server.wheel(), bounds.windowBytesMax(), false, this);
        this.deadline = new ServerDeadline(server, channel, output.outlet(), this::onLate);
        this.floods = new FloodWatch(bounds, server.clock().nanos());
        this.streams = new StreamTable(server.room(), () -> new Http2ServerStream(this, server, output));
        this.goingAway = new GoingAway(this, output, server.wheel());
        this.controls = new ControlFrames(this, output, input);
        this.requests = new Requests(this, server, streams, input);
        this.lingering = new Lingering(channel, () -> deadline.await(Wait.LINGER));
        channel.config().setRecvByteBufAllocator(server.memory().reads());
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }

    @Override
    public @Nullable Object attachment() {
        return attachment;
    }

    @Override
    public void attach(Object kept) {
        attachment = kept;
    }

    @Override
    public long waitingBytes() {
        long waiting = RelayMemory.waitingOn(channel());
        for (Http2ServerStream stream : streams.all()) {
            waiting += stream.waitingBytes();
        }
        return waiting;
    }

    @Override
    public void onMemoryShort() {
        for (Http2ServerStream stream : streams.snapshot()) {
            stream.onMemoryShort();
        }
        RelayMemory.restartRead(channel());
    }

    FloodWatch floods() {
        return floods;
    }

    Http2Output output() {
        return output;
    }

    @Override
    Messages messages() {
        return requests;
    }

    @Override
    ControlFrames controls() {
        return controls;
    }

    GoingAway goingAway() {
        return goingAway;
    }

    // Its beginning

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (server.onOpened(this)) {
            begin();
        } else {
            state = State.CLOSED;
            SecureEnd.close(channel());
        }
    }

    /** It is open: says what it allows. */
    public void begin() {
        output.frames()
                .settings(
                        Frames.MAX_CONCURRENT_STREAMS,
                        requests.tellStreamsMax(),
                        Frames.MAX_HEADER_LIST_SIZE,
                        requests.tellHeadBytesMax(),
                        Frames.INITIAL_WINDOW_SIZE,
                        input.streamWindow(),
                        Frames.ENABLE_CONNECT_PROTOCOL,
                        1,
                        Frames.NO_RFC7540_PRIORITIES,
                        1);
        input.open();
        if (server.isDraining()) {
            goingAway.begin();
        }
        output.flushSoon();
        settle();
    }

    // What comes

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            process(in);
            if (in.isReadable()) {
                lingering.discard(in);
            }
        } finally {
            in.release();
        }
        settle();
    }

    @Override
    public boolean isReading() {
        return state == State.OPEN || state == State.GOING;
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        super.channelReadComplete(ctx);
        stopWhereUnsent((long) UNSENT_FACTOR * server.limits().writeBufferBytesMax());
    }

    @Override
    public @Nullable Http2Stream stream(int id) {
        return streams.get(id);
    }

    @Override
    public Iterable<Http2ServerStream> streams() {
        return streams.all();
    }

    @Override
    public boolean isIdle(int id) {
        return streams.isIdle(id) && !((id & 1) == 1 && goingAway.refuses(id));
    }

    @Override
    public void countFrame() {
        if (floods.isFrameTooMuch(server.clock().nanos())) {
            fail(Http2Error.ENHANCE_YOUR_CALM, "more frames that carry nothing than limits.http2.control-frames");
        }
    }

    // The end of streams

    @Override
    public void breakOff(Http2Stream stream, Http2Error why) {
        end((Http2ServerStream) stream, why);
        countReset();
    }

    /** The client doesn't want it any more. */
    @Override
    public void onReset(Http2Stream stream, int code) {
        Http2ServerStream ended = (Http2ServerStream) stream;
        boolean unanswered = ended.exchange() != null;
        end(ended, null);
        if (unanswered) {
            countReset();
        }
    }

    /** A stream ended before it was answered, for what its client did. */
    void countReset() {
        server.onStreamReset();
        if (floods.isResetTooMuch(server.clock().nanos())) {
            fail(Http2Error.ENHANCE_YOUR_CALM, "more resets of streams than limits.http2.resets");
        }
    }

    /** Its exchange has ended, and all of it is sent. */
    void over(Http2ServerStream stream) {
        if (!stream.isInputEnded() && isReading()) {
            requests.unwanted(stream.id());
        }
        end(stream, null);
    }

    /** It ends before it is complete. */
    void reset(Http2ServerStream stream, Http2Error why) {
        end(stream, why);
    }

    private void end(Http2ServerStream stream, @Nullable Http2Error word) {
        if (!streams.remove(stream)) {
            return;
        }
        server.room().streamEnded();
        int id = stream.id();
        stream.shut();
        stream.onGone();
        stream.close();
        streams.giveBack(stream);
        if (word != null && state != State.CLOSED) {
            output.frames().reset(id, word);
            output.flushSoon();
            streams.wasReset(id);
        }
        if (streams.isEmpty() && isReading()) {
            if (state == State.GOING) {
                close();
            } else {
                deadline.forget(Wait.REQUEST);
                settle();
            }
        }
    }

    @Override
    public void follow() {
        Timeouts now = server.timeouts();
        requests.follow(deadline.timeouts(), now);
        deadline.follow(now);
        streams.follow(now);
    }

    // The end of the connection

    @Override
    public void drain() {
        if (state == State.OPEN) {
            goingAway.begin();
        }
        for (Http2ServerStream stream : streams.snapshot()) {
            stream.onDrain();
        }
    }

    /** The client has had time to hear that no further request is wanted: those that came by now are the last. */
    void lastRequest() {
        if (state == State.OPEN) {
            state = State.GOING;
            output.frames().goAway(streams.lastId(), Http2Error.NO_ERROR);
            output.flushSoon();
            if (streams.isEmpty()) {
                close();
            }
        }
    }

    int lastId() {
        return streams.lastId();
    }

    @Override
    public void cut(Fault fault) {
        for (Http2ServerStream stream : streams.snapshot()) {
            stream.failLate(fault);
        }
        if (isReading()) {
            output.frames().goAway(streams.lastId(), Http2Error.NO_ERROR);
        }
        output.flush();
        SecureEnd.close(channel());
    }

    @Override
    public void onSettings() {}

    @Override
    public void onReleased() {}

    @Override
    public void onMeasure() {}

    @Override
    public void onPong(long content) {
        goingAway.answered(content);
    }

    /** It begins no further requests, and will close. */
    @Override
    public void onGoAway(int lastId) {}

    @Override
    public void fail(Http2Error why, String reason) {
        if (!isReading()) {
            return;
        }
        server.onBroken(why == Http2Error.ENHANCE_YOUR_CALM, reason);
        output.frames().goAway(streams.lastId(), why);
        state = State.CLOSING;
        for (Http2ServerStream stream : streams.snapshot()) {
            end(stream, null);
        }
        broken = true;
        deadline.await(Wait.LINGER);
        finish();
    }

    private void close() {
        state = State.CLOSING;
        requests.sayLastWords();
        deadline.awaitSend();
        finish();
    }

    private void finish() {
        goingAway.stop();
        requests.close();
        input.close();
        reader().close();
        output.flush();
        channel().config().setAutoRead(true);
        lingering.begin(true);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (lingering.endsInput(event)) {
            endInput();
        }
    }

    /** The client has ended its output: what isn't complete never will be, and what is gets its answer. */
    private void endInput() {
        if (!isReading()) {
            return;
        }
        state = State.GOING;
        output.closeWindows();
        for (Http2ServerStream stream : streams.snapshot()) {
            if (stream.isInputEnded()) {
                stream.onWindowsClosed();
            } else {
                end(stream, null);
            }
        }
        if (isReading() && streams.isEmpty()) {
            close();
        } else if (isReading()) {
            probe();
        }
    }

    /**
     * A client that has left altogether ends its output as one does that reads on. Where nobody is, the first of two writes is answered by a
     * reset, and the second one fails. What is written needs no answer.
     */
    private void probe() {
        output.frames().goAway(streams.lastId(), Http2Error.NO_ERROR);
        output.flush();
        settle();
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        if (!isReading()) {
            return;
        }
        if (channel().isWritable()) {
            if (!lingering.isInputEnded()) {
                channel().config().setAutoRead(true);
            }
            output.resume();
        }
        settle();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (state == State.CLOSED) {
            return;
        }
        state = State.CLOSED;
        deadline.remove();
        goingAway.stop();
        requests.close();
        input.close();
        for (Http2ServerStream stream : streams.snapshot()) {
            end(stream, null);
        }
        streams.close();
        reader().close();
        output.outlet().release();
        server.onClosed(this);
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        // Most likely a reset, or a write that failed: the connection is done, and closing tells the exchanges.
        server.onThrown(cause);
        SecureEnd.close(channel());
    }

    // Time

    /** What is awaited now, of the connection as a whole. */
    private void settle() {
        if (!isReading()) {
            return;
        }
        if (!channel().isWritable()) {
            deadline.keepSend();
        } else if (lingering.isInputEnded()) {
            deadline.keep(Wait.ANSWER);
        } else if (reader().isWithinBlock() || !controls.areSettingsKnown()) {
            deadline.keep(Wait.HEAD);
        } else if (streams.isEmpty()) {
            deadline.keep(Wait.REQUEST);
        } else {
            deadline.awaitNothing();
        }
    }

    /** What was awaited hasn't come in time. */
    private void onLate(Wait awaited) {
        switch (awaited) {
            case NOTHING -> {}
            case REQUEST -> {
                server.onIdleTimeout();
                lastRequest();
            }
            case HEAD -> fail(Http2Error.SETTINGS_TIMEOUT, "settings or the rest of a head not in time");
            case LINGER -> endLingering();
            case TAKEN -> SecureEnd.close(channel());
            case SEND -> closeStalled();
            case ANSWER -> probe();
        }
    }

    /** A client that reads opens windows as it does: closed before it has read all, the connection would be reset by that, and the rest lost. */
    private void endLingering() {
        if (broken || !deadline.awaitTaken()) {
            SecureEnd.close(channel());
        }
    }

    /** The client takes nothing: what it is to be sent fails for that, before it does for the end of the connection. */
    private void closeStalled() {
        for (Http2ServerStream stream : streams.snapshot()) {
            stream.failLate(Fault.CLIENT_STALLED);
        }
        SecureEnd.close(channel());
    }
}
