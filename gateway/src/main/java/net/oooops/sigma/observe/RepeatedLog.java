package net.oooops.sigma.observe;

import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * When a failure that comes again and again is worth a line of the log. Each cause (a node, a plugin, a Listener) gets one for its
 * first failure, and then at most one in ten seconds, with how many there were since. So a second cause is never hidden by the first,
 * and whoever can make something fail can't fill the disk.
 *
 * <p>Bounded: {@value #CAUSES_MAX} causes are told apart. Those beyond share one line in ten seconds, until another cause has been
 * quiet for that long.
 *
 * <p>Called on one event loop only. A failure of which nothing is said allocates nothing.
 */
public final class RepeatedLog {
    /** How many causes are told apart. */
    static final int CAUSES_MAX = 128;

    /** How long nothing is said of a cause after a line of it. */
    static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    private static final class Told {
        private long saidNanos;
        private long failures;

        private Told(long nowNanos) {
            saidNanos = nowNanos;
        }

        private boolean isQuietSince(long nowNanos) {
            return nowNanos - saidNanos < QUIET_NANOS;
        }
    }

    /** Those said longest ago first. */
    private final Map<Object, Told> causes = new LinkedHashMap<>();

    private @Nullable Told beyond;

    /**
     * A failure.
     *
     * @param cause equal for what is to share a line
     * @param nowNanos of a monotonic clock
     * @return null where nothing is to be said; else what the line ends with: nothing at a cause's first failure, later how many there
     *     were
     */
    public @Nullable String due(Object cause, long nowNanos) {
        Told told = causes.get(cause);
        if (told == null && hasRoom(nowNanos)) {
            causes.put(cause, new Told(nowNanos));
            return "";
        }
        if (told == null) {
            return dueBeyond(nowNanos);
        }
        told.failures++;
        if (told.isQuietSince(nowNanos)) {
            return null;
        }
        causes.remove(cause);
        causes.put(cause, new Told(nowNanos));
        return "; " + told.failures + " times since this was last said";
    }

    /** Whether a further cause can be told apart; in the place of the one that was said longest ago, where that is long enough. */
    private boolean hasRoom(long nowNanos) {
        if (causes.size() < CAUSES_MAX) {
            return true;
        }
        Iterator<Told> all = causes.values().iterator();
        if (all.next().isQuietSince(nowNanos)) {
            return false;
        }
        all.remove();
        return true;
    }

    private @Nullable String dueBeyond(long nowNanos) {
        Told told = beyond;
        if (told != null) {
            told.failures++;
            if (told.isQuietSince(nowNanos)) {
                return null;
            }
        }
        beyond = new Told(nowNanos);
        long failures = told == null ? 1 : told.failures;
        return "; " + failures + " failures of more causes than the " + CAUSES_MAX + " that are told apart";
    }
}
