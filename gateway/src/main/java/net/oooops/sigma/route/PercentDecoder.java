package net.oooops.sigma.route;

/**
 * Decodes the percent-encoded unreserved characters of a path, and checks that all the others make sense.
 *
 * <p>Pure functions of bytes: any thread, no allocation.
 */
final class PercentDecoder {
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
                return PathFault.NOT_UTF8.code();
            }
            if (b != '%') {
                target[to++] = b;
                at++;
                continue;
            }
            int octet = octet(source, at, end);
            int octets = octet < 0x80 ? 1 : sequence(source, at, end);
            int fault = fault(octet, octets);
            if (fault < 0) {
                return fault;
            }
            if (isUnreserved(octet)) {
                target[to++] = (byte) octet;
            } else {
                to = copyUpperCase(source, at, at + 3 * octets, target, to);
            }
            at += 3 * octets;
        }
        return to;
    }

    private static int fault(int octet, int octets) {
        if (octet < 0) {
            return PathFault.BAD_PERCENT.code();
        }
        if (octet == 0) {
            return PathFault.NUL.code();
        }
        if (octet == '\\') {
            return PathFault.BACKSLASH.code();
        }
        return octets == 0 ? PathFault.NOT_UTF8.code() : 0;
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

    /** How many triplets from {@code at} on are one character beyond ASCII in UTF-8 (RFC 3629 section 4); 0 where they are not. */
    private static int sequence(byte[] source, int at, int end) {
        int lead = octet(source, at, end);
        int octets = lead < 0xC2 || lead > 0xF4 ? 0 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
        for (int i = 1; i < octets; i++) {
            int next = octet(source, at + 3 * i, end);
            int least = i > 1 ? 0x80 : lead == 0xE0 ? 0xA0 : lead == 0xF0 ? 0x90 : 0x80;
            int most = i > 1 ? 0xBF : lead == 0xED ? 0x9F : lead == 0xF4 ? 0x8F : 0xBF;
            if (next < least || next > most) {
                return 0;
            }
        }
        return octets;
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
