package net.oooops.sigma.control;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.SingleThreadEventLoop;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;
import net.oooops.sigma.Sigma;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.listen.SocketOptions;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.observe.AccessLog;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.BlockingCalls;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.snapshot.Roads;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.WorkerRoads;
import net.oooops.sigma.udp.UdpSockets;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * The Workers of a gateway, one on each event loop, with what they count: how they are made, come to follow another configuration, and end.
 *
 * <p>Any thread. What waits for event loops says so.
 */
final class Workers {
    private final int count;
    private final SocketTransport transport;
    private final NodeLoops nodeLoops;
    private final NameAsker names;
    private final List<Worker> all = Collections.synchronizedList(new ArrayList<>());
    /** By the numbers of Workers. */
    private final List<WorkerRoads> roads = Collections.synchronizedList(new ArrayList<>());
    /** Those of the Workers, by their numbers, then those of threads of control. */
    private final List<WorkerCounters> counters = new ArrayList<>();

    private final List<AccessLog.@Nullable Appender> appenders = new ArrayList<>();

    /**
     * @param logs where their lines go
     * @param names asks name servers for them all
     */
    Workers(int count, SocketTransport transport, NodeLoops nodeLoops, AccessLogs logs, NameAsker names) {
        this.count = count;
        this.transport = transport;
        this.nodeLoops = nodeLoops;
        this.names = names;
        for (int i = 0; i < count; i++) {
            WorkerCounters own = freshCounters();
            appenders.add(logs.appender(own));
        }
    }

    /**
     * Makes them, one on each event loop; waits for that.
     *
     * @param generation of the snapshot
     */
    void deploy(Vertx vertx, Snapshot snapshot, Generation generation) throws StartException {
        RuntimeConfig.Memory memory = snapshot.config().runtime().memory();
        LoopContext.Shared shared = new LoopContext.Shared(
                snapshot.nodes(), snapshot.config().client(), memory.relayBytesMax(), new BlockingCalls());
        // What is deployed stays for as long as the process lives, and the snapshot isn't to.
        AtomicReference<@Nullable First> first =
                new AtomicReference<>(new First(snapshot, generation, shared, new Roads(memory, count)));
        CompletableFuture<String> deployed = vertx.deployVerticle(
                        () -> new Sigma(loop -> worker(loop, Objects.requireNonNull(first.get()))),
                        new DeploymentOptions().setInstances(count))
                .toCompletionStage()
                .toCompletableFuture();
        try {
            deployed.get(Gateway.START_LIMIT.toSeconds(), TimeUnit.SECONDS);
            first.set(null);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted while starting the Workers", e);
        } catch (ExecutionException | TimeoutException e) {
            throw new StartException("can't start the Workers: " + e.getMessage(), e);
        }
    }

    /** What each is made from. */
    private record First(Snapshot snapshot, Generation generation, LoopContext.Shared shared, Roads roads) {}

    /** Makes the Worker of an event loop; called on that loop, one after the other under the list's lock. */
    private Worker worker(SingleThreadEventLoop loop, First first) {
        synchronized (all) {
            int number = all.size();
            RuntimeConfig runtime = first.snapshot.config().runtime();
            Bootstrap upstream = new Bootstrap().group(nodeLoops.of(loop)).channelFactory(transport.clientChannels());
            new SocketOptions(runtime).applyTo(upstream);
            LoopContext.Parts parts = new LoopContext.Parts(
                    number,
                    count,
                    new NodeConnector.Means(loop, upstream, new NameResolution(loop, names)),
                    counters.get(number),
                    appenders.get(number),
                    first.shared,
                    first.generation);
            Worker worker = new Worker(parts, context -> {
                WorkerRoads own = first.roads.on(context, first.snapshot.plan(), udpSockets(loop, runtime));
                roads.add(own);
                return own.all();
            });
            all.add(worker);
            return worker;
        }
    }

    private @Nullable UdpSockets udpSockets(SingleThreadEventLoop loop, RuntimeConfig runtime) {
        return UdpSockets.isFor(transport.name())
                ? UdpSockets.of(
                        transport.name(),
                        loop,
                        new UdpSockets.Options(runtime.receiveBufferBytes(), runtime.sendBufferBytes()))
                : null;
    }

    /** All of them, by their numbers. */
    List<Worker> all() {
        synchronized (all) {
            return List.copyOf(all);
        }
    }

    /** What begins from now on follows that snapshot; waits until that holds for all. */
    void follow(Snapshot next, Generation generation) throws StartException {
        OnLoops.each(
                all(),
                worker -> worker.follow(
                        generation,
                        next.config().client(),
                        () -> roads.get(worker.number()).follow(next.plan())));
    }

    /** Nodes that have come are led to from then on, not from the next tick; waits for that. */
    void takeUp() throws StartException {
        OnLoops.each(all(), Worker::takeUp);
    }

    /** The sockets of Listeners that are gone are closed; waits until that is known to all. */
    void unreachable() throws StartException {
        OnLoops.each(all(), Worker::unreachable);
    }

    /** Nothing leads to that Upstream any more: connections to its nodes close; waits for that. */
    void retire(Upstream upstream) throws StartException {
        try {
            OnLoops.each(all(), worker -> roads.get(worker.number()).retire(upstream));
        } catch (RejectedExecutionException _) {
            // The gateway has ended meanwhile, with all that it had.
        }
    }

    /** A plugin asks without an exchange, by one of them: the same one for the same number. Any thread; doesn't wait. */
    void ask(int number, String proxyPassId, Callout callout, CompletableFuture<Response> answer) {
        int one = Math.floorMod(number, count);
        try {
            all.get(one).eventLoop().execute(() -> roads.get(one).http().ask(proxyPassId, callout, answer));
        } catch (RejectedExecutionException e) {
            answer.completeExceptionally(new CalloutException(Fault.CLIENT_GONE, "the gateway has ended"));
        }
    }

    /** Counters for a thread of control. */
    WorkerCounters freshCounters() {
        WorkerCounters own = new WorkerCounters(Refusals.NAMES);
        synchronized (counters) {
            counters.add(own);
        }
        return own;
    }

    /** What all have counted. */
    Counters counters() {
        synchronized (counters) {
            return new CountersView(counters).snapshot();
        }
    }

    /** How often each has looked at its deadlines: one that stands still doesn't. */
    List<LongSupplier> ticks() {
        synchronized (counters) {
            return counters.stream()
                    .limit(count)
                    .<LongSupplier>map(own -> own::ticks)
                    .toList();
        }
    }

    /** What is idle closes, and the rest as soon as it is. */
    void drain() {
        all().forEach(worker -> worker.eventLoop().execute(worker::drain));
    }

    /**
     * How many connections or sessions clients have, by the ids of Listeners; empty where a Worker doesn't say so in time.
     *
     * @param limit for that
     */
    Map<String, Integer> connectionCounts(Duration limit) {
        Map<String, Integer> counts = new ConcurrentHashMap<>();
        CompletableFuture<?>[] asked = all().stream()
                .map(worker -> CompletableFuture.runAsync(
                        () -> worker.countConnections((id, count) -> counts.merge(id, count, Integer::sum)),
                        worker.eventLoop()))
                .toArray(CompletableFuture[]::new);
        boolean told = CompletableFuture.allOf(asked)
                .handle((done, failure) -> failure == null)
                .completeOnTimeout(false, limit.toMillis(), TimeUnit.MILLISECONDS)
                .join();
        return told ? Map.copyOf(counts) : Map.of();
    }

    /** The same, but what lies open for long stays so until {@link #drainAll}. */
    void drainAround() {
        all().forEach(worker -> worker.eventLoop().execute(worker::drainAround));
    }

    /** What was left open drains, too. */
    void drainAll() {
        all().forEach(worker -> worker.eventLoop().execute(worker::drainAll));
    }

    /** They drain no longer: what they are asked from now on is as usual. Waits for that. */
    void resume() throws StartException {
        OnLoops.each(all(), Worker::resume);
    }

    /** Closes what is left. */
    void close() {
        all().forEach(worker -> worker.eventLoop().execute(worker::close));
    }

    /** Whether nothing is left on any; waits for them, up to a second for each. */
    boolean isIdle() {
        for (Worker worker : all()) {
            CompletableFuture<Boolean> idle = new CompletableFuture<>();
            worker.eventLoop().execute(() -> idle.complete(worker.isIdle()));
            if (!idle.completeOnTimeout(false, 1, TimeUnit.SECONDS).join()) {
                return false;
            }
        }
        return true;
    }
}
