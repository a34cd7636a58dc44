package net.oooops.sigma.route;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of one match, and the room that a match works in. Make one per Worker and use it again and again: it
 * allocates only until it has grown to what the table needs.
 *
 * <p>Belongs to one event loop. Its values hold until the next match.
 */
public final class RouteMatch<T> {
    private @Nullable T target;
    private Miss miss = Miss.NO_ROUTE;
    private String allow = "";

    private int[] nodes = new int[16];
    private int nodeCount;
    private int[] leaves = new int[16];
    private int leafCount;

    /** Why no route was found, in the words of the answer that is due. */
    public enum Miss {
        /** 404: no route of this host has such a path, or its conditions on headers and query do not hold. */
        NO_ROUTE,
        /** 405: there are routes with such a path, none with this method; {@link #allow()} says which. */
        METHOD_NOT_ALLOWED,
        /** 415: routes with path and method do not take the request's Content-Type. */
        UNSUPPORTED_MEDIA_TYPE,
        /** 406: routes with path, method and Content-Type make nothing that the request's Accept admits. */
        NOT_ACCEPTABLE
    }

    /** Where the route leads, or null where none was found. */
    public @Nullable T target() {
        return target;
    }

    /** Why none was found; without meaning where {@link #target()} is not null. */
    public Miss miss() {
        return miss;
    }

    /** The value of the Allow field for {@link Miss#METHOD_NOT_ALLOWED} (RFC 9110 section 10.2.1), else empty; without meaning where {@link #target()} is not null. */
    public String allow() {
        return allow;
    }

    void hit(T found) {
        target = found;
    }

    void miss(Miss reason, String allowed) {
        target = null;
        miss = reason;
        allow = allowed;
    }

    void reset() {
        nodeCount = 0;
        leafCount = 0;
    }

    int nodeCount() {
        return nodeCount;
    }

    int node(int index) {
        return nodes[index];
    }

    void pushNode(int node) {
        if (nodeCount == nodes.length) {
            nodes = Arrays.copyOf(nodes, nodeCount * 2);
        }
        nodes[nodeCount++] = node;
    }

    int leafCount() {
        return leafCount;
    }

    int leaf(int index) {
        return leaves[index];
    }

    void pushLeaf(int leaf) {
        if (leafCount == leaves.length) {
            leaves = Arrays.copyOf(leaves, leafCount * 2);
        }
        leaves[leafCount++] = leaf;
    }
}
