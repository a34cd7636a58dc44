package net.oooops.sigma.route;

/**
 * Decodes the percent-encoded unreserved characters of a path, and looks whether the others are harmless. They may be of any encoding
 * (RFC 3986 section 2.1).
 *
 * <p>Pure functions of bytes: any thread, no allocation.
 */
final class PercentDecoder {
    /** As many as the first octet of UTF-8, in its first definition, could announce. */
    private static final int OCTETS_MAX = 6;

    private PercentDecoder() {}

    /**
     * Decodes {@code source[start, end)} to {@code target[0, ..)}, which has room for as many bytes.
     *
     * @return the number of bytes written, or a fault's code
     */
    static int decode(byte[] source, int start, int end, byte[] target) {
        int to = 0;
        int at = start;
        while (at < end) {
            byte b = source[at];
            if (b == '\\') {
                return PathFault.BACKSLASH.code();
            }
            if (b < 0) {
                return PathFault.NOT_ASCII.code();
            }
            if (b != '%') {
                target[to++] = b;
                at++;
                continue;
            }
            int octet = octet(source, at, end);
            int fault = fault(octet, source, at, end);
            if (fault < 0) {
                return fault;
            }
            if (isUnreserved(octet)) {
                target[to++] = (byte) octet;
            } else {
                to = copyUpperCase(source, at, at + 3, target, to);
            }
            at += 3;
        }
        return to;
    }

    private static int fault(int octet, byte[] source, int at, int end) {
        if (octet < 0) {
            return PathFault.BAD_PERCENT.code();
        }
        if (octet == 0) {
            return PathFault.NUL.code();
        }
        if (octet == '\\') {
            return PathFault.BACKSLASH.code();
        }
        return octet >= 0xC0 && isOverlong(octet, source, at, end) ? PathFault.OVERLONG.code() : 0;
    }

    /** The value of the triplet at {@code at}, or -1 where there is none. */
    static int octet(byte[] source, int at, int end) {
        if (end - at < 3 || source[at] != '%') {
            return -1;
        }
        int high = Character.digit(source[at + 1], 16);
        int low = Character.digit(source[at + 2], 16);
        return high < 0 || low < 0 ? -1 : high << 4 | low;
    }

    /** Whether the triplets from {@code at} on, the first of which is {@code lead}, are one of those that could divide a path. */
    private static boolean isOverlong(int lead, byte[] source, int at, int end) {
        int octets = Integer.numberOfLeadingZeros(~(lead << 24));
        if (octets > OCTETS_MAX) {
            return false;
        }
        int value = lead & (0x7F >> octets);
        for (int i = 1; i < octets; i++) {
            int next = octet(source, at + 3 * i, end);
            if (next < 0x80 || next > 0xBF) {
                return false;
            }
            value = (value << 6) | (next & 0x3F);
        }
        return value == 0 || value == '.' || value == '/' || value == '\\';
    }

    private static boolean isUnreserved(int c) {
        return (c >= 'a' && c <= 'z')
                || (c >= 'A' && c <= 'Z')
                || (c >= '0' && c <= '9')
                || c == '-'
                || c == '.'
                || c == '_'
                || c == '~';
    }

    private static int copyUpperCase(byte[] source, int from, int end, byte[] target, int at) {
        int to = at;
        for (int i = from; i < end; i++) {
            byte b = source[i];
            target[to++] = b >= 'a' && b <= 'f' ? (byte) (b - 0x20) : b;
        }
        return to;
    }
}
