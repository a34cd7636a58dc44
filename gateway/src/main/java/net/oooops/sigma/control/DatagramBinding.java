package net.oooops.sigma.control;

import java.io.IOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.nio.channels.DatagramChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import net.oooops.sigma.config.Listener;
import net.oooops.sigma.config.UdpListenerConfig;
import net.oooops.sigma.listen.PassedSocket;
import net.oooops.sigma.runtime.DatagramFlow;
import net.oooops.sigma.runtime.Worker;

/**
 * Binds the Listeners of UDP. With SO_REUSEPORT each Worker has sockets of its own; by a client's address and port the kernel always
 * chooses the same, as long as none is added or closed. Without it the first Worker has all sessions: one socket can't be read by
 * several, and what a session is belongs to one event loop.
 *
 * <p>Used on the thread that starts the gateway, which waits for the event loops.
 */
final class DatagramBinding {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final List<Worker> workers;
    private final boolean shared;
    private final Duration limit;

    /** @param shared whether several sockets can be bound to one port */
    DatagramBinding(List<Worker> workers, boolean shared) {
        this(workers, shared, LIMIT);
    }

    /** @param limit for which an event loop is waited for */
    DatagramBinding(List<Worker> workers, boolean shared, Duration limit) {
        this.limit = limit;
        this.workers = shared ? List.copyOf(workers) : List.of(workers.getFirst());
        this.shared = shared;
    }

    /**
     * Binds a Listener.
     *
     * @return its address, with the port that it has
     * @throws IOException where that isn't possible; the message says why
     */
    InetSocketAddress bind(UdpListenerConfig listener) throws IOException {
        InetSocketAddress asked = asked(listener);
        InetSocketAddress bound = bindOnAll(listener, asked);
        for (InetAddress address : beside(asked)) {
            bindOnAll(listener, new InetSocketAddress(address, bound.getPort()));
        }
        return new InetSocketAddress(asked.getAddress(), bound.getPort());
    }

    /**
     * Takes over sockets of a Listener that are bound already; where these are a gateway's, and fewer than Workers, others are bound beside them.
     *
     * @return its address, with the port that it has
     */
    InetSocketAddress adopt(UdpListenerConfig listener, List<PassedSocket> passed) throws IOException {
        InetSocketAddress asked = asked(listener);
        int port = passed.getFirst().local().getPort();
        if (!passed.stream().allMatch(each -> each.isOfGateway() && each.shared())) {
            // Nothing can be bound beside one that isn't shared, or that another user has bound.
            adoptOnAll(listener, passed);
            return new InetSocketAddress(asked.getAddress(), port);
        }
        List<InetAddress> addresses = new ArrayList<>(beside(asked));
        addresses.addFirst(asked.getAddress());
        List<PassedSocket> left = new ArrayList<>(passed);
        for (InetAddress address : addresses) {
            List<PassedSocket> there = left.stream()
                    .filter(each -> isSame(each.local().getAddress(), address))
                    .toList();
            left.removeAll(there);
            adoptOnAll(listener, there);
            for (int i = there.size(); i < workers.size(); i++) {
                bind(workers.get(i), listener, new InetSocketAddress(address, port));
            }
        }
        // Of an address that this machine has no longer, or of another version's choice.
        adoptOnAll(listener, left);
        return new InetSocketAddress(asked.getAddress(), port);
    }

    /** All addresses are that in both forms of them. */
    private static boolean isSame(InetAddress one, InetAddress other) {
        return one.equals(other) || (one.isAnyLocalAddress() && other.isAnyLocalAddress());
    }

    private void adoptOnAll(UdpListenerConfig listener, List<PassedSocket> sockets) throws IOException {
        for (int i = 0; i < sockets.size(); i++) {
            PassedSocket socket = sockets.get(i);
            onLoop(workers.get(i % workers.size()), listener, flow -> flow.adopt(socket));
        }
    }

    private static InetSocketAddress asked(UdpListenerConfig listener) throws IOException {
        InetSocketAddress asked = new InetSocketAddress(listener.host(), listener.port());
        if (asked.isUnresolved()) {
            throw new IOException("no such host");
        }
        return asked;
    }

    private List<InetAddress> beside(InetSocketAddress asked) {
        return shared ? LocalAddresses.beside(asked) : List.of();
    }

    /**
     * Finds out whether a Listener could be bound. One that is back while it drains could: it goes on with the sockets that it has.
     *
     * @throws IOException where it couldn't; the message says why
     * @throws StartException where event loops don't answer
     */
    void probe(UdpListenerConfig listener) throws IOException, StartException {
        InetSocketAddress asked = asked(listener);
        if (listener.port() == 0 || has(listener::isAt)) {
            return;
        }
        boolean ours = has(each -> each.port() == listener.port());
        if (ours && shared) {
            return;
        }
        try {
            probe(asked, beside(asked));
        } catch (IOException e) {
            throw ours
                    ? new IOException(
                            "this gateway has the port at another address, and here it can't be bound twice", e)
                    : e;
        }
    }

    /**
     * Finds out whether this machine has a Listener's address. No socket is bound at its port, as another process has that: it would get what clients send.
     *
     * @throws IOException where it hasn't; the message says why
     */
    void probeAddress(UdpListenerConfig listener) throws IOException {
        probe(new InetSocketAddress(asked(listener).getAddress(), 0), List.of());
    }

    /** Whether such a Listener has sockets on any Worker. */
    private boolean has(Predicate<Listener> which) throws StartException {
        AtomicBoolean found = new AtomicBoolean();
        OnLoops.each(workers, worker -> {
            if (worker.hasDatagrams(which)) {
                found.set(true);
            }
        });
        return found.get();
    }

    /** With SO_REUSEPORT a second gateway could take half of the first one's clients unnoticed: refuse to. */
    private static void probe(InetSocketAddress asked, List<InetAddress> beside) throws IOException {
        List<InetAddress> all = new ArrayList<>(beside);
        all.addFirst(asked.getAddress());
        for (InetAddress address : all) {
            boolean ipv6 = address instanceof Inet6Address;
            try (DatagramChannel channel =
                    DatagramChannel.open(ipv6 ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET)) {
                channel.bind(new InetSocketAddress(address, asked.getPort()));
            }
        }
    }

    /**
     * Binds what is missing of a Listener on each Worker: all of its addresses, or some of them. One that can't be bound keeps no other from it.
     *
     * @throws IOException where one can't be, once all others are
     */
    void bindMissing(UdpListenerConfig listener) throws IOException {
        InetSocketAddress asked = asked(listener);
        List<InetAddress> addresses = new ArrayList<>(beside(asked));
        addresses.addFirst(asked.getAddress());
        IOException failed = null;
        for (Worker worker : workers) {
            try {
                // All of them in one go: who doesn't answer is waited for once.
                onLoop(worker, listener, flow -> bindMissing(flow, addresses, listener.port()));
            } catch (IOException e) {
                failed = failed == null ? e : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    private void bindMissing(DatagramFlow flow, List<InetAddress> addresses, int port) throws IOException {
        IOException failed = null;
        for (InetAddress address : addresses) {
            try {
                bindMissing(flow, address, port);
            } catch (IOException e) {
                failed = failed == null ? e : failed;
            }
        }
        if (failed != null) {
            throw failed;
        }
    }

    private void bindMissing(DatagramFlow flow, InetAddress address, int port) throws IOException {
        // One that was taken over may have it in the other form.
        if (!address.isAnyLocalAddress() || !flow.isBoundToAll()) {
            flow.bind(new InetSocketAddress(address, port), shared);
        }
    }

    private InetSocketAddress bindOnAll(UdpListenerConfig listener, InetSocketAddress asked) throws IOException {
        InetSocketAddress address = asked;
        for (Worker worker : workers) {
            address = bind(worker, listener, address);
        }
        return address;
    }

    private InetSocketAddress bind(Worker worker, UdpListenerConfig listener, InetSocketAddress address)
            throws IOException {
        AtomicReference<InetSocketAddress> bound = new AtomicReference<>();
        onLoop(worker, listener, flow -> bound.set(flow.bind(address, shared)));
        return bound.get();
    }

    private interface Step {
        void run(DatagramFlow flow) throws IOException;
    }

    private void onLoop(Worker worker, UdpListenerConfig listener, Step step) throws IOException {
        CompletableFuture<Void> done = new CompletableFuture<>();
        worker.eventLoop().execute(() -> {
            try {
                step.run(Objects.requireNonNull(worker.datagramFlow(listener.id()), "no such server"));
                done.complete(null);
            } catch (IOException | RuntimeException e) {
                done.completeExceptionally(e);
            }
        });
        try {
            done.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", e);
        } catch (TimeoutException e) {
            throw new IOException("no answer in time", e);
        } catch (ExecutionException e) {
            throw new IOException(String.valueOf(e.getCause()), e);
        }
    }
}
