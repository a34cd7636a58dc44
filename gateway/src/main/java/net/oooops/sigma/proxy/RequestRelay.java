package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.BodyBound;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Reason;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.KnownField;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.runtime.LoopContext;

/** Writes requests to nodes: the head from what was understood, then the body as it comes. Belongs to one Worker. */
final class RequestRelay {
    private static final String TOO_LARGE = "more than is collected";

    private final HttpRoad road;
    private final LoopContext loop;

    RequestRelay(HttpRoad road) {
        this.road = road;
        this.loop = road.loop();
    }

    /** The whole body has to be here before anything else happens. */
    void collect(HttpExchange x) {
        if (Math.max(x.request.head.contentLength(), x.request.body.queue.bytes())
                > x.request.boundBytes(x.plan.whole())) {
            tooLarge(x);
            return;
        }
        if (!road.bodyMemory().received(x, x.request.body.queue.heldBytes())) {
            return;
        }
        boolean expects = x.request.head.expectsContinue();
        if (expects) {
            // The node gets the body without being asked: it is here already by then.
            x.request.head.drop(KnownField.EXPECT);
        }
        if (x.request.isComplete()) {
            x.proxy.collected(x);
            return;
        }
        x.request.body.collect();
        if (expects) {
            x.stream.askForBody();
        }
        x.stream.pauseBody(false);
        // From now on, however long plugins took before.
        x.stream.awaitBody(true);
    }

    /** More is there than is collected: for a plugin, which may say why, or for the Listener; or than a plugin before lets pass. */
    private static void tooLarge(HttpExchange x) {
        BodyBound bound = x.request.smallerBound(x.plan.whole());
        if (bound != null) {
            x.proxy.failing.fail(x, Fault.BODY_TOO_LARGE, TOO_LARGE, bound.tooLarge());
            return;
        }
        Chain chain = x.plan.chain();
        boolean ofPlugin = chain.wholeRequestBodyBytesMax() == x.plan.whole().requestBytesMax();
        Reason why = ofPlugin ? chain.wholeRequestBodyRefusal() : null;
        x.proxy.failing.fail(x, Fault.BODY_TOO_LARGE, TOO_LARGE, why);
    }

    /** Writes the head, and what there is of the body. */
    void send(HttpExchange x, ClientStream client) {
        head(x, x.attempt, client, x.request.bodyLength());
        if (x.request.body.mayBeKept() && x.proxy.tries.policy().keepsBody(x)) {
            x.request.body.keep(road.keptBodies(), x.plan.retry().bodyBytesMax());
        }
        goOn(x, client);
    }

    /** Writes the head for the node of that try. What follows of the body at once is what waits of it, or what was kept. */
    private void head(HttpExchange x, Attempt attempt, ClientStream client, long bodyLength) {
        HttpRequestHead head = x.request.head;
        Forwarding forwarding = x.plan.forwarding();
        forwarding.drop(head, x.peer);
        // Of a CONNECT the authority is what it asks for.
        boolean ownHost =
                !head.isAuthorityForm() && (!x.plan.preserveHost() || head.authorityStart() == head.authorityEnd());
        if (ownHost) {
            head.drop(KnownField.HOST);
        }
        if (x.call != null) {
            x.call.write(head, loop.clock().nanos());
        }
        HeadWriter added = road.addedFields();
        StickyCookie sticky = x.plan.affinity().sticky();
        if (sticky != null) {
            sticky.drop(head);
            sticky.write(head, added);
        }
        forwarding.write(head, x.peer, added);
        added.append(road.identity().viaLine(head));
        HttpNode node = attempt.node();
        BodyPump body = x.request.body;
        long waiting = attempt == x.attempt ? body.queue.bytes() : body.sentBytes();
        client.head(head, ownHost && node != null ? node.authority() : null, added, bodyLength, waiting);
    }

    /** Writes what waits, as long as the node takes it; then its end, or what the client sends next. */
    private void goOn(HttpExchange x, ClientStream client) {
        if (!x.request.body.drain(x, client) || x.attempt.client() != client) {
            return;
        }
        if (x.request.body.isWaiting()) {
            client.awaitResponse(x.responseTimeoutNanos());
        } else if (x.request.isComplete()) {
            end(x, client);
        } else if (x.request.head.expectsContinue()
                && x.request.body.sentBytes() == 0
                && !x.response.isInterimPassed()
                && !isTransformedNext(x)) {
            // Its client waits for the node, so it is the node's turn.
            client.flush();
            x.stream.pauseBody(!client.isWritable());
            x.stream.awaitBody(false);
            client.awaitResponse(x.proxy.tries.answerNanos(x, x.attempt));
        } else {
            // Until the rest comes its client holds the connection.
            x.attempt.hold(true);
            client.flush();
            awaitBody(x, client);
            x.proxy.requestTransforming.resume(x);
        }
    }

    /** Whether its client has sent something that is still to pass what transforms it. */
    private static boolean isTransformedNext(HttpExchange x) {
        Transforms transforms = x.request.transforms;
        return transforms != null && transforms.isReady();
    }

    /** Nothing is held any more of what was received: whoever can make the body go on is waited for. */
    void awaitMore(HttpExchange x) {
        ClientStream client = x.attempt.client();
        if (client != null && x.stage >= Stage.SENT && !x.request.body.isWaiting()) {
            awaitBody(x, client);
        } else if (x.request.body.isCollecting() || (client == null && x.response.isPresent())) {
            x.stream.pauseBody(false);
        }
    }

    /** More of the body is awaited: of its client while the node takes what comes, and that the node takes it where it doesn't. */
    private static void awaitBody(HttpExchange x, ClientStream client) {
        boolean taken = client.isWritable();
        x.stream.pauseBody(!taken);
        if (taken) {
            client.awaitNoResponse();
        } else {
            client.awaitResponse(x.responseTimeoutNanos());
        }
    }

    /** The node asks for the body: from now on its client is waited for. */
    void continued(HttpExchange x) {
        ClientStream client = x.attempt.client();
        if (client != null && x.request.head.expectsContinue() && !x.request.isComplete()) {
            x.attempt.hold(true);
            x.stream.awaitBody(true);
            client.awaitNoResponse();
        }
    }

    /** The node takes more, or nothing more for now. */
    void writabilityChanged(HttpExchange x, boolean writable) {
        if (x.request.body.isDraining()) {
            // Within its flush: it looks by itself.
            return;
        }
        ClientStream client = x.attempt.client();
        if (writable && client != null && x.request.body.isWaiting()) {
            goOn(x, client);
        } else if (client == null || x.request.isComplete()) {
            x.stream.pauseBody(!writable);
        } else {
            awaitBody(x, client);
            resume(x, client, writable);
        }
    }

    private static void resume(HttpExchange x, ClientStream client, boolean writable) {
        if (writable && x.request.transforms != null) {
            x.proxy.requestTransforming.resume(x);
            client.flush();
        }
    }

    /** Whether all of the request has left, or nearly so: then its connection may have another one behind it. */
    boolean isSent(HttpExchange x) {
        ClientStream client = x.attempt.client();
        return x.request.isComplete()
                && !x.request.body.isWaiting()
                && (x.hedge == null || !x.hedge.isHalfSent())
                && (client == null || client.isWritable());
    }

    /** The next bytes of the body came from the client. */
    void body(HttpExchange x, ByteBuf in, int count) {
        Transforms transforms = x.request.transforms;
        if (transforms == null || !transforms.isPassing()) {
            take(x, in, count);
        } else {
            x.proxy.requestTransforming.received(x, transforms, in, count);
        }
    }

    /** The next bytes of the body go on, wait, or are collected. */
    void take(HttpExchange x, ByteBuf in, int count) {
        ClientStream client = x.attempt.client();
        if (x.stage == Stage.ENDED || x.ending.hasFailed()) {
            in.skipBytes(count);
        } else if (x.request.body.isCollecting()) {
            if (!x.request.body.add(x, in, count, road.bodyMemory())) {
                tooLarge(x);
            }
        } else if (client != null && x.stage >= Stage.SENT && !x.request.body.isWaiting()) {
            if (!x.request.body.pass(x, client, in, count)) {
                in.skipBytes(count);
                return;
            }
            if (x.request.head.expectsContinue()) {
                // It doesn't wait to be asked for it, or no longer.
                x.attempt.hold(true);
            }
            if (!client.isWritable()) {
                client.flush();
            }
            awaitBody(x, client);
        } else if (client == null && x.response.isPresent()) {
            // The node answered without waiting for the rest, and is gone.
            in.skipBytes(count);
        } else {
            loop.memory().received(count);
            x.request.body.queue.add(in, count);
            x.stream.pauseBody(true);
        }
    }

    /** The request is complete: where nothing waits to be written before it, its end is. */
    void complete(HttpExchange x, ClientStream client) {
        if (!x.request.body.isWaiting()) {
            end(x, client);
        }
    }

    /** Its end is written, and the response awaited. */
    private void end(HttpExchange x, ClientStream client) {
        client.end(x.request.trailers(x.stream));
        x.request.passed();
        x.attempt.hold(false);
        HttpNode node = x.attempt.node();
        if (node != null && x.request.head.hasBody()) {
            node.sent(x.attempt);
        }
        client.flush();
        client.awaitResponse(x.proxy.tries.answerNanos(x, x.attempt));
        boolean hedged = x.plan.retry().hedge().enabled() && !x.request.head.asksForTunnel();
        if (hedged && x.attempt.client() == client) {
            x.proxy.hedges.sent(x);
        }
    }

    /** Writes a request that was sent as a whole once more, for the second try of a hedge. */
    void sendBeside(HttpExchange x, Hedge hedge, ClientStream client) {
        // The body is here: nobody needs to be asked for it.
        x.request.head.drop(KnownField.EXPECT);
        BodyPump body = x.request.body;
        boolean known = body.isCollected() && x.request.head.hasBody();
        head(x, hedge.attempt(), client, known ? body.sentBytes() : x.request.head.sentLength());
        goOnBeside(x, hedge, hedge.attempt(), client);
    }

    /** Writes what was kept of its body, as long as the second node takes it; then its end. */
    void goOnBeside(HttpExchange x, Hedge hedge, Attempt attempt, ClientStream client) {
        hedge.sending(true);
        hedge.bodyAt(x.request.body.sendKept(client, hedge.bodyAt()));
        hedge.sending(false);
        HttpNode node = attempt.node();
        if (node == null || attempt.client() != client) {
            // Lost meanwhile.
            return;
        }
        if (hedge.bodyAt() == x.request.body.sentBytes()) {
            hedge.sent();
            client.end(x.request.trailers(x.stream));
            node.sent(attempt);
        }
        client.flush();
        client.awaitResponse(hedge.isLate() ? x.proxy.tries.answerNanos(x, attempt) : x.responseTimeoutNanos());
    }
}
