package net.oooops.sigma.observe;

import java.nio.ByteBuffer;
import org.jctools.queues.atomic.SpscAtomicArrayQueue;
import org.jspecify.annotations.Nullable;

/**
 * The way of lines from one Worker to the writing thread: chunks go there full and come back empty. The Worker's methods are
 * called on its event loop only, the writer's on its thread only; a third thread calls none.
 */
final class LogLane {
    /** A run of whole lines. Belongs to the Worker while it is filled, and to the writer from hand-over until it comes back. */
    static final class Chunk {
        static final int BYTES = 64 << 10;

        private final byte[] bytes = new byte[BYTES];
        private final ByteBuffer buffer = ByteBuffer.wrap(bytes);
        private int length;
        private int lines;

        /** What remains to be written. */
        ByteBuffer remaining() {
            return buffer;
        }

        /** How many lines of what was written already are whole. */
        private int linesWritten() {
            int count = 0;
            for (int i = 0; i < buffer.position(); i++) {
                count += bytes[i] == '\n' ? 1 : 0;
            }
            return count;
        }
    }

    /** A chunk is handed over with this part of all lines that may wait, so that few lines are no reason to drop some. */
    private static final int CHUNKS_LEAST = 4;
    /** One being filled, and one that was handed over early. */
    private static final int CHUNKS_SPARE = 2;

    private final int linesMax;
    private final int chunkLinesMax;
    private final int chunksMax;
    private final SpscAtomicArrayQueue<Chunk> full;
    private final SpscAtomicArrayQueue<Chunk> free;

    // Written by the Worker.
    private @Nullable Chunk current;
    private int chunksMade;
    private long linesTaken;
    private boolean ended;
    private volatile @Nullable Thread worker;
    private volatile long linesDropped;
    private volatile boolean closed;

    // Written by the writer.
    private volatile long linesWritten;

    /** A lane on which at most that many lines wait. */
    LogLane(int linesMax) {
        this.linesMax = linesMax;
        this.chunkLinesMax = Math.ceilDiv(linesMax, CHUNKS_LEAST);
        this.chunksMax =
                CHUNKS_LEAST + CHUNKS_SPARE + (int) ((long) linesMax * AccessLog.WAITING_BYTES_PER_LINE / Chunk.BYTES);
        this.full = new SpscAtomicArrayQueue<>(chunksMax);
        this.free = new SpscAtomicArrayQueue<>(chunksMax);
    }

    /** Worker: whether one more line may wait. */
    boolean isOpenForLine() {
        return !ended && linesTaken - linesWritten < linesMax;
    }

    /** Worker: whether the chunk being filled takes {@code length} more bytes. */
    boolean hasRoom(int length) {
        return current == null || current.length + length <= Chunk.BYTES;
    }

    /** Worker: whether the chunk being filled has so many lines that it is to be handed over. */
    boolean isLadenWithLines() {
        return current != null && current.lines >= chunkLinesMax;
    }

    /** Worker: adds a line to the chunk being filled, which {@linkplain #hasRoom has room}; false where no chunk is to be had. */
    boolean append(byte[] line, int length) {
        Chunk chunk = current == null ? take() : current;
        current = chunk;
        if (chunk == null) {
            return false;
        }
        System.arraycopy(line, 0, chunk.bytes, chunk.length, length);
        chunk.length += length;
        chunk.lines++;
        linesTaken++;
        return true;
    }

    private @Nullable Chunk take() {
        if (worker == null) {
            worker = Thread.currentThread();
        }
        Chunk chunk = free.poll();
        if (chunk == null && chunksMade < chunksMax) {
            chunksMade++;
            chunk = new Chunk();
        }
        return chunk;
    }

    /** Worker: how many chunks there are. */
    int chunksMade() {
        return chunksMade;
    }

    /** Worker: counts a line that was not taken. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    void drop() {
        linesDropped++;
    }

    /** Worker: gives the chunk being filled to the writer; false where there is nothing to give. */
    boolean handOver() {
        Chunk chunk = current;
        if (chunk == null) {
            return false;
        }
        current = null;
        chunk.buffer.limit(chunk.length).position(0);
        // Never refused: there are as many places as chunks.
        return full.offer(chunk);
    }

    /** Worker: whether the writer has yet to finish what it was given. */
    boolean isBehind() {
        return !full.isEmpty();
    }

    /** Worker: no line follows. */
    void close() {
        ended = true;
        closed = true;
    }

    /** Writer: the chunk to be written next; it stays where it is until {@link #written}. */
    @Nullable Chunk next() {
        return full.peek();
    }

    /** Writer: the chunk from {@link #next} was written. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // One thread writes.
    void written(Chunk chunk) {
        int lines = chunk.lines;
        full.poll();
        chunk.buffer.clear();
        chunk.length = 0;
        chunk.lines = 0;
        free.offer(chunk);
        // Last: where there is room for a line its chunk is there, too, and no other is made in its place.
        linesWritten += lines;
    }

    /**
     * Writer, when all shall end: whether nothing is to be written, now or later. What a Worker left whose thread has ended is taken
     * over, to be written next.
     */
    boolean isDone() {
        Thread owner = worker;
        if (!closed && owner != null && !owner.isAlive()) {
            handOver();
            closed = true;
        }
        return (closed || owner == null) && full.isEmpty();
    }

    /** Writer: whether the Worker has closed it, and all is written. */
    boolean isLeft() {
        return closed && full.isEmpty();
    }

    /** Writer, or whoever waits for it in vain, when no line follows: lines that were taken, and not written whole. */
    long linesUnwritten() {
        Chunk first = full.peek();
        return linesTaken - linesWritten - (first == null ? 0 : first.linesWritten());
    }

    /** Lines dropped so far. */
    long linesDropped() {
        return linesDropped;
    }
}
