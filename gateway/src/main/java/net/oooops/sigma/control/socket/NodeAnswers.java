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
 * {@code drain}, {@code weight}, {@code eject} and {@code restore}: what an operator says of one node. Asked with {@code node}, its host and port, and with
 * {@code upstream} where several have it.
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
        return asked -> answer(asked, said);
    }

    /** The same, with the weight that is asked for. */
    public Steered withWeight() {
        return asked -> {
            int weight = asked.number("weight");
            if (weight < 1 || weight > NodeConfig.WEIGHT_MAX) {
                throw new Refused("weight: " + weight + " (expected: 1 to " + NodeConfig.WEIGHT_MAX
                        + "; `sigma drain` gives a node nothing new)");
            }
            return answer(asked, before -> before.withWeight(weight));
        };
    }

    /** Takes away what is said, also of a node that isn't there: it is used as its configuration says once it is. */
    public Steered restoring() {
        return asked -> {
            String name = asked.text("node");
            String upstreamId = asked.optionalText("upstream");
            if (having(name, upstreamId).isEmpty()) {
                List<SteeredNodes.Word> absent = steered.absent().stream()
                        .filter(each -> each.node().equals(name)
                                && (upstreamId == null || each.upstream().equals(upstreamId)))
                        .toList();
                if (!absent.isEmpty()) {
                    return restored(absent, name);
                }
            }
            return answer(asked, before -> Steering.NONE);
        };
    }

    private Answer restored(List<SteeredNodes.Word> absent, String name) throws Refused {
        if (absent.size() > 1) {
            throw several(name, absent.stream().map(SteeredNodes.Word::upstream).toList());
        }
        String id = absent.getFirst().upstream();
        steered.restore(id, name, System.nanoTime());
        return new Answer(
                "upstream " + id + " node " + name + ", which isn't there: " + Steering.NONE.text() + "\n",
                json(new SteeredNodes.Word(id, name, Steering.NONE)));
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

    private Answer answer(Asked asked, UnaryOperator<Steering> said) throws Refused {
        String name = asked.text("node");
        Upstream upstream = only(name, asked.optionalText("upstream"));
        Node node = node(upstream, name);
        if (node == null || !upstream.steer(name, said, System.nanoTime())) {
            // It is gone since.
            throw unknown(name);
        }
        Steering now = node.steering();
        String text = "upstream " + upstream.id() + " node " + name + ": " + now.text();
        return new Answer(
                text + "\n",
                Map.of(
                        "upstream", upstream.id(),
                        "node", name,
                        "weight", node.config().weight(),
                        "use", word(now.use())));
    }

    private Upstream only(String name, @Nullable String upstreamId) throws Refused {
        List<Upstream> with = having(name, upstreamId);
        if (with.isEmpty()) {
            throw unknown(upstreamId == null ? name : upstreamId + "/" + name);
        }
        if (with.size() > 1) {
            throw several(name, with.stream().map(Upstream::id).toList());
        }
        return with.getFirst();
    }

    private List<Upstream> having(String name, @Nullable String upstreamId) {
        List<Upstream> with = new ArrayList<>();
        for (Upstream each : upstreams.get()) {
            if ((upstreamId == null || each.id().equals(upstreamId)) && node(each, name) != null) {
                with.add(each);
            }
        }
        return with;
    }

    private static Refused several(String name, List<String> upstreamIds) {
        return new Refused("several upstreams have " + name + " (expected: one of "
                + upstreamIds.stream().map(each -> each + "/" + name).collect(Collectors.joining(", ")) + ")");
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

    private static @Nullable Node node(Upstream upstream, String name) {
        for (Node node : upstream.nodes()) {
            if (node.config().hostAndPort().equals(name)) {
                return node;
            }
        }
        return null;
    }
}
