package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.Session;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.runtime.ClientHandshakes;
import net.oooops.sigma.time.StallWatch;
import net.oooops.sigma.time.Timed;
import net.oooops.sigma.tls.TlsSession;
import org.jspecify.annotations.Nullable;

/**
 * One client's connection and the calls on it: the state of them, and nothing else. What happens to it stands in {@link BoltListener}, what to
 * its calls in {@link BoltFlow}.
 */
final class BoltClient extends Timed implements Session, FrameConnection.Owner, ClientHandshakes.Client {
    final BoltListener listener;
    final FrameConnection connection;

    /** Whether it is counted among the open ones. */
    boolean counted;
    /** Whether calls may come: it is encrypted, where it is to be. */
    boolean ready;

    @Nullable BoltExchange first;

    int callCount;
    /** The node's connection that takes nothing more of it for now. */
    @Nullable BoltLink heldBy;

    /** Whether a frame came since it was last looked at. */
    boolean heard;

    long quietSinceNanos;
    /** Whether it takes what it is sent. */
    final StallWatch sending;

    /** Why it is closed, where it isn't the client who did. */
    @Nullable Fault fault;

    private final IpAddress address;
    private final byte[] addressOctets;
    private final int port;
    private final IpAddress local;
    private final int localPort;

    /** A connection that was accepted; both of its ends are known. */
    BoltClient(BoltListener listener, Channel channel) {
        this.listener = listener;
        InetSocketAddress remote = (InetSocketAddress) channel.remoteAddress();
        InetSocketAddress own = (InetSocketAddress) channel.localAddress();
        this.addressOctets = remote.getAddress().getAddress();
        this.address = IpAddress.of(addressOctets);
        this.port = remote.getPort();
        this.local = IpAddress.of(own.getAddress().getAddress());
        this.localPort = own.getPort();
        this.connection = listener.connection(this, channel);
        this.sending = new StallWatch(channel, listener.listener().timeouts().sendStallNanos());
    }

    /** Adds a call that begins. */
    void add(BoltExchange x) {
        BoltExchange next = first;
        x.before = null;
        x.after = next;
        if (next != null) {
            next.before = x;
        }
        first = x;
        callCount++;
    }

    /** Takes out a call that has ended. */
    void remove(BoltExchange x) {
        BoltExchange left = x.before;
        BoltExchange right = x.after;
        if (left == null) {
            first = right;
        } else {
            left.after = right;
        }
        if (right != null) {
            right.before = left;
        }
        x.before = null;
        x.after = null;
        callCount--;
    }

    /** Isn't read until that node's connection can be written again, or others can in its place. */
    void holdFor(BoltLink link) {
        if (heldBy == null) {
            heldBy = link;
            link.hold(this);
            connection.pause();
        }
    }

    /** That connection can be written again, or nothing more of it is to go there. What is thrown ends this client: others wait for the same, and come next. */
    void release() {
        heldBy = null;
        try {
            readIfPossible();
        } catch (RuntimeException | Error e) {
            onThrown(e);
            connection.channel().close();
        }
    }

    /** Is read where neither it nor the node it sends to lags. */
    void readIfPossible() {
        if (heldBy == null && connection.isWritable()) {
            connection.resume();
        } else {
            connection.pause();
        }
    }

    /** The address in network order. */
    byte[] octets() {
        return addressOctets;
    }

    long source() {
        return PickContext.sourceOf(address);
    }

    // Told by its connection

    @Override
    public void onOpened() {
        listener.opened(this);
    }

    @Override
    public void onSecured(TlsSession tls) {
        listener.ready(this);
    }

    @Override
    public void onUnencrypted() {
        listener.unencrypted(this);
    }

    @Override
    public void onBytes(int count) {
        listener.received(count);
    }

    @Override
    public void onFrame(Frame frame, ByteBuf in) {
        heard = true;
        listener.flow().frame(this, frame, in);
    }

    @Override
    public void onRefused(FrameRefusal why) {
        listener.refused(this, why);
    }

    @Override
    public void onWritabilityChanged(boolean writable) {
        readIfPossible();
    }

    @Override
    public void onClosed() {
        listener.closed(this);
    }

    @Override
    public void onThrown(Throwable cause) {
        listener.thrown(this, cause);
    }

    @Override
    protected void onDeadline() {
        listener.look(this);
    }

    // Asked by plugins

    @Override
    public IpAddress clientAddress() {
        return address;
    }

    @Override
    public int clientPort() {
        return port;
    }

    @Override
    public IpAddress localAddress() {
        return local;
    }

    @Override
    public int localPort() {
        return localPort;
    }

    @Override
    public IpAddress peerAddress() {
        return address;
    }

    @Override
    public String listenerId() {
        return listener.listener().id();
    }
}
