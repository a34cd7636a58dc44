package net.oooops.sigma.route;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.util.Arrays;

/**
 * Puts routes' paths into a {@link RouteTrie}. It works on what the tree is made of, and makes nothing for a segment but its place: a reload puts ten thousand
 * paths into it, in code that isn't compiled yet. Used once, on the thread that compiles.
 */
final class RouteTrieBuilder {
    private static final int FIRST_BYTES = 256;

    private byte[] text = new byte[FIRST_BYTES];
    private int textEnd;
    private int[] nodes = new int[RouteTrie.NODE * 16];
    private int nodesEnd;
    /** As the tree has them. */
    private int[] edges = new int[8];

    private int edgeCount;
    private int leafCount;

    RouteTrieBuilder() {
        newNode(RouteTrie.NONE, new byte[0], 0, 0);
    }

    /** The leaf of all routes with this form of path; leaves are numbered from 0 in the order of their first path. */
    int leaf(RoutePath path) {
        byte[] bytes = path.text().getBytes(US_ASCII);
        int end = path.exactEnd();
        int node = RouteTrie.ROOT;
        int at = 0;
        while (at < end) {
            int from = at + 1;
            int hash = 0;
            for (at = from; at < end && bytes[at] != '/'; at++) {
                hash = 31 * hash + bytes[at];
            }
            boolean isParameter = at > from && bytes[from] == ':';
            node = isParameter ? parameterChild(node) : child(node, hash, bytes, from, at);
        }
        int slot = node + (path.isPrefix() ? RouteTrie.PREFIX_LEAF : RouteTrie.EXACT_LEAF);
        if (nodes[slot] == RouteTrie.NONE) {
            nodes[slot] = leafCount++;
        }
        return nodes[slot];
    }

    RouteTrie build() {
        return new RouteTrie(Arrays.copyOf(nodes, nodesEnd), Arrays.copyOf(text, textEnd), edges);
    }

    private int child(int parent, int hash, byte[] path, int from, int end) {
        int mixed = RouteTrie.mix(parent, hash);
        int mask = edges.length - 1;
        int at = mixed << 1 & mask;
        while (edges[at + 1] != RouteTrie.ROOT) {
            int node = edges[at + 1];
            if (edges[at] == mixed
                    && nodes[node + RouteTrie.PARENT] == parent
                    && Arrays.equals(
                            text,
                            nodes[node + RouteTrie.TEXT_FROM],
                            nodes[node + RouteTrie.TEXT_END],
                            path,
                            from,
                            end)) {
                return node;
            }
            at = at + 2 & mask;
        }
        int child = newNode(parent, path, from, end);
        edges[at] = mixed;
        edges[at + 1] = child;
        edgeCount++;
        // Pairs, at most half full.
        if (4 * edgeCount >= edges.length) {
            grow();
        }
        return child;
    }

    private void grow() {
        int[] old = edges;
        edges = new int[2 * old.length];
        int mask = edges.length - 1;
        for (int i = 0; i < old.length; i += 2) {
            if (old[i + 1] != RouteTrie.ROOT) {
                int at = old[i] << 1 & mask;
                while (edges[at + 1] != RouteTrie.ROOT) {
                    at = at + 2 & mask;
                }
                edges[at] = old[i];
                edges[at + 1] = old[i + 1];
            }
        }
    }

    private int parameterChild(int parent) {
        if (nodes[parent + RouteTrie.PARAMETER_CHILD] == RouteTrie.NONE) {
            int child = newNode(parent, text, 0, 0);
            nodes[parent + RouteTrie.PARAMETER_CHILD] = child;
        }
        return nodes[parent + RouteTrie.PARAMETER_CHILD];
    }

    /** One more, for the segment between those places of a path. */
    private int newNode(int parent, byte[] path, int from, int end) {
        int node = nodesEnd;
        nodesEnd += RouteTrie.NODE;
        if (nodesEnd > nodes.length) {
            nodes = Arrays.copyOf(nodes, 2 * nodes.length);
        }
        int length = end - from;
        if (textEnd + length > text.length) {
            text = Arrays.copyOf(text, Math.max(2 * text.length, textEnd + length));
        }
        System.arraycopy(path, from, text, textEnd, length);
        nodes[node + RouteTrie.PARENT] = parent;
        nodes[node + RouteTrie.TEXT_FROM] = textEnd;
        textEnd += length;
        nodes[node + RouteTrie.TEXT_END] = textEnd;
        nodes[node + RouteTrie.PARAMETER_CHILD] = RouteTrie.NONE;
        nodes[node + RouteTrie.EXACT_LEAF] = RouteTrie.NONE;
        nodes[node + RouteTrie.PREFIX_LEAF] = RouteTrie.NONE;
        if (parent != RouteTrie.NONE) {
            nodes[parent + RouteTrie.HAS_CHILD] = 1;
        }
        return node;
    }
}
