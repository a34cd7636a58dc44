package net.oooops.sigma.http2;

import net.oooops.sigma.http.FieldSection;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;
import org.jspecify.annotations.Nullable;

/**
 * Makes field lines, as HTTP/1 has them, of decoded fields, and judges them (RFC 9113 section 8.2): so that a head is the same whatever
 * version it came in. After a field that is refused the others are only counted, since the whole block has to be decoded.
 *
 * <p>Used for one header block after the other.
 */
abstract class FieldLines implements HpackSink {
    private static final byte[] COLON = Octets.ascii(": ");
    private static final byte[] CRLF = Octets.ascii("\r\n");
    private static final byte[] TRAILERS = Octets.ascii("trailers");
    /** The colon, the space behind it, and the line's end. */
    private static final int LINE_BYTES = 4;

    private @Nullable Refusal refusal;
    private int fieldBytesMax;
    private int bytesLeft;
    private int countLeft;

    /** Bounds of the block that comes next. */
    final void begin(int fieldBytes, int allBytes, int count) {
        refusal = null;
        fieldBytesMax = fieldBytes;
        bytesLeft = allBytes;
        countLeft = count;
    }

    /** Why the fields are refused, or null. */
    final @Nullable Refusal refusal() {
        return refusal;
    }

    /** The fields are refused, for the first reason that there is. */
    final void refuse(Refusal why) {
        if (refusal == null) {
            refusal = why;
        }
    }

    final boolean isRefused() {
        return refusal != null;
    }

    /** Where the lines go. */
    abstract FieldSection section();

    /** A field whose name begins with a colon. */
    abstract void pseudo(byte[] name, int nameStart, int nameEnd, byte[] value, int valueStart, int valueEnd);

    /** Another field, which is well-formed and within bounds. */
    abstract void regular(byte[] name, int nameStart, int nameEnd, byte[] value, int valueStart, int valueEnd);

    @Override
    public final void field(byte[] name, int nameStart, int nameEnd, byte[] value, int valueStart, int valueEnd) {
        if (refusal != null) {
            return;
        }
        if (nameStart < nameEnd && name[nameStart] == ':') {
            pseudo(name, nameStart, nameEnd, value, valueStart, valueEnd);
            return;
        }
        int lineBytes = nameEnd - nameStart + valueEnd - valueStart + LINE_BYTES;
        bytesLeft -= lineBytes;
        countLeft--;
        if (lineBytes - 2 > fieldBytesMax) {
            refuse(Refusal.FIELD_TOO_LONG);
        } else if (bytesLeft < 0) {
            refuse(Refusal.HEADER_TOO_LONG);
        } else if (countLeft < 0) {
            refuse(Refusal.HEADER_COUNT);
        } else if (isName(name, nameStart, nameEnd) && isValue(value, valueStart, valueEnd)) {
            regular(name, nameStart, nameEnd, value, valueStart, valueEnd);
        }
    }

    private boolean isName(byte[] name, int start, int end) {
        for (int i = start; i < end; i++) {
            byte b = name[i];
            if (!Octets.isToken(b)) {
                refuse(Refusal.FIELD_NAME);
                return false;
            }
            if (b >= 'A' && b <= 'Z') {
                refuse(Refusal.FIELD_CASE);
                return false;
            }
        }
        if (start == end) {
            refuse(Refusal.FIELD_NAME);
        }
        return start < end;
    }

    private boolean isValue(byte[] value, int start, int end) {
        boolean wellFormed = start == end || !(isBlank(value[start]) || isBlank(value[end - 1]));
        for (int i = start; i < end && wellFormed; i++) {
            wellFormed = Octets.isValue(value[i]);
        }
        if (!wellFormed) {
            refuse(Refusal.FIELD_VALUE);
        }
        return wellFormed;
    }

    private static boolean isBlank(byte b) {
        return b == Octets.SP || b == Octets.HT;
    }

    /** Writes a line, and has the section take it. */
    final void line(byte[] name, int nameStart, int nameEnd, byte[] value, int valueStart, int valueEnd) {
        FieldSection section = section();
        int start = section.length();
        section.append(name, nameStart, nameEnd);
        int afterName = section.length();
        if (isOfTheConnection(section.bytes(), start, afterName, value, valueStart, valueEnd)) {
            refuse(Refusal.CONNECTION_FIELD);
            return;
        }
        section.append(COLON, 0, COLON.length);
        int valueAt = section.length();
        section.append(value, valueStart, valueEnd);
        int afterValue = section.length();
        section.append(CRLF, 0, CRLF.length);
        if (!section.accept(start, afterName, valueAt, afterValue)) {
            Refusal why = section.refusal();
            refuse(why == null ? Refusal.FIELD_VALUE : why);
        }
    }

    /** RFC 9113 section 8.2.2. */
    private static boolean isOfTheConnection(
            byte[] bytes, int start, int end, byte[] value, int valueStart, int valueEnd) {
        int known = KnownField.of(bytes, start, end);
        return KnownField.isOfTheConnection(known)
                || (known == KnownField.TE && !Octets.equalsIgnoreCase(value, valueStart, valueEnd, TRAILERS));
    }

    /** There are no more fields. */
    final void endLines() {
        FieldSection section = section();
        section.endFields(section.length(), section.length());
    }
}
