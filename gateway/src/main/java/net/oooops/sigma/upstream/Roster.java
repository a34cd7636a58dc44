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
    private final AtomicReference<Wanted> wanted;
    private int numbersGiven;

    /**
     * What it is to have, said at once: who puts nodes in place has those that come go on as the ones did that were there for that list.
     *
     * @param predecessors whose place they take, as long as none of them has come
     */
    record Wanted(List<NodeConfig> nodes, Predecessors predecessors) {
        Wanted {
            nodes = List.copyOf(nodes);
        }
    }

    /**
     * One of the Upstream of that id.
     *
     * @param names how logs call a node
     */
    Roster(SteeredNodes steered, String id, List<NodeConfig> wanted, Function<NodeConfig, String> names) {
        this.steered = steered;
        this.id = id;
        this.wanted = new AtomicReference<>(new Wanted(wanted, Predecessors.NONE));
        this.names = names;
    }

    /** Those are found from now on, and take the place of whom others would have taken it. Returns whether that is a change. */
    boolean want(List<NodeConfig> now) {
        return !wanted.getAndUpdate(before -> new Wanted(now, before.predecessors()))
                .nodes()
                .equals(now);
    }

    /** Those are written from now on, and whoever comes takes those places. Returns whether they are others: else nothing is done. */
    boolean want(List<NodeConfig> now, Predecessors from) {
        Wanted next = new Wanted(now, now.isEmpty() ? Predecessors.NONE : from);
        return !wanted.getAndUpdate(before -> before.nodes().equals(now) ? before : next)
                .nodes()
                .equals(now);
    }

    /** Whoever comes takes those places. */
    void precede(Predecessors from) {
        wanted.updateAndGet(before -> new Wanted(before.nodes(), from));
    }

    /** Nodes have come that took those places: whoever comes later doesn't. */
    @SuppressWarnings("ReferenceEquality") // Meanwhile it may be about others.
    void handedOver(Predecessors from) {
        wanted.updateAndGet(now -> now.predecessors() == from ? new Wanted(now.nodes(), Predecessors.NONE) : now);
    }

    /** What it is to have. */
    Wanted wanted() {
        return wanted.get();
    }

    /** The nodes of that list: those that there were stay the same ones, though they may be used in another way. */
    List<Node> arrange(List<NodeConfig> now, List<Node> before) {
        Map<String, Node> known = new HashMap<>();
        before.forEach(node -> known.put(node.written().hostAndPort(), node));
        List<Node> after = new ArrayList<>();
        for (NodeConfig each : now) {
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
