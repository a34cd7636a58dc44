package net.oooops.sigma.tcp;

import net.oooops.sigma.memory.BoundedReadSize;
import net.oooops.sigma.memory.RelayMemory;

/**
 * How much of one connection is read at once: about as much as came before, up to {@link #USUAL_BYTES_MAX}; and {@link #BULK_BYTES}
 * once that was filled several times in a row, as long as {@link RelayMemory} allows it and much comes. Where memory is short, little is
 * read.
 *
 * <p>Called on the connection's event loop only.
 */
final class ReadSize extends BoundedReadSize {
    static final int BULK_BYTES = 512 * 1024;

    private static final int FULL_IN_A_ROW = 8;
    /** Where the other side is slow for a moment, little comes for some reads. */
    private static final int LITTLE_IN_A_ROW = 32;

    private final RelayMemory memory;
    private boolean inBulk;
    private int inARow;

    ReadSize(RelayMemory memory) {
        super(memory);
        this.memory = memory;
    }

    /** Whether it is read in large pieces. */
    boolean isInBulk() {
        return inBulk;
    }

    @Override
    protected void came(int bytes) {
        boolean counts = inBulk ? bytes < USUAL_BYTES_MAX : bytes >= USUAL_BYTES_MAX;
        inARow = counts ? inARow + 1 : 0;
        if (inBulk && inARow == LITTLE_IN_A_ROW) {
            end();
        } else if (!inBulk && inARow == FULL_IN_A_ROW) {
            inARow = 0;
            inBulk = memory.takeBulkRead();
        }
    }

    @Override
    protected int next(int usual) {
        return inBulk ? BULK_BYTES : usual;
    }

    /** Nothing came for long, or nothing more will come: read in pieces of the usual size, if at all. A read that is under way stays as it is. */
    void end() {
        inARow = 0;
        if (inBulk) {
            inBulk = false;
            memory.giveBackBulkRead();
        }
    }
}
