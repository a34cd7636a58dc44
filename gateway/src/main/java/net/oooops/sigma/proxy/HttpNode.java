package net.oooops.sigma.proxy;

import io.netty.channel.Channel;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http1.ClientConnection;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.upstream.Bound;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.NodePool;
import net.oooops.sigma.upstream.WidthTrial;
import org.jspecify.annotations.Nullable;

/**
 * A Node on one Worker: its pool of HTTP connections put together with how they are opened. Does what {@link NodePool}
 * decides.
 */
final class HttpNode extends WorkerNode implements ClientConnection.Keeper {
    /** So many of those that wait are looked at in one tick. */
    private static final int WAITING_SEEN_MAX = 1000;

    /** Nobody waits for longer than that without more connections being opened, unless trials say that they bring nothing. */
    private static final long WAIT_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(500);

    private static final double WIDER_AT_LEAST = 0.25;

    /** Where fewer may wait, letting some wait could refuse others. */
    private static final int WAITERS_MANY = ClientConfig.DEFAULT.maxWaitQueue();

    private final HttpRoad road;
    private final LoopContext loop;
    private final byte[] hostLine;
    private final NodePool<ClientConnection, Attempt> pool;
    private final Unanswered unanswered = new Unanswered();
    /** Null where there is nothing to be found out, or it would mislead: other Workers ask the node, too, or few may wait. */
    private final @Nullable WidthTrial widthTrial;

    /** How many connections slow clients hold. */
    private int heldCount;

    private boolean crowded;
    /** How many answers the node has given here, errors aside. */
    private long answers;

    private @Nullable HedgeLine hedgeLine;

    HttpNode(HttpRoad road, Place place, Node node) {
        super(place, node);
        this.road = road;
        this.loop = road.loop();
        this.hostLine = ("Host: " + name() + "\r\n").getBytes(StandardCharsets.US_ASCII);
        Breaker breaker = place.upstream().breaker();
        int connectionsMax = loop.share(loop.client().maxPoolSizePerServer(), 1);
        int waitersMax = loop.share(loop.client().maxWaitQueue(), 0);
        Bound connections = breaker == null ? null : breaker.connections();
        Bound pending = breaker == null ? null : breaker.pending();
        this.pool = new NodePool<>(
                connectionsMax, waitersMax, connections, pending, loop.nodes().connections());
        boolean tried = connectionsMax > NodePool.WIDTH_MIN && pending == null && waitersMax >= WAITERS_MANY;
        this.widthTrial = loop.isAlone() && tried ? new WidthTrial(loop.clock().nanos()) : null;
    }

    /** The Host field with this node's authority. */
    byte[] hostLine() {
        return hostLine;
    }

    @Override
    public void publish() {
        gauges().set(pool.openCount(), pool.idleCount(), pool.waitingCount());
        gauges().hold(heldCount);
        if (pool.openCount() > 0) {
            connector().refresh();
        }
        lookForSilence();
        if (hedgeLine != null) {
            hedgeLine.tick();
        }
    }

    /** Whether it has answered a request of this Worker after that moment. */
    boolean hasAnsweredSince(long nanos) {
        return unanswered.heardSince(nanos);
    }

    /** What waits for it and may be hedged: made where that is asked for the first time. */
    HedgeLine hedgeLine() {
        HedgeLine line = hedgeLine;
        if (line == null) {
            line = new HedgeLine();
            hedgeLine = line;
        }
        return line;
    }

    @Override
    public void retire() {
        pool.retire();
        super.retire();
        Attempt waiting = pool.firstWaiting();
        while (waiting != null) {
            // Others may take it.
            waiting.exchange.onUnsent(waiting, Fault.NO_HEALTHY_NODE, null);
            waiting = pool.firstWaiting();
        }
    }

    @Override
    public void close() {
        ClientConnection idle = pool.takeAnyIdle();
        while (idle != null) {
            idle.abandon();
            idle = pool.takeAnyIdle();
        }
    }

    /**
     * Finds a connection for a try: at once, or once one is opened or free.
     *
     * @param trial whether the try finds out if the node is well again
     */
    void acquire(Attempt attempt, boolean trial) {
        long now = loop.clock().nanos();
        attempt.begin(this, trial, now);
        unanswered.add(attempt, now);
        began();
        if (attempt.exchange.history.count() == 1) {
            tally().firstTried();
        }
        boolean freshOnly = attempt.exchange.history.isFreshOnly();
        ClientConnection idle = pool.takeIdle();
        while (idle != null && (freshOnly || !isFit(idle))) {
            idle.abandon();
            idle = freshOnly ? null : pool.takeIdle();
        }
        if (idle != null) {
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_REUSED);
            attempt.exchange.onConnection(attempt, idle);
            return;
        }
        switch (pool.admit(attempt)) {
            case CONNECT -> open(attempt);
            case WAIT -> await(attempt);
            case OVERFLOW -> attempt.exchange.onUnsent(attempt, Fault.POOL_OVERFLOW, null);
            case BOUND -> attempt.exchange.onUnsent(attempt, Fault.BREAKER_FULL, null);
        }
    }

    private boolean isFit(ClientConnection idle) {
        return idle.isOpen() && (!connector().hasMoved() || connector().serves(idle.remote()));
    }

    private void await(Attempt attempt) {
        attempt.waits(true);
        loop.wheel().arm(attempt, waitTimeoutNanos());
        if (!crowded && pool.mayGrow()) {
            crowded = true;
            road.width().watch(this);
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
    }

    private boolean isLate(long now, long nanos) {
        Attempt first = pool.firstWaiting();
        return first != null && first.isOlder(now, nanos);
    }

    private long waitTimeoutNanos() {
        return loop.client().waitTimeoutNanos();
    }

    /** More may be in use: connections for those that wait. */
    private void serve() {
        for (ClientConnection idle = pool.nextToReuse(); idle != null; idle = pool.nextToReuse()) {
            if (isFit(idle)) {
                give(idle);
            } else {
                idle.abandon();
            }
        }
        for (Attempt next = pool.nextToOpen(); next != null; next = pool.nextToOpen()) {
            replace(next);
        }
    }

    /**
     * Time has passed.
     *
     * @param spare whether the Worker had some to spare; if not, fewer connections do as well
     */
    void tickWidth(boolean spare) {
        if (!spare) {
            pool.narrow();
        } else if (isTrialBegun() && !crowded) {
            crowded = true;
            road.width().watch(this);
        }
    }

    private boolean isTrialBegun() {
        if (widthTrial == null) {
            return false;
        }
        widthTrial.at(loop.clock().nanos(), answers);
        return widthTrial.tick(pool.usedCount(), pool.width());
    }

    /** A slow client holds one of the connections, or no longer does. */
    void hold(boolean held) {
        heldCount += held ? 1 : -1;
    }

    /** One of the connections, held or with an answer that has begun, doesn't count towards the width, or does again. */
    void setAside(boolean aside) {
        pool.setAside(aside);
    }

    /** The request has left as a whole: from now on its answer is awaited. */
    void sent(Attempt attempt) {
        if (attempt.awaited) {
            unanswered.remove(attempt);
            unanswered.add(attempt, loop.clock().nanos());
        }
    }

    /** The try is about to be given up, for its hedge has answered. */
    void givenUp(Attempt attempt) {
        if (attempt.awaited) {
            unanswered.givenUp(attempt, loop.clock().nanos());
        }
    }

    /** The answer to the try has begun. That it went well is known when it is complete. */
    void answered(Attempt attempt, int status) {
        long now = loop.clock().nanos();
        long latencyNanos = now - unanswered.remove(attempt);
        tally().answered(latencyNanos, now);
        tally().observed(latencyNanos);
        unanswered.heard(now);
        boolean error = isError(status);
        answers += error ? 0 : 1;
        if (crowded) {
            road.width().answered(now);
        }
        attempt.flow(true);
        attempt.erred(error);
        heard(error ? Heard.FAILURE : Heard.ANSWER, latencyNanos);
        if (error) {
            erred(attempt.takeTrial());
        }
    }

    /** The try failed: no answer came, or it broke off. */
    void broke(Attempt attempt, boolean late) {
        if (!attempt.awaited) {
            heard(Heard.BREAK, 0);
        }
        attempt.erred(true);
        boolean trial = attempt.takeTrial();
        if (late) {
            timedOut(trial);
        } else {
            faulted(trial);
        }
    }

    /** The try failed at the node, for whatever reason: that is held against it, and said. */
    void failed(Attempt attempt, Fault fault, @Nullable Refusal why) {
        broke(attempt, fault == Fault.UPSTREAM_TIMEOUT);
        loop.failures().node(this, fault, why == null ? fault.text() : why.text());
    }

    /** The node couldn't be reached: that is held against it, unless it is Sigma's own want, and said. */
    void unreached(Attempt attempt, Fault fault, Throwable cause) {
        if (fault != Fault.OUT_OF_DESCRIPTORS) {
            broke(attempt, false);
        }
        loop.failures().node(this, fault, cause);
    }

    /** The answer to the try is complete. */
    void finished(Attempt attempt) {
        if (!attempt.hasErred()) {
            well(attempt.takeTrial());
        }
    }

    /** Whether a status tells of an error of the node's own. */
    static boolean isError(int status) {
        return status >= 500 && status != 501 && status != 505;
    }

    /** The try no longer needs its connection, or no longer waits for one. */
    void leave(Attempt attempt, boolean fit) {
        ended();
        if (attempt.awaited) {
            long afterNanos = loop.clock().nanos() - unanswered.remove(attempt);
            heard(attempt.hasErred() ? Heard.FAILURE : Heard.NOTHING, afterNanos);
        }
        undecided(attempt.takeTrial());
        attempt.hold(false);
        attempt.flow(false);
        ClientConnection connection = attempt.leave();
        if (connection != null) {
            loop.counters().add(Counter.UPSTREAM_BYTES_SENT, connection.takeWrittenBytes());
            loop.counters().add(Counter.UPSTREAM_BYTES_RECEIVED, connection.takeReceivedBytes());
        }
        if (connection == null) {
            if (attempt.isWaiting()) {
                pool.cancel(attempt);
                loop.wheel().disarm(attempt);
                attempt.waits(false);
            }
            attempt.stopOpening();
        } else if (!fit || connection.isShortLived()) {
            connection.abandon();
        } else if (connection.isOpen()) {
            give(connection);
        }
    }

    /** Says how many have waited for too long without a sign of life, and lets those that can go elsewhere where the node is out. */
    private void lookForSilence() {
        long silenceNanos = upstream().ejection().silenceNanos();
        if (silenceNanos == 0) {
            return;
        }
        long now = loop.clock().nanos();
        int silent = unanswered.silent(now, silenceNanos, WAITING_SEEN_MAX);
        tally().silent(silent);
        // One that should be out, but may not be since too many are, is left as well while it says nothing.
        boolean left = !node().isAvailable() || (silent > 0 && node().isSpared());
        if (!left) {
            return;
        }
        Attempt next = unanswered.first();
        for (int i = 0; i < WAITING_SEEN_MAX && next != null && next.isOlder(now, silenceNanos); i++) {
            Attempt after = next.after;
            next.exchange.onSilence(next);
            next = after;
        }
    }

    @Override
    public HeadWriter writer() {
        return road.writer();
    }

    @Override
    public void onThrown(Throwable cause) {
        loop.thrown(cause);
    }

    @Override
    public void onSurplus() {
        loop.failures().surplus(this);
    }

    @Override
    public void onIdleTimeout() {
        loop.counters().increment(Counter.UPSTREAM_IDLE_TIMEOUTS);
    }

    @Override
    public void onConnectionLost(ClientConnection connection) {
        replace(pool.vacate(connection));
    }

    private void give(ClientConnection connection) {
        if (pool.isRetired() || !connector().serves(connection.remote())) {
            // The node is gone; or the name has other addresses by now, and nothing more goes to this
            // one.
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
            loop.wheel().disarm(waiter);
            waiter.waits(false);
            waiter.exchange.onConnection(waiter, connection);
        }
    }

    private void replace(@Nullable Attempt waiter) {
        if (waiter != null) {
            loop.wheel().disarm(waiter);
            waiter.waits(false);
            open(waiter);
        }
    }

    private void open(Attempt attempt) {
        Opening opening = new Opening(attempt);
        attempt.open(opening);
        connector().connect(opening);
    }

    /** A connection being opened for a try, which may have given up when it is. */
    final class Opening implements NodeConnector.Callback {
        private final Attempt attempt;

        private Opening(Attempt attempt) {
            this.attempt = attempt;
        }

        @Override
        public void onOpen(Channel channel) {
            // The first read settles it, and that may be one of a handshake.
            channel.config().setRecvByteBufAllocator(loop.memory().reads());
        }

        @Override
        public void onConnected(Channel channel) {
            loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_OPENED);
            ClientConnection connection = new ClientConnection(
                    HttpNode.this, attempt.exchange.proxy.limits(), loop.wheel(), loop.memory(), channel);
            channel.pipeline().addLast(connection);
            channel.config().setAutoRead(true);
            if (isAwaited()) {
                attempt.stopOpening();
                attempt.exchange.onConnection(attempt, connection);
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
            replace(pool.vacate(null));
            if (awaited) {
                attempt.exchange.onUnsent(attempt, fault, cause);
            } else if (fault != Fault.OUT_OF_DESCRIPTORS) {
                faulted(false);
            }
        }

        private boolean isAwaited() {
            return attempt.awaits(this);
        }
    }
}
