package net.oooops.sigma.ask;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** The body of an answer, read to its end: so many bytes, and within so much time. Any thread; it waits. */
public final class WholeBody {
    private WholeBody() {}

    /**
     * What an answer may be.
     *
     * @param bytesMax no longer
     * @param within from when its head has come to its last byte
     */
    public record Bounds(int bytesMax, Duration within) {}

    /**
     * Reads one.
     *
     * @throws IOException where it is longer, takes longer, or breaks off
     */
    public static byte[] read(HttpResponse<InputStream> answer, Bounds bounds) throws IOException {
        AtomicBoolean late = new AtomicBoolean();
        try (InputStream in = answer.body()) {
            CompletableFuture<Void> deadline = CompletableFuture.runAsync(
                    () -> cut(in, late),
                    CompletableFuture.delayedExecutor(bounds.within().toMillis(), TimeUnit.MILLISECONDS));
            byte[] bytes;
            try {
                bytes = in.readNBytes(bounds.bytesMax() + 1);
            } catch (IOException e) {
                throw late.get() ? late(bounds, e) : e;
            } finally {
                deadline.cancel(false);
            }
            if (late.get()) {
                // What is closed seems to end.
                throw late(bounds, null);
            }
            if (bytes.length > bounds.bytesMax()) {
                throw new Unanswered("its answer is longer than " + bounds.bytesMax() / 1024 + " KiB", null);
            }
            return bytes;
        }
    }

    private static Unanswered late(Bounds bounds, @Nullable IOException cause) {
        return new Unanswered("its answer didn't end within " + bounds.within().toSeconds() + " s", cause);
    }

    /** Whoever reads it is woken. */
    private static void cut(InputStream in, AtomicBoolean late) {
        late.set(true);
        try {
            in.close();
        } catch (IOException e) {
            // The one that reads hears of it.
            return;
        }
    }
}
