package net.oooops.sigma.bolt;

import java.util.List;
import net.oooops.sigma.config.BoltConfig;
import net.oooops.sigma.upstream.Upstream;

/**
 * What all Workers do with Bolt in mode {@code route}.
 *
 * @param listeners one for each Listener
 * @param upstreams where calls go
 * @param config how nodes are connected to
 */
public record BoltPlan(List<BoltListenerPlan> listeners, List<Upstream> upstreams, BoltConfig config) {
    public BoltPlan {
        listeners = List.copyOf(listeners);
        upstreams = List.copyOf(upstreams);
    }

    /** About how many bytes may wait to be sent to a node before the clients that they come from aren't read. */
    int writeBufferBytesMax() {
        return listeners.stream()
                .mapToInt(each -> each.listener().limits().writeBufferBytesMax())
                .max()
                .orElse(0);
    }

    /** How many bytes may wait to be sent to a node at all. */
    int unsentBytesMax() {
        return listeners.stream()
                .mapToInt(each -> each.listener().bounds().unsentBytesMax())
                .max()
                .orElse(0);
    }

    /** How long a frame of a node may be: what the most generous Listener allows, for all share the connections. */
    int frameBytesMax() {
        return listeners.stream()
                .mapToInt(each -> each.listener().bounds().frameBytesMax())
                .max()
                .orElse(0);
    }
}
