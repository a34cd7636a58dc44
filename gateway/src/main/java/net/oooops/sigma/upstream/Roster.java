package net.oooops.sigma.upstream;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import net.oooops.sigma.config.NodeConfig;

/**
 * Which nodes an {@link Upstream} is to have: those that are written or found, each with what an operator says of it
 * ({@link SteeredNodes}).
 *
 * <p>Any thread, but {@link #arrange} is called by one at a time.
 */
final class Roster {
    private final SteeredNodes steered;
    private final String id;
    private final Function<NodeConfig, String> names;
    private final AtomicReference<List<NodeConfig>> wanted;
    private int numbersGiven;

    /**
     * One of the Upstream of that id.
     *
     * @param names how logs call a node
     */
    Roster(SteeredNodes steered, String id, List<NodeConfig> wanted, Function<NodeConfig, String> names) {
        this.steered = steered;
        this.id = id;
        this.wanted = new AtomicReference<>(List.copyOf(wanted));
        this.names = names;
    }

    /** Those are written or found from now on. Returns whether that is a change. */
    boolean want(List<NodeConfig> now) {
        return !wanted.getAndSet(List.copyOf(now)).equals(now);
    }

    /** The nodes now: those that there were stay the same ones, though they may be used in another way. */
    List<Node> arrange(List<Node> before) {
        Map<String, Node> known = new HashMap<>();
        before.forEach(node -> known.put(node.written().hostAndPort(), node));
        List<Node> after = new ArrayList<>();
        for (NodeConfig each : wanted.get()) {
            Node there = known.get(each.hostAndPort());
            Node node = Objects.requireNonNullElseGet(there, () -> new Node(numbersGiven++, each, names.apply(each)));
            node.configure(each, steered.of(id, each.hostAndPort()));
            after.add(node);
        }
        return List.copyOf(after);
    }

    /** Whether each of those is used as an operator says. */
    boolean isFollowed(List<Node> nodes) {
        for (Node node : nodes) {
            if (!node.steering().equals(steered.of(id, node.written().hostAndPort()))) {
                return false;
            }
        }
        return true;
    }
}
