package net.oooops.sigma.plugins.limits;

import java.security.SecureRandom;

/**
 * Makes a {@link ShortKey} of the parts of a key: SipHash-2-4 with 128 bits of output (Aumasson and Bernstein, 2012) under a secret of this
 * process. It takes words of eight bytes; a text is its length and then four characters a word, so that two keys never read the same.
 *
 * <p>One thread at a time; allocates nothing.
 */
final class KeyDigest implements KeyWords {
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final long SECRET_0 = RANDOM.nextLong();
    private static final long SECRET_1 = RANDOM.nextLong();

    private static final int CHARS_PER_WORD = 4;
    private static final int WORD_BYTES = 8;

    private final long secret0;
    private final long secret1;
    private final ShortKey key = new ShortKey(0, 0);
    private long v0;
    private long v1;
    private long v2;
    private long v3;
    private long wordsCount;

    KeyDigest() {
        this(SECRET_0, SECRET_1);
    }

    KeyDigest(long secret0, long secret1) {
        this.secret0 = secret0;
        this.secret1 = secret1;
    }

    /** Begins with another key. */
    KeyDigest begin() {
        v0 = secret0 ^ 0x736f6d6570736575L;
        v1 = secret1 ^ 0x646f72616e646f6dL ^ 0xee;
        v2 = secret0 ^ 0x6c7967656e657261L;
        v3 = secret1 ^ 0x7465646279746573L;
        wordsCount = 0;
        return this;
    }

    @Override
    public void add(long word) {
        wordsCount++;
        compress(word);
    }

    @Override
    public void add(String text, int from, int end) {
        add(end - from);
        long word = 0;
        for (int i = from; i < end; i++) {
            word = (word << 16) | text.charAt(i);
            if ((i - from) % CHARS_PER_WORD == CHARS_PER_WORD - 1) {
                add(word);
                word = 0;
            }
        }
        if ((end - from) % CHARS_PER_WORD != 0) {
            add(word);
        }
    }

    /** What was added since the beginning. Valid until the next key begins: {@link ShortKey#copy} what is kept. */
    ShortKey end() {
        compress((wordsCount * WORD_BYTES) << 56);
        v2 ^= 0xee;
        rounds(4);
        key.low = v0 ^ v1 ^ v2 ^ v3;
        v1 ^= 0xdd;
        rounds(4);
        key.high = v0 ^ v1 ^ v2 ^ v3;
        return key;
    }

    private void compress(long word) {
        v3 ^= word;
        rounds(2);
        v0 ^= word;
    }

    private void rounds(int count) {
        for (int i = 0; i < count; i++) {
            v0 += v1;
            v1 = Long.rotateLeft(v1, 13) ^ v0;
            v0 = Long.rotateLeft(v0, 32);
            v2 += v3;
            v3 = Long.rotateLeft(v3, 16) ^ v2;
            v0 += v3;
            v3 = Long.rotateLeft(v3, 21) ^ v0;
            v2 += v1;
            v1 = Long.rotateLeft(v1, 17) ^ v2;
            v2 = Long.rotateLeft(v2, 32);
        }
    }
}
