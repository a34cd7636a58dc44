package net.oooops.sigma.http2;

import io.netty.util.collection.IntObjectHashMap;
import java.util.ArrayDeque;
import java.util.function.Supplier;
import net.oooops.sigma.config.Timeouts;
import org.jspecify.annotations.Nullable;

/**
 * The streams of one client's connection by their numbers: those that are open, and what is known of those that were (RFC 9113 section
 * 5.1). Streams are used again.
 */
final class StreamTable {
    /** Frames that a client sent before it heard of a reset may still come for so many of the last streams that were reset. */
    private static final int RESETS_KNOWN = 256;

    private static final int SPARE_MAX = 128;

    private final Http2Room room;
    private final Supplier<Http2ServerStream> fresh;
    private final IntObjectHashMap<Http2ServerStream> open = new IntObjectHashMap<>();
    private final ArrayDeque<Http2ServerStream> spare = new ArrayDeque<>();
    private final int[] resets = new int[RESETS_KNOWN];
    private int nextReset;
    private int lastId;

    /** @param fresh makes one */
    StreamTable(Http2Room room, Supplier<Http2ServerStream> fresh) {
        this.room = room;
        this.fresh = fresh;
    }

    @Nullable Http2ServerStream get(int id) {
        return open.get(id);
    }

    int count() {
        return open.size();
    }

    boolean isEmpty() {
        return open.isEmpty();
    }

    Iterable<Http2ServerStream> all() {
        return open.values();
    }

    /** A copy, for a walk in which streams end. */
    Http2ServerStream[] snapshot() {
        return open.values().toArray(Http2ServerStream[]::new);
    }

    /** All go by other timeouts, also those that aren't in use. */
    void follow(Timeouts now) {
        open.values().forEach(stream -> stream.follow(now));
        spare.forEach(stream -> stream.follow(now));
    }

    /** The highest number that a client has used. */
    int lastId() {
        return lastId;
    }

    /** Whether no stream of that number was ever there. */
    boolean isIdle(int id) {
        return id > lastId || (id & 1) == 0;
    }

    /** A client uses that number: those below are used up. */
    void used(int id) {
        lastId = id;
    }

    /** One that isn't in use. */
    Http2ServerStream take() {
        Http2ServerStream known = spare.poll();
        if (!spare.isEmpty()) {
            room.dropSpares(1);
        }
        return known == null ? fresh.get() : known;
    }

    void put(int id, Http2ServerStream stream) {
        open.put(id, stream);
    }

    /** Whether it was open, and is no longer. */
    boolean remove(Http2ServerStream stream) {
        if (open.get(stream.id()) != stream) {
            return false;
        }
        open.remove(stream.id());
        return true;
    }

    /** It is to be used again: one in any case, others where all connections together don't keep too many. */
    void giveBack(Http2ServerStream stream) {
        if (spare.isEmpty() || (spare.size() < SPARE_MAX && room.keepSpare())) {
            spare.push(stream);
        }
    }

    /** The connection is closed: no stream is begun any more. */
    void close() {
        room.dropSpares(Math.max(0, spare.size() - 1));
        spare.clear();
    }

    /** That one was reset by the gateway. */
    void wasReset(int id) {
        resets[nextReset] = id;
        nextReset = (nextReset + 1) % RESETS_KNOWN;
    }

    /** Whether frames of it may still be on their way, though it is closed. */
    boolean mayStillCome(int id) {
        for (int reset : resets) {
            if (reset == id) {
                return true;
            }
        }
        return false;
    }
}
