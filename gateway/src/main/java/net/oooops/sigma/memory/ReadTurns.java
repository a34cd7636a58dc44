package net.oooops.sigma.memory;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is to be read, where connections bring more in one turn of the event loop than it should take. Each turn reads so many bytes of
 * large bodies as take a millisecond or two; the other connections wait in a row, unread. What is small comes in between: it is looked for with
 * every turn, and never waits for all the large bodies there are.
 *
 * <pre>
 *   read ─ it brought BYTES_MIN, and all of them BYTES_PER_TURN ─▶ waits in the row ─ its turn ─▶ read
 * </pre>
 *
 * <p>One for each Worker; called on its event loop only.
 */
public final class ReadTurns {
    /** Who brings less in one turn is small, and doesn't wait. */
    public static final int BYTES_MIN = 16 * 1024;
    /** So many bytes of large bodies are read in one turn of the event loop; what is read after them is one read of each connection. */
    public static final int BYTES_PER_TURN = 2 * 1024 * 1024;

    /** Who brings less is small also where the turn is spent, and there is more of it to be read. */
    private static final int SPENT_BYTES_MIN = BoundedReadSize.FIRST_BYTES;
    /** At least so much is expected of a connection that waited. */
    private static final int EXPECTED_BYTES_MIN = BoundedReadSize.USUAL_BYTES_MAX;

    /** A connection that waits. */
    public interface Reader {
        /** What it brought in its last turn, in bytes: it brings about as much in its next. */
        int turnBytes();

        /** Whether there is more to be read by now, as its last read was filled. */
        boolean isFilled();

        /** It may be read again. */
        void readOn();
    }

    private final Queue<Reader> row = new ArrayDeque<>();
    private final Runnable onTurnEnd = this::endTurn;
    private final Runnable onTurn = this::awaitTurnEnd;
    private @Nullable SingleThreadEventLoop loop;
    private boolean awaited;
    private long bytes;

    /** Whether this turn has brought as much of large bodies as it should: what comes now is read once, and not on. */
    public boolean isSpent() {
        return bytes >= BYTES_PER_TURN;
    }

    /**
     * A connection was read in this turn, and there is more to come. Whether it has to wait from now on, until {@link Reader#readOn}.
     *
     * @param ofWorker the Worker's event loop
     */
    public boolean isOver(SingleThreadEventLoop ofWorker, Reader reader) {
        int brought = reader.turnBytes();
        boolean isLarge = brought >= BYTES_MIN || (brought >= SPENT_BYTES_MIN && isSpent() && reader.isFilled());
        if (!isLarge) {
            return false;
        }
        loop = ofWorker;
        awaitTurnEnd();
        bytes += brought;
        // Who has no need to wait doesn't overtake who does.
        boolean waits = isSpent() || !row.isEmpty();
        if (waits) {
            row.add(reader);
        }
        return waits;
    }

    private void awaitTurnEnd() {
        SingleThreadEventLoop its = loop;
        if (!awaited && its != null) {
            awaited = true;
            its.executeAfterEventLoopIteration(onTurnEnd);
        }
    }

    private void endTurn() {
        awaited = false;
        bytes = 0;
        long expected = 0;
        try {
            while (expected < BYTES_PER_TURN && !row.isEmpty()) {
                Reader next = row.remove();
                expected += Math.max(EXPECTED_BYTES_MIN, next.turnBytes());
                next.readOn();
            }
        } finally {
            // Whatever one of them throws, the others wait for their turn.
            SingleThreadEventLoop its = loop;
            if (!row.isEmpty() && its != null) {
                // A task of the next turn, which reads first.
                its.execute(onTurn);
            }
        }
    }
}
