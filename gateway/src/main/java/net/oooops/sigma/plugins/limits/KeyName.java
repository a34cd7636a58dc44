package net.oooops.sigma.plugins.limits;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Base64;

/**
 * Makes a name of the parts of a key that is the same in all processes: the first 128 bits of their SHA-256. A {@link KeyDigest} differs in each process,
 * by its secret; without one it could be had that two keys read the same. What clients sent isn't in it.
 *
 * <p>Made for one key; one thread.
 */
final class KeyName implements KeyWords {
    private static final int NAME_BYTES = 16;

    private final MessageDigest digest;
    private final ByteBuffer word = ByteBuffer.allocate(Long.BYTES);

    KeyName() {
        try {
            this.digest = MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("a JDK without SHA-256", e);
        }
    }

    @Override
    public void add(long next) {
        digest.update(word.putLong(0, next).array());
    }

    @Override
    public void add(String text, int from, int end) {
        add(end - from);
        for (int i = from; i < end; i++) {
            char c = text.charAt(i);
            digest.update((byte) (c >> 8));
            digest.update((byte) c);
        }
    }

    /** What was added, in 22 characters. */
    String end() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(Arrays.copyOf(digest.digest(), NAME_BYTES));
    }
}
