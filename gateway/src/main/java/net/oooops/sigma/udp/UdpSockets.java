package net.oooops.sigma.udp;

import io.netty.channel.IoEventLoop;
import io.netty.channel.SingleThreadEventLoop;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import net.oooops.sigma.listen.PassedSocket;
import org.jspecify.annotations.Nullable;

/**
 * Makes the sockets of UDP of one Worker, on the transport of its event loop. Epoll and io_uring say when a socket can be read, and
 * then Netty's native socket is asked; with NIO that is the JDK's.
 *
 * <p>Not Netty's datagram channels: with one of them for each session a session costs kilobytes, and with io_uring some 180; empty
 * datagrams are lost or mix up others; and each datagram is several objects and a place in a queue.
 *
 * <p>Made on any thread, else called on its event loop only.
 */
public final class UdpSockets {
    /** Longer than any datagram (RFC 768: a length of 16 bits, with 8 bytes of header): none can be cut. */
    private static final int BUFFER_BYTES = 1 << 16;

    /** How sockets are driven. */
    private enum Kind {
        EPOLL,
        IO_URING,
        NIO
    }

    /**
     * What holds for each of them.
     *
     * @param receiveBufferBytes SO_RCVBUF, 0 for the system's own choice
     * @param sendBufferBytes SO_SNDBUF, 0 for the system's own choice
     */
    public record Options(int receiveBufferBytes, int sendBufferBytes) {}

    private final Kind kind;
    private final IoEventLoop loop;
    private final Options options;
    private @Nullable ByteBuffer memory;

    private UdpSockets(Kind kind, IoEventLoop loop, Options options) {
        this.kind = kind;
        this.loop = loop;
        this.options = options;
    }

    /** Whether there are sockets of UDP for this transport. */
    public static boolean isFor(String transport) {
        return switch (transport) {
            case "epoll", "io_uring", "nio" -> true;
            default -> false;
        };
    }

    /**
     * Those of an event loop.
     *
     * @param transport that the event loop is driven with, one that {@link #isFor} is true of
     */
    public static UdpSockets of(String transport, SingleThreadEventLoop loop, Options options) {
        Kind kind = switch (transport) {
            case "epoll" -> Kind.EPOLL;
            case "io_uring" -> Kind.IO_URING;
            case "nio" -> Kind.NIO;
            default -> throw new IllegalArgumentException(transport + " (expected: epoll, io_uring or nio)");
        };
        return new UdpSockets(kind, (IoEventLoop) loop, options);
    }

    /**
     * A bound socket.
     *
     * @param sharedPort whether other sockets, of this user, may be bound there too (SO_REUSEPORT)
     */
    public UdpSocket bind(InetSocketAddress local, boolean sharedPort, UdpSocket.Reader reader) throws IOException {
        if (kind == Kind.NIO) {
            return NioUdpSocket.bound(this, local, sharedPort, reader);
        }
        return UnixUdpSocket.bound(this, local, sharedPort, reader);
    }

    /**
     * A socket that is bound already, and was passed by another process; it is closed where this fails.
     *
     * @throws IOException where that can't be
     */
    UdpSocket adopt(PassedSocket passed, UdpSocket.Reader reader) throws IOException {
        if (kind == Kind.NIO) {
            passed.close();
            throw new IOException("transport nio can't take over sockets (expected: epoll or io_uring)");
        }
        return UnixUdpSocket.adopted(this, passed, reader);
    }

    /** A socket that sends to that address, and receives what comes from there and nothing else. */
    public UdpSocket connect(InetSocketAddress remote, UdpSocket.Reader reader) throws IOException {
        if (kind == Kind.NIO) {
            return NioUdpSocket.connected(this, remote, reader);
        }
        return UnixUdpSocket.connected(this, remote, reader);
    }

    boolean isOnRing() {
        return kind == Kind.IO_URING;
    }

    IoEventLoop loop() {
        return loop;
    }

    Options options() {
        return options;
    }

    /** The one buffer, made with the first socket. */
    ByteBuffer memory() {
        ByteBuffer there = memory;
        if (there == null) {
            there = ByteBuffer.allocateDirect(BUFFER_BYTES);
            memory = there;
        }
        return there;
    }
}
