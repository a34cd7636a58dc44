package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import java.io.IOException;
import java.net.InetSocketAddress;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.tls.SecureEnd;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a node: carries one exchange at a time and reads its response.
 *
 * <pre>
 *   IDLE ─▶ HEAD (interim responses come here too) ─▶ BODY ─▶ IDLE
 *                                                    └─▶ TUNNEL (the protocol was switched) ─▶ CLOSED
 *     any ─▶ CLOSED
 * </pre>
 *
 * Bytes that nobody asked for (on an idle connection, or behind a complete response) make it unfit for another exchange.
 *
 * <p>Called on the connection's event loop only.
 */
public final class ClientConnection extends ChannelInboundHandlerAdapter implements ClientStream {
    /** Who keeps the connection while it carries no exchange. */
    public interface Keeper {
        /** What the Worker's heads are written with. */
        HeadWriter writer();

        /** The connection is about to be closed because it was idle for too long. */
        void onIdleTimeout();

        /** The connection is closed, or unfit for another exchange, while it was idle or in an exchange. */
        void onConnectionLost(ClientConnection connection);

        /** The node sent more than its whole response; that is dropped, and the connection closed. */
        void onSurplus();

        /** Something was thrown on a connection, which closes: a fault of Sigma's own. */
        void onThrown(Throwable cause);
    }

    /** Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md. */
    private static final class State {
        static final int IDLE = 0;
        static final int HEAD = 1;
        static final int BODY = 2;
        /** Bytes pass as they are: {@link ClientTunnel}. */
        static final int TUNNEL = 3;

        static final int CLOSED = 4;

        private State() {}
    }

    private final Keeper keeper;
    private final Channel channel;
    private final Outlet outlet;
    private final BodyWriter body;
    private final ResponseReader reader;
    private final BodyReading reading;
    private final ClientDeadline deadline;

    private int state = State.IDLE;
    private @Nullable ClientExchange exchange;
    /** There once the protocol was switched. */
    private @Nullable ClientTunnel tunnel;

    private boolean reused;
    private long receivedBytes;
    private boolean answered;
    /** The connection ended by a reset or an error, so its end isn't the end of a message. */
    private boolean resetSeen;
    /** The connection is encrypted, and its node hasn't said that it ends (close_notify, RFC 9112 section 9.8). */
    private boolean endUnsaid;

    /** A connection that was just opened. */
    public ClientConnection(Keeper keeper, Limits limits, DeadlineWheel wheel, RelayMemory memory, Channel channel) {
        this.keeper = keeper;
        this.channel = channel;
        this.outlet = new Outlet(channel, memory, limits.writeBufferBytesMax());
        this.body = new BodyWriter(outlet, keeper.writer());
        this.reader = new ResponseReader(limits);
        this.reading = new BodyReading(channel, memory.turns());
        this.deadline = new ClientDeadline(this, wheel);
        this.endUnsaid = SecureEnd.isSecure(channel);
    }

    /** The address it leads to. */
    public InetSocketAddress remote() {
        return (InetSocketAddress) channel.remoteAddress();
    }

    @Override
    public boolean isReused() {
        return reused;
    }

    @Override
    public boolean isAnswered() {
        return answered;
    }

    /** The exchange that is under way, or null. */
    @Nullable ClientExchange exchange() {
        return exchange;
    }

    /** So many bytes came. */
    void received(int bytes) {
        receivedBytes += bytes;
    }

    @Override
    public long takeReceivedBytes() {
        long taken = receivedBytes;
        receivedBytes = 0;
        return taken;
    }

    @Override
    public long waitingBytes() {
        return RelayMemory.waitingOn(channel);
    }

    @Override
    public void onMemoryShort() {
        RelayMemory.restartRead(channel);
    }

    /** Whether it is open. */
    public boolean isOpen() {
        return state != State.CLOSED && channel.isActive();
    }

    @Override
    public @Nullable Trailers responseTrailers() {
        return reader.trailers();
    }

    @Override
    public void begin(ClientExchange next, long responseIdleNanos) {
        exchange = next;
        state = State.HEAD;
        answered = false;
        deadline.begin(responseIdleNanos);
    }

    @Override
    public void head(HttpRequestHead head, byte @Nullable [] authority, HeadWriter added, long length, long waiting) {
        body.begin(RequestWriter.isChunked(head, length));
        reader.begin(head.isAuthorityForm());
        outlet.head(RequestWriter.write(head, authority, added, length, keeper.writer()), waiting);
    }

    @Override
    public void content(ByteBuf in, int count) {
        body.content(in, count);
    }

    @Override
    public void end(@Nullable Trailers trailers) {
        body.end(trailers);
    }

    @Override
    public boolean isWritable() {
        return outlet.isWritable();
    }

    @Override
    public void flush() {
        outlet.flush();
    }

    @Override
    public long takeWrittenBytes() {
        return outlet.takeWrittenBytes();
    }

    @Override
    public void awaitResponse(long nanos) {
        if (state == State.HEAD) {
            deadline.awaitResponse(nanos);
        }
    }

    @Override
    public void awaitNoResponse() {
        if (state == State.HEAD) {
            deadline.awaitNothing();
        }
    }

    @Override
    public void pauseBody(boolean pause) {
        if (tunnel != null) {
            tunnel.pause(pause);
        } else if (reading.isPaused() != pause && state != State.CLOSED && state != State.IDLE) {
            // Idle, it has been given back, or is about to be: whoever it is lent to next would wait for ever.
            reading.pause(pause);
            // The beginning of a response is awaited all the while: only an interim one can have stopped the reading.
            if (state == State.BODY) {
                awaitBody();
            }
        }
    }

    /** Lets the connection be idle for at most that long, or less where the node said that it waits less. */
    public void rest(long idleTimeoutNanos) {
        deadline.awaitExchange(idleTimeoutNanos);
    }

    /** Whether the node said that it waits too little for the connection to be worth keeping. */
    public boolean isShortLived() {
        return deadline.isBrief();
    }

    @Override
    public boolean isStuck(long nanos) {
        return Delivery.isStuck(channel, nanos);
    }

    @Override
    public void abandon() {
        ClientExchange left = exchange;
        exchange = null;
        if (tunnel != null && left != null) {
            tunnel.leave(left.lingerNanos());
        }
        lose();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        receivedBytes += in.readableBytes();
        reading.came(in.readableBytes());
        try {
            while (in.isReadable()) {
                ClientExchange current = exchange;
                if (current == null) {
                    // Bytes that belong to no request: whatever they are, the next response must not be read after
                    // them.
                    lose();
                    return;
                }
                if (state == State.HEAD) {
                    readHead(current, in);
                } else {
                    readBody(current, in);
                }
            }
        } finally {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        ClientExchange current = exchange;
        reading.turnEnds(state == State.BODY);
        if (current != null) {
            current.onResponsePause();
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        ClientExchange current = exchange;
        if (current != null) {
            current.onUpstreamWritability(channel.isWritable());
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslCloseCompletionEvent end && end.isSuccess()) {
            endUnsaid = false;
            SecureEnd.close(channel);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (state == State.CLOSED) {
            return;
        }
        boolean complete = state == State.BODY && reader.isUntilClose() && !resetSeen && !endUnsaid;
        boolean begun = state == State.BODY || state == State.TUNNEL;
        ClientExchange current = exchange;
        exchange = null;
        lose();
        if (current == null) {
            return;
        }
        if (complete) {
            current.onResponseEnd();
        } else {
            current.onResponseFault(begun ? Fault.UPSTREAM_TRUNCATED : Fault.UPSTREAM_CLOSED, null);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        resetSeen = true;
        if (!(cause instanceof IOException)) {
            keeper.onThrown(cause);
            SecureEnd.close(channel);
        }
        // Else Netty closes it where reading failed. Where writing did, what the node sent before may still be read: an
        // answer, or the end.
    }

    private void lose() {
        if (state != State.CLOSED) {
            state = State.CLOSED;
            deadline.remove();
            outlet.release();
            if (tunnel == null || !channel.isActive()) {
                SecureEnd.close(channel);
            }
            keeper.onConnectionLost(this);
        }
    }

    private void readHead(ClientExchange current, ByteBuf in) {
        answered = true;
        HttpResponseHead head = current.responseHead();
        switch (reader.head(in, head)) {
            case MORE -> {}
            case REFUSED -> fail(current, Fault.UPSTREAM_PROTOCOL, reader.refusal());
            case DONE -> {
                if (head.isSwitch()) {
                    switchProtocols(current, head, in);
                } else if (head.isInterim()) {
                    interim(current, head);
                } else {
                    respond(current, head, in);
                }
            }
        }
    }

    private void switchProtocols(ClientExchange current, HttpResponseHead head, ByteBuf in) {
        Refusal why = ClientTunnel.refusalOf(head, current.switching());
        if (why != null) {
            fail(current, why.fault(), why);
            return;
        }
        state = State.TUNNEL;
        deadline.awaitNothing();
        pauseBody(false);
        ClientTunnel switched = new ClientTunnel(this, channel, outlet);
        tunnel = switched;
        body.switchTo(switched);
        switched.begin(this);
        current.onResponse();
        switched.pass(in);
    }

    private void interim(ClientExchange current, HttpResponseHead head) {
        current.onInterimResponse();
        // Else it may have another answer in it, as the exchange has failed.
        if (exchange == current) {
            head.clear();
        }
    }

    private void respond(ClientExchange current, HttpResponseHead head, ByteBuf in) {
        deadline.keepAlive(head.keepAliveSeconds());
        reader.beginBody(head, current.isHeadRequest());
        state = State.BODY;
        if (!reader.isEnd()) {
            awaitBody();
        }
        current.onResponse();
        if (exchange == current && reader.isEnd()) {
            end(current, in);
        }
    }

    private void readBody(ClientExchange current, ByteBuf in) {
        switch (reader.body(in)) {
            case MORE -> keepAwaiting();
            case CONTENT -> {
                current.onResponseBody(in, reader.contentBytes());
                if (exchange == current && reader.isEnd()) {
                    end(current, in);
                } else {
                    keepAwaiting();
                }
            }
            case END -> end(current, in);
            case REFUSED -> fail(current, Fault.UPSTREAM_TRUNCATED, reader.refusal());
        }
    }

    private void keepAwaiting() {
        if (state == State.BODY && !reading.isPaused()) {
            deadline.awaitBody();
        }
    }

    private void awaitBody() {
        if (reading.isPaused()) {
            deadline.awaitNothing();
        } else {
            deadline.awaitBody();
        }
    }

    private void end(ClientExchange current, ByteBuf in) {
        boolean fit = current.responseHead().keepsConnection() && !in.isReadable() && !reader.isUntilClose();
        exchange = null;
        deadline.awaitNothing();
        pauseBody(false);
        if (in.isReadable()) {
            keeper.onSurplus();
        }
        if (!fit) {
            lose();
        } else {
            state = State.IDLE;
            reused = true;
        }
        current.onResponseEnd();
    }

    private void fail(ClientExchange current, Fault fault, @Nullable Refusal why) {
        exchange = null;
        lose();
        current.onResponseFault(fault, why);
    }

    /** No exchange came in time. */
    void closeIdle() {
        keeper.onIdleTimeout();
        lose();
    }

    /** What was awaited of the response hasn't come in time. */
    void failLate(Fault fault) {
        ClientExchange current = exchange;
        if (current != null) {
            fail(current, fault, null);
        }
    }
}
