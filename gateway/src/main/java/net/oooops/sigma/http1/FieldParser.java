package net.oooops.sigma.http1;

import net.oooops.sigma.http.FieldSection;
import net.oooops.sigma.http.Octets;
import net.oooops.sigma.http.Refusal;

/**
 * Reads field lines (RFC 9112 section 5) out of the bytes that a {@link FieldSection} has stored so far.
 *
 * <pre>
 *   line ─▶ name ─":"─▶ OWS ─▶ value ─CRLF─▶ line
 *     └─CRLF─▶ done
 * </pre>
 *
 * A line that isn't complete is read again from its beginning when more bytes came, so that the only state between two calls
 * is where that line begins.
 */
final class FieldParser {
    private static final int MORE = -1;
    private static final int REFUSED = -2;
    private static final int DONE = -3;

    private FieldParser() {}

    /**
     * Goes on from {@code section.parsed}.
     *
     * @param sectionBytesMax how many bytes all field lines together may have, the empty line left out
     */
    static Step parse(FieldSection section, int fieldBytesMax, int sectionBytesMax, int countMax) {
        int endMax = section.fieldsStart() + sectionBytesMax;
        int line = section.parsed();
        int next = line;
        while (next >= 0) {
            line = next;
            next = parseLine(section, line);
            if (next - line > fieldBytesMax + 2) {
                section.refuse(Refusal.FIELD_TOO_LONG);
                next = REFUSED;
            } else if (section.fieldCount() > countMax) {
                section.refuse(Refusal.HEADER_COUNT);
                next = REFUSED;
            } else if (next > endMax) {
                section.refuse(Refusal.HEADER_TOO_LONG);
                next = REFUSED;
            }
        }
        if (next == MORE) {
            section.parsed(line);
            return wait(section, section.length() - line > fieldBytesMax + 2, endMax);
        }
        return next == DONE ? Step.DONE : Step.REFUSED;
    }

    private static Step wait(FieldSection section, boolean fieldTooLong, int endMax) {
        if (fieldTooLong) {
            return Step.refused(section, Refusal.FIELD_TOO_LONG);
        }
        // One byte more may be the CR of the empty line.
        return section.length() > endMax + 1 ? Step.refused(section, Refusal.HEADER_TOO_LONG) : Step.MORE;
    }

    private static int parseLine(FieldSection section, int start) {
        byte[] bytes = section.bytes();
        int end = section.length();
        if (start == end) {
            return MORE;
        }
        int nameEnd = start;
        while (nameEnd < end && Octets.isToken(bytes[nameEnd])) {
            nameEnd++;
        }
        if (nameEnd == end) {
            return MORE;
        }
        if (bytes[nameEnd] != ':' || nameEnd == start) {
            return parseEnd(section, start, nameEnd);
        }
        int valueStart = nameEnd + 1;
        while (valueStart < end && isBlank(bytes[valueStart])) {
            valueStart++;
        }
        int lineEnd = valueStart;
        while (lineEnd < end && Octets.isValue(bytes[lineEnd])) {
            lineEnd++;
        }
        if (lineEnd + 1 >= end) {
            return lineEnd == end || bytes[lineEnd] == Octets.CR ? MORE : refuseValue(section, bytes[lineEnd]);
        }
        if (bytes[lineEnd] != Octets.CR || bytes[lineEnd + 1] != Octets.LF) {
            return refuseValue(section, bytes[lineEnd]);
        }
        int valueEnd = lineEnd;
        while (valueEnd > valueStart && isBlank(bytes[valueEnd - 1])) {
            valueEnd--;
        }
        return section.accept(start, nameEnd, valueStart, valueEnd) ? lineEnd + 2 : REFUSED;
    }

    /** The line doesn't begin with a name and a colon: it is the empty line that ends the section, or wrong. */
    private static int parseEnd(FieldSection section, int start, int nameEnd) {
        byte[] bytes = section.bytes();
        byte first = bytes[start];
        if (first == Octets.CR) {
            if (start + 1 == section.length()) {
                return MORE;
            }
            if (bytes[start + 1] != Octets.LF) {
                return refuse(section, Refusal.BARE_CR);
            }
            section.endFields(start, start + 2);
            return DONE;
        }
        if (first == Octets.LF) {
            return refuse(section, Refusal.BARE_LF);
        }
        if (isBlank(first)) {
            return refuse(section, Refusal.FIELD_FOLDED);
        }
        boolean lineEnds = bytes[nameEnd] == Octets.CR || bytes[nameEnd] == Octets.LF;
        return refuse(section, lineEnds ? Refusal.FIELD_NO_COLON : Refusal.FIELD_NAME);
    }

    private static int refuseValue(FieldSection section, byte found) {
        return refuse(
                section,
                switch (found) {
                    case Octets.CR -> Refusal.BARE_CR;
                    case Octets.LF -> Refusal.BARE_LF;
                    default -> Refusal.FIELD_VALUE;
                });
    }

    private static int refuse(FieldSection section, Refusal why) {
        section.refuse(why);
        return REFUSED;
    }

    private static boolean isBlank(byte b) {
        return b == Octets.SP || b == Octets.HT;
    }
}
