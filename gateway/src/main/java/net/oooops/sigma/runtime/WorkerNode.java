package net.oooops.sigma.runtime;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.Balancer;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.PoolGauges;
import net.oooops.sigma.upstream.Ejection;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeConnector;
import net.oooops.sigma.upstream.NodeTally;
import net.oooops.sigma.upstream.Upstream;

/** A Node on one Worker: how connections to it are opened, and what this Worker counts of it. */
public abstract class WorkerNode {
    /**
     * Where it stands.
     *
     * @param loop of the Worker whose node it is
     * @param balancer that it is picked by
     * @param index where it stands among the nodes that the balancer picks from
     * @param upstream whose node it is
     * @param means what it has of the Worker
     */
    public record Place(LoopContext loop, Balancer balancer, int index, Upstream upstream, Means means) {}

    /** What a node has of what others know of, too: to be given back once, also where the node couldn't be made. */
    record Means(LoopContext loop, NodeConnector connector, PoolGauges gauges) {
        static Means of(LoopContext loop, Upstream upstream, Node node) {
            NodeConfig config = node.config();
            NodeConnector connector =
                    loop.connector(new NodeConnector.Target(config.host(), config.port(), upstream.tls()));
            try {
                return new Means(loop, connector, loop.counters().pool(upstream.id(), node.name()));
            } catch (RuntimeException | Error e) {
                connector.close();
                throw e;
            }
        }

        void giveBack() {
            connector.close();
            loop.counters().remove(gauges);
        }
    }

    private Place place;
    private final Node node;
    private final Means means;
    private final NodeTally tally;
    private int inFlight;
    private boolean retired;
    /** Of those in flight, how many something was heard of. */
    private int heard;

    public WorkerNode(Place place, Node node) {
        this.place = place;
        this.node = node;
        this.means = place.means();
        this.tally = node.tally(place.loop().number());
    }

    /** It stands elsewhere, and maybe under another balancer, since others have come or gone. */
    void move(Balancer to, int index) {
        Balancer before = place.balancer();
        place = new Place(place.loop(), to, index, place.upstream(), means);
        if (to == before) {
            return;
        }
        for (int i = 0; i < inFlight; i++) {
            to.started(index);
        }
        for (int i = 0; i < heard; i++) {
            to.heard(index, Balancer.Heard.NOTHING, 0);
        }
    }

    /**
     * Its Upstream, or what holds for all nodes, may be configured anew: what it keeps of that is asked for again. Connections that are
     * open stay.
     */
    public void follow() {
        connector().connectTimeout(place.loop().client().connectTimeoutNanos());
    }

    /** It is gone from its Upstream, or that is: closes what nobody uses. */
    public void retire() {
        retired = true;
        tally.silent(0);
        means.giveBack();
        close();
    }

    /** Something went wrong with it, for all Workers to know. */
    final void failed(Fault fault, String why) {
        node.failed(fault, why);
    }

    /** Whether it is gone. */
    public final boolean isRetired() {
        return retired;
    }

    /**
     * A request or session is given to it: there may be no connection for it yet.
     *
     * @param first whether it wasn't given to any node before
     */
    public final void began(boolean first) {
        inFlight++;
        place.balancer().started(place.index());
        tally.began();
        if (first) {
            tally.firstTried();
        }
    }

    /** There is a connection for it. */
    public final void reached() {
        tally.sent();
    }

    /** There is none, as it couldn't be opened. */
    public final void unreached() {
        tally.connectFailed();
    }

    /** Something came of a request, or certainly nothing, so long after it began. */
    public final void heard(Balancer.Heard what, long afterNanos) {
        heard += what == Balancer.Heard.BREAK ? 0 : 1;
        place.balancer().heard(place.index(), what, afterNanos);
    }

    /** It said something within a session. */
    public final void alive() {
        place.balancer().alive(place.index());
    }

    /** A request or session no longer is with it. */
    public final void ended() {
        inFlight--;
        heard--;
        place.balancer().ended(place.index());
        tally.ended();
    }

    /** What came to nothing on it is tried once more. */
    public final void retried() {
        loop().counters().increment(Counter.UPSTREAM_RETRIES);
        tally.retried();
    }

    /** Its number among all nodes that its Upstream has ever had: nodes that come or go don't change it. */
    public int index() {
        return node.number();
    }

    /** The Node, as all Workers share it. */
    public Node node() {
        return node;
    }

    /** Host and port, for logs. */
    public String name() {
        return node.name();
    }

    public Upstream upstream() {
        return place.upstream();
    }

    public String upstreamId() {
        return place.upstream().id();
    }

    public LoopContext loop() {
        return place.loop();
    }

    public NodeConnector connector() {
        return means.connector();
    }

    public PoolGauges gauges() {
        return means.gauges();
    }

    public NodeTally tally() {
        return tally;
    }

    // What became of a try: one of these is to be called for one that finds out if the node is well again, with the
    // number of the trial.

    /** It answered, or took a session. */
    public final void well(int trial) {
        if (trial != Node.NO_TRIAL || node.isSuspect() || node.isSpared() || node.state() != Node.State.AVAILABLE) {
            ejection().answered(node, false, trial, nowNanos());
        }
    }

    /** It answered that it can't. */
    public final void erred(int trial) {
        tally.failed();
        ejection().answered(node, true, trial, nowNanos());
    }

    /** It couldn't be reached, its connection was lost, or its answer couldn't be understood. */
    public final void faulted(int trial) {
        tally.failed();
        ejection().faulted(node, trial, nowNanos());
    }

    /** It didn't answer in time. */
    public final void timedOut(int trial) {
        tally.failed();
        ejection().timedOut(node, trial, nowNanos());
    }

    /** Nothing is known: the client went away, for one. */
    public final void undecided(int trial) {
        if (trial != Node.NO_TRIAL) {
            ejection().trialUndecided(node, trial);
        }
    }

    private Ejection ejection() {
        return place.upstream().ejection();
    }

    private long nowNanos() {
        return place.loop().clock().nanos();
    }

    /** Now and then: shows how many connections there are to whoever reads the counters, and asks for the name's addresses again. */
    public abstract void publish();

    /** Closes the connections that nobody uses. */
    public void close() {}
}
