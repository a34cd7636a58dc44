package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.ByteArrayOutputStream;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Puts routes' paths into a {@link RouteTrie}. Used once, on the thread that compiles. */
final class RouteTrieBuilder {
    private final Map<Edge, Integer> children = new HashMap<>();
    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private int[] nodes = new int[RouteTrie.NODE * 16];
    private int nodesEnd;
    private int leafCount;

    private record Edge(int parent, String segment) {}

    RouteTrieBuilder() {
        newNode(RouteTrie.NONE, "");
    }

    /** The leaf of all routes with this form of path; leaves are numbered from 0 in the order of their first path. */
    int leaf(RoutePath path) {
        int node = RouteTrie.ROOT;
        for (String segment : path.segments()) {
            node = RoutePath.isParameter(segment) ? parameterChild(node) : child(node, segment);
        }
        int slot = node + (path.isPrefix() ? RouteTrie.PREFIX_LEAF : RouteTrie.EXACT_LEAF);
        if (nodes[slot] == RouteTrie.NONE) {
            nodes[slot] = leafCount++;
        }
        return nodes[slot];
    }

    RouteTrie build() {
        int[] edges = new int[4 * Integer.highestOneBit(Math.max(1, children.size())) * 2];
        int mask = edges.length - 1;
        children.forEach((edge, child) -> {
            int mixed = RouteTrie.mix(edge.parent, RouteTrie.hash(edge.segment.getBytes(US_ASCII)));
            int at = mixed << 1 & mask;
            while (edges[at + 1] != RouteTrie.ROOT) {
                at = at + 2 & mask;
            }
            edges[at] = mixed;
            edges[at + 1] = child;
        });
        return new RouteTrie(Arrays.copyOf(nodes, nodesEnd), text.toByteArray(), edges);
    }

    private int child(int parent, String segment) {
        Edge edge = new Edge(parent, segment);
        @Nullable Integer known = children.get(edge);
        if (known != null) {
            return known;
        }
        int child = newNode(parent, segment);
        children.put(edge, child);
        return child;
    }

    private int parameterChild(int parent) {
        if (nodes[parent + RouteTrie.PARAMETER_CHILD] == RouteTrie.NONE) {
            int child = newNode(parent, "");
            nodes[parent + RouteTrie.PARAMETER_CHILD] = child;
        }
        return nodes[parent + RouteTrie.PARAMETER_CHILD];
    }

    private int newNode(int parent, String segment) {
        int node = nodesEnd;
        nodesEnd += RouteTrie.NODE;
        if (nodesEnd > nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * nodes.length);
        }
        nodes[node + RouteTrie.PARENT] = parent;
        nodes[node + RouteTrie.TEXT_FROM] = text.size();
        text.writeBytes(segment.getBytes(US_ASCII));
        nodes[node + RouteTrie.TEXT_END] = text.size();
        nodes[node + RouteTrie.PARAMETER_CHILD] = RouteTrie.NONE;
        nodes[node + RouteTrie.EXACT_LEAF] = RouteTrie.NONE;
        nodes[node + RouteTrie.PREFIX_LEAF] = RouteTrie.NONE;
        if (parent != RouteTrie.NONE) {
            nodes[parent + RouteTrie.HAS_CHILD] = 1;
        }
        return node;
    }
}
