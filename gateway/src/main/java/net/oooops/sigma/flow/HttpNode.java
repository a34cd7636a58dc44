package net.oooops.sigma.flow;

import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.http1.ClientConnection;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.NodePool;
import org.jspecify.annotations.Nullable;

/**
 * A Node on one Worker: its pool of HTTP connections put together with how they are opened. Does what {@link NodePool}
 * decides.
 */
final class HttpNode extends WorkerNode implements ClientConnection.Keeper {
    private final Worker worker;
    private final byte[] hostLine;
    private final NodePool<ClientConnection, HttpExchange> pool;

    HttpNode(Place place, NodeConfig node) {
        super(place, node, node.authority());
        this.worker = place.worker();
        this.hostLine = ("Host: " + name() + "\r\n").getBytes(StandardCharsets.US_ASCII);
        this.pool = new NodePool<>(worker.poolShare(), worker.waitShare());
    }

    /** The Host field with this node's authority. */
    byte[] hostLine() {
        return hostLine;
    }

    @Override
    void publish() {
        gauges().set(pool.openCount(), pool.idleCount(), pool.waitingCount());
        if (pool.openCount() > 0) {
            connector().refresh();
        }
    }

    @Override
    void close() {
        ClientConnection idle = pool.takeIdle();
        while (idle != null) {
            idle.abandon();
            idle = pool.takeIdle();
        }
    }

    /** Finds a connection for the exchange: at once, or once one is opened or free. */
    void acquire(HttpExchange exchange) {
        Attempt attempt = exchange.attempt;
        attempt.begin(this);
        ClientConnection idle = pool.takeIdle();
        while (idle != null && (attempt.isFreshOnly() || !isFit(idle))) {
            idle.abandon();
            idle = attempt.isFreshOnly() ? null : pool.takeIdle();
        }
        if (idle != null) {
            worker.counters().increment(Counter.UPSTREAM_CONNECTIONS_REUSED);
            exchange.flow.send(exchange, idle);
            return;
        }
        switch (pool.admit(exchange)) {
            case CONNECT -> open(exchange);
            case WAIT -> worker.wheel().arm(exchange, worker.client().waitTimeoutNanos());
            case OVERFLOW -> exchange.flow.tryFailed(exchange, Fault.POOL_OVERFLOW, false, name());
        }
    }

    private boolean isFit(ClientConnection idle) {
        return idle.isOpen() && (!connector().hasMoved() || connector().serves(idle.remote()));
    }

    /** The exchange no longer needs its connection, or no longer waits for one. */
    void leave(HttpExchange exchange, boolean fit) {
        Attempt attempt = exchange.attempt;
        ClientConnection connection = attempt.leave();
        if (connection != null) {
            worker.counters()
                    .add(Counter.UPSTREAM_BYTES_SENT, connection.outlet().takeWrittenBytes());
            worker.counters().add(Counter.UPSTREAM_BYTES_RECEIVED, connection.takeReceivedBytes());
        }
        if (connection == null) {
            if (!attempt.isOpening()) {
                pool.cancel(exchange);
            }
            attempt.stopOpening();
        } else if (!fit || connection.isShortLived()) {
            connection.abandon();
        } else if (connection.isOpen()) {
            give(connection);
        }
    }

    @Override
    public void onThrown(Throwable cause) {
        worker.thrown(cause);
    }

    @Override
    public void onIdleTimeout() {
        worker.counters().increment(Counter.UPSTREAM_IDLE_TIMEOUTS);
    }

    @Override
    public void onConnectionLost(ClientConnection connection) {
        replace(pool.vacate(connection));
    }

    private void give(ClientConnection connection) {
        if (!connector().serves(connection.remote())) {
            // The name has other addresses by now: nothing more goes to this one.
            connection.abandon();
            return;
        }
        HttpExchange first = pool.firstWaiting();
        if (first != null && first.attempt.isFreshOnly() && connection.isReused()) {
            // It gets the slot, for a connection that the node can't have closed unseen again.
            connection.abandon();
            return;
        }
        HttpExchange waiter = pool.release(connection);
        if (waiter == null) {
            connection.rest(worker.client().idleTimeoutNanos());
        } else {
            worker.wheel().disarm(waiter);
            waiter.flow.send(waiter, connection);
        }
    }

    private void replace(@Nullable HttpExchange waiter) {
        if (waiter != null) {
            worker.wheel().disarm(waiter);
            open(waiter);
        }
    }

    private void open(HttpExchange exchange) {
        Opening opening = new Opening(exchange);
        exchange.attempt.open(opening);
        connector().connect(opening);
    }

    /** A connection being opened for an exchange, which may have given up when it is. */
    final class Opening implements NodeConnector.Callback {
        private final HttpExchange exchange;

        private Opening(HttpExchange exchange) {
            this.exchange = exchange;
        }

        @Override
        public void onConnected(Channel channel) {
            worker.counters().increment(Counter.UPSTREAM_CONNECTIONS_OPENED);
            ClientConnection connection = new ClientConnection(
                    HttpNode.this, exchange.flow.limits(), worker.wheel(), worker.memory(), channel);
            channel.pipeline().addLast(connection);
            channel.config().setAutoRead(true);
            if (isAwaited()) {
                exchange.attempt.stopOpening();
                exchange.flow.send(exchange, connection);
            } else {
                give(connection);
            }
        }

        @Override
        public void onConnectFailed(Fault fault, Throwable cause) {
            worker.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
            boolean awaited = isAwaited();
            if (awaited) {
                exchange.attempt.stopOpening();
            }
            replace(pool.vacate(null));
            if (awaited) {
                exchange.flow.connectFailed(exchange, fault, cause);
            }
        }

        private boolean isAwaited() {
            return exchange.attempt.awaits(this);
        }
    }
}
