package net.oooops.sigma.plugins.compression.coding;

import java.nio.ByteBuffer;
import net.oooops.sigma.api.RefusedBodyException;

/**
 * Packs or unpacks one body at a time, in steps that each write into a bounded buffer. Holds native memory until it is closed.
 *
 * <pre>
 *   step ... ─▶ reset ─▶ step ...     as often as there are bodies
 *   close                             last
 * </pre>
 *
 * <p>For one thread at a time.
 */
public interface Coder {
    /** How far a step goes. */
    enum Until {
        /** All of the input is read. */
        READ,
        /** And what was read can be made out from what was written. Unpacking always goes so far. */
        FLUSHED,
        /** And the body is complete. */
        FINISHED
    }

    /** Made ready for another body, whatever became of the one before. */
    void reset();

    /**
     * Reads from {@code in} and writes to {@code out} as long as both can be. To be called again, with the same {@code until} and what remains,
     * while it returns false.
     *
     * @param in may be read-only, on the heap or not
     * @param out not on the heap, with room for some ten bytes at least
     * @return whether it has gone so far; if not, {@code out} was too small
     * @throws RefusedBodyException where what is unpacked isn't what it should be, or with {@link Until#FINISHED} isn't complete
     */
    boolean step(ByteBuffer in, ByteBuffer out, Until until) throws RefusedBodyException;

    /** Gives back what it holds. */
    void close();
}
