package net.oooops.sigma.runtime;

import io.netty.channel.SingleThreadEventLoop;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.ObjIntConsumer;
import java.util.function.Predicate;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.observe.AccessLog;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.upstream.DescriptorParts;
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

    /**
     * Made on any thread, before its event loop hears of it.
     *
     * @param roads makes its road of each protocol
     */
    public Worker(LoopContext.Parts parts, Function<LoopContext, List<Road>> roads) {
        this.loop = new LoopContext(parts, this::waitingBytes, this::onMemoryShort);
        this.roads = List.copyOf(roads.apply(loop));
    }

    /** Begins to look at its deadlines. Any thread. */
    public void start() {
        eventLoop()
                .scheduleAtFixedRate(
                        this::tick, DeadlineWheel.TICK_NANOS, DeadlineWheel.TICK_NANOS, TimeUnit.NANOSECONDS);
    }

    /** A fault of Sigma's own must not end it, and keeps no other part from its turn: there would be no deadlines any more. */
    private void tick() {
        attempt(this, worker -> worker.loop.counters().ticked());
        attempt(this, worker -> worker.loop.tick());
        for (Road road : roads) {
            attempt(road, Road::tick);
            attempt(road, each -> each.flows().tick());
            attempt(road, each -> each.upstreams().tick());
        }
        attempt(this, worker -> worker.loop.flushLog());
    }

    private <T> void attempt(T of, Consumer<T> turn) {
        try {
            turn.accept(of);
        } catch (RuntimeException | Error e) {
            loop.thrown(e);
        }
    }

    /**
     * Whatever begins from now on follows another configuration.
     *
     * @param client pool sizes and timeouts of the servers' side from now on
     * @param roads has the roads follow its plan
     */
    public void follow(Generation next, ClientConfig client, Runnable roads) {
        loop.follow(next);
        loop.follow(client);
        roads.run();
    }

    /**
     * Takes up nodes that have come, and leaves those that are gone.
     *
     * @throws IllegalStateException where a road can't, once all others have
     */
    public void takeUp() {
        Thrown thrown = new Thrown();
        roads.forEach(road -> thrown.attempt(() -> road.upstreams().tick()));
        thrown.end("nodes are not taken up");
    }

    /** Sockets of Listeners that were gone by then are closed, and what came by them has been accepted. */
    public void unreachable() {
        roads.forEach(road -> road.flows().unreachable());
    }

    /** What takes the connections of a Listener; null where it has no Listener of connections with that id. */
    public @Nullable Flow flow(String listenerId) {
        return find(Flow.class, listenerId);
    }

    /** What takes the datagrams of a Listener; null where it has no Listener of datagrams with that id. */
    public @Nullable DatagramFlow datagramFlow(String listenerId) {
        return find(DatagramFlow.class, listenerId);
    }

    /** Whether one of the Listeners of datagrams that have a socket here, be it gone and draining, is such a one. */
    public boolean hasDatagrams(Predicate<Listener> which) {
        for (Road road : roads) {
            for (ListenerFlow<?> flow : road.flows().all()) {
                if (flow instanceof DatagramFlow datagrams && datagrams.isBound() && which.test(flow.listener())) {
                    return true;
                }
            }
        }
        return false;
    }

    private <T> @Nullable T find(Class<T> kind, String listenerId) {
        for (Road road : roads) {
            ListenerFlow<?> flow = road.flows().find(listenerId);
            if (kind.isInstance(flow)) {
                return kind.cast(flow);
            }
        }
        return null;
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
        roads.forEach(Road::drain);
    }

    /** What was left open by {@link #drainAround} drains, too. */
    public void drainAll() {
        roads.forEach(road -> road.flows().keepOpen(false));
        drain();
    }

    /** The same, but what lies open for long, as WebSockets do, stays so until it drains in earnest. */
    public void drainAround() {
        roads.forEach(road -> road.flows().keepOpen(true));
        drain();
    }

    /** Keeps connections again: those that it has told otherwise end as they were told. */
    public void resume() {
        roads.forEach(road -> road.flows().resume());
    }

    /** Closes what is left, on both sides. */
    public void close() {
        roads.forEach(Road::close);
        roads.forEach(road -> road.upstreams().close());
    }

    /**
     * How many connections or sessions clients have.
     *
     * @param counts given each Listener's id, and how many it has here; one that is gone and drains has its own
     */
    public void countConnections(ObjIntConsumer<String> counts) {
        for (Road road : roads) {
            for (ListenerFlow<?> flow : road.flows().all()) {
                counts.accept(flow.listener().id(), flow.connectionCount());
            }
        }
    }

    /** Whether nothing is left: no connection, no exchange, no session. */
    public boolean isIdle() {
        return roads.stream().allMatch(Road::isIdle);
    }

    /** A Listener couldn't accept: said once in a while; what there is no descriptor for is counted. */
    public void acceptFailed(String listenerId, Throwable cause) {
        loop.failures().accept(listenerId, cause);
    }

    /** How many connections there may be, those of all Workers together. */
    public DescriptorParts descriptors() {
        return loop.nodes().descriptors();
    }

    /** A connection was accepted that there is no room for, beside so many of clients: counted, and said once in a while. */
    public void connectionRefused(String listenerId, int there) {
        loop.failures().connectionRefused(listenerId, there);
    }

    /** A connection was accepted that nothing takes, since what was to take it couldn't be made: counted. Why, was said then. */
    public void connectionUntaken() {
        loop.counters().increment(Counter.DOWNSTREAM_CONNECTIONS_REFUSED);
    }

    private long waitingBytes() {
        return roads.stream().mapToLong(Road::waitingBytes).sum();
    }

    private void onMemoryShort() {
        loop.counters().increment(Counter.RELAY_MEMORY_SHORT);
        roads.forEach(Road::onMemoryShort);
    }
}
