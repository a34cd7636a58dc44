package net.oooops.sigma.proxy;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.upstream.Line;
import org.jspecify.annotations.Nullable;

/**
 * The tries on one node that no answer has come to yet, in the order in which they began.
 *
 * <p>Belongs to one Worker.
 */
final class Unanswered {
    /** What was given up longer ago than that no longer counts. */
    private static final long GIVEN_UP_NANOS_MAX = TimeUnit.SECONDS.toNanos(10);

    private final Line<Attempt> line = new Line<>();
    /** When an answer last began. */
    private long heardNanos;
    /** How many were given up for their hedges since then, one soon after the other. */
    private int givenUpCount;
    /** When the first of these began, and when the last was given up. */
    private long givenUpFromNanos;

    private long givenUpNanos;

    /** A try begins. */
    void add(Attempt attempt, long nowNanos) {
        attempt.beganNanos = nowNanos;
        line.add(attempt.unanswered);
    }

    /** An answer to it came, or it is over without. Returns when it began. */
    long remove(Attempt attempt) {
        line.remove(attempt.unanswered);
        return attempt.beganNanos;
    }

    /** An answer has begun. */
    void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    /**
     * It is given up, for its hedge has answered. That says nothing of the node; but one that is never heard again is silent, though
     * nobody waits for it for long.
     */
    void givenUp(Attempt attempt, long nowNanos) {
        boolean goesOn = givenUpCount > 0 && isSilentSinceGivenUp() && nowNanos - givenUpNanos < GIVEN_UP_NANOS_MAX;
        givenUpFromNanos = goesOn ? givenUpFromNanos : attempt.beganNanos;
        givenUpCount = goesOn ? givenUpCount + 1 : 1;
        givenUpNanos = nowNanos;
    }

    private boolean isSilentSinceGivenUp() {
        return heardNanos - givenUpFromNanos < 0;
    }

    private int givenUpCount(long nowNanos, long nanos) {
        boolean counts = givenUpCount > 0
                && isSilentSinceGivenUp()
                && nowNanos - givenUpFromNanos >= nanos
                && nowNanos - givenUpNanos < GIVEN_UP_NANOS_MAX;
        return counts ? givenUpCount : 0;
    }

    /** Whether an answer has begun after that moment. */
    boolean heardSince(long nanos) {
        return heardNanos - nanos > 0;
    }

    /** The one that has waited longest. */
    @Nullable Attempt first() {
        return line.first();
    }

    /**
     * How many have waited for so long, or would have, had they not been given up for their hedges, none of the others having been answered
     * in that time; at most so many of those that wait are counted.
     */
    int silent(long nowNanos, long nanos, int most) {
        if (nowNanos - heardNanos < nanos) {
            return 0;
        }
        int count = givenUpCount(nowNanos, nanos);
        Attempt next = line.first();
        for (int i = 0; i < most && next != null && next.isOlder(nowNanos, nanos); i++) {
            // One that was late already when another was answered takes long, as a patient one may; one whose client is
            // slow isn't waited for.
            boolean slow = heardNanos - next.beganNanos >= nanos;
            count += slow || next.isHeld() || next.isPatient() ? 0 : 1;
            next = next.unanswered.after();
        }
        return count;
    }
}
