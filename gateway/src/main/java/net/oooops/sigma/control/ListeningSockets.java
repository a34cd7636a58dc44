package net.oooops.sigma.control;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.ListenerConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.listen.Binding;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.listen.SocketOptions;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.runtime.Worker;
import net.oooops.sigma.udp.UdpSockets;
import net.oooops.sigma.upstream.Bound;
import org.jspecify.annotations.Nullable;

/**
 * The sockets that a gateway listens on, each known by where it is bound: a Listener that stays where it is keeps its socket, whatever else of it changes.
 *
 * <p>Used by one thread at a time, which waits for event loops.
 */
final class ListeningSockets {
    /** How long a socket may take to be bound or closed. */
    static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<Worker> workers;
    private final SocketTransport transport;
    private final Binding binding;
    private final EventLoopGroup loops;
    private final PassedSockets passed;
    /** Of connections of clients, whichever of these they came by. */
    private final Bound connections;

    private volatile List<BoundSockets> open = List.of();

    /**
     * None yet.
     *
     * @param loops the Workers' event loops
     * @param passed those that were passed to this process
     */
    ListeningSockets(
            List<Worker> workers,
            SocketTransport transport,
            SocketOptions options,
            EventLoopGroup loops,
            PassedSockets passed) {
        this.workers = List.copyOf(workers);
        this.connections = workers.getFirst().descriptors().clients();
        this.transport = transport;
        this.binding = new Binding(transport, options);
        this.loops = loops;
        this.passed = passed;
    }

    /** Sockets for another configuration, as far as there are none yet. Nothing that runs notices them before {@link #take}. */
    final class Change {
        private final List<BoundSockets> next = new ArrayList<>();
        private final List<BoundSockets> fresh = new ArrayList<>();

        private Change() {}

        /**
         * The Workers follow that configuration: connections go to its Listeners, sockets that it has no Listener for are closed.
         *
         * @throws StartException with all that failed, such as datagrams that can't be received after all; all else is done then
         */
        void take(SigmaConfig config) throws StartException {
            List<Exception> failed = new ArrayList<>();
            attempt(failed, () -> lead(config));
            List<BoundSockets> gone =
                    open.stream().filter(each -> !next.contains(each)).toList();
            boolean first = open.isEmpty();
            open = List.copyOf(next);
            fresh.forEach(each -> attempt(failed, () -> receive(each)));
            fresh.forEach(each -> attempt(failed, () -> bindWithout(each)));
            if (first) {
                // Where one of them fails the gateway doesn't start: no connection is to be accepted, and cut.
                raise(failed);
            }
            fresh.forEach(
                    each -> each.channels.forEach(channel -> channel.config().setAutoRead(true)));
            gone.forEach(BoundSockets::deafen);
            BoundSockets.closeAll(gone);
            raise(failed);
        }

        /** Connections go to the Listeners of that configuration, whenever they are accepted. */
        void lead(SigmaConfig config) throws StartException {
            List<Listener> listeners = config.allListeners();
            List<Exception> failed = new ArrayList<>();
            for (int i = 0; i < next.size(); i++) {
                BoundSockets bound = next.get(i);
                Listener listener = listeners.get(i);
                attempt(failed, () -> lead(bound, listener));
            }
            raise(failed);
        }

        private void lead(BoundSockets bound, Listener listener) throws StartException {
            bound.listener = listener;
            Accept accept = bound.accept;
            if (accept != null) {
                OnLoops.each(workers, worker -> accept.lead(worker, listener));
            }
        }

        /**
         * Asks each of those Listeners that speak HTTP something, on sockets of their own on the loopback address.
         *
         * @throws StartException where one doesn't answer
         */
        void prove() throws StartException {
            for (BoundSockets each : next) {
                Accept accept = each.accept;
                if (accept != null && each.listener instanceof ListenerConfig http) {
                    ListeningSockets.this.prove(http, accept);
                }
            }
        }

        /** Whether a socket has that place until {@link #take}, and leaves it to others then. Whoever had passed one still has it. */
        boolean leaves(InetSocketAddress place) {
            return open.stream()
                    .filter(each -> !each.isOfDatagrams() && !each.isForeign() && !next.contains(each))
                    .anyMatch(each -> ListeningPlaces.overlap(each.address, place));
        }

        /** Whether clients of one of its Listeners have come until {@link #take} by a socket that ends, and that some may be about to connect by still. */
        boolean hasMoved() {
            return fresh.stream().anyMatch(each -> each.without.equals(workers) && passed.isReached(each.listener));
        }

        /** It isn't followed: closes what was opened for it. */
        void undo() {
            BoundSockets.closeAll(fresh);
        }
    }

    private static void attempt(List<Exception> failed, Step<StartException> step) {
        try {
            step.run();
        } catch (StartException | RuntimeException e) {
            failed.add(e);
        }
    }

    private static void raise(List<Exception> failed) throws StartException {
        if (!failed.isEmpty()) {
            String all = failed.stream().map(Exception::getMessage).collect(Collectors.joining("; "));
            throw new StartException(all, failed.getFirst());
        }
    }

    /**
     * Opens sockets for what has none yet.
     *
     * @throws StartException where one can't be bound; all is as before then
     */
    Change prepare(SigmaConfig config) throws StartException {
        requireUdp(config);
        Change change = new Change();
        try {
            for (Listener listener : config.allListeners()) {
                BoundSockets there = find(listener);
                if (there == null) {
                    there = bind(listener);
                    change.fresh.add(there);
                }
                change.next.add(there);
            }
            return change;
        } catch (StartException | RuntimeException | Error e) {
            change.undo();
            throw e;
        }
    }

    private void requireUdp(SigmaConfig config) throws StartException {
        if (!config.udpListeners().isEmpty() && !UdpSockets.isFor(transport.name())) {
            throw new StartException(
                    "runtime.transport: " + transport.name() + " (expected: epoll, io_uring or nio with UDP servers)",
                    new UnsupportedOperationException(transport.name()));
        }
    }

    private @Nullable BoundSockets find(Listener listener) {
        for (BoundSockets each : open) {
            if (each.opened && each.isFor(listener)) {
                return each;
            }
        }
        return null;
    }

    private BoundSockets bind(Listener listener) throws StartException {
        List<PassedSocket> there = passed.take(listener);
        if (!there.isEmpty() && !Binding.canAdopt(transport)) {
            there.forEach(PassedSocket::close);
            requireAdoptable();
        }
        if (listener instanceof UdpListenerConfig udp) {
            if (there.isEmpty()) {
                probe(udp);
            }
            return new BoundSockets(listener, null, there);
        }
        Accept accept = new Accept(workers, listener, connections);
        BoundSockets bound = new BoundSockets(listener, accept, there);
        try {
            if (!there.isEmpty()) {
                adopt(bound, accept, there);
            } else if (passed.isReached(listener)) {
                // The kernel may prefer these at once, and nobody accepts by them yet.
                require(listener, () -> ListeningPlaces.requireFreeBeside(bound.address));
                bound.without = workers;
            } else if (workers.size() > 1 && transport.sharedPort() == null) {
                bindForAll(bound, accept);
            } else {
                bindOwn(bound, accept);
            }
            return bound;
        } catch (StartException | RuntimeException | Error e) {
            BoundSockets.closeAll(List.of(bound));
            throw e;
        }
    }

    /** One socket for all Workers. */
    private void bindForAll(BoundSockets bound, Accept accept) throws StartException {
        Worker first = workers.getFirst();
        ChannelFuture binding = this.binding.bindForAll(
                bound.address, first.eventLoop(), loops, accept, cause -> accept.failed(first, cause));
        bound.channels.add(awaited(binding, bound.listener));
        bound.address = (InetSocketAddress) bound.channels.getFirst().localAddress();
    }

    /** A socket for each of them, all on one port. */
    private void bindOwn(BoundSockets bound, Accept accept) throws StartException {
        if (!isPortOurs(bound.listener)) {
            // With SO_REUSEPORT a second gateway could take half of the first one's connections unnoticed: refuse to.
            require(bound.listener, () -> ListeningPlaces.requireFree(bound.address));
        }
        for (Worker worker : workers) {
            int port = bindOwn(bound, accept, worker);
            bound.address = new InetSocketAddress(bound.listener.host(), port);
        }
    }

    private int bindOwn(BoundSockets bound, Accept accept, Worker worker) throws StartException {
        ChannelFuture binding =
                this.binding.bindOwn(bound.address, worker.eventLoop(), accept, cause -> accept.failed(worker, cause));
        Channel channel = awaited(binding, bound.listener);
        bound.channels.add(channel);
        return ((InetSocketAddress) channel.localAddress()).getPort();
    }

    /** Sockets that listen already, each on a Worker; Workers without one get theirs later ({@link #bindWithout}), as far as that can be. */
    private void adopt(BoundSockets bound, Accept accept, List<PassedSocket> there) throws StartException {
        // Beside those of somebody else none can be bound: the kernel wants all of one user.
        boolean shared = there.stream().allMatch(each -> each.shared() && each.isOfGateway());
        bound.address = new InetSocketAddress(
                bound.listener.host(), there.getFirst().local().getPort());
        int taken = 0;
        try {
            while (taken < there.size()) {
                Worker worker = workers.get(shared ? taken % workers.size() : 0);
                ChannelFuture adopted = binding.adopt(
                        there.get(taken++),
                        worker.eventLoop(),
                        shared ? worker.eventLoop() : loops,
                        accept,
                        cause -> accept.failed(worker, cause));
                bound.channels.add(awaited(adopted, bound.listener));
            }
        } catch (IOException e) {
            throw cannotListen(bound.listener, e);
        } finally {
            there.subList(taken, there.size()).forEach(PassedSocket::close);
        }
        bound.without = shared ? workers.subList(Math.min(there.size(), workers.size()), workers.size()) : List.of();
    }

    /** Only now: what connects there is accepted at once, and nobody else would. */
    private void bindWithout(BoundSockets bound) throws StartException {
        Accept accept = bound.accept;
        if (accept != null) {
            for (Worker worker : bound.without) {
                bindOwn(bound, accept, worker);
            }
        }
    }

    private void prove(ListenerConfig listener, Accept accept) throws StartException {
        Worker first = workers.getFirst();
        InetSocketAddress loopback = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
        ChannelFuture bound =
                binding.bindOwn(loopback, first.eventLoop(), accept, cause -> accept.failed(first, cause));
        Channel channel = awaited(bound, listener);
        try {
            channel.config().setAutoRead(true);
            new OwnRequest(listener).send((InetSocketAddress) channel.localAddress());
        } catch (IOException e) {
            throw new StartException(
                    "proxy-server \"" + listener.id() + "\": doesn't answer a request of its own (" + e.getMessage()
                            + ")",
                    e);
        } finally {
            channel.close().awaitUninterruptibly(LIMIT.toMillis());
        }
    }

    /**
     * All sockets, for another process to take over; they stay this one's, too.
     *
     * @throws StartException where they can't be taken over
     */
    List<PassedSocket> passable() throws StartException {
        requireAdoptable();
        List<PassedSocket> all = new ArrayList<>();
        try {
            for (BoundSockets each : open) {
                for (int descriptor : each.descriptors(workers)) {
                    all.add(PassedSocket.of(each.isForeign() ? "" : each.listener.id(), descriptor));
                }
            }
        } catch (IOException e) {
            throw new StartException(String.valueOf(e.getMessage()), e);
        }
        return all;
    }

    private void requireAdoptable() throws StartException {
        if (!Binding.canAdopt(transport)) {
            throw new StartException(
                    "runtime.transport: " + transport.name()
                            + " (expected: epoll or io_uring, whose sockets can be passed on and taken over)",
                    new UnsupportedOperationException(transport.name()));
        }
    }

    /** Closes sockets by which nobody can connect any more, as another process that has them wants it ({@link BoundSockets#deafen}). */
    void closeDeaf() {
        List<BoundSockets> deaf = open.stream().filter(BoundSockets::isDeaf).toList();
        if (!deaf.isEmpty()) {
            open = open.stream().filter(each -> !deaf.contains(each)).toList();
            BoundSockets.closeAll(deaf);
        }
    }

    /** Whether what clients send is taken from now on, or left to another process that has the same sockets. */
    void read(boolean whether) throws StartException {
        for (BoundSockets each : open) {
            each.read(whether, workers);
        }
    }

    /**
     * Sockets of datagrams by which no client has a session are left to another process that has them, too: that one may want to close them for good, or to
     * bind them anew.
     */
    void closeIdle() throws StartException {
        for (BoundSockets each : open) {
            each.closeIdle(workers);
        }
    }

    /**
     * What {@link #closeIdle} closed is bound again, and whatever else is missing of servers of datagrams.
     *
     * @throws StartException with all that failed; all else is bound then
     */
    void bindMissing() throws StartException {
        List<Exception> failed = new ArrayList<>();
        for (BoundSockets each : open) {
            attempt(failed, () -> bindMissing(each));
        }
        raise(failed);
    }

    private void bindMissing(BoundSockets bound) throws StartException {
        try {
            bound.bindMissing(datagrams());
        } catch (IOException e) {
            throw cannotListen(bound.listener, e);
        }
    }

    /** Whether another socket of this gateway has the port, at another address: that one is no stranger. */
    private boolean isPortOurs(Listener listener) {
        return passed.hasPort(listener)
                || open.stream().anyMatch(each -> !each.isOfDatagrams() && each.listener.port() == listener.port());
    }

    private static void require(Listener listener, Step<IOException> free) throws StartException {
        try {
            free.run();
        } catch (IOException e) {
            throw cannotListen(listener, e);
        }
    }

    private void probe(UdpListenerConfig listener) throws StartException {
        try {
            if (passed.hasPort(listener)) {
                datagrams().probeAddress(listener);
            } else {
                datagrams().probe(listener);
            }
        } catch (IOException e) {
            throw cannotListen(listener, e);
        }
    }

    private void receive(BoundSockets bound) throws StartException {
        if (bound.listener instanceof UdpListenerConfig listener) {
            List<PassedSocket> there = bound.passed;
            bound.passed = List.of();
            try {
                bound.address = there.isEmpty()
                        ? datagrams().bind(listener)
                        : datagrams().adopt(listener, there);
                bound.opened = true;
            } catch (IOException e) {
                throw cannotListen(listener, e);
            }
        }
    }

    private DatagramBinding datagrams() {
        return new DatagramBinding(workers, transport.sharedPort() != null);
    }

    private static Channel awaited(ChannelFuture binding, Listener listener) throws StartException {
        binding.awaitUninterruptibly(LIMIT.toMillis());
        if (!binding.isSuccess()) {
            throw cannotListen(listener, binding.cause());
        }
        return binding.channel();
    }

    private static StartException cannotListen(Listener listener, @Nullable Throwable cause) {
        return new StartException(
                "proxy-server \"" + listener.id() + "\": can't listen on " + listener.host() + ":" + listener.port()
                        + " (" + (cause == null ? "no answer in time" : PortRights.why(listener.port(), cause)) + ")",
                cause == null ? new TimeoutException() : cause);
    }

    /** Where each Listener of the configuration that holds is bound, or was to be, in the order of sigma.json. Any thread. */
    List<InetSocketAddress> addresses() {
        return open.stream().map(each -> each.address).toList();
    }

    /** Accepts nothing more. Datagrams of sessions still come: their sockets end with the Workers. */
    void close() {
        BoundSockets.closeAll(open);
    }
}
