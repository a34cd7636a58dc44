package net.oooops.sigma.runtime;

import java.io.IOException;
import java.net.InetSocketAddress;

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
}
