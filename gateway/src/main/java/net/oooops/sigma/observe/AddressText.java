package net.oooops.sigma.observe;

/** IP addresses as text, without a String: dotted for IPv4, RFC 5952 for IPv6. */
final class AddressText {
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;
    private static final int GROUPS = 8;
    /** Where the IPv4 address begins in one that is mapped to IPv6 (RFC 4291 section 2.5.5.2). */
    private static final int MAPPED_AT = 12;

    private static final byte[] HEX = LineBytes.of("0123456789abcdef");

    private AddressText() {}

    /** Writes an address of 4 or 16 bytes to {@code at}, nothing for one of another length; returns the position after it. */
    static int put(byte[] address, byte[] out, int at) {
        return switch (address.length) {
            case IPV4_BYTES -> putDotted(address, 0, out, at);
            case IPV6_BYTES -> isMapped(address) ? putDotted(address, MAPPED_AT, out, at) : putGroups(address, out, at);
            default -> at;
        };
    }

    private static int putDotted(byte[] address, int from, byte[] out, int start) {
        int at = Decimal.put(address[from] & 0xFF, 1, out, start);
        for (int i = from + 1; i < from + IPV4_BYTES; i++) {
            out[at++] = '.';
            at = Decimal.put(address[i] & 0xFF, 1, out, at);
        }
        return at;
    }

    private static boolean isMapped(byte[] address) {
        for (int i = 0; i < MAPPED_AT - 2; i++) {
            if (address[i] != 0) {
                return false;
            }
        }
        return address[MAPPED_AT - 2] == -1 && address[MAPPED_AT - 1] == -1;
    }

    private static int putGroups(byte[] address, byte[] out, int start) {
        int zeros = longestZeros(address);
        int zerosStart = zeros >> 4;
        int zerosEnd = zerosStart + (zeros & 0xF);
        int at = start;
        for (int i = 0; i < GROUPS; i++) {
            if (i == zerosStart && zerosEnd > i) {
                out[at++] = ':';
                out[at++] = ':';
                i = zerosEnd - 1;
            } else {
                if (i > 0 && i != zerosEnd) {
                    out[at++] = ':';
                }
                at = putHex(group(address, i), out, at);
            }
        }
        return at;
    }

    /** The first longest run of two or more zero groups: its start times 16, plus its length. */
    private static int longestZeros(byte[] address) {
        int best = 0;
        int length = 0;
        for (int i = 0; i < GROUPS; i++) {
            length = group(address, i) == 0 ? length + 1 : 0;
            if (length > 1 && length > (best & 0xF)) {
                best = (i - length + 1) << 4 | length;
            }
        }
        return best;
    }

    private static int group(byte[] address, int i) {
        return (address[2 * i] & 0xFF) << 8 | (address[2 * i + 1] & 0xFF);
    }

    private static int putHex(int value, byte[] out, int start) {
        int at = start;
        for (int shift = 12; shift >= 0; shift -= 4) {
            if (shift == 0 || value >> shift != 0) {
                out[at++] = HEX[value >> shift & 0xF];
            }
        }
        return at;
    }
}
