package net.oooops.sigma.control;

import io.vertx.core.Context;
import io.vertx.core.Vertx;
import io.vertx.core.internal.ContextInternal;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.upstream.Upstream;

/**
 * The Upstreams whose nodes are services of DNS: each is watched, all on one event loop.
 *
 * <p>Any thread, one at a time; {@link #awaitAnswers} blocks.
 */
final class SrvWatches implements AutoCloseable {
    /** So long the start waits for the first answers. */
    static final Duration FIRST_ANSWERS_LIMIT = Duration.ofSeconds(2);

    private final Context context;
    private final SrvWatch.Means means;
    /** By the id of the Upstream. */
    private Map<String, Watched> all = Map.of();

    /**
     * Whose nodes are watched, and by what.
     *
     * @param told done when that Upstream has what is known of its nodes
     */
    private record Watched(Upstream upstream, String name, SrvWatch watch, CompletableFuture<Void> told) {}

    /**
     * Asks nobody yet.
     *
     * @param bounds how long answers hold
     * @param asker asks name servers
     * @param current told which nodes there are
     */
    SrvWatches(Vertx vertx, DnsConfig bounds, NameAsker asker, CurrentNodes current) {
        this.context = vertx.getOrCreateContext();
        NameResolution names = new NameResolution(((ContextInternal) context).nettyEventLoop(), asker);
        this.means = new SrvWatch.Means(names, current, bounds);
    }

    /** Asks for the nodes of these Upstreams from now on; of those that it has asked for before as if nothing had been. */
    void follow(List<CurrentUpstream> upstreams) {
        Map<String, Watched> before = new HashMap<>(all);
        Map<String, Watched> now = new LinkedHashMap<>();
        for (CurrentUpstream each : upstreams) {
            if (each.config().discovery() instanceof Discovery.OfSrv(String name)) {
                Watched there = before.get(each.id());
                if (there != null && there.name().equals(name)) {
                    before.remove(each.id());
                    now.put(each.id(), handedOn(there, each.upstream()));
                } else {
                    now.put(each.id(), begun(each, name));
                }
            }
        }
        before.values()
                .forEach(gone -> context.runOnContext(here -> gone.watch().close()));
        all = now;
    }

    private Watched handedOn(Watched there, Upstream to) {
        if (there.upstream() == to) {
            return there;
        }
        CompletableFuture<Void> followed = new CompletableFuture<>();
        context.runOnContext(here -> {
            try {
                there.watch().follow(to);
            } finally {
                followed.complete(null);
            }
        });
        return new Watched(
                to,
                there.name(),
                there.watch(),
                CompletableFuture.allOf(there.watch().answered(), followed));
    }

    private Watched begun(CurrentUpstream of, String name) {
        SrvWatch watch = new SrvWatch(of.upstream(), name, means);
        context.runOnContext(here -> watch.ask());
        return new Watched(of.upstream(), name, watch, watch.answered());
    }

    /** Waits until each has had an answer or none and its Upstream was told, but not for long. */
    void awaitAnswers() {
        CompletableFuture.allOf(all.values().stream().map(Watched::told).toArray(CompletableFuture<?>[]::new))
                .completeOnTimeout(null, FIRST_ANSWERS_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** Those without an answer take the last one that is known; waits for that. */
    void recall() {
        List<Watched> asking = List.copyOf(all.values());
        CompletableFuture<Void> done = new CompletableFuture<>();
        context.runOnContext(here -> {
            try {
                asking.forEach(each -> each.watch().recall());
            } finally {
                done.complete(null);
            }
        });
        done.completeOnTimeout(null, FIRST_ANSWERS_LIMIT.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    /** Asks no more; returns at once. */
    @Override
    public void close() {
        List<Watched> ending = List.copyOf(all.values());
        context.runOnContext(here -> ending.forEach(each -> each.watch().close()));
    }
}
