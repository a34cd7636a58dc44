package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.KeyHash;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.http.ClientExchange;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.ServerExchange;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.time.Timed;
import org.jspecify.annotations.Nullable;

/**
 * One HTTP request and its response: six parts, each with a state of its own, and the stage. What happens to it stands in {@link
 * HttpProxy}; this class hands on what the connections on both sides tell, and answers what balancing asks. Plugins see it by a {@link
 * PluginView}, which the cursor has.
 *
 * <p>Used again for another exchange after its end, so that the plain path allocates none.
 */
final class HttpExchange extends Timed implements ServerExchange, ClientExchange, PickContext {
    final HttpProxy proxy;
    final RequestSide request = new RequestSide();
    /** Another one where a plugin may still be writing into what was to be the answer. */
    ResponseSide response = new ResponseSide();

    /** The try under way; another one where a hedge took its place. */
    Attempt attempt = new Attempt(this);

    final TryHistory history = new TryHistory();
    final PluginCursor cursor = new PluginCursor();
    final Ending ending = new Ending();

    ServerStream stream;
    Peer peer;
    RoutePlan plan;
    /** Where a plugin sends it; null: where the Route leads. */
    @Nullable RoutePlan target;
    /** Those that it is one of, from its beginning to its end. */
    Generation.Followers following;

    /** How far it has come: {@link Stage}. */
    int stage = Stage.READING;

    long startNanos;

    /** There where one of its requests may have been hedged. */
    @Nullable Hedge hedge;

    /** There once its protocol was switched. */
    @Nullable Tunnel tunnel;

    /** There where it is a call of gRPC. */
    @Nullable GrpcCall call;

    /** There where it is a plugin's own: who takes its answer. */
    @Nullable CalloutStream callout;

    /** The first of what its plugins have asked for and wait for. */
    @Nullable CalloutStream callouts;

    /** {@link BodyMemory} knows of it. */
    boolean isInBodyMemory;

    HttpExchange(HttpProxy proxy, ServerStream stream, Peer peer) {
        this.proxy = proxy;
        this.stream = stream;
        this.peer = peer;
        this.plan = proxy.plan.unrouted();
        this.following = proxy.following;
    }

    /** Makes it ready for another request. */
    void begin(ServerStream onStream, Peer ofPeer) {
        stream = onStream;
        peer = ofPeer;
        unroute();
        target = null;
        stage = Stage.READING;
        call = null;
        callout = null;
        startNanos = 0;
        ending.reset();
        request.reset();
        response.reset();
        attempt.reset();
        history.reset();
        if (hedge != null) {
            hedge.reset();
        }
        tunnel = null;
        cursor.reset();
    }

    /** It is over, and may be used again: it holds nothing of the configuration that it followed, which may be gone by then. */
    void rest() {
        unroute();
        target = null;
        ending.forgetReason();
        callout = null;
        cursor.reset();
    }

    /** It leads nowhere yet, as the configuration in use has it. */
    @SuppressWarnings("ReferenceEquality") // whether it is that one, not one like it
    void unroute() {
        RoutePlan unrouted = proxy.plan.unrouted();
        if (plan != unrouted) {
            plan = unrouted;
        }
    }

    /** It is one of those from now on, until it leaves them. */
    void follow(Generation.Followers all) {
        if (following != all) {
            following = all;
        }
        all.enter();
    }

    /**
     * How long its answer may take to begin. Where the client of a call of gRPC says how long it waits, that is up to it, which {@link
     * GrpcCall} sees to, as long as that call may be quiet.
     */
    long responseTimeoutNanos() {
        return call != null && call.isTimed() && call.mayBeQuiet()
                ? Math.max(plan.responseTimeoutNanos(), idleTimeoutNanos())
                : plan.responseTimeoutNanos();
    }

    /** How long its answer may pause: calls of gRPC are streams that may be quiet, as tunnels are. */
    long idleTimeoutNanos() {
        return call != null && call.mayBeQuiet()
                ? Math.max(plan.idleTimeoutNanos(), plan.tunnel().idleNanos())
                : plan.idleTimeoutNanos();
    }

    /** What hedges it: made where that is asked for the first time. */
    Hedge hedge() {
        Hedge made = hedge;
        if (made == null) {
            made = new Hedge(this);
            hedge = made;
        }
        return made;
    }

    /** Its response is that one from now on. Nothing of the one before was seen by anybody. */
    void answerBy(ResponseSide other) {
        response = other;
        cursor.show(other);
    }

    /** The response is given up, to be answered anew. */
    void forgetResponse() {
        if (cursor.isHeld()) {
            cursor.revoke();
            response = new ResponseSide();
        }
    }

    /** Gives up what waits of the bodies; one that a plugin was called to see is still there when it looks. */
    void dropBodies() {
        request.body.forgetKept();
        request.body.queue.clear(cursor.isHeld());
        response.body.queue.clear(cursor.isHeld());
        response.closeBody(ending.fault());
    }

    /** Whether nothing more of its response's body is wanted: it has failed, and what comes isn't what a plugin answers to that. */
    boolean isResponseOver() {
        return stage == Stage.ENDED || (ending.hasFailed() && !response.isGiven());
    }

    /** How much it holds of bodies. */
    long collectedBytes() {
        return request.body.queue.heldBytes() + response.body.queue.heldBytes();
    }

    // Asked by balance

    @Override
    public boolean excludes(int nodeIndex) {
        return history.tried.contains(nodeIndex);
    }

    @Override
    public long source() {
        return plan.forwarding().source(request.head, peer);
    }

    @Override
    public long key() {
        HashKey hash = plan.affinity().hash();
        return hash == null ? KeyHash.NONE : hash.of(request);
    }

    @Override
    public int held() {
        StickyCookie sticky = plan.affinity().sticky();
        return sticky == null ? StickyCookie.NONE : sticky.nodeOf(request.head);
    }

    // Told by the client's connection

    @Override
    public HttpRequestHead requestHead() {
        return request.head;
    }

    @Override
    public void onRequest() {
        proxy.request(this);
    }

    @Override
    public void onRequestBody(ByteBuf in, int count) {
        proxy.requests.body(this, in, count);
    }

    @Override
    public void onRequestEnd() {
        proxy.requestEnd(this);
    }

    @Override
    public void onRequestPause() {
        Transforms transforms = request.transforms;
        if (transforms != null) {
            proxy.requestTransforming.pause(this, transforms);
        }
        ClientStream to = attempt.client();
        if (to != null) {
            to.flush();
        }
        seen();
    }

    private void seen() {
        Tunnel passes = tunnel;
        if (passes != null) {
            proxy.tunnels.seen(this, passes);
        }
    }

    @Override
    public void onResponseSent() {
        Tunnel ends = tunnel;
        if (ends != null) {
            proxy.tunnels.clientEndSent(this, ends);
        }
    }

    @Override
    public void onResponseLeft(@Nullable Fault cut) {
        proxy.exchanges.left(this, cut);
    }

    @Override
    public void onDrain() {
        proxy.tunnels.drain(this);
    }

    @Override
    public void onRefused(Refusal why) {
        proxy.failing.breach(this, why);
    }

    @Override
    public void onRequestFault(Fault why) {
        proxy.failing.breach(this, why);
    }

    @Override
    public void onClientGone() {
        proxy.failing.clientGone(this);
    }

    @Override
    public boolean isRefused() {
        return ending.isRefused();
    }

    @Override
    public void onClientWritability(boolean writable) {
        proxy.responses.writabilityChanged(this, writable);
    }

    @Override
    public long waitingBytes() {
        ClientStream from = attempt.client();
        long waiting = request.waitingBytes() + response.waitingBytes() + (from == null ? 0 : from.waitingBytes());
        return hedge == null ? waiting : waiting + hedge.waitingBytes();
    }

    @Override
    public void onMemoryShort() {
        ClientStream from = attempt.client();
        if (from != null) {
            from.onMemoryShort();
        }
        if (hedge != null) {
            hedge.onMemoryShort();
        }
    }

    // Told by the node's connection, which may have others to tell: what is thrown ends this exchange alone

    @Override
    public HttpResponseHead responseHead() {
        return response.head;
    }

    @Override
    public @Nullable HttpRequestHead switching() {
        return request.head.asksForTunnel() ? request.head : null;
    }

    @Override
    public long lingerNanos() {
        return proxy.plan.listener().timeouts().lingerNanos();
    }

    @Override
    public void onRequestSent() {
        Tunnel ends = tunnel;
        try {
            if (ends != null) {
                proxy.tunnels.nodeEndSent(this, ends);
            }
        } catch (Throwable e) {
            proxy.failing.thrown(this, e);
        }
    }

    @Override
    public boolean isHeadRequest() {
        return request.head.isSentAsHead();
    }

    @Override
    public void onInterimResponse() {
        try {
            proxy.responses.interim(this);
        } catch (Throwable e) {
            proxy.failing.thrown(this, e);
        }
    }

    @Override
    public void onResponse() {
        try {
            proxy.respond(this);
        } catch (Throwable e) {
            proxy.failing.thrown(this, e);
        }
    }

    @Override
    public void onResponseBody(ByteBuf in, int count) {
        proxy.responses.body(this, in, count);
    }

    @Override
    public void onResponseEnd() {
        try {
            proxy.responseEnd(this);
        } catch (Throwable e) {
            // The connection has nothing more for it.
            proxy.failing.thrown(this, e);
        }
    }

    @Override
    public void onResponsePause() {
        Transforms transforms = response.transforms;
        try {
            if (transforms != null) {
                proxy.responseTransforming.pause(this, transforms);
            }
            stream.flush();
            seen();
        } catch (Throwable e) {
            proxy.failing.thrown(this, e);
        }
    }

    @Override
    public long onResponseLate() {
        try {
            return proxy.tries.patienceNanos(this);
        } catch (Throwable e) {
            proxy.failing.thrown(this, e);
            return 0;
        }
    }

    @Override
    public void onResponseFault(Fault why, @Nullable Refusal refusal) {
        proxy.failing.nodeFailed(this, why, refusal);
    }

    @Override
    public void onUpstreamWritability(boolean writable) {
        try {
            if (stage >= Stage.SENT) {
                proxy.requests.writabilityChanged(this, writable);
            }
        } catch (Throwable e) {
            proxy.failing.thrown(this, e);
        }
    }

    /** Waited too long for a plugin. */
    @Override
    protected void onDeadline() {
        try {
            if (cursor.isParked()) {
                proxy.plugins.late(this);
            } else {
                proxy.sources.late(this);
            }
        } catch (Throwable e) {
            proxy.failing.thrown(this, e);
        }
    }
}
