package net.oooops.sigma.route;

/**
 * The form of IP addresses in an authority (RFC 3986 section 3.2.2). Their value is not computed.
 *
 * <p>Pure functions of bytes: any thread, no allocation.
 */
final class IpLiteral {
    private static final int V6_GROUPS = 8;

    private IpLiteral() {}

    /** Whether {@code source[from, end)} is four decimal numbers up to 255, without leading zeros, with dots between. */
    static boolean isV4(byte[] source, int from, int end) {
        int numbers = 0;
        int at = from;
        while (true) {
            int first = at;
            int value = 0;
            while (at < end && source[at] >= '0' && source[at] <= '9' && at - first < 3) {
                value = value * 10 + source[at++] - '0';
            }
            boolean leadingZero = at - first > 1 && source[first] == '0';
            if (at == first || leadingZero || value > 255 || ++numbers > 4) {
                return false;
            }
            if (at == end) {
                return numbers == 4;
            }
            if (source[at++] != '.') {
                return false;
            }
        }
    }

    /** The position after the bracketed IPv6 address at {@code open}, or -1 where there is none. */
    static int afterBrackets(byte[] source, int open, int end) {
        int close = open + 1;
        while (close < end && source[close] != ']') {
            close++;
        }
        return close < end && isV6(source, open + 1, close) ? close + 1 : -1;
    }

    private static boolean isV6(byte[] source, int from, int end) {
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
        return gap ? groups < V6_GROUPS : groups == V6_GROUPS;
    }

    private static boolean isGap(byte[] source, int at, int end) {
        return end - at >= 2 && source[at] == ':' && source[at + 1] == ':';
    }

    private static int afterHex(byte[] source, int from, int end) {
        int at = from;
        while (at < end && Character.digit(source[at], 16) >= 0) {
            at++;
        }
        return at;
    }
}
