package net.oooops.sigma.plugins.authentication;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * A SHA-256 by which credentials are looked up and compared. Whoever could see how long a lookup takes would learn of the digest, whose bits say
 * nothing of those of the credential; what is compared, is in constant time all the same.
 */
public record Digest(long first, long second, long third, long fourth) {
    private static final int BYTES = 32;
    private static final VarHandle LONGS = MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.BIG_ENDIAN);
    private static final byte[] NO_PREFIX = {};

    /** One for each thread: making them costs more than digesting. */
    private static final ThreadLocal<Scratch> SCRATCH = ThreadLocal.withInitial(Scratch::new);

    private static final class Scratch {
        private final MessageDigest sha256 = sha256();
        private final byte[] bytes = new byte[512];

        private static MessageDigest sha256() {
            try {
                return MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Of a text of characters below 256, each as one byte. */
    public static Digest of(String text) {
        Scratch scratch = SCRATCH.get();
        byte[] bytes = scratch.bytes;
        int at = 0;
        for (int i = 0; i < text.length(); i++) {
            if (at == bytes.length) {
                scratch.sha256.update(bytes);
                at = 0;
            }
            bytes[at++] = (byte) text.charAt(i);
        }
        scratch.sha256.update(bytes, 0, at);
        return end(scratch);
    }

    /** Of these bytes. */
    public static Digest of(byte[] bytes) {
        return of(NO_PREFIX, bytes);
    }

    /** Of these bytes, one after the other; with a random secret in front what is looked up by it can't be tried out by others. */
    public static Digest of(byte[] secret, byte[] bytes) {
        Scratch scratch = SCRATCH.get();
        scratch.sha256.update(secret);
        scratch.sha256.update(bytes);
        return end(scratch);
    }

    /**
     * From its 64 hexadecimal digits.
     *
     * @throws IllegalArgumentException where there are others, or not so many
     */
    public static Digest ofHex(String digits) {
        byte[] bytes = HexFormat.of().parseHex(digits);
        if (bytes.length != BYTES) {
            throw new IllegalArgumentException(bytes.length + " bytes (expected: " + BYTES + ")");
        }
        return ofBytes(bytes);
    }

    private static Digest end(Scratch scratch) {
        try {
            scratch.sha256.digest(scratch.bytes, 0, BYTES);
        } catch (DigestException e) {
            throw new IllegalStateException(e);
        }
        return ofBytes(scratch.bytes);
    }

    private static Digest ofBytes(byte[] bytes) {
        return new Digest((long) LONGS.get(bytes, 0), (long) LONGS.get(bytes, 8), (long) LONGS.get(bytes, 16), (long)
                LONGS.get(bytes, 24));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Digest that
                && ((first ^ that.first) | (second ^ that.second) | (third ^ that.third) | (fourth ^ that.fourth)) == 0;
    }

    @Override
    public int hashCode() {
        return (int) first;
    }

    /** Nothing of it: it may be all that protects a credential. */
    @Override
    public String toString() {
        return "(digest)";
    }
}
