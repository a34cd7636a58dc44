package net.oooops.sigma.udp;

import io.netty.channel.ChannelException;
import io.netty.channel.IoEventLoop;
import io.netty.channel.IoHandle;
import io.netty.channel.IoRegistration;
import io.netty.channel.unix.Buffer;
import io.netty.channel.unix.DatagramSocketAddress;
import io.netty.channel.unix.Errors;
import io.netty.channel.unix.Errors.NativeIoException;
import io.netty.channel.unix.Socket;
import io.netty.util.concurrent.Future;
import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.nio.ByteBuffer;
import java.util.Objects;
import net.oooops.sigma.listen.PassedSocket;
import org.jspecify.annotations.Nullable;

/** A socket of UDP that is Netty's native one; epoll or a ring says when it can be read. */
final class UnixUdpSocket extends UdpSocket {
    /** On this system: no room in the device's queue. */
    private static final int ENOBUFS = -105;

    /** Netty's, of a family of its own choice rather than the system's. */
    private static final class Native extends Socket {
        Native(boolean ipv6) {
            super(newSocketDgram0(ipv6));
        }
    }

    private final Socket socket;
    private final boolean connected;
    private final Reader reader;
    private final long address;
    private final int addressBytes;
    private @Nullable Polling polling;
    private @Nullable InetSocketAddress sender;

    private UnixUdpSocket(UdpSockets sockets, Socket socket, boolean connected, Reader reader) {
        this.socket = socket;
        this.connected = connected;
        this.reader = reader;
        ByteBuffer memory = sockets.memory();
        this.address = Buffer.memoryAddress(memory);
        this.addressBytes = memory.capacity();
    }

    static UdpSocket bound(UdpSockets sockets, InetSocketAddress local, boolean sharedPort, Reader reader)
            throws IOException {
        Socket socket = open(sockets, local);
        try {
            if (sharedPort) {
                socket.setReusePort(true);
            }
            socket.bind(local);
            return new UnixUdpSocket(sockets, socket, false, reader).polled(sockets);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    static UdpSocket adopted(UdpSockets sockets, PassedSocket passed, Reader reader) throws IOException {
        passed.unblock();
        Socket socket = new Socket(passed.descriptor());
        try {
            return new UnixUdpSocket(sockets, socket, false, reader).polled(sockets);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    static UdpSocket connected(UdpSockets sockets, InetSocketAddress remote, Reader reader) throws IOException {
        Socket socket = open(sockets, remote);
        try {
            socket.connect(remote);
            return new UnixUdpSocket(sockets, socket, true, reader).polled(sockets);
        } catch (IOException | RuntimeException e) {
            socket.close();
            throw e;
        }
    }

    private static Socket open(UdpSockets sockets, InetSocketAddress of) throws IOException {
        Socket socket;
        try {
            socket = new Native(of.getAddress() instanceof Inet6Address);
        } catch (ChannelException e) {
            // No descriptor left, most likely.
            throw new IOException(e.getMessage(), e);
        }
        UdpSockets.Options options = sockets.options();
        if (options.receiveBufferBytes() > 0) {
            socket.setReceiveBufferSize(options.receiveBufferBytes());
        }
        if (options.sendBufferBytes() > 0) {
            socket.setSendBufferSize(options.sendBufferBytes());
        }
        return socket;
    }

    private UnixUdpSocket polled(UdpSockets sockets) throws IOException {
        polling = sockets.isOnRing() ? RingPolling.of(this, sockets.loop()) : EpollPolling.of(this, sockets.loop());
        return this;
    }

    Socket socket() {
        return socket;
    }

    /** It can be read. */
    void readable() {
        reader.onReadable(this);
    }

    @Override
    public int receive() {
        if (!socket.isOpen()) {
            return NONE;
        }
        try {
            return connected ? receiveConnected() : receiveFrom();
        } catch (IOException e) {
            return isRefusal(e) ? REFUSED : FAILED;
        }
    }

    private int receiveConnected() throws IOException {
        int received = socket.recvAddress(address, 0, addressBytes);
        // Netty has -1 for an empty datagram, which would be the end of a stream, and 0 for none.
        return received > 0 ? received : received == 0 ? NONE : 0;
    }

    private int receiveFrom() throws IOException {
        DatagramSocketAddress from = socket.recvFromAddress(address, 0, addressBytes);
        if (from == null) {
            return NONE;
        }
        sender = from;
        return from.receivedAmount();
    }

    @Override
    public InetSocketAddress sender() {
        return Objects.requireNonNull(sender, "nothing received");
    }

    @Override
    public Sent send(int bytes) {
        try {
            int sent = socket.sendAddress(address, 0, bytes);
            return sent < bytes ? Sent.FULL : Sent.YES;
        } catch (IOException e) {
            return notSent(e);
        }
    }

    @Override
    public Sent sendTo(int bytes, InetSocketAddress to) {
        try {
            int sent = socket.sendToAddress(address, 0, bytes, to.getAddress(), to.getPort());
            return sent < bytes ? Sent.FULL : Sent.YES;
        } catch (IOException e) {
            return notSent(e);
        }
    }

    private static Sent notSent(IOException cause) {
        if (isRefusal(cause)) {
            return Sent.REFUSED;
        }
        return cause instanceof NativeIoException error && error.expectedErr() == ENOBUFS ? Sent.FULL : Sent.FAILED;
    }

    private static boolean isRefusal(IOException cause) {
        return cause instanceof PortUnreachableException
                || (cause instanceof NativeIoException error
                        && error.expectedErr() == Errors.ERROR_ECONNREFUSED_NEGATIVE);
    }

    @Override
    public InetSocketAddress localAddress() {
        return socket.localAddress();
    }

    @Override
    int descriptor() {
        return socket.intValue();
    }

    @Override
    void read(boolean whether) {
        Polling polled = polling;
        if (polled != null) {
            polled.read(whether);
        }
    }

    @Override
    public void close() {
        Polling polled = polling;
        polling = null;
        if (polled != null) {
            polled.end();
        }
    }

    /** Tells when the socket can be read, again for as long as it can. */
    interface Polling {
        /** Has {@code handle} told of what happens on that event loop, which is the caller's. */
        static IoRegistration register(IoHandle handle, IoEventLoop loop) throws IOException {
            Future<IoRegistration> registered = loop.register(handle);
            if (!registered.isSuccess()) {
                throw new IOException("not on its event loop, or that is closed", registered.cause());
            }
            return registered.getNow();
        }

        /** Whether it tells from now on. */
        void read(boolean whether);

        /** Ends it, and closes the socket. */
        void end();
    }
}
