package net.oooops.sigma.plugins.staticresources;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * What paths led to, for a short time: after that it is looked at again. Bounded in entries, in what they hold of contents with the paths, and in files that they
 * hold open. Each path has four places by its hash, of which it takes the oldest: so whoever asks for many files forces out what is older. Where
 * contents or open files become too many, a hand goes round all places and takes out what nobody has asked for since it came by last.
 *
 * <p>What isn't believed any more is taken out by {@link #sweep}, and so are files that nobody asks for.
 *
 * <p>Safe for use from any thread, without waiting.
 */
final class Cache {
    private static final int PLACES = 4;

    /** One for what is there, and one for what isn't. */
    record Pair(Cache there, Cache absent) {}

    /**
     * How much is kept.
     *
     * @param entriesMin so many at least, and less than twice as many
     * @param bytesMax of contents, and of the paths themselves
     * @param openMax files
     */
    record Bounds(int entriesMin, long bytesMax, long openMax) {}

    /** What is kept of a path. */
    private static final class Entry {
        private final String path;
        private final Kept kept;
        private final long atNanos;
        /** Whether it was asked for since the hand, or a sweep, came by. Who sees it late only keeps it, or gives it up, a round too long or too soon. */
        private boolean used;

        private Entry(String path, Kept kept, long atNanos) {
            this.path = path;
            this.kept = kept;
            this.atNanos = atNanos;
        }

        /** Paths are in US-ASCII. */
        private long bytes() {
            return path.length() + kept.bytes();
        }
    }

    private final AtomicReferenceArray<@Nullable Entry> entries;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();
    private final AtomicLong open = new AtomicLong();
    private final AtomicInteger hand = new AtomicInteger();
    private final long validNanos;
    private final Bounds bounds;
    private volatile boolean closed;
    /** Ages are compared by it. */
    private final long beganNanos = System.nanoTime();

    /** @param validNanos for how long something is believed; 0 for not at all */
    Cache(Bounds bounds, long validNanos) {
        int places = PLACES;
        while (places < bounds.entriesMin()) {
            places *= 2;
        }
        this.entries = new AtomicReferenceArray<>(places);
        this.validNanos = validNanos;
        this.bounds = bounds;
    }

    /** What {@code path} led to lately, or null. */
    @Nullable Kept get(String path, long nowNanos) {
        int first = first(path);
        for (int i = first; i < first + PLACES; i++) {
            Entry entry = entries.get(i);
            if (entry != null && entry.path.equals(path)) {
                if (!isValid(entry, nowNanos)) {
                    return null;
                }
                if (!entry.used) {
                    entry.used = true;
                }
                return entry.kept;
            }
        }
        return null;
    }

    private boolean isValid(Entry entry, long nowNanos) {
        return nowNanos - entry.atNanos < validNanos;
    }

    /**
     * That is what it leads to now. What it holds open is the cache's, which lets it go when it is taken out, or at once where it isn't kept.
     *
     * @param atNanos when it was looked at
     */
    void put(String path, Kept kept, long atNanos) {
        Entry made = new Entry(path, kept, atNanos);
        boolean fits = made.bytes() <= bounds.bytesMax() && kept.open() <= bounds.openMax();
        if (validNanos == 0 || !fits) {
            kept.release();
            return;
        }
        int place = place(path);
        Entry before = entries.get(place);
        count(made, 1);
        if (!entries.compareAndSet(place, before, made)) {
            // Somebody else was quicker.
            count(made, -1);
            kept.release();
            return;
        }
        if (before != null) {
            gone(before);
        }
        makeRoom(place, atNanos);
        if (closed) {
            close();
        }
    }

    private void count(Entry entry, int times) {
        count.addAndGet(times);
        bytes.addAndGet(times * entry.bytes());
        open.addAndGet(times * entry.kept.open());
    }

    private void gone(Entry entry) {
        count(entry, -1);
        entry.kept.release();
    }

    private void takeOut(int place, Entry entry) {
        if (entries.compareAndSet(place, entry, null)) {
            gone(entry);
        }
    }

    /** Two rounds are enough: the second finds nothing that has been asked for, unless it is at this moment. */
    private void makeRoom(int spared, long nowNanos) {
        for (int i = 0; i < 2 * entries.length() && isOver(); i++) {
            int place = Math.floorMod(hand.getAndIncrement(), entries.length());
            Entry entry = entries.get(place);
            if (entry == null || place == spared || !helps(entry)) {
                continue;
            }
            if (entry.used && isValid(entry, nowNanos)) {
                entry.used = false;
            } else {
                takeOut(place, entry);
            }
        }
    }

    private boolean isOver() {
        return bytes.get() > bounds.bytesMax() || open.get() > bounds.openMax();
    }

    private boolean helps(Entry entry) {
        return bytes.get() > bounds.bytesMax() || (entry.kept.open() > 0 && open.get() > bounds.openMax());
    }

    /**
     * Takes out what isn't believed any more, and what holds files open that nobody has asked for since the last sweep.
     *
     * @return whether anything is left
     */
    boolean sweep(long nowNanos) {
        for (int i = 0; i < entries.length() && count.get() > 0; i++) {
            Entry entry = entries.get(i);
            if (entry == null) {
                continue;
            }
            if (!isValid(entry, nowNanos) || (entry.kept.open() > 0 && !entry.used)) {
                takeOut(i, entry);
            } else {
                entry.used = false;
            }
        }
        return count.get() > 0;
    }

    /** Nothing is kept from now on. */
    void close() {
        closed = true;
        for (int i = 0; i < entries.length(); i++) {
            Entry entry = entries.get(i);
            if (entry != null) {
                takeOut(i, entry);
            }
        }
    }

    /** How much is held of contents and paths. */
    long heldBytes() {
        return bytes.get();
    }

    /** How many files are held open. */
    long heldOpen() {
        return open.get();
    }

    /** How many paths are known. */
    int heldEntries() {
        return count.get();
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
