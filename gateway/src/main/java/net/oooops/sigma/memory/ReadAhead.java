package net.oooops.sigma.memory;

/** A channel that reads before it is asked: what its read was begun for may be more than {@link BoundedReads} says by now. */
public interface ReadAhead {
    /** How much was received and is not delivered, since nobody reads it. On its event loop. */
    default long heldBytes() {
        return 0;
    }

    /** Whether more had come than was delivered last. On its event loop. */
    default boolean hasMore() {
        return false;
    }

    /** It is read otherwise from now on: what was begun before begins anew. On its event loop. */
    void restartRead();
}
