package net.oooops.sigma.tls;

import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOption;
import io.netty.channel.ChannelOutboundBuffer;
import io.netty.channel.ChannelPromise;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.codec.DecoderException;
import io.netty.handler.ssl.ReferenceCountedOpenSslEngine;
import io.netty.handler.ssl.SslHandler;
import io.netty.internal.tcnative.SSL;
import javax.net.ssl.SSLException;

/**
 * How connections end, encrypted or not. Whoever ends an encrypted one as it should be says so first (close_notify, RFC 8446 section 6.1): a
 * peer that doesn't hear it knows that something was cut off.
 *
 * <p>Called on the connection's event loop only.
 */
public final class SecureEnd {
    private SecureEnd() {}

    /** Whether what came was encrypted otherwise than agreed on. */
    public static boolean isGarbled(Throwable cause) {
        return cause instanceof DecoderException && cause.getCause() instanceof SSLException;
    }

    /** Whether the peer of an encrypted connection has said that it ends. */
    public static boolean isEndSaid(Channel channel) {
        return channel.pipeline().first() instanceof SslHandler encrypted
                && encrypted.engine().isInboundDone();
    }

    /** Whether a connection is encrypted. */
    public static boolean isSecure(Channel channel) {
        return channel.pipeline().first() instanceof SslHandler;
    }

    /**
     * Ends the output of a connection; its input goes on, to be thrown away: what comes on an encrypted one isn't decrypted any more. All
     * that was written has left before.
     */
    public static void shutdownOutput(DuplexChannel channel) {
        ChannelHandler first = channel.pipeline().first();
        if (first instanceof SslHandler encrypted) {
            ChannelFuture said = encrypted.closeOutbound();
            // Not from within the handler that says it.
            said.addListener(done -> channel.eventLoop().execute(() -> withoutDecrypting(channel, encrypted)));
        } else {
            channel.shutdownOutput();
        }
    }

    /**
     * Ends the output of a connection, of which all that was written has left; its input goes on, and is decrypted.
     *
     * @return when that is done
     */
    public static ChannelFuture sayEnd(DuplexChannel channel) {
        if (!(channel.pipeline().first() instanceof SslHandler encrypted)) {
            return channel.shutdownOutput();
        }
        ChannelPromise ended = channel.newPromise();
        // Not from within the handler that says it.
        say(channel, encrypted).addListener(said -> channel.eventLoop().execute(() -> channel.shutdownOutput(ended)));
        return ended;
    }

    private static ChannelFuture say(DuplexChannel channel, SslHandler encrypted) {
        if (!(encrypted.engine() instanceof ReferenceCountedOpenSslEngine engine) || engine.sslPointer() == 0) {
            return encrypted.closeOutbound();
        }
        // BoringSSL itself goes on reading. Netty's engine, closed in its own way, would say with each read that it is
        // closed, and of what
        // doesn't fit into its buffer nothing would be heard any more.
        if (SSL.shutdownSSL(engine.sslPointer()) < 0) {
            SSL.clearError();
        }
        return channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
    }

    private static void withoutDecrypting(DuplexChannel channel, SslHandler encrypted) {
        if (channel.isActive() && channel.pipeline().first() == encrypted) {
            channel.pipeline().remove(encrypted);
            channel.shutdownOutput();
        }
    }

    /**
     * Closes a connection now. What still waits to be sent is given up; the peer of an encrypted one isn't told then that this is the end, and
     * sees that something is missing.
     */
    public static void close(Channel channel) {
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first != null && first.handler() instanceof SslHandler && waits(channel)) {
            // Past it: it would wait until all that is sent.
            first.close();
        } else {
            channel.close();
        }
    }

    private static boolean waits(Channel channel) {
        ChannelOutboundBuffer out = channel.unsafe().outboundBuffer();
        return out != null && out.totalPendingWriteBytes() > 0;
    }

    /** Closes a connection with RST and without a word, so that what was sent can't be taken for complete. */
    public static void reset(Channel channel) {
        if (channel.isActive()) {
            channel.config().setOption(ChannelOption.SO_LINGER, 0);
        }
        ChannelHandlerContext first = channel.pipeline().firstContext();
        if (first != null && first.handler() instanceof SslHandler) {
            // Past it: closing the channel itself would have it say that this is the end.
            first.close();
        } else {
            channel.close();
        }
    }
}
