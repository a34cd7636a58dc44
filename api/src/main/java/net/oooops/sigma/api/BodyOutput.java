package net.oooops.sigma.api;

import java.nio.ByteBuffer;

/**
 * Where a {@link BodyTransform} or a {@link BodySource} writes. What is written is copied at once and goes on, in its order, when the call returns; so the caller
 * may use its arrays and buffers again. Valid during the call that it was given to, on the exchange's event loop.
 *
 * <p>One call of a transform may write {@code limits.buffered-body} bytes at most; {@link BodyTransform#hasMore} is for what would be more. One of a
 * source may write {@link StreamBody#PART_BYTES_MAX} at most.
 */
public interface BodyOutput {
    /**
     * Writes one byte: the low eight bits of {@code b}.
     *
     * @throws IllegalStateException where it is one more than a call may write, or the call is over
     */
    void write(int b);

    /**
     * Writes {@code bytes[from, from + count)}.
     *
     * @throws IllegalStateException as {@link #write(int)}
     * @throws IndexOutOfBoundsException where the array has no such part
     */
    void write(byte[] bytes, int from, int count);

    /**
     * Writes what remains of {@code bytes}, whose position is at its limit then.
     *
     * @throws IllegalStateException as {@link #write(int)}
     */
    void write(ByteBuffer bytes);

    /** How many bytes this call may still write. */
    int room();
}
