package net.oooops.sigma.proxy;

import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/**
 * A Node of HTTP on one Worker, whatever version it speaks: who is given to it, and what it is told of what became of them. How it has
 * connections is its pool's.
 *
 * <p>Called on the Worker's event loop only.
 */
final class HttpNode extends WorkerNode {
    /** So many of those that wait are looked at in one tick. */
    private static final int WAITING_SEEN_MAX = 1000;

    private final LoopContext loop;
    private final byte[] authority;
    private final Unanswered unanswered = new Unanswered();
    private final HttpPool pool;

    /** When a connection to it was last opened. */
    private long openedNanos;

    /** How many connections slow clients hold. */
    private int heldCount;

    private @Nullable HedgeLine hedgeLine;

    HttpNode(HttpRoad road, Place place, Node node) {
        super(place, node);
        this.loop = road.loop();
        this.authority = name().getBytes(StandardCharsets.US_ASCII);
        this.openedNanos = loop.clock().nanos();
        this.pool = switch (place.upstream().config().httpVersion()) {
            case HTTP_1_1 -> new Http1Pool(road, this, null);
            case HTTP_2 -> new Http2Pool(road, this, null);
            case AGREED -> new AgreedPool(road, this);
        };
    }

    /** Host and port, as the Host field has them. */
    byte[] authority() {
        return authority;
    }

    @Override
    public void publish() {
        gauges().set(pool.openCount(), pool.idleCount(), pool.waitingCount());
        gauges().hold(heldCount);
        if (pool.openCount() > 0) {
            connector().refresh();
        }
        pool.leaveFormerAddresses();
        lookForSilence();
        if (hedgeLine != null) {
            hedgeLine.tick();
        }
    }

    /** Whether it has taken a connection of this Worker, or answered a request, after that moment. */
    boolean isReachedSince(long nanos) {
        return openedNanos - nanos > 0 || unanswered.heardSince(nanos);
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

    /**
     * Finds a connection for a try: at once, or once one is opened or free.
     *
     * @param trial its number, where the try finds out if the node is well again
     */
    void acquire(Attempt attempt, int trial) {
        long now = loop.clock().nanos();
        attempt.begin(this, trial, now);
        unanswered.add(attempt, now);
        began(attempt.exchange.history.count() == 1);
        pool.find(attempt);
    }

    /** The deadline of a try that waits for a connection has passed. Whether it isn't to be refused: {@link HttpPool#serveLate}. */
    boolean serveLate(Attempt attempt) {
        return pool.serveLate(attempt);
    }

    /** Time has passed; whether the Worker had some to spare. */
    void tickWidth(boolean spare) {
        pool.tickWidth(spare);
    }

    /** Whether it says of requests that it didn't look at them: those may be sent again, whatever they ask for. */
    boolean tellsUnprocessed() {
        return pool.tellsUnprocessed();
    }

    @Override
    public void follow() {
        super.follow();
        pool.follow();
    }

    @Override
    public void retire() {
        pool.retire();
        super.retire();
        pool.dismiss();
    }

    @Override
    public void close() {
        pool.close();
    }

    /** A slow client holds one of the connections, or no longer does. */
    void hold(boolean held) {
        heldCount += held ? 1 : -1;
    }

    /** The try has that connection from now on. */
    void lend(Attempt attempt, ClientStream client) {
        pool.lend(attempt, client);
    }

    /** The connection of a try, held or with an answer that has begun, doesn't keep others waiting, or does again. */
    void setAside(Attempt attempt, boolean aside) {
        pool.setAside(attempt, aside);
    }

    /** The request has left as a whole: from now on its answer is awaited. */
    void sent(Attempt attempt) {
        if (attempt.unanswered.isInLine()) {
            unanswered.remove(attempt);
            unanswered.add(attempt, loop.clock().nanos());
        }
    }

    /** The try is about to be given up, for its hedge has answered. */
    void givenUp(Attempt attempt) {
        if (attempt.unanswered.isInLine()) {
            unanswered.givenUp(attempt, loop.clock().nanos());
        }
    }

    /** The answer to the try has begun. That it went well is known when it is complete. */
    void answered(Attempt attempt, int status) {
        long now = loop.clock().nanos();
        long latencyNanos = now - unanswered.remove(attempt);
        tally().answered(latencyNanos, now);
        tally().observed(latencyNanos);
        attempt.exchange.history.answered(latencyNanos);
        unanswered.heard(now);
        boolean error = isError(status);
        pool.onAnswer(error, now);
        attempt.flow(true);
        attempt.erred(error);
        heard(error ? Heard.FAILURE : Heard.ANSWER, latencyNanos);
        if (error) {
            erred(attempt.takeTrial());
        }
    }

    /** The try failed: no answer came, or it broke off. */
    void broke(Attempt attempt, boolean late) {
        if (!attempt.unanswered.isInLine()) {
            heard(Heard.BREAK, 0);
        }
        attempt.erred(true);
        int trial = attempt.takeTrial();
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
        unreached();
        if (!pool.isToBlame(cause)) {
            attempt.erred(true);
            return;
        }
        if (fault.side() == Fault.Side.UPSTREAM) {
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
        if (attempt.unanswered.isInLine()) {
            long afterNanos = loop.clock().nanos() - unanswered.remove(attempt);
            heard(attempt.hasErred() ? Heard.FAILURE : Heard.NOTHING, afterNanos);
        }
        undecided(attempt.takeTrial());
        attempt.hold(false);
        attempt.flow(false);
        ClientStream client = attempt.leave();
        if (client == null) {
            pool.giveUp(attempt);
        } else {
            loop.counters().add(Counter.UPSTREAM_BYTES_SENT, client.takeWrittenBytes());
            loop.counters().add(Counter.UPSTREAM_BYTES_RECEIVED, client.takeReceivedBytes());
            pool.release(attempt, client, fit);
        }
    }

    /** A connection to it stands. */
    void opened() {
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_OPENED);
        openedNanos = loop.clock().nanos();
    }

    /** A handshake has agreed on that version. */
    void agreed(HttpVersion version) {
        if (node().agreed(version)) {
            loop.failures().agreed(this, version == HttpVersion.HTTP_2 ? "HTTP/2" : "HTTP/1.1");
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
        boolean left = node().isLeft() || (silent > 0 && node().isSpared());
        if (!left) {
            return;
        }
        Attempt next = unanswered.first();
        for (int i = 0; i < WAITING_SEEN_MAX && next != null && next.isOlder(now, silenceNanos); i++) {
            Attempt after = next.unanswered.after();
            next.onSilence();
            next = after;
        }
    }
}
