package net.oooops.sigma.names;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Which names the name servers have no answer for, over all who ask: each outage is said once, and its end. Where many names fail at
 * once, the first few are said.
 *
 * <p>Any thread.
 */
public final class NameOutages {
    /** So many names that fail at the same time are told apart in the log. */
    static final int SAID_MAX = 10;

    /** So many names are remembered that don't fail any more. */
    private static final int REMEMBERED_MAX = 1000;

    private static final Logger LOG = LoggerFactory.getLogger(NameOutages.class);

    /**
     * How a name stands.
     *
     * @param said whether the log has its outage
     * @param sinceNanos when that began
     */
    private record State(boolean failing, boolean said, long sinceNanos) {}

    private final Map<String, State> byName = new ConcurrentHashMap<>();
    private final AtomicLong failures = new AtomicLong();
    private final AtomicLong failing = new AtomicLong();

    /** How many questions came to nothing. */
    public long failureCount() {
        return failures.get();
    }

    /** How many names there is no answer for now. */
    public long failingCount() {
        return failing.get();
    }

    /**
     * A question came to nothing.
     *
     * @param why for an operator
     * @param askedNanos when it was asked, of {@link System#nanoTime}
     * @param known whether there is an older answer, which is used instead
     */
    void failed(String name, String why, long askedNanos, boolean known) {
        failures.incrementAndGet();
        State before = byName.get(name);
        if (before != null && (before.failing || before.sinceNanos - askedNanos > 0)) {
            return;
        }
        boolean said = failing.get() < SAID_MAX;
        if (!change(name, before, new State(true, said, System.nanoTime()))) {
            return;
        }
        long count = failing.incrementAndGet();
        if (said) {
            LOG.warn(
                    "name {}: not resolved ({}); {}",
                    name,
                    why,
                    known ? "what was last known stays in use" : "nothing is known yet");
        } else if (count == SAID_MAX + 1) {
            LOG.warn("names: more than {} are not resolved; the others are counted, not said", SAID_MAX);
        }
    }

    /** A name that had failed for whoever tells is answered. */
    void answered(String name) {
        State before = byName.get(name);
        if (before == null || !before.failing || !change(name, before, new State(false, false, System.nanoTime()))) {
            return;
        }
        failing.decrementAndGet();
        if (before.said) {
            LOG.info("name {}: resolved again", name);
        }
        if (byName.size() > REMEMBERED_MAX) {
            byName.values().removeIf(state -> !state.failing);
        }
    }

    /** Nobody uses the name any more. */
    void forget(String name) {
        State before = byName.get(name);
        if (before != null && before.failing && byName.remove(name, before)) {
            failing.decrementAndGet();
        }
    }

    private boolean change(String name, @Nullable State before, State after) {
        return before == null ? byName.putIfAbsent(name, after) == null : byName.replace(name, before, after);
    }
}
