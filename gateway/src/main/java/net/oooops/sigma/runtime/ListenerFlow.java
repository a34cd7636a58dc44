package net.oooops.sigma.runtime;

import net.oooops.sigma.config.Listener;

/**
 * What a Worker has of one Listener, whatever its protocol: it may come to follow another plan, and ends once the Listener is gone.
 *
 * <p>Called on the Worker's event loop only.
 *
 * @param <P> the plan of such a Listener
 */
public interface ListenerFlow<P> {
    /** The Listener, as its present plan has it. */
    Listener listener();

    /** Whether it can go on by that plan, of a Listener at the same place. */
    boolean canFollow(P plan);

    /** Goes on by that plan, and drains no longer: what begins from now on follows it. Clients that were told that it ends do so as they were told. */
    void follow(P plan);

    /** The Listener is gone, or the gateway ends: what is idle closes, and the rest as soon as it is; nothing new begins. */
    void drain();

    /**
     * It drains, and one that asks clients for something else has its place, or its name: no handshake by what is asked here begins any more, and
     * those under way come to nothing. Where it follows a plan once more, they begin.
     */
    default void replaced() {}

    /** Whether it is that Listener's, which is back where this one drains. One of another name there is another one: clients of this one didn't ask for it. */
    default boolean canReturn(Listener back) {
        return listener().id().equals(back.id());
    }

    /** Whether what lies open for long stays so, though it drains: until it is told otherwise, and drains once more. */
    default void keepOpen(boolean whether) {}

    /** The gateway doesn't end after all: what begins from now on is as before. */
    void resume();

    /** Closes what is left of clients. */
    void cut();

    /** How many connections or sessions clients have here. */
    int connectionCount();

    /** Whether nothing is left. */
    default boolean isIdle() {
        return connectionCount() == 0;
    }

    /** It was idle and is gone: gives back what it has. */
    default void close() {}
}
