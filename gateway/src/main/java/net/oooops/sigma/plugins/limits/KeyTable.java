package net.oooops.sigma.plugins.limits;

import java.util.Iterator;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * What is remembered by key, of so many keys at most.
 *
 * <p>Nothing is forgotten before it has to be. From seven eighths of the most on, whoever brings a new key looks at the next {@value #SWEPT_AT_ONCE} of
 * those that are there, and takes out what has nothing more to say; so no event loop ever looks at all of them, and who is remembered and comes again
 * pays one lookup. Where there is no room left, and more than half of those that it looked at are there only in case that their owners come again, as
 * many of those go: whoever is to be remembered that way must not keep out all who are new.
 *
 * <p>Written here, since a cache of a library throws out what still counts where it is full: who could fill it would begin anew.
 *
 * <p>Any thread; nothing waits.
 */
final class KeyTable<E extends KeyTable.Entry> {
    /** How many a new key looks at. */
    static final int SWEPT_AT_ONCE = 128;

    /** What is remembered of a key. */
    interface Entry {
        /**
         * Where it has nothing more to say it marks itself, in one step, as one that isn't used any more: who has found it before looks again.
         *
         * @return whether it is marked
         */
        boolean forget(long nowNanos);

        /** Whether it has nothing more to say, and stays only in case that its owner comes again. */
        default boolean isKept(long nowNanos) {
            return false;
        }

        /** As {@link #forget}, and where it {@link #isKept}, too. */
        default boolean forgetKept(long nowNanos) {
            return forget(nowNanos);
        }
    }

    private final int sweptFrom;
    private final int keysMax;
    private final ConcurrentMap<ShortKey, E> entries = new ConcurrentHashMap<>();
    /** Where the next sweep goes on; null while somebody goes on there. */
    private final AtomicReference<@Nullable Iterator<Map.Entry<ShortKey, E>>> next =
            new AtomicReference<>(entries.entrySet().iterator());

    /**
     * @param sweptFrom from how many on those that have nothing more to say are taken out
     * @param keysMax how many there are at most
     */
    private KeyTable(int sweptFrom, int keysMax) {
        this.sweptFrom = sweptFrom;
        this.keysMax = keysMax;
    }

    /** Of so many keys at most, and one more for each other thread that adds one at the same time. */
    static <E extends Entry> KeyTable<E> bounded(int keysMax) {
        return new KeyTable<>(keysMax - keysMax / 8, keysMax);
    }

    /** Of as many as have something to say, and so many more. */
    static <E extends Entry> KeyTable<E> open(int idleMax) {
        return new KeyTable<>(idleMax, Integer.MAX_VALUE);
    }

    /** What is remembered of that key. */
    @Nullable E get(ShortKey key) {
        return entries.get(key);
    }

    /**
     * Remembers that of the key, unless there is something.
     *
     * @return what is remembered then; null where there is no room
     */
    @Nullable E add(ShortKey key, E made, long nowNanos) {
        int count = entries.size();
        if (count >= sweptFrom) {
            boolean keptAreMany = sweep(nowNanos, false);
            count = entries.size();
            if (count >= keysMax && keptAreMany) {
                sweep(nowNanos, true);
                count = entries.size();
            }
        }
        if (count >= keysMax) {
            // Another Worker may have made one since.
            return entries.get(key);
        }
        E before = entries.putIfAbsent(key.copy(), made);
        return before == null ? made : before;
    }

    /** That one has marked itself. */
    void remove(ShortKey key, E forgotten) {
        entries.remove(key, forgotten);
    }

    /**
     * Looks at the next ones.
     *
     * @param keptToo whether those go, too, that are only kept
     * @return whether those were more than half
     */
    private boolean sweep(long nowNanos, boolean keptToo) {
        Iterator<Map.Entry<ShortKey, E>> at = next.getAndSet(null);
        boolean again = at == null;
        if (at == null) {
            // Somebody sweeps, and may be held up for long: from the beginning, then.
            at = entries.entrySet().iterator();
        }
        int looked = 0;
        int kept = 0;
        for (; looked < SWEPT_AT_ONCE; looked++) {
            if (!at.hasNext()) {
                if (again) {
                    break;
                }
                again = true;
                at = entries.entrySet().iterator();
                if (!at.hasNext()) {
                    break;
                }
            }
            Map.Entry<ShortKey, E> each = at.next();
            E value = each.getValue();
            kept += value.isKept(nowNanos) ? 1 : 0;
            if (keptToo ? value.forgetKept(nowNanos) : value.forget(nowNanos)) {
                // That one alone: another may have taken its place.
                entries.remove(each.getKey(), value);
            }
        }
        next.set(at);
        return kept > looked / 2;
    }

    /** All of them, as they are found. */
    void forEach(BiConsumer<ShortKey, E> each) {
        entries.forEach(each);
    }

    int count() {
        return entries.size();
    }
}
