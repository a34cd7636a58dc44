package net.oooops.sigma.control;

import io.netty.channel.socket.nio.NioDatagramChannel;
import io.vertx.core.Vertx;
import io.vertx.core.VertxOptions;
import io.vertx.core.file.FileSystemOptions;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.health.CheckListener;
import net.oooops.sigma.health.CheckView;
import net.oooops.sigma.health.HealthChecker;
import net.oooops.sigma.upstream.NameResolution;
import org.jspecify.annotations.Nullable;

/**
 * What runs beside the Workers: active checks of nodes. It has a Vert.x of its own, with one event loop, so that neither disturbs the
 * other; where nothing asks for it, there is none.
 *
 * <p>Any thread; {@link #close} blocks.
 */
final class ControlPlane {
    private final @Nullable Vertx vertx;
    private final @Nullable HealthChecker checker;

    private ControlPlane(@Nullable Vertx vertx, @Nullable HealthChecker checker) {
        this.vertx = vertx;
        this.checker = checker;
    }

    /**
     * Starts what a configuration asks for.
     *
     * @param listener told what checks find
     */
    static ControlPlane start(SigmaConfig config, CheckListener listener) {
        List<UpstreamConfig> checked = config.upstreams().stream()
                .filter(upstream -> upstream.health().active() != null)
                .toList();
        if (checked.isEmpty()) {
            return new ControlPlane(null, null);
        }
        // Java's own sockets: they work everywhere, and nothing here needs to be quick.
        Vertx vertx = Vertx.vertx(new VertxOptions()
                .setEventLoopPoolSize(1)
                .setPreferNativeTransport(false)
                .setFileSystemOptions(
                        new FileSystemOptions().setFileCachingEnabled(false).setClassPathResolvingEnabled(false)));
        long connectNanos = config.client().connectTimeoutNanos();
        HealthChecker checker = new HealthChecker(
                vertx, loop -> new NameResolution(loop, NioDatagramChannel::new, connectNanos), listener);
        checked.forEach(checker::watch);
        return new ControlPlane(vertx, checker);
    }

    /** What active checks know of the nodes. */
    List<CheckView> checks() {
        return checker == null ? List.of() : checker.views();
    }

    /** Ends all of it. */
    void close(Duration limit) {
        if (vertx == null || checker == null) {
            return;
        }
        checker.close()
                .eventually(vertx::close)
                .toCompletionStage()
                .toCompletableFuture()
                .completeOnTimeout(null, limit.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }
}
