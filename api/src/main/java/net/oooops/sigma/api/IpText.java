package net.oooops.sigma.api;

/**
 * The text of IP addresses: RFC 4291 section 2.2 and RFC 3986 section 3.2.2 as read, RFC 5952 as written.
 *
 * <p>Pure functions of bytes: any thread, no allocation.
 */
final class IpText {
    static final int GROUPS = 8;
    /** Eight groups of four digits, and the colons between them. */
    static final int BYTES_MAX = 39;

    private static final int V4_OCTETS = 4;
    private static final int V6_OCTETS = 16;
    /** Where the IPv4 address begins in one that is mapped to IPv6 (RFC 4291 section 2.5.5.2). */
    private static final int MAPPED_AT = 12;

    private static final int DECIMAL = 10;
    private static final int HEX = 16;

    private IpText() {}

    // Read

    static boolean isV4(byte[] source, int from, int end) {
        int numbers = 0;
        int at = from;
        while (true) {
            int first = at;
            int value = 0;
            while (at < end && source[at] >= '0' && source[at] <= '9' && at - first < 3) {
                value = value * DECIMAL + source[at++] - '0';
            }
            boolean leadingZero = at - first > 1 && source[first] == '0';
            if (at == first || leadingZero || value > 255 || ++numbers > V4_OCTETS) {
                return false;
            }
            if (at == end) {
                return numbers == V4_OCTETS;
            }
            if (source[at++] != '.') {
                return false;
            }
        }
    }

    static boolean isV6(byte[] source, int from, int end) {
        int groups = 0;
        boolean gap = false;
        int at = from;
        if (isGap(source, at, end)) {
            gap = true;
            at += 2;
        }
        while (at < end) {
            int groupEnd = afterHex(source, at, end);
            if (groupEnd < end && source[groupEnd] == '.') {
                return isV4(source, at, end) && isComplete(groups + 2, gap);
            }
            if (groupEnd == at || groupEnd - at > 4) {
                return false;
            }
            groups++;
            at = groupEnd;
            if (isGap(source, at, end) && !gap) {
                gap = true;
                at += 2;
            } else if (at < end && (source[at] != ':' || ++at == end)) {
                return false;
            }
        }
        return isComplete(groups, gap);
    }

    private static boolean isComplete(int groups, boolean gap) {
        return gap ? groups < GROUPS : groups == GROUPS;
    }

    private static boolean isGap(byte[] source, int at, int end) {
        return end - at >= 2 && source[at] == ':' && source[at + 1] == ':';
    }

    private static int afterHex(byte[] source, int from, int end) {
        int at = from;
        while (at < end && Character.digit(source[at], HEX) >= 0) {
            at++;
        }
        return at;
    }

    /** The number that an address of IPv4 is, where {@link #isV4} said that it is one. */
    static long v4(byte[] source, int from, int end) {
        long value = 0;
        int octet = 0;
        for (int at = from; at < end; at++) {
            if (source[at] == '.') {
                value = value << 8 | octet;
                octet = 0;
            } else {
                octet = octet * DECIMAL + source[at] - '0';
            }
        }
        return value << 8 | octet;
    }

    /** Writes the groups that an address of IPv6 has to {@code groups}, where {@link #isV6} said that it is one. */
    static void v6(byte[] source, int from, int end, int[] groups) {
        int count = 0;
        int gap = 0;
        int at = from;
        while (at < end) {
            int groupEnd = afterHex(source, at, end);
            if (groupEnd == at) {
                gap = isGap(source, at, end) ? count : gap;
                at++;
            } else if (groupEnd < end && source[groupEnd] == '.') {
                long v4 = v4(source, at, end);
                groups[count++] = (int) (v4 >>> 16);
                groups[count++] = (int) (v4 & 0xFFFF);
                at = end;
            } else {
                groups[count++] = hex(source, at, groupEnd);
                at = groupEnd;
            }
        }
        // Those behind the gap are the last ones; where there is none, all are.
        int behind = count - gap;
        System.arraycopy(groups, gap, groups, GROUPS - behind, behind);
        for (int i = gap; i < GROUPS - behind; i++) {
            groups[i] = 0;
        }
    }

    private static int hex(byte[] source, int from, int end) {
        int value = 0;
        for (int at = from; at < end; at++) {
            value = value << 4 | Character.digit(source[at], HEX);
        }
        return value;
    }

    // Written

    static int write(byte[] octets, byte[] out, int at) {
        return switch (octets.length) {
            case V4_OCTETS -> writeDotted(octets, 0, out, at);
            case V6_OCTETS -> isMapped(octets) ? writeDotted(octets, MAPPED_AT, out, at) : writeGroups(octets, out, at);
            default -> at;
        };
    }

    private static boolean isMapped(byte[] octets) {
        for (int i = 0; i < MAPPED_AT - 2; i++) {
            if (octets[i] != 0) {
                return false;
            }
        }
        return octets[MAPPED_AT - 2] == -1 && octets[MAPPED_AT - 1] == -1;
    }

    private static int writeDotted(byte[] octets, int from, byte[] out, int start) {
        int at = writeDecimal(octets[from] & 0xFF, out, start);
        for (int i = from + 1; i < from + V4_OCTETS; i++) {
            out[at++] = '.';
            at = writeDecimal(octets[i] & 0xFF, out, at);
        }
        return at;
    }

    private static int writeDecimal(int octet, byte[] out, int start) {
        int at = start;
        if (octet >= 100) {
            out[at++] = (byte) ('0' + octet / 100);
        }
        if (octet >= DECIMAL) {
            out[at++] = (byte) ('0' + octet / DECIMAL % DECIMAL);
        }
        out[at++] = (byte) ('0' + octet % DECIMAL);
        return at;
    }

    private static int writeGroups(byte[] octets, byte[] out, int start) {
        int zeros = longestZeros(octets);
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
                at = writeHex(group(octets, i), out, at);
            }
        }
        return at;
    }

    /** The first longest run of two or more zero groups: its start times 16, plus its length. */
    private static int longestZeros(byte[] octets) {
        int best = 0;
        int length = 0;
        for (int i = 0; i < GROUPS; i++) {
            length = group(octets, i) == 0 ? length + 1 : 0;
            if (length > 1 && length > (best & 0xF)) {
                best = (i - length + 1) << 4 | length;
            }
        }
        return best;
    }

    private static int group(byte[] octets, int i) {
        return (octets[2 * i] & 0xFF) << 8 | (octets[2 * i + 1] & 0xFF);
    }

    private static int writeHex(int value, byte[] out, int start) {
        int at = start;
        for (int shift = 12; shift >= 0; shift -= 4) {
            if (shift == 0 || value >> shift != 0) {
                out[at++] = (byte) Character.forDigit(value >> shift & 0xF, HEX);
            }
        }
        return at;
    }
}
