package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
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
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.Slots;
import org.jspecify.annotations.Nullable;

/** Connections of HTTP/2: one for all tries, and another one only where the node takes no more of them on those that there are. */
final class Http2Pool extends HttpPool implements Http2ClientConnection.Keeper {
    /** So many wait for one that is opened before another one is. */
    private static final int WAITING_FOR_EACH = 100;

    private static final String NOT_AGREED =
            "the node doesn't agree on h2 (ALPN); one of https:// with \"protocol\": \"auto\" may speak HTTP/1.1";

    private final LoopContext loop;
    /** Whose it is, where the node may speak HTTP/1.1 as well. */
    private final @Nullable AgreedPool agreed;

    private final Slots slots;
    private @Nullable Bound pending;
    private int connectionsMax;
    private int waitersMax;

    /** Those that lend streams. */
    private final List<Http2ClientConnection> connections = new ArrayList<>();

    private final StreamLine waiting = new StreamLine();
    private int opening;
    /** What it was blamed for last: a connection that fails is one failure, however many waited for it. */
    private @Nullable Throwable blamed;
    /** How many connections there are, with those that are opened and those that end. */
    private int openCount;

    Http2Pool(HttpRoad road, HttpNode node, @Nullable AgreedPool agreed) {
        super(road, node);
        this.loop = road.loop();
        this.agreed = agreed;
        this.slots = new Slots(null, loop.nodes().descriptors().nodes());
        bound();
    }

    private void bound() {
        connectionsMax = loop.share(loop.client().maxPoolSizePerServer(), 1);
        waitersMax = loop.share(loop.client().maxWaitQueue(), 0);
        Breaker breaker = node().upstream().breaker();
        slots.move(breaker == null ? null : breaker.connections(), openCount);
        Bound now = breaker == null ? null : breaker.pending();
        Bound.move(pending, now, waiting.size());
        pending = now;
    }

    @Override
    void follow() {
        bound();
        openMore();
    }

    @Override
    int openCount() {
        return openCount;
    }

    @Override
    int idleCount() {
        int idle = 0;
        for (Http2ClientConnection connection : connections) {
            idle += connection.streamCount() == 0 ? 1 : 0;
        }
        return idle;
    }

    @Override
    int waitingCount() {
        return waiting.size();
    }

    @Override
    void leaveFormerAddresses() {
        if (node().connector().hasMoved()) {
            for (Http2ClientConnection connection : List.copyOf(connections)) {
                if (!node().connector().serves(connection.remote())) {
                    connection.goOut();
                }
            }
        }
    }

    @Override
    void dismiss() {
        for (Attempt attempt : waiting.all()) {
            // Others may take it.
            unsent(attempt, Fault.NO_HEALTHY_NODE, null);
        }
    }

    @Override
    void close() {
        List.copyOf(connections).forEach(Http2ClientConnection::goOut);
    }

    @Override
    void seek(Attempt attempt) {
        boolean tunnel = StreamLine.isTunnel(attempt);
        for (Http2ClientConnection connection : connections) {
            if (connection.hasRoom() && (!tunnel || connection.takesTunnels())) {
                loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_REUSED);
                connected(attempt, connection.lend());
                return;
            }
        }
        if (tunnel && refusesTunnels()) {
            sendAway(attempt);
        } else if (waiting.size() >= waitersMax + expected()) {
            unsent(attempt, Fault.POOL_OVERFLOW, null);
        } else if (pending != null && !pending.tryTake()) {
            unsent(attempt, Fault.BREAKER_FULL, null);
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
        int count = connections.size() + opening;
        return count < connectionsMax && (agreed == null || count + agreed.http1Count() < 2L * connectionsMax);
    }

    /** Whether all connections that there are, or are being opened, have said that they take no other protocols on streams. */
    private boolean refusesTunnels() {
        boolean may = opening > 0 || connections.isEmpty();
        for (int i = 0; i < connections.size() && !may; i++) {
            Http2ClientConnection connection = connections.get(i);
            may = connection.takesTunnels() || connection.mayTakeTunnels();
        }
        return !may;
    }

    /** How many connections have yet to say if they take other protocols, where somebody waits for that. */
    private int awaited() {
        int count = 0;
        for (int i = 0; i < connections.size() && waiting.hasTunnels(); i++) {
            count += connections.get(i).mayTakeTunnels() && connections.get(i).hasRoom() ? 1 : 0;
        }
        return count;
    }

    /** Opens as many connections as those who wait need. */
    void openMore() {
        while (!node().isRetired() && waiting.size() > (opening + awaited()) * WAITING_FOR_EACH && mayOpen()) {
            if (slots.take(openCount == 0) != null) {
                return;
            }
            opening++;
            openCount++;
            node().connector()
                    .connect(new Opening(
                            waiting.any().exchange.proxy.plan.listener().limits()));
        }
    }

    /** Who has waited longest, or null. */
    private @Nullable Attempt poll(boolean tunnelsToo) {
        Attempt first = waiting.poll(tunnelsToo);
        if (first != null) {
            stopWaiting(first);
            if (pending != null) {
                pending.release();
            }
        }
        return first;
    }

    @Override
    boolean isToBlame(Throwable cause) {
        boolean first = blamed != cause;
        blamed = cause;
        return first;
    }

    @Override
    void giveUp(Attempt attempt) {
        if (waiting.remove(attempt)) {
            stopWaiting(attempt);
            if (pending != null) {
                pending.release();
            }
        }
    }

    @Override
    void release(Attempt attempt, ClientStream client, boolean fit) {
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
    void setAside(Attempt attempt, boolean aside) {}

    // Told by connections

    @Override
    public HeadWriter writer() {
        return road().writer();
    }

    @Override
    public Http2Room room() {
        return road().http2Room();
    }

    @Override
    public void onRoom(Http2ClientConnection connection) {
        boolean tunnels = connection.takesTunnels();
        if (tunnels && agreed != null) {
            agreed.tunnelsInHttp2();
        }
        boolean more = !waiting.isEmpty();
        while (more && connection.hasRoom()) {
            Attempt next = poll(tunnels);
            more = next != null;
            if (next != null) {
                connected(next, connection.lend());
            }
        }
        sendTunnelsAway();
    }

    /** Where no connection takes other protocols, those who wait for that go elsewhere. */
    private void sendTunnelsAway() {
        if (waiting.hasTunnels() && refusesTunnels()) {
            for (Attempt attempt : waiting.allTunnels()) {
                if (attempt.isWaiting()) {
                    giveUp(attempt);
                    sendAway(attempt);
                }
            }
        }
    }

    /** One that asks for another protocol goes on in HTTP/1.1, where the node may speak that, or to another node. */
    private void sendAway(Attempt tunnel) {
        if (agreed == null) {
            unsent(tunnel, Fault.TUNNEL_UNSUPPORTED, null);
        } else {
            agreed.tunnelInHttp1(tunnel);
        }
    }

    @Override
    public void onGoing(Http2ClientConnection connection) {
        connections.remove(connection);
        // It may be long until its streams end.
        openMore();
    }

    @Override
    public void onConnectionLost(Http2ClientConnection connection) {
        openCount--;
        slots.give();
        openMore();
        sendTunnelsAway();
    }

    @Override
    public void onIdleTimeout() {
        loop.counters().increment(Counter.UPSTREAM_IDLE_TIMEOUTS);
    }

    @Override
    public void onBroken(String reason) {
        loop.failures().node(node(), Fault.UPSTREAM_PROTOCOL, reason);
    }

    @Override
    public void onThrown(Throwable cause) {
        loop.thrown(cause);
    }

    /** Whether one of its connections lends streams. */
    boolean lends() {
        return !connections.isEmpty();
    }

    /** Those that wait do so in another pool. */
    void sendOn(HttpPool other) {
        for (Attempt next = poll(true); next != null; next = poll(true)) {
            other.find(next);
        }
    }

    /** A connection that was opened for HTTP/1.1 is one of HTTP/2: taken where it is of use. */
    void adopt(Channel channel, Limits limits) {
        for (Http2ClientConnection connection : connections) {
            if (connection.hasRoom()) {
                SecureEnd.close(channel);
                return;
            }
        }
        slots.take(true);
        openCount++;
        add(channel, limits);
    }

    private void add(Channel channel, Limits limits) {
        Http2ClientConnection connection = null;
        try {
            connection = connection(channel, limits);
            channel.config().setAutoRead(true);
            connections.add(connection);
            connection.begin(loop.client().idleTimeoutNanos());
        } catch (RuntimeException | Error e) {
            drop(channel, connection, e);
            return;
        }
        if (node().isRetired()) {
            connection.goOut();
        } else {
            onRoom(connection);
        }
    }

    private Http2ClientConnection connection(Channel channel, Limits limits) {
        Http2ClientConnection connection =
                new Http2ClientConnection(this, limits, loop.wheel(), loop.memory(), channel);
        channel.pipeline().addLast(connection);
        return connection;
    }

    /** What is to speak over a new connection couldn't be made, or couldn't begin: that counts as one that couldn't be opened. */
    private void drop(Channel channel, @Nullable Http2ClientConnection begun, Throwable cause) {
        untaken(channel, cause);
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
        if (begun == null) {
            // Else it gives its slot back itself, as it closes.
            openCount--;
            slots.give();
        } else {
            connections.remove(begun);
        }
        refuse(Fault.INTERNAL, cause);
    }

    /** There is one connection less than those who wait have counted on. */
    private void refuse(Fault fault, Throwable cause) {
        // Where others are open or being opened, those who wait may still get a stream of these.
        blamed = null;
        int left = connections.isEmpty() ? opening * WAITING_FOR_EACH : waiting.size();
        for (Attempt attempt : waiting.all()) {
            if (waiting.size() > left) {
                unsent(attempt, fault, cause);
            }
        }
        blamed = null;
        sendTunnelsAway();
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
            boolean other = SecureEnd.isSecure(channel) && !isHttp2Agreed(channel);
            if (other && agreed == null) {
                SecureEnd.close(channel);
                onConnectFailed(Fault.TLS_FAILED, new SSLHandshakeException(NOT_AGREED));
                return;
            }
            node().opened();
            opening--;
            if (other && agreed != null) {
                openCount--;
                slots.give();
                agreed.becameHttp1(channel, limits, poll(true));
                return;
            }
            add(channel, limits);
            if (agreed != null) {
                agreed.agreedOnHttp2();
            }
        }

        @Override
        public void onConnectFailed(Fault fault, Throwable cause) {
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
            opening--;
            openCount--;
            slots.give();
            if (waiting.isEmpty() && fault.side() == Fault.Side.UPSTREAM) {
                node().faulted(Node.NO_TRIAL);
            }
            refuse(fault, cause);
        }
    }
}
