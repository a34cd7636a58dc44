package net.oooops.sigma.plugins.staticresources;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What paths led to, for a short time: after that it is looked at again. Bounded in entries, and in what they hold of contents. Each path has
 * four places by its hash, of which it takes the oldest: so whoever asks for many files forces out what is older, and nothing has to be swept.
 *
 * <p>Safe for use from any thread, without waiting.
 */
final class Cache {
    private static final int PLACES = 4;

    /** One for what is there, and one for what isn't. */
    record Pair(Cache there, Cache absent) {}

    /** What is kept of a path. */
    private record Entry(String path, Kept kept, long atNanos) {
        long bytes() {
            return kept instanceof Kept.Files files ? files.keptBytes() : 0;
        }
    }

    private final AtomicReferenceArray<@Nullable Entry> entries;
    private final AtomicLong bytes = new AtomicLong();
    private final long validNanos;
    private final long bytesMax;
    /** Ages are compared by it. */
    private final long beganNanos = System.nanoTime();

    /**
     * Of at least so many entries.
     *
     * @param validNanos for how long something is believed; 0 for not at all
     * @param bytesMax of contents
     */
    Cache(int entriesMin, long validNanos, long bytesMax) {
        int count = PLACES;
        while (count < entriesMin) {
            count *= 2;
        }
        this.entries = new AtomicReferenceArray<>(count);
        this.validNanos = validNanos;
        this.bytesMax = bytesMax;
    }

    /** What {@code path} led to lately, or null. */
    @Nullable Kept get(String path, long nowNanos) {
        int first = first(path);
        for (int i = first; i < first + PLACES; i++) {
            Entry entry = entries.get(i);
            if (entry != null && entry.path.equals(path)) {
                return nowNanos - entry.atNanos < validNanos ? entry.kept : null;
            }
        }
        return null;
    }

    /** That is what it leads to now. */
    void put(String path, Kept kept, long nowNanos) {
        if (validNanos == 0) {
            return;
        }
        Entry made = new Entry(path, kept, nowNanos);
        int place = place(path);
        Entry before = entries.get(place);
        long more = made.bytes() - (before == null ? 0 : before.bytes());
        boolean tooMuch = bytes.addAndGet(more) > bytesMax && more > 0;
        if (tooMuch || !entries.compareAndSet(place, before, made)) {
            // Too much, or somebody else was quicker.
            bytes.addAndGet(-more);
        }
    }

    /** It isn't so any more. */
    void drop(String path) {
        int place = place(path);
        Entry entry = entries.get(place);
        if (entry != null && entry.path.equals(path) && entries.compareAndSet(place, entry, null)) {
            bytes.addAndGet(-entry.bytes());
        }
    }

    /** How much is held of contents. */
    long heldBytes() {
        return bytes.get();
    }

    /** Where it stands, else the oldest of its places. */
    private int place(String path) {
        int first = first(path);
        int oldest = first;
        for (int i = first; i < first + PLACES; i++) {
            Entry entry = entries.get(i);
            if (entry != null && entry.path.equals(path)) {
                return i;
            }
            if (age(entry) > age(entries.get(oldest))) {
                oldest = i;
            }
        }
        return oldest;
    }

    /** Whatever is older has more; an empty place has most. */
    private long age(@Nullable Entry entry) {
        return entry == null ? Long.MAX_VALUE : beganNanos - entry.atNanos;
    }

    private int first(String path) {
        int hash = path.hashCode() * 0x9E3779B9;
        return (hash >>> 8) % (entries.length() / PLACES) * PLACES;
    }
}
