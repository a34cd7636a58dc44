package net.oooops.sigma.proxy;

import java.util.ArrayDeque;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.runtime.LoopContext;
import org.jspecify.annotations.Nullable;

/**
 * The exchanges of one Listener on one Worker: made, or used again, where requests begin, and given back where they are over, whichever way
 * that came. What happens between is {@link HttpProxy}'s.
 *
 * <pre>
 *   take ─▶ began ─┬─▶ end ─▶ left (all of the answer has gone, or never will) ─▶ given back
 *     └─▶ unused   └─▶ cut ─────────────────────────────────────────────────────────┘
 * </pre>
 *
 * <p>Belongs to one Worker.
 */
final class Exchanges {
    /** More than are under way at once on any Worker but an attacked one. */
    private static final int SPARE_MAX = 4096;

    private final HttpRoad road;
    private final LoopContext loop;
    private final HttpProxy proxy;

    /** To be used again. */
    private final ArrayDeque<HttpExchange> spare = new ArrayDeque<>();

    Exchanges(HttpRoad road, HttpProxy proxy) {
        this.road = road;
        this.loop = road.loop();
        this.proxy = proxy;
    }

    /** One for the request that begins on that stream. */
    HttpExchange take(ServerStream stream, Peer peer) {
        HttpExchange x = spare.poll();
        if (x == null) {
            return new HttpExchange(proxy, stream, peer);
        }
        x.begin(stream, peer);
        return x;
    }

    /** There was no request after all. */
    void unused(HttpExchange x) {
        leaveHead(x);
        x.rest();
        spare.push(x);
    }

    /** Another configuration is followed: those that are spare hold the one before, with its plugins. */
    void forget() {
        spare.clear();
    }

    /** There is a request, which counts from now on. */
    void began(HttpExchange x) {
        x.startNanos = loop.clock().nanos();
        // Its connection may have waited for it since before that plan.
        x.unroute();
        road.began(x);
    }

    /** More of its head is there, or all of it. Whether there is room for that, beside the heads of all others. */
    boolean holdsHead(HttpExchange x) {
        int before = x.request.heldHeadBytes;
        int now = x.request.head.countedBytes() + x.request.trailerBytes;
        x.request.heldHeadBytes = now;
        return now == before || road.heads().hold(before, now);
    }

    /** The same of its trailers, which may come before it goes on. */
    boolean holdsTrailers(HttpExchange x, Trailers section) {
        x.request.trailerBytes = section.countedBytes();
        return holdsHead(x);
    }

    private void leaveHead(HttpExchange x) {
        x.request.trailerBytes = 0;
        if (x.request.heldHeadBytes > 0) {
            road.heads().hold(x.request.heldHeadBytes, 0);
            x.request.heldHeadBytes = 0;
        }
    }

    /** It is over, and its answer, if there is one, complete. */
    void end(HttpExchange x) {
        x.stage = Stage.ENDED;
        boolean told = false;
        boolean left = true;
        try {
            left = x.stream.finish();
            told = true;
        } finally {
            x.response.closeBody(null);
            release(x);
            if (left) {
                close(x, told);
            }
        }
    }

    /** What was still waiting of an answer that was complete has left, or, for {@code cut}, never will. */
    void left(HttpExchange x, @Nullable Fault cut) {
        if (cut != null) {
            x.ending.cut(cut);
            if (x.callout == null) {
                loop.counters().failed(cut);
            }
        }
        close(x, true);
    }

    /**
     * It is over, and its answer isn't complete.
     *
     * @param lost whether there is no client any more that could see that
     */
    void cut(HttpExchange x, boolean lost) {
        cut(x, lost, null);
    }

    /** @param last the trailers that say so, where the answer is one that can */
    void cut(HttpExchange x, boolean lost, @Nullable Trailers last) {
        x.stage = Stage.ENDED;
        boolean told = false;
        try {
            if (lost) {
                x.stream.abort();
            } else if (last != null) {
                x.stream.cutShort(last);
            } else {
                x.stream.cutShort();
            }
            told = true;
        } finally {
            // What it holds of others is theirs, whatever becomes of the connection.
            release(x);
            close(x, told);
        }
    }

    /** Gives back what it holds of others. */
    private void release(HttpExchange x) {
        if (x.callouts != null) {
            proxy.callouts.cancel(x);
        }
        proxy.transformCalls.close(x);
        x.dropBodies();
        if (x.tunnel != null) {
            proxy.tunnels.ended(x.tunnel);
        }
        if (x.call != null) {
            x.call.end();
        }
        proxy.tries.end(x);
        road.bodyMemory().ended(x);
        loop.wheel().disarm(x);
    }

    /**
     * The last of any: told to plugins, counted and logged.
     *
     * @param told whether its stream knows that it is over, and has nothing for it any more
     */
    private void close(HttpExchange x, boolean told) {
        // First: whatever is thrown by what follows, nothing else would give that back.
        leaveHead(x);
        proxy.plugins.end(x);
        road.ended(x);
        if (told && !x.cursor.isHeld() && spare.size() < SPARE_MAX) {
            x.request.end();
            x.response.end();
            x.rest();
            spare.push(x);
        }
    }
}
