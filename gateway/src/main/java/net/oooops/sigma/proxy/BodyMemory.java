package net.oooops.sigma.proxy;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import org.jspecify.annotations.Nullable;

/**
 * What bodies that are collected whole hold on a Worker in all, until they have left. Where it is too much, those exchanges that hold the most
 * fail; one that a plugin looks at doesn't, for that would free nothing.
 *
 * <p>One for each Worker; called on its event loop only.
 */
final class BodyMemory implements HeldMemory.Holders {
    /** Who holds so much, on which stream. */
    private record Holder(HttpExchange x, ServerStream stream, long bytes) {}

    private final LoopContext loop;
    private final HeldMemory memory;
    private final Set<HttpExchange> collecting = new HashSet<>();
    /** The exchange that receives: failed after the others, as the last thing that happens to it. */
    private @Nullable HttpExchange receiving;

    private boolean receivingFails;

    /** Memory for bodies, of which there are none yet. */
    BodyMemory(LoopContext loop, HeldMemory.Total total) {
        this.loop = loop;
        this.memory = new HeldMemory(total, loop.number(), this);
    }

    /** Something was added to what an exchange holds. May fail it, and others; whether it goes on. */
    boolean received(HttpExchange x, long bytes) {
        if (!x.isInBodyMemory) {
            x.isInBodyMemory = true;
            collecting.add(x);
        }
        if (receiving != null) {
            // Another's failure let this one receive.
            memory.counted((int) bytes);
            return true;
        }
        receiving = x;
        receivingFails = false;
        try {
            memory.received((int) bytes);
        } finally {
            receiving = null;
        }
        boolean fails = receivingFails;
        if (fails) {
            fail(x);
        }
        return !fails;
    }

    /** It is over. */
    void ended(HttpExchange x) {
        if (x.isInBodyMemory) {
            x.isInBodyMemory = false;
            collecting.remove(x);
        }
    }

    /** Time has passed. */
    void tick() {
        memory.tick();
    }

    @Override
    public long heldBytes() {
        long all = 0;
        for (HttpExchange x : collecting) {
            all += x.collectedBytes();
        }
        return all;
    }

    @Override
    public void giveUp(long bytes) {
        List<Holder> largest = new ArrayList<>();
        for (HttpExchange x : collecting) {
            if (!x.cursor.isParked() && !x.ending.hasFailed()) {
                largest.add(new Holder(x, x.stream, x.collectedBytes()));
            }
        }
        largest.sort(Comparator.comparingLong(Holder::bytes).reversed());
        if (!largest.isEmpty()) {
            loop.counters().increment(Counter.BODY_MEMORY_SHORT);
        }
        long left = bytes;
        for (Holder each : largest) {
            // The end of one may be that of another, whose exchange is a new one's by then.
            boolean same = each.x().isInBodyMemory && each.x().stream == each.stream();
            if (left > 0 && same) {
                left -= each.bytes();
                giveUp(each.x());
            }
        }
    }

    private void giveUp(HttpExchange x) {
        if (x == receiving) {
            receivingFails = true;
        } else {
            fail(x);
        }
    }

    private static void fail(HttpExchange x) {
        x.proxy.failing.fail(x, Fault.OVERLOADED, "too much is collected");
    }
}
