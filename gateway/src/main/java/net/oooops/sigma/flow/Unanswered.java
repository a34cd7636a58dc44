package net.oooops.sigma.flow;

import org.jspecify.annotations.Nullable;

/**
 * The tries on one node that no answer has come to yet, in the order in which they began: a list that the {@link Attempt}s themselves
 * are linked to, so that it allocates nothing.
 *
 * <p>Belongs to one Worker.
 */
final class Unanswered {
    private @Nullable Attempt first;
    private @Nullable Attempt last;
    /** When an answer last began. */
    private long heardNanos;

    /** A try begins. */
    void add(Attempt attempt, long nowNanos) {
        Attempt before = last;
        attempt.awaited = true;
        attempt.beganNanos = nowNanos;
        attempt.before = before;
        if (before == null) {
            first = attempt;
        } else {
            before.after = attempt;
        }
        last = attempt;
    }

    /** An answer to it came, or it is over without. Returns when it began. */
    long remove(Attempt attempt) {
        if (attempt.awaited) {
            Attempt before = attempt.before;
            Attempt after = attempt.after;
            if (before == null) {
                first = after;
            } else {
                before.after = after;
            }
            if (after == null) {
                last = before;
            } else {
                after.before = before;
            }
            attempt.awaited = false;
            attempt.before = null;
            attempt.after = null;
        }
        return attempt.beganNanos;
    }

    /** An answer has begun. */
    void heard(long nowNanos) {
        heardNanos = nowNanos;
    }

    /** The one that has waited longest. */
    @Nullable Attempt first() {
        return first;
    }

    /** How many have waited for so long, none of the others having been answered in that time; at most so many are counted. */
    int silent(long nowNanos, long nanos, int most) {
        int count = 0;
        if (nowNanos - heardNanos < nanos) {
            return count;
        }
        Attempt next = first;
        for (int i = 0; i < most && next != null && next.isOlder(nowNanos, nanos); i++) {
            // One that was late already when another was answered takes long; one whose client is slow isn't waited
            // for.
            boolean slow = heardNanos - next.beganNanos >= nanos;
            count += slow || next.isHeld() ? 0 : 1;
            next = next.after;
        }
        return count;
    }
}
