package net.oooops.sigma.control.socket;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.SteeredNodes;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/**
 * {@code drain}, {@code weight}, {@code eject} and {@code restore}: what an operator says of nodes. Asked with {@code node}, host and port or
 * the host alone, it is said of that node in every Upstream that has it; with {@code upstream}, in that one only.
 *
 * <p>Any thread.
 */
public final class NodeAnswers {
    private static final int NAMES_MAX = 10;

    private final Supplier<List<Upstream>> upstreams;
    private final SteeredNodes steered;

    /**
     * One that speaks of those.
     *
     * @param upstreams those that there are when it is asked
     * @param steered what is said, also of nodes that aren't there
     */
    public NodeAnswers(Supplier<List<Upstream>> upstreams, SteeredNodes steered) {
        this.upstreams = upstreams;
        this.steered = steered;
    }

    /** What makes of what is said of a node what is to be said. */
    public Steered with(UnaryOperator<Steering> said) {
        return asked -> {
            Named named = Named.by(asked);
            return answer(named, say(named, said));
        };
    }

    /** The same, with the weight that is asked for. */
    public Steered withWeight() {
        return asked -> {
            int weight = asked.number("weight");
            if (weight < 1 || weight > NodeConfig.WEIGHT_MAX) {
                throw new Refused("weight: " + weight + " (expected: 1 to " + NodeConfig.WEIGHT_MAX
                        + "; `sigma drain` gives a node nothing new)");
            }
            Named named = Named.by(asked);
            return answer(named, say(named, before -> before.withWeight(weight)));
        };
    }

    /** Takes away what is said, also of nodes that aren't there: they are used as their configuration says once they are. */
    public Steered restoring() {
        return asked -> {
            Named named = Named.by(asked);
            List<Told> all = say(named, before -> Steering.NONE);
            for (SteeredNodes.Word each : steered.absent()) {
                if (named.isMeant(each.upstream(), each.node())) {
                    steered.restore(each.upstream(), each.node(), System.nanoTime());
                    SteeredNodes.Word word = new SteeredNodes.Word(each.upstream(), each.node(), Steering.NONE);
                    all.add(new Told(each.upstream(), each.node() + ", which isn't there", Steering.NONE, json(word)));
                }
            }
            return answer(named, all);
        };
    }

    /** What is said of a node that isn't there. */
    static Map<String, @Nullable Object> json(SteeredNodes.Word word) {
        Map<String, @Nullable Object> json = new LinkedHashMap<>();
        int weight = word.said().weight();
        json.put("upstream", word.upstream());
        json.put("node", word.node());
        json.put("weight", weight == Steering.WRITTEN ? null : weight);
        json.put("use", word(word.said().use()));
        return json;
    }

    private static String word(Steering.Use use) {
        return use.name().toLowerCase(Locale.ROOT);
    }

    /** Of all that are meant and there: one that is gone by now is left out. */
    private List<Told> say(Named named, UnaryOperator<Steering> said) {
        List<Told> all = new ArrayList<>();
        for (Upstream upstream : upstreams.get()) {
            for (Node node : upstream.nodes()) {
                String name = node.config().hostAndPort();
                if (named.isMeant(upstream.id(), name) && upstream.steer(name, said, System.nanoTime())) {
                    all.add(new Told(upstream.id(), name, node.steering(), json(upstream.id(), node)));
                }
            }
        }
        return all;
    }

    private static Map<String, Object> json(String upstreamId, Node node) {
        Map<String, Object> json = new LinkedHashMap<>();
        json.put("upstream", upstreamId);
        json.put("node", node.config().hostAndPort());
        json.put("weight", node.config().weight());
        json.put("use", word(node.steering().use()));
        return json;
    }

    private Answer answer(Named named, List<Told> all) throws Refused {
        if (all.isEmpty()) {
            throw unknown(named.text());
        }
        return new Answer(
                all.stream().map(Told::text).collect(Collectors.joining()) + without(all),
                Map.of("nodes", all.stream().map(Told::json).toList()));
    }

    /** Which of their upstreams have nothing left to give requests to. */
    private String without(List<Told> all) {
        StringBuilder text = new StringBuilder();
        for (Upstream upstream : upstreams.get()) {
            boolean meant = all.stream().anyMatch(told -> told.upstream.equals(upstream.id()));
            if (meant && upstream.availableCount() == 0) {
                text.append("upstream ").append(upstream.id()).append(": 0 of ");
                text.append(upstream.nodes().size()).append(" nodes available now\n");
            }
        }
        return text.toString();
    }

    private Refused unknown(String name) {
        List<String> all = new ArrayList<>();
        for (Upstream upstream : upstreams.get()) {
            upstream.nodes()
                    .forEach(node -> all.add(upstream.id() + "/" + node.config().hostAndPort()));
        }
        String some = String.join(", ", all.subList(0, Math.min(all.size(), NAMES_MAX)));
        String more = all.size() > NAMES_MAX ? " and " + (all.size() - NAMES_MAX) + " more" : "";
        return new Refused("no node " + name + " (expected: one of " + some + more + ")");
    }

    /**
     * Which nodes are meant.
     *
     * @param node host and port, IPv6 in brackets; or the host alone, which is that of all of its ports
     * @param upstream the only one that is meant; null: all
     */
    private record Named(String node, @Nullable String upstream) {
        static Named by(Asked asked) throws Refused {
            return new Named(asked.text("node"), asked.optionalText("upstream"));
        }

        boolean isMeant(String upstreamId, String hostAndPort) {
            return (upstream == null || upstream.equals(upstreamId))
                    && (hostAndPort.equals(node)
                            || (hostAndPort.startsWith(node) && hostAndPort.lastIndexOf(':') == node.length()));
        }

        String text() {
            return upstream == null ? node : upstream + "/" + node;
        }
    }

    /** What is said of one of them from now on. */
    private record Told(String upstream, String node, Steering said, Map<String, ?> json) {
        String text() {
            return "upstream " + upstream + " node " + node + ": " + said.text() + "\n";
        }
    }
}
