package net.oooops.sigma.bolt;

import io.netty.channel.RecvByteBufAllocator;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.memory.BoundedReadSize;
import net.oooops.sigma.memory.HeldMemory;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.UpstreamGroup;

/**
 * What calls of Bolt hold on a Worker in all: frames that aren't whole yet, calls that wait for a node, responses that wait for a client.
 *
 * <p>Where nearly all there may be is held, and much of it for nodes, a node whose connection lags gets no further call. Where it is more, those
 * clients that hold the most are cut.
 *
 * <p>One for each Worker; called on its event loop only.
 */
final class CallMemory implements HeldMemory.Holders {
    private final BoltRoad road;
    private final HeldMemory memory;
    private final RecvByteBufAllocator reads = new BoundedReadSize(RelayMemory.unbounded()) {
        @Override
        public void held(int bytes) {
            memory.counted(bytes);
        }
    };
    private long heldByNodes;

    /** Memory for the calls of that road, of which there are none yet. */
    CallMemory(BoltRoad road, HeldMemory.Total total) {
        this.road = road;
        this.memory = new HeldMemory(total, road.loop().number(), this);
    }

    /** How connections are read, so that what a ring holds of one that isn't is known. */
    RecvByteBufAllocator reads() {
        return reads;
    }

    /** So many bytes were received. May cut whoever they came from. */
    void received(int bytes) {
        memory.received(bytes);
    }

    /** Time has passed. */
    void tick() {
        memory.tick();
    }

    /** Whether nodes that lag get no further calls. */
    boolean isShortForNodes() {
        return memory.isNearlyFull() && heldByNodes > memory.shareHalf();
    }

    @Override
    public long heldBytes() {
        heldByNodes = 0;
        for (UpstreamGroup<BoltNode> upstream : road.upstreams().all()) {
            for (BoltNode node : upstream.nodes()) {
                heldByNodes += node.heldBytes();
            }
        }
        return heldByNodes + heldByClients();
    }

    private long heldByClients() {
        long all = 0;
        for (BoltListener flow : road.flows().all()) {
            for (BoltClient client : flow.clients()) {
                all += client.connection.heldBytes();
            }
        }
        return all;
    }

    /** What waits for nodes is bounded by refusing calls, and isn't the clients' doing: only theirs is given up, down to half of the share. */
    @Override
    public void giveUp(long bytes) {
        // Answers of this turn, which nobody had a chance to take.
        road.frames().turn().flush();
        long left = heldByClients() - memory.shareHalf();
        if (left <= 0) {
            return;
        }
        road.loop().counters().increment(Counter.CALL_MEMORY_SHORT);
        List<BoltClient> all = new ArrayList<>();
        road.flows().all().forEach(flow -> all.addAll(flow.clients()));
        all.sort(Comparator.comparingLong((BoltClient client) -> client.connection.heldBytes())
                .reversed());
        for (BoltClient client : all) {
            if (left > 0) {
                left -= client.connection.heldBytes();
                client.listener.cut(client, Fault.OVERLOADED);
            }
        }
    }
}
