package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.memory.RelayMemory;

/**
 * What connections of HTTP/2 have in common, whichever side of them Sigma is: frames are read one after the other, and told to whoever
 * they are for.
 *
 * <p>Called on the connection's event loop only.
 */
abstract class Http2Handler extends ChannelInboundHandlerAdapter implements Http2Connection {
    /** What comes on streams: requests, or responses. */
    interface Messages {
        /** A header block is whole. */
        void headers();

        /** A DATA frame begins. */
        void beginData();

        /** The next {@code count} bytes of {@code in} are content of it. */
        void content(ByteBuf in, int count);

        /** It is over. */
        void endData();
    }

    private final Channel channel;
    private final FrameReader reader;
    private final HpackDecoder decoder;
    private final List<Http2Stream> touched = new ArrayList<>();

    Http2Handler(Channel channel, FrameReader reader, Http2Room room) {
        this.channel = channel;
        this.reader = reader;
        this.decoder = new HpackDecoder(ControlFrames.TABLE_BYTES_MAX, room.hpack());
    }

    /** The connection's channel, for its addresses. */
    public final Channel channel() {
        return channel;
    }

    final FrameReader reader() {
        return reader;
    }

    abstract Messages messages();

    abstract ControlFrames controls();

    /** Reads what came, as long as it is to be read. */
    final void process(ByteBuf in) {
        while (isReading()) {
            switch (reader.next(in)) {
                case MORE -> {
                    return;
                }
                case DATA -> messages().beginData();
                case CONTENT -> messages().content(in, reader.contentBytes());
                case DATA_END -> messages().endData();
                case HEADERS -> messages().headers();
                case CONTROL -> controls().frame(reader);
                case UNKNOWN -> countFrame();
                case FAILED -> fail(reader.error(), reader.reason());
            }
        }
    }

    /** Stops reading a peer that asks, and doesn't take the answers, of which more than that waits: until its connection is writable. */
    final void stopWhereUnsent(long waitingBytesMax) {
        if (isReading() && !channel.isWritable() && RelayMemory.waitingOn(channel) > waitingBytesMax) {
            channel.config().setAutoRead(false);
        }
    }

    /** The same of a peer whose connection others write to as well: where that much of the answers to it alone has been written since. */
    final void stopWhereUnanswered(FrameWriter frames, long waitingBytesMax) {
        if (channel.isWritable()) {
            frames.forgetControls();
        } else if (frames.controlBytes() > waitingBytesMax) {
            stopWhereUnsent(waitingBytesMax);
        }
    }

    /** Decodes the header block that is whole. Whether that went well; if not, the connection has failed. */
    final boolean decode(FieldLines fields) {
        boolean decoded = decoder.decode(reader.block(), reader.blockStart(), reader.blockEnd(), fields);
        if (!decoded) {
            fail(Http2Error.COMPRESSION_ERROR, "header block malformed");
        }
        return decoded;
    }

    /** Why fields aren't taken. */
    static Refusal refusalOf(FieldLines fields) {
        Refusal why = fields.refusal();
        return why == null ? Refusal.PSEUDO_FIELD : why;
    }

    /** Something came on that stream with this read: what its exchange wrote may leave once all was told. */
    final void touched(Http2Stream stream) {
        touched.add(stream);
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext ctx) {
        for (int i = 0; i < touched.size(); i++) {
            touched.get(i).onPause();
        }
        touched.clear();
    }
}
