package net.oooops.sigma.balance;

import net.oooops.sigma.api.IpAddress;

/**
 * What a balancer may ask of the request or session that it picks a node for: the nodes that are not to be picked, since it has
 * been tried on them or they are down, and what it may be told apart by. Asked within a pick only.
 */
@FunctionalInterface
public interface PickContext {
    /** No node. */
    PickContext NONE = node -> false;

    /** Whether this node is not to be picked. May be asked several times for each node. */
    boolean excludes(int node);

    /** What {@link #sourceOf} makes of the client's address, for {@code source-hash}, and {@code consistent-hash} by it. */
    default long source() {
        return 0;
    }

    /** What {@link KeyHash} makes of the part of the request that the upstream hashes by, or {@link KeyHash#NONE}. */
    default long key() {
        return KeyHash.NONE;
    }

    /** The node that the client's sticky cookie names, or -1. */
    default int held() {
        return -1;
    }

    /** A number made of a client's address: the same for the same address. */
    static long sourceOf(IpAddress client) {
        return client.high() * 31 + client.low();
    }
}
