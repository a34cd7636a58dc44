package net.oooops.sigma.api;

/**
 * One layer 4 client connection, or what a client's address and port send by UDP, as a plugin sees it. Where the Listener reads PROXY protocol headers, client and local address are
 * those that a trusted proxy named.
 *
 * <p>Called on the session's event loop, in {@link Plugin#onSession} only.
 */
public interface Session {
    /** Where the client is. An IPv4-mapped IPv6 address is told as its IPv4 one, here and below. */
    IpAddress clientAddress();

    /** The client's port; 0 where the header of a trusted proxy says so. */
    int clientPort();

    /** Where the client connected to, or sends to; for UDP it may be the address that stands for all of this machine's. */
    IpAddress localAddress();

    /** The port that it connected to, or sends to. */
    int localPort();

    /** The other end of the connection itself: the client, or the trusted proxy in front of it. */
    IpAddress peerAddress();

    /** The id of the Listener that it came in by. */
    String listenerId();
}
