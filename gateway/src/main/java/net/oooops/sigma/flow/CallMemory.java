package net.oooops.sigma.flow;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.observe.Counter;

/**
 * What calls of Bolt may hold on a Worker in all: frames that aren't whole yet, calls that wait for a node, responses that wait for a client.
 *
 * <p>Where memory is short, a node whose connection lags gets no further call. What clients hold can't be helped: a frame is passed on whole or
 * not at all, and read slowly it is held longer. Beyond all that there may be, those that hold the most are cut until half is free.
 *
 * <p>One for each Worker; called on its event loop only.
 */
final class CallMemory {
    private final Worker worker;
    private final List<BoltFlow> flows;
    private final List<BoltNode> nodes = new ArrayList<>();
    private final long bytesMax;
    private final RelayMemory memory;
    /** How much was held when that was last looked at. */
    private long seenBytes;

    /**
     * Memory for the calls of these flows, of which there are none yet.
     *
     * @param upstreams where they go
     * @param bytesMax how much they may hold
     */
    CallMemory(Worker worker, List<BoltFlow> flows, List<UpstreamGroup<BoltNode>> upstreams, long bytesMax) {
        this.worker = worker;
        this.flows = flows;
        upstreams.forEach(upstream -> nodes.addAll(upstream.nodes()));
        this.bytesMax = bytesMax;
        this.memory = new RelayMemory(bytesMax, this::look, this::onShort);
    }

    /** Whether more than seven eighths are held, and half isn't free yet. */
    boolean isShort() {
        return memory.isShort();
    }

    /** So many bytes were received. May cut whoever they came from. */
    void received(int bytes) {
        memory.received(bytes);
        if (seenBytes > bytesMax) {
            cutLargest();
        }
    }

    /** Time has passed: what was held may have gone, though nothing was received since. */
    void tick() {
        memory.tick();
    }

    private long look() {
        long all = heldByClients();
        for (BoltNode node : nodes) {
            all += node.heldBytes();
        }
        seenBytes = all;
        return all;
    }

    private long heldByClients() {
        long all = 0;
        for (BoltFlow flow : flows) {
            for (BoltClient client : flow.clients()) {
                all += client.connection.heldBytes();
            }
        }
        return all;
    }

    private void onShort() {
        worker.counters().increment(Counter.CALL_MEMORY_SHORT);
    }

    /** What waits for nodes is bounded by refusing calls, and isn't the clients' doing: here only theirs counts. */
    private void cutLargest() {
        seenBytes = 0;
        long left = heldByClients() - bytesMax / 2;
        if (left <= 0) {
            return;
        }
        List<BoltClient> all = new ArrayList<>();
        flows.forEach(flow -> all.addAll(flow.clients()));
        all.sort(Comparator.comparingLong((BoltClient client) -> client.connection.heldBytes())
                .reversed());
        for (BoltClient client : all) {
            if (left > 0) {
                left -= client.connection.heldBytes();
                client.flow.cut(client, Fault.OVERLOADED);
            }
        }
    }
}
