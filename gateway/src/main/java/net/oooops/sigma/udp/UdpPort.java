package net.oooops.sigma.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.listen.PassedSocket;

/** One bound socket of a Listener on one Worker, and the sessions of the clients that send to it. */
final class UdpPort implements UdpSocket.Reader {
    private final UdpFlow flow;
    private final ClientTable<UdpSession> clients = new ClientTable<>();
    private final UdpSocket socket;
    private final IpAddress address;
    private final InetSocketAddress local;

    /** Makes its socket. */
    private interface Maker {
        UdpSocket make(UdpSocket.Reader reader) throws IOException;
    }

    private UdpPort(UdpFlow flow, InetSocketAddress local, Maker maker) throws IOException {
        this.flow = flow;
        this.socket = maker.make(this);
        this.address = IpAddress.of(local.getAddress().getAddress());
        this.local =
                new InetSocketAddress(local.getAddress(), socket.localAddress().getPort());
    }

    static UdpPort bound(UdpFlow flow, UdpSockets sockets, InetSocketAddress local, boolean sharedPort)
            throws IOException {
        return new UdpPort(flow, local, reader -> sockets.bind(local, sharedPort, reader));
    }

    static UdpPort adopted(UdpFlow flow, UdpSockets sockets, PassedSocket passed) throws IOException {
        return new UdpPort(flow, passed.local(), reader -> sockets.adopt(passed, reader));
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
