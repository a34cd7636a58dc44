package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http1.ClientConnection;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.tls.NodeHandshake;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.NodePool;
import net.oooops.sigma.upstream.WidthTrial;
import org.jspecify.annotations.Nullable;

/** Connections of HTTP/1, and how they are opened: each takes one try at a time. Does what {@link NodePool} decides. */
final class Http1Pool extends HttpPool implements ClientConnection.Keeper {
    /** Nobody waits for longer than that without more connections being opened, unless trials say that they bring nothing. */
    private static final long WAIT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(500);

    private static final double WIDER_AT_LEAST = 0.25;
    /** Where fewer may wait, letting some wait could refuse others. */
    private static final int WAITERS_MANY = ClientConfig.DEFAULT.maxWaitQueue();

    private final LoopContext loop;
    /** Whose it is, where the node may speak HTTP/2 as well. */
    private final @Nullable AgreedPool agreed;

    private final NodePool<ClientConnection, Attempt> pool;
    /** Null where there is nothing to be found out, or it would mislead: other Workers ask the node, too, or few may wait. */
    private @Nullable WidthTrial widthTrial;

    private boolean crowded;
    private final ServingTurns turns;
    /** How many answers the node has given here, errors aside. */
    private long answers;

    Http1Pool(HttpRoad road, HttpNode node, @Nullable AgreedPool agreed) {
        super(road, node);
        this.loop = road.loop();
        this.agreed = agreed;
        this.pool = new NodePool<>(loop.nodes().descriptors().nodes());
        this.turns = new ServingTurns(loop.eventLoop(), this::serve);
        bound();
    }

    private void bound() {
        Breaker breaker = node().upstream().breaker();
        int connectionsMax = loop.share(loop.client().maxPoolSizePerServer(), 1);
        int waitersMax = loop.share(loop.client().maxWaitQueue(), 0);
        Bound pending = breaker == null ? null : breaker.pending();
        pool.bound(connectionsMax, waitersMax, breaker == null ? null : breaker.connections(), pending);
        boolean tried = connectionsMax > NodePool.WIDTH_MIN && pending == null && waitersMax >= WAITERS_MANY;
        if (!loop.isAlone() || !tried) {
            widthTrial = null;
        } else if (widthTrial == null) {
            widthTrial = new WidthTrial(loop.clock().nanos());
        }
    }

    @Override
    void follow() {
        bound();
        if (pool.waitingCount() > 0) {
            watch();
            serve();
        }
    }

    @Override
    int openCount() {
        return pool.openCount();
    }

    @Override
    int idleCount() {
        return pool.idleCount();
    }

    @Override
    int waitingCount() {
        return pool.waitingCount();
    }

    @Override
    boolean tellsUnprocessed() {
        return false;
    }

    @Override
    void retire() {
        pool.retire();
    }

    @Override
    void dismiss() {
        Attempt waiting = pool.firstWaiting();
        while (waiting != null) {
            // Others may take it.
            unsent(waiting, Fault.NO_HEALTHY_NODE, null);
            waiting = pool.firstWaiting();
        }
    }

    @Override
    void close() {
        ClientConnection idle = pool.takeAnyIdle();
        while (idle != null) {
            idle.abandon();
            idle = pool.takeAnyIdle();
        }
    }

    @Override
    void seek(Attempt attempt) {
        if (turns.someAreLeft() && pool.lineUp(attempt.waiting)) {
            queue(attempt);
            return;
        }
        boolean freshOnly = attempt.exchange.history.isFreshOnly();
        ClientConnection idle = pool.takeIdle();
        while (idle != null && (freshOnly || !isFit(idle))) {
            idle.abandon();
            idle = freshOnly ? null : pool.takeIdle();
        }
        if (idle != null) {
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_REUSED);
            connected(attempt, idle);
            return;
        }
        switch (pool.admit(attempt.waiting)) {
            case CONNECT -> open(attempt);
            case WAIT -> queue(attempt);
            case OVERFLOW -> unsent(attempt, Fault.POOL_OVERFLOW, null);
            case BOUND -> unsent(attempt, Fault.BREAKER_FULL, null);
        }
    }

    private boolean isFit(ClientConnection idle) {
        return idle.isOpen()
                && (!node().connector().hasMoved() || node().connector().serves(idle.remote()));
    }

    private void queue(Attempt attempt) {
        await(attempt);
        watch();
    }

    private void watch() {
        if (!crowded && pool.mayGrow()) {
            crowded = true;
            road().width().watch(this);
        }
    }

    /** Whether its width is still to be looked at. Where it isn't, it has to be said anew when requests wait. */
    boolean isWatched() {
        crowded = (pool.waitingCount() > 0 && pool.mayGrow()) || (widthTrial != null && widthTrial.isUnderWay());
        return crowded;
    }

    /**
     * Requests wait for a connection, or how many there are is being tried.
     *
     * @param share by which part of those in use there may be more, 0 where the Worker has no time for more
     */
    void look(double share) {
        long now = loop.clock().nanos();
        if (widthTrial != null) {
            widthTrial.at(now, answers);
            int width = widthTrial.look(pool.usedCount(), pool.width(), pool.waitingCount(), share > 0);
            pool.width(isLate(now, waitTimeoutNanos() / 2) ? widthTrial.late(width) : width);
        }
        if (widthTrial == null || widthTrial.isFree()) {
            // On a machine that others keep busy the Worker never has time to spare, and the node may still be what is
            // waited for.
            boolean late = isLate(now, Math.min(WAIT_NANOS_MAX, waitTimeoutNanos() / 2));
            pool.widen(late ? Math.max(share, WIDER_AT_LEAST) : share);
        }
        serve();
        serveLate(now, null);
    }

    private boolean isLate(long now, long nanos) {
        Attempt first = pool.firstWaiting();
        return first != null && first.isOlder(now, nanos);
    }

    /**
     * Whoever has waited for half of what may be has a connection of its own, however many are in use, and whatever keeps the Worker busy: where no
     * bound forbids one more nobody is refused.
     *
     * @param last up to that one, or for null all of them
     */
    private void serveLate(long now, @Nullable Attempt last) {
        boolean more = true;
        while (more && turns.left() > 0 && isLate(now, waitTimeoutNanos() / 2)) {
            Attempt first = pool.firstWaiting();
            int left = turns.left();
            pool.widenByOne();
            serve();
            boolean served = pool.firstWaiting() != first;
            if (served && turns.left() == left) {
                turns.count();
            }
            more = served && (last == null || pool.isWaiting(last.waiting));
        }
    }

    @Override
    boolean serveUpTo(Attempt attempt) {
        if (!pool.isWaiting(attempt.waiting)) {
            return false;
        }
        serveLate(loop.clock().now(), attempt);
        return turns.left() == 0;
    }

    /** More may be in use: connections for those that wait, as many of them as this turn may open. */
    private void serve() {
        for (ClientConnection idle = pool.nextToReuse(); idle != null; idle = pool.nextToReuse()) {
            if (isFit(idle)) {
                give(idle);
            } else {
                idle.abandon();
            }
        }
        Attempt next = turns.left() > 0 ? pool.nextToOpen() : null;
        while (next != null) {
            turns.count();
            replace(next);
            next = turns.left() > 0 ? pool.nextToOpen() : null;
        }
    }

    /** Where the Worker has no time to spare, fewer connections do as well. */
    @Override
    void tickWidth(boolean spare) {
        pool.tick();
        if (!spare) {
            pool.narrow();
        } else if (isTrialBegun() && !crowded) {
            crowded = true;
            road().width().watch(this);
        }
    }

    private boolean isTrialBegun() {
        if (widthTrial == null) {
            return false;
        }
        widthTrial.at(loop.clock().nanos(), answers);
        return widthTrial.tick(pool.usedCount(), pool.width());
    }

    @Override
    void onAnswer(boolean error, long nowNanos) {
        answers += error ? 0 : 1;
        if (crowded) {
            road().width().answered(nowNanos);
        }
    }

    /** It doesn't count towards the width, or does again. */
    @Override
    void setAside(Attempt attempt, boolean aside) {
        pool.setAside(aside, attempt.lentTick());
    }

    @Override
    void giveUp(Attempt attempt) {
        if (pool.cancel(attempt.waiting)) {
            stopWaiting(attempt);
        }
        attempt.stopOpening();
    }

    @Override
    void lend(Attempt attempt, ClientStream client) {
        attempt.lentAt(pool.lend());
    }

    @Override
    void release(Attempt attempt, ClientStream client, boolean fit) {
        pool.takeBack(attempt.lentTick());
        ClientConnection connection = (ClientConnection) client;
        if (!fit || connection.isShortLived()) {
            connection.abandon();
        } else if (connection.isOpen()) {
            give(connection);
        }
    }

    @Override
    public HeadWriter writer() {
        return road().writer();
    }

    @Override
    public void onThrown(Throwable cause) {
        loop.thrown(cause);
    }

    @Override
    public void onSurplus() {
        loop.failures().surplus(node());
    }

    @Override
    public void onIdleTimeout() {
        loop.counters().increment(Counter.UPSTREAM_IDLE_TIMEOUTS);
    }

    @Override
    public void onConnectionLost(ClientConnection connection) {
        vacate(connection);
    }

    /** A connection is gone, or, for null, couldn't be opened or is none of these: another one is opened in its place for who waits. */
    private void vacate(@Nullable ClientConnection connection) {
        replace(pool.vacate(connection));
        if (agreed != null) {
            agreed.http1Left();
        }
    }

    private void give(ClientConnection connection) {
        boolean wanted = !pool.isRetired() && (agreed == null || agreed.usesHttp1());
        if (!wanted || pool.hasSurplus() || !node().connector().serves(connection.remote())) {
            // The node is gone, or speaks HTTP/2; there are too many; or the name has other addresses by now, and
            // nothing more goes to this one.
            connection.abandon();
            return;
        }
        Attempt first = pool.firstWaiting();
        if (first != null && first.exchange.history.isFreshOnly() && connection.isReused()) {
            // It gets the slot, for a connection that the node can't have closed unseen again.
            connection.abandon();
            return;
        }
        Attempt waiter = pool.release(connection);
        if (waiter == null) {
            connection.rest(loop.client().idleTimeoutNanos());
        } else {
            stopWaiting(waiter);
            connected(waiter, connection);
        }
    }

    private void replace(@Nullable Attempt waiter) {
        if (waiter != null) {
            stopWaiting(waiter);
            open(waiter);
        }
    }

    /** Those that wait do so where that one lets them. Some may come back. */
    void sendOn(HttpPool other) {
        Attempt next = pool.firstWaiting();
        for (int left = pool.waitingCount(); left > 0 && next != null; left--) {
            pool.cancel(next.waiting);
            stopWaiting(next);
            other.find(next);
            next = pool.firstWaiting();
        }
    }

    /**
     * A connection that was opened for HTTP/2 is one of HTTP/1.
     *
     * @param first who takes it, or null where nobody waits
     */
    void adopt(Channel channel, Limits limits, @Nullable Attempt first) {
        pool.adopt();
        ClientConnection connection;
        try {
            connection = connection(channel, limits);
        } catch (RuntimeException | Error e) {
            untaken(channel, e);
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
            vacate(null);
            if (first != null) {
                unsent(first, Fault.INTERNAL, e);
            }
            return;
        }
        channel.config().setAutoRead(true);
        if (first == null) {
            give(connection);
        } else {
            connected(first, connection);
        }
    }

    private ClientConnection connection(Channel channel, Limits limits) {
        ClientConnection connection = new ClientConnection(this, limits, loop.wheel(), loop.memory(), channel);
        channel.pipeline().addLast(connection);
        return connection;
    }

    private void open(Attempt attempt) {
        // While HTTP/2 is spoken, only what can't be asked for in that comes here.
        boolean http11Only = agreed != null && !agreed.isCurrent(this);
        Opening opening = new Opening(attempt, http11Only);
        attempt.open(opening);
        if (http11Only) {
            node().connector().connectInHttp11(opening);
        } else {
            node().connector().connect(opening);
        }
    }

    /** A connection being opened for a try, which may have given up when it is. */
    final class Opening implements NodeConnector.Callback {
        private final Attempt attempt;
        /** Whether the node has no choice of versions: then what it agrees on doesn't say what it speaks else. */
        private final boolean http11Only;

        private final Limits limits;

        private Opening(Attempt attempt, boolean http11Only) {
            this.attempt = attempt;
            this.limits = attempt.exchange.proxy.plan.listener().limits();
            this.http11Only = http11Only;
        }

        @Override
        public void onOpen(Channel channel) {
            // The first read settles it, and that may be one of a handshake.
            channel.config().setRecvByteBufAllocator(loop.memory().reads());
        }

        @Override
        public void onConnected(Channel channel) {
            node().opened();
            if (agreed != null && isHttp2Agreed(channel)) {
                agreed.becameHttp2(channel, limits);
                // Those that waited do so for the other version now, but for what isn't asked for in that.
                vacate(null);
                if (isAwaited()) {
                    attempt.stopOpening();
                    agreed.find(attempt);
                }
                return;
            }
            if (agreed != null && !http11Only) {
                agreed.agreedOnHttp1();
            }
            ClientConnection connection;
            try {
                connection = connection(channel, limits);
            } catch (RuntimeException | Error e) {
                // Nothing would give its slot back.
                untaken(channel, e);
                onConnectFailed(Fault.INTERNAL, e);
                return;
            }
            channel.config().setAutoRead(true);
            if (isAwaited()) {
                attempt.stopOpening();
                connected(attempt, connection);
            } else {
                give(connection);
            }
        }

        @Override
        public void onConnectFailed(Fault fault, Throwable cause) {
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
            boolean awaited = isAwaited();
            if (awaited) {
                attempt.stopOpening();
            }
            boolean refused = http11Only && fault == Fault.TLS_FAILED && NodeHandshake.isNothingSpoken(cause);
            if (refused && agreed != null) {
                agreed.tunnelsInHttp2();
            }
            vacate(null);
            if (awaited && refused) {
                // It does well what it speaks.
                unsent(attempt, Fault.TUNNEL_UNSUPPORTED, null);
            } else if (awaited) {
                unsent(attempt, fault, cause);
            } else if (!refused && fault.side() == Fault.Side.UPSTREAM) {
                node().faulted(Node.NO_TRIAL);
            }
        }

        private boolean isAwaited() {
            return attempt.awaits(this);
        }
    }
}
