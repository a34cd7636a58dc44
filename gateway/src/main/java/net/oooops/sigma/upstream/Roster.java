package net.oooops.sigma.upstream;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import net.oooops.sigma.config.NodeConfig;

/**
 * Which nodes an {@link Upstream} is to have: those that are written or found, and what an operator says of them, by host and port. That
 * outlives the nodes: one that is gone and comes back is steered as before.
 *
 * <p>Any thread, but {@link #arrange} is called by one at a time.
 */
final class Roster {
    /** What is said of so many nodes that are gone is remembered. */
    private static final int GONE_MAX = 1000;

    private final Function<NodeConfig, String> names;
    private final AtomicReference<List<NodeConfig>> wanted;
    private final AtomicReference<Map<String, Steering>> said = new AtomicReference<>(Map.of());
    private int numbersGiven;

    /** @param names how logs call a node */
    Roster(List<NodeConfig> wanted, Function<NodeConfig, String> names) {
        this.wanted = new AtomicReference<>(List.copyOf(wanted));
        this.names = names;
    }

    /** Those are written or found from now on. Returns whether that is a change. */
    boolean want(List<NodeConfig> now) {
        return !wanted.getAndSet(List.copyOf(now)).equals(now);
    }

    /**
     * What is said of a node.
     *
     * @param before until then
     * @param now from then on
     */
    record Said(Steering before, Steering now) {}

    /** That is said of a node by that name, from now on. */
    Said steer(String hostAndPort, UnaryOperator<Steering> change) {
        Map<String, Steering> all = said.get();
        Said words = changed(all, hostAndPort, change);
        while (!said.compareAndSet(all, with(all, hostAndPort, words.now()))) {
            all = said.get();
            words = changed(all, hostAndPort, change);
        }
        return words;
    }

    private static Said changed(Map<String, Steering> all, String hostAndPort, UnaryOperator<Steering> change) {
        Steering before = all.getOrDefault(hostAndPort, Steering.NONE);
        return new Said(before, change.apply(before));
    }

    /** What is said of a node by that name. */
    Steering said(String hostAndPort) {
        return said.get().getOrDefault(hostAndPort, Steering.NONE);
    }

    private Map<String, Steering> with(Map<String, Steering> all, String hostAndPort, Steering now) {
        Map<String, Steering> more = new LinkedHashMap<>(all);
        // The latest comes last.
        more.remove(hostAndPort);
        if (!now.equals(Steering.NONE)) {
            more.put(hostAndPort, now);
        }
        forgetGone(more);
        return more;
    }

    /** What was said first of one that is gone, where that is much. */
    private void forgetGone(Map<String, Steering> all) {
        List<NodeConfig> there = wanted.get();
        if (all.size() > there.size() + GONE_MAX) {
            Set<String> names = new HashSet<>();
            there.forEach(node -> names.add(node.hostAndPort()));
            all.keySet().stream()
                    .filter(name -> !names.contains(name))
                    .findFirst()
                    .ifPresent(all::remove);
        }
    }

    /** All that is said, by host and port. */
    Map<String, Steering> said() {
        return said.get();
    }

    /** Takes over what is said of nodes of the same host and port. */
    void takeOver(Map<String, Steering> others) {
        said.set(others);
    }

    /** The nodes now: those that there were stay the same ones, though they may be used in another way. */
    List<Node> arrange(List<Node> before) {
        Map<String, Node> known = new HashMap<>();
        before.forEach(node -> known.put(node.written().hostAndPort(), node));
        Map<String, Steering> steered = said.get();
        List<Node> after = new ArrayList<>();
        for (NodeConfig each : wanted.get()) {
            Node there = known.get(each.hostAndPort());
            Node node = Objects.requireNonNullElseGet(there, () -> new Node(numbersGiven++, each, names.apply(each)));
            node.configure(each, steered.getOrDefault(each.hostAndPort(), Steering.NONE));
            after.add(node);
        }
        return List.copyOf(after);
    }
}
