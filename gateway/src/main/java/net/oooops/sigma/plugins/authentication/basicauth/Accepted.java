package net.oooops.sigma.plugins.authentication.basicauth;

import net.oooops.sigma.plugins.authentication.basicauth.Users.User;
import org.jspecify.annotations.Nullable;

/**
 * One who was let in, and needn't have the password hashed for a while: each time that less than half of it is left, a request makes that as long
 * again, up to {@value #TIMES_MAX} times as long in all. So whoever keeps others' passwords from being hashed keeps out nobody who is here. Safe for
 * use from any thread.
 */
final class Accepted {
    /** For how many times as long one who keeps coming is remembered. */
    static final int TIMES_MAX = 12;

    private final User user;
    private final long usersNumber;
    private final long endNanos;
    private volatile long untilNanos;

    private Accepted(User user, long usersNumber, long endNanos, long untilNanos) {
        this.user = user;
        this.usersNumber = usersNumber;
        this.endNanos = endNanos;
        this.untilNanos = untilNanos;
    }

    /**
     * One whose password was right now.
     *
     * @param usersNumber which users it is one of
     */
    static Accepted of(User user, long usersNumber, long nowNanos, long rememberedNanos) {
        long most = rememberedNanos > Long.MAX_VALUE / 2 / TIMES_MAX ? rememberedNanos : rememberedNanos * TIMES_MAX;
        return new Accepted(user, usersNumber, nowNanos + most, nowNanos + rememberedNanos);
    }

    User user() {
        return user;
    }

    /** The same among other users; null where none of them is the same. */
    @Nullable Accepted among(Users users, long number) {
        User there = users.sameAs(user);
        return there == null ? null : new Accepted(there, number, endNanos, untilNanos);
    }

    /** Whether it is one of those users. */
    boolean isAmong(long number) {
        return usersNumber == number;
    }

    boolean holds(long nowNanos) {
        return untilNanos - nowNanos > 0;
    }

    /** It was used. Returns whether it holds for longer now. */
    boolean prolong(long nowNanos, long rememberedNanos) {
        long until = untilNanos;
        if (until == endNanos || until - nowNanos > rememberedNanos / 2) {
            return false;
        }
        long next = nowNanos + rememberedNanos;
        untilNanos = next - endNanos > 0 ? endNanos : next;
        return true;
    }
}
