package net.oooops.sigma.control;

import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.DnsConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.names.SrvNodes;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * Asks name servers who the nodes of a service are, again as soon as the answer's TTL is over. Where there is no answer, the last one
 * stays, and it is asked again after the shortest time that an answer is kept.
 *
 * <p>Called on the event loop of the {@link NameResolution} only, but {@link #answered}.
 */
final class SrvWatch {
    private Upstream upstream;
    private final String name;
    private final NameResolution names;
    private final CurrentNodes current;
    private final DnsConfig bounds;
    private final CompletableFuture<Void> answered = new CompletableFuture<>();
    private @Nullable ScheduledFuture<?> next;
    /** What the last answer said; null where there was none yet. */
    private @Nullable List<NodeConfig> known;

    private boolean failing;
    private boolean closed;

    /** What a watch needs to ask and to tell. */
    record Means(NameResolution names, CurrentNodes current, DnsConfig bounds) {}

    /**
     * @param upstream whose nodes they are
     * @param name of the service in DNS
     */
    SrvWatch(Upstream upstream, String name, Means means) {
        this.upstream = upstream;
        this.name = name;
        this.names = means.names();
        this.current = means.current();
        this.bounds = means.bounds();
    }

    /** Done when the first question was answered, or came to nothing. Any thread. */
    CompletableFuture<Void> answered() {
        return answered;
    }

    /** Its nodes are another Upstream's from now on: what is known of them holds. */
    void follow(Upstream next) {
        upstream = next;
        List<NodeConfig> nodes = known;
        if (nodes != null) {
            current.replace(next, nodes);
        }
        if (failing) {
            next.freshness().failed();
        }
    }

    /** Where there was no answer yet, the last one that the process, or the one before it, has had is taken, if there is one. */
    void recall() {
        List<NodeConfig> last = known == null && !closed ? names.last().nodes(name) : null;
        if (last != null) {
            known = last;
            follow(upstream);
        }
    }

    /** Asks, and goes on asking. */
    void ask() {
        if (closed) {
            return;
        }
        long askedNanos = System.nanoTime();
        names.srv(name).addListener((Future<NameResolution.SrvAnswer> done) -> {
            if (!closed) {
                took(done, askedNanos);
                answered.complete(null);
            }
        });
    }

    private void took(Future<NameResolution.SrvAnswer> done, long askedNanos) {
        NameResolution.SrvAnswer answer = done.isSuccess() ? done.getNow() : null;
        List<NodeConfig> nodes = answer == null ? null : SrvNodes.of(answer.records());
        if (answer == null || nodes == null) {
            schedule(bounds.ttlSecondsMin());
            recall();
            failing = true;
            upstream.freshness().failed();
            String why = answer == null ? NameResolution.why(done.cause()) : "no SRV record that can be used";
            names.failed(name, why, askedNanos, known != null);
            return;
        }
        if (failing) {
            failing = false;
            names.answered(name);
        }
        known = nodes;
        names.last().learntNodes(name, nodes);
        schedule(Math.clamp(answer.ttlSeconds(), bounds.ttlSecondsMin(), bounds.ttlSecondsMax()));
        current.replace(upstream, nodes);
    }

    private void schedule(long seconds) {
        next = names.loop().schedule(this::ask, seconds, TimeUnit.SECONDS);
    }

    /** Asks no more. */
    void close() {
        closed = true;
        answered.complete(null);
        if (next != null) {
            next.cancel(false);
        }
        if (failing) {
            names.forgotten(name);
        }
    }
}
