package net.oooops.sigma.api;

import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.Set;

/**
 * The name of a header field (RFC 9110 section 5.1), validated once. Equal without regard to letter case.
 *
 * <p>Safe for use from any thread.
 */
public final class FieldName {
    /** Fields that belong to framing or to one connection only (RFC 9110 section 7.6.1); Sigma alone writes them. */
    private static final Set<String> OF_THE_CONNECTION = Set.of(
            "connection",
            "content-length",
            "host",
            "keep-alive",
            "proxy-connection",
            "te",
            "trailer",
            "transfer-encoding",
            "upgrade");

    private final String text;
    private final String lowerCase;
    private final byte[] lowerCaseBytes;

    private FieldName(String text) {
        this.text = text;
        this.lowerCase = text.toLowerCase(Locale.ROOT);
        this.lowerCaseBytes = lowerCase.getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * The field name written {@code text}.
     *
     * @throws IllegalArgumentException where {@code text} is not a token (RFC 9110 section 5.6.2)
     */
    public static FieldName of(String text) {
        if (!isToken(text)) {
            throw new IllegalArgumentException("\"" + text + "\" (expected: a field name, RFC 9110 section 5.1)");
        }
        return new FieldName(text);
    }

    /** Whether {@code text} is a token: one or more letters, digits or {@code !#$%&'*+-.^_`|~}. */
    public static boolean isToken(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            boolean alphanumeric = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
            if (!alphanumeric && "!#$%&'*+-.^_`|~".indexOf(c) < 0) {
                return false;
            }
        }
        return !text.isEmpty();
    }

    /** Whether Sigma alone writes this field, because it frames the message or belongs to one connection. */
    public boolean isOfTheConnection() {
        return OF_THE_CONNECTION.contains(lowerCase);
    }

    /** Whether {@code source[start, end)} is this name where underscores are read as dashes, as CGI and its like do. Allocates nothing. */
    public boolean isReadFrom(byte[] source, int start, int end) {
        if (end - start != lowerCaseBytes.length) {
            return false;
        }
        for (int i = 0; i < lowerCaseBytes.length; i++) {
            int b = source[start + i];
            int lower = b >= 'A' && b <= 'Z' ? b | 0x20 : b;
            if (dashed(lower) != dashed(lowerCaseBytes[i])) {
                return false;
            }
        }
        return true;
    }

    private static int dashed(int b) {
        return b == '_' ? '-' : b;
    }

    /** Whether {@code source[start, end)} is this name, in any letter case. Allocates nothing. */
    public boolean matches(byte[] source, int start, int end) {
        if (end - start != lowerCaseBytes.length) {
            return false;
        }
        for (int i = 0; i < lowerCaseBytes.length; i++) {
            int b = source[start + i];
            int lower = b >= 'A' && b <= 'Z' ? b | 0x20 : b;
            if (lower != lowerCaseBytes[i]) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof FieldName that && lowerCase.equals(that.lowerCase);
    }

    @Override
    public int hashCode() {
        return lowerCase.hashCode();
    }

    /** The name as it was written. */
    @Override
    public String toString() {
        return text;
    }
}
