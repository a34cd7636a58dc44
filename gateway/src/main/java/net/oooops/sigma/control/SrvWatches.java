package net.oooops.sigma.control;

import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.upstream.NameResolution;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;

/**
 * The Upstreams whose nodes are services of DNS: each is watched, all on one event loop.
 *
 * <p>Any thread; {@link #awaitAnswers} blocks.
 */
final class SrvWatches implements AutoCloseable {
    /** So long the start waits for the first answers. */
    static final Duration FIRST_ANSWERS_LIMIT = Duration.ofSeconds(2);

    private final Context context;
    private final NameResolution names;
    private final List<SrvWatch> all;

    private SrvWatches(Context context, NameResolution names, List<SrvWatch> all) {
        this.context = context;
        this.names = names;
        this.all = all;
    }

    /** Begins to ask. */
    static SrvWatches start(Vertx vertx, SigmaConfig config, NodeRegistry nodes, CurrentNodes current) {
        Context context = vertx.getOrCreateContext();
        NameResolution names = new NameResolution(
                        ((ContextInternal) context).nettyEventLoop(),
                        NioDatagramChannel::new,
                        NameResolution.Settings.of(
                                config.runtime().dns(), config.client().connectTimeoutNanos()),
                        nodes.names())
                .withTcp(NioSocketChannel::new);
        SrvWatch.Means means =
                new SrvWatch.Means(names, current, config.runtime().dns());
        List<SrvWatch> all = new ArrayList<>();
        for (Upstream upstream : nodes.all()) {
            if (upstream.config().discovery() instanceof Discovery.OfSrv(String name)) {
                all.add(new SrvWatch(upstream, name, means));
            }
        }
        context.runOnContext(now -> all.forEach(SrvWatch::ask));
        return new SrvWatches(context, names, List.copyOf(all));
    }

    /** Waits until each has had an answer or none, but not for long. */
    void awaitAnswers() {
        CompletableFuture.allOf(all.stream().map(SrvWatch::answered).toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, FIRST_ANSWERS_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** Asks no more; returns at once. */
    @Override
    public void close() {
        context.runOnContext(now -> {
            all.forEach(SrvWatch::close);
            names.close();
        });
    }
}
