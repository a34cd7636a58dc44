package net.oooops.sigma.ring;

/** A channel whose read may have begun for more than {@link BoundedReads} says by now. */
public interface RestartableRead {
    /** It is read otherwise from now on: what was begun before begins anew. On its event loop. */
    void restartRead();
}
