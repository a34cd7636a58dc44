package net.oooops.sigma.plugins.connectionrate;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.IpAddress;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A token bucket for each client address, at most so many of them.
 *
 * <p>A bucket is one number, the time at which it will be full again (the generic cell rate algorithm, ITU-T I.371): taking a token
 * moves that on by the time a token takes to come, and there is none left where it would be further off than the whole bucket takes.
 * So a bucket that is full again says nothing more and is forgotten. Where all are in use, those who come new share one more, and
 * the log says so once in a while.
 *
 * <p>Written here, since what there is in libraries keeps an object of many fields for each bucket, and leaves open how many there
 * are. Any thread; nothing waits.
 */
final class Buckets {
    private static final Logger LOG = LoggerFactory.getLogger(Buckets.class);
    private static final long SWEEP_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final long LOG_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** What a bucket has that is forgotten: whoever found it before takes a token of the next one. */
    private static final long FORGOTTEN = Long.MIN_VALUE;

    private final LongSupplier clock;
    private final long tokenNanos;
    private final long bucketNanos;
    private final int addressesMax;
    private final ConcurrentMap<IpAddress, AtomicLong> fullAtNanos = new ConcurrentHashMap<>();
    private final AtomicLong sharedFullAtNanos;
    private final AtomicLong sweptNanos;
    private final AtomicLong loggedNanos;

    /**
     * @param clock nanoseconds of a monotonic clock
     * @param tokenNanos how long a token takes to come, at least 1
     * @param burst how many tokens a full bucket has, at least 1
     * @param addressesMax how many addresses are remembered
     */
    Buckets(LongSupplier clock, long tokenNanos, int burst, int addressesMax) {
        this.clock = clock;
        this.tokenNanos = tokenNanos;
        this.bucketNanos = tokenNanos * burst;
        this.addressesMax = addressesMax;
        long now = clock.getAsLong();
        this.sharedFullAtNanos = new AtomicLong(now);
        this.sweptNanos = new AtomicLong(now);
        this.loggedNanos = new AtomicLong(now - LOG_NANOS);
    }

    /** Takes a token of that client's bucket, if there is one. */
    boolean take(IpAddress client) {
        long now = clock.getAsLong();
        AtomicLong bucket = fullAtNanos.get(client);
        return take(client, bucket == null ? fresh(client, now) : bucket, now);
    }

    private boolean take(IpAddress client, AtomicLong found, long now) {
        AtomicLong bucket = found;
        while (true) {
            long before = bucket.get();
            if (before == FORGOTTEN) {
                fullAtNanos.remove(client, bucket);
                bucket = fresh(client, now);
                continue;
            }
            long after = (before - now > 0 ? before : now) + tokenNanos;
            if (after - now > bucketNanos) {
                return false;
            }
            if (bucket.compareAndSet(before, after)) {
                return true;
            }
        }
    }

    private AtomicLong fresh(IpAddress client, long now) {
        if (fullAtNanos.size() >= addressesMax) {
            sweep(now);
            if (fullAtNanos.size() >= addressesMax) {
                AtomicLong there = fullAtNanos.get(client);
                if (there != null) {
                    // Another Worker has made one since.
                    return there;
                }
                sayFull(now);
                return sharedFullAtNanos;
            }
        }
        AtomicLong made = new AtomicLong(now);
        AtomicLong before = fullAtNanos.putIfAbsent(client, made);
        return before == null ? made : before;
    }

    /** What clients have taken from other buckets, they have taken from these; at most so much as these have. As many are remembered as may be. */
    void takeOver(Buckets before) {
        long now = clock.getAsLong();
        before.fullAtNanos.forEach((client, bucket) -> {
            long fullAt = bucket.get();
            long left = fullAt == FORGOTTEN ? 0 : before.takenNanos(fullAt, now, tokenNanos);
            if (left > 0 && fullAtNanos.size() < addressesMax) {
                fullAtNanos.put(client, new AtomicLong(now + Math.min(left, bucketNanos)));
            }
        });
        long shared = before.takenNanos(before.sharedFullAtNanos.get(), now, tokenNanos);
        sharedFullAtNanos.set(now + Math.min(Math.max(0, shared), bucketNanos));
    }

    /** How long the tokens that were taken would take to come where each takes that long. */
    private long takenNanos(long fullAt, long now, long eachNanos) {
        return (long) ((double) (fullAt - now) / tokenNanos * eachNanos);
    }

    /** Forgets the buckets that are full again; not more than once a second, since it looks at all of them. */
    private void sweep(long now) {
        long swept = sweptNanos.get();
        if (now - swept >= SWEEP_NANOS && sweptNanos.compareAndSet(swept, now)) {
            fullAtNanos.values().removeIf(bucket -> {
                long fullAt = bucket.get();
                return fullAt == FORGOTTEN || (fullAt - now <= 0 && bucket.compareAndSet(fullAt, FORGOTTEN));
            });
        }
    }

    private void sayFull(long now) {
        long logged = loggedNanos.get();
        if (now - logged >= LOG_NANOS && loggedNanos.compareAndSet(logged, now)) {
            LOG.warn("connection-rate: {} addresses remembered (expected: fewer than \"addresses\")", addressesMax);
        }
    }

    /** How many addresses are remembered. */
    int count() {
        return fullAtNanos.size();
    }
}
