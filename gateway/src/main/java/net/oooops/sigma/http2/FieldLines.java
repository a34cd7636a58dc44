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
    /** What a field costs besides its bytes: RFC 7541 section 4.1. */
    private static final int FIELD_BYTES = 32;

    private @Nullable Refusal refusal;
    private int fieldBytesMax;
    private int bytesLeft;
    private int countLeft;
    private long ignoredBytes;

    /** Bounds of the block that comes next. */
    final void begin(int fieldBytes, int allBytes, int count) {
        refusal = null;
        fieldBytesMax = fieldBytes;
        bytesLeft = allBytes;
        countLeft = count;
        ignoredBytes = 0;
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

    /** How much came behind the field for which they are refused, as RFC 9113 section 6.5.2 counts it: a byte of a block may stand for thousands. */
    final long ignoredBytes() {
        return ignoredBytes;
    }

    /** Where the lines go. */
    abstract FieldSection section();

    /** A field whose name begins with a colon. */
    abstract void pseudo(HpackField field);

    /** Another field, which is well-formed and within bounds. */
    abstract void regular(HpackField field);

    @Override
    public final void field(HpackField field) {
        if (refusal != null) {
            ignoredBytes += FIELD_BYTES + field.nameEnd - field.nameStart + field.valueEnd - field.valueStart;
            return;
        }
        if (field.nameStart < field.nameEnd && field.name[field.nameStart] == ':') {
            pseudo(field);
            return;
        }
        int lineBytes = field.nameEnd - field.nameStart + field.valueEnd - field.valueStart + LINE_BYTES;
        bytesLeft -= lineBytes;
        countLeft--;
        if (lineBytes - 2 > fieldBytesMax) {
            refuse(Refusal.FIELD_TOO_LONG);
        } else if (bytesLeft < 0) {
            refuse(Refusal.HEADER_TOO_LONG);
        } else if (countLeft < 0) {
            refuse(Refusal.HEADER_COUNT);
        } else if (isName(field.name, field.nameStart, field.nameEnd)
                && isValue(field.value, field.valueStart, field.valueEnd)) {
            regular(field);
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
    final void line(HpackField field) {
        if (isOfTheConnection(KnownField.of(field.name, field.nameStart, field.nameEnd), field)) {
            refuse(Refusal.CONNECTION_FIELD);
        } else {
            accept(field);
        }
    }

    /** The same, whatever field it is. */
    final void accept(HpackField field) {
        FieldSection section = section();
        int start = section.length();
        section.append(field.name, field.nameStart, field.nameEnd);
        int afterName = section.length();
        section.append(COLON, 0, COLON.length);
        int valueAt = section.length();
        section.append(field.value, field.valueStart, field.valueEnd);
        int afterValue = section.length();
        section.append(CRLF, 0, CRLF.length);
        if (!section.accept(start, afterName, valueAt, afterValue)) {
            Refusal why = section.refusal();
            refuse(why == null ? Refusal.FIELD_VALUE : why);
        }
    }

    /** RFC 9113 section 8.2.2. */
    private static boolean isOfTheConnection(int known, HpackField field) {
        return KnownField.isOfTheConnection(known)
                || (known == KnownField.TE
                        && !Octets.equalsIgnoreCase(field.value, field.valueStart, field.valueEnd, TRAILERS));
    }

    /** There are no more fields. */
    final void endLines() {
        FieldSection section = section();
        section.endFields(section.length(), section.length());
    }
}
