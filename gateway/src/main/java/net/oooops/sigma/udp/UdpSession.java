package net.oooops.sigma.udp;

import java.net.InetSocketAddress;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.observe.AccessRecord;
import net.oooops.sigma.runtime.TriedNodes;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.runtime.WorkerSession;
import net.oooops.sigma.time.Timed;
import org.jspecify.annotations.Nullable;

/**
 * The datagrams between one client's address and port and a node: the state of that, and nothing else. What happens to it stands in
 * {@link UdpFlow}.
 */
final class UdpSession extends Timed implements WorkerSession, UdpSocket.Reader {
    final UdpFlow flow;
    /** What held for its Listener when it began. */
    final UdpListenerPlan plan;

    /** Whose socket its client sends to: that flow's, or one's that drains. */
    final UdpPort port;

    final InetSocketAddress client;
    /** The nodes that have refused since one has answered. */
    final TriedNodes tried = new TriedNodes();

    private final IpAddress clientAddress;

    @Nullable UdpNode node;
    /** To the node; null where it has none. */
    @Nullable UdpSocket socket;
    /** Where that leads. */
    @Nullable InetSocketAddress nodeAddress;
    /** When it last looked if it is better off elsewhere. */
    long lookedNanos;

    /** The node of the last try, for the log. */
    @Nullable UdpNode lastNode;

    int attempts;
    /** The present try finds out if the node is well again. */
    int trial;

    long startNanos;
    /** When a datagram came last, from either side. */
    long quietSinceNanos;

    long bytesToClient;
    /** The last thing heard from nodes was a refusal. */
    boolean refused;

    boolean ended;

    @Nullable Fault fault;

    private @Nullable String note;

    UdpSession(UdpFlow flow, UdpListenerPlan plan, UdpPort port, InetSocketAddress client) {
        this.flow = flow;
        this.plan = plan;
        this.port = port;
        this.client = client;
        this.clientAddress = IpAddress.of(client.getAddress().getAddress());
    }

    @Override
    public void onReadable(UdpSocket readable) {
        flow.nodeReadable(this, readable);
    }

    @Override
    protected void onDeadline() {
        flow.lookIfIdle(this);
    }

    // Asked by balance

    @Override
    public boolean excludes(int nodeIndex) {
        return tried.contains(nodeIndex);
    }

    @Override
    public long source() {
        return PickContext.sourceOf(clientAddress);
    }

    // Asked by plugins

    @Override
    public IpAddress clientAddress() {
        return clientAddress;
    }

    @Override
    public int clientPort() {
        return client.getPort();
    }

    @Override
    public IpAddress localAddress() {
        return port.address();
    }

    @Override
    public int localPort() {
        return port.number();
    }

    @Override
    public IpAddress peerAddress() {
        return clientAddress;
    }

    @Override
    public String listenerId() {
        return flow.listener().id();
    }

    // Asked by the Worker

    @Override
    public void cut() {
        flow.end(this, Fault.SESSION_CUT);
    }

    @Override
    public long startNanos() {
        return startNanos;
    }

    @Override
    public void note(@Nullable String text) {
        note = AccessRecord.joined(note, text);
    }

    @Override
    public @Nullable String note() {
        return note;
    }

    @Override
    public long bytesToClient() {
        return bytesToClient;
    }

    @Override
    public long waitingBytes() {
        return 0;
    }

    @Override
    public void onMemoryShort() {
        // Nothing of it waits.
    }

    @Override
    public @Nullable Fault fault() {
        return fault;
    }

    @Override
    public String upstreamId() {
        return plan.upstream().id();
    }

    @Override
    public @Nullable WorkerNode lastNode() {
        return lastNode;
    }

    @Override
    public int attempts() {
        return attempts;
    }
}
