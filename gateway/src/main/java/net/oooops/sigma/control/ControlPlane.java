package net.oooops.sigma.control;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AdminConfig;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.health.HealthChecker;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.tls.NodeTls;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * What runs beside the Workers: active checks of nodes, the admin server, and what finds out which nodes there are. It has a Vert.x of its
 * own, with one event loop, so that neither disturbs the other; where nothing has asked for it yet, there is none. Name servers are asked
 * on another one ({@link Names}).
 *
 * <p>Another configuration is first made ready ({@link #prepare}), which may fail, then followed ({@link #follow}), which can't, or not ({@link #abandon}). What it
 * leaves as it was isn't touched.
 *
 * <p>Any thread, one at a time, but {@link #checks} and {@link #adminAddress}; {@link #awaitSrv}, {@link #recallSrv}, {@link #serve}, {@link #prepare} and {@link #close} block.
 */
final class ControlPlane {
    private final CurrentNodes current = new CurrentNodes();
    private final NodesFileWatch files = new NodesFileWatch(current);
    private final AdminPlace admin = new AdminPlace(this::vertxAt);
    private volatile NodeRegistry nodes;
    private volatile @Nullable HealthChecker checker;
    private final SteadyNio sockets = new SteadyNio();
    private final Names names;
    private @Nullable Vertx vertx;
    private @Nullable SrvWatches srv;

    private ControlPlane(SigmaConfig config, NodeRegistry nodes) {
        this.nodes = nodes;
        this.names = new Names(Asking.of(config).settings(), nodes);
    }

    /** How name servers are asked, as sigma.json says. */
    private record Asking(DnsConfig dns, long timeoutNanos) {
        static Asking of(SigmaConfig config) {
            DnsConfig dns = config.runtime().dns();
            return new Asking(
                    dns, dns.timeoutNanos() == 0 ? config.client().connectTimeoutNanos() : dns.timeoutNanos());
        }

        NameResolution.Settings settings() {
            return NameResolution.Settings.of(dns, timeoutNanos);
        }
    }

    /**
     * Makes ready what a configuration asks for, and begins to find out which nodes there are.
     *
     * @param nodes told what checks find, and which nodes there are
     */
    static ControlPlane start(SigmaConfig config, NodeRegistry nodes) {
        ControlPlane plane = new ControlPlane(config, nodes);
        try {
            plane.follow(config);
        } catch (RuntimeException | Error e) {
            plane.close(Gateway.START_LIMIT);
            throw e;
        }
        // Whoever changes nodes has them checked from then on.
        plane.current.check(CurrentUpstream::isChanging);
        return plane;
    }

    /** By one thread at a time: a reload that is still being prepared may ask for it beside an upgrade that comes to nothing. */
    private synchronized Vertx vertx() {
        Vertx there = vertx;
        if (there == null) {
            // Java's own sockets: they work everywhere, and nothing here needs to be quick.
            there = Vertx.builder()
                    .with(new VertxOptions()
                            .setEventLoopPoolSize(1)
                            .setPreferNativeTransport(false)
                            .setFileSystemOptions(new FileSystemOptions()
                                    .setFileCachingEnabled(false)
                                    .setClassPathResolvingEnabled(false)))
                    .withTransport(sockets)
                    .build();
            vertx = there;
        }
        return there;
    }

    /** For a server at that address. */
    private Vertx vertxAt(InetAddress address) {
        sockets.listenAt(address);
        return vertx();
    }

    /**
     * Makes ready what a configuration needs and may not get; what there is stays as it is. To be followed by {@link #follow} with that configuration, or by
     * {@link #abandon}.
     *
     * @param vacated whether a server that is there has that place, and is to leave it: the admin server listens there by {@link #serveLate} alone
     * @throws StartException where the admin server can't listen where it says, or there is no event loop for what is new
     */
    void prepare(SigmaConfig now, Predicate<InetSocketAddress> vacated) throws StartException {
        try {
            // The system may have no more files for it.
            if (asksNodes(now)) {
                vertx();
            }
            admin.prepare(now.admin(), vacated);
        } catch (IllegalStateException e) {
            throw new StartException("can't start an event loop beside the Workers: " + e.getMessage(), e);
        }
    }

    private static boolean asksNodes(SigmaConfig now) {
        return now.upstreams().stream()
                .anyMatch(each -> each.health().active() != null || each.discovery() instanceof Discovery.OfSrv);
    }

    /** Whether anything needed an event loop beside the Workers so far. */
    synchronized boolean hasLoop() {
        return vertx != null;
    }

    /** Whether the admin server is to leave a place that another server of that configuration needs, or itself, as at another address of its port. */
    boolean isInTheWayOf(SigmaConfig next) {
        return admin.isInTheWayOf(next);
    }

    /** It leaves that place, before {@link #prepare}; {@link #abandon} has it back there. Blocks. */
    void makeWay() {
        admin.makeWay();
    }

    /** What was made ready isn't needed. */
    void abandon() {
        admin.abandon();
    }

    /**
     * Another configuration holds: what is the same in it goes on as if nothing had been. Returns at once; {@link #awaitSrv} waits for the nodes of services that are
     * new in it, which the Workers should have when they begin with it.
     *
     * @param nodes the Upstreams, among them all those of {@code now}
     */
    void follow(SigmaConfig before, SigmaConfig now, NodeRegistry nodes) {
        this.nodes = nodes;
        HealthChecker replaced = null;
        Asking asking = Asking.of(now);
        if (!Asking.of(before).equals(asking)) {
            names.asker().follow(asking.settings());
            replaced = checker;
            checker = null;
            if (srv != null) {
                srv.close();
                srv = null;
            }
        }
        follow(now);
        current.check(each -> true);
        if (replaced != null) {
            replaced.close();
        }
        admin.follow(now.admin());
    }

    private void follow(SigmaConfig config) {
        List<CurrentUpstream> upstreams = CurrentUpstream.of(config, nodes);
        HealthChecker by = checker;
        if (by == null && upstreams.stream().anyMatch(CurrentUpstream::isChecked)) {
            by = newChecker();
            checker = by;
        }
        current.follow(upstreams, by);
        files.follow(upstreams);
        SrvWatches asking = srv;
        if (asking == null
                && upstreams.stream().anyMatch(each -> each.config().discovery() instanceof Discovery.OfSrv)) {
            asking = new SrvWatches(vertx(), config.runtime().dns(), names.asker(), current);
            srv = asking;
        }
        if (asking != null) {
            asking.follow(upstreams);
        }
    }

    /** Asks name servers for the process, until it is closed. */
    NameAsker names() {
        return names.asker();
    }

    private HealthChecker newChecker() {
        return new HealthChecker(
                vertx(), loop -> new NameResolution(loop, names.asker()), this::tlsOf, new CheckedNodes(() -> nodes));
    }

    private @Nullable NodeTls tlsOf(String id) {
        Upstream upstream = nodes.find(id);
        return upstream == null ? null : upstream.tls();
    }

    /** Waits for the first answers of name servers on services, so that it begins with nodes where these are quick. */
    void awaitSrv() {
        if (srv != null) {
            srv.awaitAnswers();
        }
    }

    /** Services that name servers say nothing of get the nodes that were last known; waits for that. */
    void recallSrv() {
        if (srv != null) {
            srv.recall();
        }
    }

    /**
     * Answers those who run Sigma from now on, where sigma.json says so.
     *
     * @return where it listens; null where it doesn't
     */
    @Nullable InetSocketAddress serve(@Nullable AdminConfig config, Sources sources) throws StartException {
        return admin.open(config, sources);
    }

    /** Answers those who run Sigma no more, where another process is about to; waits until that one can listen there. */
    void endAdmin() {
        InetSocketAddress address = admin.address();
        admin.end();
        if (address != null) {
            ListeningPlaces.awaitFree(address);
        }
    }

    /**
     * Answers them again.
     *
     * @throws StartException where it can't
     */
    void serveAdmin(@Nullable AdminConfig config) throws StartException {
        admin.again(config);
    }

    /**
     * Answers them where a server of the configuration before was, which is closed by now. Blocks.
     *
     * @throws StartException where it can't after all
     */
    void serveLate() throws StartException {
        admin.openLate();
    }

    /** Where it answers them; null where it doesn't. Any thread. */
    @Nullable InetSocketAddress adminAddress() {
        return admin.address();
    }

    /** Begins with active checks: when all else is there, so that none is made in vain. */
    void check() {
        current.check(each -> true);
    }

    /** What active checks know of the nodes. Any thread. */
    List<CheckView> checks() {
        HealthChecker by = checker;
        return by == null ? List.of() : by.views();
    }

    /** Ends all of it, when the Workers have ended. */
    void close(Duration limit) {
        files.close();
        closeVertx(limit);
        names.close(limit);
    }

    private void closeVertx(Duration limit) {
        Vertx ending = vertx;
        if (ending == null) {
            return;
        }
        if (srv != null) {
            srv.close();
        }
        HealthChecker by = checker;
        Future<Void> checks = by == null ? Future.succeededFuture() : by.close();
        Future.join(checks, admin.close())
                .eventually(ending::close)
                .<@Nullable Void>mapEmpty()
                .toCompletionStage()
                .toCompletableFuture()
                .completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
