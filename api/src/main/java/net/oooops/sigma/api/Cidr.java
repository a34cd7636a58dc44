package net.oooops.sigma.api;

/**
 * A block of IP addresses, such as {@code 10.0.0.0/8} or {@code 2001:db8::/32}. Safe to use on any thread.
 *
 * @param high the first 64 bits of the address; for IPv4, 0
 * @param low the other 64 bits; for IPv4, the address in the lower 32
 * @param prefixBits how many leading bits of the address count: 0 to 32 for IPv4, 0 to 128 for IPv6
 * @param ipv6 whether this is a block of IPv6 addresses
 */
public record Cidr(long high, long low, int prefixBits, boolean ipv6) {
    private static final int PREFIX_DIGITS_MAX = 3;

    /**
     * Reads {@code address/prefix}, or an address alone for that one address.
     *
     * @throws UnfitException saying what is wrong, in words for whoever wrote it
     */
    public static Cidr parse(String text) {
        int slash = text.indexOf('/');
        IpAddress address = IpAddress.parse(slash < 0 ? text : text.substring(0, slash));
        if (address == null) {
            throw new UnfitException("an IP address or a block of them, such as \"10.0.0.0/8\"");
        }
        int bitsMax = address.ipv6() ? 128 : 32;
        int bits = slash < 0 ? bitsMax : prefix(text.substring(slash + 1));
        if (bits < 0 || bits > bitsMax) {
            throw new UnfitException("a prefix length of 0 to " + bitsMax);
        }
        Cidr block = masked(address, bits);
        if (block.high != address.high() || block.low != address.low()) {
            throw new UnfitException("no bits of the address beyond the prefix length", block.text());
        }
        return block;
    }

    /** The block as it is written, such as {@code 10.0.0.0/8}. */
    public String text() {
        return new IpAddress(high, low, ipv6).text() + "/" + prefixBits;
    }

    /** The number that these digits are; -1 where there are others, too many or none. */
    private static int prefix(String text) {
        if (text.isEmpty() || text.length() > PREFIX_DIGITS_MAX) {
            return -1;
        }
        int value = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < '0' || c > '9') {
                return -1;
            }
            value = value * 10 + c - '0';
        }
        return value;
    }

    private static Cidr masked(IpAddress address, int bits) {
        if (!address.ipv6()) {
            return new Cidr(0, address.low() & ones(32 + bits), bits, false);
        }
        return new Cidr(address.high() & ones(Math.min(bits, 64)), address.low() & ones(bits - 64), bits, true);
    }

    /** A mask of so many leading ones of 64. */
    private static long ones(int bits) {
        return bits <= 0 ? 0 : -1L << (64 - bits);
    }

    /**
     * Whether the block holds an address. An IPv4-mapped IPv6 address ({@code ::ffff:10.1.2.3}) counts as its IPv4 one.
     *
     * @param address in network order, 4 or 16 bytes
     */
    public boolean contains(byte[] address) {
        return contains(IpAddress.of(address));
    }

    /** Whether the block holds an address. */
    public boolean contains(IpAddress address) {
        if (address.ipv6() != ipv6) {
            return false;
        }
        Cidr block = masked(address, prefixBits);
        return block.high == high && block.low == low;
    }
}
