package net.oooops.sigma.proxy;

import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.Refusal;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.route.PathFault;
import net.oooops.sigma.runtime.Generation;
import net.oooops.sigma.runtime.LoopContext;
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

    final LoopContext loop;
    final Exchanges exchanges;
    final PluginRunner plugins;
    final Tries tries;
    final Hedges hedges;
    final Tunnels tunnels;
    final RequestRelay requests;
    final ResponseRelay responses;
    final TransformCalls transformCalls;
    final RequestTransforming requestTransforming;
    final ResponseTransforming responseTransforming;
    final FileRelay files;
    final SourceRelay sources;
    final Failing failing;
    final Callouts callouts;
    /** What holds for the Listener. It, and what is made from it, is another one after a reload. */
    HttpListenerPlan plan;

    /** Those that follow the configuration which that is from. */
    Generation.Followers following;

    Routing routing;
    LocalResponse localResponse;
    private final HttpRoad road;
    private boolean draining;
    private boolean tunnelsStay;

    HttpProxy(HttpRoad road, HttpListenerPlan plan) {
        this.road = road;
        this.loop = road.loop();
        this.plan = plan;
        this.following = loop.following();
        this.exchanges = new Exchanges(road, this);
        this.routing = new Routing(road, this);
        this.plugins = new PluginRunner(loop, this);
        this.tries = new Tries(road, this);
        this.hedges = new Hedges(road, this);
        this.tunnels = new Tunnels(road, this);
        this.requests = new RequestRelay(road);
        this.responses = new ResponseRelay(road, this);
        this.transformCalls = new TransformCalls(loop, this);
        TransformTurns turns = new TransformTurns(loop, this);
        this.requestTransforming = new RequestTransforming(this, transformCalls, turns);
        this.responseTransforming = new ResponseTransforming(this, transformCalls, turns);
        this.files = new FileRelay(loop, this);
        this.sources = new SourceRelay(loop, this);
        this.failing = new Failing(loop, this);
        this.callouts = new Callouts(road, this);
        this.localResponse = new LocalResponse(plan.errorPages());
    }

    /** Requests that come from now on follow that plan; what holds for the Listener holds for those that are under way, too. */
    void follow(HttpListenerPlan next) {
        boolean samePages = next.errorPages().equals(plan.errorPages());
        plan = next;
        following = loop.following();
        exchanges.forget();
        localResponse = samePages ? localResponse : new LocalResponse(next.errorPages());
        routing = new Routing(road, this);
    }

    /** The Listener is gone, or the gateway ends. */
    void drain() {
        draining = true;
        if (endsTunnels()) {
            sources.drain();
        }
    }

    /** Whether tunnels stay, though all else drains. */
    void keepTunnels(boolean whether) {
        tunnelsStay = whether;
    }

    /** Whether what lies open for long, tunnels and streams of plugins, is to end. */
    boolean endsTunnels() {
        return draining && !tunnelsStay;
    }

    /** The gateway doesn't end after all. */
    void resume() {
        draining = false;
        tunnelsStay = false;
    }

    boolean isDraining() {
        return draining;
    }

    // The stages of the request

    /** A request's head is complete and well-formed. */
    void request(HttpExchange x) {
        exchanges.began(x);
        x.call = GrpcCall.of(x, loop.wheel());
        if (!exchanges.holdsHead(x)) {
            failing.fail(x, Fault.OVERLOADED, "large heads of too many requests at once");
            return;
        }
        if (!routing.isValid(x)) {
            return;
        }
        routing.route(x);
        if (!x.plan.forwarding().isClear(x.request.head, x.peer)) {
            failing.refuse(x, Refusal.FORWARDED);
            return;
        }
        x.plan.forwarding().hide(x.request.head, x.peer);
        if (x.call != null) {
            x.call.expectBody();
        }
        x.request.head.secure(x.plan.forwarding().isSecure(x.request.head, x.peer));
        x.stage = Stage.REQUEST_PLUGINS;
        plugins.request(x, 0);
    }

    /**
     * That plugin is to find the whole body.
     *
     * @return whether the exchange goes on with it later, or has by now
     */
    boolean collect(HttpExchange x, int plugin) {
        x.cursor.collect(plugin);
        if (x.request.head.hasBody()) {
            x.stage = Stage.READING;
            x.request.keepBound();
            requests.collect(x);
            return true;
        }
        x.request.body.collected();
        transformCalls.collected(x);
        x.request.body.queue.gather();
        return false;
    }

    /** The whole body of the request is here. */
    void collected(HttpExchange x) {
        x.request.body.collected();
        if (x.stage == Stage.READING) {
            // For plugins, which haven't seen it yet.
            x.request.leaveBound();
            transformCalls.collected(x);
            x.request.body.queue.gather();
            x.stage = Stage.REQUEST_PLUGINS;
            plugins.request(x, x.cursor.collectedFor());
        } else {
            forward(x);
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
        if (transforms != null && transforms.isPassing() && !requestTransforming.end(x, transforms)) {
            return;
        }
        requestComplete(x);
    }

    /** The request is complete, and has passed what transforms it. */
    void requestComplete(HttpExchange x) {
        x.request.complete();
        if (x.request.body.isCollecting()) {
            collected(x);
            return;
        }
        ClientStream client = x.attempt.client();
        if (client != null && x.stage >= Stage.SENT) {
            requests.complete(x, client);
        }
    }

    /** All plugins let the request pass. */
    void balance(HttpExchange x) {
        Fault miss = x.request.miss();
        if (miss != null || x.plan.upstream() == null) {
            // Where there is a Route, one of its plugins was to answer, or to say where to.
            failing.fail(x, miss == null ? Fault.NO_ROUTE : miss, "");
            return;
        }
        if (!MaxForwards.allow(x.request.head)) {
            localResponse.replace(x, FINAL_RECIPIENT);
            x.stage = Stage.RESPONSE_PLUGINS;
            plugins.response(x, 0);
            return;
        }
        forward(x);
    }

    /** It is to go to a node, and does once as much of its body is here as has to be. */
    private void forward(HttpExchange x) {
        Transforms transforms = x.request.transforms;
        if (transforms != null && transforms.isGiven() && !requestTransforming.open(x, transforms)) {
            return;
        }
        // Where a plugin needs the whole body it has been collected; what a transform made of it may be more than that.
        boolean unseen = x.plan.chain().wholeRequestBodyBytesMax() == 0;
        if (unseen && x.plan.whole().collectsRequests() && x.request.head.hasBody() && !x.request.body.isCollected()) {
            // Plugins have let it pass, and none of them needs its body.
            requests.collect(x);
            requestTransforming.resume(x);
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
            failing.fail(x, Fault.REWRITE_REFUSED, late.text());
            return;
        }
        if (x.request.head.isSwitching() && !Tunnels.isAnswerable(x.request.head, client)) {
            failing.refuse(x, Refusal.WEBSOCKET_KEY);
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
        if (x.request.head.isMethodGiven()) {
            responses.frameAsAsked(x);
        }
        boolean body =
                !x.request.head.isHead() && !x.response.head.isBodiless() && x.response.head.contentLength() != 0;
        WholeBodies whole = x.plan.whole();
        if (body && (whole.collectsResponses() || whole.collectsForShadow(x.response.head))) {
            responses.collect(x);
        } else {
            if (!body && isShownWhole(x) && !x.response.head.isSwitch()) {
                // There is none: that is all of it.
                x.response.body.collected();
                x.response.body.queue.gather();
            }
            plugins.response(x, 0);
        }
    }

    /** Whether plugins see whole responses. */
    private static boolean isShownWhole(HttpExchange x) {
        return x.plan.chain().wholeResponseBodyBytesMax() > 0 || x.plan.whole().showsResponsesToShadow();
    }

    /** All plugins let the response pass. */
    void answer(HttpExchange x) {
        if (x.response.head.isSwitch()) {
            tunnels.begin(x);
            return;
        }
        if (x.request.head.isAuthorityForm() && x.response.head.isSuccess()) {
            failing.denyTunnel(x);
        }
        Transforms transforms = x.response.transforms;
        if (transforms != null && transforms.isGiven() && !responseTransforming.open(x, transforms)) {
            return;
        }
        x.stage = Stage.ANSWERING;
        responses.head(x);
        if (x.request.head.isMethodGiven() && responses.leaveBody(x)) {
            return;
        }
        if (x.response.ownBody() != null) {
            responses.ownBody(x);
            x.stream.end(null);
            exchanges.end(x);
            return;
        }
        FileSource file = x.response.file();
        SourcedBody source = x.response.source();
        if (file != null) {
            files.begin(x, file);
        } else if (source != null) {
            sources.begin(x, source);
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
        Trailers trailers = client == null ? x.response.ownTrailers() : client.responseTrailers();
        Transforms transforms = x.response.transforms;
        if (transforms != null && transforms.isPassing()) {
            if (!responseTransforming.end(x, transforms, trailers)) {
                if (x.response.transforms == transforms && !x.ending.hasFailed()) {
                    leaveNodeAnswered(x);
                }
                return;
            }
            trailers = transforms.trailers();
        }
        responseComplete(x, trailers);
    }

    /** The response is complete, and has passed what transforms it. */
    void responseComplete(HttpExchange x, @Nullable Trailers trailers) {
        x.response.complete(trailers);
        if (x.response.body.isCollecting()) {
            x.response.body.collected();
            if (isShownWhole(x)) {
                x.response.body.queue.gather();
            }
            leaveNodeAnswered(x);
            plugins.response(x, 0);
        } else {
            leaveNodeAnswered(x);
            if (x.stage == Stage.ANSWERING && !x.response.body.isWaiting()) {
                responses.end(x);
                exchanges.end(x);
            }
        }
    }

    /** Of a request that the node didn't want all of, the rest is thrown away: a client may write all before it reads. */
    private void leaveNodeAnswered(HttpExchange x) {
        tries.leaveNode(x, requests.isSent(x));
        x.stream.pauseBody(false);
    }
}
