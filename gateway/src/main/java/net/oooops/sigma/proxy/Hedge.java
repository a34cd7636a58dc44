package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Line;
import org.jspecify.annotations.Nullable;

/**
 * The hedge of an exchange: a second try on another node, begun while the first one waits for its answer, with an answer of its own. It
 * listens to the second node's connection. What happens to it stands in {@link Hedges}. A late one is a retry: it was begun since the
 * first one had waited for longer than a try is to, not for longer than usual.
 *
 * <pre>
 *   NONE ─▶ UNDER_WAY ─▶ INSTEAD: its try is that of the exchange, and so is what it hears
 *     ▲         └ lost        │
 *     └─────────┴─────────────┘
 * </pre>
 *
 * <p>Made with the first request that may be hedged, and used again with its exchange.
 */
final class Hedge implements ClientExchange {
    /** How far it has come. */
    enum State {
        NONE,
        /** It has a node, and the first try has one, too. */
        UNDER_WAY,
        /** It answered first, or the first try failed. */
        INSTEAD
    }

    /** What it stands for. */
    private enum Standing {
        /** It was begun since the first try had waited for longer than usual. */
        HEDGE,
        /** The same, but a retry is due by now. */
        HEDGE_FOR_RETRY,
        /** It was begun as a retry. */
        RETRY
    }

    private final HttpExchange x;

    /** In {@link HedgeLine}, until it is due. */
    final Line.Link<Hedge> inLine = new Line.Link<>(this);
    /** Where the first try is measured, until its answer comes. */
    private @Nullable HedgeLine line;

    private long sentNanos;

    /** The second try; once it is the exchange's, the one that it took the place of. Made with the first one that there is. */
    private @Nullable Attempt attempt;

    private @Nullable ResponseSide response;
    private State state = State.NONE;
    private boolean spent;
    private Standing standing = Standing.HEDGE;
    /** What counts the second try, and how it let that in; null where nothing does. */
    private @Nullable Breaker breaker;

    private Breaker.@Nullable Admission admission;
    private int bodyAt;
    private boolean sending;
    private boolean sent;

    Hedge(HttpExchange x) {
        this.x = x;
    }

    /** Makes it ready for another request. */
    void reset() {
        spent = false;
    }

    // The first try

    /** The first try was sent, and is measured in that line from now on; it may be hedged. */
    void watch(HedgeLine in, long nowNanos) {
        line = in;
        sentNanos = nowNanos;
        in.add(this);
    }

    /** Whether the first try is measured. */
    boolean isWatched() {
        return line != null;
    }

    /** An answer to the first try has come, or none will. */
    void measured(boolean answered, long nowNanos) {
        HedgeLine in = line;
        if (in == null) {
            return;
        }
        line = null;
        in.remove(this);
        if (answered) {
            in.answered(nowNanos - sentNanos);
        } else {
            in.unanswered(nowNanos - sentNanos);
        }
    }

    /** It isn't to be hedged any more. */
    void stopWaiting() {
        HedgeLine in = line;
        if (in != null) {
            in.remove(this);
        }
    }

    /** Whether the first try was sent so long ago. */
    boolean isOlder(long nowNanos, long nanos) {
        return nowNanos - sentNanos >= nanos;
    }

    long delayNanosMin() {
        return x.plan.retry().hedge().delayNanosMin();
    }

    /** The first try has waited for long enough. */
    void onDue() {
        try {
            x.proxy.hedges.begin(x, this);
        } catch (Throwable e) {
            // Others wait to be hedged.
            x.proxy.failing.thrown(x, e);
        }
    }

    // The second try

    /** Whether there was one already: a request is hedged once. */
    boolean isSpent() {
        return spent;
    }

    /** That breaker let it in, and is to be told of its end. */
    void admitted(Breaker by, Breaker.Admission as) {
        breaker = by;
        admission = as;
    }

    /** It begins; late or not. */
    void begin(boolean asRetry) {
        spent = true;
        standing = asRetry ? Standing.RETRY : Standing.HEDGE;
        state = State.UNDER_WAY;
        bodyAt = 0;
        sending = false;
        sent = false;
        attempt().reset();
        response().reset();
    }

    /** It is over, as far as the breaker goes. */
    void release() {
        Breaker by = breaker;
        Breaker.Admission as = admission;
        breaker = null;
        admission = null;
        if (by != null && as != null) {
            by.ended(as, false, true);
        }
    }

    /** Whether it is, or was, one in the place of a retry. */
    boolean isLate() {
        return standing == Standing.RETRY;
    }

    /** A retry is due by now, and it stands for that: should it come to nothing another one follows. */
    void standForRetry() {
        if (standing == Standing.HEDGE) {
            standing = Standing.HEDGE_FOR_RETRY;
        }
    }

    /** Whether another try follows where it comes to nothing. */
    boolean isDue() {
        return standing != Standing.HEDGE;
    }

    boolean isUnderWay() {
        return state == State.UNDER_WAY;
    }

    /** Whether the exchange's try is, or was, the second one, which had a connection by then. */
    boolean isInstead() {
        return state == State.INSTEAD;
    }

    /** It has come to nothing, or its exchange is over. */
    void end() {
        state = State.NONE;
    }

    /** The second try becomes the exchange's. */
    void takePlace() {
        Attempt loser = x.attempt;
        ResponseSide given = x.response;
        state = attempt().client() == null ? State.NONE : State.INSTEAD;
        x.attempt = attempt();
        x.answerBy(response());
        attempt = loser;
        response = given;
    }

    /** The second try; after {@link #takePlace} the one that was the exchange's before. */
    Attempt attempt() {
        Attempt made = attempt;
        if (made == null) {
            made = new Attempt(x);
            attempt = made;
        }
        return made;
    }

    /** The second one's answer, while it isn't the exchange's. */
    ResponseSide response() {
        ResponseSide made = response;
        if (made == null) {
            made = new ResponseSide();
            response = made;
        }
        return made;
    }

    // What is sent by it

    /** Its request has been sent as far as that, of what was kept of the body. */
    int bodyAt() {
        return bodyAt;
    }

    void bodyAt(int at) {
        bodyAt = at;
    }

    /** What follows is written by whoever says so, whatever the connection tells meanwhile. */
    void sending(boolean now) {
        sending = now;
    }

    /** All of its request has been written. */
    void sent() {
        sent = true;
    }

    /** Whether the exchange's try is the second one, and not all of its request was written. */
    boolean isHalfSent() {
        return state == State.INSTEAD && !sent;
    }

    /** How much waits in its connection, while that isn't the exchange's. */
    long waitingBytes() {
        ClientStream client = state == State.UNDER_WAY ? attempt().client() : null;
        return client == null ? 0 : client.waitingBytes();
    }

    /** Memory has become short. */
    void onMemoryShort() {
        ClientStream client = state == State.UNDER_WAY ? attempt().client() : null;
        if (client != null) {
            client.onMemoryShort();
        }
    }

    // Told by the second node's connection: as with the exchange, what is thrown ends that one alone

    @Override
    public HttpResponseHead responseHead() {
        return state == State.INSTEAD ? x.response.head : response().head;
    }

    @Override
    public boolean isHeadRequest() {
        return x.isHeadRequest();
    }

    @Override
    public void onInterimResponse() {
        try {
            if (state == State.INSTEAD || x.proxy.hedges.isPassedOn(x, this)) {
                x.onInterimResponse();
            }
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
        }
    }

    @Override
    public void onResponse() {
        try {
            if (state == State.INSTEAD || x.proxy.hedges.isTaken(x, this)) {
                x.onResponse();
            }
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
        }
    }

    @Override
    public void onResponseBody(ByteBuf in, int count) {
        x.onResponseBody(in, count);
    }

    @Override
    public void onResponseEnd() {
        x.onResponseEnd();
    }

    @Override
    public void onResponsePause() {
        if (state == State.INSTEAD) {
            x.onResponsePause();
        }
    }

    @Override
    public long onResponseLate() {
        try {
            return state == State.INSTEAD ? x.onResponseLate() : x.proxy.hedges.patienceNanos(x, this);
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
            return 0;
        }
    }

    @Override
    public void onResponseFault(Fault why, @Nullable Refusal refusal) {
        try {
            if (state == State.INSTEAD) {
                x.onResponseFault(why, refusal);
            } else {
                x.proxy.hedges.failed(x, this, why);
            }
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
        }
    }

    @Override
    public void onUpstreamWritability(boolean writable) {
        if (sent) {
            if (state == State.INSTEAD) {
                x.onUpstreamWritability(writable);
            }
        } else if (writable && !sending) {
            goOn();
        }
    }

    private void goOn() {
        try {
            x.proxy.hedges.goOn(x, this);
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
        }
    }
}
