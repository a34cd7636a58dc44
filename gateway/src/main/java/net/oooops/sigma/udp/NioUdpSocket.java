package net.oooops.sigma.udp;

import io.netty.channel.IoEvent;
import io.netty.channel.IoRegistration;
import io.netty.channel.nio.NioIoHandle;
import io.netty.channel.nio.NioIoOps;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectableChannel;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** A socket of UDP that is the JDK's. */
final class NioUdpSocket extends UdpSocket {
    private final DatagramChannel channel;
    private final Reader reader;
    private final ByteBuffer memory;
    /** The one node that it is for, or null. */
    private final @Nullable InetSocketAddress remote;

    private final IoRegistration registration;
    private boolean connected;
    private @Nullable InetSocketAddress sender;

    private NioUdpSocket(UdpSockets sockets, DatagramChannel channel, @Nullable InetSocketAddress remote, Reader reader)
            throws IOException {
        this.channel = channel;
        this.reader = reader;
        this.memory = sockets.memory();
        this.remote = remote;
        this.connected = remote != null;
        Future<IoRegistration> registered = sockets.loop().register(new Handle());
        if (!registered.isSuccess()) {
            throw new IOException("not on its event loop, or that is closed", registered.cause());
        }
        registration = registered.getNow();
        registration.submit(NioIoOps.READ);
    }

    static UdpSocket bound(UdpSockets sockets, InetSocketAddress local, boolean sharedPort, Reader reader)
            throws IOException {
        DatagramChannel channel = open(sockets, local);
        try {
            if (sharedPort) {
                channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            }
            channel.bind(local);
            return new NioUdpSocket(sockets, channel, null, reader);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    static UdpSocket connected(UdpSockets sockets, InetSocketAddress remote, Reader reader) throws IOException {
        DatagramChannel channel = open(sockets, remote);
        try {
            channel.connect(remote);
            return new NioUdpSocket(sockets, channel, remote, reader);
        } catch (IOException | RuntimeException e) {
            channel.close();
            throw e;
        }
    }

    private static DatagramChannel open(UdpSockets sockets, InetSocketAddress of) throws IOException {
        boolean ipv6 = of.getAddress() instanceof Inet6Address;
        DatagramChannel channel =
                DatagramChannel.open(ipv6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        channel.configureBlocking(false);
        UdpSockets.Options options = sockets.options();
        if (options.receiveBufferBytes() > 0) {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, options.receiveBufferBytes());
        }
        if (options.sendBufferBytes() > 0) {
            channel.setOption(StandardSocketOptions.SO_SNDBUF, options.sendBufferBytes());
        }
        return channel;
    }

    @Override
    public int receive() {
        if (!channel.isOpen()) {
            return NONE;
        }
        try {
            memory.clear();
            // Not read(), which returns 0 for an empty datagram and for none.
            SocketAddress from = channel.receive(memory);
            if (from == null) {
                return NONE;
            }
            if (remote != null && !connected && !remote.equals(from)) {
                return FAILED;
            }
            sender = (InetSocketAddress) from;
            return memory.position();
        } catch (PortUnreachableException e) {
            return REFUSED;
        } catch (IOException e) {
            return FAILED;
        }
    }

    @Override
    public InetSocketAddress sender() {
        return Objects.requireNonNull(sender, "nothing received");
    }

    @Override
    public Sent send(int bytes) {
        InetSocketAddress node = Objects.requireNonNull(remote, "not connected");
        try {
            if (bytes == 0 && connected) {
                // The JDK sends no empty datagram on a connected channel, and says that it did; to connect it again
                // would
                // throw away what came meanwhile. So from now on it is only listened to the node here, and refusals are
                // not told any more.
                channel.disconnect();
                connected = false;
            }
            int sent = connected ? channel.write(first(bytes)) : channel.send(first(bytes), node);
            return sent == bytes ? Sent.YES : Sent.FULL;
        } catch (PortUnreachableException e) {
            return Sent.REFUSED;
        } catch (IOException e) {
            return Sent.FAILED;
        }
    }

    @Override
    public Sent sendTo(int bytes, InetSocketAddress to) {
        try {
            return channel.send(first(bytes), to) == bytes ? Sent.YES : Sent.FULL;
        } catch (IOException e) {
            return Sent.FAILED;
        }
    }

    private ByteBuffer first(int bytes) {
        return memory.clear().limit(bytes);
    }

    @Override
    public InetSocketAddress localAddress() {
        try {
            return (InetSocketAddress) channel.getLocalAddress();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    int descriptor() {
        return -1;
    }

    @Override
    void read(boolean whether) {
        registration.submit(whether ? NioIoOps.READ : NioIoOps.NONE);
    }

    @Override
    public void close() {
        registration.cancel();
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private final class Handle implements NioIoHandle {
        @Override
        public SelectableChannel selectableChannel() {
            return channel;
        }

        @Override
        public void handle(IoRegistration registered, IoEvent event) {
            reader.onReadable(NioUdpSocket.this);
        }

        @Override
        public void close() {
            // The event loop ends.
            NioUdpSocket.this.close();
        }
    }
}
