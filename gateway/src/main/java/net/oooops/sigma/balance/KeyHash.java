package net.oooops.sigma.balance;

/**
 * The hash of what {@code consistent-hash} goes by, and of nodes' names: the same on every Worker and after every restart. FNV-1a
 * over the octets, then mixed, for keys and names often differ in one digit only. Fed octet by octet, so that a key may stand
 * anywhere:
 *
 * <pre>
 *   long hash = KeyHash.BEGIN;
 *   hash = KeyHash.add(hash, octet); …
 *   long key = KeyHash.end(hash);
 * </pre>
 *
 * <p>Pure functions, any thread, no allocation. No secret is in it: who may choose a key may choose its node.
 */
public final class KeyHash {
    /** No key. {@link #end} never returns it. */
    public static final long NONE = 0;
    /** The hash of no octets yet. */
    public static final long BEGIN = 0xCBF29CE484222325L;

    private static final long PRIME = 0x100000001B3L;

    private KeyHash() {}

    /** With one octet, or character, more. */
    public static long add(long hash, int octet) {
        return (hash ^ octet) * PRIME;
    }

    /** With the octets of {@code bytes[start, end)} more. */
    public static long add(long hash, byte[] bytes, int start, int end) {
        long sum = hash;
        for (int i = start; i < end; i++) {
            sum = add(sum, bytes[i] & 0xFF);
        }
        return sum;
    }

    /** With the characters of {@code text} more: for ISO 8859-1 the same as with its octets. */
    public static long add(long hash, String text) {
        long sum = hash;
        for (int i = 0; i < text.length(); i++) {
            sum = add(sum, text.charAt(i));
        }
        return sum;
    }

    /** The key, once all octets were added. */
    public static long end(long hash) {
        long key = mix(hash);
        return key == NONE ? 1 : key;
    }

    /** The finalizer of SplitMix64: each bit of {@code value} moves half of the result's. */
    static long mix(long value) {
        long mixed = (value ^ value >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }
}
