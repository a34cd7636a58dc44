package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.Lifetime;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * What a client sends on streams: heads, bodies and trailers become requests, each told to its stream. What may come on a stream in which
 * state is judged here (RFC 9113 section 5.1).
 *
 * <p>Called on the connection's event loop only.
 */
final class Requests implements Http2Handler.Messages {
    private final Http2ServerConnection connection;
    private final Http2Server server;
    private final Http2Room room;
    private final FrameReader reader;
    private final StreamTable streams;
    private final Http2Input input;
    private final Lifetime lifetime;
    private final ToldStreams told;
    private final ToldSetting headBytesMax;
    private final LastWords lastWords;

    /** That of the DATA frame that comes; null where nobody wants it. */
    private @Nullable Http2ServerStream receiving;
    /** It has brought content. */
    private boolean carried;

    Requests(Http2ServerConnection connection, Http2Server server, StreamTable streams, Http2Input input) {
        this.connection = connection;
        this.server = server;
        this.room = server.room();
        this.reader = connection.reader();
        this.streams = streams;
        this.input = input;
        this.lifetime = new Lifetime(server);
        this.told = new ToldStreams(input);
        this.headBytesMax = new ToldSetting(input, Frames.MAX_HEADER_LIST_SIZE);
        this.lastWords = new LastWords(connection.output(), server.wheel());
    }

    private int streamsMax() {
        return server.limits().http2().streamsMax();
    }

    /** How many streams the first settings are to allow at once. */
    int tellStreamsMax() {
        return told.begin(streamsMax());
    }

    /** How long the first settings are to allow heads to be. */
    int tellHeadBytesMax() {
        reader.within(server.limits());
        return headBytesMax.begin(server.limits().headerBytesMax());
    }

    /** The connection lives for as long as others say, with as many streams, and with heads as long. */
    void follow(Timeouts before, Timeouts now) {
        lifetime.follow(before, now);
        if (connection.isReading()) {
            tell();
        }
    }

    /** What a client is told has held before: longer heads are read. */
    private void tell() {
        reader.within(server.limits());
        told.follow(streamsMax());
        headBytesMax.follow(server.limits().headerBytesMax());
    }

    @Override
    public void headers() {
        int id = reader.streamId();
        if (!connection.controls().areSettingsKnown()) {
            connection.fail(Http2Error.PROTOCOL_ERROR, "no settings first");
            return;
        }
        Http2ServerStream known = streams.get(id);
        if (known != null) {
            trailers(known);
        } else if ((id & 1) == 0) {
            connection.fail(Http2Error.PROTOCOL_ERROR, "request on a stream that is no client's");
        } else if (id <= streams.lastId()) {
            late(id);
        } else if (connection.goingAway().refuses(id)) {
            // Its client will send it elsewhere: it knows that this one isn't looked at.
            dropBlock();
        } else {
            request(id);
        }
    }

    /** A header block of a stream that is closed. */
    private void late(int id) {
        if (!streams.mayStillCome(id)) {
            connection.fail(Http2Error.STREAM_CLOSED, "HEADERS of a stream that is closed");
        } else {
            if (reader.endsStream()) {
                lastWords.without(id);
            }
            dropBlock();
        }
    }

    /** Reads a header block that nobody wants: the next one builds on it (RFC 7541 section 2.2). */
    private boolean dropBlock() {
        TrailerFields nobody = room.trailerFields();
        nobody.begin(0, 0, 0, new Trailers());
        connection.countFrame();
        // Not refused for what it is: as much as a head may be is no flood.
        return connection.isReading() && decode(nobody, headBytesMax.allowed());
    }

    /**
     * Decodes the header block that is whole.
     *
     * @param free so many bytes of fields that nobody takes count for nothing
     * @return whether the connection goes on
     */
    private boolean decode(FieldLines fields, int free) {
        if (!connection.decode(fields)) {
            return false;
        }
        long ignored = fields.ignoredBytes() - free;
        if (ignored > 0
                && connection.floods().isIgnoredTooMuch(ignored, server.clock().nanos())) {
            connection.fail(Http2Error.ENHANCE_YOUR_CALM, "more of refused heads than limits.http2.control-frames");
            return false;
        }
        return true;
    }

    private void request(int id) {
        streams.used(id);
        // It may be asked before its connection is among those that follow.
        tell();
        connection.floods().request(server.clock().nanos());
        boolean tooMany = streams.count() >= streamsMax();
        if (tooMany || areTooManyInAll()) {
            if (dropBlock()) {
                server.onStreamRefused();
                reset(id, Http2Error.REFUSED_STREAM);
            }
            if (tooMany && !told.excuses()) {
                connection.countReset();
            }
            return;
        }
        if (reader.dependsOnItself()) {
            if (dropBlock()) {
                refuse(id, Http2Error.PROTOCOL_ERROR);
            }
            return;
        }
        Http2ServerStream stream = streams.take();
        ServerExchange exchange = server.begin(connection, stream);
        stream.begin(id, exchange, input.firstWindow());
        streams.put(id, stream);
        room.streamBegan();
        RequestFields fields = room.requestFields();
        fields.begin(server.limits(), headBytesMax.allowed(), exchange.requestHead());
        if (!decode(fields, 0)) {
            return;
        }
        lifetime.countRequest();
        boolean ends = reader.endsStream();
        boolean taken = fields.end(ends);
        Priority.read(exchange.requestHead(), stream);
        if (taken) {
            stream.onHead(exchange.requestHead(), ends, fields.opensTunnel());
        } else {
            if (ends) {
                stream.inputEnds();
            }
            stream.refuse(Http2Handler.refusalOf(fields));
        }
        if (!lifetime.goesOn()) {
            connection.goingAway().begin();
        }
    }

    /** Whether none but the first of each connection may begin: that is no fault of this client. */
    private boolean areTooManyInAll() {
        return !streams.isEmpty() && room.streamCount() >= server.http2StreamsMax();
    }

    /** A request that no exchange was begun for. */
    private void refuse(int id, Http2Error why) {
        reset(id, why);
        connection.countReset();
    }

    private void reset(int id, Http2Error why) {
        connection.output().frames().reset(id, why);
        connection.output().flushSoon();
        streams.wasReset(id);
    }

    /** Its answer is complete, and what its client is still sending isn't wanted. */
    void unwanted(int id) {
        streams.wasReset(id);
        lastWords.behind(id);
    }

    /** The connection ends, and all is well: nothing waits any longer. */
    void sayLastWords() {
        lastWords.sayAll();
    }

    /** The connection ends, or has ended. */
    void close() {
        lastWords.stop();
    }

    private void trailers(Http2ServerStream stream) {
        if (stream.isInputEnded()) {
            if (dropBlock()) {
                connection.breakOff(stream, Http2Error.STREAM_CLOSED);
            }
            return;
        }
        Limits limits = server.limits();
        Trailers section = new Trailers();
        TrailerFields fields = room.trailerFields();
        fields.begin(limits.headerFieldBytesMax(), limits.trailerBytesMax(), limits.headerCountMax(), section);
        if (!decode(fields, 0)) {
            return;
        }
        fields.endLines();
        if (!reader.endsStream() || reader.dependsOnItself()) {
            connection.breakOff(stream, Http2Error.PROTOCOL_ERROR);
        } else if (fields.isRefused()) {
            stream.inputEnds();
            stream.refuse(Http2Handler.refusalOf(fields));
        } else {
            stream.onEnd(section.fieldCount() == 0 ? null : section);
        }
    }

    // Bodies

    @Override
    public void beginData() {
        int id = reader.streamId();
        int bytes = reader.windowBytes();
        receiving = null;
        carried = false;
        if (!input.receive(bytes)) {
            connection.fail(Http2Error.FLOW_CONTROL_ERROR, "more than the connection's window");
            return;
        }
        Http2ServerStream stream = streams.get(id);
        if (stream == null) {
            dataOfNone(id);
        } else if (stream.isInputEnded()) {
            connection.breakOff(stream, Http2Error.STREAM_CLOSED);
        } else if (!stream.receive(bytes)) {
            connection.breakOff(stream, Http2Error.FLOW_CONTROL_ERROR);
        } else {
            receiving = stream;
        }
    }

    private void dataOfNone(int id) {
        if (connection.isIdle(id)) {
            connection.fail(Http2Error.PROTOCOL_ERROR, "DATA of a stream that hasn't begun");
        } else if (!streams.mayStillCome(id) && !connection.goingAway().refuses(id)) {
            refuse(id, Http2Error.STREAM_CLOSED);
        }
    }

    @Override
    public void content(ByteBuf in, int count) {
        Http2ServerStream stream = receiving;
        int id = reader.streamId();
        carried = true;
        if (stream == null || streams.get(id) != stream) {
            in.skipBytes(count);
            return;
        }
        int before = in.readerIndex();
        stream.onContent(in, count);
        in.readerIndex(before + count);
        if (streams.get(id) != stream) {
            receiving = null;
        }
    }

    @Override
    public void endData() {
        input.received(reader.windowBytes());
        Http2ServerStream stream = receiving;
        receiving = null;
        boolean empty = !carried && !reader.endsStream();
        if (empty) {
            // Padding carries nothing, however long it is.
            connection.countFrame();
        }
        if (stream == null || streams.get(reader.streamId()) != stream) {
            if (reader.endsStream()) {
                lastWords.without(reader.streamId());
            }
            return;
        }
        if (!empty) {
            connection.floods().useful();
        }
        if (reader.endsStream()) {
            stream.onEnd(null);
        } else {
            stream.received(reader.windowBytes(), input.toldStreamWindow());
        }
    }
}
