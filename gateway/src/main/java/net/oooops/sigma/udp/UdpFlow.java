package net.oooops.sigma.udp;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.DatagramFlow;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.ListenerFlow;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.SessionPlugins;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.udp.UdpSocket.Sent;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/**
 * The road of datagrams through one Listener on one Worker: the stages in their order.
 *
 * <pre>
 *   a client's datagram ─▶ its session ───────────────────────────────────────────▶ sent to the node
 *                          └ none: open (limit) ─▶ plugins ─▶ balance ─▶ connected ─┘
 *   a node's datagram ─▶ sent to the client
 *   a node's refusal (ICMP) ─▶ the session has no node; its next datagram ─▶ balance, another node
 *   a node that is out or gone, an address that isn't the node's any more ─▶ the same
 *   no datagram for long ─▶ end
 * </pre>
 *
 * Each datagram is received and sent at once, from the one buffer of the Worker: none is copied, kept, or sent a second time. What
 * can't be sent is dropped and counted.
 *
 * <p>Called on the Worker's event loop only.
 */
final class UdpFlow implements DatagramFlow, ListenerFlow<UdpListenerPlan> {
    /** Datagrams of all clients in one turn of the event loop, and of one node: then others have their turn. */
    private static final int FROM_CLIENTS_PER_TURN = 256;

    private static final int FROM_NODE_PER_TURN = 16;
    /** A session whose node is out looks so often if there is another one. */
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final UdpRoad road;
    private final LoopContext loop;
    private final List<UdpPort> ports = new ArrayList<>();
    private UdpListenerPlan plan;
    /** Those that follow the configuration which that is from. */
    private Generation.Followers following;

    private UdpListenerConfig listener;
    private boolean sharesPort;
    private boolean draining;
    private int sessions;

    UdpFlow(UdpRoad road, UdpListenerPlan plan) {
        this.road = road;
        this.loop = road.loop();
        this.plan = plan;
        this.following = loop.following();
        this.listener = plan.listener();
    }

    @Override
    public UdpListenerConfig listener() {
        return listener;
    }

    @Override
    public boolean canFollow(UdpListenerPlan next) {
        return true;
    }

    @Override
    public void follow(UdpListenerPlan next) {
        plan = next;
        following = loop.following();
        listener = next.listener();
        draining = false;
    }

    /** Its sockets are still there. Any free port would be another one now, and each Worker must have the same. */
    @Override
    public boolean canReturn(Listener back) {
        return back.port() != 0;
    }

    /** Sessions go on: only time tells that one is over. Clients that are new go to the flow that has a socket at the same place. */
    @Override
    public void drain() {
        draining = true;
    }

    @Override
    public void resume() {
        draining = false;
    }

    @Override
    public void cut() {
        road.cut(this);
    }

    @Override
    public int connectionCount() {
        return sessions;
    }

    @Override
    public boolean isIdle() {
        return sessions == 0 && ports.stream().allMatch(UdpPort::isIdle);
    }

    @Override
    public InetSocketAddress bind(InetSocketAddress local, boolean sharedPort) throws IOException {
        // Who has the port alone has all the sessions.
        sharesPort = sharedPort;
        UdpPort there = find(local);
        if (there != null) {
            return there.socket().localAddress();
        }
        UdpPort port = UdpPort.bound(this, road.sockets(), local, sharedPort);
        added(port);
        return port.socket().localAddress();
    }

    private void added(UdpPort port) {
        ports.add(port);
        // Names are asked for now, rather than when the first client waits.
        road.upstreams().of(plan.upstream()).nodes().forEach(UdpNode::publish);
    }

    @Override
    public void adopt(PassedSocket socket) throws IOException {
        sharesPort = socket.shared();
        added(UdpPort.adopted(this, road.sockets(), socket));
    }

    @Override
    public List<Integer> descriptors() {
        return ports.stream().map(port -> port.socket().descriptor()).toList();
    }

    @Override
    public void read(boolean whether) {
        ports.forEach(port -> port.socket().read(whether));
    }

    @Override
    public void closeIdle() {
        if (isIdle()) {
            close();
            ports.clear();
        }
    }

    private @Nullable UdpPort find(InetSocketAddress local) {
        for (UdpPort port : ports) {
            if (port.isAt(local)) {
                return port;
            }
        }
        return null;
    }

    /** Whether new clients that send to that address are its own. */
    boolean takes(InetSocketAddress local) {
        return !draining && find(local) != null;
    }

    @Override
    public boolean isBound() {
        return !ports.isEmpty();
    }

    @Override
    public boolean isBoundToAll() {
        return ports.stream().anyMatch(port -> port.local().getAddress().isAnyLocalAddress());
    }

    private int sessionsMax() {
        return sharesPort ? loop.share(listener.sessionsMax(), 1) : listener.sessionsMax();
    }

    /** Receives nothing more; its sessions have ended. */
    @Override
    public void close() {
        ports.forEach(port -> port.socket().close());
    }

    // From clients to nodes

    /** Datagrams of clients may have come. */
    void clientsReadable(UdpPort port, UdpSocket readable) {
        for (int i = 0; i < FROM_CLIENTS_PER_TURN; i++) {
            int bytes = readable.receive();
            if (bytes == UdpSocket.NONE) {
                return;
            }
            if (bytes >= 0) {
                try {
                    fromClient(port, readable.sender(), bytes);
                } catch (RuntimeException | Error e) {
                    loop.thrown(e);
                }
            }
        }
    }

    private void fromClient(UdpPort port, InetSocketAddress client, int bytes) {
        loop.counters().increment(Counter.DOWNSTREAM_DATAGRAMS_RECEIVED);
        loop.counters().add(Counter.DOWNSTREAM_BYTES_RECEIVED, bytes);
        UdpSession s = port.clients().find(client);
        if (s == null) {
            s = open(port, client);
        }
        if (s != null) {
            s.quietSinceNanos = loop.clock().nanos();
            forward(s, bytes);
        }
    }

    /** A session for this client; null where there is none for it. */
    private @Nullable UdpSession open(UdpPort port, InetSocketAddress client) {
        if (draining) {
            // The kernel shares clients out among all sockets at one place.
            UdpFlow next = road.taking(port.local());
            if (next != null) {
                return next.open(port, client);
            }
            loop.counters().increment(Counter.DATAGRAMS_DROPPED_DRAINING);
            return null;
        }
        if (sessions >= sessionsMax()) {
            loop.counters().increment(Counter.DATAGRAMS_DROPPED_SESSIONS);
            return null;
        }
        Bound full = road.take();
        if (full != null) {
            loop.failures().sessionRefused(listener.id(), full.count());
            return null;
        }
        UdpSession s = new UdpSession(this, plan, port, client);
        s.startNanos = loop.clock().nanos();
        s.lookedNanos = s.startNanos;
        sessions++;
        port.clients().add(client, s);
        road.began(s, following);
        Fault fault = SessionPlugins.refusal(loop, plan.chain(), s);
        if (fault != null) {
            end(s, fault);
            loop.counters().increment(Counter.DATAGRAMS_DROPPED_REFUSED);
            return null;
        }
        loop.wheel().arm(s, listener.idleTimeoutNanos());
        return s;
    }

    private void forward(UdpSession s, int bytes) {
        Sent sent = sendToNode(s, bytes);
        if (sent == Sent.REFUSED) {
            // Said of an earlier datagram: this one wasn't sent, so another node may have it.
            refused(s);
            sent = sendToNode(s, bytes);
        }
        if (sent == Sent.YES) {
            loop.counters().increment(Counter.UPSTREAM_DATAGRAMS_SENT);
            loop.counters().add(Counter.UPSTREAM_BYTES_SENT, bytes);
        } else {
            loop.counters()
                    .increment(
                            sent == Sent.FULL
                                    ? Counter.UPSTREAM_DATAGRAMS_DROPPED_FULL
                                    : Counter.UPSTREAM_DATAGRAMS_DROPPED);
        }
    }

    private Sent sendToNode(UdpSession s, int bytes) {
        UdpNode node = s.node;
        if (node != null && node.mayBeLeft()) {
            leaveIfOut(s, node);
        }
        UdpSocket socket = s.socket == null ? balance(s) : s.socket;
        return socket == null ? Sent.FAILED : socket.send(bytes);
    }

    /** Its node may be out, gone or elsewhere: where it is, the session goes on with another one, if there is one, or with its other address. */
    private void leaveIfOut(UdpSession s, UdpNode node) {
        long now = loop.clock().nanos();
        if (now - s.lookedNanos < LOOK_NANOS) {
            return;
        }
        s.lookedNanos = now;
        if (node.isLeftBy(s, road.upstreams().of(s.plan.upstream()))) {
            leaveNode(s);
            // That it goes elsewhere is no retry.
            s.lastNode = null;
            if (node.isForSessions() && connect(s, node) == null) {
                s.lastNode = node;
            }
        }
    }

    /** Gives the session a node that it wasn't tried on since the last answer, or, where there is none left, any; else it ends. */
    private @Nullable UdpSocket balance(UdpSession s) {
        if (s.ended) {
            return null;
        }
        UpstreamGroup<UdpNode> upstream = road.upstreams().of(s.plan.upstream());
        UdpNode node = upstream.pick(s, true);
        if (node == null) {
            s.tried.clear();
            node = upstream.pick(s, true);
        }
        @Nullable Fault fault = Fault.NO_HEALTHY_NODE;
        while (node != null) {
            s.trial = upstream.trial();
            UdpNode before = s.lastNode;
            if (s.attempts++ > 0 && before != null) {
                before.retried();
            }
            s.lastNode = node;
            fault = connect(s, node);
            if (fault == null) {
                return s.socket;
            }
            node.unreached();
            if (fault == Fault.OUT_OF_DESCRIPTORS) {
                node.undecided(s.trial);
            } else {
                node.faulted(s.trial);
            }
            s.trial = Node.NO_TRIAL;
            s.tried.add(node.index());
            node = upstream.pick(s, true);
        }
        end(s, fault);
        return null;
    }

    /** Opens the session's socket to the node; why not, where it can't be. */
    private @Nullable Fault connect(UdpSession s, UdpNode node) {
        InetSocketAddress address = node.nextAddress();
        if (address == null) {
            loop.failures().node(node, Fault.DNS_FAILED, new IOException("none of its addresses is known"));
            return Fault.DNS_FAILED;
        }
        try {
            s.socket = node.enter(road.sockets(), address, s);
            s.node = node;
            s.nodeAddress = address;
            return null;
        } catch (IOException e) {
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
            Fault fault = Descriptors.areOut(e) ? Fault.OUT_OF_DESCRIPTORS : Fault.CONNECT_FAILED;
            loop.failures().node(node, fault, e);
            return fault;
        }
    }

    // From nodes to clients

    /** Datagrams of the session's node may have come. */
    void nodeReadable(UdpSession s, UdpSocket readable) {
        // A session that has left the node since doesn't hear it any more.
        for (int i = 0; i < FROM_NODE_PER_TURN && s.socket == readable; i++) {
            int bytes = readable.receive();
            if (bytes == UdpSocket.NONE) {
                return;
            }
            try {
                if (bytes == UdpSocket.REFUSED) {
                    refused(s);
                } else if (bytes >= 0) {
                    fromNode(s, bytes);
                }
            } catch (RuntimeException | Error e) {
                loop.thrown(e);
                end(s, Fault.INTERNAL);
            }
        }
    }

    private void fromNode(UdpSession s, int bytes) {
        loop.counters().increment(Counter.UPSTREAM_DATAGRAMS_RECEIVED);
        loop.counters().add(Counter.UPSTREAM_BYTES_RECEIVED, bytes);
        s.refused = false;
        if (s.lastNode != null) {
            s.lastNode.well(s.trial);
            s.trial = Node.NO_TRIAL;
        }
        s.tried.clear();
        s.quietSinceNanos = loop.clock().nanos();
        Sent sent = s.port.socket().sendTo(bytes, s.client);
        if (sent == Sent.YES) {
            s.bytesToClient += bytes;
            loop.counters().increment(Counter.DOWNSTREAM_DATAGRAMS_SENT);
            loop.counters().add(Counter.DOWNSTREAM_BYTES_SENT, bytes);
        } else {
            loop.counters()
                    .increment(
                            sent == Sent.FULL
                                    ? Counter.DOWNSTREAM_DATAGRAMS_DROPPED_FULL
                                    : Counter.DOWNSTREAM_DATAGRAMS_DROPPED);
        }
    }

    /** Nothing listens at the node: the session's next datagram goes to another one. */
    private void refused(UdpSession s) {
        UdpNode node = s.node;
        if (node != null) {
            loop.counters().increment(Counter.UPSTREAM_REFUSALS);
            loop.failures().node(node, Fault.CONNECT_FAILED, new IOException("port unreachable"));
            s.refused = true;
            node.faulted(s.trial);
            s.trial = Node.NO_TRIAL;
            s.tried.add(node.index());
            leaveNode(s);
        }
    }

    private static void leaveNode(UdpSession s) {
        UdpNode node = s.node;
        UdpSocket socket = s.socket;
        s.node = null;
        s.socket = null;
        if (socket != null) {
            socket.close();
        }
        if (node != null) {
            if (s.trial != Node.NO_TRIAL && !s.refused) {
                // Many never answer: not being refused is all that there is to see.
                node.well(s.trial);
            }
            s.trial = Node.NO_TRIAL;
            node.leave();
        }
    }

    // The end

    /** The idle timeout may be over. */
    void lookIfIdle(UdpSession s) {
        long leftNanos = listener.idleTimeoutNanos() - (loop.clock().nanos() - s.quietSinceNanos);
        if (leftNanos > 0) {
            loop.wheel().arm(s, leftNanos);
        } else {
            // Nobody says that a session is over: being idle is how it ends.
            end(s, s.refused ? Fault.CONNECT_FAILED : null);
        }
    }

    /** The session is over. */
    void end(UdpSession s, @Nullable Fault fault) {
        if (s.ended) {
            return;
        }
        s.ended = true;
        s.fault = fault;
        if (fault != null) {
            loop.counters().failed(fault);
        }
        s.flow.sessions--;
        s.port.clients().remove(s.client);
        loop.wheel().remove(s);
        leaveNode(s);
        road.ended(s);
    }
}
