package net.oooops.sigma.control;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
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
}
