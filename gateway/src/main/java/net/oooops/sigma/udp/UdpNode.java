package net.oooops.sigma.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/** A Node of UDP on one Worker: a connected socket for each session. Its addresses are kept known, so that no datagram waits for a name. */
final class UdpNode extends WorkerNode {
    private int sessions;
    /** Whether sessions that have it are to look if they are better off elsewhere. */
    private boolean mayBeLeft;

    UdpNode(Place place, Node node) {
        super(place, node);
    }

    @Override
    public void publish() {
        gauges().set(sessions, 0, 0);
        connector().refresh();
        mayBeLeft = node().isLeft() || connector().hasMoved();
    }

    @Override
    public void retire() {
        super.retire();
        mayBeLeft = true;
    }

    /** Whether it is out or gone, or its name has lost an address: as it was when last looked at, a tenth of a second ago at most. */
    boolean mayBeLeft() {
        return mayBeLeft;
    }

    /**
     * Whether a session that has it is better off elsewhere: it is out or gone, and another one is well; or it has another address by now. One that finds out
     * whether it is well stays.
     *
     * @param upstream whose node it is, or was
     */
    boolean isLeftBy(UdpSession s, UpstreamGroup<UdpNode> upstream) {
        if (s.trial != Node.NO_TRIAL && !isRetired() && node().isOnTrial()) {
            return false;
        }
        if (isForSessions()) {
            InetSocketAddress address = s.nodeAddress;
            return address != null
                    && !connector().serves(address)
                    && connector().hasAddress();
        }
        // With too few that are well it might be given another one that is out.
        return (isRetired() || !upstream.upstream().isPanicking()) && hasOther(s, upstream);
    }

    /** Whether it is neither out nor gone: a session that leaves its address goes on with it. */
    boolean isForSessions() {
        return !isRetired() && !node().isLeft();
    }

    private boolean hasOther(UdpSession s, UpstreamGroup<UdpNode> upstream) {
        for (UdpNode other : upstream.nodes()) {
            if (other != this
                    && !other.isRetired()
                    && other.node().isAvailable()
                    && !s.excludes(other.index())
                    && other.connector().hasAddress()) {
                return true;
            }
        }
        return false;
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
