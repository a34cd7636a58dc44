package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.HeadWriter;
import net.oooops.sigma.http.HttpResponseHead;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.runtime.LoopContext;

/** Writes responses to clients: the head from what was understood, then the body as it comes. Belongs to one Worker. */
final class ResponseRelay {
    /** Of a body that only the node was asked for: as much as comes with its head, or soon after. */
    private static final int UNWANTED_BYTES_MAX = 64 * 1024;

    private static final String TOO_LARGE = "response body larger than is collected";

    private final HttpRoad road;
    private final LoopContext loop;
    private final HttpProxy proxy;

    ResponseRelay(HttpRoad road, HttpProxy proxy) {
        this.road = road;
        this.loop = road.loop();
        this.proxy = proxy;
    }

    /** The whole body has to be here before plugins see the response. */
    void collect(HttpExchange x) {
        if (x.response.head.contentLength() > x.plan.whole().responseBoundBytes()) {
            proxy.failing.fail(x, Fault.UPSTREAM_PROTOCOL, TOO_LARGE);
        } else {
            x.response.body.collect();
        }
    }

    /** What the node answers is framed by the method that it got: a client that asked for more than a head gets an empty body. */
    void frameAsAsked(HttpExchange x) {
        HttpResponseHead head = x.response.head;
        if (x.request.head.isSentAsHead() && !x.request.head.isHead() && !head.isBodiless()) {
            head.emptied();
        }
    }

    /**
     * The head is written, and is all that its client gets, while the node was asked for a body: a little of that is read and thrown away, so that
     * the node's connection lasts; what is more, or of unknown length, costs it. Whether the exchange is over.
     */
    boolean leaveBody(HttpExchange x) {
        boolean unwanted = x.request.head.isHead() && !x.response.isOwn() && !x.response.isComplete();
        long length = x.response.head.contentLength();
        if (!unwanted || x.response.head.isBodiless() || (length >= 0 && length <= UNWANTED_BYTES_MAX)) {
            return false;
        }
        proxy.tries.leaveNode(x, false);
        x.stream.end(null);
        proxy.exchanges.end(x);
        return true;
    }

    /** Passes an interim response on; HTTP/1.0 knows none (RFC 9110 section 15.2). */
    void interim(HttpExchange x) {
        if (x.request.head.minorVersion() == 0) {
            return;
        }
        x.response.interimPassed();
        if (x.hedge != null) {
            // The final one has to come from the same node.
            proxy.hedges.giveUp(x, x.hedge);
        }
        x.stream.interim(x.response.head);
        if (x.response.head.status() == 100) {
            proxy.requests.continued(x);
        }
    }

    /** Writes the head. */
    void head(HttpExchange x) {
        HttpResponseHead head = x.response.head;
        boolean bodiless = x.request.head.isHead() || head.isBodiless();
        long length = bodyLength(x, bodiless);
        if (bodiless) {
            // What a plugin made.
            x.response.body.queue.clear(false);
        }
        x.stream.head(x.request.head, head, added(x), length, isFatal(x));
    }

    private HeadWriter added(HttpExchange x) {
        HttpResponseHead head = x.response.head;
        HeadWriter added = road.addedFields();
        stick(x, added);
        if (!head.isOwn()) {
            added.append(road.identity().viaLine(head));
        }
        if (!head.hasDate()) {
            added.append(road.dateLine());
        }
        return added;
    }

    /** Writes the head that switches protocols, and has the client's connection pass bytes from then on. */
    void switchProtocols(HttpExchange x) {
        x.stream.switchProtocols(x.request.head, x.response.head, added(x));
    }

    /** A client that its cookie didn't lead to this node gets the node's, unless the node failed. */
    private static void stick(HttpExchange x, HeadWriter out) {
        StickyCookie sticky = x.plan.affinity().sticky();
        HttpNode node = x.attempt.lastNode();
        boolean answered = !x.response.head.isOwn() && x.response.head.status() < 500;
        if (sticky != null && node != null && answered && x.held() != node.index()) {
            out.append(sticky.line(node.node(), x.request.head.isSecure()));
        }
    }

    /** The length that Content-Length says, or -1 where there is to be none. */
    private static long bodyLength(HttpExchange x, boolean bodiless) {
        if (x.request.head.isHead() && x.response.transforms != null) {
            // Nobody knows what would have become of it.
            return -1;
        }
        byte[] own = x.response.ownBody();
        if (own != null) {
            return x.response.head.status() == 204 || x.response.head.status() == 304 ? -1 : own.length;
        }
        if (x.response.body.isCollected() && !bodiless) {
            return x.response.body.queue.bytes();
        }
        // Where a plugin would send another body, nobody knows how long it would have been.
        boolean never = bodiless && (x.response.head.status() == 204 || x.response.body.isWaiting());
        return never ? -1 : x.response.head.contentLength();
    }

    /** After these nothing that the client sends can be understood. */
    private static boolean isFatal(HttpExchange x) {
        Fault fault = x.ending.fault();
        // A client that sends on as if its CONNECT had succeeded sends no requests.
        return x.request.head.isAuthorityForm() || (fault != null && fault.closesConnection());
    }

    /** The next bytes of the body came from the node. Its connection may have answers to other exchanges, too: what is thrown ends this one. */
    void body(HttpExchange x, ByteBuf in, int count) {
        int end = in.readerIndex() + count;
        try {
            received(x, in, count);
        } catch (Throwable e) {
            in.readerIndex(end);
            proxy.failing.thrown(x, e);
        }
    }

    private void received(HttpExchange x, ByteBuf in, int count) {
        if (x.request.head.isMethodGiven() && x.request.head.isHead()) {
            in.skipBytes(count);
            return;
        }
        if (x.call != null) {
            x.call.passes(in, count);
        }
        Transforms transforms = x.response.transforms;
        if (transforms == null || !transforms.isPassing()) {
            take(x, in, count);
        } else {
            proxy.responseTransforming.received(x, transforms, in, count);
        }
    }

    /** The next bytes of the body go on, wait, or are collected. */
    void take(HttpExchange x, ByteBuf in, int count) {
        ClientStream client = x.attempt.client();
        if (x.stage == Stage.ANSWERING && !x.response.body.isWaiting()) {
            if (!x.response.body.pass(x, x.stream, in, count)) {
                in.skipBytes(count);
                return;
            }
            if (!x.stream.isWritable()) {
                flushOrPause(x);
            }
        } else if (x.response.body.isCollecting()) {
            if (!x.response.body.add(x, in, count, road.bodyMemory())) {
                proxy.failing.fail(x, Fault.UPSTREAM_PROTOCOL, TOO_LARGE);
            }
        } else if (x.stage >= Stage.RESPONSE_PLUGINS && !x.isResponseOver()) {
            loop.memory().received(count);
            x.response.body.queue.add(in, count);
            if (client != null) {
                client.pauseBody(true);
            }
        } else {
            in.skipBytes(count);
        }
    }

    /** As much waits as may: it leaves now, and only where the client doesn't take it does the node have to wait. */
    private static void flushOrPause(HttpExchange x) {
        ClientStream client = x.attempt.client();
        ServerStream stream = x.stream;
        stream.flush();
        boolean goesOn = x.stage == Stage.ANSWERING && x.stream == stream && x.attempt.client() == client;
        if (goesOn && client != null && !stream.isWritable()) {
            x.attempt.hold(true);
            client.pauseBody(true);
        }
    }

    /** Writes what waits, as long as the client takes it; then its end, or what the node sends next. */
    void goOn(HttpExchange x) {
        if (!x.response.body.drain(x, x.stream) || x.response.body.isWaiting()) {
            return;
        }
        ClientStream client = x.attempt.client();
        if (x.response.isComplete() && x.tunnel != null) {
            proxy.tunnels.nodeEnded(x);
        } else if (x.response.isComplete()) {
            end(x);
            proxy.exchanges.end(x);
        } else {
            if (client != null) {
                client.pauseBody(!x.stream.isWritable());
            }
            proxy.responseTransforming.resume(x);
            goOnOwn(x);
        }
    }

    /** The client takes more, or nothing more for now. */
    void writabilityChanged(HttpExchange x, boolean writable) {
        ClientStream client = x.attempt.client();
        if (x.stage == Stage.ANSWERING && x.response.body.isWaiting()) {
            // Within its flush it looks by itself.
            if (writable && !x.response.body.isDraining()) {
                ServerStream stream = x.stream;
                goOn(x);
                stream.flush();
            }
        } else {
            if (client != null) {
                x.attempt.hold(!writable);
                client.pauseBody(!writable);
            }
            resume(x, writable);
        }
    }

    private void resume(HttpExchange x, boolean writable) {
        if (writable && x.response.transforms != null) {
            ServerStream stream = x.stream;
            proxy.responseTransforming.resume(x);
            stream.flush();
        }
        if (writable) {
            goOnOwn(x);
        }
    }

    /** The client may take more; where it is answered from a file, or by a source. */
    void goOnOwn(HttpExchange x) {
        proxy.files.goOn(x);
        proxy.sources.goOn(x);
    }

    /** Writes the body of a response of Sigma's own or of a plugin's. */
    void ownBody(HttpExchange x) {
        byte[] own = x.response.ownBody();
        if (own != null && !x.request.head.isHead() && !x.response.head.isBodiless()) {
            x.response.body.sent(own.length);
            x.stream.content(own, own.length);
        }
    }

    /** Writes the end of the body. */
    void end(HttpExchange x) {
        x.stream.end(x.response.trailers());
    }
}
