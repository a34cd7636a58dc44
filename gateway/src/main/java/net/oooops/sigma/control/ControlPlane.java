package net.oooops.sigma.control;

import io.netty.channel.socket.nio.NioDatagramChannel;
import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.admin.AdminServer;
import net.oooops.sigma.admin.Sources;
import net.oooops.sigma.config.AdminConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.health.CheckListener;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.health.HealthChecker;
import net.oooops.sigma.upstream.NameResolution;
import org.jspecify.annotations.Nullable;

/**
 * What runs beside the Workers: active checks of nodes, and the admin server. It has a Vert.x of its own, with one event loop, so that neither disturbs the
 * other; where nothing asks for it, there is none.
 *
 * <p>Any thread, one at a time; {@link #serve} and {@link #close} block.
 */
final class ControlPlane {
    private final @Nullable Vertx vertx;
    private final @Nullable HealthChecker checker;
    private final List<UpstreamConfig> checked;
    private @Nullable AdminServer admin;

    private ControlPlane(@Nullable Vertx vertx, @Nullable HealthChecker checker, List<UpstreamConfig> checked) {
        this.vertx = vertx;
        this.checker = checker;
        this.checked = checked;
    }

    /**
     * Makes ready what a configuration asks for.
     *
     * @param listener told what checks find
     */
    static ControlPlane start(SigmaConfig config, CheckListener listener) {
        List<UpstreamConfig> checked = config.upstreams().stream()
                .filter(upstream -> upstream.health().active() != null)
                .toList();
        if (checked.isEmpty() && config.admin() == null) {
            return new ControlPlane(null, null, checked);
        }
        // Java's own sockets: they work everywhere, and nothing here needs to be quick.
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setPreferNativeTransport(false)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        if (checked.isEmpty()) {
            return new ControlPlane(vertx, null, checked);
        }
        long connectNanos = config.client().connectTimeoutNanos();
        HealthChecker checker = new HealthChecker(
                vertx, loop -> new NameResolution(loop, NioDatagramChannel::new, connectNanos), listener);
        return new ControlPlane(vertx, checker, checked);
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
        if (vertx == null) {
            return;
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
