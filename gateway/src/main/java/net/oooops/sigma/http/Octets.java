package net.oooops.sigma.http;

import java.nio.charset.StandardCharsets;

/** Classes of bytes, as RFC 9110 and RFC 3986 draw them, and small readings of byte ranges. */
public final class Octets {
    public static final byte CR = '\r';
    public static final byte LF = '\n';
    public static final byte SP = ' ';
    public static final byte HT = '\t';

    /** tchar, RFC 9110 section 5.6.2. */
    private static final int TOKEN = 1;
    /**
     * What may stand in a path: pchar, "/" and "%" (RFC 3986), brackets, as an absolute target's authority has them, and what
     * else the URL standard of WHATWG leaves there as it is.
     */
    private static final int PATH = 2;
    /** field-vchar, SP and HTAB, RFC 9110 section 5.5. */
    private static final int VALUE = 4;

    private static final int HEX = 8;
    /** What may stand in a query: the same, "?", and what browsers leave as it is there only. */
    private static final int QUERY = 16;

    private static final byte[] CLASS = new byte[256];

    static {
        for (int b = 0; b < 256; b++) {
            boolean alphanumeric = (b >= '0' && b <= '9') || (b >= 'A' && b <= 'Z') || (b >= 'a' && b <= 'z');
            boolean hex = (b >= '0' && b <= '9') || (b >= 'A' && b <= 'F') || (b >= 'a' && b <= 'f');
            int bits = hex ? HEX : 0;
            bits |= alphanumeric || "!#$%&'*+-.^_`|~".indexOf(b) >= 0 ? TOKEN : 0;
            bits |= alphanumeric || "-._~!$&'()*+,;=:@/%[]|^".indexOf(b) >= 0 ? PATH | QUERY : 0;
            bits |= "?\\`{}".indexOf(b) >= 0 ? QUERY : 0;
            bits |= b == HT || (b >= 0x20 && b != 0x7F) ? VALUE : 0;
            CLASS[b] = (byte) bits;
        }
    }

    private Octets() {}

    public static boolean isToken(byte b) {
        return (CLASS[b & 0xFF] & TOKEN) != 0;
    }

    public static boolean isPath(byte b) {
        return (CLASS[b & 0xFF] & PATH) != 0;
    }

    public static boolean isQuery(byte b) {
        return (CLASS[b & 0xFF] & QUERY) != 0;
    }

    public static boolean isValue(byte b) {
        return (CLASS[b & 0xFF] & VALUE) != 0;
    }

    public static boolean isDigit(byte b) {
        return b >= '0' && b <= '9';
    }

    public static boolean isHex(byte b) {
        return (CLASS[b & 0xFF] & HEX) != 0;
    }

    /** The value of a hexadecimal digit. */
    public static int hexValue(byte b) {
        return b <= '9' ? b - '0' : (b | 0x20) - 'a' + 10;
    }

    /** Whether {@code bytes[start, end)} is {@code lowerCase} in any letter case; that one is all lower case. */
    public static boolean equalsIgnoreCase(byte[] bytes, int start, int end, byte[] lowerCase) {
        if (end - start != lowerCase.length) {
            return false;
        }
        for (int i = 0; i < lowerCase.length; i++) {
            if (lower(bytes[start + i]) != lowerCase[i]) {
                return false;
            }
        }
        return true;
    }

    /** Whether {@code count} bytes of one array are those of another one, in any letter case. */
    static boolean equalsIgnoreCase(byte[] one, int oneStart, byte[] other, int otherStart, int count) {
        for (int i = 0; i < count; i++) {
            if (lower(one[oneStart + i]) != lower(other[otherStart + i])) {
                return false;
            }
        }
        return true;
    }

    private static int lower(byte b) {
        return b >= 'A' && b <= 'Z' ? b | 0x20 : b;
    }

    public static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    public static String string(byte[] bytes, int start, int end) {
        return new String(bytes, start, end - start, StandardCharsets.ISO_8859_1);
    }
}
