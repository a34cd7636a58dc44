package net.oooops.sigma.control;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Upstream;

/**
 * An Upstream of the configuration that holds.
 *
 * @param upstream itself
 * @param config what is said of it
 */
record CurrentUpstream(Upstream upstream, UpstreamConfig config) {
    /** Those of a configuration. */
    static List<CurrentUpstream> of(SigmaConfig config, NodeRegistry nodes) {
        List<CurrentUpstream> all = new ArrayList<>();
        for (UpstreamConfig each : config.upstreams()) {
            Upstream upstream = nodes.find(each.id());
            if (upstream != null) {
                all.add(new CurrentUpstream(upstream, each));
            }
        }
        return all;
    }

    String id() {
        return config.id();
    }

    boolean isChecked() {
        return config.health().active() != null;
    }

    /** Whether its nodes may become others by themselves. */
    boolean isChanging() {
        return config.discovery() instanceof Discovery.OfFile || config.discovery() instanceof Discovery.OfSrv;
    }

    /** What is said of it, with the nodes that it has now. */
    UpstreamConfig withItsNodes() {
        return config.with(upstream.nodes().stream().map(Node::config).toList());
    }
}
