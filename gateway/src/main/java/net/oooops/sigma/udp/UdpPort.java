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
    private final int number;

    UdpPort(UdpFlow flow, UdpSockets sockets, InetSocketAddress local, boolean sharedPort) throws IOException {
        this.flow = flow;
        this.socket = sockets.bind(local, sharedPort, this);
        this.address = IpAddress.of(local.getAddress().getAddress());
        this.number = socket.localAddress().getPort();
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

    /** The address it is bound to, which may stand for all. */
    IpAddress address() {
        return address;
    }

    /** The number of the port. */
    int number() {
        return number;
    }
}
