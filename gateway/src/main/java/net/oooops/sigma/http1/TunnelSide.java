package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import io.netty.channel.socket.DuplexChannel;
import io.netty.handler.ssl.SslCloseCompletionEvent;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.http.Outlet;
import net.oooops.sigma.tls.SecureEnd;

/**
 * One connection of a tunnel: bytes pass as they are, since its protocol was switched. It stands before the handler that the connection had
 * until then, which goes on with all but reading. Each direction ends by itself, as those of a session of TCP do. FIN is the end of a
 * direction. On an encrypted connection close_notify is, and ends both: who has said it takes nothing any more; a FIN without it is a cut.
 *
 * <p>Called on the connection's event loop only.
 */
abstract class TunnelSide extends ChannelInboundHandlerAdapter {
    private final Channel channel;
    private final Outlet outlet;

    private boolean inputEnded;
    /** The peer is told that no more comes. */
    private boolean outputEnding;
    /** The peer of an encrypted connection has said that it ends. */
    private boolean endSaid;
    /** Reading or writing failed: its end, once it is read, is that of a reset. */
    private boolean broken;

    TunnelSide(Channel channel, Outlet outlet) {
        this.channel = channel;
        this.outlet = outlet;
    }

    /** Whether its peer may close without saying so, once it was told that the other side has ended: clients do. */
    abstract boolean mayEndUnsaid();

    /** Bytes came; all of them are to be taken. */
    abstract void onBytes(ByteBuf in);

    /** All that was read at once has been told. */
    abstract void onPause();

    /** The peer has ended its output, and all of it was read. */
    abstract void onInputEnd();

    /** All that was written has been sent, and its end after it. */
    abstract void onOutputEnd();

    /** Takes the place of {@code before} in reading. */
    final void begin(ChannelInboundHandlerAdapter before) {
        String name = channel.pipeline().context(before).name();
        channel.pipeline().addBefore(name, null, this);
    }

    /** Whether anything may still be written. */
    final boolean takesOutput() {
        return !endSaid && !outputEnding;
    }

    /** Stops or goes on with reading. */
    final void pause(boolean pause) {
        if (!inputEnded) {
            channel.config().setAutoRead(!pause);
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        try {
            onBytes(in);
        } finally {
            in.release();
        }
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        if (outputEnding) {
            // The engine may have told before, when it wasn't so.
            closeNotified();
        }
        onPause();
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof SslCloseCompletionEvent) {
            closeNotified();
        } else if (event instanceof ChannelInputShutdownEvent) {
            endInput();
        }
    }

    @Override
    @SuppressWarnings("deprecation") // what is deprecated is the one of ChannelHandler
    public void exceptionCaught(ChannelHandlerContext ctx, Throwable cause) {
        broken |= cause instanceof IOException;
        if (broken && inputEnded) {
            // Nobody reads any more who would notice.
            SecureEnd.close(channel);
        }
        ctx.fireExceptionCaught(cause);
    }

    /** A FIN was read. */
    final void endInput() {
        boolean unsaid = SecureEnd.isSecure(channel) && !(mayEndUnsaid() && outputEnding);
        if (!endSaid && !inputEnded && (broken || unsaid)) {
            SecureEnd.close(channel);
        } else {
            inputEnded();
        }
    }

    /** The engine of an encrypted connection tells that its peer ends it; one for BoringSSL also when it doesn't. */
    private void closeNotified() {
        if (!endSaid && SecureEnd.isEndSaid(channel)) {
            endSaid = true;
            inputEnded();
        }
    }

    private void inputEnded() {
        if (!inputEnded) {
            inputEnded = true;
            // Read again, it would only say so again.
            channel.config().setAutoRead(false);
            onInputEnd();
        }
    }

    /** Ends the output when all that was written before is sent. */
    final void endOutput() {
        if (!outputEnding) {
            outputEnding = true;
            outlet.flush();
            channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(this::onLastSent);
        }
    }

    private void onLastSent(Future<?> sent) {
        if (sent.isSuccess() && !endSaid && channel instanceof DuplexChannel duplex) {
            SecureEnd.sayEnd(duplex).addListener(this::onEndSent);
        } else {
            onEndSent(sent);
        }
    }

    private void onEndSent(Future<?> sent) {
        if (sent.isSuccess() || endSaid) {
            onOutputEnd();
        } else {
            SecureEnd.close(channel);
        }
    }

    /**
     * Closes the connection when all that was written is sent: as it should be where its output was ended, else by a RST, so that what was
     * sent isn't taken for complete.
     *
     * @param lingerNanos by when it is closed at the latest
     */
    final void leave(long lingerNanos) {
        if (!channel.isActive()) {
            channel.close();
            return;
        }
        outlet.flush();
        channel.config().setAutoRead(false);
        channel.writeAndFlush(Unpooled.EMPTY_BUFFER).addListener(sent -> {
            if (outputEnding) {
                SecureEnd.close(channel);
            } else {
                SecureEnd.reset(channel);
            }
        });
        if (channel.isOpen()) {
            Future<?> last =
                    channel.eventLoop().schedule(() -> SecureEnd.reset(channel), lingerNanos, TimeUnit.NANOSECONDS);
            channel.closeFuture().addListener(closed -> last.cancel(false));
        }
    }
}
