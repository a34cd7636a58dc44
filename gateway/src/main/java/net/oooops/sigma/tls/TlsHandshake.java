package net.oooops.sigma.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelOption;
import io.netty.channel.epoll.EpollChannelOption;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.uring.IoUringChannelOption;
import io.netty.handler.ssl.AbstractSniHandler;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.util.concurrent.Future;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import javax.net.ssl.SSLHandshakeException;
import net.oooops.sigma.config.TlsConfig.ClientAuth;
import net.oooops.sigma.time.Timed;
import net.oooops.sigma.tls.Handshakes.Failure;
import org.jspecify.annotations.Nullable;

/**
 * A connection until it is encrypted.
 *
 * <pre>
 *   HELLO ─▶ WAITING ─▶ UNDER_WAY ─▶ OVER (the road's handler has taken its place, or it is closed)
 *     └─▶ OVER: what came is no TLS
 * </pre>
 *
 * <p>Called on the connection's event loop only.
 */
public final class TlsHandshake extends ChannelInboundHandlerAdapter implements Hellos.Keeper {
    private static final String OUTDATED =
            "the server asks for something else than when the client connected, or is gone";

    private static final String UNSPOKEN = "nothing that the client would speak is spoken here (ALPN)";

    private enum State {
        /** What the client says first isn't whole yet; nothing may have come of it. */
        HELLO,
        /** It is, and kept: it isn't its turn. */
        WAITING,
        UNDER_WAY,
        OVER
    }

    private final Handshakes all;
    private final Handshakes.Outcome outcome;
    private final Deadline deadline = new Deadline();
    private State state = State.HELLO;
    /** Whether it is counted among those that are awaited or under way. */
    private boolean counted;

    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf kept;
    private @Nullable ShownCertificate shown;
    /** In front of what decrypts, while that is under way. */
    private @Nullable PlainAlert alert;
    /** What an issuer of certificates is shown, whose connection ends then; null where the client is anybody else. */
    private @Nullable ShownCertificate challenge;
    /** The host that the client asked for, in lower case; null where it asked for none. */
    private @Nullable String host;

    private long timeoutNanos;
    private long begunNanos;
    /** Whether the client would speak something, but nothing that is spoken here. */
    private boolean speaksOtherwise;

    /** Whoever is behind this knows already that the connection is open. */
    private final boolean begun;

    /** When its time is over. */
    private final class Deadline extends Timed {
        @Override
        protected void onDeadline() {
            fail(Failure.TIMEOUT, null);
        }
    }

    /** @param begun whether the connection is open, and has its handler behind this one */
    TlsHandshake(Handshakes all, Handshakes.Outcome outcome, boolean begun) {
        this.all = all;
        this.outcome = outcome;
        this.begun = begun;
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
        if (begun) {
            awaitHello(ctx);
        } else {
            ctx.channel().config().setRecvByteBufAllocator(all.means().memory().reads());
            ctx.channel().config().setOption(ChannelOption.ALLOW_HALF_CLOSURE, true);
        }
    }

    @Override
    public void channelActive(ChannelHandlerContext ctx) {
        awaitHello(ctx);
    }

    private void awaitHello(ChannelHandlerContext ctx) {
        if (outcome.onAccepted(this)) {
            counted = true;
            within(all.timeoutNanos());
        } else {
            state = State.OVER;
            ctx.close();
        }
    }

    private void within(long nanos) {
        timeoutNanos = nanos;
        all.means().wheel().arm(deadline, nanos);
    }

    /** It may take as long as it might if it began now, counted from when it did. */
    public void follow() {
        all.means().wheel().move(deadline, all.timeoutNanos() - timeoutNanos);
        timeoutNanos = all.timeoutNanos();
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (state == State.HELLO) {
            hello(ctx, in);
        } else if (state == State.WAITING) {
            int bytes = in.readableBytes();
            keep(ctx, in);
            all.hellos().keep(this, bytes);
        } else {
            // What was encrypted before its handshake is over.
            in.release();
        }
    }

    private void hello(ChannelHandlerContext ctx, ByteBuf in) {
        if (kept == null && in.getUnsignedByte(in.readerIndex()) != Hello.HANDSHAKE) {
            plain(ctx, in);
            return;
        }
        int bytes = in.readableBytes();
        boolean atOnce = kept == null && Hello.isWhole(in);
        if (atOnce) {
            kept = in;
        } else {
            keep(ctx, in);
        }
        if (!atOnce && !Hello.isWhole(hello())) {
            all.hellos().comes(this, bytes);
            return;
        }
        state = State.WAITING;
        if (all.mayBegin(this, bytes)) {
            begin();
        } else if (state == State.WAITING) {
            // Nothing more than that is kept while it waits, and none of it in a buffer that is larger than it.
            ctx.channel().config().setAutoRead(false);
            if (atOnce) {
                kept = null;
                keep(ctx, in);
            }
        }
    }

    /** Puts what came behind what is kept. */
    private void keep(ChannelHandlerContext ctx, ByteBuf in) {
        ByteBuf before = kept;
        if (before == null) {
            before = ctx.alloc().buffer(in.readableBytes());
            kept = before;
        }
        before.writeBytes(in);
        in.release();
    }

    private ByteBuf hello() {
        ByteBuf first = kept;
        return first == null ? Unpooled.EMPTY_BUFFER : first;
    }

    private void plain(ChannelHandlerContext ctx, ByteBuf in) {
        end();
        Channel channel = ctx.channel();
        outcome.onPlain(channel);
        if (begun) {
            // Whoever is behind this would take it for what was encrypted.
            in.release();
            channel.close();
        } else {
            ctx.fireChannelActive();
            ctx.fireChannelRead(in);
            ctx.fireChannelReadComplete();
            channel.pipeline().remove(this);
        }
    }

    /** How much of what the client says first is kept. */
    int keptBytes() {
        return hello().readableBytes();
    }

    /** Its turn has come. */
    void begin() {
        ChannelHandlerContext ctx = context;
        ByteBuf first = kept;
        if (ctx == null || first == null) {
            return;
        }
        kept = null;
        PendingChallenges challenges = all.tls().challenges();
        challenge = challenges == null ? null : challenges.certificateFor(first);
        speaksOtherwise =
                challenge == null && isUnspoken(first, all.tls().config().alpn());
        state = State.UNDER_WAY;
        begunNanos = all.means().clock().nanos();
        PlainAlert looking = new PlainAlert();
        alert = looking;
        ctx.pipeline().addFirst(looking, new ByName());
        ctx.channel().config().setAutoRead(true);
        ctx.pipeline().fireChannelRead(first);
        ctx.pipeline().fireChannelReadComplete();
    }

    /** Where nothing can be agreed on, the handshake is to fail (RFC 7301 section 3.2). Who offers nothing speaks what has always been spoken. */
    private static boolean isUnspoken(ByteBuf first, List<String> spoken) {
        if (spoken.isEmpty()) {
            return false;
        }
        ClientHello hello = ClientHello.of(first);
        return hello != null && !hello.protocols().isEmpty() && Collections.disjoint(hello.protocols(), spoken);
    }

    /** When its turn came. */
    long begunNanos() {
        return begunNanos;
    }

    /** Encrypts with the certificate for the host that the client asks for, as what it says first has it. */
    private final class ByName extends AbstractSniHandler<ShownCertificate> {
        ByName() {
            super(Hello.BYTES_MAX, 0);
        }

        @Override
        protected Future<ShownCertificate> lookup(ChannelHandlerContext ctx, @Nullable String asked) {
            host = asked == null ? null : asked.toLowerCase(Locale.ROOT);
            ShownCertificate found = challenge == null ? certificate() : challenge;
            return found == null || speaksOtherwise
                    ? ctx.executor().newFailedFuture(new SSLHandshakeException(found == null ? whyNone() : UNSPOKEN))
                    : ctx.executor().newSucceededFuture(found);
        }

        private @Nullable ShownCertificate certificate() {
            ServerTls tls = all.beginning();
            return tls == null ? null : tls.of(host);
        }

        private boolean isAwaited() {
            ServerTls tls = all.beginning();
            return tls != null && tls.isAwaited(host);
        }

        private String whyNone() {
            if (all.beginning() == null) {
                return OUTDATED;
            }
            return isAwaited()
                    ? "the certificate for the host that was asked for isn't there yet"
                    : "a host that no certificate is for was asked for";
        }

        @Override
        protected void onLookupComplete(
                ChannelHandlerContext ctx, @Nullable String asked, Future<ShownCertificate> found) {
            if (found.isSuccess()) {
                ShownCertificate certificate = found.getNow();
                shown = certificate;
                SslHandler next = certificate.newHandler(ctx.alloc());
                // This deadline does.
                next.setHandshakeTimeoutMillis(0);
                ctx.pipeline().replace(this, null, next);
            } else {
                // The name first, as who encrypts has it.
                boolean named = certificate() != null;
                ctx.writeAndFlush(named ? HelloReader.noProtocol() : HelloReader.unknownName());
                fail(isAwaited() ? Failure.NO_CERTIFICATE : Failure.REFUSED, found.cause());
            }
        }
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        ShownCertificate certificate = shown;
        if (event instanceof ChannelInputShutdownEvent) {
            fail(Failure.REFUSED, null);
        } else if (!(event instanceof SslHandshakeCompletionEvent done) || state != State.UNDER_WAY) {
            ctx.fireUserEventTriggered(event);
        } else if (!done.isSuccess()) {
            fail(Failure.REFUSED, alert == null ? done.cause() : alert.why(done.cause()));
        } else if (certificate != null && certificate == challenge) {
            // It has seen what it came for (RFC 8737 section 3).
            end();
            ctx.channel().close();
        } else if (certificate != null && encrypting(ctx) instanceof SslHandler encrypted) {
            boolean asked = all.tls().config().clients().auth() != ClientAuth.NONE;
            TlsSession session = TlsSession.of(encrypted, certificate, host, asked);
            end();
            certificate.onSecured(encrypted);
            acknowledge(ctx.channel());
            outcome.onSecured(ctx.channel(), session);
            if (!begun) {
                ctx.fireChannelActive();
            }
            ctx.pipeline().remove(this);
        }
    }

    /** What stands first from now on. */
    private @Nullable ChannelHandler encrypting(ChannelHandlerContext ctx) {
        withoutAlert(ctx);
        return ctx.pipeline().first();
    }

    private void withoutAlert(ChannelHandlerContext ctx) {
        PlainAlert looking = alert;
        if (looking != null) {
            alert = null;
            ctx.pipeline().remove(looking);
        }
    }

    /**
     * Has the system tell the client at once that the last of its handshake has come: nothing is sent after it in TLS 1.3, where tickets leave
     * with the first answer, and a client that waits for it with its request (Nagle) would wait for as long as the system does, 40 ms.
     */
    private static void acknowledge(Channel channel) {
        if (!channel.config().setOption(EpollChannelOption.TCP_QUICKACK, true)) {
            channel.config().setOption(IoUringChannelOption.TCP_QUICKACK, true);
        }
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(Failure.REFUSED, cause);
        // Whatever came of it: nobody else looks after the connection.
        ctx.channel().close();
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(Failure.REFUSED, null);
        ctx.fireChannelInactive();
    }

    @Override
    public void onCrowded() {
        fail(Failure.CROWDED, null);
    }

    /** It is under way by what is asked no more. That of an issuer of certificates asks for nothing. */
    void failOutdated() {
        if (challenge == null) {
            fail(Failure.REFUSED, new SSLHandshakeException(OUTDATED));
        }
    }

    /** Gives it up, and closes the connection. */
    void fail(Failure why, @Nullable Throwable cause) {
        ChannelHandlerContext ctx = context;
        if (state == State.OVER || ctx == null) {
            return;
        }
        boolean silent = state == State.HELLO && kept == null && cause == null && why == Failure.REFUSED;
        end();
        try {
            if (!silent) {
                outcome.onFailed(ctx.channel(), why, cause);
            }
        } finally {
            ctx.channel().close();
        }
    }

    /** The gateway ends: where the client has said nothing yet, all of it is to take no longer than that. */
    public void drain(long nanos) {
        if (state == State.HELLO && keptBytes() == 0 && nanos < all.timeoutNanos()) {
            within(nanos);
        }
    }

    /** Closes it: the gateway ends. */
    public void cut() {
        ChannelHandlerContext ctx = context;
        if (state != State.OVER && ctx != null) {
            end();
            ctx.channel().close();
        }
    }

    private void end() {
        int bytes = keptBytes();
        state = State.OVER;
        all.means().wheel().remove(deadline);
        if (counted) {
            all.over(this, bytes);
        }
        ByteBuf first = kept;
        if (first != null) {
            kept = null;
            first.release();
        }
        outcome.onEnded(this);
    }
}
