package net.oooops.sigma.redis;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import net.oooops.sigma.api.RedisException;
import org.jspecify.annotations.Nullable;

/**
 * A command, and who waits for its answer.
 *
 * <p>Made on any thread; answered on the event loop, or failed where it is made, once.
 */
final class Command<T extends @Nullable Object> {
    private static final byte[] LINE_END = {'\r', '\n'};

    private final byte[] wire;
    private final Function<Object, @Nullable Read<T>> reading;
    private final CompletableFuture<T> answer = new CompletableFuture<>();
    private long deadlineNanos;

    /** An answer that was understood: it may be nothing. */
    record Read<T extends @Nullable Object>(T value) {}

    /**
     * @param reading makes the answer of a reply; null where it isn't one
     * @param parts of the command
     */
    Command(Function<Object, @Nullable Read<T>> reading, List<byte[]> parts) {
        this.reading = reading;
        this.wire = wire(parts);
    }

    private static byte[] wire(List<byte[]> parts) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        head(out, '*', parts.size());
        for (byte[] part : parts) {
            head(out, '$', part.length);
            out.writeBytes(part);
            out.writeBytes(LINE_END);
        }
        return out.toByteArray();
    }

    private static void head(ByteArrayOutputStream out, char kind, int count) {
        out.write(kind);
        out.writeBytes(Integer.toString(count).getBytes(StandardCharsets.US_ASCII));
        out.writeBytes(LINE_END);
    }

    /** As it is sent. */
    byte[] wire() {
        return wire;
    }

    /** Who asked gets it. */
    CompletableFuture<T> answer() {
        return answer;
    }

    /** Until when it is waited for an answer. */
    void until(long nanos) {
        deadlineNanos = nanos;
    }

    boolean isDue(long nowNanos) {
        return deadlineNanos - nowNanos <= 0;
    }

    /** That came; whether it is an answer to this. */
    boolean take(Object reply) {
        Read<T> read = reading.apply(reply);
        return read != null && answer.complete(read.value());
    }

    /** There is none. */
    void fail(RedisException why) {
        answer.completeExceptionally(why);
    }
}
