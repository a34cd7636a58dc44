package net.oooops.sigma.api;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An IP address as numbers; no name is ever looked up. Safe to use on any thread.
 *
 * @param high the first 64 bits; for IPv4, 0
 * @param low the other 64 bits; for IPv4, the address in the lower 32
 * @param ipv6 whether it is one of IPv6
 */
public record IpAddress(long high, long low, boolean ipv6) {

    private static final int GROUPS = 8;

    /**
     * An address in network order. An IPv4-mapped IPv6 address is taken as its IPv4 one.
     *
     * @param address 4 or 16 bytes
     * @throws IllegalArgumentException for any other length
     */
    public static IpAddress of(byte[] address) {
        if (address.length == 4) {
            return new IpAddress(0, bytes(address, 0, 4), false);
        }
        if (address.length != 16) {
            throw new IllegalArgumentException("address: " + address.length + " bytes (expected: 4 or 16)");
        }
        return of(bytes(address, 0, 8), bytes(address, 8, 8));
    }

    private static IpAddress of(long high, long low) {
        return high == 0 && low >>> 32 == 0xffff
                ? new IpAddress(0, low & 0xffff_ffffL, false)
                : new IpAddress(high, low, true);
    }

    private static long bytes(byte[] from, int start, int count) {
        long value = 0;
        for (int i = start; i < start + count; i++) {
            value = value << 8 | (from[i] & 0xff);
        }
        return value;
    }

    /** The address in network order: 4 or 16 bytes. */
    public byte[] octets() {
        byte[] octets = new byte[ipv6 ? 16 : 4];
        for (int i = 0; i < octets.length; i++) {
            int fromEnd = octets.length - 1 - i;
            octets[i] = (byte) ((fromEnd < 8 ? low : high) >>> ((fromEnd & 7) * 8));
        }
        return octets;
    }

    /** Reads {@code 10.1.2.3} or {@code 2001:db8::1} (RFC 4291 section 2.2, no zone); null for anything else. */
    public static @Nullable IpAddress parse(String text) {
        if (text.indexOf(':') < 0) {
            long v4 = parseV4(text);
            return v4 < 0 ? null : new IpAddress(0, v4, false);
        }
        int gap = text.indexOf("::");
        if (gap < 0) {
            int[] groups = groups(text, true);
            return groups == null || groups.length != GROUPS ? null : of(groups, new int[0]);
        }
        int[] head = groups(text.substring(0, gap), false);
        int[] tail = groups(text.substring(gap + 2), true);
        return head == null || tail == null || head.length + tail.length >= GROUPS ? null : of(head, tail);
    }

    /** The address as it is written; IPv6 with all of its groups. */
    public String text() {
        List<String> parts = new ArrayList<>();
        if (!ipv6) {
            for (int shift = 24; shift >= 0; shift -= 8) {
                parts.add(Long.toString(low >>> shift & 0xff));
            }
            return String.join(".", parts);
        }
        for (long half : new long[] {high, low}) {
            for (int shift = 48; shift >= 0; shift -= 16) {
                parts.add(Long.toHexString(half >>> shift & 0xffff));
            }
        }
        return String.join(":", parts);
    }

    private static IpAddress of(int[] head, int[] tail) {
        int[] all = new int[GROUPS];
        System.arraycopy(head, 0, all, 0, head.length);
        System.arraycopy(tail, 0, all, GROUPS - tail.length, tail.length);
        long high = 0;
        long low = 0;
        for (int i = 0; i < GROUPS / 2; i++) {
            high = high << 16 | all[i];
            low = low << 16 | all[i + GROUPS / 2];
        }
        return of(high, low);
    }

    /** The 16-bit groups of colon-separated text, which may end with an IPv4 address if it ends the whole; null where it is none. */
    private static int @Nullable [] groups(String text, boolean end) {
        if (text.isEmpty()) {
            return new int[0];
        }
        String[] parts = text.split(":", -1);
        String last = parts[parts.length - 1];
        boolean dotted = end && last.indexOf('.') >= 0;
        int[] groups = new int[parts.length + (dotted ? 1 : 0)];
        for (int i = 0; i < parts.length - (dotted ? 1 : 0); i++) {
            groups[i] = digits(parts[i], 4, 16);
            if (groups[i] < 0) {
                return null;
            }
        }
        if (dotted) {
            long v4 = parseV4(last);
            if (v4 < 0) {
                return null;
            }
            groups[groups.length - 2] = (int) (v4 >>> 16);
            groups[groups.length - 1] = (int) (v4 & 0xffff);
        }
        return groups;
    }

    private static long parseV4(String text) {
        String[] parts = text.split("\\.", -1);
        if (parts.length != 4) {
            return -1;
        }
        long value = 0;
        for (String part : parts) {
            int octet = digits(part, 3, 10);
            if (octet < 0 || octet > 255 || (part.length() > 1 && part.charAt(0) == '0')) {
                return -1;
            }
            value = value << 8 | octet;
        }
        return value;
    }

    /** The number that these digits are, at most so many of them; -1 where there are others, more or none. */
    static int digits(String text, int lengthMax, int radix) {
        if (text.isEmpty() || text.length() > lengthMax) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            int digit = c < 0x80 ? Character.digit(c, radix) : -1;
            if (digit < 0) {
                return -1;
            }
            value = value * radix + digit;
        }
        return value;
    }
}
