package net.oooops.sigma.runtime;

import io.netty.channel.SingleThreadEventLoop;
import java.io.IOException;
import java.util.Locale;
import java.util.function.LongSupplier;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.memory.RelayMemory;
import net.oooops.sigma.observe.AccessLog;
import net.oooops.sigma.observe.AccessRecord;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.plugin.Shadowed;
import net.oooops.sigma.time.DeadlineWheel;
import net.oooops.sigma.time.LoopClock;
import net.oooops.sigma.tls.SecureEnd;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.NodeRegistry;
import org.jspecify.annotations.Nullable;

/**
 * What each road of a Worker is given: the event loop with its clock and deadlines, its counters and logs, the bound on bytes that wait,
 * its share of what is counted over all Workers, and how nodes are connected to.
 *
 * <p>Called on that event loop only, where nothing else is said.
 */
public final class LoopContext {
    /**
     * What it is made from.
     *
     * @param number the Worker's number among them all, from 0
     * @param count how many Workers there are
     * @param nodes how connections to nodes are opened, and the event loop
     * @param counters its counters
     * @param accessLog where its lines go at first, or null where none are written
     * @param shared what it has in common with the others
     * @param first the configuration that holds at first
     */
    public record Parts(
            int number,
            int count,
            NodeConnector.Means nodes,
            WorkerCounters counters,
            AccessLog.@Nullable Appender accessLog,
            Shared shared,
            Generation first) {}

    /**
     * What all Workers have in common.
     *
     * @param nodes the Upstreams, and what is known of their nodes
     * @param client pool sizes and timeouts of the servers' side, as long as no others are said
     * @param relayBytesMax how many bytes may wait to be sent, in all connections of all Workers
     * @param blocking the blocking plugin calls of them all
     */
    public record Shared(NodeRegistry nodes, ClientConfig client, int relayBytesMax, BlockingCalls blocking) {}

    private final Parts parts;
    private AccessLog.@Nullable Appender accessLog;
    private final LoopClock clock;
    private final LoopTurns turns;
    private final DeadlineWheel wheel;
    private final RelayMemory memory;
    private final FailureLog failures;
    private final PluginCalls pluginCalls = new PluginCalls();
    private ClientConfig client;
    private Generation.Followers following;

    LoopContext(Parts parts, LongSupplier waitingBytes, Runnable onMemoryShort) {
        this.parts = parts;
        this.following = parts.first().followers();
        this.client = parts.shared().client();
        this.clock = new LoopClock(parts.nodes().owner(), System::nanoTime);
        this.turns = new LoopTurns(parts.nodes().owner(), System::nanoTime);
        this.wheel = new DeadlineWheel(System::nanoTime);
        this.failures = new FailureLog(clock::nanos, parts.counters());
        this.memory = new RelayMemory(share(parts.shared().relayBytesMax(), 1), waitingBytes, onMemoryShort);
        this.accessLog = parts.accessLog();
    }

    /** The Worker's number among them all. Any thread. */
    public int number() {
        return parts.number();
    }

    /** Whether there is no other Worker. Any thread. */
    public boolean isAlone() {
        return parts.count() == 1;
    }

    /** The part of this Worker in what is counted over all of them. Any thread. */
    public int share(int total, int least) {
        int rest = parts.number() < total % parts.count() ? 1 : 0;
        return Math.max(least, total / parts.count() + rest);
    }

    /** The event loop. Any thread. */
    public SingleThreadEventLoop eventLoop() {
        return parts.nodes().owner();
    }

    /** The time, read once for each turn of the event loop. */
    public LoopClock clock() {
        return clock;
    }

    /** When what takes long is done. */
    public LoopTurns turns() {
        return turns;
    }

    /** All deadlines of the Worker. */
    public DeadlineWheel wheel() {
        return wheel;
    }

    /** What may wait to be sent, in all connections. */
    public RelayMemory memory() {
        return memory;
    }

    /** What the Worker counts. */
    public WorkerCounters counters() {
        return parts.counters();
    }

    /** Says what fails, each cause once in a while. */
    public FailureLog failures() {
        return failures;
    }

    /** The plugin that the event loop is in. Any thread. */
    public PluginCalls pluginCalls() {
        return pluginCalls;
    }

    /** The blocking plugin calls of all Workers. */
    public BlockingCalls blocking() {
        return parts.shared().blocking();
    }

    /** Pool sizes and timeouts of the servers' side. Others may hold later: to be asked for each time, or in {@link WorkerNode#follow}. */
    public ClientConfig client() {
        return client;
    }

    /** Others hold from now on; nodes are told by {@link UpstreamGroups#follow}, which is to come after this. */
    void follow(ClientConfig now) {
        client = now;
    }

    /** The Upstreams, as all Workers share them. Any thread. */
    public NodeRegistry nodes() {
        return parts.shared().nodes();
    }

    NodeConnector connector(NodeConnector.Target target) {
        return new NodeConnector(parts.nodes(), target, client().connectTimeoutNanos());
    }

    /** Those that follow what holds now: whatever comes to follow it is one of them, and so is what begins by that. */
    public Generation.Followers following() {
        return following;
    }

    /** Whatever begins from now on follows that configuration. */
    void follow(Generation next) {
        Generation.Followers before = following;
        following = next.followers();
        before.replaced();
    }

    /** Whether there is an access log. */
    public boolean isLogging() {
        return accessLog != null;
    }

    /** Writes a line of the access log, where there is one. */
    public void log(AccessRecord record) {
        AccessLog.Appender log = accessLog;
        if (log != null) {
            log.append(record);
        }
    }

    /** Time has passed. */
    void tick() {
        wheel.advance();
        memory.tick();
    }

    void flushLog() {
        AccessLog.Appender log = accessLog;
        if (log != null) {
            log.flushIfDue(clock.nanos());
        }
    }

    /** Lines of the access log go there from now on, or nowhere where it is null; where they went before gets no more. */
    void follow(AccessLog.@Nullable Appender next) {
        AccessLog.Appender before = accessLog;
        accessLog = next;
        if (before != null) {
            before.close();
        }
    }

    /** Something has cost a connection: what is a fault of Sigma's own is said once in a while, counted always. */
    public void thrown(Throwable cause) {
        if (cause instanceof IOException || SecureEnd.isGarbled(cause)) {
            return;
        }
        counters().failed(Fault.INTERNAL);
        failures.thrown(cause);
    }

    /** A plugin in shadow would have done that: counted, and said once in a while where it has failed. */
    public void shadowed(Shadowed what) {
        counters()
                .shadowed(what.plugin(), what.outcome().name().toLowerCase(Locale.ROOT), what.status(), what.reason());
        Throwable failure = what.failure();
        if (failure != null) {
            failures.plugin(what.plugin() + " (in shadow)", failure);
        }
    }

    /** A client's connection is open. */
    public void clientConnected() {
        counters().increment(Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED);
        counters().increment(Counter.DOWNSTREAM_CONNECTIONS_OPEN);
    }

    /** One that was counted as open is closed. */
    public void clientDisconnected() {
        counters().decrement(Counter.DOWNSTREAM_CONNECTIONS_OPEN);
    }
}
