package net.oooops.sigma.proxy;

import java.util.ArrayDeque;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.config.Timeouts;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.proxy.HttpExchange.Stage;
import net.oooops.sigma.route.PathFault;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.time.LoopClock;
import org.jspecify.annotations.Nullable;

/**
 * The road of a request through one Listener on one Worker: the stages in their order. The class to read first.
 *
 * <pre>
 *   request ─▶ validate ─▶ route ─▶ plugins ─▶ balance ─▶ send ─▶ requestEnd
 *   end ◀─ responseEnd ◀─ answer ◀─ plugins ◀─ respond
 *   fail: from anywhere; the client gets Sigma's own answer, or sees the one that had begun cut short
 * </pre>
 *
 * <p>Called on the Worker's event loop only.
 */
final class HttpProxy {
    private static final Response FINAL_RECIPIENT = Response.of(204);

    /** More than are under way at once on any Worker but an attacked one. */
    private static final int SPARE_MAX = 4096;

    private final HttpRoad road;
    private final LoopContext loop;
    private final HttpListenerPlan plan;
    private final RequestRelay requests;
    private final ResponseRelay responses;
    private final PluginRunner plugins;
    private final Transforming transforming;
    private final LocalResponse localResponse;
    private final Tries tries;
    private final Hedges hedges;
    private final Tunnels tunnels;
    private final Routing routing;

    /** Exchanges to be used again. */
    private final ArrayDeque<HttpExchange> spare = new ArrayDeque<>();

    HttpProxy(HttpRoad road, HttpListenerPlan plan) {
        this.road = road;
        this.loop = road.loop();
        this.plan = plan;
        this.requests = new RequestRelay(road);
        this.responses = new ResponseRelay(road, this);
        this.plugins = new PluginRunner(loop, this);
        this.transforming = new Transforming(loop, this);
        this.localResponse = new LocalResponse(plan.errorPages());
        this.tries = new Tries(road, this);
        this.hedges = new Hedges(road, this);
        this.tunnels = new Tunnels(road, this);
        this.routing = new Routing(road, this);
    }

    // The stages of the request

    /** A request's head is complete and well-formed. */
    void request(HttpExchange x) {
        x.startNanos = loop.clock().nanos();
        road.began();
        x.call = GrpcCall.of(x, loop.wheel());
        if (!routing.isValid(x)) {
            return;
        }
        routing.route(x);
        if (x.call != null) {
            x.stream.expectMessages(x.plan.tunnel().idleNanos());
        }
        x.request.head.secure(x.plan.forwarding().isSecure(x.request.head, x.peer));
        boolean whole = x.plan.chain().wholeRequestBodyBytesMax() > 0;
        if (whole && x.request.head.hasBody()) {
            requests.collect(x);
        } else if (whole) {
            collected(x);
        } else {
            x.stage = Stage.REQUEST_PLUGINS;
            plugins.request(x, 0);
        }
    }

    /** The whole body of the request is here. */
    void collected(HttpExchange x) {
        x.request.body.collected();
        if (x.plan.chain().wholeRequestBodyBytesMax() > 0) {
            x.request.body.queue.gather();
            x.stage = Stage.REQUEST_PLUGINS;
            plugins.request(x, 0);
        } else {
            balance(x);
        }
    }

    /** The request is complete. */
    void requestEnd(HttpExchange x) {
        Tunnel tunnel = x.tunnel;
        if (tunnel != null) {
            tunnels.clientEnded(x, tunnel);
            return;
        }
        Transforms transforms = x.request.transforms;
        if (transforms != null && transforms.isPassing() && !transforming.requestEnd(x, transforms)) {
            return;
        }
        x.request.complete();
        if (x.request.body.isCollecting()) {
            collected(x);
            return;
        }
        ClientStream client = x.attempt.client();
        if (client != null && x.stage.compareTo(Stage.SENT) >= 0) {
            requests.complete(x, client);
        }
    }

    /** All plugins let the request pass. */
    void balance(HttpExchange x) {
        Fault miss = x.request.miss();
        if (miss != null) {
            fail(x, miss, "");
            return;
        }
        if (x.history.count() == 0 && !MaxForwards.allow(x.request.head)) {
            respondWith(x, FINAL_RECIPIENT);
            x.stage = Stage.RESPONSE_PLUGINS;
            plugins.response(x, 0);
            return;
        }
        Transforms transforms = x.request.transforms;
        if (transforms != null && transforms.isGiven() && !transforming.openRequest(x, transforms)) {
            return;
        }
        if (x.plan.whole().collectsRequests() && x.request.head.hasBody() && !x.request.body.isCollected()) {
            // Plugins have let it pass, and none of them needs its body.
            requests.collect(x);
            return;
        }
        tunnels.ask(x);
        tries.begin(x);
    }

    /** There is a connection. */
    void send(HttpExchange x, ClientStream client) {
        x.stage = Stage.SENT;
        client.begin(x, x.idleTimeoutNanos());
        PathFault late = routing.validation().validateRewritten(x.request.head);
        if (late != null) {
            // Written by a plugin when it had had its turn.
            fail(x, Fault.REWRITE_REFUSED, late.text());
            return;
        }
        if (x.request.head.isSwitching() && !Tunnels.isAnswerable(x.request.head, client)) {
            refuse(x, Refusal.WEBSOCKET_KEY);
            return;
        }
        requests.send(x, client);
    }

    // The stages of the response

    /** A response's head is complete and well-formed. */
    void respond(HttpExchange x) {
        if (!tries.isTaken(x)) {
            return;
        }
        x.response.begin();
        x.stage = Stage.RESPONSE_PLUGINS;
        boolean body =
                !x.request.head.isHead() && !x.response.head.isBodiless() && x.response.head.contentLength() != 0;
        if (x.plan.whole().collectsResponses() && body) {
            if (x.response.head.contentLength() > x.plan.whole().responseBytesMax()) {
                fail(x, Fault.UPSTREAM_PROTOCOL, ResponseRelay.TOO_LARGE);
                return;
            }
            x.response.body.collect();
        } else {
            if (x.plan.chain().wholeResponseBodyBytesMax() > 0 && !x.response.head.isSwitch()) {
                // There is none: that is all of it.
                x.response.body.collected();
                x.response.body.queue.gather();
            }
            plugins.response(x, 0);
        }
    }

    /** All plugins let the response pass. */
    void answer(HttpExchange x) {
        if (x.response.head.isSwitch()) {
            tunnels.begin(x);
            return;
        }
        if (x.request.head.isAuthorityForm() && x.response.head.isSuccess()) {
            tunnels.deny(x);
            closeTransforms(x);
            localResponse.write(x, Fault.PLUGIN_FAILED);
        }
        Transforms transforms = x.response.transforms;
        if (transforms != null && transforms.isGiven() && !transforming.openResponse(x, transforms)) {
            return;
        }
        x.stage = Stage.ANSWERING;
        responses.head(x);
        if (x.response.ownBody() != null) {
            responses.ownBody(x);
            x.stream.end(null);
            end(x);
        } else {
            responses.goOn(x);
        }
    }

    /** The response is complete. */
    void responseEnd(HttpExchange x) {
        if (x.response.head.isSwitch()) {
            tunnels.nodeEnded(x);
            return;
        }
        ClientStream client = x.attempt.client();
        HttpNode node = x.attempt.node();
        if (node != null) {
            node.finished(x.attempt);
        }
        Trailers trailers = client == null ? null : client.responseTrailers();
        Transforms transforms = x.response.transforms;
        if (transforms != null && transforms.isPassing()) {
            if (!transforming.responseEnd(x, transforms, trailers)) {
                return;
            }
            trailers = transforms.trailers();
        }
        x.response.complete(trailers);
        if (x.response.body.isCollecting()) {
            x.response.body.collected();
            if (x.plan.chain().wholeResponseBodyBytesMax() > 0) {
                x.response.body.queue.gather();
            }
            leaveNodeAnswered(x);
            plugins.response(x, 0);
        } else {
            leaveNodeAnswered(x);
            if (x.stage == Stage.ANSWERING && !x.response.body.isWaiting()) {
                responses.end(x);
                end(x);
            }
        }
    }

    /** Of a request that the node didn't want all of, the rest is thrown away: a client may write all before it reads. */
    private void leaveNodeAnswered(HttpExchange x) {
        leaveNode(x, requests.isSent(x));
        x.stream.pauseBody(false);
    }

    /** The exchange is over, and its answer, if there is one, complete. */
    void end(HttpExchange x) {
        x.stage = Stage.ENDED;
        boolean left = x.stream.finish();
        release(x);
        if (left) {
            close(x);
        }
    }

    /** What was still waiting of an answer that was complete has left, or, for {@code cut}, never will. */
    void left(HttpExchange x, @Nullable Fault cut) {
        if (cut != null) {
            x.fault = cut;
            loop.counters().failed(cut);
        }
        close(x);
    }

    /** Gives back what an exchange holds of others, whichever way it ended. */
    private void release(HttpExchange x) {
        closeTransforms(x);
        x.dropBodies();
        if (x.tunnel != null) {
            tunnels.ended(x.tunnel);
        }
        if (x.call != null) {
            x.call.end();
        }
        tries.end(x);
        road.bodyMemory().ended(x);
        loop.wheel().disarm(x);
    }

    /** The last of any exchange: told to plugins, counted and logged. */
    private void close(HttpExchange x) {
        plugins.end(x);
        road.ended(x);
        if (!x.cursor.isHeld() && spare.size() < SPARE_MAX) {
            x.request.end();
            x.response.end();
            spare.push(x);
        }
    }

    // What goes wrong

    /** The request can't be understood: answered, and the connection closed. */
    void refuse(HttpExchange x, Refusal why) {
        if (x.stage == Stage.ENDED) {
            return;
        }
        loop.counters().refused(why);
        fail(x, why.fault(), why.text());
    }

    /** The exchange fails: the client gets Sigma's own answer, or sees the one that had begun cut short. */
    void fail(HttpExchange x, Fault why, String reason) {
        if (x.stage == Stage.ENDED) {
            return;
        }
        Fault fault = x.call == null ? why : x.call.lateOr(why, loop.clock().nanos());
        x.leavePlugin();
        x.request.body.stopCollecting();
        x.response.body.stopCollecting();
        boolean answering = x.stage == Stage.ANSWERING;
        if (answering && isTold(x, fault, reason)) {
            return;
        }
        x.fault = fault;
        x.reason = reason;
        loop.counters().failed(fault);
        leaveNode(x, false);
        closeTransforms(x);
        x.dropBodies();
        if (x.startNanos == 0) {
            x.startNanos = loop.clock().nanos();
            road.began();
        }
        if (fault.isClientLost()) {
            x.stage = Stage.ENDED;
            x.stream.abort();
            release(x);
            close(x);
        } else if (answering) {
            x.stage = Stage.ENDED;
            x.stream.cutShort();
            release(x);
            close(x);
        } else {
            x.stage = Stage.RESPONSE_PLUGINS;
            x.forgetResponse();
            localResponse.write(x, fault);
            plugins.response(x, x.cursor.responseIndex());
        }
    }

    /** Whether the answer that has begun says itself that it isn't whole, and ends with that. */
    private boolean isTold(HttpExchange x, Fault fault, String reason) {
        Transforms transforms = x.response.transforms;
        boolean may = transforms != null
                && transforms.isPassing()
                && !fault.isClientLost()
                && fault != Fault.PLUGIN_FAILED
                && transforming.cutResponse(x, transforms, fault);
        if (!may) {
            return false;
        }
        x.fault = fault;
        x.reason = reason;
        loop.counters().failed(fault);
        leaveNode(x, false);
        x.request.body.forgetKept();
        x.request.body.queue.clear(false);
        x.response.complete(null);
        ServerStream stream = x.stream;
        // Whoever is writing at the moment goes on first.
        loop.eventLoop().execute(() -> {
            if (x.stream == stream && x.stage == Stage.ANSWERING) {
                responses.goOn(x);
                stream.flush();
            }
        });
        return true;
    }

    /** A plugin gave a response: it takes the place of whatever there was. */
    void respondWith(HttpExchange x, Response response) {
        leaveNode(x, false);
        closeTransforms(x);
        x.response.body.queue.clear(false);
        localResponse.write(x, response);
    }

    private void closeTransforms(HttpExchange x) {
        if (x.request.transforms != null || x.response.transforms != null) {
            transforming.close(x);
        }
    }

    void leaveNode(HttpExchange x, boolean fit) {
        Hedge hedge = x.hedge;
        if (hedge != null) {
            hedges.end(x, hedge);
        }
        HttpNode node = x.attempt.node();
        if (node != null) {
            node.leave(x.attempt, fit);
        }
    }

    // What the others ask

    RequestValidation validation() {
        return routing.validation();
    }

    PluginRunner plugins() {
        return plugins;
    }

    Transforming transforming() {
        return transforming;
    }

    /** A plugin makes the exchange a call of gRPC. */
    void toGrpc(HttpExchange x) {
        if (x.call == null) {
            x.call = GrpcCall.made(x, loop.wheel());
            x.stream.expectMessages(x.plan.tunnel().idleNanos());
        }
    }

    Tries tries() {
        return tries;
    }

    Tunnels tunnels() {
        return tunnels;
    }

    Hedges hedges() {
        return hedges;
    }

    RequestRelay requests() {
        return requests;
    }

    ResponseRelay responses() {
        return responses;
    }

    RoutePlan unrouted() {
        return plan.unrouted();
    }

    HttpListenerPlan plan() {
        return plan;
    }

    Limits limits() {
        return plan.listener().limits();
    }

    Timeouts timeouts() {
        return plan.listener().timeouts();
    }

    LoopClock clock() {
        return loop.clock();
    }

    /** An exchange for the request that begins. */
    HttpExchange exchange(ServerStream stream, Peer peer) {
        HttpExchange x = spare.poll();
        if (x == null) {
            return new HttpExchange(this, stream, peer);
        }
        x.begin(stream, peer);
        return x;
    }

    /** There was no request after all. */
    void unused(HttpExchange x) {
        spare.push(x);
    }
}
