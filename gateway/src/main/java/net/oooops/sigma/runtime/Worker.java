package net.oooops.sigma.runtime;

import io.netty.channel.SingleThreadEventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import net.oooops.sigma.observe.AccessLog;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.upstream.NodeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * Everything that one event loop owns: connections, exchanges, pools, deadlines, counters; of each protocol in a {@link Road} of its own.
 * Workers share what is immutable, the {@link NodeRegistry}'s Upstreams with what is known of their nodes, their budgets, breakers and
 * bounds, and a few sums: blocking calls, and what is held of messages that go on whole.
 *
 * <p>Called on its event loop only, where nothing else is said.
 */
public final class Worker {
    private final LoopContext loop;
    private final List<Road> roads;
    private final List<Flow> flows;
    private final List<DatagramFlow> datagramFlows;

    /**
     * Made on any thread, before its event loop hears of it.
     *
     * @param roads makes its road of each protocol
     */
    public Worker(LoopContext.Parts parts, Function<LoopContext, List<Road>> roads) {
        this.loop = new LoopContext(parts, this::waitingBytes, this::onMemoryShort);
        this.roads = List.copyOf(roads.apply(loop));
        this.flows =
                this.roads.stream().<Flow>flatMap(road -> road.flows().stream()).toList();
        this.datagramFlows = this.roads.stream()
                .<DatagramFlow>flatMap(road -> road.datagramFlows().stream())
                .toList();
    }

    /** Begins to look at its deadlines. Any thread. */
    public void start() {
        eventLoop()
                .scheduleAtFixedRate(
                        this::tick, DeadlineWheel.TICK_NANOS, DeadlineWheel.TICK_NANOS, TimeUnit.NANOSECONDS);
    }

    private void tick() {
        loop.counters().ticked();
        loop.tick();
        for (Road road : roads) {
            road.tick();
            road.upstreams().tick();
        }
        loop.flushLog();
    }

    /** The flow of each Listener of connections: those of one protocol after the other, in the order of the plan. Any thread. */
    public List<Flow> flows() {
        return flows;
    }

    /** The flow of each Listener of datagrams, in the order of the plan. Any thread. */
    public List<DatagramFlow> datagramFlows() {
        return datagramFlows;
    }

    /** Its number among the Workers. Any thread. */
    public int number() {
        return loop.number();
    }

    /** Its event loop. Any thread. */
    public SingleThreadEventLoop eventLoop() {
        return loop.eventLoop();
    }

    /** The plugin that its event loop is in. Any thread. */
    public PluginCalls pluginCalls() {
        return loop.pluginCalls();
    }

    /** Its lines of the access log go there from now on, or nowhere where it is null. */
    public void follow(AccessLog.@Nullable Appender next) {
        loop.follow(next);
    }

    /** Stops keeping connections: idle ones close now, the others after the exchange they are in. Sessions go on. */
    public void drain() {
        loop.drain();
        roads.forEach(Road::drain);
    }

    /** Closes what is left, on both sides. */
    public void close() {
        roads.forEach(Road::close);
        roads.forEach(road -> road.upstreams().close());
        loop.close();
    }

    /** Whether nothing is left: no connection, no exchange, no session. */
    public boolean isIdle() {
        return roads.stream().allMatch(Road::isIdle);
    }

    /** How many client connections are open, and sessions of UDP. */
    public int connectionCount() {
        return roads.stream().mapToInt(Road::connectionCount).sum();
    }

    /** A Listener couldn't accept: said once in a while; what there is no descriptor for is counted. */
    public void acceptFailed(String listenerId, Throwable cause) {
        loop.failures().accept(listenerId, cause);
    }

    private long waitingBytes() {
        return roads.stream().mapToLong(Road::waitingBytes).sum();
    }

    private void onMemoryShort() {
        loop.counters().increment(Counter.RELAY_MEMORY_SHORT);
        roads.forEach(Road::onMemoryShort);
    }
}
