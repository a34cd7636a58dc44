package net.oooops.sigma.proxy;

import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.config.RetryConfig;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.RetryBudget;
import net.oooops.sigma.upstream.Upstream;

/**
 * Whether a try that came to nothing is followed by another one, and how. Nothing is done here.
 *
 * <p>A request of which nothing was sent may go to any node. One that was sent is sent again only where doing twice what it asks for
 * does no harm (RFC 9110 section 9.2.2), nothing of an answer went to the client, all that was sent of its body was kept, and the
 * Upstream's budget allows it.
 *
 * <p>Belongs to one Worker.
 */
final class RetryPolicy {
    /** What is to be done. */
    enum Again {
        NO,
        /** Another node. */
        ELSEWHERE,
        /** The same node may have closed a connection as idle while the request was on its way: one that is opened for it. */
        FRESH
    }

    /** Nodes that one request was not sent to, beyond which it isn't tried any more. */
    private static final int UNSENT_MAX = 100;

    private static final long BACK_OFF_NANOS = TimeUnit.MILLISECONDS.toNanos(25);
    private static final int BACK_OFF_DOUBLINGS_MAX = 3;
    private static final long LOOK_NANOS_MIN = TimeUnit.MILLISECONDS.toNanos(50);
    private static final long LOOK_NANOS_MAX = TimeUnit.MILLISECONDS.toNanos(200);
    /** How long a trial waits for its answer where silence isn't held against nodes. */
    private static final long TRIAL_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Ascii[] IDEMPOTENT = {
        Ascii.of("GET"), Ascii.of("HEAD"), Ascii.of("OPTIONS"), Ascii.of("PUT"), Ascii.of("DELETE"), Ascii.of("QUERY")
    };
    private static final FieldName IDEMPOTENCY_KEY = FieldName.of("Idempotency-Key");

    private final LoopContext loop;

    RetryPolicy(LoopContext loop) {
        this.loop = loop;
    }

    /**
     * After a failed try that was sent, or may have been.
     *
     * @param another whether there is another node
     */
    Again afterFault(HttpExchange x, Fault fault, boolean another) {
        ClientStream client = x.attempt.client();
        if (client == null || x.stage != Stage.SENT) {
            return Again.NO;
        }
        boolean repeatable =
                client.isUnprocessed() ? x.request.isRepeatable() && !x.response.isInterimPassed() : mayRepeat(x);
        if (!repeatable) {
            return Again.NO;
        }
        if (isClosedAsIdle(x, x.attempt, fault)) {
            return x.plan.retry().triesMax() > 1 && isInTime(x) ? Again.FRESH : Again.NO;
        }
        boolean may = switch (fault) {
            case UPSTREAM_CLOSED, UPSTREAM_PROTOCOL, WEBSOCKET_ACCEPT -> another || isAlone(x);
            // The same node would only have to do it twice at once.
            case UPSTREAM_TIMEOUT -> another;
            default -> false;
        };
        return may && mayTry(x) ? Again.ELSEWHERE : Again.NO;
    }

    /** Whether that try failed since its node had closed the connection before, unseen: that isn't the node's fault. */
    static boolean isClosedAsIdle(HttpExchange x, Attempt attempt, Fault fault) {
        ClientStream client = attempt.client();
        return fault == Fault.UPSTREAM_CLOSED
                && client != null
                && (client.isReused() || client.isUnprocessed())
                && !client.isAnswered()
                && !x.history.isFreshOnly();
    }

    /**
     * Whether another node may be tried, where nothing was sent to the one before.
     *
     * @param well whether there is a node that is well: where there is none the budget has to allow it
     */
    boolean afterUnsent(HttpExchange x, boolean well) {
        Upstream upstream = x.plan.upstream();
        if (upstream == null
                || x.history.unsentOfRound() >= UNSENT_MAX
                || x.history.unsentOfRound() >= upstream.nodes().size()
                || !isInTime(x)) {
            return false;
        }
        boolean may = well || upstream.budget().tryTake();
        if (!may) {
            refused(x, Counter.UPSTREAM_RETRIES_OVER_BUDGET);
        }
        return may;
    }

    /**
     * Whether a request that was never sent, as no node takes it, waits for one: they refuse connections, as they do while they are
     * started again. It does so for no longer than for a connection.
     */
    boolean waitsForNode(HttpExchange x, Fault fault) {
        return fault == Fault.CONNECT_FAILED
                && x.history.count() == x.history.unsentCount()
                && isInTime(x)
                && loop.clock().nanos() - x.history.beganNanos() < loop.client().waitTimeoutNanos();
    }

    /** How long one that waits for a node does so before it looks again: at random, so that not all come at once. */
    static long lookNanos() {
        return ThreadLocalRandom.current().nextLong(LOOK_NANOS_MIN, LOOK_NANOS_MAX);
    }

    /**
     * Whether one that waits for a node tries to reach one now.
     *
     * @param well whether one was reached meanwhile: else the budget has to allow it
     */
    boolean maySeek(HttpExchange x, boolean well) {
        Upstream upstream = x.plan.upstream();
        return well
                || (upstream != null && upstream.budget().trySeek(loop.clock().nanos()));
    }

    /** After an answer that tells of an error, before anything is done with it. */
    Again afterStatus(HttpExchange x) {
        int status = x.response.head.status();
        if (status < 400) {
            return Again.NO;
        }
        return isPoor(x, status) && !isAlone(x) && mayRepeat(x) && mayTry(x) ? Again.ELSEWHERE : Again.NO;
    }

    /** Whether an answer of that status isn't for the client while there may be a better one. */
    static boolean isPoor(HttpExchange x, int status) {
        return x.plan.retry().covers(status) || (status == 500 && x.attempt.isTrial());
    }

    /** Whether a request that was sent as a whole may be sent to another node, too, as far as it goes by the request and the first try. */
    boolean isHedgeable(HttpExchange x) {
        return x.stage == Stage.SENT
                && x.request.isComplete()
                && x.request.isRepeatable()
                && !x.response.isInterimPassed()
                && !x.attempt.isTrial()
                && isIdempotentMethod(x.request.head)
                && triesLeft(x) > 0
                && isInTime(x);
    }

    /** Whether a request that waits for a silent node goes to another one. */
    boolean leavesSilent(HttpExchange x) {
        return x.stage == Stage.SENT && mayRepeat(x) && mayTry(x);
    }

    /**
     * How long the answer to that try may take to begin.
     *
     * @param another whether there is another node
     */
    long answerNanos(HttpExchange x, Attempt attempt, boolean another) {
        long all = x.responseTimeoutNanos();
        RetryConfig retry = x.plan.retry();
        Upstream upstream = x.plan.upstream();
        attempt.limit(false);
        if (!another || upstream == null || triesLeft(x) < 1 || !mayRepeat(x)) {
            return all;
        }
        long limit = retry.tryNanos();
        if (attempt.isTrial()) {
            long silenceNanos = upstream.ejection().silenceNanos();
            limit = silenceNanos == 0 ? TRIAL_NANOS : silenceNanos;
        }
        if (limit == 0 || limit >= all) {
            return all;
        }
        attempt.limit(true);
        return limit;
    }

    /**
     * How much longer an answer may take that hasn't begun within the limit of its try: 0 where another try is due.
     *
     * @param another whether there is another node
     */
    long patienceNanos(HttpExchange x, Attempt attempt, boolean another) {
        HttpNode node = attempt.node();
        if (!attempt.isLimited() || node == null) {
            return 0;
        }
        if (!mayFollow(x, another)) {
            return restNanos(x, attempt);
        }
        RetryConfig retry = x.plan.retry();
        if (attempt.isTrial() || !retry.silentOnly()) {
            return 0;
        }
        if (isLost(attempt, retry)) {
            return 0;
        }
        // A node that answers others is at work on this one, too.
        long now = loop.clock().nanos();
        long untilSilent = retry.tryNanos() - node.node().quietNanos(now);
        return Math.clamp(untilSilent, 0, leftNanos(x, attempt, now));
    }

    /** Whether the request hasn't come to the node's system, and so isn't what the node is at work on. */
    private static boolean isLost(Attempt attempt, RetryConfig retry) {
        ClientStream client = attempt.client();
        return client != null && client.isStuck(retry.tryNanos() / 2);
    }

    /** From now on it is awaited for as long as the last try may take: how long that still is. */
    long restNanos(HttpExchange x, Attempt attempt) {
        attempt.limit(false);
        return leftNanos(x, attempt, loop.clock().nanos());
    }

    private static long leftNanos(HttpExchange x, Attempt attempt, long nowNanos) {
        return Math.max(0, x.responseTimeoutNanos() - (nowNanos - attempt.beganNanos));
    }

    /**
     * Whether another try may follow one that was sent, as things are now. Nothing is taken.
     *
     * @param another whether there is another node
     */
    boolean mayFollow(HttpExchange x, boolean another) {
        Upstream upstream = x.plan.upstream();
        return another
                && upstream != null
                && mayRepeat(x)
                && triesLeft(x) > 0
                && isInTime(x)
                && isAffordable(x, upstream);
    }

    /** Whether the next try may be made beside the present one: it was sent as a whole, and what is asked for is an answer. */
    static boolean mayJoin(HttpExchange x) {
        return x.stage == Stage.SENT
                && x.request.isComplete()
                && !x.request.head.asksForTunnel()
                && !x.attempt.isTrial();
    }

    private static int triesLeft(HttpExchange x) {
        return x.plan.retry().triesMax() - (x.history.count() - x.history.unsentCount() - x.history.freshCount());
    }

    private boolean isInTime(HttpExchange x) {
        return loop.clock().nanos() - x.history.beganNanos() < x.plan.retry().totalNanos();
    }

    /** How long to wait before the next try: at random, up to a bound that doubles. The first one comes at once. */
    long backOffNanos(HttpExchange x) {
        int retries = x.history.count() - x.history.freshCount() - (isAlone(x) ? 0 : 1);
        if (retries < 1) {
            return 0;
        }
        long most = BACK_OFF_NANOS << Math.min(retries - 1, BACK_OFF_DOUBLINGS_MAX);
        return ThreadLocalRandom.current().nextLong(most);
    }

    /** Whether the request can be sent twice without harm. */
    boolean isHarmless(HttpExchange x) {
        return x.plan.retry().triesMax() > 1
                && isIdempotent(x.request.head)
                && (!x.request.head.hasBody() || keepsBody(x));
    }

    /** Whether what is sent of its body has to be kept. */
    boolean keepsBody(HttpExchange x) {
        RetryConfig retry = x.plan.retry();
        HttpNode node = x.attempt.node();
        return retry.triesMax() > 1
                && x.request.head.hasBody()
                && x.request.bodyLength() <= retry.bodyBytesMax()
                && (retry.anyMethod() || isIdempotent(x.request.head) || (node != null && node.tellsUnprocessed()));
    }

    private static boolean mayRepeat(HttpExchange x) {
        return !x.response.isInterimPassed()
                && x.request.isRepeatable()
                && (x.plan.retry().anyMethod() || isIdempotent(x.request.head));
    }

    /** Whether there is a try left, time for it, and the budget for it, which is taken. */
    boolean mayTry(HttpExchange x) {
        Upstream upstream = x.plan.upstream();
        if (upstream == null
                || triesLeft(x) < 1
                || !isInTime(x)
                // What waits at a silent node asks many times.
                || (x.history.isRefused() && !isAffordable(x, upstream))) {
            return false;
        }
        boolean free = x.attempt.isTrial();
        RetryBudget budget = upstream.budget();
        if (!free && !budget.tryTake()) {
            refused(x, Counter.UPSTREAM_RETRIES_OVER_BUDGET);
            return false;
        }
        Breaker breaker = upstream.breaker();
        if (breaker != null && !x.history.mayRepeat(breaker)) {
            if (!free) {
                budget.giveBack();
            }
            refused(x, Counter.UPSTREAM_RETRIES_REFUSED);
            return false;
        }
        return true;
    }

    private void refused(HttpExchange x, Counter by) {
        if (x.history.refuse()) {
            loop.counters().increment(by);
        }
    }

    /** Whether the budget and the breaker would allow a further try, at the moment. */
    private static boolean isAffordable(HttpExchange x, Upstream upstream) {
        return (x.attempt.isTrial() || upstream.budget().left() > 0) && x.history.mightRepeat(upstream.breaker());
    }

    private static boolean isAlone(HttpExchange x) {
        Upstream upstream = x.plan.upstream();
        return upstream == null || upstream.nodes().size() == 1;
    }

    static boolean isIdempotent(HttpRequestHead request) {
        return isIdempotentMethod(request) || request.passes(IDEMPOTENCY_KEY);
    }

    private static boolean isIdempotentMethod(HttpRequestHead request) {
        for (Ascii method : IDEMPOTENT) {
            if (request.isSentAs(method)) {
                return true;
            }
        }
        return false;
    }
}
