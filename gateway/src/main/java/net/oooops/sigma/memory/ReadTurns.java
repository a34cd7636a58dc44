package net.oooops.sigma.memory;

import io.netty.channel.SingleThreadEventLoop;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * Whose turn it is to be read, where many connections bring more than is read of them at once. In one turn of the event loop so many are
 * read as take well under a millisecond; the others wait in a row, unread. What is small comes in between: it is looked for with every
 * turn, and never waits for all the large bodies there are.
 *
 * <pre>
 *   read ─ it brought BYTES_MIN, and others did, too ─▶ waits in the row ─ its turn ─▶ read
 * </pre>
 *
 * <p>One for each Worker; called on its event loop only.
 */
public final class ReadTurns {
    /** A connection that brought as much in one turn has more: all reads but the last were filled, encrypted or not. */
    public static final int BYTES_MIN = (BoundedReadSize.READS_PER_TURN - 1) * 60 * 1024;
    /** So many connections are read in one turn of the event loop. */
    public static final int READERS_PER_TURN = 8;

    /** A connection that waits. */
    public interface Reader {
        /** It may be read again. */
        void readOn();
    }

    private final Queue<Reader> row = new ArrayDeque<>();
    private final Runnable onTurnEnd = this::endTurn;
    private final Runnable onTurn = this::awaitTurnEnd;
    private @Nullable SingleThreadEventLoop loop;
    private boolean awaited;
    private int readers;

    /**
     * A connection has brought {@link #BYTES_MIN} or more in this turn. Whether it has to wait from now on, until {@link Reader#readOn}.
     *
     * @param ofWorker the Worker's event loop
     */
    public boolean isOver(SingleThreadEventLoop ofWorker, Reader reader) {
        loop = ofWorker;
        awaitTurnEnd();
        readers++;
        // Who has no need to wait doesn't overtake who does.
        boolean waits = readers > READERS_PER_TURN || !row.isEmpty();
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
        readers = 0;
        for (int i = 0; i < READERS_PER_TURN && !row.isEmpty(); i++) {
            row.remove().readOn();
        }
        SingleThreadEventLoop its = loop;
        if (!row.isEmpty() && its != null) {
            // A task of the next turn, which reads first.
            its.execute(onTurn);
        }
    }
}
