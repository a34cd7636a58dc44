package net.oooops.sigma.http;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import net.oooops.sigma.epoll.LeanSocketChannel;
import net.oooops.sigma.tls.SecureEnd;

/**
 * The end of a client's connection. What was written leaves first. Where the client may still be sending, the output alone ends then,
 * and what comes is thrown away, for {@code timeouts.linger} or what the connection says: closing with unread input would reset the connection before the
 * client read its answer (RFC 9112 section 9.6).
 *
 * <p>Called on the connection's event loop only.
 */
public final class Lingering {
    private static final long BYTES_MAX = 1 << 20;

    /** All that was written is with the kernel, or the connection is broken. */
    private static final ChannelFutureListener END_HELD = sent -> {
        if (sent.isSuccess()) {
            ((LeanSocketChannel) sent.channel()).endHeld();
        }
        sent.channel().close();
    };

    private final Channel channel;
    private final Runnable onOutputEnded;
    private boolean inputEnded;
    private boolean outputEnded;
    private boolean held;
    private long bytes;

    /**
     * That of a connection that was just accepted.
     *
     * @param onOutputEnded told when the output has ended and the client may still be sending: waits for {@code timeouts.linger}, then closes
     */
    public Lingering(Channel channel, Runnable onOutputEnded) {
        this.channel = channel;
        this.onOutputEnded = onOutputEnded;
    }

    /** Whether the client has ended its output: nothing more will come. */
    public boolean isInputEnded() {
        return inputEnded;
    }

    /**
     * Something happened on the channel. Whether that is the end of what the client sends; an encrypted connection that the client ends is
     * closed by it.
     */
    public boolean endsInput(Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            endInput();
            return true;
        }
        if (event instanceof SslCloseCompletionEvent && !outputEnded) {
            // TLS 1.2 knows no half of a connection that goes on, and BoringSSL none at all.
            SecureEnd.close(channel);
        }
        return false;
    }

    private void endInput() {
        inputEnded = true;
        // Read again, it would only say so again.
        channel.config().setAutoRead(false);
        if (outputEnded) {
            SecureEnd.close(channel);
        }
    }

    /** What is flushed next is the last, and {@link #begin} follows at once: where the transport knows how, both leave together. */
    public void hold() {
        if (channel instanceof LeanSocketChannel plain && !SecureEnd.isSecure(channel)) {
            plain.hold();
            held = true;
        }
    }

    /** Closes the connection. */
    public void begin(boolean mayCome) {
        ChannelFuture sent = channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
        if (mayCome && channel instanceof DuplexChannel duplex) {
            sent.addListener(done -> endOutput(duplex));
        } else if (held) {
            sent.addListener(END_HELD);
        } else {
            sent.addListener(ChannelFutureListener.CLOSE);
        }
    }

    private void endOutput(DuplexChannel duplex) {
        if (inputEnded) {
            SecureEnd.close(channel);
        } else if (channel.isActive()) {
            outputEnded = true;
            SecureEnd.shutdownOutput(duplex);
            onOutputEnded.run();
        }
    }

    /** Throws away what came. False, as nothing more is to be done with it. */
    public boolean discard(ByteBuf in) {
        bytes += in.readableBytes();
        in.skipBytes(in.readableBytes());
        if (bytes > BYTES_MAX) {
            SecureEnd.close(channel);
        }
        return false;
    }
}
