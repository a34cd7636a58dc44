package net.oooops.sigma.balance;

/**
 * What a balancer may ask of the request or session that it picks a node for: the nodes that are not to be picked, since it has
 * been tried on them or they are down, and where it comes from.
 */
@FunctionalInterface
public interface Tried {
    /** No node. */
    Tried NONE = node -> false;

    /** Whether this node is not to be picked. */
    boolean contains(int node);

    /** A number made of the client's address, for {@code source-hash}: the same for the same address. */
    default long source() {
        return 0;
    }
}
