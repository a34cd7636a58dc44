package net.oooops.sigma.control;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.channels.UnresolvedAddressException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Where sockets that take connections may be bound. Any thread. */
final class ListeningPlaces {
    private static final long FREE_LIMIT_NANOS = TimeUnit.SECONDS.toNanos(5);
    private static final long FREE_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private ListeningPlaces() {}

    /** Whether a socket at one of both keeps another from being bound at the other one. */
    static boolean overlap(InetSocketAddress one, InetSocketAddress other) {
        InetAddress first = one.getAddress();
        InetAddress second = other.getAddress();
        return one.getPort() == other.getPort()
                && first != null
                && second != null
                && (first.equals(second) || includes(first, second) || includes(second, first));
    }

    /** {@code 0.0.0.0} is every address of IPv4, {@code ::} every address. */
    private static boolean includes(InetAddress all, InetAddress other) {
        return all.isAnyLocalAddress() && (all instanceof Inet6Address || other instanceof Inet4Address);
    }

    /** Waits for a moment until a socket can be bound there: one that was closed may still have the place. */
    static void awaitFree(InetSocketAddress address) {
        long deadline = System.nanoTime() + FREE_LIMIT_NANOS;
        while (!isFree(address) && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(FREE_POLL_NANOS);
        }
    }

    private static boolean isFree(InetSocketAddress address) {
        try {
            requireFree(address);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Tries to bind one there.
     *
     * @throws IOException where it can't be
     */
    static void requireFree(InetSocketAddress address) throws IOException {
        try (ServerSocketChannel socket = isOfIpv4(address)
                ? ServerSocketChannel.open(StandardProtocolFamily.INET)
                : ServerSocketChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            socket.bind(address);
        } catch (UnresolvedAddressException e) {
            throw new UnknownHostException(address.getHostString());
        }
    }

    /**
     * Tries to bind one there beside those of this user that share their port (SO_REUSEPORT). It doesn't listen: who connects meanwhile comes to the others.
     *
     * @throws IOException where it can't be, as at an address that this machine hasn't
     */
    static void requireFreeBeside(InetSocketAddress address) throws IOException {
        try (SocketChannel socket =
                isOfIpv4(address) ? SocketChannel.open(StandardProtocolFamily.INET) : SocketChannel.open()) {
            socket.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            socket.setOption(StandardSocketOptions.SO_REUSEPORT, true);
            socket.bind(address);
        } catch (UnresolvedAddressException e) {
            throw new UnknownHostException(address.getHostString());
        }
    }

    private static boolean isOfIpv4(InetSocketAddress address) {
        return address.getAddress() instanceof Inet4Address;
    }
}
