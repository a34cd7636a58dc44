package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.UpstreamGroup;
import net.oooops.sigma.upstream.Breaker;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/**
 * Requests that are at two nodes at once: where one waits for its answer for longer than nearly all others do on its node, and that is
 * wanted, or for longer than a try is to, it is sent to another node, too. The first answer is the exchange's, the other try is given
 * up, which isn't held against its node, unless the second one was a retry.
 *
 * <pre>
 *   sent ─▶ (HedgeWatch) ─▶ begin
 *   (Tries.patienceNanos) ─▶ join ─▶ send ─┬─▶ the second one answers: isTaken ─▶ the first one is given up
 *                                    └ unsent  ├─▶ the first one answers: giveUp
 *                                              ├─▶ the first one fails: goOnInstead
 *                                              └─▶ the second one fails: failed ─▶ (join once more)
 * </pre>
 *
 * <p>Belongs to one Worker.
 */
final class Hedges {
    private final HttpRoad road;
    private final LoopContext loop;
    private final HttpProxy proxy;

    Hedges(HttpRoad road, HttpProxy proxy) {
        this.road = road;
        this.loop = road.loop();
        this.proxy = proxy;
    }

    /** A request was sent as a whole, by a route that hedges: it is watched, where it may be hedged. */
    void sent(HttpExchange x) {
        HttpNode node = x.attempt.node();
        if (node == null || !proxy.tries.policy().isHedgeable(x) || isHeldAt(x, node)) {
            return;
        }
        UpstreamGroup<HttpNode> upstream = group(x);
        if (upstream.nodes().size() == 1) {
            return;
        }
        Hedge hedge = x.hedge();
        if (!hedge.isSpent() && !hedge.isWatched()) {
            HedgeLine line = node.hedgeLine();
            hedge.watch(line, loop.clock().nanos());
            road.hedges(upstream).begins(line, x.plan.retry().hedge().percentMax());
        }
    }

    /** A client whose cookie led it to that node has something there. */
    private static boolean isHeldAt(HttpExchange x, HttpNode node) {
        return x.held() == node.index();
    }

    private UpstreamGroup<HttpNode> group(HttpExchange x) {
        return road.upstreams().of(x.plan.upstream());
    }

    /** It has waited for long enough: given to another node, too, if there is one and all bounds allow it. */
    void begin(HttpExchange x, Hedge hedge) {
        HttpNode first = x.attempt.node();
        if (first == null || !proxy.tries.policy().isHedgeable(x)) {
            return;
        }
        UpstreamGroup<HttpNode> upstream = group(x);
        HttpNode other = upstream.pickBeside(x, first);
        if (other == null) {
            return;
        }
        HedgeWatch watch = road.hedges(upstream);
        if (!watch.allows()) {
            loop.counters().increment(Counter.UPSTREAM_HEDGES_OVER_PERCENT);
            return;
        }
        Breaker breaker = upstream.upstream().breaker();
        if (breaker != null && !admit(hedge, breaker)) {
            loop.counters().increment(Counter.UPSTREAM_RETRIES_REFUSED);
        } else if (!proxy.tries.policy().mayTry(x)) {
            hedge.release();
        } else {
            watch.take();
            x.history.tried.add(first.index());
            hedge.begin(false);
            other.acquire(hedge.attempt(), Node.NO_TRIAL);
        }
    }

    /**
     * The exchange's try has waited for as long as one is to, and another one is due. Whether that can be one beside it: then it is
     * begun, if there is a node and the budget allows it. It can't where the breaker has no room for two, which one that is begun anew
     * needs none of.
     */
    boolean join(HttpExchange x) {
        return join(x, false);
    }

    /** @param allowed whether the budget was asked by now */
    private boolean join(HttpExchange x, boolean allowed) {
        HttpNode first = x.attempt.node();
        Hedge hedge = x.hedge();
        if (first == null || hedge.isInstead() || !RetryPolicy.mayJoin(x)) {
            return false;
        }
        x.history.tried.add(first.index());
        UpstreamGroup<HttpNode> upstream = group(x);
        HttpNode other = upstream.pick(x, false);
        if (other == null) {
            return true;
        }
        int trial = upstream.trial();
        Breaker breaker = upstream.upstream().breaker();
        if (breaker != null && !admit(hedge, breaker)) {
            other.undecided(trial);
            return false;
        }
        if (allowed || proxy.tries.policy().mayTry(x)) {
            hedge.stopWaiting();
            hedge.begin(true);
            other.acquire(hedge.attempt(), trial);
        } else {
            hedge.release();
            other.undecided(trial);
        }
        return true;
    }

    /** Whether there may be one more request in flight. */
    private static boolean admit(Hedge hedge, Breaker breaker) {
        Breaker.Admission admission = breaker.admit();
        if (admission.fault() == null && !admission.isTrial()) {
            hedge.admitted(breaker, admission);
            return true;
        }
        if (admission.fault() == null) {
            // It has opened: what finds out if the Upstream is well again is for others.
            breaker.ended(admission, false, true);
        }
        return false;
    }

    /** There is a connection for the second try. */
    void send(HttpExchange x, Hedge hedge, ClientStream client) {
        client.begin(hedge, x.idleTimeoutNanos());
        if (proxy.routing.validation().validateRewritten(x.request.head) != null) {
            // By a plugin that had had its turn; the first try had left before.
            giveUp(x, hedge);
            return;
        }
        HttpNode first = x.attempt.node();
        if (!hedge.isLate()) {
            loop.counters().increment(Counter.UPSTREAM_HEDGES);
        } else if (first != null) {
            first.retried();
        }
        proxy.requests.sendBeside(x, hedge, client);
    }

    /** The second node takes more of the request. */
    void goOn(HttpExchange x, Hedge hedge) {
        Attempt attempt = hedge.isInstead() ? x.attempt : hedge.attempt();
        ClientStream client = attempt.client();
        if (client != null && x.stage == Stage.SENT) {
            proxy.requests.goOnBeside(x, hedge, attempt, client);
        }
    }

    // The second try

    /** It has no connection, and the first one goes on by itself. */
    void unsent(HttpExchange x, Hedge hedge, Fault fault, @Nullable Throwable cause) {
        HttpNode node = hedge.attempt().node();
        if (node == null) {
            return;
        }
        if (cause != null) {
            node.unreached(hedge.attempt(), fault, cause);
        }
        x.history.tried.add(node.index());
        x.history.wasUnsent();
        giveUp(x, hedge);
        if (hedge.isDue() && proxy.tries.policy().afterUnsent(x, true)) {
            // Nothing was sent: it was allowed for the one that didn't come to it.
            join(x, true);
        }
    }

    /** It has come to nothing: the first one goes on by itself, or, where a retry is due, beside the next one. */
    private void lose(HttpExchange x, Hedge hedge) {
        HttpNode first = x.attempt.node();
        giveUp(x, hedge);
        if (hedge.isDue() && first != null) {
            boolean another = group(x).canPickAnother(x, first);
            if (proxy.tries.policy().mayFollow(x, another)) {
                join(x);
            }
        }
    }

    /** Its node gives no sign of life. */
    void leaveSilent(HttpExchange x, Hedge hedge) {
        HttpNode node = hedge.attempt().node();
        if (node != null) {
            x.history.tried.add(node.index());
            if (hedge.attempt().isTrial()) {
                node.broke(hedge.attempt(), true);
            }
            lose(x, hedge);
        }
    }

    /** Its answer hasn't begun in time: how much longer it may take. */
    long patienceNanos(HttpExchange x, Hedge hedge) {
        HttpNode node = hedge.attempt().node();
        boolean another = node != null && group(x).canPickAnother(x, node);
        return proxy.tries.policy().patienceNanos(x, hedge.attempt(), another);
    }

    /** Its node failed. */
    void failed(HttpExchange x, Hedge hedge, Fault fault) {
        Attempt attempt = hedge.attempt();
        HttpNode node = attempt.node();
        if (node != null && hedge.isUnderWay()) {
            if (!RetryPolicy.isClosedAsIdle(x, attempt, fault)) {
                node.failed(attempt, fault, null);
                x.history.tried.add(node.index());
                lose(x, hedge);
            } else if (hedge.isDue()) {
                x.history.needFresh();
                giveUp(x, hedge);
                join(x, true);
            } else {
                x.history.tried.add(node.index());
                giveUp(x, hedge);
            }
        }
    }

    /** An interim answer to it has come. Whether it passes to the client: then the final one has to come from there, too. */
    boolean isPassedOn(HttpExchange x, Hedge hedge) {
        boolean passes = x.request.head.minorVersion() > 0;
        if (passes) {
            win(x, hedge);
        }
        return passes;
    }

    /** A final answer's head has come to it. Whether it is the exchange's; an error isn't, while another try may still do better. */
    boolean isTaken(HttpExchange x, Hedge hedge) {
        int status = hedge.response().head.status();
        HttpNode node = hedge.attempt().node();
        boolean poor = HttpNode.isError(status) || x.plan.retry().covers(status);
        if (node != null && poor && !isLastWord(x, hedge, node)) {
            node.answered(hedge.attempt(), status);
            x.history.tried.add(node.index());
            lose(x, hedge);
            return false;
        }
        win(x, hedge);
        return true;
    }

    /** Whether nobody else is to be expected to answer: there is no further try, and the first one is at a node that answers nobody. */
    private boolean isLastWord(HttpExchange x, Hedge hedge, HttpNode node) {
        HttpNode first = x.attempt.node();
        return hedge.isDue()
                && first != null
                && first.node().quietNanos(loop.clock().nanos())
                        >= x.plan.retry().tryNanos()
                && !proxy.tries.policy().mayFollow(x, group(x).canPickAnother(x, node));
    }

    private void win(HttpExchange x, Hedge hedge) {
        HttpNode first = x.attempt.node();
        if (first != null && hedge.isLate()) {
            first.failed(x.attempt, Fault.UPSTREAM_TIMEOUT, null);
        } else if (first != null) {
            first.givenUp(x.attempt);
        }
        takePlace(hedge);
    }

    // The first try

    /** It failed, or isn't worth waiting for any more; what its node is told of that was told. The second one goes on in its place. */
    void goOnInstead(HttpExchange x, Hedge hedge) {
        HttpNode from = x.attempt.node();
        takePlace(hedge);
        if (x.attempt.client() == null) {
            // Nothing of the second one was sent yet: it is what any other try would have been.
            if (from != null) {
                from.retried();
            }
            x.request.repeat();
            x.stage = Stage.ACQUIRING;
        }
    }

    /** The answer that has begun goes to the client. */
    void taken(HttpExchange x, Hedge hedge) {
        if (hedge.isInstead() && !hedge.isLate()) {
            loop.counters().increment(Counter.UPSTREAM_HEDGES_WON);
        }
        giveUp(x, hedge);
    }

    /** The second try, if it is under way, isn't needed any more. */
    void giveUp(HttpExchange x, Hedge hedge) {
        hedge.stopWaiting();
        if (hedge.isUnderWay()) {
            hedge.end();
            leave(hedge);
        }
    }

    /** The exchange leaves its node: nothing is left of either try but what the node of the exchange's own is about to be told. */
    void end(HttpExchange x, Hedge hedge) {
        hedge.measured(false, loop.clock().nanos());
        giveUp(x, hedge);
        hedge.end();
    }

    /** The second try becomes the exchange's, and the first one is given up. */
    private void takePlace(Hedge hedge) {
        hedge.measured(false, loop.clock().nanos());
        hedge.takePlace();
        leave(hedge);
    }

    private static void leave(Hedge hedge) {
        hedge.release();
        Attempt loser = hedge.attempt();
        HttpNode node = loser.node();
        if (node != null) {
            node.leave(loser, false);
        }
    }
}
