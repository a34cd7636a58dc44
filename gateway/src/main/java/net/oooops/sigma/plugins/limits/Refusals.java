package net.oooops.sigma.plugins.limits;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.api.Response;

/** The answers to those who are to come later: Retry-After (RFC 9110 section 10.2.3) in whole seconds, rounded up. Any thread. */
final class Refusals {
    private static final long SECOND_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final FieldName RETRY_AFTER = FieldName.of("Retry-After");

    /** Up to how many seconds an answer is kept, once it was given: a flood is to cost nothing. */
    private static final int KEPT_SECONDS = 64;

    private final Reason reason;
    private final int status;
    private final AtomicReferenceArray<Outcome> kept = new AtomicReferenceArray<>(KEPT_SECONDS + 1);

    Refusals(Reason reason, int status) {
        this.reason = reason;
        this.status = status;
    }

    /** The one for who has to wait so long, at least a nanosecond. */
    Outcome after(long waitNanos) {
        long seconds = seconds(waitNanos);
        if (seconds > KEPT_SECONDS) {
            return make(seconds);
        }
        Outcome there = kept.get((int) seconds);
        if (there == null) {
            there = make(seconds);
            kept.set((int) seconds, there);
        }
        return there;
    }

    /** In seconds, rounded up. */
    static long seconds(long nanos) {
        return Math.ceilDiv(nanos, SECOND_NANOS);
    }

    private Outcome make(long seconds) {
        return reason.respond(
                Response.line(status, "Too many requests.", Field.of(RETRY_AFTER, Long.toString(seconds))));
    }
}
