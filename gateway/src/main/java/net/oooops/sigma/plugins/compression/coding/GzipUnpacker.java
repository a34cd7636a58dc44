package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.Inflater;
import net.oooops.sigma.api.RefusedBodyException;

/**
 * Unpacks gzip (RFC 1952), of one member or several.
 *
 * <pre>
 *   HEAD ─▶ (EXTRA) ─▶ (NAME) ─▶ (COMMENT) ─▶ (HEAD_CRC) ─▶ BODY ─▶ TRAILER ─┬─▶ end
 *     ▲                                                                      │
 *     └───────────────────────── more bytes ─────────────────────────────────┘
 * </pre>
 */
final class GzipUnpacker implements Coder {
    private enum State {
        HEAD,
        EXTRA_LENGTH,
        EXTRA,
        NAME,
        COMMENT,
        HEAD_CRC,
        BODY,
        TRAILER
    }

    private static final String CODING = "gzip";
    private static final int HEAD_BYTES = 10;
    private static final int TRAILER_BYTES = 8;
    private static final int HAS_HEAD_CRC = 2;
    private static final int HAS_EXTRA = 4;
    private static final int HAS_NAME = 8;
    private static final int HAS_COMMENT = 16;
    private static final int RESERVED = 0xE0;

    private final Inflater inflater = new Inflater(true);
    /** Of the member's header, then of what becomes of its body. */
    private final CRC32 crc = new CRC32();

    private final SmallParts smallMembers = new SmallParts(CODING);

    private State state = State.HEAD;
    private int flags;
    /** How many bytes of the present part have been read. */
    private int read;
    /** What they say, little end first. */
    private long value;

    private long extraBytes;

    @Override
    public void reset() {
        smallMembers.reset();
        member();
    }

    private void member() {
        inflater.reset();
        crc.reset();
        to(State.HEAD);
    }

    private void to(State next) {
        state = next;
        read = 0;
        value = 0;
    }

    @Override
    public boolean step(ByteBuffer in, ByteBuffer out, Until until) throws RefusedBodyException {
        while (true) {
            if (state == State.BODY) {
                body(in, out);
                if (state == State.BODY && !out.hasRemaining()) {
                    return false;
                }
            }
            if (!in.hasRemaining()) {
                if (until == Until.FINISHED && (state != State.HEAD || read > 0)) {
                    throw CodingFaults.truncated(CODING);
                }
                return true;
            }
            if (state != State.BODY) {
                take(in.get() & 0xFF);
            }
        }
    }

    private void body(ByteBuffer in, ByteBuffer out) throws RefusedBodyException {
        int from = out.position();
        InflateUnpacker.inflate(inflater, CODING, in, out);
        int limit = out.limit();
        out.limit(out.position()).position(from);
        crc.update(out);
        out.limit(limit);
        if (inflater.finished()) {
            to(State.TRAILER);
        }
    }

    private void take(int b) throws RefusedBodyException {
        if (read < Long.BYTES) {
            value |= (long) b << (read * Byte.SIZE);
        }
        read++;
        if (state.compareTo(State.HEAD_CRC) < 0) {
            crc.update(b);
        }
        switch (state) {
            case HEAD -> head(b);
            case EXTRA_LENGTH -> {
                if (read == 2) {
                    extraBytes = value;
                    to(State.EXTRA);
                    skipExtra();
                }
            }
            case EXTRA -> skipExtra();
            case NAME -> {
                if (b == 0) {
                    behind(State.NAME);
                }
            }
            case COMMENT -> {
                if (b == 0) {
                    behind(State.COMMENT);
                }
            }
            case HEAD_CRC -> headCrc();
            case TRAILER -> trailer();
            case BODY -> throw new IllegalStateException("a byte of the body");
        }
    }

    private void head(int b) throws RefusedBodyException {
        boolean right = switch (read) {
            case 1 -> b == 0x1F;
            case 2 -> b == 0x8B;
            case 3 -> b == 8;
            case 4 -> (b & RESERVED) == 0;
            default -> true;
        };
        if (!right) {
            throw CodingFaults.garbage(CODING, "byte " + read + " of its header is " + b);
        }
        flags = read == 4 ? b : flags;
        if (read == HEAD_BYTES) {
            behind(State.HEAD);
        }
    }

    /** To the next part that the flags name. */
    private void behind(State part) {
        if (part == State.HEAD && (flags & HAS_EXTRA) != 0) {
            to(State.EXTRA_LENGTH);
        } else if (part.compareTo(State.NAME) < 0 && (flags & HAS_NAME) != 0) {
            to(State.NAME);
        } else if (part.compareTo(State.COMMENT) < 0 && (flags & HAS_COMMENT) != 0) {
            to(State.COMMENT);
        } else if ((flags & HAS_HEAD_CRC) != 0) {
            to(State.HEAD_CRC);
        } else {
            toBody();
        }
    }

    private void headCrc() throws RefusedBodyException {
        if (read == 2) {
            if (value != (crc.getValue() & 0xFFFF)) {
                throw CodingFaults.garbage(CODING, "the checksum of its header is another one");
            }
            toBody();
        }
    }

    private void toBody() {
        crc.reset();
        to(State.BODY);
    }

    private void skipExtra() {
        if (read == extraBytes) {
            behind(State.EXTRA);
        }
    }

    private void trailer() throws RefusedBodyException {
        if (read == TRAILER_BYTES) {
            boolean right = (value & 0xFFFF_FFFFL) == crc.getValue()
                    && (int) (value >>> Integer.SIZE) == (int) inflater.getBytesWritten();
            if (!right) {
                throw CodingFaults.garbage(CODING, "its checksum or length is another one");
            }
            smallMembers.ended(inflater.getBytesWritten());
            member();
        }
    }

    @Override
    public void close() {
        inflater.end();
    }
}
