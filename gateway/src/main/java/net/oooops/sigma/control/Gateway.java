package net.oooops.sigma.control;

import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.function.ObjIntConsumer;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.SocketOptions;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.names.LastAnswers;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.snapshot.Left;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotException;
import net.oooops.sigma.snapshot.SnapshotProblem;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.SteeredNodes;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A running gateway: one Vert.x with a Worker on each of its event loops, and the sockets they listen on.
 *
 * <p>Any thread; {@link #start} and {@link #stop} block.
 */
public final class Gateway {
    static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 20;
    private static final Logger LOG = LoggerFactory.getLogger(Gateway.class);

    private final SocketTransport transport;
    private final Vertx vertx;
    private final NodeLoops nodeLoops;
    private final int workerCount;
    private final Workers workers;
    private final Snapshots snapshots;
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CompletableFuture<Long> stopped = new CompletableFuture<>();
    private final ControlPlane plane;
    private final CertificateThreads certificates;
    private final AccessLogs logs;
    private @Nullable PluginWatch pluginWatch;
    private @Nullable NodeWatch nodeWatch;
    private @Nullable Place place;

    private Gateway(
            Snapshot snapshot, SocketTransport transport, int workerCount, VertxOptions options, AccessLogs logs) {
        this.transport = transport;
        this.workerCount = workerCount;
        this.snapshots = new Snapshots(snapshot, workerCount, this::retire);
        this.vertx = Vertx.builder()
                .with(options.setEventLoopPoolSize(workerCount).setPreferNativeTransport(true))
                .withTransport(transport.transport())
                .build();
        this.logs = logs;
        NodeLoops loops = null;
        ControlPlane begun = null;
        try {
            loops = new NodeLoops(snapshot.config().runtime().threadModel(), vertx, transport, workerCount);
            this.nodeLoops = loops;
            begun = ControlPlane.start(snapshot.config(), snapshot.nodes());
            this.plane = begun;
            this.workers = new Workers(workerCount, transport, nodeLoops, logs, plane.names());
            this.certificates = new CertificateThreads(snapshot, workers::freshCounters);
        } catch (RuntimeException | Error e) {
            if (begun != null) {
                begun.close(START_LIMIT);
            }
            if (loops != null) {
                loops.close(START_LIMIT);
            }
            vertx.close();
            throw e;
        }
    }

    /**
     * Starts a gateway and returns when it listens.
     *
     * @param workerCount how many event loops
     * @param options Vert.x's own options; the number of event loops and the transport are set here
     * @throws StartException where it can't; nothing is left running then
     */
    public static Gateway start(Snapshot snapshot, int workerCount, VertxOptions options) throws StartException {
        return start(snapshot, workerCount, options, Takeover.NONE);
    }

    /**
     * The same, in the place of another one.
     *
     * @param before what was there
     */
    public static Gateway start(Snapshot snapshot, int workerCount, VertxOptions options, Takeover before)
            throws StartException {
        SocketTransport transport;
        try {
            transport = SocketTransport.choose(snapshot.config().runtime().transport());
        } catch (IllegalStateException e) {
            snapshot.close();
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
        AccessLogs logs = openLogs(snapshot, workerCount);
        Gateway gateway;
        try {
            snapshot.inherit(before.left());
            begin(snapshot);
            snapshot.take();
            gateway = new Gateway(snapshot, transport, workerCount, options, logs);
        } catch (StartException e) {
            logs.close();
            throw e;
        } catch (IllegalStateException e) {
            logs.close();
            snapshot.held().end();
            throw new StartException("can't start the event loops: " + e.getMessage(), e);
        }
        try {
            gateway.plane.awaitSrv();
            gateway.workers.deploy(gateway.vertx, snapshot, gateway.snapshots.generation());
            snapshot.callees().lead(gateway.workers::ask);
            snapshot.work();
            gateway.nodeWatch = NodeWatch.start(snapshot.nodes()::tick);
            gateway.certificates.watch();
            gateway.watchPlugins(snapshot);
            gateway.listen(snapshot, before);
            gateway.plane.check();
            gateway.certificates.ask();
            return gateway;
        } catch (StartException e) {
            gateway.stop(Duration.ZERO);
            throw e;
        }
    }

    private static AccessLogs openLogs(Snapshot snapshot, int workerCount) throws StartException {
        try {
            return AccessLogs.open(snapshot.config().accessLog(), workerCount);
        } catch (StartException e) {
            snapshot.close();
            throw e;
        }
    }

    static void begin(Snapshot snapshot) throws StartException {
        try {
            snapshot.start();
        } catch (SnapshotException e) {
            snapshot.close();
            SnapshotProblem problem = e.problems().getFirst();
            throw new StartException(
                    problem.pointer() + ": " + problem.found() + " (expected: " + problem.expected() + ")", e);
        }
    }

    private void watchPlugins(Snapshot snapshot) {
        PluginWatch watch = pluginWatch;
        if (watch != null) {
            watch.follow(snapshot.hasPlugins());
        } else if (snapshot.hasPlugins()) {
            pluginWatch = PluginWatch.start(workers.all(), workers.freshCounters());
        }
    }

    private void listen(Snapshot snapshot, Takeover before) throws StartException {
        try (PassedSockets passed = new PassedSockets(before.sockets())) {
            ListeningSockets sockets = new ListeningSockets(
                    workers.all(),
                    transport,
                    new SocketOptions(snapshot.config().runtime()),
                    ((VertxInternal) vertx).nettyEventLoopGroup(),
                    passed);
            Place wanted = new Place(
                    new Place.Parts(snapshots, workers, plane, certificates, logs, this::watchPlugins, stopping::get),
                    sockets,
                    passed);
            place = wanted;
            wanted.take(this, snapshot, before);
        }
    }

    /**
     * Begins to give its place to another process. No configuration takes the place of the one that holds until that has come to something, or nothing.
     *
     * @param passed given the sockets, which stay this gateway's, too
     * @return for the next steps
     * @throws StartException where it can't be
     */
    public Handover handOver(Consumer<List<PassedSocket>> passed) throws StartException {
        return Objects.requireNonNull(place, "not started").handOver(passed);
    }

    /**
     * Another configuration takes the place of the one that holds, at once for whatever begins from then on; what is under way goes on by the one that it began with. What
     * didn't change isn't touched: sockets, connections, pools, what is known of nodes, plugins, certificates. Where anything keeps it from that, all is as it was.
     *
     * <p>One at a time; the others wait.
     *
     * @param compiling makes it, against the one that holds
     * @throws StartException where it can't take effect; the message is for the operator
     */
    public void reload(Compiling compiling) throws StartException {
        Objects.requireNonNull(place, "not started").reload(compiling);
    }

    /** Makes a configuration to take the place of another one. */
    @FunctionalInterface
    public interface Compiling {
        /**
         * Makes it.
         *
         * @param before whose place it is to take
         * @return null where all is to stay as it is
         * @throws StartException where it has problems; the message tells all of them
         */
        @Nullable Next compile(Snapshot before) throws StartException;
    }

    /**
     * A configuration that is to take the place of another one.
     *
     * @param snapshot compiled against the other one
     * @param onFollowed told once it holds and before another one can: what went wrong with it all the same, a line each, and which one it is, counted from 1
     */
    public record Next(Snapshot snapshot, ObjIntConsumer<String> onFollowed) {
        /** One that nobody waits for. */
        public Next(Snapshot snapshot) {
            this(snapshot, (but, number) -> {});
        }
    }

    /** Nothing leads to that Upstream any more. */
    private void retire(Upstream upstream) {
        try {
            workers.retire(upstream);
        } catch (StartException e) {
            LOG.error("upstream {}: its connections may stay open", upstream.id(), e);
            return;
        }
        snapshots.current().nodes().retire(upstream);
    }

    /** The addresses it listens on, one for each Listener, in the order of sigma.json. */
    public List<InetSocketAddress> addresses() {
        return place == null ? List.of() : place.addresses();
    }

    /** Where those who run it ask it; null where sigma.json doesn't say so. */
    public @Nullable InetSocketAddress adminAddress() {
        return plane.adminAddress();
    }

    /** How sockets are driven, and why so. */
    public SocketTransport transport() {
        return transport;
    }

    /** How many event loops serve. */
    public int workerCount() {
        return workerCount;
    }

    /** What all Workers have counted. */
    public Counters counters() {
        return workers.counters();
    }

    /** All nodes of all upstreams, with what is known of their health. */
    public List<Node> nodes() {
        List<Node> all = new ArrayList<>();
        upstreams().forEach(upstream -> all.addAll(upstream.nodes()));
        return all;
    }

    /** All upstreams, as all Workers share them. */
    public List<Upstream> upstreams() {
        return snapshots.current().nodes().all();
    }

    /** What operators say of nodes, as long as it runs. */
    public SteeredNodes steered() {
        return snapshots.current().nodes().steered();
    }

    /** What its plugins leave to those of another process. */
    public List<Left> left() {
        return snapshots.current().left();
    }

    /** What name servers have said last. */
    public LastAnswers answers() {
        return snapshots.current().nodes().answers();
    }

    /**
     * The process whose place it takes knew that: all Workers have it, where name servers say nothing, before they accept. Waits for that.
     *
     * @throws StartException where they don't follow
     */
    public void hear(LastAnswers.All last) throws StartException {
        answers().hear(last);
        plane.recallSrv();
        workers.takeUp();
    }

    /** What active checks know of the nodes. */
    public List<CheckView> checks() {
        return plane.checks();
    }

    /** What it runs. */
    public SigmaConfig config() {
        return snapshots.current().config();
    }

    /** Which configuration it runs, counted from 1 since it was started. */
    public int generation() {
        return snapshots.generation().number();
    }

    /** How many configurations there are that something follows: the one that holds, and those that something has begun with that isn't over. */
    public int generationCount() {
        return snapshots.count();
    }

    /**
     * How many connections or sessions clients have, by the ids of Listeners; empty where an event loop doesn't say so in time, as it stands still.
     *
     * @param limit for that
     */
    public Map<String, Integer> connectionCounts(Duration limit) {
        return workers.connectionCounts(limit);
    }

    /** How many client connections are open, and sessions of UDP. */
    public long connectionCount() {
        Counters now = counters();
        return now.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) + now.count(Counter.UDP_SESSIONS_IN_FLIGHT);
    }

    /** How long exchanges and sessions may take to end after a stop was asked for: the longest that a Listener's timeouts allow. */
    public Duration drain() {
        return Duration.ofNanos(config().allListeners().stream()
                .mapToLong(listener -> listener.timeouts().drainNanos())
                .max()
                .orElse(0));
    }

    /** How long the same may take after another process has taken its place. */
    public Duration drainOfUpgrade() {
        return Duration.ofNanos(config().allListeners().stream()
                .mapToLong(listener -> listener.timeouts().drainUpgradeNanos())
                .max()
                .orElse(0));
    }

    /**
     * Stops: accepts nothing more, lets exchanges and sessions end for at most {@code drain}, then closes what is left. Called again, it waits
     * for the first call to return.
     *
     * @return how many client connections and sessions of UDP were left, and cut
     */
    public long stop(Duration drain) {
        if (stopping.compareAndSet(false, true)) {
            try {
                stopped.complete(stopOnce(drain));
            } catch (RuntimeException e) {
                stopped.completeExceptionally(e);
            }
        }
        return stopped.join();
    }

    private long stopOnce(Duration drain) {
        if (place == null) {
            certificates.stopAsking();
        } else {
            place.leave();
        }
        workers.drain();
        long deadline = System.nanoTime() + drain.toNanos();
        boolean idle = workers.isIdle();
        while (!idle && System.nanoTime() < deadline) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
            idle = workers.isIdle();
        }
        long left = idle ? 0 : connectionCount();
        // Nothing that plugins do by themselves is to fail for want of Workers.
        snapshots.endWork();
        workers.close();
        CountDownLatch closed = new CountDownLatch(1);
        vertx.close().onComplete(done -> closed.countDown());
        try {
            closed.await(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        nodeLoops.close(START_LIMIT);
        plane.close(START_LIMIT);
        certificates.stopWatching();
        if (nodeWatch != null) {
            nodeWatch.close();
        }
        if (pluginWatch != null) {
            pluginWatch.close();
        }
        logs.close();
        snapshots.close(START_LIMIT);
        return left;
    }
}
