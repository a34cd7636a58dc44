package net.oooops.sigma.upstream;

import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.upstream.Node.State;
import org.jspecify.annotations.Nullable;

/**
 * Nodes that were somewhere until now, by host and port. A node that comes to an Upstream in the place of one of them goes on as that one was, whether it
 * is written there or found later: who is ejected isn't well for being said to be elsewhere. A port of UDP is another place than that of TCP.
 *
 * <p>Any thread.
 */
final class Predecessors {
    /** Of nobody. */
    static final Predecessors NONE = new Predecessors(Map.of(), null);

    /** @param of what was said of the Upstream whose node it was */
    private record Left(Node node, UpstreamConfig of) {
        private static Left worse(Left one, Left other) {
            return one.node.state() == State.AVAILABLE ? other : one;
        }
    }

    private final Map<String, Left> left;
    private final @Nullable Predecessors others;

    private Predecessors(Map<String, Left> left, @Nullable Predecessors others) {
        this.left = left;
        this.others = others;
    }

    /** The nodes of that Upstream, or, where it has found none yet, those whose place they would have taken; of other hosts and ports those others. */
    static Predecessors of(Upstream upstream, Predecessors others) {
        Map<String, Left> left = left(List.of(upstream), any -> Set.of());
        return new Predecessors(left.isEmpty() ? upstream.predecessors().left : left, others);
    }

    /**
     * The nodes that those Upstreams have no more.
     *
     * @param staying the hosts and ports of those nodes that stay where they are
     */
    static Predecessors gone(Collection<Upstream> before, Function<Upstream, Set<String>> staying) {
        Map<String, Left> gone = left(before, staying);
        return gone.isEmpty() ? NONE : new Predecessors(gone, null);
    }

    private static Map<String, Left> left(Collection<Upstream> before, Function<Upstream, Set<String>> staying) {
        Map<String, Left> left = new HashMap<>();
        for (Upstream upstream : before) {
            Set<String> stay = staying.apply(upstream);
            for (Node node : upstream.nodes()) {
                if (!stay.contains(node.written().hostAndPort())) {
                    Left one = new Left(node, upstream.config());
                    left.merge(place(node, one.of), one, Left::worse);
                }
            }
        }
        return left;
    }

    /**
     * Nodes come in the place of the ones of their hosts and ports. Before anybody knows them.
     *
     * @param before those that were there already
     * @param now those that are there then
     * @param of what is said of their Upstream
     */
    void handOver(List<Node> before, List<Node> now, UpstreamConfig of, Ejection by) {
        if (left.isEmpty() && others == null) {
            return;
        }
        Set<Node> there = new HashSet<>(before);
        int count = (int) now.stream().filter(node -> !node.isBarred()).count();
        for (Node node : now) {
            Left was = there.contains(node) ? null : find(place(node, of));
            if (was != null) {
                by.takeOver(node, was.node, of.isSpokenToAs(was.of), count);
            }
        }
    }

    /** A port of UDP is another one than that of TCP. */
    private static String place(Node node, UpstreamConfig of) {
        String place = node.written().hostAndPort();
        return of.protocol() == UpstreamConfig.Protocol.UDP ? "udp " + place : place;
    }

    private @Nullable Left find(String place) {
        Left there = left.get(place);
        return there != null || others == null ? there : others.find(place);
    }
}
