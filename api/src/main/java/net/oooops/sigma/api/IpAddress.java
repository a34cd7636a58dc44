package net.oooops.sigma.api;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * An IP address as numbers; no name is ever looked up. Safe to use on any thread.
 *
 * @param high the first 64 bits; for IPv4, 0
 * @param low the other 64 bits; for IPv4, the address in the lower 32
 * @param ipv6 whether it is one of IPv6
 */
public record IpAddress(long high, long low, boolean ipv6) {

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

    /**
     * The network of so many bits that an address of IPv6 is in, as its first address: whoever has one address of it mostly has all. An address of
     * IPv4 stays what it is.
     *
     * @param ipv6Bits how many leading bits of one of IPv6 are kept, 0 to 128; a site, or a home, has 64 or fewer (RFC 4291 section 2.5.1)
     * @throws IllegalArgumentException for another number
     */
    public IpAddress network(int ipv6Bits) {
        if (ipv6Bits < 0 || ipv6Bits > 2 * Long.SIZE) {
            throw new IllegalArgumentException("ipv6Bits: " + ipv6Bits + " (expected: 0 to 128)");
        }
        return ipv6 ? new IpAddress(high & leadingOnes(ipv6Bits), low & leadingOnes(ipv6Bits - Long.SIZE), true) : this;
    }

    /** A mask of so many leading ones of 64; of none or of all where there are fewer or more. */
    private static long leadingOnes(int bits) {
        if (bits <= 0) {
            return 0;
        }
        return bits >= Long.SIZE ? -1 : -1L << (Long.SIZE - bits);
    }

    /** The address for a socket. */
    public InetAddress inetAddress() {
        try {
            return InetAddress.getByAddress(octets());
        } catch (UnknownHostException e) {
            throw new IllegalStateException("neither 4 nor 16 octets", e);
        }
    }

    /** Whether {@code source[from, end)} is four decimal numbers up to 255, without leading zeros, with dots between. Allocates nothing. */
    public static boolean isV4(byte[] source, int from, int end) {
        return IpText.isV4(source, from, end);
    }

    /** Whether {@code source[from, end)} is an IPv6 address as {@link #parse} reads it. Allocates nothing. */
    public static boolean isV6(byte[] source, int from, int end) {
        return IpText.isV6(source, from, end);
    }

    /** Reads {@code 10.1.2.3} or {@code 2001:db8::1} (RFC 4291 section 2.2, no zone); null for anything else. */
    public static @Nullable IpAddress parse(String text) {
        byte[] source = text.getBytes(StandardCharsets.US_ASCII);
        return parse(source, 0, source.length);
    }

    /** Reads {@code source[from, end)} as {@link #parse(String)} reads a text; null for anything else. */
    public static @Nullable IpAddress parse(byte[] source, int from, int end) {
        if (IpText.isV4(source, from, end)) {
            return new IpAddress(0, IpText.v4(source, from, end), false);
        }
        if (!IpText.isV6(source, from, end)) {
            return null;
        }
        int[] groups = new int[IpText.GROUPS];
        IpText.v6(source, from, end, groups);
        long high = 0;
        long low = 0;
        for (int i = 0; i < IpText.GROUPS / 2; i++) {
            high = high << 16 | groups[i];
            low = low << 16 | groups[i + IpText.GROUPS / 2];
        }
        return of(high, low);
    }

    /** The address as text: dotted for IPv4, as RFC 5952 writes it for IPv6. */
    public String text() {
        byte[] out = new byte[IpText.BYTES_MAX];
        return new String(out, 0, write(octets(), out, 0), StandardCharsets.US_ASCII);
    }

    /**
     * Writes an address as {@link #text} does, an IPv4-mapped one as its IPv4 one. Allocates nothing.
     *
     * @param octets 4 or 16 bytes in network order; nothing is written for another length
     * @param out with room for 39 bytes
     * @return the position after it
     */
    public static int write(byte[] octets, byte[] out, int at) {
        return IpText.write(octets, out, at);
    }
}
