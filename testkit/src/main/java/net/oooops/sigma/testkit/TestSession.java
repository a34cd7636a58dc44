package net.oooops.sigma.testkit;

import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Session;

/**
 * A session without a gateway, to be given to plugins by a {@link PluginHarness} or by hand. Immutable.
 *
 * @param clientAddress where the client is
 * @param clientPort the client's port
 * @param localAddress where it connected to
 * @param localPort the port there
 * @param peerAddress the other end of the connection itself
 * @param listenerId the id of the Listener
 */
public record TestSession(
        IpAddress clientAddress,
        int clientPort,
        IpAddress localAddress,
        int localPort,
        IpAddress peerAddress,
        String listenerId)
        implements Session {
    private static final IpAddress LOOPBACK = new IpAddress(0, 0x7F000001, false);

    /**
     * A session of a client at that address, directly connected to 127.0.0.1.
     *
     * @throws IllegalArgumentException where it is no IP address
     */
    public static TestSession from(String client) {
        IpAddress address = IpAddress.parse(client);
        if (address == null) {
            throw new IllegalArgumentException(client + " (expected: an IP address)");
        }
        return new TestSession(address, 50_000, LOOPBACK, 443, address, "listener");
    }

    /** The same by way of a trusted proxy at that address. */
    public TestSession withPeer(IpAddress proxy) {
        return new TestSession(clientAddress, clientPort, localAddress, localPort, proxy, listenerId);
    }
}
