package net.oooops.sigma.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/** A Node of UDP on one Worker: a connected socket for each session. Its addresses are kept known, so that no datagram waits for a name. */
final class UdpNode extends WorkerNode {
    private int sessions;

    UdpNode(Place place, Node node) {
        super(place, node);
    }

    @Override
    public void publish() {
        gauges().set(sessions, 0, 0);
        connector().refresh();
    }

    /** Where the next session goes; null while none of the node's addresses is known. */
    @Nullable InetSocketAddress nextAddress() {
        return connector().nextAddress();
    }

    /** Opens the session's socket. To be followed by one {@link #leave}. */
    UdpSocket enter(UdpSockets sockets, InetSocketAddress address, UdpSession session) throws IOException {
        UdpSocket socket = sockets.connect(address, session);
        sessions++;
        began(true);
        reached();
        return socket;
    }

    /** The session no longer needs its socket. */
    void leave() {
        sessions--;
        // Whether what comes from a node is an answer, only client and node know.
        heard(Heard.NOTHING, 0);
        ended();
    }
}
