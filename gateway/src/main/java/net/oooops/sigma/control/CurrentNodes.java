package net.oooops.sigma.control;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.health.HealthChecker;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives Upstreams other nodes: Workers take them up within a tick, active checks begin for those that have come and end for those that
 * are gone, and the log says who they are.
 *
 * <p>Any thread, for each Upstream always the same one.
 */
final class CurrentNodes {
    private static final Logger LOG = LoggerFactory.getLogger(CurrentNodes.class);
    /** So many names are in one line of the log. */
    private static final int NAMES_MAX = 10;

    private final @Nullable HealthChecker checker;

    CurrentNodes(@Nullable HealthChecker checker) {
        this.checker = checker;
    }

    /** That Upstream has these nodes from now on. */
    void replace(Upstream upstream, List<NodeConfig> nodes) {
        upstream.freshness().renewed();
        Set<String> before = names(upstream);
        if (!upstream.replaceNodes(nodes)) {
            return;
        }
        if (checker != null && upstream.config().health().active() != null) {
            checker.watch(upstream.config().with(nodes));
        }
        Set<String> now = names(upstream);
        Set<String> come = new LinkedHashSet<>(now);
        come.removeAll(before);
        before.removeAll(now);
        LOG.info("upstream {}: {} nodes now; new: {}; gone: {}", upstream.id(), now.size(), shown(come), shown(before));
    }

    private static Set<String> names(Upstream upstream) {
        Set<String> names = new LinkedHashSet<>();
        for (Node node : upstream.nodes()) {
            names.add(node.name());
        }
        return names;
    }

    private static String shown(Set<String> names) {
        if (names.isEmpty()) {
            return "none";
        }
        List<String> first = new ArrayList<>(names.stream().limit(NAMES_MAX).toList());
        if (names.size() > NAMES_MAX) {
            first.add(names.size() - NAMES_MAX + " more");
        }
        return String.join(", ", first);
    }
}
