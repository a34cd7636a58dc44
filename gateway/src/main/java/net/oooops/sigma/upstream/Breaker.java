package net.oooops.sigma.upstream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.BreakerConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps an {@link Upstream} from taking more than it should, over all Workers: bounds that are written, a limit on requests without an
 * answer that is found out ({@link AdaptiveLimit}), and one that opens where too many requests fail ({@link ErrorRate}). There is none where
 * nothing of that is configured.
 *
 * <p>Any thread, {@link #tick} always the same one; never waits.
 */
public final class Breaker {
    private static final Logger LOG = LoggerFactory.getLogger(Breaker.class);
    /** A bound that nothing ran into for so long no longer is one. */
    private static final long QUIET_NANOS = TimeUnit.SECONDS.toNanos(10);

    /**
     * Whether a request passes, and in which time of the breaker: what became of it counts for that time only. Each time that begins, by
     * opening or closing, has others.
     */
    public static final class Admission {
        private final @Nullable Fault fault;
        private final boolean trial;

        private Admission(@Nullable Fault fault, boolean trial) {
            this.fault = fault;
            this.trial = trial;
        }

        /** It passes. */
        static Admission passed() {
            return new Admission(null, false);
        }

        /** It passes, and finds out if the Upstream is well again. */
        static Admission trial() {
            return new Admission(null, true);
        }

        /** Whether it passes as one of those that find out if the Upstream is well again. */
        public boolean isTrial() {
            return trial;
        }

        /** Why it doesn't pass; null where it does. */
        public @Nullable Fault fault() {
            return fault;
        }
    }

    private static final Admission PASSED = Admission.passed();
    private static final Admission FULL = new Admission(Fault.BREAKER_FULL, false);
    private static final Admission LIMITED = new Admission(Fault.BREAKER_LIMITED, false);
    /** None passes. */
    static final Admission OPEN = new Admission(Fault.BREAKER_OPEN, false);

    /** What it refuses by. */
    public enum Limit {
        CONNECTIONS,
        PENDING,
        REQUESTS,
        RETRIES,
        /** It is open, or half open and others try the Upstream out. */
        OPEN
    }

    /** Says when a bound is reached, and when it no longer is. */
    private final class Watch {
        private final String key;
        private final Bound bound;
        private long refusedSeen;
        private long sinceNanos;
        private boolean reached;

        Watch(String key, Bound bound) {
            this.key = key;
            this.bound = bound;
            // It may be an older one's.
            this.refusedSeen = bound.refusedCount();
        }

        void tick(long nowNanos) {
            long refused = bound.refusedCount();
            if (refused != refusedSeen) {
                if (!reached) {
                    reached = true;
                    LOG.warn("upstream {}: {} reached", upstreamId, name());
                }
                refusedSeen = refused;
                sinceNanos = nowNanos;
            } else if (reached && nowNanos - sinceNanos >= QUIET_NANOS) {
                reached = false;
                LOG.info("upstream {}: {} no longer reached", upstreamId, name());
            }
        }

        private String name() {
            return bound.most() == BreakerConfig.NONE ? key : key + " (" + bound.most() + ")";
        }
    }

    private final String upstreamId;
    private final BreakerConfig config;
    private final Bound connections;
    private final Bound pending;
    private final Bound requests;
    private final Bound retries;
    private final List<Watch> watches;
    private final @Nullable ErrorRate errors;
    private final @Nullable AdaptiveLimit adaptive;
    private final LongAdder refusedOpen = new LongAdder();

    Breaker(String upstreamId, BreakerConfig config) {
        this(upstreamId, config, null);
    }

    /**
     * One that holds from now on.
     *
     * @param before what held until now, or null: what was found out by settings that are the same goes on
     */
    Breaker(String upstreamId, BreakerConfig config, @Nullable Breaker before) {
        this.upstreamId = upstreamId;
        this.config = config;
        this.connections = new Bound(config.connectionsMax());
        this.pending = new Bound(config.pendingMax());
        this.requests = new Bound(config.requestsMax());
        this.retries = new Bound(config.retriesMax());
        this.errors = errors(upstreamId, config, before);
        this.adaptive = adaptive(config, before);
        List<Watch> watched = new ArrayList<>(List.of(
                new Watch("max-connections", connections),
                new Watch("max-pending", pending),
                new Watch("max-requests", requests),
                new Watch("max-retries", retries)));
        if (adaptive != null) {
            watched.add(new Watch("its limit on requests without an answer", adaptive.unanswered()));
        }
        this.watches = List.copyOf(watched);
    }

    private static @Nullable ErrorRate errors(String upstreamId, BreakerConfig config, @Nullable Breaker before) {
        if (config.errorPercent() == 0) {
            return null;
        }
        ErrorRate there = before == null ? null : before.errors;
        return there != null && there.isBy(config) ? there : new ErrorRate(upstreamId, config);
    }

    private static @Nullable AdaptiveLimit adaptive(BreakerConfig config, @Nullable Breaker before) {
        if (!config.adaptive().enabled()) {
            return null;
        }
        AdaptiveLimit there = before == null ? null : before.adaptive;
        return there != null && there.isBy(config.adaptive()) ? there : new AdaptiveLimit(config.adaptive());
    }

    /** Whether what {@code before} found out goes on here. */
    boolean goesOnFrom(Breaker before) {
        return (errors != null && errors == before.errors) || (adaptive != null && adaptive == before.adaptive);
    }

    /** The bound on open connections, null where there is none. */
    public @Nullable Bound connections() {
        return config.connectionsMax() == BreakerConfig.NONE ? null : connections;
    }

    /** The bound on requests that wait for a connection, null where there is none. */
    public @Nullable Bound pending() {
        return config.pendingMax() == BreakerConfig.NONE ? null : pending;
    }

    /** Whether a request may begin. One that may is to be followed by one {@link #ended}. */
    public Admission admit() {
        ErrorRate rate = errors;
        Admission admission = rate == null ? PASSED : rate.admit();
        if (admission == OPEN) {
            refusedOpen.increment();
            return admission;
        }
        Admission refused = FULL;
        if (requests.tryTake()) {
            if (adaptive == null || adaptive.tryTake()) {
                return admission;
            }
            requests.release();
            refused = LIMITED;
        }
        if (rate != null) {
            rate.undecided(admission);
        }
        return refused;
    }

    /**
     * A request that was admitted waits for its answer, as it does at first, or no longer: the answer has begun, or its client is what it waits
     * for. Only those that wait count for the limit that is found out, which says how much the nodes do at once, not how long an answer may
     * flow. To be told when it changes.
     */
    public void await(boolean awaited) {
        if (adaptive == null) {
            return;
        }
        if (awaited) {
            // It was let in: there may be more than the limit for a moment.
            adaptive.unanswered().take();
        } else {
            adaptive.unanswered().release();
        }
    }

    /**
     * What became of a request that was admitted, once: it was answered, or no node did.
     *
     * @param failed whether that tells of something wrong with the Upstream
     * @param nanos how long its answer took to begin, or not to come; below 0 where that says nothing of the nodes
     */
    public void judged(Admission admission, boolean failed, long nanos, long nowNanos) {
        ErrorRate rate = errors;
        if (rate != null) {
            rate.judged(admission, failed, nowNanos);
        }
        // A refused connection is over at once, a lost answer after its timeout: neither tells how long answers take.
        if (adaptive != null && !failed && nanos >= 0) {
            adaptive.answered(nanos);
        }
    }

    /**
     * A request that was admitted is over.
     *
     * @param judged whether {@link #judged} was told of it
     * @param awaited whether it waits for its answer, as {@link #await} was told
     */
    public void ended(Admission admission, boolean judged, boolean awaited) {
        requests.release();
        if (awaited) {
            await(false);
        }
        ErrorRate rate = errors;
        if (rate != null && !judged) {
            rate.undecided(admission);
        }
    }

    /** Whether a request may be sent again, as far as this goes. One that may is to be followed by one {@link #endRetry}. */
    public boolean tryRetry() {
        ErrorRate rate = errors;
        return (rate == null || rate.state() == ErrorRate.State.CLOSED) && retries.tryTake();
    }

    /** Whether it would, at the moment. Takes and counts nothing. */
    public boolean allowsRetry() {
        ErrorRate rate = errors;
        return (rate == null || rate.state() == ErrorRate.State.CLOSED) && retries.count() < retries.most();
    }

    /** A request that was sent again is over. */
    public void endRetry() {
        retries.release();
    }

    /** How long it is until requests may pass again, at least a second: for {@code Retry-After}. */
    public long waitSeconds(long nowNanos) {
        ErrorRate rate = errors;
        long left = rate != null && rate.state() == ErrorRate.State.OPEN ? rate.untilNanos() - nowNanos : 0;
        return Math.max(1, TimeUnit.NANOSECONDS.toSeconds(left + TimeUnit.SECONDS.toNanos(1) - 1));
    }

    /** How many requests are in flight. */
    public int requestCount() {
        return requests.count();
    }

    /** How many requests may be without an answer, as found out; {@link BreakerConfig#NONE} where that isn't done. */
    public int limit() {
        return adaptive == null ? BreakerConfig.NONE : adaptive.most();
    }

    /** Whether too many requests failed, and it isn't closed again. */
    public boolean isOpen() {
        ErrorRate rate = errors;
        return rate != null && rate.state() != ErrorRate.State.CLOSED;
    }

    /** In a word: {@code closed}, {@code open} or {@code half-open}. */
    public String state() {
        ErrorRate rate = errors;
        return switch (rate == null ? ErrorRate.State.CLOSED : rate.state()) {
            case CLOSED -> "closed";
            case OPEN -> "open";
            case HALF_OPEN -> "half-open";
        };
    }

    /** How often it refused something by that. */
    public long refusedCount(Limit by) {
        return switch (by) {
            case CONNECTIONS -> connections.refusedCount();
            case PENDING -> pending.refusedCount();
            case REQUESTS ->
                requests.refusedCount()
                        + (adaptive == null ? 0 : adaptive.unanswered().refusedCount());
            case RETRIES -> retries.refusedCount();
            case OPEN -> refusedOpen.sum();
        };
    }

    /** How often too many requests failed. */
    public long openingCount() {
        ErrorRate rate = errors;
        return rate == null ? 0 : rate.openingCount();
    }

    /** Time has passed. */
    void tick(long nowNanos) {
        for (Watch watch : watches) {
            watch.tick(nowNanos);
        }
        ErrorRate rate = errors;
        if (rate != null) {
            rate.tick(nowNanos);
        }
        if (adaptive != null) {
            adaptive.tick(nowNanos);
        }
    }
}
