package net.oooops.sigma.plugins.authentication;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered of credentials that were verified, up to a number of them. Two maps: what is new goes to the young one, and once that has
 * half of all, it becomes the old one and the old one is forgotten. What is asked for in the old one is young again. So nobody looks for what is
 * to go, and what is in use stays.
 *
 * <p>Only what was right is to be put here: wrong credentials, of which anybody has any number, push nothing out. Safe for use from any thread.
 *
 * @param <V> what is remembered; it knows itself until when it holds
 */
public final class Remembered<V> {
    private record Ages<V>(ConcurrentHashMap<Digest, V> young, ConcurrentHashMap<Digest, V> old) {}

    private final int youngMax;
    private final AtomicReference<Ages<V>> ages =
            new AtomicReference<>(new Ages<>(new ConcurrentHashMap<>(), new ConcurrentHashMap<>()));

    /** @param countMax how many at most; 0: nothing is remembered */
    public Remembered(int countMax) {
        youngMax = (countMax + 1) / 2;
    }

    /** What was put under that digest, or null. */
    public @Nullable V get(Digest digest) {
        Ages<V> now = ages.get();
        V found = now.young.get(digest);
        if (found == null) {
            found = now.old.get(digest);
            if (found != null) {
                put(digest, found);
            }
        }
        return found;
    }

    /** Remembers a value under that digest. */
    public void put(Digest digest, V value) {
        if (youngMax == 0) {
            return;
        }
        Ages<V> now = ages.get();
        if (now.young.mappingCount() >= youngMax) {
            Ages<V> next = new Ages<>(new ConcurrentHashMap<>(), now.young);
            ages.compareAndSet(now, next);
        }
        ages.get().young.put(digest, value);
    }

    /** Forgets what is under that digest. */
    public void remove(Digest digest) {
        Ages<V> now = ages.get();
        now.young.remove(digest);
        now.old.remove(digest);
    }
}
