package net.oooops.sigma.tcp;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import org.jspecify.annotations.Nullable;

/**
 * Reads the PROXY protocol header at the beginning of a client's connection. Once it is read this handler is gone from the pipeline,
 * so that what follows costs nothing more; what came with the header goes on to the next handler first.
 */
final class HeaderReader extends ChannelInboundHandlerAdapter {
    /** Is told how reading ended: exactly one of the two is called, unless the connection ends by itself. */
    public interface Callback {
        /**
         * The header is read.
         *
         * @param endpoints what it says of the client's connection; null where it says that those of this connection count
         */
        void onHeader(@Nullable Endpoints endpoints);

        /** The connection is to be refused. */
        void onHeaderRefused(HeaderRefusal why);
    }

    private final Callback callback;
    private final HeaderParser parser = new HeaderParser();
    private @Nullable ByteBuf received;

    /** Reads one header. */
    public HeaderReader(Callback callback) {
        this.callback = callback;
    }

    @Override
    public void channelRead(ChannelHandlerContext ctx, Object message) {
        ByteBuf in = joined(ctx, (ByteBuf) message);
        switch (parser.parse(in)) {
            case MORE -> {}
            case DONE -> {
                received = null;
                if (in.isReadable()) {
                    ctx.fireChannelRead(in);
                } else {
                    in.release();
                }
                ctx.pipeline().remove(this);
                callback.onHeader(parser.endpoints());
            }
            case REFUSED -> refuse(ctx, parser.refusal());
        }
    }

    private ByteBuf joined(ChannelHandlerContext ctx, ByteBuf in) {
        ByteBuf before = received;
        if (before == null) {
            received = in;
            return in;
        }
        ByteBuf all = before;
        if (before.writableBytes() < in.readableBytes()) {
            all = ctx.alloc().buffer(Math.min(before.readableBytes(), HeaderParser.BYTES_MAX) * 2 + in.readableBytes());
            all.writeBytes(before);
            before.release();
        }
        all.writeBytes(in);
        in.release();
        received = all;
        return all;
    }

    @Override
    public void userEventTriggered(ChannelHandlerContext ctx, Object event) {
        if (event instanceof ChannelInputShutdownEvent) {
            refuse(ctx, HeaderRefusal.CUT);
        } else {
            ctx.fireUserEventTriggered(event);
        }
    }

    private void refuse(ChannelHandlerContext ctx, HeaderRefusal why) {
        ctx.pipeline().remove(this);
        callback.onHeaderRefused(why);
    }

    @Override
    public void handlerRemoved(ChannelHandlerContext ctx) {
        ByteBuf left = received;
        if (left != null) {
            received = null;
            left.release();
        }
    }
}
