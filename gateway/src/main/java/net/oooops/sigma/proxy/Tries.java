package net.oooops.sigma.proxy;

import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.proxy.RetryPolicy.Again;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/**
 * The tries of exchanges on nodes: picks a node for each, tells it what became of it, and begins another one where {@link RetryPolicy} says
 * so.
 *
 * <pre>
 *   begin ─▶ node ─▶ (HttpProxy sends) ─▶ isTaken: the answer goes on to the client
 *     ▲                 │      └ failed, or an answer that is asked of another node
 *     └──── again ◀─────┴ unsent: no connection
 * </pre>
 *
 * <p>Belongs to one Worker.
 */
final class Tries {
    private final HttpRoad road;
    private final LoopContext loop;
    private final HttpProxy proxy;
    private final RetryPolicy policy;

    Tries(HttpRoad road, HttpProxy proxy) {
        this.road = road;
        this.loop = road.loop();
        this.proxy = proxy;
        this.policy = new RetryPolicy(loop);
    }

    RetryPolicy policy() {
        return policy;
    }

    /** The first try, or one that follows at once. */
    void begin(HttpExchange x) {
        x.stage = Stage.ACQUIRING;
        UpstreamGroup<HttpNode> upstream = group(x);
        Breaker breaker = upstream.upstream().breaker();
        Fault refused = breaker == null ? null : x.history.admit(breaker);
        if (refused != null) {
            refuse(x, refused, upstream.upstream().id());
            return;
        }
        HttpNode node = pick(x, upstream);
        int trial = node == null ? Node.NO_TRIAL : upstream.trial();
        Fault before = x.history.failedWith();
        if (node == null && before != null) {
            // Those that were left have gone meanwhile: one of them may be there all the same.
            node = upstream.pickAny(x);
        }
        if (node == null) {
            proxy.failing.fail(x, before == null ? Fault.NO_HEALTHY_NODE : before, x.plan.upstreamId());
        } else {
            node.acquire(x.attempt, trial);
        }
    }

    private void refuse(HttpExchange x, Fault fault, String by) {
        loop.counters().increment(Counter.UPSTREAM_REQUESTS_REFUSED);
        proxy.failing.fail(x, fault, by);
    }

    /** The exchange is over: its Upstream's breaker no longer counts it. */
    void end(HttpExchange x) {
        x.history.release();
    }

    private void judge(HttpExchange x, boolean failed) {
        if (x.history.countedBy() != null) {
            long now = loop.clock().nanos();
            // How long a slow client takes to send its request says nothing of the nodes.
            x.history.judge(failed, x.attempt.isHeld() ? -1 : now - x.attempt.beganNanos, now);
        }
    }

    private UpstreamGroup<HttpNode> group(HttpExchange x) {
        return road.upstreams().of(x.plan.upstream());
    }

    private @Nullable HttpNode pick(HttpExchange x, UpstreamGroup<HttpNode> upstream) {
        return upstream.pick(x, !upstream.upstream().isWhole() && policy.isHarmless(x));
    }

    /**
     * The exchange leaves its node, if it is at one, and whatever hedges it ends with that.
     *
     * @param fit whether the connection may carry another request
     */
    void leaveNode(HttpExchange x, boolean fit) {
        Hedge hedge = x.hedge;
        if (hedge != null) {
            proxy.hedges.end(x, hedge);
        }
        HttpNode node = x.attempt.node();
        if (node != null) {
            node.leave(x.attempt, fit);
        }
    }

    /** There is no connection: nothing was sent, so any request may go to another node, well or not. */
    void unsent(HttpExchange x, Fault fault, @Nullable Throwable cause) {
        HttpNode node = x.attempt.node();
        if (node == null) {
            return;
        }
        if (cause != null) {
            node.unreached(x.attempt, fault, cause);
        }
        x.history.tried.add(node.index());
        x.history.elsewhere();
        x.history.wasUnsent();
        leaveNode(x, false);
        UpstreamGroup<HttpNode> upstream = group(x);
        boolean well = isOneThere(x);
        // A node that has gone doesn't count among those that there are.
        boolean may = node.isRetired() || policy.afterUnsent(x, well);
        HttpNode other = may ? pick(x, upstream) : null;
        int trial = other == null ? Node.NO_TRIAL : upstream.trial();
        if (other == null && (well ? policy.afterUnsent(x, false) : may)) {
            other = upstream.pickAny(x);
        }
        if (other != null) {
            node.retried();
            x.stage = Stage.ACQUIRING;
            other.acquire(x.attempt, trial);
        } else if (policy.waitsForNode(x, fault)) {
            judge(x, true);
            x.history.waitForNode(fault, loop.clock().nanos());
            x.stage = Stage.ACQUIRING;
            pause(x, RetryPolicy.lookNanos());
        } else {
            unreached(x, node, fault, cause != null);
        }
    }

    /** What more there is to say of connections that are refused: that it took long is told where somebody looks for the reason. */
    private String refusedFor(HttpExchange x, String by) {
        if (!x.history.hasWaited()) {
            return by;
        }
        long millis = TimeUnit.NANOSECONDS.toMillis(loop.clock().nanos() - x.history.beganNanos());
        return by + " refused connections for " + millis + " ms (wait-timeout)";
    }

    private void unreached(HttpExchange x, HttpNode node, Fault fault, boolean failed) {
        if (failed) {
            judge(x, true);
        }
        if (fault == Fault.BREAKER_FULL) {
            refuse(x, fault, node.name());
        } else {
            proxy.failing.fail(x, fault, fault == Fault.CONNECT_FAILED ? refusedFor(x, node.name()) : node.name());
        }
    }

    private static String detail(@Nullable HttpNode node, @Nullable Refusal why) {
        String reason = why == null ? "" : why.text();
        if (node == null) {
            return reason;
        }
        return reason.isEmpty() ? node.name() : node.name() + " " + reason;
    }

    /** The node failed after it had a connection. Tries again where that is harmless, else the exchange fails. */
    void failed(HttpExchange x, Fault fault, @Nullable Refusal why) {
        HttpNode node = x.attempt.node();
        Hedge hedge = x.hedge;
        if (hedge != null && hedge.isUnderWay() && node != null) {
            if (!RetryPolicy.isClosedAsIdle(x, x.attempt, fault)) {
                node.failed(x.attempt, fault, why);
            }
            proxy.hedges.goOnInstead(x, hedge);
            return;
        }
        Again again = node == null ? Again.NO : policy.afterFault(x, fault, group(x).canPickAnother(x, node));
        // A client that is slow to send its request isn't the node's doing.
        boolean itsDoing = fault != Fault.UPSTREAM_TIMEOUT || !x.attempt.isHeld();
        if (node != null && again != Again.FRESH && itsDoing) {
            node.failed(x.attempt, fault, why);
        }
        if (again == Again.NO || node == null) {
            judge(x, true);
            proxy.failing.fail(x, fault, detail(node, why));
        } else {
            x.history.failedWith(fault);
            again(x, node, again);
        }
    }

    /**
     * Its answer hasn't begun in time: how much longer it may take. Where another try is due that is made beside this one, if it can be:
     * what a node needs long for isn't begun anew.
     */
    long patienceNanos(HttpExchange x) {
        HttpNode node = x.attempt.node();
        if (node == null || !x.attempt.isLimited()) {
            return 0;
        }
        Hedge hedge = x.hedge;
        if (hedge != null && hedge.isUnderWay()) {
            hedge.standForRetry();
            return policy.restNanos(x, x.attempt);
        }
        long more = policy.patienceNanos(x, x.attempt, group(x).canPickAnother(x, node));
        boolean joined = more == 0 && x.attempt.isLimited() && proxy.hedges.join(x);
        return joined ? policy.restNanos(x, x.attempt) : more;
    }

    /** How long the answer to that try may take to begin. */
    long answerNanos(HttpExchange x, Attempt attempt) {
        HttpNode node = attempt.node();
        boolean another = node != null && group(x).nodes().size() > 1 && group(x).canPickAnother(x, node);
        return policy.answerNanos(x, attempt, another);
    }

    /** A final answer's head is there. Whether it is the exchange's; if not, another node is asked. */
    boolean isTaken(HttpExchange x) {
        HttpNode node = x.attempt.node();
        if (node == null) {
            return true;
        }
        int status = x.response.head.status();
        Hedge hedge = x.hedge;
        if (hedge != null && isLeftToHedge(x, node, hedge, RetryPolicy.isPoor(x, status))) {
            return false;
        }
        boolean another = status >= 400 && group(x).canPickAnother(x, node);
        Again again = another ? policy.afterStatus(x) : Again.NO;
        if (again != Again.NO) {
            node.answered(x.attempt, status);
            again(x, node, again);
            return false;
        }
        node.answered(x.attempt, status);
        judge(x, HttpNode.isError(status));
        x.history.answerBegun();
        x.request.body.forgetKept();
        if (hedge != null) {
            proxy.hedges.taken(x, hedge);
        }
        return true;
    }

    /** Whether the exchange goes on with the second try of its hedge, since the first one's answer is poor. */
    private boolean isLeftToHedge(HttpExchange x, HttpNode node, Hedge hedge, boolean poor) {
        hedge.measured(true, loop.clock().nanos());
        boolean left = poor && hedge.isUnderWay();
        if (left) {
            node.answered(x.attempt, x.response.head.status());
            proxy.hedges.goOnInstead(x, hedge);
        }
        return left;
    }

    /** Its node gives no sign of life: goes to another one, if it may and there is one; else it goes on waiting. */
    void leaveSilent(HttpExchange x) {
        HttpNode node = x.attempt.node();
        if (node == null || x.attempt.isHeld() || x.cursor.isParked()) {
            return;
        }
        if (x.hedge != null && x.hedge.isUnderWay()) {
            proxy.hedges.goOnInstead(x, x.hedge);
            return;
        }
        if (!group(x).canPickAnother(x, node)) {
            return;
        }
        if (x.stage == Stage.ACQUIRING) {
            if (group(x).hasWellNode()) {
                failTrial(x, node);
                unsent(x, Fault.CONNECT_TIMEOUT, null);
            }
        } else if (policy.leavesSilent(x)) {
            failTrial(x, node);
            again(x, node, Again.ELSEWHERE);
        }
    }

    /** Nothing came of a try that was to find out if the node is well: it isn't. */
    private static void failTrial(HttpExchange x, HttpNode node) {
        if (x.attempt.isTrial()) {
            node.broke(x.attempt, true);
        }
    }

    private void again(HttpExchange x, HttpNode from, Again how) {
        if (how == Again.FRESH) {
            x.history.needFresh();
        } else if (group(x).nodes().size() > 1) {
            x.history.tried.add(from.index());
            x.history.elsewhere();
        }
        long backOffNanos = how == Again.FRESH ? 0 : policy.backOffNanos(x);
        leaveNode(x, false);
        x.request.repeat();
        x.response.reset();
        x.stage = Stage.ACQUIRING;
        from.retried();
        if (how == Again.FRESH && from.node().isAvailable()) {
            from.acquire(x.attempt, Node.NO_TRIAL);
        } else if (backOffNanos == 0) {
            begin(x);
        } else {
            pause(x, backOffNanos);
        }
    }

    private void pause(HttpExchange x, long nanos) {
        int pause = x.history.pause();
        loop.eventLoop().schedule(() -> goOn(x, pause), nanos, TimeUnit.NANOSECONDS);
    }

    private void goOn(HttpExchange x, int pause) {
        try {
            resume(x, pause);
        } catch (Throwable e) {
            proxy.failing.thrown(x, e);
        }
    }

    /** Whether a node can be reached, for all that is known: it is well, or somebody else has reached it since this one waits. */
    private boolean isOneThere(HttpExchange x) {
        UpstreamGroup<HttpNode> upstream = group(x);
        if (x.history.hasWaited()) {
            for (HttpNode node : upstream.nodes()) {
                if (node.isReachedSince(x.history.waitsSinceNanos())) {
                    return true;
                }
            }
        }
        return upstream.hasWellNode();
    }

    private void resume(HttpExchange x, int pause) {
        if (x.stage != Stage.ACQUIRING || !x.history.isPaused(pause)) {
            return;
        }
        if (!x.history.isWaitingForNode() || policy.maySeek(x, isOneThere(x))) {
            x.history.goOn();
            begin(x);
        } else if (policy.waitsForNode(x, Fault.CONNECT_FAILED)) {
            pause(x, RetryPolicy.lookNanos());
        } else {
            proxy.failing.fail(x, Fault.CONNECT_FAILED, refusedFor(x, x.plan.upstreamId()));
        }
    }
}
