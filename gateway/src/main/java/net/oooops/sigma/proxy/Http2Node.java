package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import javax.net.ssl.SSLHandshakeException;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http2.Http2ClientConnection;
import net.oooops.sigma.http2.Http2Room;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.tls.SecureEnd;
import net.oooops.sigma.tls.TlsSession;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.Slots;
import org.jspecify.annotations.Nullable;

/**
 * A Node of HTTP/2 on one Worker: one connection for all its requests, and another one only where the node takes no more of them on those
 * that there are.
 */
final class Http2Node extends HttpNode implements Http2ClientConnection.Keeper {
    /** So many wait for one that is opened before another one is. */
    private static final int WAITING_FOR_EACH = 100;

    private final HttpRoad road;
    private final LoopContext loop;
    private final Slots slots;
    private final @Nullable Bound pending;
    private final int connectionsMax;
    private final int waitersMax;

    /** Those that lend streams. */
    private final List<Http2ClientConnection> connections = new ArrayList<>();

    private final ArrayDeque<Attempt> waiting = new ArrayDeque<>();
    private int opening;
    /** What it was blamed for last: a connection that fails is one failure, however many waited for it. */
    private @Nullable Throwable blamed;
    /** How many connections there are, with those that are opened and those that end. */
    private int openCount;

    Http2Node(HttpRoad road, Place place, Node node) {
        super(road, place, node);
        this.road = road;
        this.loop = road.loop();
        this.connectionsMax = loop.share(loop.client().maxPoolSizePerServer(), 1);
        this.waitersMax = loop.share(loop.client().maxWaitQueue(), 0);
        Breaker breaker = place.upstream().breaker();
        this.slots = new Slots(
                breaker == null ? null : breaker.connections(), loop.nodes().connections());
        this.pending = breaker == null ? null : breaker.pending();
    }

    @Override
    void publishConnections() {
        int idle = 0;
        for (Http2ClientConnection connection : connections) {
            idle += connection.streamCount() == 0 ? 1 : 0;
        }
        gauges().set(openCount, idle, waiting.size());
        if (openCount > 0) {
            connector().refresh();
        }
        if (connector().hasMoved()) {
            for (Http2ClientConnection connection : List.copyOf(connections)) {
                if (!connector().serves(connection.remote())) {
                    connection.goOut();
                }
            }
        }
    }

    @Override
    public void retire() {
        super.retire();
        for (Attempt attempt : List.copyOf(waiting)) {
            // Others may take it.
            attempt.exchange.onUnsent(attempt, Fault.NO_HEALTHY_NODE, null);
        }
    }

    @Override
    public void close() {
        List.copyOf(connections).forEach(Http2ClientConnection::goOut);
    }

    @Override
    void find(Attempt attempt) {
        for (Http2ClientConnection connection : connections) {
            if (connection.hasRoom()) {
                loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_REUSED);
                attempt.exchange.onConnection(attempt, connection.lend());
                return;
            }
        }
        if (waiting.size() >= waitersMax + expected()) {
            attempt.exchange.onUnsent(attempt, Fault.POOL_OVERFLOW, null);
        } else if (pending != null && !pending.tryTake()) {
            attempt.exchange.onUnsent(attempt, Fault.BREAKER_FULL, null);
        } else {
            waiting.add(attempt);
            await(attempt);
            openMore();
        }
    }

    /** How many streams those that are being opened, or may be, will have at least. */
    private long expected() {
        return (long) WAITING_FOR_EACH * (opening + (mayOpen() ? 1 : 0));
    }

    private boolean mayOpen() {
        // Those that end lend no streams.
        return connections.size() + opening < connectionsMax;
    }

    /** Opens as many connections as those who wait need. */
    private void openMore() {
        while (!isRetired() && waiting.size() > opening * WAITING_FOR_EACH && mayOpen()) {
            if (slots.take(openCount == 0) != null) {
                return;
            }
            opening++;
            openCount++;
            Attempt first = waiting.getFirst();
            connector().connect(new Opening(first.exchange.proxy.limits()));
        }
    }

    /** Who has waited longest, or null. */
    private @Nullable Attempt poll() {
        Attempt first = waiting.poll();
        if (first != null) {
            stopWaiting(first);
            if (pending != null) {
                pending.release();
            }
        }
        return first;
    }

    @Override
    void unreached(Attempt attempt, Fault fault, Throwable cause) {
        if (blamed == cause) {
            attempt.erred(true);
        } else {
            blamed = cause;
            super.unreached(attempt, fault, cause);
        }
    }

    @Override
    void giveUp(Attempt attempt) {
        if (attempt.isWaiting() && waiting.remove(attempt)) {
            stopWaiting(attempt);
            if (pending != null) {
                pending.release();
            }
        }
    }

    @Override
    void release(ClientStream client, boolean fit) {
        if (fit) {
            Http2ClientConnection.giveBack(client);
        } else {
            client.abandon();
        }
    }

    @Override
    boolean tellsUnprocessed() {
        return true;
    }

    /** A stream that a slow client holds keeps none of the others waiting. */
    @Override
    void setAside(boolean aside) {}

    // Told by connections

    @Override
    public HeadWriter writer() {
        return road.writer();
    }

    @Override
    public Http2Room room() {
        return road.http2Room();
    }

    @Override
    public void onRoom(Http2ClientConnection connection) {
        while (!waiting.isEmpty() && connection.hasRoom()) {
            Attempt next = poll();
            if (next != null) {
                next.exchange.onConnection(next, connection.lend());
            }
        }
    }

    @Override
    public void onGoing(Http2ClientConnection connection) {
        connections.remove(connection);
    }

    @Override
    public void onConnectionLost(Http2ClientConnection connection) {
        openCount--;
        slots.give();
        openMore();
    }

    @Override
    public void onIdleTimeout() {
        loop.counters().increment(Counter.UPSTREAM_IDLE_TIMEOUTS);
    }

    @Override
    public void onBroken(String reason) {
        loop.failures().node(this, Fault.UPSTREAM_PROTOCOL, reason);
    }

    @Override
    public void onThrown(Throwable cause) {
        loop.thrown(cause);
    }

    /** A connection that is being opened. */
    private final class Opening implements NodeConnector.Callback {
        private final Limits limits;

        private Opening(Limits limits) {
            this.limits = limits;
        }

        @Override
        public void onOpen(Channel channel) {
            channel.config().setRecvByteBufAllocator(loop.memory().reads());
        }

        @Override
        public void onConnected(Channel channel) {
            if (channel.pipeline().first() instanceof SslHandler encrypted
                    && !TlsSession.HTTP2.equals(encrypted.applicationProtocol())) {
                SecureEnd.close(channel);
                onConnectFailed(Fault.TLS_FAILED, new SSLHandshakeException("the node doesn't agree on h2 (ALPN)"));
                return;
            }
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_OPENED);
            opening--;
            Http2ClientConnection connection =
                    new Http2ClientConnection(Http2Node.this, limits, loop.wheel(), loop.memory(), channel);
            channel.pipeline().addLast(connection);
            channel.config().setAutoRead(true);
            connections.add(connection);
            connection.begin(loop.client().idleTimeoutNanos());
            if (isRetired()) {
                connection.goOut();
            } else {
                onRoom(connection);
            }
        }

        @Override
        public void onConnectFailed(Fault fault, Throwable cause) {
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
            opening--;
            openCount--;
            slots.give();
            if (waiting.isEmpty() && fault != Fault.OUT_OF_DESCRIPTORS) {
                faulted(false);
            }
            // Where others are open or being opened, those who wait may still get a stream of these.
            blamed = null;
            int left = connections.isEmpty() ? opening * WAITING_FOR_EACH : waiting.size();
            for (Attempt attempt : List.copyOf(waiting)) {
                if (waiting.size() > left) {
                    attempt.exchange.onUnsent(attempt, fault, cause);
                }
            }
            blamed = null;
        }
    }
}
