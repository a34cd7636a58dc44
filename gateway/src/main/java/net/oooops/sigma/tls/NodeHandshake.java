package net.oooops.sigma.tls;

import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.handler.ssl.NotSslRecordException;
import io.netty.handler.ssl.SslHandler;
import io.netty.handler.ssl.SslHandshakeCompletionEvent;
import io.netty.handler.ssl.SslHandshakeTimeoutException;
import io.netty.util.ReferenceCountUtil;
import java.nio.channels.ClosedChannelException;
import java.util.Locale;
import javax.net.ssl.SSLHandshakeException;

/**
 * A connection to a node from when it is open until it is encrypted.
 *
 * <p>Called on the connection's event loop only.
 */
public final class NodeHandshake extends ChannelInboundHandlerAdapter {
    /** Is told how it ended: exactly one of these is called, once. */
    public interface Outcome {
        /** It is encrypted. Nothing of what the node sends is read yet: auto-read is off. */
        void onSecured(Channel channel);

        /** It wasn't finished in time; the connection is closed. */
        void onLate(Throwable cause);

        /** The node closed the connection without a word; so is it here. */
        void onClosed(Throwable cause);

        /** The two couldn't agree, or the node isn't trusted; the connection is closed. */
        void onRefused(Throwable cause);
    }

    private static final String NO_TLS =
            "what the node sent is no TLS; does it speak in the clear, as nodes of http://, h2c://, tcp:// and bolt:// do?";

    /** How both engines name the alert (RFC 7301 section 3.2), the one in capital letters. */
    private static final String NO_PROTOCOL = "no_application_protocol";

    private final Outcome outcome;
    private boolean over;

    private NodeHandshake(Outcome outcome) {
        this.outcome = outcome;
    }

    /**
     * With whom.
     *
     * @param host as it is written
     * @param timeoutMillis how long the handshake may take
     * @param http11Only whether HTTP/1.1 is all that it is offered, where that is one of several
     */
    public record Peer(String host, int port, long timeoutMillis, boolean http11Only) {}

    /** Begins one on a connection that was just opened. */
    public static void begin(NodeTls tls, Channel channel, Peer peer, Outcome outcome) {
        SslHandler encrypting = tls.newHandler(channel.alloc(), peer.host(), peer.port(), peer.http11Only());
        encrypting.setHandshakeTimeoutMillis(peer.timeoutMillis());
        // Its hello leaves as soon as it is there: who hears how it ends stands behind it before.
        channel.pipeline().addLast(new NodeHandshake(outcome));
        channel.pipeline().addFirst(encrypting);
        channel.config().setAutoRead(true);
    }

    /** Whether a node has refused a handshake since it speaks nothing of what it was offered. */
    public static boolean isNothingSpoken(Throwable refused) {
        String message = refused.getMessage();
        return message != null && message.toLowerCase(Locale.ROOT).contains(NO_PROTOCOL);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent && !over) {
            fail(ctx, new ClosedChannelException());
        } else if (!(event instanceof SslHandshakeCompletionEvent done) || over) {
            ctx.fireUserEventTriggered(event);
        } else if (done.isSuccess()) {
            over = true;
            ctx.channel().config().setAutoRead(false);
            outcome.onSecured(ctx.channel());
            ctx.pipeline().remove(this);
        } else {
            fail(ctx, done.cause());
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        if (over) {
            ctx.fireChannelRead(message);
        } else {
            ReferenceCountUtil.release(message);
        }
    }

    @Override
    public void channelInactive(ChannelHandlerContext ctx) {
        fail(ctx, new ClosedChannelException());
        ctx.fireChannelInactive();
    }

    @Override
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        fail(ctx, cause);
    }

    private void fail(ChannelHandlerContext ctx, Throwable cause) {
        if (over) {
            return;
        }
        over = true;
        ctx.channel().close();
        if (cause instanceof SslHandshakeTimeoutException) {
            outcome.onLate(cause);
        } else if (cause instanceof ClosedChannelException) {
            outcome.onClosed(new SSLHandshakeException("the node closed the connection in the handshake"));
        } else {
            outcome.onRefused(said(cause));
        }
    }

    private static Throwable said(Throwable cause) {
        boolean plain = cause instanceof NotSslRecordException || cause.getCause() instanceof NotSslRecordException;
        return plain ? new SSLHandshakeException(NO_TLS) : NodeTrust.plain(cause);
    }
}
