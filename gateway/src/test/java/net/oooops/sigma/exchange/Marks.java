package net.oooops.sigma.exchange;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Outcome;

/** A transform that makes each byte two, and an end of its own; counts what it is called for. */
final class Marks implements BodyTransform {
    final AtomicInteger bytes = new AtomicInteger();
    final AtomicInteger ends = new AtomicInteger();
    final AtomicInteger closes = new AtomicInteger();
    private final String end;

    Marks(String end) {
        this.end = end;
    }

    /** What becomes of a body. */
    static String of(String body, String end) {
        StringBuilder all = new StringBuilder();
        body.chars().forEach(c -> all.append((char) c).append((char) c));
        return all.append(end).toString();
    }

    /** A plugin that has the bodies of requests pass it. */
    Probe onRequest() {
        return Probe.probe().onRequest(exchange -> {
            exchange.transformRequestBody(this);
            return Outcome.CONTINUE;
        });
    }

    /** A plugin that has the bodies of responses pass it. */
    Probe onResponse() {
        return Probe.probe().onResponse(exchange -> {
            exchange.transformResponseBody(this);
            return Outcome.CONTINUE;
        });
    }

    @Override
    public void chunk(ByteBuffer chunk, BodyOutput out) {
        while (chunk.hasRemaining()) {
            byte b = chunk.get();
            bytes.incrementAndGet();
            out.write(b);
            out.write(new byte[] {'-', b}, 1, 1);
        }
    }

    @Override
    public void end(Head trailers, BodyOutput out) {
        ends.incrementAndGet();
        out.write(StandardCharsets.US_ASCII.encode(end));
        FieldName one = FieldName.of("X-One");
        if (trailers.has(one)) {
            trailers.set(Field.of("X-Two", trailers.value(one) + "+"));
            trailers.remove(one);
        }
    }

    @Override
    public void close() {
        closes.incrementAndGet();
    }
}
