package net.oooops.sigma.upstream;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.tls.TlsException;
import org.jspecify.annotations.Nullable;

/**
 * Which Upstreams a {@link NodeRegistry} is to have: an Upstream that there is stays the same one where it can. Nothing that runs notices
 * until {@link #commit}; what an Upstream that stays says of itself until then is what was said before.
 *
 * <p>One thread at a time. Ends with one {@link #commit} or {@link #discard}.
 */
public final class Draft {
    private final NodeRegistry registry;
    private final NodeRegistry.Known before;
    private final BitSet numbers = new BitSet();
    private final Map<String, Upstream> byId = new LinkedHashMap<>();
    /** Those that stay, and what they will be. */
    private final Map<Upstream, UpstreamConfig> kept = new LinkedHashMap<>();

    private final List<Upstream> made = new ArrayList<>();

    Draft(NodeRegistry registry, NodeRegistry.Known before) {
        this.registry = registry;
        this.before = before;
        before.all().forEach(upstream -> numbers.set(upstream.number()));
    }

    /**
     * That Upstream: the one that there is of its id, where it can be what that says, else one that is made for this draft. Asked again by
     * the same id, it is the same one.
     *
     * @throws TlsException where TLS can't be spoken to its nodes as it says
     */
    public Upstream upstream(UpstreamConfig config) {
        Upstream named = byId.get(config.id());
        if (named != null) {
            return named;
        }
        Upstream there = before.byId().get(config.id());
        Upstream upstream;
        if (there != null && there.fits(config)) {
            upstream = there;
            kept.put(there, config);
        } else {
            int number = numbers.nextClearBit(0);
            upstream = new Upstream(config, number, registry.steered());
            numbers.set(number);
            made.add(upstream);
        }
        byId.put(config.id(), upstream);
        return upstream;
    }

    /** The Upstream of that id, where it was named. */
    public @Nullable Upstream find(String id) {
        return byId.get(id);
    }

    /** All that were named, in that order. */
    public List<Upstream> all() {
        return List.copyOf(byId.values());
    }

    /** These are the Upstreams that there are from now on: those that stay are configured anew, all others are leaving. */
    public void commit() {
        registry.check(this);
        Predecessors gone = Predecessors.gone(before.byId().values(), this::staying);
        for (Upstream upstream : made) {
            upstream.begin(before.byId().get(upstream.id()), gone);
            // What operators have said since it was made; and once more when they can find it: see SteeredNodes.
            upstream.follow();
        }
        kept.forEach((upstream, config) -> upstream.configure(config, gone));
        registry.replace(all());
        made.forEach(Upstream::follow);
        registry.end(this);
    }

    /** The hosts and ports of the nodes that an Upstream of the same id has, too: nobody else's nodes take their place. */
    private Set<String> staying(Upstream there) {
        Upstream now = byId.get(there.id());
        if (now == null) {
            return Set.of();
        }
        UpstreamConfig config = kept.getOrDefault(there, now.config());
        boolean found = !(config.discovery() instanceof Discovery.Written)
                && config.discovery().equals(there.config().discovery());
        Set<String> staying = new HashSet<>();
        if (found) {
            there.nodes().forEach(node -> staying.add(node.written().hostAndPort()));
        } else {
            config.nodes().forEach(node -> staying.add(node.hostAndPort()));
        }
        return staying;
    }

    /** It comes to nothing: what was made for it is closed. */
    public void discard() {
        registry.check(this);
        registry.end(this);
        made.forEach(NodeRegistry::close);
    }
}
