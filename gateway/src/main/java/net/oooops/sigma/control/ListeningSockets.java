package net.oooops.sigma.control;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.EventLoopGroup;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.listen.Binding;
import net.oooops.sigma.listen.SocketOptions;
import net.oooops.sigma.listen.SocketTransport;
import net.oooops.sigma.runtime.Worker;
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
    private volatile List<Bound> open = List.of();

    /** What is bound at one place: a socket for each Worker, or one for all. */
    private static final class Bound {
        private final List<Channel> channels = new ArrayList<>();
        /** Null for datagrams. */
        private final @Nullable Accept accept;

        private Listener listener;
        /** Whether connections or datagrams come: a socket for datagrams is bound late, and that may fail. */
        private boolean opened;

        private volatile InetSocketAddress address;

        private Bound(Listener listener, @Nullable Accept accept) {
            this.listener = listener;
            this.accept = accept;
            this.opened = accept != null;
            this.address = new InetSocketAddress(listener.host(), listener.port());
        }

        private boolean isFor(Listener other) {
            return isOfDatagrams(listener) == isOfDatagrams(other) && listener.isAt(other);
        }
    }

    /** @param loops the Workers' event loops */
    ListeningSockets(List<Worker> workers, SocketTransport transport, SocketOptions options, EventLoopGroup loops) {
        this.workers = List.copyOf(workers);
        this.transport = transport;
        this.binding = new Binding(transport, options);
        this.loops = loops;
    }

    private static boolean isOfDatagrams(Listener listener) {
        return listener instanceof UdpListenerConfig;
    }

    /** Sockets for another configuration, as far as there are none yet. Nothing that runs notices them before {@link #take}. */
    final class Change {
        private final List<Bound> next = new ArrayList<>();
        private final List<Bound> fresh = new ArrayList<>();

        private Change() {}

        /**
         * The Workers follow that configuration: connections go to its Listeners, sockets that it has no Listener for are closed.
         *
         * @throws StartException with all that failed, such as datagrams that can't be received after all; all else is done then
         */
        void take(SigmaConfig config) throws StartException {
            List<Listener> listeners = config.allListeners();
            List<Exception> failed = new ArrayList<>();
            for (int i = 0; i < next.size(); i++) {
                Bound bound = next.get(i);
                Listener listener = listeners.get(i);
                attempt(failed, () -> lead(bound, listener));
            }
            List<Bound> gone =
                    open.stream().filter(each -> !next.contains(each)).toList();
            open = List.copyOf(next);
            for (Bound each : fresh) {
                each.channels.forEach(channel -> channel.config().setAutoRead(true));
            }
            ListeningSockets.close(gone);
            fresh.forEach(each -> attempt(failed, () -> receive(each)));
            if (!failed.isEmpty()) {
                String all = failed.stream().map(Exception::getMessage).collect(Collectors.joining("; "));
                throw new StartException(all, failed.getFirst());
            }
        }

        private static void attempt(List<Exception> failed, Step step) {
            try {
                step.run();
            } catch (StartException | RuntimeException e) {
                failed.add(e);
            }
        }

        private void lead(Bound bound, Listener listener) throws StartException {
            bound.listener = listener;
            Accept accept = bound.accept;
            if (accept != null) {
                OnLoops.each(workers, worker -> accept.lead(worker, listener));
            }
        }

        /** It isn't followed: closes what was opened for it. */
        void undo() {
            ListeningSockets.close(fresh);
        }
    }

    private interface Step {
        void run() throws StartException;
    }

    /**
     * Opens sockets for what has none yet.
     *
     * @throws StartException where one can't be bound; all is as before then
     */
    Change prepare(SigmaConfig config) throws StartException {
        Change change = new Change();
        try {
            for (Listener listener : config.allListeners()) {
                Bound there = find(listener);
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

    private @Nullable Bound find(Listener listener) {
        for (Bound each : open) {
            if (each.opened && each.isFor(listener)) {
                return each;
            }
        }
        return null;
    }

    private Bound bind(Listener listener) throws StartException {
        if (listener instanceof UdpListenerConfig udp) {
            probe(udp);
            return new Bound(listener, null);
        }
        Accept accept = new Accept(workers, listener);
        Bound bound = new Bound(listener, accept);
        try {
            if (workers.size() > 1 && transport.sharedPort() == null) {
                bindForAll(bound, accept);
            } else {
                bindOwn(bound, accept);
            }
            return bound;
        } catch (StartException | RuntimeException | Error e) {
            close(List.of(bound));
            throw e;
        }
    }

    /** One socket for all Workers. */
    private void bindForAll(Bound bound, Accept accept) throws StartException {
        Worker first = workers.getFirst();
        ChannelFuture binding = this.binding.bindForAll(
                bound.address, first.eventLoop(), loops, accept, cause -> accept.failed(first, cause));
        bound.channels.add(awaited(binding, bound.listener));
        bound.address = (InetSocketAddress) bound.channels.getFirst().localAddress();
    }

    /** A socket for each of them, all on one port. */
    private void bindOwn(Bound bound, Accept accept) throws StartException {
        if (!isPortOurs(bound.listener)) {
            probe(bound.address, bound.listener);
        }
        for (Worker worker : workers) {
            ChannelFuture binding = this.binding.bindOwn(
                    bound.address, worker.eventLoop(), accept, cause -> accept.failed(worker, cause));
            Channel channel = awaited(binding, bound.listener);
            bound.channels.add(channel);
            int port = ((InetSocketAddress) channel.localAddress()).getPort();
            bound.address = new InetSocketAddress(bound.listener.host(), port);
        }
    }

    /** Whether another socket of this gateway has the port, at another address: that one is no stranger. */
    private boolean isPortOurs(Listener listener) {
        return open.stream().anyMatch(each -> !isOfDatagrams(each.listener) && each.listener.port() == listener.port());
    }

    /** With SO_REUSEPORT a second gateway could take half of the first one's connections unnoticed: refuse to. */
    private static void probe(InetSocketAddress address, Listener listener) throws StartException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.setReuseAddress(true);
            socket.bind(address);
        } catch (IOException e) {
            throw cannotListen(listener, e);
        }
    }

    private void probe(UdpListenerConfig listener) throws StartException {
        try {
            datagrams().probe(listener);
        } catch (IOException e) {
            throw cannotListen(listener, e);
        }
    }

    private void receive(Bound bound) throws StartException {
        if (bound.listener instanceof UdpListenerConfig listener) {
            try {
                bound.address = datagrams().bind(listener);
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
                        + " (" + (cause == null ? "no answer in time" : cause.getMessage()) + ")",
                cause == null ? new TimeoutException() : cause);
    }

    /** Where each Listener of the configuration that holds is bound, or was to be, in the order of sigma.json. Any thread. */
    List<InetSocketAddress> addresses() {
        return open.stream().map(each -> each.address).toList();
    }

    /** Accepts nothing more. Datagrams of sessions still come: their sockets end with the Workers. */
    void close() {
        close(open);
    }

    private static void close(List<Bound> those) {
        List<Channel> channels = new ArrayList<>();
        those.forEach(each -> channels.addAll(each.channels));
        channels.forEach(Channel::close);
        channels.forEach(channel -> channel.closeFuture().awaitUninterruptibly(LIMIT.toMillis()));
    }
}
