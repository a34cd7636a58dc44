package net.oooops.sigma.route;

import java.util.Arrays;

/**
 * The paths of one host's routes as a tree of segments, walked level by level with all branches that still fit. What it finds
 * are leaves: the routes that share one form of path.
 *
 * <p>Order of the leaves, most specific first: those of the whole path, then prefixes, the one with most segments first;
 * among those of one length, compared segment by segment from the left, literal before parameter. So a path as written comes before
 * one with parameters, and that before every prefix.
 *
 * <p>All edges of the tree lie in one hash table under parent and segment. A walk hashes each byte of the path at most once, ends as soon as no
 * branch goes on, and costs the same however many routes there are. Where literals and parameters stand side by side in
 * several levels it follows them all, never more than the tree has nodes.
 *
 * <p>Immutable; a walk works in the {@link RouteMatch} of its caller.
 */
final class RouteTrie {
    static final int ROOT = 0;
    static final int NONE = -1;

    /** A node is this many numbers in a row, half a cache line. */
    static final int NODE = 8;

    static final int PARENT = 0;
    static final int TEXT_FROM = 1;
    static final int TEXT_END = 2;
    static final int PARAMETER_CHILD = 3;
    static final int HAS_CHILD = 4;
    static final int EXACT_LEAF = 5;
    static final int PREFIX_LEAF = 6;

    private final int[] nodes;
    private final byte[] text;
    /** Pairs of hash and node, at most half full; node 0, the root, is nobody's child and marks a free pair. */
    private final int[] edges;

    RouteTrie(int[] nodes, byte[] text, int[] edges) {
        this.nodes = nodes;
        this.text = text;
        this.edges = edges;
    }

    /** Leaves the leaves that fit {@code path[start, end)}, which begins with a slash, in {@code walk}, the most specific last. */
    void walk(byte[] path, int start, int end, RouteMatch<?> walk) {
        walk.reset();
        push(ROOT, walk);
        int level = 0;
        int at = start;
        while (at < end && anyHasChild(walk, level)) {
            int from = at + 1;
            int hash = 0;
            for (at = from; at < end && path[at] != '/' && path[at] != ';'; at++) {
                hash = 31 * hash + path[at];
            }
            int levelEnd = walk.nodeCount();
            // From the least to the most specific, and so the children.
            for (int i = level; i < levelEnd; i++) {
                int parent = walk.node(i);
                if (at > from) {
                    push(nodes[parent + PARAMETER_CHILD], walk);
                }
                push(child(parent, hash, path, from, at), walk);
            }
            level = levelEnd;
            at = afterParameters(path, at, end);
        }
        if (at == end) {
            for (int i = level; i < walk.nodeCount(); i++) {
                pushLeaf(nodes[walk.node(i) + EXACT_LEAF], walk);
            }
        }
    }

    private void push(int node, RouteMatch<?> walk) {
        if (node != NONE) {
            walk.pushNode(node);
            pushLeaf(nodes[node + PREFIX_LEAF], walk);
        }
    }

    private static void pushLeaf(int leaf, RouteMatch<?> walk) {
        if (leaf != NONE) {
            walk.pushLeaf(leaf);
        }
    }

    private boolean anyHasChild(RouteMatch<?> walk, int level) {
        for (int i = level; i < walk.nodeCount(); i++) {
            if (nodes[walk.node(i) + HAS_CHILD] != 0) {
                return true;
            }
        }
        return false;
    }

    private int child(int parent, int hash, byte[] path, int from, int end) {
        int mixed = mix(parent, hash);
        int mask = edges.length - 1;
        for (int at = mixed << 1 & mask; ; at = at + 2 & mask) {
            int node = edges[at + 1];
            if (node == ROOT) {
                return NONE;
            }
            if (edges[at] == mixed
                    && nodes[node + PARENT] == parent
                    && Arrays.equals(text, nodes[node + TEXT_FROM], nodes[node + TEXT_END], path, from, end)) {
                return node;
            }
        }
    }

    private static int afterParameters(byte[] path, int from, int end) {
        int at = from;
        while (at < end && path[at] != '/') {
            at++;
        }
        return at;
    }

    static int mix(int parent, int hash) {
        int mixed = (hash + parent) * 0x9E3779B9;
        return mixed ^ mixed >>> 15;
    }
}
