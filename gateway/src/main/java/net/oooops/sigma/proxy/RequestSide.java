package net.oooops.sigma.proxy;

import net.oooops.sigma.api.BodyBound;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * The request of an exchange: its head, its body, and what routing found out about it. Made once with the exchange,
 * and used again.
 */
final class RequestSide {
    final HttpRequestHead head = new HttpRequestHead();
    /** What routing asks of it. */
    final HeadQuery query = new HeadQuery(head);

    final BodyPump body = new BodyPump(BodyPump.Direction.TO_NODE);

    /** What plugins have its body pass, where any does. */
    @Nullable Transforms transforms;

    /** What plugins let pass of its body while that is collected; null: whatever is collected. */
    private @Nullable BodyBound bound;

    /** What counts of its head and trailers in {@link net.oooops.sigma.memory.HeadMemory}. */
    int heldHeadBytes;

    /** What of that are trailers. */
    int trailerBytes;

    private boolean complete;
    /** All of it has gone to a node. */
    private boolean passed;

    private @Nullable Fault miss;
    private String allow = "";

    /** Makes it ready for another request. */
    void reset() {
        transforms = null;
        bound = null;
        complete = false;
        passed = false;
        miss = null;
        body.reset();
        query.reset();
        head.clear();
    }

    /** It is over, and may not be used again for long. */
    void end() {
        head.end();
    }

    /** Its body is collected for a plugin: within what those let pass that have seen it before. */
    void keepBound() {
        bound = transforms == null ? null : transforms.bound();
    }

    /** Its body is collected. */
    void leaveBound() {
        bound = null;
    }

    /** Whether its body is collected for plugins in shadow, of which it is known that it fits: nothing is refused for them. */
    boolean isCollectedForShadow(WholeBodies whole) {
        keepBound();
        boolean fits = whole.collectsForShadow(head) && head.contentLength() <= boundBytes(whole);
        leaveBound();
        return fits;
    }

    /** What plugins let pass of its body, where that is no more than is collected in any case; else null. */
    @Nullable BodyBound smallerBound(WholeBodies whole) {
        return bound != null && bound.bytesMax() <= whole.requestBoundBytes() ? bound : null;
    }

    /** How much of its body may be collected. */
    long boundBytes(WholeBodies whole) {
        return bound == null ? whole.requestBoundBytes() : Math.min(bound.bytesMax(), whole.requestBoundBytes());
    }

    /** All of it has been received. */
    void complete() {
        complete = true;
    }

    /** The trailers that go on, or null; known once it is complete. */
    @Nullable Trailers trailers(ServerStream received) {
        Trailers trailers = transforms == null ? received.requestTrailers() : transforms.trailers();
        if (trailers != null) {
            head.withhold(trailers);
        }
        return trailers;
    }

    /** More comes behind it: after a switch of protocols, or as not all has passed what transforms it. */
    void goOn() {
        complete = false;
    }

    /** All of it has gone to a node. */
    void passed() {
        passed = true;
    }

    boolean isPassed() {
        return passed;
    }

    boolean isComplete() {
        return complete;
    }

    /** What waits of it, beside what is collected. */
    long waitingBytes() {
        Transforms held = transforms;
        return body.waitingBytes() + (held == null ? 0 : held.input.heldBytes());
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
        return known ? body.queue.bytes() : head.sentLength();
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

    /** The methods for the Allow field, where no Route takes it for its method. */
    String allow() {
        return allow;
    }
}
