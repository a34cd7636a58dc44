package net.oooops.sigma.control;

import io.netty.channel.Channel;
import io.netty.channel.unix.UnixChannel;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.function.Consumer;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.listen.Binding;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.runtime.DatagramFlow;
import net.oooops.sigma.runtime.Worker;
import org.jspecify.annotations.Nullable;

/**
 * What is bound at one place: a socket for each Worker, or one for all.
 *
 * <p>Used by one thread at a time, but {@link #address}.
 */
final class BoundSockets {
    final List<Channel> channels = new ArrayList<>();
    /** Null for datagrams. */
    final @Nullable Accept accept;

    /** Of datagrams, until they are taken over. */
    List<PassedSocket> passed;

    Listener listener;
    /** Whether connections or datagrams come: a socket for datagrams is bound late, and that may fail. */
    boolean opened;

    volatile InetSocketAddress address;
    /** Workers that are still to get a socket. */
    List<Worker> without = List.of();
    /** Whether the process before this one may have these sockets, too. */
    private final boolean fromGateway;

    /** Whether they are another one's than a gateway's, who may want them back. */
    private final boolean foreign;

    BoundSockets(Listener listener, @Nullable Accept accept, List<PassedSocket> passed) {
        this.passed = passed;
        this.fromGateway = passed.stream().anyMatch(PassedSocket::isOfGateway);
        this.foreign = !passed.isEmpty() && !fromGateway;
        this.listener = listener;
        this.accept = accept;
        this.opened = accept != null;
        this.address = new InetSocketAddress(listener.host(), listener.port());
    }

    /** Whether its sockets are another one's than a gateway's, who may want them back. */
    boolean isForeign() {
        return foreign;
    }

    /** Nobody listens there any more: not the process before this one either, which may have the sockets until it ends. */
    void deafen() {
        if (fromGateway) {
            accept(false);
            channels.forEach(channel -> PassedSocket.deafen(descriptor(channel)));
        }
    }

    /** Whether another process has ended what listens there. */
    boolean isDeaf() {
        return !isOfDatagrams()
                && channels.stream().anyMatch(channel -> channel.isOpen() && PassedSocket.isDeaf(descriptor(channel)));
    }

    boolean isFor(Listener other) {
        return isOfDatagrams() == other instanceof UdpListenerConfig && listener.isAt(other);
    }

    /** Whether it takes datagrams. */
    boolean isOfDatagrams() {
        return accept == null;
    }

    /** Whether what clients send is taken from now on. Waits for event loops. */
    void read(boolean whether, List<Worker> workers) throws StartException {
        accept(whether);
        if (isOfDatagrams()) {
            onFlows(workers, flow -> flow.read(whether));
        }
    }

    /** Whether sockets of its own can be bound again where they were. */
    private boolean isOwnOfDatagrams() {
        return isOfDatagrams() && !foreign && listener.port() != 0;
    }

    /** Sockets of datagrams are left to another process that has them, too, on the Workers on which no client has a session. Waits for event loops. */
    void closeIdle(List<Worker> workers) throws StartException {
        if (isOwnOfDatagrams()) {
            onFlows(workers, DatagramFlow::closeIdle);
        }
    }

    /** What {@link #closeIdle} closed is bound again, and whatever else is missing. Waits for event loops. */
    void bindMissing(DatagramBinding binding) throws IOException {
        if (isOwnOfDatagrams() && listener instanceof UdpListenerConfig udp) {
            binding.bindMissing(udp);
        }
    }

    private void accept(boolean whether) {
        channels.stream()
                .map(channel -> Binding.accept(channel, whether))
                .toList()
                .forEach(done -> done.awaitUninterruptibly(ListeningSockets.LIMIT.toMillis()));
    }

    /** Of its sockets. Waits for event loops. */
    List<Integer> descriptors(List<Worker> workers) throws StartException {
        List<Integer> all = Collections.synchronizedList(new ArrayList<>());
        channels.forEach(channel -> all.add(descriptor(channel)));
        if (isOfDatagrams()) {
            onFlows(workers, flow -> all.addAll(flow.descriptors()));
        }
        return List.copyOf(all);
    }

    private static int descriptor(Channel channel) {
        return ((UnixChannel) channel).fd().intValue();
    }

    private void onFlows(List<Worker> workers, Consumer<DatagramFlow> what) throws StartException {
        OnLoops.each(workers, worker -> {
            DatagramFlow flow = worker.datagramFlow(listener.id());
            if (flow != null) {
                what.accept(flow);
            }
        });
    }

    /** Accepts nothing more; waits for that: what was accepted is with its Worker, or on its way there. Sockets of datagrams end with the Workers. */
    static void closeAll(List<BoundSockets> those) {
        List<Channel> channels = new ArrayList<>();
        for (BoundSockets each : those) {
            channels.addAll(each.channels);
            if (each.isOfDatagrams()) {
                each.passed.forEach(PassedSocket::close);
                each.passed = List.of();
            }
        }
        channels.forEach(Channel::close);
        channels.forEach(channel -> channel.closeFuture().awaitUninterruptibly(ListeningSockets.LIMIT.toMillis()));
    }
}
