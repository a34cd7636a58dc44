package net.oooops.sigma.control;

import java.util.List;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.snapshot.Left;

/**
 * What was there before a gateway: sockets that are bound already, and maybe a process that serves by them until this one does.
 *
 * <p>Called on the thread that starts the gateway.
 */
public interface Takeover {
    /** Nothing was. */
    Takeover NONE = List::of;

    /** What its plugins have left. Asked for before the sockets. */
    default List<Left> left() {
        return List.of();
    }

    /** The sockets. Whoever asks closes them. */
    List<PassedSocket> sockets();

    /**
     * All is there, but no socket is read. Returns once this one may: who was there before has let go of what only one may have.
     *
     * @param gateway that is about to begin
     * @param proof asks it something
     * @throws StartException where it may not, or the proof fails
     */
    default void take(Gateway gateway, Proof proof) throws StartException {}

    /** Whether a gateway works, found out without a client. */
    @FunctionalInterface
    interface Proof {
        /**
         * Finds it out; waits for that.
         *
         * @throws StartException where it doesn't; the message says what
         */
        void prove() throws StartException;
    }
}
