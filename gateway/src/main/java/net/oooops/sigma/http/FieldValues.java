package net.oooops.sigma.http;

import java.util.Arrays;
import net.oooops.sigma.api.FieldName;

/**
 * What the received fields of a section say, as bytes: for those who write it on elsewhere, look for something in it, or log it. Nothing is
 * made a string.
 *
 * <p>Pure functions, on the section's thread; they allocate nothing. Fields are known by their number in {@link KnownField} where they have one.
 */
public final class FieldValues {
    private FieldValues() {}

    /** Whether there is a field of that known kind, which no edit took out. */
    public static boolean has(FieldSection section, int known) {
        return section.find(known) >= 0;
    }

    /**
     * Writes the values of all fields of that known kind, joined by commas (RFC 9110 section 5.3).
     *
     * @return whether there was one that isn't empty
     */
    public static boolean join(FieldSection section, int known, HeadWriter out) {
        boolean written = false;
        for (int field = 0; field < section.fieldCount; field++) {
            if (section.known(field) == known && section.valueStart(field) < section.valueEnd(field)) {
                if (written) {
                    out.append((byte) ',');
                    out.append(Octets.SP);
                }
                out.append(section.bytes, section.valueStart(field), section.valueEnd(field));
                written = true;
            }
        }
        return written;
    }

    /** How often {@code text} occurs in the values of that known kind of field. */
    public static int count(FieldSection section, int known, byte[] text) {
        int count = 0;
        for (int field = section.find(known); field >= 0 && field < section.fieldCount; field++) {
            if (section.known(field) == known) {
                count += count(section.bytes, section.valueStart(field), section.valueEnd(field), text);
            }
        }
        return count;
    }

    private static int count(byte[] bytes, int start, int end, byte[] text) {
        int count = 0;
        for (int at = start; at + text.length <= end; at++) {
            if (Arrays.equals(bytes, at, at + text.length, text, 0, text.length)) {
                count++;
            }
        }
        return count;
    }

    /**
     * Where the value of the first field of that name stands in {@link FieldSection#bytes}: as it was received, whatever edits made of it.
     *
     * @return a {@link Span}
     */
    public static long first(FieldSection section, FieldName name) {
        for (int field = 0; field < section.fieldCount; field++) {
            if (name.matches(section.bytes, section.nameStart(field), section.nameEnd(field))) {
                return Span.of(section.valueStart(field), section.valueEnd(field));
            }
        }
        return Span.NONE;
    }

    /**
     * The number of the next field of that known kind behind number {@code before}, whatever edits made of it; -1 begins with the first.
     *
     * @return -1 where there is none
     */
    public static int next(FieldSection section, int known, int before) {
        for (int field = before + 1; field < section.fieldCount; field++) {
            if (section.known(field) == known) {
                return field;
            }
        }
        return -1;
    }

    /** Where the value of a field stands in {@link FieldSection#bytes}, by its number: a {@link Span}. */
    public static long value(FieldSection section, int field) {
        return Span.of(section.valueStart(field), section.valueEnd(field));
    }
}
