package net.oooops.sigma.plugins.bodylimit;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Reason;

/**
 * Refuses requests whose body is too large: by its length, or, where nobody knows it, once more has come. Allocates where there is a body of
 * unknown length. In shadow such a body is counted as it passes.
 *
 * @param bytesMax the largest body
 * @param whole whether nothing goes on before a body is there; then {@code bytesMax} is of that as well
 * @param tooLarge why larger ones are refused
 * @param answer what those get whose length is larger
 */
record BodyLimit(long bytesMax, boolean whole, Reason tooLarge, Outcome answer) implements Plugin {
    @Override
    public Needs needs() {
        return whole
                ? Needs.REQUEST.withRequestBody(BodyNeed.whole((int) bytesMax).refusing(tooLarge))
                : Needs.REQUEST;
    }

    @Override
    public Needs needsInShadow() {
        return Needs.REQUEST.withRequestBody(BodyNeed.CHUNKS);
    }

    @Override
    public Outcome onRequest(Exchange exchange) {
        long bytes = exchange.request().contentLength();
        if (bytes < 0 && exchange.isShadow()) {
            exchange.attach(this, new AtomicLong());
            return Outcome.CONTINUE;
        }
        if (bytes < 0) {
            // In chunks, or another one than was sent: a plugin before may unpack it.
            exchange.transformRequestBody(
                    whole ? new HeldBody(bytesMax, tooLarge) : new CountedBody(bytesMax, tooLarge));
            return Outcome.CONTINUE;
        }
        return bytes <= bytesMax ? Outcome.CONTINUE : answer;
    }

    @Override
    public void onRequestChunk(Exchange exchange, ByteBuffer chunk) {
        if (exchange.attachment(this) instanceof AtomicLong passed) {
            long before = passed.getAndAdd(chunk.remaining());
            if (before <= bytesMax && passed.get() > bytesMax) {
                exchange.shadowed(answer);
            }
        }
    }
}
