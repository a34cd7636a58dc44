package net.oooops.sigma.control;

import io.netty.channel.socket.nio.NioDatagramChannel;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.admin.AdminServer;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AdminConfig;
import net.oooops.sigma.config.NodesFile;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.health.HealthChecker;
import net.oooops.sigma.tls.NodeTls;
import net.oooops.sigma.upstream.NameResolution;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * What runs beside the Workers: active checks of nodes, the admin server, and what finds out which nodes there are. It has a Vert.x of its own, with one event loop, so that neither disturbs the
 * other; where nothing asks for it, there is none.
 *
 * <p>Any thread, one at a time; {@link #serve} and {@link #close} block.
 */
final class ControlPlane {
    private final @Nullable Vertx vertx;
    private final @Nullable HealthChecker checker;
    private final @Nullable NodesFileWatch files;
    private final @Nullable SrvWatches srv;
    /** Those to be checked whose nodes never change. */
    private final List<UpstreamConfig> checked;

    private @Nullable AdminServer admin;

    private ControlPlane(
            @Nullable Vertx vertx,
            @Nullable HealthChecker checker,
            @Nullable NodesFileWatch files,
            @Nullable SrvWatches srv,
            List<UpstreamConfig> checked) {
        this.vertx = vertx;
        this.checker = checker;
        this.files = files;
        this.srv = srv;
        this.checked = checked;
    }

    /**
     * Makes ready what a configuration asks for.
     *
     * @param nodes told what checks find, and which nodes there are
     */
    static ControlPlane start(SigmaConfig config, NodeRegistry nodes) {
        List<UpstreamConfig> checked = config.upstreams().stream()
                .filter(upstream -> upstream.health().active() != null)
                .toList();
        boolean hasSrv =
                config.upstreams().stream().anyMatch(upstream -> upstream.discovery() instanceof Discovery.OfSrv);
        Vertx vertx = checked.isEmpty() && config.admin() == null && !hasSrv ? null : vertx();
        HealthChecker checker = vertx == null || checked.isEmpty() ? null : checker(vertx, config, nodes);
        if (checker != null) {
            // Whoever changes nodes has them checked from then on.
            checked.stream().filter(ControlPlane::isChanging).forEach(checker::watch);
        }
        CurrentNodes current = new CurrentNodes(checker);
        SrvWatches srv = vertx == null || !hasSrv ? null : SrvWatches.start(vertx, config, nodes, current);
        List<UpstreamConfig> fixed =
                checked.stream().filter(upstream -> !isChanging(upstream)).toList();
        return new ControlPlane(vertx, checker, files(nodes, current), srv, fixed);
    }

    /** Waits for the first answers of name servers on services, so that it begins with nodes where these are quick. */
    void awaitSrv() {
        if (srv != null) {
            srv.awaitAnswers();
        }
    }

    private static boolean isChanging(UpstreamConfig upstream) {
        return upstream.discovery() instanceof Discovery.OfFile || upstream.discovery() instanceof Discovery.OfSrv;
    }

    private static Vertx vertx() {
        // Java's own sockets: they work everywhere, and nothing here needs to be quick.
        return Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setPreferNativeTransport(false)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
    }

    private static HealthChecker checker(Vertx vertx, SigmaConfig config, NodeRegistry nodes) {
        NameResolution.Settings settings = NameResolution.Settings.of(
                config.runtime().dns(), config.client().connectTimeoutNanos());
        return new HealthChecker(
                vertx,
                loop -> new NameResolution(loop, NioDatagramChannel::new, settings, nodes.names()),
                id -> tlsOf(nodes, id),
                new CheckedNodes(nodes));
    }

    private static @Nullable NodeTls tlsOf(NodeRegistry nodes, String id) {
        Upstream upstream = nodes.find(id);
        return upstream == null ? null : upstream.tls();
    }

    private static @Nullable NodesFileWatch files(NodeRegistry nodes, CurrentNodes current) {
        List<NodesFileWatch.Watched> watched = new ArrayList<>();
        for (Upstream upstream : nodes.all()) {
            if (upstream.config().discovery() instanceof Discovery.OfFile(Path file)) {
                NodesFile read = new NodesFile(file, upstream.config().scheme());
                watched.add(new NodesFileWatch.Watched(read, upstream, current));
            }
        }
        return watched.isEmpty() ? null : NodesFileWatch.start(watched);
    }

    /**
     * Answers those who run Sigma from now on, where sigma.json says so.
     *
     * @return where it listens; null where it doesn't
     */
    @Nullable InetSocketAddress serve(@Nullable AdminConfig config, Sources sources) throws StartException {
        if (config == null || vertx == null) {
            return null;
        }
        InetSocketAddress address = new InetSocketAddress(config.host(), config.port());
        String cannot = "proxy-server.admin: can't listen on " + config.host() + ":" + config.port() + " (";
        if (address.isUnresolved()) {
            throw new StartException(cannot + "no such host)", new java.net.UnknownHostException(config.host()));
        }
        try {
            AdminServer server = AdminServer.start(vertx, config, address, sources)
                    .toCompletionStage()
                    .toCompletableFuture()
                    .orTimeout(Gateway.START_LIMIT.toSeconds(), TimeUnit.SECONDS)
                    .join();
            admin = server;
            return new InetSocketAddress(address.getAddress(), server.port());
        } catch (CompletionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            throw new StartException(cannot + cause.getMessage() + ")", cause);
        }
    }

    /** Begins with active checks: when all else is there, so that none is made in vain. */
    void check() {
        if (checker != null) {
            checked.forEach(checker::watch);
        }
    }

    /** What active checks know of the nodes. */
    List<CheckView> checks() {
        return checker == null ? List.of() : checker.views();
    }

    /** Ends all of it. */
    void close(Duration limit) {
        if (files != null) {
            files.close();
        }
        if (vertx == null) {
            return;
        }
        if (srv != null) {
            srv.close();
        }
        Future<Void> checks = checker == null ? Future.succeededFuture() : checker.close();
        Future<Void> server = admin == null ? Future.succeededFuture() : admin.close();
        Future.join(checks, server)
                .eventually(vertx::close)
                .<@Nullable Void>mapEmpty()
                .toCompletionStage()
                .toCompletableFuture()
                .completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
