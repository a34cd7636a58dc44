package net.oooops.sigma.bolt;

import org.jspecify.annotations.Nullable;

/**
 * The calls under way on one connection, by the ids that they have there. Ids are given one after the other, over all of 32 bits; a
 * call's place follows from its id, and an id whose place is taken is passed over. So a response is found by one look, and an id isn't
 * given again before all others were.
 */
final class CallTable {
    private static final int PLACES_FIRST = 64;

    private @Nullable BoltExchange[] places = new BoltExchange[PLACES_FIRST];
    private int count;
    private int last;
    private int sweep;

    /** How many there are. */
    int count() {
        return count;
    }

    /** Adds a call, and gives it its id. */
    int add(BoltExchange x) {
        if (count >= places.length / 2) {
            grow();
        }
        int id = freeId();
        places[id & places.length - 1] = x;
        x.upstreamId = id;
        count++;
        return id;
    }

    /** An id that no call has. */
    int freeId() {
        int mask = places.length - 1;
        int id = last + 1;
        while (places[id & mask] != null) {
            id++;
        }
        last = id;
        return id;
    }

    private void grow() {
        @Nullable BoltExchange[] before = places;
        places = new BoltExchange[before.length * 2];
        for (BoltExchange x : before) {
            if (x != null) {
                // Two that had different places before have different ones now.
                places[x.upstreamId & places.length - 1] = x;
            }
        }
    }

    /** Takes out the call of that id, or returns null where there is none. */
    @Nullable BoltExchange take(int id) {
        int place = id & places.length - 1;
        BoltExchange x = places[place];
        if (x == null || x.upstreamId != id) {
            return null;
        }
        places[place] = null;
        count--;
        return x;
    }

    /** Takes out a call, if it is there. */
    void remove(BoltExchange x) {
        int place = x.upstreamId & places.length - 1;
        if (places[place] == x) {
            places[place] = null;
            count--;
        }
    }

    /** How many have waited for so long: see {@link BoltExchange#isSilent}. */
    int silent(long nowNanos, long nanos, long heardNanos) {
        int silent = 0;
        for (int i = 0; i < places.length && count > 0; i++) {
            BoltExchange x = places[i];
            silent += x != null && x.isSilent(nowNanos, nanos, heardNanos) ? 1 : 0;
        }
        return silent;
    }

    /** The next of those that are left, or null where none is; no more are added from the first time that this is asked. */
    @Nullable BoltExchange next() {
        while (sweep < places.length) {
            BoltExchange x = places[sweep];
            if (x != null) {
                return x;
            }
            sweep++;
        }
        return null;
    }
}
