package net.oooops.sigma.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import net.oooops.sigma.api.IpAddress;

/** One bound socket of a Listener on one Worker, and the sessions of the clients that send to it. */
final class UdpPort implements UdpSocket.Reader {
    private final UdpFlow flow;
    private final ClientTable<UdpSession> clients = new ClientTable<>();
    private final UdpSocket socket;
    private final IpAddress address;
    private final InetSocketAddress local;

    UdpPort(UdpFlow flow, UdpSockets sockets, InetSocketAddress local, boolean sharedPort) throws IOException {
        this.flow = flow;
        this.socket = sockets.bind(local, sharedPort, this);
        this.address = IpAddress.of(local.getAddress().getAddress());
        this.local =
                new InetSocketAddress(local.getAddress(), socket.localAddress().getPort());
    }

    @Override
    public void onReadable(UdpSocket readable) {
        flow.clientsReadable(this, readable);
    }

    ClientTable<UdpSession> clients() {
        return clients;
    }

    UdpSocket socket() {
        return socket;
    }

    UdpFlow flow() {
        return flow;
    }

    /** The address it is bound to, which may stand for all. */
    IpAddress address() {
        return address;
    }

    /** Where it is bound, as it was asked for, with the port that it has. */
    InetSocketAddress local() {
        return local;
    }

    /** Whether it is bound there. */
    boolean isAt(InetSocketAddress other) {
        // As text, which says of an address of a link which link that is.
        return number() == other.getPort()
                && local.getAddress().getHostAddress().equals(other.getAddress().getHostAddress());
    }

    /** Whether no client has a session by it, of whichever flow. */
    boolean isIdle() {
        return clients.size() == 0;
    }

    /** The number of the port. */
    int number() {
        return local.getPort();
    }
}
