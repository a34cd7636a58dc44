package net.oooops.sigma.tls;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import org.jspecify.annotations.Nullable;

/**
 * Looks at what a client says first, and changes nothing: once that is known this handler is gone from the pipeline, and all that came goes
 * on to the next one, still encrypted.
 *
 * <p>Called on the connection's event loop only.
 */
public final class HelloReader extends ChannelInboundHandlerAdapter implements Hellos.Keeper {
    /** A fatal alert, decode_error (RFC 8446 section 6). */
    private static final byte[] MALFORMED = {21, 3, 3, 0, 2, 2, 50};

    /** A fatal alert, unrecognized_name. */
    private static final byte[] UNKNOWN_NAME = {21, 3, 3, 0, 2, 2, 112};

    /** A fatal alert, no_application_protocol (RFC 7301 section 3.2). */
    private static final byte[] NO_PROTOCOL = {21, 3, 3, 0, 2, 2, 120};

    /** Is told how reading ended: at most one of the two is called, and none where the connection is closed before. */
    public interface Callback {
        /** It is known. What came of the connection goes on to the next handler before this returns to it. */
        void onHello(ClientHello hello);

        /** The connection is to be closed, which its client is told where it speaks TLS. */
        void onHelloRefused(Why why);
    }

    /** Why a connection is refused. */
    public enum Why {
        /** What came is no TLS, or not as it has to be, or the client ended before it was whole. */
        MALFORMED,
        /** Too much of hellos is kept, and others came after this one. */
        CROWDED
    }

    private final Hellos hellos;
    private final Callback callback;
    private @Nullable ChannelHandlerContext context;
    private @Nullable ByteBuf kept;

    /** @param hellos of the Listener, which bound how much is kept */
    public HelloReader(Hellos hellos, Callback callback) {
        this.hellos = hellos;
        this.callback = callback;
    }

    /** What a client is told that asks for a host which nothing is known of. */
    public static ByteBuf unknownName() {
        return Unpooled.copiedBuffer(UNKNOWN_NAME);
    }

    /** What one is told that would speak nothing which is spoken here. */
    static ByteBuf noProtocol() {
        return Unpooled.copiedBuffer(NO_PROTOCOL);
    }

    @Override
    public void handlerAdded(ChannelHandlerContext ctx) {
        context = ctx;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = (ByteBuf) message;
        if (context == null) {
            // It is refused.
            in.release();
            return;
        }
        int bytes = in.readableBytes();
        // In a buffer of its own: it stays until a node is connected, and what it came in may be many times as large.
        ByteBuf all = kept == null ? ctx.alloc().buffer(bytes) : kept;
        kept = all;
        all.writeBytes(in);
        in.release();
        if (all.getUnsignedByte(all.readerIndex()) != Hello.HANDSHAKE) {
            hellos.keep(this, bytes);
            refuse(Why.MALFORMED, Unpooled.EMPTY_BUFFER);
        } else if (!Hello.isWhole(all)) {
            hellos.comes(this, bytes);
        } else {
            hellos.whole(this, bytes);
            whole(ctx);
        }
    }

    private void whole(ChannelHandlerContext ctx) {
        ByteBuf all = kept;
        if (all == null) {
            // Given up.
            return;
        }
        ClientHello hello = ClientHello.of(all);
        if (hello == null) {
            refuse(Why.MALFORMED, Unpooled.wrappedBuffer(MALFORMED));
            return;
        }
        forget();
        context = null;
        ctx.fireChannelRead(all);
        ctx.pipeline().remove(this);
        callback.onHello(hello);
    }

    private void refuse(Why why, ByteBuf said) {
        ChannelHandlerContext ctx = context;
        if (ctx != null) {
            context = null;
            release();
            ctx.writeAndFlush(said);
            callback.onHelloRefused(why);
        }
    }

    @Override
    public void onCrowded() {
        refuse(Why.CROWDED, Unpooled.EMPTY_BUFFER);
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            refuse(Why.MALFORMED, Unpooled.EMPTY_BUFFER);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        context = null;
        release();
    }

    private void release() {
        ByteBuf all = kept;
        if (all != null) {
            forget();
            all.release();
        }
    }

    private void forget() {
        ByteBuf all = kept;
        kept = null;
        hellos.gone(this, all == null ? 0 : all.readableBytes());
    }
}
