package net.oooops.sigma.api;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The body of a {@link Response} that a {@link BodySource} gives. Once the response was returned in an {@link Outcome} the gateway closes the source,
 * however the exchange ends: also where the outcome comes too late, or another response takes the place of this one. So a body serves one exchange; one
 * that a second exchange is to be answered with is a failure of the plugin.
 *
 * <p>Safe for use from any thread.
 */
public final class StreamBody {
    /** How many bytes a source may give at once. */
    public static final int PART_BYTES_MAX = 64 * 1024;

    private enum State {
        MADE,
        TAKEN,
        CLOSED
    }

    private final BodySource source;
    private final long bytes;
    private final AtomicReference<State> state = new AtomicReference<>(State.MADE);

    private StreamBody(BodySource source, long bytes) {
        this.source = source;
        this.bytes = bytes;
    }

    /** A body of which nobody knows the length before its end: in chunks, in frames, or, with HTTP/1.0, up to the end of the connection. */
    public static StreamBody of(BodySource source) {
        return new StreamBody(source, -1);
    }

    /**
     * A body of that length, which Content-Length says. It is over with the last of its bytes, and the source isn't asked for its end. A source that
     * gives more, or says before that there is no more, fails.
     *
     * @throws IllegalArgumentException where {@code bytes} is negative
     */
    public static StreamBody ofLength(long bytes, BodySource source) {
        if (bytes < 0) {
            throw new IllegalArgumentException("length: " + bytes + " (expected: >= 0)");
        }
        return new StreamBody(source, bytes);
    }

    /** What gives it. */
    public BodySource source() {
        return source;
    }

    /** Its length, or -1 where that isn't known. */
    public long bytes() {
        return bytes;
    }

    /** Makes it the caller's, who is to close it: the gateway does, for an exchange. Whether nobody had it before. */
    public boolean take() {
        return state.compareAndSet(State.MADE, State.TAKEN);
    }

    /** Closes the source. Once is enough. */
    public void close(@Nullable Fault fault) {
        if (state.getAndSet(State.CLOSED) != State.CLOSED) {
            source.close(fault);
        }
    }
}
