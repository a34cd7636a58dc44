package net.oooops.sigma.upstream;

import io.netty.bootstrap.Bootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelException;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler.Sharable;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedChannelException;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.names.HostAddresses;
import net.oooops.sigma.names.NameResolution;
import net.oooops.sigma.tls.NodeHandshake;
import net.oooops.sigma.tls.NodeTls;
import org.jspecify.annotations.Nullable;

/**
 * Opens connections to one Node. A host name is resolved each time one is opened, and in between by {@link #refresh}, so that
 * connections to an address that the name no longer has are told from the others; answers are kept for their TTL, and longer while
 * name servers have none ({@link HostAddresses}).
 * Where a name has several addresses, each new connection takes the next one.
 *
 * <p>Called on the Worker's event loop only; so are its callbacks.
 */
public final class NodeConnector {
    /** Is told how opening a connection ended: exactly one of the two is called. */
    public interface Callback {
        /**
         * The connection is open, nothing has been sent or read, and it isn't encrypted yet: what is to hold of it from its first byte on is
         * set here, and what goes before any handshake is written. {@link #onConnected} or {@link #onConnectFailed} comes after it: the second
         * also where this throws.
         *
         * @throws ChannelException where it was reset already, which counts as not connected
         */
        default void onOpen(Channel channel) {}

        /** The connection is open, and encrypted where it is to be. Nothing is read from it yet: auto-read is off. Where this throws, it is closed. */
        void onConnected(Channel channel);

        /**
         * It couldn't be opened: {@link Fault#DNS_FAILED}, {@link Fault#CONNECT_FAILED}, {@link Fault#CONNECT_TIMEOUT}, {@link
         * Fault#TLS_FAILED}; or, which says nothing of the node, {@link Fault#OUT_OF_DESCRIPTORS} or {@link Fault#INTERNAL}.
         */
        void onConnectFailed(Fault fault, Throwable cause);
    }

    /**
     * What connections are opened with.
     *
     * @param owner the event loop that they belong to
     * @param bootstrap with the kind of channel set, and the event loops that drive sockets: the owner alone, or others too
     * @param resolution resolves host names on the owner's event loop
     */
    public record Means(SingleThreadEventLoop owner, Bootstrap bootstrap, NameResolution resolution) {}

    private static final Quiet QUIET = new Quiet();

    private final SingleThreadEventLoop owner;
    private final Bootstrap bootstrap;
    private final Bootstrap onOwner;
    private final Target target;
    private NodeHandshake.Peer peer;
    private NodeHandshake.Peer http11Peer;
    /** Of a node that is written as one. */
    private final List<InetAddress> literals;
    /** Of a node with a name. */
    private final @Nullable HostAddresses named;

    private int turn;

    /**
     * Where connections lead.
     *
     * @param tls how they are encrypted, or null where they aren't
     */
    public record Target(String host, int port, @Nullable NodeTls tls) {}

    /** @param connectTimeoutNanos for each try, and as long again for its handshake where it is encrypted */
    public NodeConnector(Means means, Target target, long connectTimeoutNanos) {
        int millis = millis(connectTimeoutNanos);
        this.owner = means.owner();
        this.bootstrap = means.bootstrap()
                .clone()
                .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis)
                // A node that answers early and closes fails what is still being sent to it; its answer is there to be
                // read.
                .option(ChannelOption.AUTO_CLOSE, false)
                .disableResolver()
                .handler(QUIET);
        this.onOwner = bootstrap.clone(owner);
        this.target = target;
        this.peer = new NodeHandshake.Peer(target.host(), target.port(), millis, false);
        this.http11Peer = new NodeHandshake.Peer(target.host(), target.port(), millis, true);
        IpAddress literal = IpAddress.parse(target.host());
        this.named = literal == null ? new HostAddresses(means.resolution(), target.host()) : null;
        this.literals = literal == null ? List.of() : List.of(literal.inetAddress());
    }

    private static int millis(long nanos) {
        return Math.clamp(nanos / 1_000_000L, 1, Integer.MAX_VALUE);
    }

    /** Connections that begin to be opened from now on have that time, as in the beginning. */
    public void connectTimeout(long nanos) {
        int millis = millis(nanos);
        if (millis != peer.timeoutMillis()) {
            bootstrap.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis);
            onOwner.option(ChannelOption.CONNECT_TIMEOUT_MILLIS, millis);
            peer = new NodeHandshake.Peer(target.host(), target.port(), millis, false);
            http11Peer = new NodeHandshake.Peer(target.host(), target.port(), millis, true);
        }
    }

    /** Opens a connection. */
    public void connect(Callback callback) {
        connect(callback, peer);
    }

    /** Opens a connection that is to speak HTTP/1.1, whatever else the node speaks: it is offered that alone (ALPN). */
    public void connectInHttp11(Callback callback) {
        connect(callback, http11Peer);
    }

    private void connect(Callback callback, NodeHandshake.Peer with) {
        HostAddresses names = named;
        Callback opened = target.tls() == null ? callback : new Securing(target.tls(), with, callback);
        Connecting connecting = new Connecting(opened);
        if (names == null) {
            connecting.onAddresses(literals);
            return;
        }
        try {
            names.ask(connecting);
        } catch (RuntimeException | Error e) {
            connecting.failed(Fault.INTERNAL, e);
        }
    }

    /** A connection that is to be encrypted when it is open. */
    private static final class Securing implements Callback, NodeHandshake.Outcome {
        private final NodeTls tls;
        private final NodeHandshake.Peer with;
        private final Callback callback;
        private boolean failed;

        private Securing(NodeTls tls, NodeHandshake.Peer with, Callback callback) {
            this.tls = tls;
            this.with = with;
            this.callback = callback;
        }

        @Override
        public void onOpen(Channel channel) {
            callback.onOpen(channel);
        }

        @Override
        public void onConnected(Channel channel) {
            try {
                NodeHandshake.begin(tls, channel, with, this);
            } catch (RuntimeException | Error e) {
                onConnectFailed(faultOfThrown(e), e);
                // The handshake may have begun, and say so once more.
                channel.close();
            }
        }

        @Override
        public void onConnectFailed(Fault fault, Throwable cause) {
            if (!failed) {
                failed = true;
                callback.onConnectFailed(fault, cause);
            }
        }

        @Override
        public void onSecured(Channel channel) {
            tell(channel, callback);
        }

        @Override
        public void onLate(Throwable cause) {
            onConnectFailed(Fault.CONNECT_TIMEOUT, cause);
        }

        @Override
        public void onClosed(Throwable cause) {
            onConnectFailed(Fault.CONNECT_FAILED, cause);
        }

        @Override
        public void onRefused(Throwable cause) {
            onConnectFailed(Fault.TLS_FAILED, cause);
        }
    }

    private List<InetAddress> addresses() {
        return named == null ? literals : named.known();
    }

    /**
     * Where the next connection would go, for who opens it by itself: the next of the addresses that are known. Null while none is;
     * {@link #refresh} asks for them.
     */
    public @Nullable InetSocketAddress nextAddress() {
        List<InetAddress> addresses = addresses();
        if (addresses.isEmpty()) {
            return null;
        }
        turn = turn + 1 & Integer.MAX_VALUE;
        return new InetSocketAddress(addresses.get(turn % addresses.size()), target.port());
    }

    /** Whether {@link #nextAddress} would give one; takes no turn. */
    public boolean hasAddress() {
        return !addresses().isEmpty();
    }

    /** Asks again what the name's addresses are, if their TTL is over. */
    public void refresh() {
        if (named != null) {
            named.refresh();
        }
    }

    /** The node is gone. */
    public void close() {
        if (named != null) {
            named.close();
        }
    }

    /** Whether the node has lost an address since the beginning: else {@link #serves} needs no asking. */
    public boolean hasMoved() {
        return named != null && named.hasMoved();
    }

    /** Whether the node still has this address, as far as is known, or had it a short while ago. */
    public boolean serves(InetSocketAddress address) {
        return named == null || !named.hasMoved() || named.has(address.getAddress());
    }

    /** A connection that needs an address first. What is thrown where it has one is told as well. */
    private final class Connecting implements HostAddresses.Asker {
        private final Callback callback;
        private boolean answered;

        private Connecting(Callback callback) {
            this.callback = callback;
        }

        @Override
        public void onAddresses(List<InetAddress> addresses) {
            if (answered) {
                return;
            }
            answered = true;
            try {
                open(addresses, callback);
            } catch (RuntimeException | Error e) {
                tell(Fault.INTERNAL, e);
            }
        }

        @Override
        public void onUnresolved(Throwable cause) {
            failed(Descriptors.areOut(cause) ? Fault.OUT_OF_DESCRIPTORS : Fault.DNS_FAILED, cause);
        }

        private void failed(Fault fault, Throwable cause) {
            if (!answered) {
                answered = true;
                tell(fault, cause);
            }
        }

        private void tell(Fault fault, Throwable cause) {
            // Not at once, as a kept answer would be: each one that fails lets the next one in line try.
            owner.execute(() -> callback.onConnectFailed(fault, cause));
        }
    }

    private void open(List<InetAddress> addresses, Callback callback) {
        turn = turn + 1 & Integer.MAX_VALUE;
        InetAddress address = addresses.get(turn % addresses.size());
        EventLoop driver = bootstrap.config().group().next();
        // Not while events are handled: see SteadyEpoll.
        if (!SocketEnd.post(driver, () -> open(driver, address, callback))) {
            failed(Fault.CONNECT_FAILED, new ClosedChannelException(), callback);
        }
    }

    private void open(EventLoop driver, InetAddress address, Callback callback) {
        ChannelFuture connected;
        try {
            // A Bootstrap of several loops would choose again.
            Bootstrap onDriver = driver == owner ? onOwner : bootstrap.clone(driver);
            connected = onDriver.connect(new InetSocketAddress(address, target.port()));
        } catch (RuntimeException | Error e) {
            failed(Fault.INTERNAL, e, callback);
            return;
        }
        connected.addListener(done -> {
            if (!done.isSuccess()) {
                failed(faultOf(done.cause()), done.cause(), callback);
            } else if (driver == owner) {
                connected(connected.channel(), callback);
            } else {
                CrossedChannel.open(connected.channel(), owner, callback);
            }
        });
    }

    /** Tells the owner of a connection, on its event loop, that it is open. */
    static void connected(Channel channel, Callback callback) {
        try {
            callback.onOpen(channel);
        } catch (RuntimeException | Error e) {
            channel.close();
            callback.onConnectFailed(faultOfThrown(e), e);
            return;
        }
        tell(channel, callback);
    }

    private static void tell(Channel channel, Callback callback) {
        try {
            callback.onConnected(channel);
        } catch (RuntimeException | Error e) {
            // Whoever was to have it may not know it yet.
            channel.close();
            throw e;
        }
    }

    private static Fault faultOfThrown(Throwable cause) {
        // The first: reset as soon as it was there; some systems know nothing more of it.
        return cause instanceof ChannelException ? Fault.CONNECT_FAILED : Fault.INTERNAL;
    }

    private static Fault faultOf(Throwable cause) {
        if (cause instanceof ConnectTimeoutException) {
            return Fault.CONNECT_TIMEOUT;
        }
        return Descriptors.areOut(cause) ? Fault.OUT_OF_DESCRIPTORS : Fault.CONNECT_FAILED;
    }

    private void failed(Fault fault, Throwable cause, Callback callback) {
        if (owner.inEventLoop()) {
            callback.onConnectFailed(fault, cause);
        } else {
            SocketEnd.post(owner, () -> callback.onConnectFailed(fault, cause));
        }
    }

    /** Reading begins when the owner has added its handler. */
    @Sharable
    private static final class Quiet extends ChannelInitializer<Channel> {
        @Override
        protected void initChannel(Channel channel) {
            channel.config().setAutoRead(false);
        }
    }
}
