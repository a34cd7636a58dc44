package net.oooops.sigma.plugins.limits;

import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.PluginContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A {@link Bucket} for each key, at most so many of them. One that is full again says nothing more and may be forgotten. Where all are in use,
 * those who come new share one more, that is counted, and the log says so once in a while; who is known keeps its own.
 *
 * <p>Written here, since what there is in libraries keeps an object of many fields for each bucket, and leaves open how many there are. Any thread;
 * nothing waits, and taking of a bucket that is there allocates nothing, with several rates one array.
 */
final class Buckets {
    private static final Logger LOG = LoggerFactory.getLogger(Buckets.class);
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);

    private final LongSupplier clock;
    private final Rate[] rates;
    private final int keysMax;
    private final Shared shared;
    private final KeyTable<Bucket> table;
    private final AtomicLong loggedNanos;
    private volatile Bucket sharedBucket;

    /**
     * What is said of those that share a bucket.
     *
     * @param plugin the name of the plugin
     * @param setting its bound on what is remembered
     * @param taken counts how often something was asked of the bucket that is shared
     */
    record Shared(String plugin, String setting, PluginContext.Counter taken) {}

    /**
     * @param clock nanoseconds of a monotonic clock
     * @param rates what each bucket has, at least one
     * @param keysMax how many are remembered
     */
    Buckets(LongSupplier clock, List<Rate> rates, int keysMax, Shared shared) {
        this.clock = clock;
        this.rates = rates.toArray(Rate[]::new);
        this.keysMax = keysMax;
        this.shared = shared;
        this.table = KeyTable.bounded(keysMax);
        long now = clock.getAsLong();
        this.sharedBucket = Bucket.full(this.rates, now);
        this.loggedNanos = new AtomicLong(now - LOG_NANOS);
    }

    /**
     * Takes so many tokens of that key's bucket, if it has them of each rate.
     *
     * @return 0 where they were taken; else for how many nanoseconds they are still to come
     */
    long take(ShortKey key, long tokens) {
        return take(key, tokens, null);
    }

    /**
     * The same.
     *
     * @param known what is known elsewhere to have been taken of that key; null where nothing is
     */
    long take(ShortKey key, long tokens, @Nullable SharedKey known) {
        long now = clock.getAsLong();
        Bucket bucket = table.get(key);
        while (true) {
            if (bucket == null) {
                bucket = fresh(key, now);
            }
            if (known != null && bucket != sharedBucket) {
                bucket.atLeast(rates, known, now);
            }
            long wait = bucket.take(rates, tokens, now);
            if (wait != Bucket.FORGOTTEN) {
                return wait;
            }
            table.remove(key, bucket);
            bucket = null;
            // The bucket that was forgotten may have become full since.
            now = clock.getAsLong();
        }
    }

    private Bucket fresh(ShortKey key, long now) {
        Bucket there = table.add(key, Bucket.full(rates, now), now);
        if (there != null) {
            return there;
        }
        shared.taken().increment();
        sayFull(now);
        return sharedBucket;
    }

    /** What that key takes of: its own, or the one that is shared. */
    Bucket of(ShortKey key) {
        Bucket own = table.get(key);
        return own == null ? sharedBucket : own;
    }

    /** What the buckets have. */
    Rate[] rates() {
        return rates;
    }

    /** What the clock shows. */
    long nowNanos() {
        return clock.getAsLong();
    }

    /**
     * What takes the place of those: they themselves where they are as these, as both see requests for a while; else these, of which was taken what
     * was taken of them.
     */
    Buckets after(Buckets before) {
        if (before.isLike(this)) {
            return before;
        }
        takeOver(before);
        return this;
    }

    /** Whether others give and remember the same. */
    boolean isLike(Buckets other) {
        return keysMax == other.keysMax && List.of(rates).equals(List.of(other.rates));
    }

    /**
     * What was taken from other buckets was taken from these; at most so much as these have. Rates are known by the time that they are for: of one that
     * is for another, what the others knew of shorter times was taken. As many are remembered as may be.
     */
    void takeOver(Buckets before) {
        long now = clock.getAsLong();
        before.table.forEach((key, bucket) -> {
            long[] fullAt = taken(before, bucket, now);
            for (long each : fullAt) {
                if (each - now > 0) {
                    table.add(key, Bucket.fullAt(fullAt), now);
                    return;
                }
            }
        });
        sharedBucket = Bucket.fullAt(taken(before, before.sharedBucket, now));
    }

    /** When one of these is full from which was taken what was taken from one of those. */
    private long[] taken(Buckets before, Bucket bucket, long now) {
        long[] fullAt = new long[rates.length];
        for (int i = 0; i < rates.length; i++) {
            double tokens = taken(before.rates, bucket, rates[i].perNanos(), now);
            fullAt[i] = now + Math.min((long) (tokens * rates[i].tokenNanos()), rates[i].bucketNanos());
        }
        return fullAt;
    }

    /** How many tokens were taken in a time. Of no rate for it or a shorter one it is what was taken in the next longer. */
    private static double taken(Rate[] of, Bucket bucket, long perNanos, long now) {
        double inShorter = -1;
        double inLonger = Double.MAX_VALUE;
        for (int i = 0; i < of.length; i++) {
            double tokens = (double) (bucket.fullAtNanos(i, now) - now) / of[i].tokenNanos();
            if (of[i].perNanos() == perNanos) {
                return tokens;
            }
            if (of[i].perNanos() < perNanos) {
                inShorter = Math.max(inShorter, tokens);
            } else {
                inLonger = Math.min(inLonger, tokens);
            }
        }
        return inShorter < 0 ? inLonger : inShorter;
    }

    private void sayFull(long now) {
        long logged = loggedNanos.get();
        if (now - logged >= LOG_NANOS && loggedNanos.compareAndSet(logged, now)) {
            LOG.warn(
                    "{}: {} keys remembered (expected: fewer than \"{}\"); new ones share one bucket",
                    shared.plugin(),
                    keysMax,
                    shared.setting());
        }
    }

    /** How many keys are remembered. */
    int count() {
        return table.count();
    }
}
