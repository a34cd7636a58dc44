package net.oooops.sigma.bolt;

import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.BoltConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.time.Timed;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeConnector;
import org.jspecify.annotations.Nullable;

/**
 * One connection to a node and the calls on it, of many clients: each is given an id of its own, by which its response is found.
 *
 * <pre>
 *   CONNECTING (calls wait) ─▶ OPEN (calls are sent as they come) ─▶ CLOSED (calls that were sent fail)
 *        └▶ failed: the calls are tried on other nodes                 ▲
 *                               RETIRED (no further calls; the node is gone, or the address isn't its any more)
 * </pre>
 *
 * <p>Called on the Worker's event loop only.
 */
final class BoltLink extends Timed implements FrameConnection.Owner, NodeConnector.Callback {
    private final BoltNode node;
    private final BoltRoad road;
    private final LoopContext loop;
    private final FrameForm form;
    private final CallTable calls = new CallTable();
    private final ArrayDeque<BoltExchange> waiting = new ArrayDeque<>();
    private final List<BoltClient> held = new ArrayList<>();
    private @Nullable FrameConnection connection;
    /** How long a frame of the node may be. */
    private int frameBytesMax;
    /** Whether it is to be less as soon as no call is under way. */
    private boolean narrows;

    private long waitingBytes;
    private boolean heard;
    private boolean asked;
    private int heartbeatId;
    private int misses;
    private boolean retired;
    private boolean closed;
    private Fault fault = Fault.UPSTREAM_CLOSED;

    BoltLink(BoltNode node, FrameForm form) {
        this.node = node;
        this.road = node.road();
        this.loop = node.loop();
        this.form = form;
        this.frameBytesMax = road.frameBytesMax();
    }

    BoltNode node() {
        return node;
    }

    FrameForm form() {
        return form;
    }

    boolean isWritable() {
        FrameConnection open = connection;
        return open == null || open.isWritable();
    }

    /** Whether so many bytes more may wait to be sent; where it lags only if that is said. */
    boolean hasRoom(int bytes, int unsentBytesMax, boolean evenIfItLags) {
        return (evenIfItLags || isWritable()) && unsentBytes() + bytes <= unsentBytesMax;
    }

    /** How much waits to be sent. */
    long unsentBytes() {
        FrameConnection open = connection;
        return open == null ? waitingBytes : open.unsentBytes();
    }

    /** How much it holds: calls that wait to be sent, and responses that aren't whole. */
    long heldBytes() {
        FrameConnection open = connection;
        return open == null ? waitingBytes : open.heldBytes();
    }

    boolean isIdle() {
        return calls.count() == 0 && waiting.isEmpty();
    }

    int waitingCount() {
        return waiting.size();
    }

    /** How many calls have waited for so long, but for those that were late already when another was answered. */
    int silent(long nowNanos, long nanos, long heardNanos) {
        int count = calls.silent(nowNanos, nanos, heardNanos);
        for (BoltExchange x : waiting) {
            count += x.isSilent(nowNanos, nanos, heardNanos) ? 1 : 0;
        }
        return count;
    }

    // Calls

    /** Takes a call. */
    void take(BoltExchange x, Frame frame, ByteBuf in) {
        x.link = this;
        FrameConnection open = connection;
        if (open != null) {
            send(open, x, frame, in);
            return;
        }
        x.waiting = in.alloc().directBuffer(frame.bytes()).writeBytes(in, frame.start(), frame.bytes());
        waitingBytes += frame.bytes();
        waiting.add(x);
    }

    private void send(FrameConnection open, BoltExchange x, Frame frame, ByteBuf in) {
        int id = x.oneWay ? calls.freeId() : calls.add(x);
        open.write(in, frame, id);
        x.flow.sent(x, this);
    }

    /** A call ends before its response is there: if that comes, it comes late. */
    void cancel(BoltExchange x) {
        ByteBuf frame = x.waiting;
        if (frame == null) {
            calls.remove(x);
            closeIfRetired();
        } else {
            x.waiting = null;
            waiting.remove(x);
            waitingBytes -= frame.readableBytes();
            frame.release();
        }
    }

    /** Has a client wait until this can be written. */
    void hold(BoltClient client) {
        held.add(client);
    }

    /** A client that was held is gone. */
    void forget(BoltClient client) {
        held.remove(client);
    }

    /** Whether clients wait until this can be written. */
    boolean holds() {
        return !held.isEmpty();
    }

    /** They wait no more: it can be written, or others can be in its place. */
    void releaseHeld() {
        if (held.isEmpty()) {
            return;
        }
        List<BoltClient> those = List.copyOf(held);
        held.clear();
        those.forEach(BoltClient::release);
    }

    // Told by the connector

    @Override
    public void onOpen(Channel channel) {
        FrameConnection.prepare(channel, road.frames(), road.writeBufferBytesMax());
    }

    @Override
    public void onConnected(Channel channel) {
        BoltConfig config = road.plan().config();
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_OPENED);
        if (closed) {
            channel.close();
            return;
        }
        FrameConnection open;
        try {
            open = new FrameConnection(this, channel, road.frames(), new FrameConnection.Accepted(form, frameBytesMax));
            connection = open;
            follow();
            channel.pipeline().addLast(open);
        } catch (RuntimeException | Error e) {
            // Nothing would tell the calls that wait for it.
            connection = null;
            channel.close();
            loop.thrown(e);
            onConnectFailed(Fault.INTERNAL, e);
            return;
        }
        loop.wheel().arm(this, config.heartbeatIntervalNanos());
        sendWaiting(open);
        open.begin();
        closeIfRetired();
    }

    private void sendWaiting(FrameConnection open) {
        Frame frame = Frame.ofAnyLength();
        BoltExchange x = nextWaiting();
        while (x != null) {
            ByteBuf in = x.waiting;
            x.waiting = null;
            if (in != null) {
                sendWaiting(open, x, frame, in);
            }
            x = nextWaiting();
        }
    }

    private void sendWaiting(FrameConnection open, BoltExchange x, Frame frame, ByteBuf in) {
        try {
            frame.parse(in);
            send(open, x, frame, in);
        } catch (RuntimeException | Error e) {
            // The others are to be sent all the same.
            loop.thrown(e);
        } finally {
            in.release();
        }
    }

    private @Nullable BoltExchange nextWaiting() {
        BoltExchange x = waiting.poll();
        ByteBuf in = x == null ? null : x.waiting;
        waitingBytes -= in == null ? 0 : in.readableBytes();
        return x;
    }

    @Override
    public void onConnectFailed(Fault why, Throwable cause) {
        loop.counters().increment(Counter.UPSTREAM_CONNECTIONS_FAILED);
        loop.failures().node(node, why, cause);
        if (why.side() == Fault.Side.UPSTREAM) {
            node.faulted(Node.NO_TRIAL);
        }
        closed = true;
        node.drop(this);
        BoltExchange x = nextWaiting();
        while (x != null) {
            try {
                x.flow.connectFailed(x, why);
            } catch (RuntimeException | Error e) {
                // The others are to hear of it all the same.
                loop.thrown(e);
            }
            x = nextWaiting();
        }
    }

    // Told by the connection

    @Override
    public void onOpened() {
        // It was open before it got its handler.
    }

    @Override
    public void onBytes(int count) {
        heard = true;
        loop.counters().add(Counter.UPSTREAM_BYTES_RECEIVED, count);
        road.memory().received(count);
    }

    @Override
    public void onFrame(Frame frame, ByteBuf in) {
        if (!frame.isResponse()) {
            request(frame);
            return;
        }
        BoltExchange x = frame.isHeartbeat() ? null : calls.take(frame.id());
        if (x != null) {
            x.flow.respond(x, this, frame, in);
            closeIfRetired();
        } else if (!frame.isHeartbeat() || frame.id() != heartbeatId) {
            loop.counters().increment(Counter.BOLT_RESPONSES_LATE);
        }
    }

    /** Nodes may ask, too: for a sign of life, which they get, or calls, which can't be meant for any one client. */
    private void request(Frame frame) {
        FrameConnection open = connection;
        if (frame.isHeartbeat()) {
            loop.counters().increment(Counter.BOLT_HEARTBEATS_ANSWERED);
        } else {
            loop.counters().increment(Counter.BOLT_REQUESTS_OF_NODES);
        }
        if (open != null && !frame.isOneWay()) {
            open.write(frame, frame.isHeartbeat() ? Status.SUCCESS : Status.NO_PROCESSOR);
            if (open.unsentBytes() > road.unsentBytesMax()) {
                // It asks, and takes neither calls nor what it asked for.
                open.abort();
            }
        }
    }

    @Override
    public void onRefused(FrameRefusal why) {
        loop.counters().refused(why);
        loop.failures().frame(why.label(), node);
        fault = Fault.UPSTREAM_PROTOCOL;
        close();
    }

    @Override
    public void onWritabilityChanged(boolean writable) {
        if (writable) {
            releaseHeld();
        }
    }

    @Override
    public void onThrown(Throwable cause) {
        loop.thrown(cause);
        fault = Fault.INTERNAL;
    }

    @Override
    public void onClosed() {
        end();
    }

    // Its end

    /** Closes it; the calls on it fail. */
    void close() {
        FrameConnection open = connection;
        if (open != null) {
            open.close();
        }
        end();
    }

    private void end() {
        if (closed) {
            return;
        }
        closed = true;
        count();
        loop.wheel().remove(this);
        node.drop(this);
        if (calls.count() > 0 && fault != Fault.INTERNAL) {
            node.faulted(Node.NO_TRIAL);
        }
        BoltExchange x = waiting.poll();
        while (x != null) {
            fail(x);
            x = waiting.poll();
        }
        x = calls.next();
        while (x != null) {
            fail(x);
            x = calls.next();
        }
        releaseHeld();
    }

    /** What is thrown meanwhile keeps none of the others from hearing of it. */
    private void fail(BoltExchange x) {
        try {
            x.flow.fail(x, fault);
        } catch (RuntimeException | Error e) {
            loop.thrown(e);
        }
    }

    boolean isRetired() {
        return retired;
    }

    /** A call is over, or none is to come. */
    private void closeIfRetired() {
        if (retired && isIdle()) {
            close();
        } else if (narrows && isIdle()) {
            follow();
        }
    }

    // Now and then

    /** Nothing came for as long as the interval: asks, or, asked often enough in vain, gives it up. */
    @Override
    protected void onDeadline() {
        FrameConnection open = connection;
        if (open == null) {
            return;
        }
        follow();
        BoltConfig config = road.plan().config();
        if (heard) {
            heard = false;
            asked = false;
            misses = 0;
        } else {
            if (asked) {
                misses++;
                loop.counters().increment(Counter.BOLT_HEARTBEATS_MISSED);
            }
            if (misses >= config.heartbeatMissesMax()) {
                loop.failures().silent(node);
                open.abort();
                end();
                return;
            }
            asked = true;
            heartbeatId = calls.freeId();
            open.writeHeartbeat(form, heartbeatId);
            loop.counters().increment(Counter.BOLT_HEARTBEATS_SENT);
        }
        loop.wheel().arm(this, config.heartbeatIntervalNanos());
    }

    /** Counts the bytes that were written since it was last asked. */
    void count() {
        FrameConnection open = connection;
        if (open != null) {
            loop.counters().add(Counter.UPSTREAM_BYTES_SENT, open.takeWrittenBytes());
        }
    }

    /** The Listeners may be others by now. It goes by what allows less only once no call is under way, which may be answered by what it began with. */
    void follow() {
        int now = road.frameBytesMax();
        FrameConnection open = connection;
        narrows = now > 0 && now < frameBytesMax;
        if (open != null && (now > frameBytesMax || (narrows && isIdle()))) {
            narrows = false;
            frameBytesMax = now;
            open.limit(now);
        }
    }

    /** Where the node's name leads elsewhere by now, no further calls are sent here. */
    void retireIfMoved() {
        FrameConnection open = connection;
        if (open != null
                && node.connector().hasMoved()
                && open.channel().remoteAddress() instanceof InetSocketAddress address
                && !node.connector().serves(address)) {
            retire();
        }
    }

    /** No further calls are sent here; closed once those that were are answered. */
    void retire() {
        retired = true;
        node.drop(this);
        // What they call next doesn't come here.
        releaseHeld();
        closeIfRetired();
    }
}
