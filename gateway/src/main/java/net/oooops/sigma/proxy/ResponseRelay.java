package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import java.nio.charset.StandardCharsets;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http1.ClientConnection;
import net.oooops.sigma.http1.HeadWriter;
import net.oooops.sigma.http1.Http1ResponseHead;
import net.oooops.sigma.http1.KnownField;
import net.oooops.sigma.http1.Outlet;
import net.oooops.sigma.proxy.HttpExchange.Stage;
import net.oooops.sigma.runtime.LoopContext;

/** Writes responses to clients: the head from what was understood, then the body as it comes. Belongs to one Worker. */
final class ResponseRelay {
    static final String TOO_LARGE = "response body larger than is collected";

    private static final byte[] CONTENT_LENGTH = "Content-Length: ".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CHUNKED = "Transfer-Encoding: chunked\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CLOSE = "Connection: close\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] UPGRADE = "Connection: upgrade\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CLOSE_UPGRADE = "Connection: close, upgrade\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] KEEP_ALIVE = "Connection: keep-alive\r\n".getBytes(StandardCharsets.US_ASCII);
    private static final byte[] CRLF = "\r\n".getBytes(StandardCharsets.US_ASCII);

    private final HttpRoad road;
    private final LoopContext loop;
    private final HttpProxy proxy;

    ResponseRelay(HttpRoad road, HttpProxy proxy) {
        this.road = road;
        this.loop = road.loop();
        this.proxy = proxy;
    }

    /** Passes an interim response on; HTTP/1.0 knows none (RFC 9110 section 15.2). */
    void interim(HttpExchange x) {
        if (x.request.head.minorVersion() == 0) {
            return;
        }
        x.response.interimPassed();
        if (x.hedge != null) {
            // The final one has to come from the same node.
            proxy.hedges().giveUp(x, x.hedge);
        }
        HeadWriter out = road.writer().begin();
        out.statusLine(x.response.head);
        out.fields(x.response.head);
        out.end();
        x.connection.outlet().head(out, 0);
        x.connection.outlet().flush();
        if (x.response.head.status() == 100) {
            proxy.requests().continued(x);
        }
    }

    /** Writes the head, and decides how the body is framed and whether the connection stays. */
    void head(HttpExchange x) {
        Http1ResponseHead head = x.response.head;
        boolean bodiless = x.request.head.isHead() || head.isBodiless();
        long length = bodyLength(x, bodiless);
        boolean http10 = x.request.head.minorVersion() == 0;
        boolean chunked = !bodiless && length < 0 && !http10;
        boolean delimitedByClose = !bodiless && length < 0 && http10;
        boolean persist =
                x.request.head.isPersistent() && !delimitedByClose && x.connection.mayPersist() && !isFatal(x);
        x.response.frame(chunked, persist);
        if (bodiless) {
            // What a plugin made.
            x.response.body.queue.clear(false);
        }
        if (!chunked) {
            head.drop(KnownField.TRAILER);
        }
        boolean upgrade = !http10 && head.keepUpgrade();
        HeadWriter out = road.writer().begin();
        out.statusLine(head);
        out.fields(head);
        stick(x, out);
        if (length >= 0) {
            out.append(CONTENT_LENGTH);
            out.decimal(length);
            out.append(CRLF);
        } else if (chunked) {
            out.append(CHUNKED);
        }
        if (!head.isOwn()) {
            out.append(road.identity().viaLine(head.minorVersion()));
        }
        if (!head.hasDate()) {
            out.append(road.dateLine());
        }
        if (!persist) {
            out.append(upgrade ? CLOSE_UPGRADE : CLOSE);
        } else if (http10) {
            out.append(KEEP_ALIVE);
        } else if (upgrade) {
            out.append(UPGRADE);
        }
        out.end();
        x.connection.outlet().head(out, bodiless ? 0 : Math.max(0, length));
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
        Fault fault = x.fault;
        return fault != null
                && (fault.flag().equals(Fault.BAD_REQUEST.flag())
                        || fault == Fault.REQUEST_TIMEOUT
                        // A client that sends on as if its CONNECT had succeeded sends no requests.
                        || x.request.head.isAuthorityForm());
    }

    /** The next bytes of the body came from the node. */
    void body(HttpExchange x, ByteBuf in, int count) {
        ClientConnection client = x.attempt.client();
        if (x.stage == Stage.ANSWERING && !x.response.body.isWaiting()) {
            if (!x.response.body.pass(x, x.connection.outlet(), in, count)) {
                in.skipBytes(count);
                return;
            }
            if (!x.connection.outlet().isWritable() && client != null) {
                x.attempt.hold(true);
                client.pauseBody(true);
            }
        } else if (x.response.body.isCollecting()) {
            if (!x.response.body.add(x, in, count, road.bodyMemory())) {
                proxy.fail(x, Fault.UPSTREAM_PROTOCOL, TOO_LARGE);
            }
        } else if (x.stage.compareTo(Stage.RESPONSE_PLUGINS) >= 0 && x.stage != Stage.ENDED && x.fault == null) {
            loop.memory().received(count);
            x.response.body.queue.add(in, count);
            if (client != null) {
                client.pauseBody(true);
            }
        } else {
            in.skipBytes(count);
        }
    }

    /** Writes what waits, as long as the client takes it; then its end, or what the node sends next. */
    void goOn(HttpExchange x) {
        if (!x.response.body.drain(x, x.connection.outlet()) || x.response.body.isWaiting()) {
            return;
        }
        ClientConnection client = x.attempt.client();
        if (x.response.isComplete()) {
            end(x);
            proxy.end(x);
        } else if (client != null) {
            client.pauseBody(!x.connection.outlet().isWritable());
        }
    }

    /** The client takes more, or nothing more for now. */
    void writabilityChanged(HttpExchange x, boolean writable) {
        ClientConnection client = x.attempt.client();
        if (x.stage == Stage.ANSWERING && x.response.body.isWaiting()) {
            // Within its flush it looks by itself.
            if (writable && !x.response.body.isDraining()) {
                Outlet outlet = x.connection.outlet();
                goOn(x);
                outlet.flush();
            }
        } else if (client != null) {
            x.attempt.hold(!writable);
            client.pauseBody(!writable);
        }
    }

    /** Writes the body of a response of Sigma's own or of a plugin's. */
    void ownBody(HttpExchange x) {
        byte[] own = x.response.ownBody();
        if (own != null && !x.request.head.isHead() && !x.response.head.isBodiless()) {
            x.response.body.sent(own.length);
            x.connection.outlet().content(own, own.length);
        }
    }

    /** Writes the end of the body. */
    void end(HttpExchange x) {
        if (x.response.leavesChunked()) {
            x.connection.outlet().lastChunk(x.response.trailers(), road.writer());
        }
    }

    /**
     * Lets the client see that the response isn't complete (RFC 9112 section 8): without last chunk, short of its length, or,
     * where only the connection's end ends it, by a reset.
     */
    void cutShort(HttpExchange x) {
        boolean endsByClose =
                !x.response.leavesChunked() && !x.response.body.isCollected() && x.response.head.contentLength() < 0;
        if (endsByClose) {
            x.connection.abort();
        } else {
            x.connection.finishTruncated();
        }
    }
}
