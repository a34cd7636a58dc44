package net.oooops.sigma.balance;

/** The nodes that are not to be picked: those that a request has been tried on, or that are down. */
@FunctionalInterface
public interface Tried {
    /** No node. */
    Tried NONE = node -> false;

    /** Whether this node is not to be picked. */
    boolean contains(int node);
}
