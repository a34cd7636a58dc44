package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.RefusedBodyException;

/** Reads how large a window a frame of zstd wants (RFC 8878 section 3.1.1.1), before its decoder makes room for it. */
final class ZstdFrame {
    /** RFC 9659 section 3. */
    private static final long WINDOW_BYTES_MAX = 8L << 20;

    private static final int MAGIC = 0xFD2FB528;
    private static final long SKIPPABLE = 0x184D2A50L;
    private static final int DESCRIPTOR_AT = 4;
    private static final int[] DICTIONARY_BYTES = {0, 1, 2, 4};
    private static final int[] SIZE_BYTES = {0, 2, 4, 8};

    private final byte[] head = new byte[18];
    /** How many bytes of it are known. */
    private int known;

    private boolean seen;
    private long windowBytes;

    /** Another frame begins. */
    void begin() {
        known = 0;
        seen = false;
    }

    /** Another body begins. */
    void reset() {
        begin();
        windowBytes = 0;
    }

    /** The largest window that a frame of the body wanted. */
    long windowBytes() {
        return windowBytes;
    }

    /** Whether any byte of it has come. */
    boolean isBegun() {
        return known > 0;
    }

    /**
     * Looks at the next bytes, without reading them.
     *
     * @throws RefusedBodyException where the window is larger than may be
     */
    void look(ByteBuffer in) throws RefusedBodyException {
        for (int at = in.position(); at < in.limit() && !seen; at++) {
            head[known++] = in.get(at);
            if (known == DESCRIPTOR_AT && !isFrame() && !isSkippable()) {
                throw CodingFaults.garbage("zstd", "no frame begins so");
            }
            seen = known > DESCRIPTOR_AT && (!isFrame() || known == headBytes());
            if (seen && isFrame()) {
                check();
            }
        }
    }

    private boolean isFrame() {
        return (int) number(0, Integer.BYTES) == MAGIC;
    }

    private boolean isSkippable() {
        return (number(0, Integer.BYTES) & 0xFFFF_FFF0L) == SKIPPABLE;
    }

    private boolean isSingleSegment() {
        return (head[DESCRIPTOR_AT] & 0x20) != 0;
    }

    private int sizeBytes() {
        int flag = (head[DESCRIPTOR_AT] >> 6) & 3;
        return flag == 0 && isSingleSegment() ? 1 : SIZE_BYTES[flag];
    }

    private int dictionaryBytes() {
        return DICTIONARY_BYTES[head[DESCRIPTOR_AT] & 3];
    }

    private int headBytes() {
        int window = isSingleSegment() ? 0 : 1;
        return DESCRIPTOR_AT + 1 + window + dictionaryBytes() + sizeBytes();
    }

    private void check() throws RefusedBodyException {
        long window;
        if (isSingleSegment()) {
            window = number(DESCRIPTOR_AT + 1 + dictionaryBytes(), sizeBytes()) + (sizeBytes() == 2 ? 256 : 0);
        } else {
            int descriptor = head[DESCRIPTOR_AT + 1] & 0xFF;
            long least = 1L << (10 + (descriptor >> 3));
            window = least + (least >> 3) * (descriptor & 7);
        }
        if (window < 0 || window > WINDOW_BYTES_MAX) {
            throw RefusedBodyException.tooLarge("zstd with a window of " + Long.toUnsignedString(window)
                    + " bytes (expected: <= " + WINDOW_BYTES_MAX + ", RFC 9659)");
        }
        windowBytes = Math.max(windowBytes, window);
    }

    private long number(int from, int count) {
        long number = 0;
        for (int i = count - 1; i >= 0; i--) {
            number = (number << Byte.SIZE) | (head[from + i] & 0xFF);
        }
        return number;
    }
}
