package net.oooops.sigma.api;

import java.nio.charset.StandardCharsets;

/**
 * A header field, name and value, validated and encoded once (RFC 9110 section 5). Setting a ready field on a head
 * allocates nothing.
 *
 * <p>Safe for use from any thread.
 */
public final class Field {
    private final FieldName name;
    private final String value;
    private final byte[] line;

    private Field(FieldName name, String value) {
        this.name = name;
        this.value = value;
        this.line = (name + ": " + value + "\r\n").getBytes(StandardCharsets.ISO_8859_1);
    }

    /**
     * A field from its two texts; see {@link #of(FieldName, String)}.
     *
     * @throws IllegalArgumentException as there, or where {@code name} is no field name
     */
    public static Field of(String name, String value) {
        return of(FieldName.of(name), value);
    }

    /**
     * A field of this name and value. The value's characters are written as ISO 8859-1.
     *
     * @throws IllegalArgumentException where the value begins or ends with white space or holds a control character or one
     *     beyond ISO 8859-1 (RFC 9110 section 5.5), or where Sigma alone writes that field
     *     ({@link FieldName#isOfTheConnection})
     */
    public static Field of(FieldName name, String value) {
        if (name.isOfTheConnection()) {
            throw new IllegalArgumentException(name + " (expected: a field that a plugin may write; " + name
                    + " frames the message or belongs to one connection)");
        }
        if (!isValue(value)) {
            throw new IllegalArgumentException(
                    name + ": \"" + value + "\" (expected: a field value, RFC 9110 section 5.5)");
        }
        return new Field(name, value);
    }

    /** Whether {@code value} may stand as a field value, written as ISO 8859-1. */
    public static boolean isValue(String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c > 0xFF || c == 0x7F || (c < 0x20 && c != '\t')) {
                return false;
            }
        }
        return value.isEmpty() || value.strip().length() == value.length();
    }

    /** The name. */
    public FieldName name() {
        return name;
    }

    /** The value. */
    public String value() {
        return value;
    }

    /** The number of bytes of {@code Name: value CRLF}. */
    public int lineBytes() {
        return line.length;
    }

    /** Copies {@code Name: value CRLF} to {@code target} from {@code at} on and returns the position after it. */
    public int copyTo(byte[] target, int at) {
        System.arraycopy(line, 0, target, at, line.length);
        return at + line.length;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Field that && name.equals(that.name) && value.equals(that.value);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + value.hashCode();
    }

    @Override
    public String toString() {
        return name + ": " + value;
    }
}
