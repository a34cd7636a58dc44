package net.oooops.sigma.runtime;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.List;
import net.oooops.sigma.listen.PassedSocket;

/** The road of the datagrams of one Listener, on one Worker. Called on the Worker's event loop only. */
public interface DatagramFlow {
    /**
     * Binds one more socket of the Listener here, and begins to read it. {@link Road#close} closes it: while sessions drain, their
     * datagrams still come by it. Where it has one there, nothing is done.
     *
     * @param sharedPort whether all Workers bind there, and the kernel shares clients out among them; else this one has them all
     * @return where it is bound to
     */
    InetSocketAddress bind(InetSocketAddress local, boolean sharedPort) throws IOException;

    /** Whether it has a socket. */
    boolean isBound();

    /** Whether one of its sockets is bound to all addresses. */
    boolean isBoundToAll();

    /**
     * Takes over a socket of the Listener that is bound already, and begins to read it; it is closed where that fails.
     *
     * @throws IOException where it can't be
     */
    void adopt(PassedSocket socket) throws IOException;

    /** The descriptors of its sockets, which stay its own; -1 for one that has none. */
    List<Integer> descriptors();

    /** Whether it reads what clients send from now on. What nodes answer still goes out. */
    void read(boolean whether);

    /** Closes its sockets, unless a client has a session by one of them: another process has them, too. {@link #bind} binds them again. */
    void closeIdle();
}
