package net.oooops.sigma.control;

import java.io.IOException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The addresses that a Listener of UDP binds. Where its own stands for all of this machine's, each of those has a socket of its own,
 * beside one for the rest: what is sent by a socket leaves from its address, so that a client is answered from where it asked. A
 * socket that is bound to all leaves that to the routing table.
 */
final class LocalAddresses {
    private static final Logger LOG = LoggerFactory.getLogger(LocalAddresses.class);
    /** Each costs a socket for each Worker. */
    private static final int ADDRESSES_MAX = 256;

    private LocalAddresses() {}

    /** Those beside {@code address}, which is asked for first. */
    static List<InetAddress> beside(InetSocketAddress address) {
        InetAddress host = address.getAddress();
        if (host == null || !host.isAnyLocalAddress()) {
            return List.of();
        }
        List<InetAddress> all = new ArrayList<>();
        try {
            NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    // The one of IPv6 stands for those of IPv4 too.
                    .filter(each -> !(host instanceof Inet4Address) || each instanceof Inet4Address)
                    .filter(LocalAddresses::isUsable)
                    .forEach(all::add);
        } catch (SocketException e) {
            LOG.warn("the addresses of this machine can't be told: answers leave from the one that its routes name", e);
        }
        if (all.size() > ADDRESSES_MAX) {
            LOG.warn(
                    "{} addresses (expected: <= {}): answers of the others leave from the one that the routes name",
                    all.size(),
                    ADDRESSES_MAX);
            return all.subList(0, ADDRESSES_MAX);
        }
        return all;
    }

    /** Whether it can be bound: one of IPv6 can't while it is made sure that no other machine has it. */
    private static boolean isUsable(InetAddress address) {
        boolean ipv6 = address instanceof Inet6Address;
        try (DatagramChannel channel =
                DatagramChannel.open(ipv6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET)) {
            channel.bind(new InetSocketAddress(address, 0));
            return true;
        } catch (IOException e) {
            LOG.warn("{} can't be bound, answers of it leave from the one that the routes name: {}", address, e);
            return false;
        }
    }
}
