package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpServer;
import net.oooops.sigma.http.Lingering;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http1.Leftover.Patience;
import net.oooops.sigma.tls.SecureEnd;
import org.jspecify.annotations.Nullable;

/**
 * A client's connection: reads one request after the other and tells the exchange of each. Pipelined requests wait, as bytes,
 * until the one before is answered.
 *
 * <pre>
 *   IDLE ─▶ HEAD ─▶ BODY ─▶ ANSWERING ─▶ IDLE
 *            │                 └─▶ TUNNEL (the protocol was switched) ─▶ LINGERING
 *            └─▶ DISCARDING (answered before that; little of it is missing) ─▶ IDLE
 *     any ─▶ LINGERING (answered, the rest of the input is thrown away) ─▶ CLOSED
 * </pre>
 *
 * A client that ends its output gets the answers to what was complete by then; in the middle of a request it is gone.
 *
 * <p>Called on the connection's event loop only.
 */
public final class ServerConnection extends ServerHandler {
    private final ResponseStream stream;
    private final ServerDeadline deadline;
    private final RequestBody body;
    private final Lingering lingering;

    private int state = ServerState.IDLE;
    /** There once the protocol was switched. */
    private @Nullable ServerTunnel tunnel;

    /** A connection that was just accepted. */
    public ServerConnection(HttpServer server, Channel channel) {
        super(server, channel);
        this.stream = new ResponseStream(this, outlet, server.writer());
        this.deadline = new ServerDeadline(this, server, outlet);
        this.body = new RequestBody(this, server, reader, deadline);
        this.lingering =
                new Lingering(channel, () -> deadline.awaitClose(body.leftover().waitNanos()));
        channel.config().setRecvByteBufAllocator(server.memory().reads());
        channel.config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
    }

    /** A figure that grows with each byte of bodies. */
    long takenBodyBytes() {
        return body.takenBytes();
    }

    /** Whether the connection may carry another request after this one: to be asked before the client is told. */
    boolean mayPersist() {
        return canPersist() && lifetime.goesOn();
    }

    /** Whether it still can, where the client was told so. Whatever has come to an end since then, it may have sent another request. */
    boolean canPersist() {
        return isNearlyRead() && !isInputExhausted();
    }

    private boolean isNearlyRead() {
        ServerExchange current = exchange;
        return state == ServerState.ANSWERING
                || (state == ServerState.BODY && current != null && body.isNearlyHere(current.requestHead()));
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        if (server.onOpened(this)) {
            deadline.awaitFirst();
        } else {
            state = ServerState.CLOSED;
            SecureEnd.close(channel);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        input.came(in.readableBytes());
        body.came(in.readableBytes());
        if (input.isEmpty()) {
            process(in);
        } else {
            input.hold(in);
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        body.turnEnds(state == ServerState.BODY || state == ServerState.DISCARDING || state == ServerState.LINGERING);
        ServerExchange current = exchange;
        if (current != null) {
            current.onRequestPause();
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (lingering.endsInput(event)) {
            endInput();
        }
    }

    /** Whether the client has ended its output, and all of it was read. */
    private boolean isInputExhausted() {
        return lingering.isInputEnded() && input.isUsedUp();
    }

    /** What isn't complete when nothing more can come never will be. */
    private void endInput() {
        boolean exhausted = isInputExhausted();
        if (exhausted && (state == ServerState.IDLE || state == ServerState.DISCARDING)) {
            close(false);
        } else if (exhausted && (state == ServerState.HEAD || state == ServerState.BODY)) {
            SecureEnd.close(channel);
        }
    }

    @Override
    public void channelWritabilityChanged(ChannelHandlerContext ctx) {
        boolean writable = outlet.isTaking();
        if (state == ServerState.LINGERING || state == ServerState.CLOSED) {
            return;
        }
        if (!writable) {
            deadline.awaitSend();
        } else if (deadline.isForSending()) {
            awaitAfterSend();
        }
        ServerExchange current = exchange;
        if (current != null) {
            current.onClientWritability(writable);
        } else if (writable && state == ServerState.IDLE) {
            goOn();
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        if (state == ServerState.CLOSED) {
            return;
        }
        state = ServerState.CLOSED;
        deadline.remove();
        input.release();
        outlet.release();
        ServerExchange current = exchange;
        exchange = null;
        if (current != null) {
            current.onClientGone();
        }
        server.onDiscarded(input.takeReceivedBytes());
        server.onClosed(this);
    }

    /** Stops or goes on with reading the request's body; what was read already is still told. */
    void pauseBody(boolean pause) {
        if (tunnel != null) {
            tunnel.pause(pause);
        } else if (state == ServerState.BODY) {
            body.pause(pause);
        }
    }

    /** Whether more of the body has to come in time. What comes is read all the same. */
    void awaitBody(boolean inTime) {
        if (!inTime) {
            deadline.awaitNoBody();
        } else if (state == ServerState.BODY) {
            body.await();
        }
    }

    /** The protocol is switched, and the client has been told: what it sent behind its request passes as it is, and then what it sends. */
    void switchProtocols(ServerTunnel switched) {
        tunnel = switched;
        state = ServerState.TUNNEL;
        switched.begin(this, input.rest(), lingering.isInputEnded());
    }

    /**
     * The response is written completely: flushes it and goes on with the next request, or closes.
     *
     * @param persist whether the connection is kept open; only where {@link #mayPersist} said so, and {@link #canPersist} does
     */
    void finish(boolean persist) {
        ServerExchange ended = exchange;
        exchange = null;
        // Whoever didn't say close may have sent more, or be about to.
        boolean mayCome = ended == null || ended.requestHead().isPersistent();
        if (!persist && !mayCome && state == ServerState.ANSWERING && input.isEmpty() && outlet.hasUnsent()) {
            lingering.hold();
        }
        outlet.flush();
        if (state == ServerState.CLOSED) {
            return;
        }
        if (state == ServerState.BODY && persist) {
            discardRest();
            return;
        }
        if (state == ServerState.BODY && ended != null && !ended.isRefused()) {
            body.leave();
        }
        if (!persist || state != ServerState.ANSWERING) {
            close(tunnel == null && (mayCome || state != ServerState.ANSWERING || !input.isEmpty()));
            return;
        }
        state = ServerState.IDLE;
        deadline.awaitNext();
        goOn();
    }

    /** Behind what is missing of its body the next request may come. */
    private void discardRest() {
        state = ServerState.DISCARDING;
        if (reader.isEnd()) {
            endRest();
        } else {
            body.leave();
            body.limitRest();
        }
    }

    /** The rest of a body that nobody wanted has come. */
    void endRest() {
        state = ServerState.IDLE;
        body.leave(Patience.BRIEF);
        server.onDiscarded(input.takeReceivedBytes());
        deadline.awaitNext();
        goOn();
    }

    /** It takes too long. */
    void giveUpRest() {
        server.onBodyCut();
        body.leave(Patience.BRIEF);
        close(true);
    }

    /** Goes on with pipelined requests, unless the client leaves too much of what it was answered unread. */
    private void goOn() {
        ByteBuf next = input.isBegun() || !channel.isWritable() ? null : input.take();
        if (next != null) {
            try {
                process(next);
            } catch (Throwable e) {
                // This connection's, and not of whoever ends the exchange before it, such as the one to its node.
                threw(e);
                return;
            }
            // Not before: each request that is taken out would let in as much as one read brings.
            if (!body.isPaused() && tunnel == null && input.mayHoldMore()) {
                channel.config().setAutoRead(true);
            }
        } else if (!input.isBegun()) {
            endInput();
        }
    }

    /** Closes at once with RST, so that what was sent can't be taken for complete. */
    void abort() {
        exchange = null;
        if (state != ServerState.CLOSED) {
            outlet.release();
            SecureEnd.reset(channel);
        }
    }

    /** Closes after what was written, without a reset for what the client may still be sending. */
    void finishTruncated() {
        exchange = null;
        outlet.flush();
        if (state != ServerState.CLOSED) {
            close(true);
        }
    }

    /** Resets when all that was written is sent. */
    void resetAfterLast() {
        exchange = null;
        if (state != ServerState.CLOSED && tunnel != null) {
            state = ServerState.LINGERING;
            deadline.awaitNothing();
            tunnel.leave(server.timeouts().lingerNanos());
        }
    }

    @Override
    public void cut(Fault fault) {
        if (exchange != null) {
            failLate(fault);
        }
        if (tunnel == null) {
            SecureEnd.close(channel);
        } else {
            SecureEnd.reset(channel);
        }
    }

    @Override
    public void follow() {
        Timeouts before = deadline.timeouts();
        Timeouts now = server.timeouts();
        reader.follow(server.limits());
        lifetime.follow(before, now);
        deadline.follow(now, body.leftover().follow(before, now));
    }

    @Override
    public void drain() {
        if (state == ServerState.IDLE) {
            deadline.drain();
        } else if (state == ServerState.TUNNEL && exchange != null) {
            exchange.onDrain();
        }
    }

    /** No request has come, and none will be taken. */
    void closeIdle() {
        close(false);
    }

    private void close(boolean linger) {
        state = ServerState.LINGERING;
        input.release();
        channel.config().setAutoRead(true);
        deadline.awaitSend();
        body.leftover().limit();
        lingering.begin(linger);
    }

    private void process(ByteBuf in) {
        input.begin(in);
        try {
            boolean more = true;
            while (more && in.isReadable()) {
                more = switch (state) {
                    case ServerState.IDLE -> channel.isWritable() && readHead(in);
                    case ServerState.HEAD -> readHead(in);
                    case ServerState.BODY -> readBody(in);
                    case ServerState.ANSWERING -> false;
                    case ServerState.DISCARDING -> {
                        body.discard(in);
                        yield true;
                    }
                    case ServerState.LINGERING -> discard(in);
                    default -> false; // a tunnel, or closed
                };
            }
        } finally {
            input.end(state == ServerState.ANSWERING || state == ServerState.IDLE);
        }
        endInput();
    }

    private boolean readHead(ByteBuf in) {
        ServerExchange current = exchange;
        if (current == null) {
            stream.begin();
            current = server.begin(this, stream);
            exchange = current;
            state = ServerState.HEAD;
        }
        switch (reader.head(in, current.requestHead())) {
            case MORE -> awaitHead(current);
            case REFUSED -> {
                if (reader.refusal() != Refusal.VERSION || !goOnInHttp2(current, in)) {
                    refuse(current, reader.refusal());
                }
            }
            case DONE -> beginBody(current);
        }
        return true;
    }

    private void awaitHead(ServerExchange current) {
        deadline.awaitHead();
        if (!server.mayHoldHead(current)) {
            ignoreRest();
            current.onRequestFault(Fault.OVERLOADED);
        }
    }

    /** What HTTP/1 has to refuse may be the preface of HTTP/2: then another handler takes this one's place. */
    private boolean goOnInHttp2(ServerExchange unused, ByteBuf in) {
        HttpRequestHead head = unused.requestHead();
        boolean asked = lifetime.isUnused() && server.takesHttp2() && Preface.isBegunIn(head);
        if (asked) {
            state = ServerState.CLOSED;
            exchange = null;
            deadline.remove();
            server.onPreface(this, unused, Preface.withRest(head, in, channel.alloc()));
        }
        return asked;
    }

    private void beginBody(ServerExchange current) {
        lifetime.countRequest();
        deadline.awaitNothing();
        if (reader.isEnd()) {
            body.none();
            state = ServerState.ANSWERING;
            current.onRequest();
            if (exchange == current) {
                current.onRequestEnd();
            }
            return;
        }
        state = ServerState.BODY;
        body.begin();
        current.onRequest();
    }

    private boolean readBody(ByteBuf in) {
        ServerExchange current = exchange;
        if (current != null) {
            body.read(current, in);
        }
        return current != null;
    }

    /** Throws away what came while the connection ends. False, as nothing more is to be done with it. */
    private boolean discard(ByteBuf in) {
        if (!body.leftover().isOfBody()) {
            return lingering.discard(in);
        }
        if (!body.discardLast(in)) {
            endLingering();
        }
        return false;
    }

    /** Nothing more comes, or more than is waited for. */
    void endLingering() {
        if (body.leftover().isLate()) {
            server.onBodyCut();
            body.leave(Patience.BRIEF);
        }
        SecureEnd.close(channel);
    }

    /** The request is complete. */
    void endBody(ServerExchange current) {
        state = ServerState.ANSWERING;
        body.end();
        current.onRequestEnd();
    }

    /** Nothing of what follows can be understood. */
    void refuse(ServerExchange current, @Nullable Refusal why) {
        if (why == Refusal.BODY_TOO_LARGE) {
            body.leaveUnread();
        }
        ignoreRest();
        current.onRefused(why == null ? Refusal.METHOD : why);
    }

    /** Whatever follows can't be told apart from the request that failed; its answer may take a plugin's time. */
    private void ignoreRest() {
        state = ServerState.LINGERING;
        deadline.awaitNothing();
    }

    private void awaitAfterSend() {
        if (state == ServerState.IDLE) {
            deadline.awaitNext();
        } else {
            deadline.awaitNothing();
            awaitBody(true);
            if (state == ServerState.DISCARDING) {
                body.awaitRest();
            }
        }
    }

    /** What was awaited hasn't come in time. */
    void failLate(Fault fault) {
        ServerExchange current = exchange;
        if (current == null) {
            SecureEnd.close(channel);
        } else {
            if (state == ServerState.BODY) {
                body.leave(Patience.SLOW);
            }
            ignoreRest();
            current.onRequestFault(fault);
        }
    }
}
