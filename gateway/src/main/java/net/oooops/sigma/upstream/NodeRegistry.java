package net.oooops.sigma.upstream;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.tls.NodeTls;
import net.oooops.sigma.tls.TlsException;
import org.jspecify.annotations.Nullable;

/**
 * All Upstreams that a process has, by identity. What is known of nodes lives here, outside plans and Workers, so that it outlives
 * them.
 *
 * <p>{@link #upstream(UpstreamConfig)}: one thread at a time, before Workers hear of it. {@link #tick}: always the same thread. The rest: any thread.
 */
public final class NodeRegistry {
    private final AtomicReference<Map<String, Upstream>> upstreams = new AtomicReference<>(Map.of());
    private final Bound connections = new Bound(Descriptors.ofNodes());
    private final NameOutages names = new NameOutages();

    /** Which of their names the name servers have no answer for. */
    public NameOutages names() {
        return names;
    }

    /**
     * That Upstream, made where there was none of its id.
     *
     * @throws TlsException where TLS can't be spoken to its nodes as it says
     */
    public Upstream upstream(UpstreamConfig config) {
        Map<String, Upstream> known = upstreams.get();
        Upstream there = known.get(config.id());
        if (there != null) {
            return there;
        }
        Map<String, Upstream> more = new LinkedHashMap<>(known);
        Upstream made = new Upstream(config, known.size());
        more.put(config.id(), made);
        upstreams.set(more);
        return made;
    }

    /** The Upstream of that id, or null. */
    public @Nullable Upstream find(String id) {
        return upstreams.get().get(id);
    }

    /** All of them, in the order in which they were made. */
    public List<Upstream> all() {
        return List.copyOf(upstreams.get().values());
    }

    /** How many there are: their numbers are below. */
    public int count() {
        return upstreams.get().size();
    }

    /** The bound on the pooled connections to all nodes together: half of the file descriptors. */
    public Bound connections() {
        return connections;
    }

    /** No connection to a node is opened any more. */
    public void close() {
        for (Upstream upstream : upstreams.get().values()) {
            NodeTls tls = upstream.tls();
            if (tls != null) {
                tls.close();
            }
        }
    }

    /** Time has passed: ejections end, nodes are compared. To be called several times a second. */
    public void tick(long nowNanos) {
        for (Upstream upstream : upstreams.get().values()) {
            upstream.tick(nowNanos);
        }
    }
}
