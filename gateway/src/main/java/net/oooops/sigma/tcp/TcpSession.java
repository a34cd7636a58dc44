package net.oooops.sigma.tcp;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelFutureListener;
import java.net.InetSocketAddress;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.observe.AccessRecord;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.ClientHandshakes;
import net.oooops.sigma.runtime.Report;
import net.oooops.sigma.runtime.TriedNodes;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.runtime.WorkerSession;
import net.oooops.sigma.time.Timed;
import net.oooops.sigma.tls.ClientHello;
import net.oooops.sigma.tls.HelloReader;
import net.oooops.sigma.tls.TlsSession;
import net.oooops.sigma.upstream.NodeConnector;
import org.jspecify.annotations.Nullable;

/**
 * One layer 4 client connection and its connection to a node: the state of it, and nothing else. What happens to it stands in {@link
 * TcpFlow} and {@link Attempts}; this class hands on what connections and deadlines tell, and answers what balancing and plugins ask.
 */
final class TcpSession extends Timed
        implements WorkerSession,
                Relay.Watcher,
                HeaderReader.Callback,
                HelloReader.Callback,
                ClientHandshakes.Client,
                NodeConnector.Callback,
                ChannelFutureListener {
    /** How far it has come. */
    enum Stage {
        /** Its connection isn't counted yet. */
        ACCEPTED,
        /** A PROXY protocol header is read. */
        HEADER,
        /** What the client says first is awaited, and with it, where TLS ends here, the rest of the handshake. */
        HELLO,
        /** Plugins see it, or a connection to a node is being opened. */
        CONNECTING,
        /** Bytes pass. */
        PASSING,
        /** One side was reset, the other takes what was read before. */
        ENDING,
        ENDED
    }

    final TcpFlow flow;
    final Channel channel;
    final Relay relay;
    final TriedNodes tried = new TriedNodes();
    final Report report = new Report();

    Stage stage = Stage.ACCEPTED;
    /** What held for its Listener when it began. */
    TcpListenerPlan plan;

    IpAddress peer;
    /** Of the connection itself, or as a trusted proxy says. */
    Endpoints endpoints;

    /** What was agreed on where TLS ends here. */
    @Nullable TlsSession tls;
    /** The host that its client asks for in TLS that is passed through. */
    @Nullable String host;
    /** Where it goes; null before that is known. */
    @Nullable TcpRoutePlan route;

    /** Whether its connection to a node, which there may be, is counted among all of these. */
    boolean hasSlot;
    /** Whether that is being opened, or is there and isn't closed yet: it may be so when the session is long over. */
    boolean hasNodeSocket;

    @Nullable TcpNode node;
    /** The node of the last try, for the log. */
    @Nullable TcpNode lastNode;

    int attempts;
    /** The present try finds out if the node is well again. */
    int trial;

    long startNanos;
    /** How many of the client's and of the node's bytes are counted. */
    long clientBytesCounted;

    long nodeBytesCounted;
    /** Whether bytes pass, or a side takes what it was sent before. */
    final TakenWatch taken;

    @Nullable Fault fault;

    private @Nullable String note;

    /** A connection that was accepted; both of its ends are known. */
    TcpSession(TcpFlow flow, Channel channel) {
        this.flow = flow;
        this.plan = flow.plan();
        this.channel = channel;
        this.relay = new Relay(this, flow.memory());
        this.taken = new TakenWatch(channel, plan.listener().idleTimeoutNanos());
        InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
        InetSocketAddress local = (InetSocketAddress) channel.localAddress();
        this.peer = IpAddress.of(remote.getAddress().getAddress());
        this.endpoints = new Endpoints(
                peer, remote.getPort(), IpAddress.of(local.getAddress().getAddress()), local.getPort());
    }

    // Asked by the Worker

    @Override
    public void cut() {
        flow.fail(this, Fault.SESSION_CUT);
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
        return relay.nodeBytes();
    }

    @Override
    public long waitingBytes() {
        return relay.waitingBytes();
    }

    @Override
    public void onMemoryShort() {
        relay.restartRead();
    }

    @Override
    public @Nullable Fault fault() {
        return fault;
    }

    @Override
    public @Nullable String tlsVersion() {
        return tls == null ? null : tls.version();
    }

    @Override
    public @Nullable String host() {
        return tls == null ? host : tls.host();
    }

    @Override
    public @Nullable String routeId() {
        return route == null || route.id().isEmpty() ? null : route.id();
    }

    @Override
    public @Nullable String upstreamId() {
        return route == null ? null : route.upstream().id();
    }

    @Override
    public @Nullable WorkerNode lastNode() {
        return lastNode;
    }

    @Override
    public int attempts() {
        return attempts;
    }

    // Told by its connections

    @Override
    public void onOpened() {
        flow.opened(this);
    }

    @Override
    public void onHeader(@Nullable Endpoints told) {
        flow.header(this, told);
    }

    @Override
    public void onHeaderRefused(HeaderRefusal why) {
        flow.headerRefused(this, why);
    }

    @Override
    public void onSecured(TlsSession tls) {
        flow.secured(this, tls);
    }

    @Override
    public void onUnencrypted() {
        flow.unencrypted(this);
    }

    @Override
    public void onHello(ClientHello hello) {
        flow.hello(this, hello);
    }

    @Override
    public void onHelloRefused(HelloReader.Why why) {
        flow.helloRefused(
                this,
                switch (why) {
                    case MALFORMED -> Counter.TLS_HANDSHAKES_FAILED;
                    case CROWDED -> Counter.TLS_HANDSHAKES_CROWDED;
                });
    }

    @Override
    public void onOpen(Channel toNode) {
        flow.attempts.open(this, toNode);
    }

    @Override
    public void onConnected(Channel toNode) {
        try {
            flow.attempts.connected(this, toNode);
        } catch (RuntimeException | Error e) {
            toNode.close();
            onThrown(e);
        }
    }

    @Override
    public void onConnectFailed(Fault why, Throwable cause) {
        try {
            flow.attempts.failed(this, why, cause);
        } catch (RuntimeException | Error e) {
            onThrown(e);
        }
    }

    /** The node's connection is closed. */
    @Override
    public void operationComplete(ChannelFuture closed) {
        flow.attempts.closed(this);
    }

    @Override
    public void onNodeRead() {
        TcpNode from = node;
        if (from != null) {
            from.alive();
        }
    }

    @Override
    public void onEnding() {
        flow.ending(this);
    }

    @Override
    public void onThrown(Throwable cause) {
        flow.thrown(this, cause);
    }

    @Override
    public void onEnd(Relay.@Nullable End end) {
        flow.end(this, end);
    }

    @Override
    protected void onDeadline() {
        flow.late(this);
    }

    // Asked by balance

    @Override
    public boolean excludes(int nodeIndex) {
        return tried.contains(nodeIndex);
    }

    @Override
    public long source() {
        return PickContext.sourceOf(endpoints.client());
    }

    // Asked by plugins

    @Override
    public IpAddress clientAddress() {
        return endpoints.client();
    }

    @Override
    public int clientPort() {
        return endpoints.clientPort();
    }

    @Override
    public IpAddress localAddress() {
        return endpoints.local();
    }

    @Override
    public int localPort() {
        return endpoints.localPort();
    }

    @Override
    public IpAddress peerAddress() {
        return peer;
    }

    @Override
    public String listenerId() {
        return flow.listener().id();
    }
}
