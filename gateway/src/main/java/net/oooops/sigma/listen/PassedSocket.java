package net.oooops.sigma.listen;

import io.netty.channel.ChannelException;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.unix.Socket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.UdpListenerConfig;

/**
 * A bound socket that another process made and has passed to this one: the process before it, or the system's manager of services. Whoever takes it over
 * ({@link Binding#adopt}, {@code udp.UdpSockets#adopt}) closes it; what nobody takes over is to be closed.
 *
 * @param listenerId of the Listener that it was for in a gateway; empty where it comes from elsewhere
 * @param descriptor in this process
 * @param datagrams whether it is of UDP; else it listens for TCP
 * @param local where it is bound
 * @param shared whether others may be bound there, too (SO_REUSEPORT)
 */
public record PassedSocket(
        String listenerId, int descriptor, boolean datagrams, InetSocketAddress local, boolean shared) {
    // Of Linux: asm-generic/socket.h, linux/net.h.
    private static final int SOL_SOCKET = 1;
    private static final int SO_TYPE = 3;
    private static final int SO_ACCEPTCONN = 30;
    private static final int SO_DOMAIN = 39;
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int SOCK_STREAM = 1;
    private static final int SOCK_DGRAM = 2;

    /**
     * What a descriptor is.
     *
     * @param listenerId of the Listener that it was for in a gateway; empty where it comes from elsewhere
     * @throws IOException where it is no socket that could be taken over; the message says what it is instead
     */
    public static PassedSocket of(String listenerId, int descriptor) throws IOException {
        if (!Epoll.isAvailable()) {
            throw new IOException("descriptor " + descriptor + ": there is no native library here");
        }
        try {
            Socket socket = new Socket(descriptor);
            int domain = socket.getIntOpt(SOL_SOCKET, SO_DOMAIN);
            if (domain != AF_INET && domain != AF_INET6) {
                throw new IOException("descriptor " + descriptor + ": no socket of IPv4 or IPv6");
            }
            int type = socket.getIntOpt(SOL_SOCKET, SO_TYPE);
            InetSocketAddress local = socket.localAddress();
            boolean listens = type == SOCK_STREAM && socket.getIntOpt(SOL_SOCKET, SO_ACCEPTCONN) != 0;
            if (local == null || (type != SOCK_DGRAM && !listens)) {
                throw new IOException("descriptor " + descriptor + ": no socket of TCP that listens, and none of UDP");
            }
            return new PassedSocket(listenerId, descriptor, type == SOCK_DGRAM, local, socket.isReusePort());
        } catch (ChannelException | IllegalArgumentException e) {
            throw new IOException("descriptor " + descriptor + ": " + e.getMessage(), e);
        }
    }

    /** Whether it comes from a gateway, which may still have it. */
    public boolean isOfGateway() {
        return !listenerId.isEmpty();
    }

    /**
     * Whether it is for that Listener: at its place, or, where it takes any free port, of the one with its id. Of
     * datagrams all addresses count where it is bound to all.
     *
     * <p>A gateway's own socket for {@code ::} isn't one for {@code 0.0.0.0}, as versions before had it: those who come by IPv6 would be let in. Whoever else has bound it
     * has said so, and nothing can be bound beside it.
     */
    public boolean isFor(Listener listener) {
        if (datagrams != listener instanceof UdpListenerConfig) {
            return false;
        }
        boolean samePort = listener.port() == 0 ? listenerId.equals(listener.id()) : listener.port() == local.getPort();
        InetAddress asked = samePort ? new InetSocketAddress(listener.host(), 0).getAddress() : null;
        if (asked == null) {
            return false;
        }
        if (!asked.isAnyLocalAddress()) {
            return asked.equals(local.getAddress());
        }
        return datagrams
                || (isOfGateway()
                        ? asked.equals(local.getAddress())
                        : local.getAddress().isAnyLocalAddress());
    }

    /** Nobody listens by that socket any more, in whichever processes it is: who connects is refused, rather than left waiting. */
    public static void deafen(int descriptor) {
        try {
            new Socket(descriptor).shutdown(true, false);
        } catch (IOException e) {
            // It doesn't listen: nothing is to be ended.
            return;
        }
    }

    /**
     * Its calls don't wait from now on, as event loops need it; those of systemd's sockets do.
     *
     * @throws IOException where that can't be; it is closed then
     */
    public void unblock() throws IOException {
        try {
            SystemCalls.unblock(descriptor);
        } catch (IOException e) {
            close();
            throw e;
        }
    }

    /** Whether what connects by this socket of TCP has {@code TCP_NODELAY}, by Linux. */
    boolean isNoDelay() {
        try {
            return new Socket(descriptor).isTcpNoDelay();
        } catch (IOException e) {
            // Nobody knows.
            return false;
        }
    }

    /** Whether that socket of TCP doesn't listen any more. */
    public static boolean isDeaf(int descriptor) {
        try {
            return new Socket(descriptor).getIntOpt(SOL_SOCKET, SO_ACCEPTCONN) == 0;
        } catch (IOException e) {
            // It was closed meanwhile.
            return false;
        }
    }

    /** Nobody here takes it over. */
    public void close() {
        try {
            new Socket(descriptor).close();
        } catch (IOException e) {
            // It is closed all the same: close(2).
            return;
        }
    }
}
