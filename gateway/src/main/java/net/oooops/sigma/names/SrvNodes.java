package net.oooops.sigma.names;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.config.NodeConfig;
import org.jspecify.annotations.Nullable;

/**
 * The nodes of a service, by its SRV records (RFC 2782):
 *
 * <ul>
 *   <li>The lowest priority that there is makes the nodes, all others make backups, alike: there is one group of them.
 *   <li>The weight is the node's. A weight of 0 among others gets about a hundredth of the least of them: the others are multiplied, as
 *       nodes have weights of whole numbers from 1 to 65535. Where all are 0, all are alike.
 *   <li>Of several records with the same host and port the first counts, by priority and weight.
 * </ul>
 *
 * The order is by priority, host and port, since name servers turn answers round. Any thread.
 */
public final class SrvNodes {
    /** What the least weight becomes beside a weight of 0. */
    private static final int BESIDE_ZERO = 100;

    private SrvNodes() {}

    /**
     * The nodes of those records; none where they say that there is no such service; null where none of them can be used.
     */
    public static @Nullable List<NodeConfig> of(List<SrvRecord> records) {
        List<SrvRecord> usable =
                new ArrayList<>(records.stream().filter(SrvNodes::isUsable).toList());
        if (usable.isEmpty()) {
            return records.stream().anyMatch(SrvRecord::isNone) ? List.of() : null;
        }
        usable.sort(Comparator.comparingInt(SrvRecord::priority)
                .thenComparing(SrvRecord::target)
                .thenComparingInt(SrvRecord::port)
                .thenComparing(Comparator.comparingInt(SrvRecord::weight).reversed()));
        int first = usable.getFirst().priority();
        int factor =
                factor(usable.stream().filter(each -> each.priority() == first).toList());
        int factorOfOthers =
                factor(usable.stream().filter(each -> each.priority() != first).toList());
        List<NodeConfig> nodes = new ArrayList<>();
        Set<String> seen = new HashSet<>();
        for (SrvRecord each : usable) {
            boolean backup = each.priority() != first;
            int weight = Math.max(1, each.weight() * (backup ? factorOfOthers : factor));
            NodeConfig node = new NodeConfig(each.target(), each.port(), weight, backup, "");
            if (seen.add(node.hostAndPort())) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    private static boolean isUsable(SrvRecord each) {
        return each.port() > 0 && NodeConfig.isHost(each.target());
    }

    private static int factor(List<SrvRecord> group) {
        int least = NodeConfig.WEIGHT_MAX;
        int most = 0;
        boolean zero = false;
        for (SrvRecord each : group) {
            zero |= each.weight() == 0;
            most = Math.max(most, each.weight());
            least = each.weight() == 0 ? least : Math.min(least, each.weight());
        }
        return zero && most > 0 ? Math.clamp(Math.ceilDiv(BESIDE_ZERO, least), 1, NodeConfig.WEIGHT_MAX / most) : 1;
    }
}
