package net.oooops.sigma.route;

import net.oooops.sigma.api.IpAddress;

/**
 * Reads the authority of a request, {@code host[:port]} (RFC 9110 section 7.2, RFC 3986 section 3.2), strictly: what two
 * servers could read as different hosts is refused.
 *
 * <ul>
 *   <li>A name is labels of letters, digits, {@code -}, {@code _} and {@code ~} with single dots between, at most 255 bytes.
 *       One trailing dot is taken off. Percent-encoding and other characters of RFC 3986's reg-name are refused.
 *   <li>A name of nothing but numbers, decimal or hexadecimal, has to be an IPv4 address of four decimal numbers without leading
 *       zeros. {@code web.1} is a name.
 *   <li>An IPv6 address stands in brackets, without zone; they are part of the host.
 *   <li>A port is 1 to 65535 in at most five digits. An empty port ({@code host:}) is none (RFC 3986 section 3.2.3).
 *   <li>No user info. An empty authority is valid, an empty host with a port is not.
 * </ul>
 *
 * <p>Pure functions of bytes: any thread, no allocation.
 */
public final class HostName {
    /** What {@link #parse} returns for bytes that are no authority. */
    public static final long INVALID = -1;

    private static final int HOST_BYTES_MAX = 255;

    private HostName() {}

    /**
     * Reads {@code source[start, end)}. The host, without port and trailing dot, is then {@code source[start, hostEnd)}.
     *
     * @return {@link #INVALID}, or a value of at least 0 for {@link #hostEnd} and {@link #port}
     */
    public static long parse(byte[] source, int start, int end) {
        if (start == end) {
            return pack(end, 0);
        }
        int after = source[start] == '[' ? afterBrackets(source, start, end) : afterName(source, start, end);
        if (after <= start || after - start > HOST_BYTES_MAX) {
            return INVALID;
        }
        int port = after == end ? 0 : port(source, after, end);
        if (port < 0) {
            return INVALID;
        }
        int hostEnd = source[after - 1] == '.' ? after - 1 : after;
        return hostEnd == start ? INVALID : pack(hostEnd, port);
    }

    /** The position after the host's last byte. */
    public static int hostEnd(long parsed) {
        return (int) (parsed >>> 16);
    }

    /** The port, or 0 where none is given. */
    public static int port(long parsed) {
        return (int) (parsed & 0xFFFF);
    }

    private static long pack(int hostEnd, int port) {
        return (long) hostEnd << 16 | port;
    }

    /** The position after the bracketed IPv6 address at {@code open}, or -1 where there is none. */
    private static int afterBrackets(byte[] source, int open, int end) {
        int close = open + 1;
        while (close < end && source[close] != ']') {
            close++;
        }
        return close < end && IpAddress.isV6(source, open + 1, close) ? close + 1 : -1;
    }

    /** The position after a name or IPv4 address that begins at {@code start}, or -1 where it is neither. */
    private static int afterName(byte[] source, int start, int end) {
        int label = start;
        int lastLabel = start;
        int at = start;
        for (; at < end && source[at] != ':'; at++) {
            if (source[at] == '.') {
                if (at == label) {
                    return -1;
                }
                lastLabel = label;
                label = at + 1;
            } else if (!isNameCharacter(source[at])) {
                return -1;
            }
        }
        boolean trailingDot = at == label;
        int nameEnd = trailingDot ? at - 1 : at;
        boolean numbers =
                isNumber(source, trailingDot ? lastLabel : label, nameEnd) && areNumbers(source, start, nameEnd);
        return numbers && !IpAddress.isV4(source, start, nameEnd) ? -1 : at;
    }

    private static boolean isNameCharacter(byte b) {
        return (b >= 'a' && b <= 'z')
                || (b >= '0' && b <= '9')
                || (b >= 'A' && b <= 'Z')
                || b == '-'
                || b == '_'
                || b == '~';
    }

    private static boolean isNumber(byte[] source, int from, int end) {
        for (int i = from; i < end; i++) {
            if (source[i] < '0' || source[i] > '9') {
                return false;
            }
        }
        return true;
    }

    /** Whether every label is what some take for a part of an IPv4 address: decimal, or hexadecimal after {@code 0x}. */
    private static boolean areNumbers(byte[] source, int start, int end) {
        int label = start;
        for (int i = start; i <= end; i++) {
            if (i == end || source[i] == '.') {
                if (!isNumber(source, label, i) && !isHexadecimal(source, label, i)) {
                    return false;
                }
                label = i + 1;
            }
        }
        return true;
    }

    private static boolean isHexadecimal(byte[] source, int from, int end) {
        if (end - from < 2 || source[from] != '0' || (source[from + 1] | 0x20) != 'x') {
            return false;
        }
        for (int i = from + 2; i < end; i++) {
            if (Character.digit(source[i], 16) < 0) {
                return false;
            }
        }
        return true;
    }

    /** The number after the colon at {@code colon}, 0 where there is none, or -1 where it is no port. */
    private static int port(byte[] source, int colon, int end) {
        if (source[colon] != ':' || end - colon > 6) {
            return -1;
        }
        if (end == colon + 1) {
            return 0;
        }
        int port = 0;
        for (int i = colon + 1; i < end; i++) {
            int digit = source[i] - '0';
            if (digit < 0 || digit > 9) {
                return -1;
            }
            port = port * 10 + digit;
        }
        return port == 0 || port > 0xFFFF ? -1 : port;
    }
}
