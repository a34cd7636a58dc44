package net.oooops.sigma.http1;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * Finds the body of one message in what is received (RFC 9112 sections 6 and 7). It moves over framing bytes itself and
 * tells how many of the next bytes are content; the caller takes those. Chunk extensions are dropped, trailers are kept.
 *
 * <pre>
 *   LENGTH ─────────────────────────────────────────▶ END
 *   UNTIL_CLOSE ─▶ (the connection's end)
 *   SIZE ─▶ (BLANK) ─▶ EXTENSION ─▶ SIZE_LF ─▶ CONTENT ─▶ CONTENT_CR ─▶ CONTENT_LF ─▶ SIZE
 *                                      └─ size 0 ─▶ TRAILERS ──▶ END
 * </pre>
 */
final class BodyDecoder {
    /** What the next bytes are. */
    enum Part {
        /** Nothing more can be said before more bytes come. */
        MORE,
        /** The next {@link BodyDecoder#contentBytes} bytes are content. */
        CONTENT,
        /** The body is complete. */
        END,
        /** The body breaks a rule; {@link BodyDecoder#refusal} says which. */
        REFUSED
    }

    /** Numbers, since what is written with each request should be no reference: docs/adr/0033-collector.md. */
    private static final class State {
        static final int END = 0;
        static final int LENGTH = 1;
        static final int UNTIL_CLOSE = 2;
        static final int SIZE = 3;
        /** White space before an extension. */
        static final int BLANK = 4;

        static final int EXTENSION = 5;
        static final int SIZE_LF = 6;
        static final int CONTENT = 7;
        static final int CONTENT_CR = 8;
        static final int CONTENT_LF = 9;
        static final int TRAILERS = 10;

        private State() {}
    }

    private static final int SIZE_DIGITS_MAX = 16;
    private static final int TRAILER_COPY_BYTES = 512;

    private int state = State.END;
    private long remaining;
    private long allowed;
    private int contentBytes;
    private int sizeDigits;
    private int extensionBytes;
    private boolean quoted;
    private boolean escaped;
    private @Nullable Refusal refusal;
    private @Nullable Trailers trailers;

    /** The body of a response begins (RFC 9112 section 6.3). */
    void beginResponse(HttpResponseHead head, boolean toHead) {
        if (toHead || head.isBodiless()) {
            beginNone();
        } else if (head.isChunked()) {
            beginChunked(Long.MAX_VALUE);
        } else if (head.contentLength() >= 0) {
            beginLength(head.contentLength());
        } else {
            beginUntilClose();
        }
    }

    /** There is no body. */
    void beginNone() {
        begin(State.END, 0, 0);
    }

    /** The body has so many bytes. */
    void beginLength(long bytes) {
        begin(bytes == 0 ? State.END : State.LENGTH, bytes, bytes);
    }

    /** The body is chunked, of at most {@code bytesMax} bytes. */
    void beginChunked(long bytesMax) {
        begin(State.SIZE, 0, bytesMax);
    }

    /** The body ends with the connection. */
    void beginUntilClose() {
        begin(State.UNTIL_CLOSE, 0, Long.MAX_VALUE);
    }

    private void begin(int first, long bytes, long bytesMax) {
        state = first;
        remaining = bytes;
        allowed = bytesMax;
        sizeDigits = 0;
        extensionBytes = 0;
        refusal = null;
        trailers = null;
    }

    /** Whether the body is complete. */
    boolean isEnd() {
        return state == State.END;
    }

    /** Whether the end of the connection is the end of the body. */
    boolean isUntilClose() {
        return state == State.UNTIL_CLOSE;
    }

    /** How many bytes are still to come; more than there can be where nobody knows. */
    long missingBytes() {
        return switch (state) {
            case State.END -> 0;
            case State.LENGTH -> remaining;
            default -> Long.MAX_VALUE;
        };
    }

    /** With {@link Part#CONTENT}: how many of the next bytes are content, at least 1. */
    int contentBytes() {
        return contentBytes;
    }

    /** With {@link Part#REFUSED}: why. */
    @Nullable Refusal refusal() {
        return refusal;
    }

    /** The trailers, or null where there are none. Known once the body is complete. */
    @Nullable Trailers trailers() {
        return trailers;
    }

    /** They aren't asked for any more. */
    void dropTrailers() {
        trailers = null;
    }

    /** Reads on in {@code in}. After {@link Part#CONTENT} the caller has taken those bytes before it calls again. */
    Part next(ByteBuf in, Limits limits) {
        while (in.isReadable() && state != State.END) {
            switch (state) {
                case State.LENGTH, State.CONTENT, State.UNTIL_CLOSE -> {
                    return content(in);
                }
                case State.SIZE -> readSize(in.readByte(), limits.chunkExtensionBytesMax());
                case State.BLANK -> readBlank(in.readByte(), limits.chunkExtensionBytesMax());
                case State.EXTENSION -> readExtension(in.readByte(), limits.chunkExtensionBytesMax());
                case State.SIZE_LF -> readSizeEnd(in.readByte());
                case State.CONTENT_CR -> expect(in.readByte(), Octets.CR, State.CONTENT_LF);
                case State.CONTENT_LF -> expect(in.readByte(), Octets.LF, State.SIZE);
                case State.TRAILERS -> readTrailers(in, limits);
                case State.END -> throw new IllegalStateException("read on after the end of the body");
            }
            if (refusal != null) {
                return Part.REFUSED;
            }
        }
        return state == State.END ? Part.END : Part.MORE;
    }

    private Part content(ByteBuf in) {
        if (state == State.UNTIL_CLOSE) {
            contentBytes = in.readableBytes();
            return Part.CONTENT;
        }
        contentBytes = (int) Math.min(remaining, in.readableBytes());
        remaining -= contentBytes;
        if (remaining == 0) {
            state = state == State.LENGTH ? State.END : State.CONTENT_CR;
        }
        return Part.CONTENT;
    }

    private void readSize(byte b, int extensionBytesMax) {
        if (Octets.isHex(b)) {
            remaining = sizeDigits == 0 ? 0 : remaining;
            sizeDigits++;
            if (sizeDigits > SIZE_DIGITS_MAX || remaining > Long.MAX_VALUE >> 4) {
                refusal = Refusal.CHUNK_SIZE;
                return;
            }
            remaining = remaining << 4 | Octets.hexValue(b);
            return;
        }
        if (sizeDigits == 0) {
            refusal = Refusal.CHUNK_SIZE;
        } else if (b == Octets.CR) {
            state = State.SIZE_LF;
        } else {
            readBlank(b, extensionBytesMax);
        }
    }

    /** RFC 9112 section 7.1.1: white space may stand before the semicolon of an extension, and nowhere else behind a size. */
    private void readBlank(byte b, int extensionBytesMax) {
        if (b == ';') {
            state = State.EXTENSION;
            quoted = false;
            escaped = false;
            countExtension(extensionBytesMax);
        } else if (b == Octets.SP || b == Octets.HT) {
            state = State.BLANK;
            countExtension(extensionBytesMax);
        } else {
            refusal = b == Octets.LF ? Refusal.BARE_LF : Refusal.CHUNK_SIZE;
        }
    }

    /** RFC 9112 section 7.1.1. A quoted string can't hold the line's end (CVE-2026-33870), nor can LF end the line. */
    private void readExtension(byte b, int bytesMax) {
        if (b == Octets.CR && !quoted) {
            state = State.SIZE_LF;
            return;
        }
        countExtension(bytesMax);
        if (!Octets.isValue(b)) {
            refusal = b == Octets.LF ? Refusal.BARE_LF : Refusal.CHUNK_EXTENSION;
        } else if (escaped) {
            escaped = false;
        } else if (quoted && b == '\\') {
            escaped = true;
        } else if (b == '"') {
            quoted = !quoted;
        }
    }

    private void countExtension(int bytesMax) {
        extensionBytes++;
        if (extensionBytes > bytesMax) {
            refusal = Refusal.CHUNK_EXTENSION_TOO_LONG;
        }
    }

    private void readSizeEnd(byte b) {
        if (b != Octets.LF) {
            refusal = Refusal.BARE_CR;
            return;
        }
        sizeDigits = 0;
        if (remaining == 0) {
            state = State.TRAILERS;
        } else if (remaining > allowed) {
            refusal = Refusal.BODY_TOO_LARGE;
        } else {
            allowed -= remaining;
            state = State.CONTENT;
        }
    }

    private void expect(byte found, byte expected, int then) {
        if (found == expected) {
            state = then;
        } else {
            refusal = Refusal.CHUNK_END;
        }
    }

    private void readTrailers(ByteBuf in, Limits limits) {
        if (trailers == null && isEmptyLine(in)) {
            in.skipBytes(2);
            state = State.END;
            return;
        }
        Trailers section = trailers;
        if (section == null) {
            section = new Trailers();
            trailers = section;
        }
        section.append(in, Math.min(in.readableBytes(), TRAILER_COPY_BYTES));
        Step step = FieldParser.parse(
                section, limits.headerFieldBytesMax(), limits.trailerBytesMax(), limits.headerCountMax());
        if (step == Step.DONE) {
            in.readerIndex(in.readerIndex() - section.dropSurplus());
            state = State.END;
            trailers = section.fieldCount() == 0 ? null : section;
        } else if (step == Step.REFUSED) {
            refusal = section.refusal() == Refusal.HEADER_TOO_LONG ? Refusal.TRAILERS_TOO_LONG : section.refusal();
        }
    }

    private static boolean isEmptyLine(ByteBuf in) {
        int at = in.readerIndex();
        return in.readableBytes() >= 2 && in.getByte(at) == Octets.CR && in.getByte(at + 1) == Octets.LF;
    }
}
