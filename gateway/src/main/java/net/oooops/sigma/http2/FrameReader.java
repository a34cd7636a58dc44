package net.oooops.sigma.http2;

import io.netty.buffer.ByteBuf;
import java.util.Arrays;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.memory.HeadMemory;
import org.jspecify.annotations.Nullable;

/**
 * Reads frames (RFC 9113 sections 4 and 6) out of the bytes that come. Header blocks are told as a whole, bodies as they come, all other
 * frames as a whole. What can be judged of a frame alone is judged here. Pure steps: it knows neither the connection nor its streams.
 *
 * <pre>
 *   PREFACE ─▶ HEADER ─▶ PAYLOAD ────────────────▶ HEADER   (whole frames; CONTINUATION until the block is whole)
 *                 ├────▶ PAD_LENGTH ─▶ CONTENT ─▶ PADDING ─▶ HEADER   (DATA)
 *                 └────▶ SKIPPED ─▶ HEADER   (types that nobody knows)
 * </pre>
 */
final class FrameReader {
    /** What was read. */
    enum Event {
        /** Nothing more can be said before more bytes come. */
        MORE,
        /** A DATA frame begins: {@link #windowBytes} is what it takes of the windows. */
        DATA,
        /** The next {@link #contentBytes} bytes belong to the body; the caller moves over them before it calls again. */
        CONTENT,
        /** The DATA frame is over; {@link #endsStream} says whether the body is. */
        DATA_END,
        /** A header block is whole: {@link #block}, from {@link #blockStart} to {@link #blockEnd}. */
        HEADERS,
        /** A frame of another type is whole: {@link #payload}, {@link #payloadBytes}. */
        CONTROL,
        /** One that has no meaning here was skipped. */
        UNKNOWN,
        /** The connection can't go on: {@link #error}. */
        FAILED
    }

    /** Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md. */
    private static final class State {
        static final int PREFACE = 0;
        static final int HEADER = 1;
        static final int PAYLOAD = 2;
        static final int PAD_LENGTH = 3;
        static final int CONTENT = 4;
        static final int PADDING = 5;
        static final int SKIPPED = 6;

        private State() {}
    }

    private static final byte[] NONE = new byte[0];
    private static final int PRIORITY_BYTES = 5;
    /** Twice of what a head may have, in its compressed form, is no head. */
    private static final int BLOCK_FACTOR = 2;

    private static final byte[] HTTP_1 = Octets.ascii("HTTP/1.");
    private static final byte TLS_ALERT = 21;
    private static final byte TLS_MAJOR = 3;
    /** The type of no frame. */
    private static final int NO_TYPE = -1;

    private final Http2Room room;
    /** Whether a node is read, which sends no preface. */
    private final boolean ofNode;

    private final int continuationsMax;
    private int blockBytesMax;

    private int state;
    private final byte[] header = new byte[Frames.HEADER_BYTES];
    /** How much of the preface, the header or the payload is here. */
    private int have;

    private int length;
    private int type = NO_TYPE;
    private int flags;
    private int streamId;
    /** What is left of a DATA frame's content, and of its padding. */
    private int contentLeft;

    private int paddingLeft;
    private int contentBytes;

    private byte[] pieces = NONE;
    private byte[] payload = NONE;

    /** The stream whose header block goes on with the next frame; 0 for none. */
    private int blockStream;

    private boolean blockEndsStream;
    private int continuations;
    /** Of a block of several frames. */
    private byte[] blockPieces = NONE;

    /** What counts of what isn't whole; {@link #crowded} where there was no room for it. */
    private int held;

    private byte[] block = NONE;
    private int blockStart;
    private int blockEnd;
    private boolean dependsOnItself;
    private boolean endsStream;
    private boolean crowded;
    private Http2Error error = Http2Error.NO_ERROR;
    private String reason = "";

    /**
     * For one connection.
     *
     * @param blockBytesMax a header block that is longer ends the connection
     * @param continuationsMax one of more CONTINUATION frames does, too
     */
    FrameReader(Http2Room room, boolean awaitsPreface, int blockBytesMax, int continuationsMax) {
        this.room = room;
        this.ofNode = !awaitsPreface;
        this.state = awaitsPreface ? State.PREFACE : State.HEADER;
        this.blockBytesMax = blockBytesMax;
        this.continuationsMax = continuationsMax;
    }

    /** What a client says. */
    static FrameReader ofClient(Limits limits, Http2Room room) {
        return new FrameReader(room, true, blockBytesMax(limits), limits.http2().continuationsMax());
    }

    /**
     * Header blocks may be as long as these allow from now on, or as long as before: the client was told so. What is too long by now is refused by
     * itself, where this would end the connection.
     */
    void within(Limits limits) {
        blockBytesMax = Math.max(blockBytesMax, blockBytesMax(limits));
    }

    private static int blockBytesMax(Limits limits) {
        return BLOCK_FACTOR * (limits.headerBytesMax() + limits.requestLineBytesMax());
    }

    int type() {
        return type;
    }

    int flags() {
        return flags;
    }

    /** The frame's stream; 0 for the connection. */
    int streamId() {
        return streamId;
    }

    /** What the DATA frame takes of the windows, padding included. */
    int windowBytes() {
        return length;
    }

    int contentBytes() {
        return contentBytes;
    }

    boolean endsStream() {
        return endsStream;
    }

    /** Whether nothing follows the content that is told now: neither in its frame, nor on its stream. */
    boolean isLastContent() {
        return endsStream && contentLeft == 0 && paddingLeft == 0;
    }

    /** Valid until the next call. */
    byte[] block() {
        return block;
    }

    int blockStart() {
        return blockStart;
    }

    int blockEnd() {
        return blockEnd;
    }

    /** Whether the frame says that its stream depends on itself (RFC 7540 section 5.3.1). */
    boolean dependsOnItself() {
        return dependsOnItself;
    }

    /** Valid until the next call. */
    byte[] payload() {
        return payload;
    }

    int payloadBytes() {
        return length;
    }

    /** Whether a header block has begun, and isn't whole. */
    boolean isWithinBlock() {
        return blockStream != 0;
    }

    Http2Error error() {
        return error;
    }

    /** What is wrong, for the log. */
    String reason() {
        return reason;
    }

    /** Reads on in {@code in}. */
    Event next(ByteBuf in) {
        while (true) {
            Event event = switch (state) {
                case State.PREFACE -> readPreface(in);
                case State.HEADER -> readHeader(in) ? beginFrame() : beginning();
                case State.PAYLOAD -> readPayload(in) ? endFrame() : Event.MORE;
                case State.PAD_LENGTH -> readPadLength(in);
                case State.CONTENT -> readContent(in);
                case State.PADDING -> readPadding(in);
                case State.SKIPPED -> readSkipped(in);
                default -> throw new IllegalStateException("state " + state);
            };
            if (crowded) {
                return fail(Http2Error.ENHANCE_YOUR_CALM, "large heads beyond what memory has room for");
            }
            if (event != null) {
                return event;
            }
        }
    }

    private Event fail(Http2Error why, String text) {
        error = why;
        reason = text;
        return Event.FAILED;
    }

    private @Nullable Event readPreface(ByteBuf in) {
        while (have < Frames.PREFACE.length) {
            if (!in.isReadable()) {
                return Event.MORE;
            }
            if (in.readByte() != Frames.PREFACE[have]) {
                return fail(Http2Error.PROTOCOL_ERROR, "no preface of HTTP/2");
            }
            have++;
        }
        have = 0;
        state = State.HEADER;
        return null;
    }

    private boolean readHeader(ByteBuf in) {
        int count = Math.min(in.readableBytes(), Frames.HEADER_BYTES - have);
        in.readBytes(header, have, count);
        have += count;
        if (have < Frames.HEADER_BYTES) {
            // Nothing of what was read is held while nothing comes.
            payload = NONE;
            block = NONE;
            return false;
        }
        have = 0;
        length = ((header[0] & 0xFF) << 16) | Frames.int16(header, 1);
        type = header[3] & 0xFF;
        flags = header[4] & 0xFF;
        streamId = Frames.int32(header, 5) & Integer.MAX_VALUE;
        return true;
    }

    /** A frame's header isn't whole: a node that speaks TLS says less than that. */
    private Event beginning() {
        return have >= 2 && isAlert() ? failOfTls() : Event.MORE;
    }

    /** Whether it begins as the answer does of a node that speaks TLS to one who doesn't (an alert, RFC 8446 section 5.1). */
    private boolean isAlert() {
        return ofNode && header[0] == TLS_ALERT && header[1] == TLS_MAJOR;
    }

    private Event failOfTls() {
        return fail(
                Http2Error.PROTOCOL_ERROR,
                "the node speaks TLS: its URL begins with h2://, or with https:// for HTTP/1.1");
    }

    private String tooLarge() {
        boolean isHttp1 = ofNode && Arrays.equals(header, 0, HTTP_1.length, HTTP_1, 0, HTTP_1.length);
        return isHttp1
                ? "the node speaks HTTP/1.1: its URL begins with http://, or with https:// over TLS"
                : "frame larger than was allowed";
    }

    private @Nullable Event beginFrame() {
        if (length > Frames.PAYLOAD_BYTES_MAX) {
            return isAlert() ? failOfTls() : fail(Http2Error.FRAME_SIZE_ERROR, tooLarge());
        }
        if (blockStream != 0 && (type != Frames.CONTINUATION || streamId != blockStream)) {
            return fail(Http2Error.PROTOCOL_ERROR, "header block interrupted");
        }
        String wrong = wrongPlace();
        if (wrong != null) {
            return fail(Http2Error.PROTOCOL_ERROR, wrong);
        }
        if (type == Frames.DATA) {
            return beginData();
        }
        state = isKnown() ? State.PAYLOAD : State.SKIPPED;
        return null;
    }

    private boolean isKnown() {
        return type <= Frames.CONTINUATION || type == Frames.PRIORITY_UPDATE;
    }

    /** Whether the frame is of the connection where it has to be of a stream, or the other way round; null where it is in place. */
    private @Nullable String wrongPlace() {
        return switch (type) {
            case Frames.DATA, Frames.HEADERS, Frames.PRIORITY, Frames.RST_STREAM ->
                streamId == 0 ? "frame without its stream" : null;
            case Frames.SETTINGS, Frames.PING, Frames.GOAWAY, Frames.PRIORITY_UPDATE ->
                streamId != 0 ? "frame of the connection on a stream" : null;
            case Frames.CONTINUATION -> blockStream == 0 ? "CONTINUATION of nothing" : null;
            default -> null;
        };
    }

    private Event beginData() {
        endsStream = (flags & Frames.END_STREAM) != 0;
        contentLeft = length;
        paddingLeft = 0;
        boolean padded = (flags & Frames.PADDED) != 0;
        if (padded && length == 0) {
            return fail(Http2Error.FRAME_SIZE_ERROR, "padded frame without the length of its padding");
        }
        state = padded ? State.PAD_LENGTH : State.CONTENT;
        return Event.DATA;
    }

    private @Nullable Event readPadLength(ByteBuf in) {
        if (!in.isReadable()) {
            return Event.MORE;
        }
        paddingLeft = in.readUnsignedByte();
        contentLeft = length - 1 - paddingLeft;
        if (contentLeft < 0) {
            return fail(Http2Error.PROTOCOL_ERROR, "padding longer than its frame");
        }
        state = State.CONTENT;
        return null;
    }

    private @Nullable Event readContent(ByteBuf in) {
        if (contentLeft == 0) {
            state = State.PADDING;
            return null;
        }
        if (!in.isReadable()) {
            return Event.MORE;
        }
        contentBytes = Math.min(contentLeft, in.readableBytes());
        contentLeft -= contentBytes;
        return Event.CONTENT;
    }

    private Event readPadding(ByteBuf in) {
        int count = Math.min(paddingLeft, in.readableBytes());
        in.skipBytes(count);
        paddingLeft -= count;
        if (paddingLeft > 0) {
            return Event.MORE;
        }
        state = State.HEADER;
        return Event.DATA_END;
    }

    private Event readSkipped(ByteBuf in) {
        int count = Math.min(length - have, in.readableBytes());
        in.skipBytes(count);
        have += count;
        if (have < length) {
            return Event.MORE;
        }
        have = 0;
        state = State.HEADER;
        return Event.UNKNOWN;
    }

    private boolean readPayload(ByteBuf in) {
        if (have == 0 && in.readableBytes() >= length) {
            payload = room.payload();
            in.readBytes(payload, 0, length);
            return true;
        }
        int count = Math.min(length - have, in.readableBytes());
        if (have + count > pieces.length) {
            // Room for twice of what is here at most: what is announced may never come.
            pieces = Arrays.copyOf(pieces, Math.min(length, Math.max(have + count, 2 * have)));
        }
        in.readBytes(pieces, have, count);
        have += count;
        boolean whole = have == length;
        if (whole) {
            payload = pieces;
            pieces = NONE;
            have = 0;
        }
        count();
        return whole;
    }

    /** What is held of a frame, or a block, that isn't whole is other than before. That of a node belongs to no head of a request. */
    private void count() {
        int now = ofNode ? 0 : HeadMemory.counted(pieces.length + blockPieces.length);
        crowded |= now != held && !room.heads().hold(held, now);
        held = now;
    }

    /** Nothing more is read. */
    void close() {
        pieces = NONE;
        blockPieces = NONE;
        count();
    }

    private @Nullable Event endFrame() {
        state = State.HEADER;
        return switch (type) {
            case Frames.HEADERS -> headers();
            case Frames.CONTINUATION -> continued();
            case Frames.PUSH_PROMISE -> fail(Http2Error.PROTOCOL_ERROR, "PUSH_PROMISE");
            default -> Event.CONTROL;
        };
    }

    private @Nullable Event headers() {
        dependsOnItself = false;
        int start = 0;
        int end = length;
        if ((flags & Frames.PADDED) != 0) {
            start = 1;
            end = length == 0 ? -1 : length - (payload[0] & 0xFF);
        }
        if ((flags & Frames.PRIORITIZED) != 0) {
            if (end - start >= PRIORITY_BYTES) {
                dependsOnItself = (Frames.int32(payload, start) & Integer.MAX_VALUE) == streamId;
            }
            start += PRIORITY_BYTES;
        }
        if (length < start) {
            return fail(Http2Error.FRAME_SIZE_ERROR, "HEADERS shorter than its flags say");
        }
        if (end < start) {
            return fail(Http2Error.PROTOCOL_ERROR, "padding longer than its frame");
        }
        endsStream = (flags & Frames.END_STREAM) != 0;
        if ((flags & Frames.END_HEADERS) != 0) {
            return whole(payload, start, end);
        }
        blockStream = streamId;
        blockEndsStream = endsStream;
        continuations = 0;
        blockPieces = Arrays.copyOfRange(payload, start, end);
        count();
        return null;
    }

    private @Nullable Event continued() {
        continuations++;
        if (continuations > continuationsMax) {
            return fail(Http2Error.ENHANCE_YOUR_CALM, "more CONTINUATION frames than limits.http2.continuations");
        }
        int before = blockPieces.length;
        if (before + length > blockBytesMax) {
            return fail(Http2Error.ENHANCE_YOUR_CALM, "header block longer than any that is read");
        }
        blockPieces = Arrays.copyOf(blockPieces, before + length);
        System.arraycopy(payload, 0, blockPieces, before, length);
        byte[] all = blockPieces;
        boolean whole = (flags & Frames.END_HEADERS) != 0;
        if (whole) {
            blockStream = 0;
            endsStream = blockEndsStream;
            blockPieces = NONE;
        }
        count();
        return whole ? whole(all, 0, all.length) : null;
    }

    private Event whole(byte[] of, int start, int end) {
        block = of;
        blockStart = start;
        blockEnd = end;
        return Event.HEADERS;
    }
}
