package net.oooops.sigma.proxy;

import java.util.List;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.route.RouteQuery;
import org.jspecify.annotations.Nullable;

/**
 * The request of an exchange: its head, its body, and what routing found out about it. Made once with the exchange,
 * and used again.
 */
final class RequestSide implements RouteQuery {
    final HttpRequestHead head = new HttpRequestHead();
    final BodyPump body = new BodyPump(BodyPump.Direction.TO_NODE);

    /** What plugins have its body pass, where any does. */
    @Nullable Transforms transforms;

    private boolean complete;

    private int hostEnd;
    private boolean preflight;
    private @Nullable Fault miss;
    private String allow = "";

    /** Makes it ready for another request. */
    void reset() {
        transforms = null;
        complete = false;
        hostEnd = 0;
        preflight = false;
        miss = null;
        allow = "";
        body.reset();
        head.clear();
    }

    /** It is over, and may not be used again for long. */
    void end() {
        head.end();
    }

    /** All of it has been received. */
    void complete() {
        complete = true;
    }

    /** The trailers that go on, or null; known once it is complete. */
    @Nullable Trailers trailers(ServerStream received) {
        return transforms == null ? received.requestTrailers() : transforms.trailers();
    }

    /** After a switch of protocols more comes behind it. */
    void goOn() {
        complete = false;
    }

    boolean isComplete() {
        return complete;
    }

    /** Whether it can be sent again as it was. */
    boolean isRepeatable() {
        return body.isRepeatable();
    }

    /** It is to be sent again. */
    void repeat() {
        body.repeat();
    }

    /** The length that Content-Length says, or -1 where there is to be none: where neither the client sent a body nor a plugin made one. */
    long bodyLength() {
        boolean known = body.isCollected() && (head.hasBody() || body.isWaiting());
        return known ? body.queue.bytes() : head.contentLength();
    }

    /** The host was understood, and ends there. */
    void host(int end) {
        hostEnd = end;
    }

    /** Whether routing is asked for the method that a preflight asks for, in the place of its own. */
    void routeAsPreflight(boolean asPreflight) {
        preflight = asPreflight;
    }

    /**
     * No Route takes it.
     *
     * @param allowed the methods for the Allow field, may be empty
     */
    void missed(Fault why, String allowed) {
        miss = why;
        allow = allowed;
    }

    /** Why no Route takes it; null where one does. */
    @Nullable Fault miss() {
        return miss;
    }

    String allow() {
        return allow;
    }

    // Asked by routing

    @Override
    public byte[] bytes() {
        return head.target().pathBytes();
    }

    @Override
    public int pathStart() {
        return head.target().pathStart();
    }

    @Override
    public int pathEnd() {
        return head.target().pathEnd();
    }

    @Override
    public byte[] hostBytes() {
        return head.received();
    }

    @Override
    public int hostStart() {
        return head.authorityStart();
    }

    @Override
    public int hostEnd() {
        return hostEnd;
    }

    @Override
    public boolean methodIs(Ascii method) {
        return preflight ? Preflight.requests(head, method) : head.methodIs(method);
    }

    @Override
    public boolean hasBody() {
        return head.hasBody();
    }

    @Override
    public @Nullable String header(FieldName name) {
        List<String> values = head.values(name);
        return values.isEmpty() ? null : String.join(", ", values);
    }

    @Override
    public @Nullable String query() {
        return head.query();
    }
}
