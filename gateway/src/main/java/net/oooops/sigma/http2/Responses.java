package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * What a node sends on streams: heads, bodies and trailers become responses, each told to its stream.
 *
 * <p>Called on the connection's event loop only.
 */
final class Responses implements Http2Handler.Messages {
    private final Http2ClientConnection connection;
    private final Http2Room room;
    private final FrameReader reader;
    private final Http2Input input;

    /** That of the DATA frame that comes; null where nobody wants it. */
    private @Nullable Http2ClientStream receiving;

    Responses(Http2ClientConnection connection, Http2Input input) {
        this.connection = connection;
        this.room = connection.keeper().room();
        this.reader = connection.reader();
        this.input = input;
    }

    @Override
    public void headers() {
        connection.onSpoken();
        Http2ClientStream stream = connection.stream(reader.streamId());
        if (stream == null && connection.isIdle(reader.streamId())) {
            connection.fail(Http2Error.PROTOCOL_ERROR, "response to no request");
            return;
        }
        HttpResponseHead head = stream == null ? null : stream.headToRead();
        if (stream == null || head == null) {
            trailers(stream);
            return;
        }
        ResponseFields fields = room.responseFields();
        fields.begin(connection.limits(), head);
        if (!connection.decode(fields)) {
            return;
        }
        if (fields.end(reader.endsStream())) {
            stream.onHead(head, reader.endsStream());
        } else {
            stream.refuse(Http2Handler.refusalOf(fields));
        }
        touch(stream);
    }

    private void touch(Http2ClientStream stream) {
        if (stream.isOpen()) {
            connection.touched(stream);
        }
    }

    private void trailers(@Nullable Http2ClientStream stream) {
        Limits limits = connection.limits();
        Trailers section = new Trailers();
        TrailerFields fields = room.trailerFields();
        fields.begin(limits.headerFieldBytesMax(), limits.trailerBytesMax(), limits.headerCountMax(), section);
        if (!connection.decode(fields) || stream == null) {
            return;
        }
        fields.endLines();
        if (fields.isRefused() || !reader.endsStream() || stream.isTunnel()) {
            stream.refuse(Http2Handler.refusalOf(fields));
        } else {
            stream.onEnd(section.fieldCount() == 0 ? null : section);
        }
    }

    @Override
    public void beginData() {
        receiving = null;
        int bytes = reader.windowBytes();
        if (!input.receive(bytes)) {
            connection.fail(Http2Error.FLOW_CONTROL_ERROR, "more than the connection's window");
            return;
        }
        Http2ClientStream stream = connection.stream(reader.streamId());
        if (stream == null) {
            if (connection.isIdle(reader.streamId())) {
                connection.fail(Http2Error.PROTOCOL_ERROR, "DATA of a stream that hasn't begun");
            }
        } else if (stream.isInputEnded()) {
            connection.breakOff(stream, Http2Error.STREAM_CLOSED);
        } else if (!stream.receive(bytes)) {
            connection.breakOff(stream, Http2Error.FLOW_CONTROL_ERROR);
        } else if (stream.headToRead() != null) {
            stream.refuse(Refusal.STATUS_LINE);
        } else {
            receiving = stream;
        }
    }

    @Override
    public void content(ByteBuf in, int count) {
        Http2ClientStream stream = receiving;
        if (stream == null || connection.stream(reader.streamId()) != stream) {
            in.skipBytes(count);
            return;
        }
        int after = in.readerIndex() + count;
        stream.onContent(in, count);
        in.readerIndex(after);
        if (connection.stream(reader.streamId()) != stream) {
            receiving = null;
        }
    }

    @Override
    public void endData() {
        connection.onSpoken();
        input.received(reader.windowBytes());
        Http2ClientStream stream = receiving;
        receiving = null;
        if (stream == null || connection.stream(reader.streamId()) != stream) {
            return;
        }
        if (reader.endsStream()) {
            stream.onEnd(null);
        } else {
            stream.received(reader.windowBytes(), input.toldStreamWindow());
        }
    }
}
