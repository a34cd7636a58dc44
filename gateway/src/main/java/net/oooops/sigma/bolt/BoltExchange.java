package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.Report;
import net.oooops.sigma.runtime.TriedNodes;
import net.oooops.sigma.time.Timed;
import org.jspecify.annotations.Nullable;

/**
 * One call of Bolt and its response: the state of it, and nothing else. What happens to it stands in {@link BoltFlow}. Used again
 * for another call once it has ended.
 */
final class BoltExchange extends Timed implements Correlation, PickContext {
    /** What is kept of the name of what is called, for the log. */
    static final int NAME_BYTES_MAX = 512;

    final BoltFlow flow;
    final TriedNodes tried = new TriedNodes();
    /** Those that it isn't given to for now. */
    final TriedNodes passed = new TriedNodes();

    final Report report = new Report();

    /** Those that it is one of, from its beginning to its end. */
    Generation.Followers following;

    @Nullable BoltClient client;
    /** The calls of the same client beside it. */
    @Nullable BoltExchange before;

    @Nullable BoltExchange after;

    private FrameForm form = FrameForm.V1;
    private int id;
    private int codec;
    private int switches;
    boolean oneWay;

    @Nullable BoltRoutePlan route;

    @Nullable BoltNode node;
    /** The node of the last try, for the log. */
    @Nullable BoltNode lastNode;

    @Nullable BoltLink link;
    /** The id that the node knows it by, once it is sent. */
    int upstreamId;
    /** Its frame, while the connection that is to take it is being opened. */
    @Nullable ByteBuf waiting;

    int attempts;
    /** The present try finds out if the node is well again. */
    int trial;

    long startNanos;
    long responseBytes;

    @Nullable Fault fault;
    /** Allocated when the first name is logged. */
    byte[] name = {};

    int nameBytes;

    BoltExchange(BoltFlow flow, Generation.Followers following) {
        this.flow = flow;
        this.following = following;
    }

    /** Begins another call. */
    void begin(BoltClient of, Frame request, long nowNanos) {
        client = of;
        form = request.form();
        id = request.id();
        codec = request.codec();
        switches = request.switches();
        oneWay = request.isOneWay();
        startNanos = nowNanos;
        attempts = 0;
        responseBytes = 0;
        nameBytes = 0;
    }

    /** Forgets the call that has ended. */
    void clear() {
        client = null;
        route = null;
        lastNode = null;
        fault = null;
        tried.clear();
        passed.clear();
    }

    /** Whether its node has said nothing to it for so long; one that was late already when another was answered takes long. */
    boolean isSilent(long nowNanos, long nanos, long heardNanos) {
        return report.isWaiting(nowNanos, nanos) && heardNanos - report.startedNanos() < nanos;
    }

    @Override
    protected void onDeadline() {
        flow.late(this);
    }

    // Asked by what writes a response

    @Override
    public FrameForm form() {
        return form;
    }

    @Override
    public int id() {
        return id;
    }

    @Override
    public int codec() {
        return codec;
    }

    @Override
    public int switches() {
        return switches;
    }

    @Override
    public boolean isHeartbeat() {
        return false;
    }

    // Asked by balance

    @Override
    public boolean excludes(int nodeIndex) {
        return tried.contains(nodeIndex) || passed.contains(nodeIndex);
    }

    @Override
    public long source() {
        BoltClient of = client;
        return of == null ? 0 : of.source();
    }
}
