package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import io.netty.channel.socket.DuplexChannel;
import net.oooops.sigma.http1.ServerDeadline.Wait;
import net.oooops.sigma.tls.SecureEnd;

/**
 * The end of a client's connection. What was written leaves first. Where the client may still be sending, the output alone ends then,
 * and for {@code timeouts.linger} what comes is thrown away: closing with unread input would reset the connection before the
 * client read its answer (RFC 9112 section 9.6).
 *
 * <p>Called on the connection's event loop only.
 */
final class Lingering {
    private static final long BYTES_MAX = 1 << 20;

    private final Channel channel;
    private final ServerDeadline deadline;
    private final long lingerNanos;
    private boolean inputEnded;
    private boolean outputEnded;
    private long bytes;

    Lingering(Channel channel, ServerDeadline deadline, long lingerNanos) {
        this.channel = channel;
        this.deadline = deadline;
        this.lingerNanos = lingerNanos;
    }

    /** Whether the client has ended its output: nothing more will come. */
    boolean isInputEnded() {
        return inputEnded;
    }

    /** Whether the gateway has ended its output, and the client may still be sending. */
    boolean isOutputEnded() {
        return outputEnded;
    }

    /** The client has ended its output. */
    void endInput() {
        inputEnded = true;
        // Read again, it would only say so again.
        channel.config().setAutoRead(false);
        if (outputEnded) {
            SecureEnd.close(channel);
        }
    }

    /** Closes the connection. */
    void begin(boolean mayCome) {
        ChannelFuture sent = channel.writeAndFlush(Unpooled.EMPTY_BUFFER);
        if (mayCome && channel instanceof DuplexChannel duplex) {
            sent.addListener(done -> endOutput(duplex));
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
            deadline.await(Wait.LINGER, lingerNanos);
        }
    }

    /** Throws away what came. False, as nothing more is to be done with it. */
    boolean discard(ByteBuf in) {
        bytes += in.readableBytes();
        in.skipBytes(in.readableBytes());
        if (bytes > BYTES_MAX) {
            SecureEnd.close(channel);
        }
        return false;
    }
}
