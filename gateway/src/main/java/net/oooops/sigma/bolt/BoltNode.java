package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.config.BoltConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.runtime.WorkerNode;
import net.oooops.sigma.upstream.Node;
import org.jspecify.annotations.Nullable;

/** A Node of Bolt on one Worker: a few connections in each form that clients speak, taken in turn, opened when first needed. */
final class BoltNode extends WorkerNode {
    private static final int FORMS = FrameForm.values().length;

    private final BoltRoad road;
    private @Nullable BoltLink[] links;
    private int linksPerForm;
    private int callsMax;
    private int turn;
    private int callCount;
    /** When a response to a call last came. */
    private long heardNanos;

    BoltNode(BoltRoad road, Place place, Node node) {
        super(place, node);
        this.road = road;
        BoltConfig config = road.plan().config();
        this.linksPerForm = config.connectionsPerNode();
        this.callsMax = place.loop().share(config.requestsPerNodeMax(), 1);
        this.links = new BoltLink[FORMS * linksPerForm];
    }

    /** The road's plan may be another one by now. */
    @Override
    public void follow() {
        super.follow();
        BoltConfig config = road.plan().config();
        callsMax = loop().share(config.requestsPerNodeMax(), 1);
        if (config.connectionsPerNode() != linksPerForm) {
            spread(config.connectionsPerNode());
        }
    }

    /** What its connections allow may be something else by now. */
    void followBounds() {
        for (BoltLink link : links) {
            if (link != null) {
                link.follow();
            }
        }
    }

    /** So many connections in each form from now on: those beyond end when they have nothing more to do. */
    private void spread(int perForm) {
        @Nullable BoltLink[] before = links;
        int perFormBefore = linksPerForm;
        links = new BoltLink[FORMS * perForm];
        linksPerForm = perForm;
        turn = 0;
        for (int i = 0; i < before.length; i++) {
            BoltLink link = before[i];
            int of = i % perFormBefore;
            if (link != null && of < perForm) {
                links[i / perFormBefore * perForm + of] = link;
            } else if (link != null) {
                link.retire();
            }
        }
    }

    BoltRoad road() {
        return road;
    }

    /**
     * Whether a call is given to it: neither too many are under way nor does too much wait to be sent, and where it lags no other node does better.
     */
    boolean takes(BoltExchange x, Frame frame, int unsentBytesMax) {
        return turnsTo(frame, unsentBytesMax, false)
                || (turnsTo(frame, unsentBytesMax, true) && !hasBetter(x, frame.form(), frame.bytes(), unsentBytesMax));
    }

    /** Whether there is a connection for it, whose turn it is then; one that lags only where that is said. */
    private boolean turnsTo(Frame frame, int unsentBytesMax, boolean evenIfItLags) {
        for (int i = 0; i < linksPerForm && callCount < callsMax; i++) {
            BoltLink next = links[place(frame.form())];
            if (next == null || next.hasRoom(frame.bytes(), unsentBytesMax, evenIfItLags)) {
                return true;
            }
            pass();
        }
        return false;
    }

    /**
     * Whether another node that is as near takes a call of that form and length at once, also where its last one failed: else all who wait here would never try it. Where
     * a hash gives clients nodes of their own there is none: they stay for as long as theirs is used. To be asked only of a node that lags: it looks at all
     * others.
     */
    boolean hasBetter(PickContext context, FrameForm form, int bytes, int unsentBytesMax) {
        RuleStrategy strategy = upstream().config().ruleStrategy();
        if (strategy == RuleStrategy.SOURCE_HASH || strategy == RuleStrategy.CONSISTENT_HASH) {
            return false;
        }
        boolean panicking = upstream().isPanicking();
        for (BoltNode other : road.upstreams().of(upstream()).nodes()) {
            if (other != this
                    && other.node().isUsed(panicking)
                    && (node().isAside() || !other.node().isAside())
                    && other.isOpenTo(form, bytes, unsentBytesMax)
                    && !context.excludes(other.index())) {
                return true;
            }
        }
        return false;
    }

    @SuppressWarnings("EnumOrdinal") // As for a place.
    private boolean isOpenTo(FrameForm form, int bytes, int unsentBytesMax) {
        int first = form.ordinal() * linksPerForm;
        for (int i = first; i < first + linksPerForm && callCount < callsMax; i++) {
            BoltLink link = links[i];
            if (link == null || link.hasRoom(bytes, unsentBytesMax, false)) {
                return true;
            }
        }
        return false;
    }

    /** Clients that wait for a connection which lags go on where their next calls do better elsewhere, or aren't given to this node any more. */
    private void releaseHeld() {
        boolean used = node().isUsed(upstream().isPanicking());
        for (BoltLink link : links) {
            if (link != null
                    && link.holds()
                    && (!used || hasBetter(PickContext.NONE, link.form(), 1, road.unsentBytesMax()))) {
                link.releaseHeld();
            }
        }
    }

    /** How much its connections hold. */
    long heldBytes() {
        long all = 0;
        for (BoltLink link : links) {
            all += link == null ? 0 : link.heldBytes();
        }
        return all;
    }

    /** Gives it a call, which is sent at once or when a connection is open. */
    void enter(BoltExchange x, Frame frame, ByteBuf in) {
        x.node = this;
        x.lastNode = this;
        callCount++;
        x.report.begin(this, x.attempts == 1);
        next(frame.form()).take(x, frame, in);
    }

    /** The call is over, or goes to another node. */
    void leave(BoltExchange x) {
        x.node = null;
        x.link = null;
        callCount--;
        x.report.end(this);
    }

    /**
     * The response to a call came.
     *
     * @param error whether it tells of a failure of the node's own
     */
    void answered(BoltExchange x, boolean error) {
        long now = loop().clock().nanos();
        heardNanos = now;
        tally().answered(now - x.report.startedNanos(), now);
        x.report.answered(this, error ? Heard.FAILURE : Heard.ANSWER);
        if (error) {
            erred(x.trial);
        } else {
            well(x.trial);
        }
        x.trial = Node.NO_TRIAL;
    }

    /** How many calls have waited for so long, no response to any having come meanwhile. Looks at them only where none has. */
    private int silent() {
        long now = loop().clock().nanos();
        long nanos = upstream().ejection().silenceNanos();
        int count = 0;
        if (nanos == 0 || callCount == 0 || now - heardNanos < nanos) {
            return count;
        }
        for (BoltLink link : links) {
            count += link == null ? 0 : link.silent(now, nanos, heardNanos);
        }
        return count;
    }

    @SuppressWarnings("EnumOrdinal") // A place in an array of this run.
    private int place(FrameForm form) {
        return form.ordinal() * linksPerForm + turn;
    }

    private void pass() {
        turn = turn + 1 == linksPerForm ? 0 : turn + 1;
    }

    private BoltLink next(FrameForm form) {
        int place = place(form);
        pass();
        BoltLink link = links[place];
        if (link == null) {
            link = new BoltLink(this, form);
            links[place] = link;
            connector().connect(link);
        }
        return link;
    }

    /** That connection is gone, or takes no further calls. */
    void drop(BoltLink gone) {
        for (int i = 0; i < links.length; i++) {
            if (links[i] == gone) {
                links[i] = null;
            }
        }
    }

    @Override
    public void publish() {
        int open = 0;
        int idle = 0;
        int waiting = 0;
        for (BoltLink link : links) {
            if (link != null) {
                link.count();
                link.retireIfMoved();
                open++;
                idle += link.isIdle() ? 1 : 0;
                waiting += link.waitingCount();
            }
        }
        gauges().set(open, idle, waiting);
        tally().silent(silent());
        releaseHeld();
        if (open > 0) {
            connector().refresh();
        }
    }

    @Override
    public void retire() {
        for (BoltLink link : links) {
            if (link != null) {
                link.retire();
            }
        }
        super.retire();
    }

    @Override
    public void close() {
        for (BoltLink link : links) {
            if (link != null) {
                link.close();
            }
        }
    }
}
