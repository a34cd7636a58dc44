package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import org.jspecify.annotations.Nullable;

/** A source that does what a test wants, and what it was told. */
public final class GivenSource implements BodySource {
    /** What it does when it is asked. */
    public interface Step {
        /** As {@link BodySource#next}. */
        Next next(BodyOutput out) throws Exception;
    }

    /** How often it was asked. */
    final AtomicInteger asked = new AtomicInteger();
    /** How many bytes it has given. */
    final AtomicLong given = new AtomicLong();

    /** What it was closed with. */
    private final List<String> closed = new CopyOnWriteArrayList<>();

    /** How often it was told that the gateway is about to end. */
    final AtomicInteger drains = new AtomicInteger();

    private final Step step;
    private volatile @Nullable Runnable more;
    private volatile @Nullable Thread thread;
    private volatile @Nullable BodyOutput last;

    private GivenSource(Step step) {
        this.step = step;
    }

    /** One that does that. */
    public static GivenSource of(Step step) {
        return new GivenSource(step);
    }

    /** One that gives all of that, as much at a time as it may. */
    public static GivenSource of(GeneratedBody content) {
        InputStream in = content.stream();
        byte[] part = new byte[StreamBody.PART_BYTES_MAX];
        return of(out -> {
            int read = in.read(part, 0, out.room());
            if (read <= 0) {
                return Next.END;
            }
            out.write(part, 0, read);
            return Next.MORE;
        });
    }

    /** One that gives that text in one part. */
    public static GivenSource of(String text) {
        return of(out -> {
            write(out, text);
            return Next.END;
        });
    }

    static void write(BodyOutput out, String text) {
        out.write(StandardCharsets.UTF_8.encode(text));
    }

    /** Answered with it, of unknown length. */
    public Response response() {
        return response(StreamBody.of(this));
    }

    /** The same, of that length. */
    public Response response(long bytes) {
        return response(StreamBody.ofLength(bytes, this));
    }

    private static Response response(StreamBody body) {
        return Response.stream(200, List.of(Field.of("Content-Type", "application/octet-stream")), body);
    }

    /** Answers one request with it. */
    public Outcome outcome() {
        return Outcome.respond(response());
    }

    @Override
    public void begin(Runnable toldBy) {
        assertThat(more).isNull();
        more = toldBy;
        thread = Thread.currentThread();
    }

    @Override
    public Next next(BodyOutput out) throws Exception {
        assertThat(Thread.currentThread()).isSameAs(thread);
        assertThat(closed).isEmpty();
        asked.incrementAndGet();
        last = out;
        int room = out.room();
        Next next = step.next(out);
        given.addAndGet(room - out.room());
        return next;
    }

    @Override
    public void drain() {
        assertThat(Thread.currentThread()).isSameAs(thread);
        drains.incrementAndGet();
    }

    @Override
    public void close(@Nullable Fault fault) {
        closed.add(fault == null ? "over" : fault.name());
    }

    /** There is more of it. */
    void more() {
        Runnable told = more;
        if (told != null) {
            told.run();
        }
    }

    /** Where it wrote last, though it may not any more. */
    BodyOutput last() throws IOException {
        BodyOutput out = last;
        if (out == null) {
            throw new IOException("never asked");
        }
        return out;
    }

    boolean isBegun() {
        return more != null;
    }

    /** It was told once that it is over, and that nothing has failed. */
    public void closed() {
        closed("over");
    }

    /** It was told once that it is over, and why. */
    public void closed(Fault why) {
        closed(why.name());
    }

    private void closed(String how) {
        Await.until("closed " + closed, () -> !closed.isEmpty());
        assertThat(closed).containsExactly(how);
    }
}
