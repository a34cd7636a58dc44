package net.oooops.sigma.control;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.SingleThreadEventLoop;
import io.vertx.core.DeploymentOptions;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.internal.VertxInternal;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongSupplier;
import net.oooops.sigma.Sigma;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AccessLogConfig;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.listen.Binding;
import net.oooops.sigma.listen.SocketOptions;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.observe.AccessLog;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.runtime.BlockingCalls;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.snapshot.Roads;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.udp.UdpSockets;
import net.oooops.sigma.upstream.NameResolution;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * A running gateway: one Vert.x with a Worker on each of its event loops, and the sockets they listen on.
 *
 * <p>Any thread; {@link #start} and {@link #stop} block.
 */
public final class Gateway {
    static final Duration START_LIMIT = Duration.ofSeconds(30);
    private static final long POLL_MILLIS = 20;

    private final Snapshot snapshot;
    private final SocketTransport transport;
    private final Vertx vertx;
    private final NodeLoops nodeLoops;
    private final int workerCount;
    private final List<Worker> workers = Collections.synchronizedList(new ArrayList<>());
    private final List<WorkerCounters> counters = new ArrayList<>();
    private final List<Channel> listening = new ArrayList<>();
    private final AtomicBoolean stopping = new AtomicBoolean();
    private final CompletableFuture<Long> stopped = new CompletableFuture<>();
    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final ControlPlane plane;
    private final CertificateThreads certificates;
    private final @Nullable AccessLog accessLog;
    private final List<Optional<AccessLog.Appender>> appenders = new ArrayList<>();
    private @Nullable PluginWatch pluginWatch;
    private @Nullable NodeWatch nodeWatch;
    private @Nullable InetSocketAddress adminAddress;

    private Gateway(
            Snapshot snapshot,
            SocketTransport transport,
            int workerCount,
            VertxOptions options,
            @Nullable AccessLog accessLog) {
        this.snapshot = snapshot;
        this.transport = transport;
        this.workerCount = workerCount;
        this.vertx = Vertx.builder()
                .with(options.setEventLoopPoolSize(workerCount).setPreferNativeTransport(true))
                .withTransport(transport.transport())
                .build();
        try {
            this.nodeLoops = new NodeLoops(snapshot.config().runtime().threadModel(), vertx, transport, workerCount);
        } catch (IllegalStateException e) {
            vertx.close();
            throw e;
        }
        this.plane = ControlPlane.start(snapshot.config(), snapshot.nodes());
        this.certificates = new CertificateThreads(snapshot, this::freshCounters);
        this.accessLog = accessLog;
        for (int i = 0; i < workerCount; i++) {
            WorkerCounters own = new WorkerCounters(Refusals.NAMES);
            counters.add(own);
            appenders.add(Optional.ofNullable(accessLog).map(log -> log.appender(own)));
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
        SocketTransport transport;
        try {
            transport = SocketTransport.choose(snapshot.config().runtime().transport());
        } catch (IllegalStateException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
        AccessLog log = openLog(snapshot, workerCount);
        Gateway gateway;
        try {
            gateway = new Gateway(snapshot, transport, workerCount, options, log);
        } catch (IllegalStateException e) {
            if (log != null) {
                log.close();
            }
            throw new StartException("can't start the event loops: " + e.getMessage(), e);
        }
        try {
            gateway.plane.awaitSrv();
            gateway.deploy();
            gateway.nodeWatch = NodeWatch.start(snapshot.nodes());
            gateway.certificates.watch();
            gateway.watchPlugins();
            gateway.listen();
            gateway.serveAdmin();
            gateway.plane.check();
            gateway.certificates.ask();
            return gateway;
        } catch (StartException e) {
            gateway.stop(Duration.ZERO);
            throw e;
        }
    }

    private static @Nullable AccessLog openLog(Snapshot snapshot, int workerCount) throws StartException {
        AccessLogConfig config = snapshot.config().accessLog();
        try {
            return config == null ? null : AccessLog.open(config, workerCount);
        } catch (IOException e) {
            throw new StartException("plugins.log-config: " + e.getMessage(), e);
        }
    }

    private void deploy() throws StartException {
        RuntimeConfig.Memory memory = snapshot.config().runtime().memory();
        LoopContext.Shared shared = new LoopContext.Shared(
                snapshot.nodes(), snapshot.config().client(), memory.relayBytesMax(), new BlockingCalls());
        Roads roads = new Roads(snapshot.plan(), memory, workerCount);
        SocketOptions sockets = new SocketOptions(snapshot.config().runtime());
        DeploymentOptions deployment = new DeploymentOptions().setInstances(workerCount);
        await(
                vertx.deployVerticle(() -> new Sigma(loop -> worker(loop, shared, roads, sockets)), deployment)
                        .toCompletionStage()
                        .toCompletableFuture(),
                "the Workers");
    }

    /** Makes the Worker of an event loop; called on that loop, one after the other under the list's lock. */
    private Worker worker(SingleThreadEventLoop loop, LoopContext.Shared shared, Roads roads, SocketOptions sockets) {
        synchronized (workers) {
            int number = workers.size();
            Bootstrap upstream = new Bootstrap().group(nodeLoops.of(loop)).channelFactory(transport.clientChannels());
            sockets.applyTo(upstream);
            NameResolution names = new NameResolution(
                    loop,
                    transport.datagramChannels(),
                    NameResolution.Settings.of(
                            snapshot.config().runtime().dns(),
                            snapshot.config().client().connectTimeoutNanos()),
                    snapshot.nodes().names());
            LoopContext.Parts parts = new LoopContext.Parts(
                    number,
                    workerCount,
                    new NodeConnector.Means(loop, upstream, names),
                    counters.get(number),
                    appenders.get(number).orElse(null),
                    shared);
            Worker worker = new Worker(parts, context -> roads.on(context, udpSockets(loop)));
            workers.add(worker);
            return worker;
        }
    }

    /** Counters for a thread of control. */
    private WorkerCounters freshCounters() {
        WorkerCounters own = new WorkerCounters(Refusals.NAMES);
        synchronized (workers) {
            counters.add(own);
        }
        return own;
    }

    private void watchPlugins() {
        if (!snapshot.plugins().isEmpty()) {
            WorkerCounters own = new WorkerCounters(Refusals.NAMES);
            synchronized (workers) {
                counters.add(own);
                pluginWatch = PluginWatch.start(List.copyOf(workers), own);
            }
        }
    }

    /** From when all else is there until all else has ended. */
    private void serveAdmin() throws StartException {
        List<LongSupplier> ticks = counters.stream()
                .limit(workerCount)
                .<LongSupplier>map(own -> own::ticks)
                .toList();
        Sources sources =
                new Sources(this::counters, snapshot.nodes(), this::checked, certificates::shown, ticks, stopping::get);
        adminAddress = plane.serve(snapshot.config().admin(), sources);
    }

    private List<Sources.Checked> checked() {
        return checks().stream()
                .map(view -> new Sources.Checked(
                        view.upstreamId(), view.node(), view.passedCount(), view.failedCount(), view.latencyNanos()))
                .toList();
    }

    private void listen() throws StartException {
        Binding binding =
                new Binding(transport, new SocketOptions(snapshot.config().runtime()));
        SigmaConfig config = snapshot.config();
        int streams = config.allListeners().size() - config.udpListeners().size();
        for (int i = 0; i < streams; i++) {
            addresses.add(listen(binding, config.allListeners().get(i), new Accept(workers, i)));
        }
        if (!config.udpListeners().isEmpty()) {
            listenForDatagrams(config.udpListeners());
        }
    }

    private void listenForDatagrams(List<UdpListenerConfig> listeners) throws StartException {
        if (!UdpSockets.isFor(transport.name())) {
            throw new StartException(
                    "runtime.transport: " + transport.name() + " (expected: epoll, io_uring or nio with UDP servers)",
                    new UnsupportedOperationException(transport.name()));
        }
        DatagramBinding binding = new DatagramBinding(workers, transport.sharedPort() != null);
        for (int i = 0; i < listeners.size(); i++) {
            try {
                addresses.add(binding.bind(listeners.get(i), i));
            } catch (IOException e) {
                throw cannotListen(listeners.get(i), e);
            }
        }
    }

    private @Nullable UdpSockets udpSockets(SingleThreadEventLoop loop) {
        if (snapshot.config().udpListeners().isEmpty() || !UdpSockets.isFor(transport.name())) {
            return null;
        }
        RuntimeConfig runtime = snapshot.config().runtime();
        return UdpSockets.of(
                transport.name(),
                loop,
                new UdpSockets.Options(runtime.receiveBufferBytes(), runtime.sendBufferBytes()));
    }

    /** Binds a Listener, on one port for all Workers where any is asked for. */
    private InetSocketAddress listen(Binding binding, Listener listener, Accept accept) throws StartException {
        InetSocketAddress address = new InetSocketAddress(listener.host(), listener.port());
        if (workerCount > 1 && transport.sharedPort() == null) {
            SingleThreadEventLoop acceptor = workers.getFirst().eventLoop();
            Channel channel = bound(
                    binding.bindForAll(
                            address,
                            acceptor,
                            ((VertxInternal) vertx).nettyEventLoopGroup(),
                            accept,
                            cause -> workers.getFirst().acceptFailed(listener.id(), cause)),
                    listener);
            listening.add(channel);
            return (InetSocketAddress) channel.localAddress();
        }
        probe(address, listener);
        for (Worker worker : List.copyOf(workers)) {
            Binding.Failures failures = cause -> worker.acceptFailed(listener.id(), cause);
            Channel channel = bound(binding.bindOwn(address, worker.eventLoop(), accept, failures), listener);
            listening.add(channel);
            address = new InetSocketAddress(listener.host(), ((InetSocketAddress) channel.localAddress()).getPort());
        }
        return address;
    }

    /** With SO_REUSEPORT a second gateway could take half of the first one's connections unnoticed: refuse to. */
    private static void probe(InetSocketAddress address, Listener listener) throws StartException {
        try (java.net.ServerSocket socket = new java.net.ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (java.io.IOException e) {
            throw cannotListen(listener, e);
        }
    }

    private static Channel bound(ChannelFuture binding, Listener listener) throws StartException {
        binding.awaitUninterruptibly(START_LIMIT.toMillis());
        if (!binding.isSuccess()) {
            throw cannotListen(listener, binding.cause());
        }
        return binding.channel();
    }

    private static StartException cannotListen(Listener listener, @Nullable Throwable cause) {
        return new StartException(
                "proxy-server \"" + listener.id() + "\": can't listen on " + listener.host() + ":" + listener.port()
                        + " (" + (cause == null ? "no answer in time" : cause.getMessage()) + ")",
                cause == null ? new TimeoutException() : cause);
    }

    private static <T> T await(CompletableFuture<T> future, String what) throws StartException {
        try {
            return future.get(START_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StartException("interrupted while starting " + what, e);
        } catch (ExecutionException | TimeoutException e) {
            throw new StartException("can't start " + what + ": " + e.getMessage(), e);
        }
    }

    /** The addresses it listens on, one for each Listener, in the order of sigma.json. */
    public List<InetSocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    /** Where those who run it ask it; null where sigma.json doesn't say so. */
    public @Nullable InetSocketAddress adminAddress() {
        return adminAddress;
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
        synchronized (workers) {
            return new CountersView(counters).snapshot();
        }
    }

    /** All nodes of all upstreams, with what is known of their health. */
    public List<Node> nodes() {
        List<Node> all = new ArrayList<>();
        upstreams().forEach(upstream -> all.addAll(upstream.nodes()));
        return all;
    }

    /** All upstreams, as all Workers share them. */
    public List<Upstream> upstreams() {
        return snapshot.nodes().all();
    }

    /** What active checks know of the nodes. */
    public List<CheckView> checks() {
        return plane.checks();
    }

    /** What it runs. */
    public SigmaConfig config() {
        return snapshot.config();
    }

    /** How many client connections are open, and sessions of UDP. */
    public long connectionCount() {
        Counters now = counters();
        return now.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) + now.count(Counter.UDP_SESSIONS_IN_FLIGHT);
    }

    /** How long exchanges and sessions may take to end after a stop was asked for: the longest that a Listener's timeouts allow. */
    public Duration drain() {
        return Duration.ofNanos(snapshot.config().allListeners().stream()
                .mapToLong(listener -> listener.timeouts().drainNanos())
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
        certificates.stopAsking();
        listening.forEach(Channel::close);
        listening.forEach(channel -> channel.closeFuture().awaitUninterruptibly(START_LIMIT.toMillis()));
        for (Worker worker : List.copyOf(workers)) {
            worker.eventLoop().execute(worker::drain);
        }
        long deadline = System.nanoTime() + drain.toNanos();
        boolean idle = isIdle();
        while (!idle && System.nanoTime() < deadline) {
            java.util.concurrent.locks.LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(POLL_MILLIS));
            idle = isIdle();
        }
        long left = idle ? 0 : connectionCount();
        for (Worker worker : List.copyOf(workers)) {
            worker.eventLoop().execute(worker::close);
        }
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
        if (accessLog != null) {
            accessLog.close();
        }
        snapshot.close();
        return left;
    }

    private boolean isIdle() {
        for (Worker worker : List.copyOf(workers)) {
            CompletableFuture<Boolean> idle = new CompletableFuture<>();
            worker.eventLoop().execute(() -> idle.complete(worker.isIdle()));
            if (!idle.completeOnTimeout(false, 1, TimeUnit.SECONDS).join()) {
                return false;
            }
        }
        return true;
    }
}
