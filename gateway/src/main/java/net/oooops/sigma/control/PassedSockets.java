package net.oooops.sigma.control;

import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.listen.PassedSocket;

/**
 * Sockets that were passed to this process when it was started, until Listeners take them over.
 *
 * <p>For one thread.
 */
final class PassedSockets implements AutoCloseable {
    private final List<PassedSocket> left;

    PassedSockets(List<PassedSocket> all) {
        left = new ArrayList<>(all);
    }

    /** Those that are for that Listener, which closes them from now on. */
    List<PassedSocket> take(Listener listener) {
        List<PassedSocket> taken =
                left.stream().filter(each -> each.isFor(listener)).toList();
        left.removeAll(taken);
        return taken;
    }

    /** Whether one that nobody has taken over has that Listener's port, if at another address. */
    boolean hasPort(Listener listener) {
        return listener.port() != 0
                && left.stream()
                        .anyMatch(each -> each.datagrams() == listener instanceof UdpListenerConfig
                                && each.local().getPort() == listener.port());
    }

    /**
     * Whether clients of that Listener come by a gateway's socket that nobody has taken over, as long as it has none of its own: by one whose place
     * includes its own, or is included. Versions before had such a one at {@code ::} for {@code 0.0.0.0}; else it has moved between all addresses and one of them.
     */
    boolean isReached(Listener listener) {
        InetSocketAddress place = new InetSocketAddress(listener.host(), listener.port());
        return left.stream()
                .anyMatch(each ->
                        each.isOfGateway() && !each.datagrams() && ListeningPlaces.overlap(each.local(), place));
    }

    /** The gateway serves: what nobody has taken over, as there is no Listener for it any more, refuses from now on who connects. */
    void end() {
        left.stream()
                .filter(each -> each.isOfGateway() && !each.datagrams())
                .forEach(each -> PassedSocket.deafen(each.descriptor()));
        close();
    }

    /** Closes those for which there is no Listener any more. */
    @Override
    public void close() {
        left.forEach(PassedSocket::close);
        left.clear();
    }
}
