package net.oooops.sigma.balance;

import net.oooops.sigma.api.IpAddress;

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

    /** What {@link #sourceOf} makes of the client's address, for {@code source-hash}. */
    default long source() {
        return 0;
    }

    /** A number made of a client's address: the same for the same address. */
    static long sourceOf(IpAddress client) {
        return client.high() * 31 + client.low();
    }
}
