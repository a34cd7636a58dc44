package net.oooops.sigma.flow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http1.ServerConnection;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.observe.Counter;
import org.jspecify.annotations.Nullable;

/**
 * What bodies that are collected whole may hold on a Worker in all, until they have left. Reading slowly doesn't bound them, since they go on whole
 * or not at all: beyond the bound those exchanges that hold the most fail until half is free.
 *
 * <p>One for each Worker; called on its event loop only.
 */
final class BodyMemory {
    private static final int LOOKS = 8;

    /** Who holds so much: an exchange, or a connection that one was on. */
    private record Holder(
            long bytes,
            ServerConnection connection,
            @Nullable HttpExchange exchange) {}

    private final Worker worker;
    private final long bytesMax;
    private final Set<HttpExchange> collecting = new HashSet<>();
    /** Connections of clients that didn't take a collected response at once. */
    private final Set<ServerConnection> leaving = new HashSet<>();

    private long untilLook;

    /**
     * Memory for bodies, of which there are none yet.
     *
     * @param bytesMax how much they may hold
     */
    BodyMemory(Worker worker, long bytesMax) {
        this.worker = worker;
        this.bytesMax = bytesMax;
        this.untilLook = bytesMax;
    }

    /** A part of one of its bodies was added to what is collected. May fail this exchange. */
    void received(HttpExchange x, int bytes) {
        if (!x.isInBodyMemory) {
            x.isInBodyMemory = true;
            collecting.add(x);
        }
        untilLook -= bytes;
        if (untilLook <= 0) {
            look();
        }
    }

    /** It is over; its response may not have left. */
    void ended(HttpExchange x) {
        if (x.isInBodyMemory) {
            x.isInBodyMemory = false;
            collecting.remove(x);
            if (x.responseCollected && !x.connection.outlet().isWritable()) {
                leaving.add(x.connection);
            }
        }
    }

    private void look() {
        leaving.removeIf(connection ->
                connection.outlet().isWritable() || !connection.channel().isActive());
        long all = 0;
        for (HttpExchange x : collecting) {
            all += x.collectedBytes();
        }
        for (ServerConnection connection : leaving) {
            all += RelayMemory.waitingOn(connection.channel());
        }
        if (all > bytesMax) {
            worker.counters().increment(Counter.BODY_MEMORY_SHORT);
            all -= free(all - bytesMax / 2);
        }
        untilLook = Math.max(bytesMax / LOOKS, bytesMax - all);
    }

    /** Frees that much or more; returns how much. */
    private long free(long bytes) {
        List<Holder> largest = new ArrayList<>();
        collecting.forEach(x -> largest.add(new Holder(x.collectedBytes(), x.connection, x)));
        leaving.forEach(each -> largest.add(new Holder(RelayMemory.waitingOn(each.channel()), each, null)));
        largest.sort(Comparator.comparingLong(Holder::bytes).reversed());
        long freed = 0;
        for (Holder each : largest) {
            if (freed >= bytes) {
                break;
            }
            freed += each.bytes();
            fail(each);
        }
        return freed;
    }

    private void fail(Holder holder) {
        HttpExchange x = holder.exchange();
        if (x != null) {
            x.flow.fail(x, Fault.OVERLOADED, "too much is collected");
        } else {
            worker.counters().failed(Fault.OVERLOADED);
            leaving.remove(holder.connection());
            holder.connection().cut();
        }
    }
}
