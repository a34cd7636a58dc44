package net.oooops.sigma.control;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.health.HealthChecker;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Gives Upstreams other nodes: Workers take them up within a tick, active checks begin for those that have come and end for those that
 * are gone, and the log says who they are. Knows which Upstreams there are: what is found out of others is of no interest any more.
 *
 * <p>Any thread, one at a time.
 */
final class CurrentNodes {
    private static final Logger LOG = LoggerFactory.getLogger(CurrentNodes.class);
    /** So many names are in one line of the log. */
    private static final int NAMES_MAX = 10;

    /** By id. */
    private Map<String, CurrentUpstream> all = Map.of();

    private @Nullable HealthChecker checker;

    /**
     * These are the Upstreams from now on. Nobody is checked yet that isn't.
     *
     * @param by what checks them from now on; null where none is to be checked
     */
    synchronized void follow(List<CurrentUpstream> now, @Nullable HealthChecker by) {
        Map<String, CurrentUpstream> next = new LinkedHashMap<>();
        now.forEach(each -> next.put(each.id(), each));
        HealthChecker before = checker;
        if (before != null) {
            for (CurrentUpstream each : all.values()) {
                CurrentUpstream same = next.get(each.id());
                if (each.isChecked() && (same == null || !same.isChecked())) {
                    before.forget(each.id());
                } else if (same != null && same.upstream() != each.upstream()) {
                    before.tellAgain(each.id());
                }
            }
        }
        all = next;
        checker = by;
    }

    /** Checks those from now on of which that holds, as far as they are to be checked; goes on with what is known of them. */
    synchronized void check(Predicate<CurrentUpstream> which) {
        HealthChecker by = checker;
        if (by != null) {
            all.values().stream()
                    .filter(each -> each.isChecked() && which.test(each))
                    .forEach(each -> by.watch(each.withItsNodes()));
        }
    }

    /** That Upstream has these nodes from now on, unless it is none of those that there are. */
    synchronized void replace(Upstream upstream, List<NodeConfig> nodes) {
        CurrentUpstream current = all.get(upstream.id());
        if (current == null || current.upstream() != upstream) {
            return;
        }
        upstream.freshness().renewed();
        Set<String> before = names(upstream);
        if (!upstream.replaceNodes(nodes)) {
            return;
        }
        if (checker != null && current.isChecked()) {
            checker.watch(current.config().with(nodes));
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
