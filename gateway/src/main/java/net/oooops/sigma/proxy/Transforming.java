package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.LoopTurns;
import org.jspecify.annotations.Nullable;

/**
 * Has bodies pass the {@link Transforms} that plugins gave, as they come: before anything waits, is kept, or is written, so that all else sees
 * what became of them. What came before the plugins had decided is transformed when they have.
 *
 * <p>Where more becomes of a body than one call writes, it goes on as the other side takes it, and what is received meanwhile waits as it was.
 *
 * <pre>
 *   received ─▶ (waits) ─▶ transforms ─▶ relay ─▶ other side
 *       ▲                      └── held: until the other side takes more, or another turn ──┘
 *       └── not read while anything is held
 * </pre>
 *
 * <p>Belongs to one Worker.
 */
final class Transforming {
    /** For how long one body goes on before others do: what packs it has read much of its memory again after each change. */
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final LoopContext loop;
    private final HttpProxy proxy;
    private final LoopTurns turns;
    private final TransformCalls calls;

    Transforming(LoopContext loop, HttpProxy proxy) {
        this.loop = loop;
        this.proxy = proxy;
        this.turns = loop.turns();
        this.calls = new TransformCalls(loop, proxy);
    }

    // The request

    /** All plugins let the request pass. Whether the exchange goes on. */
    boolean openRequest(HttpExchange x, Transforms transforms) {
        BodyPump body = x.request.body;
        boolean none = !x.request.head.hasBody();
        boolean complete = none || x.request.isComplete();
        transforms.open(body.queue);
        if (complete) {
            transforms.received(none ? null : x.stream.requestTrailers());
        }
        if (!fill(x, transforms, body.queue, complete)) {
            return false;
        }
        if (none) {
            // Its length is that of what was made.
            body.collected();
        }
        if (transforms.isReady()) {
            body.replaced();
            x.request.goOn();
            x.stream.pauseBody(true);
        }
        if (!body.isCollected()) {
            x.request.head.unmeasured();
        }
        return true;
    }

    /** The next bytes came from the client. */
    void requestBody(HttpExchange x, Transforms transforms, ByteBuf in, int count) {
        if (isOver(x)) {
            in.skipBytes(count);
        } else if (isLater(transforms)) {
            hold(transforms, in, count);
            x.stream.pauseBody(true);
            resumeRequest(x);
        } else {
            long began = turns.nanos();
            passRequest(x, calls.chunk(x, transforms, in, count));
            transforms.took(turns.took(began));
            resumeRequest(x);
        }
    }

    /** Whether what is received waits: for what came before it, or for the turn of this body. */
    private boolean isLater(Transforms transforms) {
        return transforms.goingOn || transforms.isHeld() || !turns.hasTime(transforms.isBrief());
    }

    private void hold(Transforms transforms, ByteBuf in, int count) {
        loop.memory().received(count);
        transforms.input.add(in, count);
    }

    private void passRequest(HttpExchange x, @Nullable ByteBuf made) {
        if (made != null) {
            try {
                if (made.isReadable()) {
                    proxy.requests.take(x, made, made.readableBytes());
                }
            } finally {
                made.release();
            }
        }
    }

    /** The request is complete. Whether all of it has passed. */
    boolean requestEnd(HttpExchange x, Transforms transforms) {
        if (isOver(x)) {
            return false;
        }
        transforms.received(x.stream.requestTrailers());
        return !transforms.goingOn && goOnRequest(x, transforms);
    }

    /** The node may take more: what was held for it goes on. */
    void resumeRequest(HttpExchange x) {
        Transforms transforms = x.request.transforms;
        if (transforms == null || transforms.goingOn || !transforms.isReady() || isOver(x)) {
            return;
        }
        if (goOnRequest(x, transforms)) {
            proxy.requestComplete(x);
        } else if (x.request.transforms == transforms && !transforms.isReady()) {
            passRequestPause(x, transforms);
            if (x.request.transforms == transforms && transforms.isReady()) {
                resumeRequest(x);
            } else if (x.request.transforms == transforms) {
                proxy.requests.awaitMore(x);
            }
        }
    }

    /** Whether all of it has passed then. */
    private boolean goOnRequest(HttpExchange x, Transforms transforms) {
        long began = turns.nanos();
        transforms.goingOn = true;
        while (x.request.transforms == transforms && transforms.isReady() && isRequestTaken(x, transforms, began)) {
            passRequest(x, calls.next(x, transforms));
        }
        transforms.goingOn = false;
        transforms.took(turns.took(began));
        if (x.request.transforms != transforms || isOver(x)) {
            return false;
        }
        if (transforms.isWhole()) {
            transforms.over();
            return true;
        }
        return false;
    }

    private boolean isRequestTaken(HttpExchange x, Transforms transforms, long beganNanos) {
        ClientStream client = x.attempt.client();
        if (client == null && x.response.isPresent()) {
            // The node answered without waiting for the rest, and is gone.
            transforms.forget();
            return transforms.isReady();
        }
        boolean taken = !transforms.isHeld()
                || x.request.body.isCollecting()
                || (client != null && x.stage >= Stage.SENT && !x.request.body.isWaiting() && client.isWritable());
        if (taken && isTurn(transforms, beganNanos)) {
            return true;
        }
        x.stream.pauseBody(true);
        if (taken) {
            later(x, transforms);
        }
        return false;
    }

    /** Whether a body that has been going on since then goes on. */
    private boolean isTurn(Transforms transforms, long beganNanos) {
        return (transforms.hasTurn || turns.hasTime(transforms.isBrief())) && turns.nanos() - beganNanos < SLICE_NANOS;
    }

    /** Others come first. */
    private void later(HttpExchange x, Transforms transforms) {
        if (transforms.awaitsTurn) {
            return;
        }
        transforms.awaitsTurn = true;
        turns.later(transforms.isBrief(), () -> {
            transforms.awaitsTurn = false;
            boolean current = x.request.transforms == transforms || x.response.transforms == transforms;
            if (current && !x.isResponseOver()) {
                transforms.hasTurn = true;
                goOn(x);
                transforms.hasTurn = false;
            }
        });
    }

    private void goOn(HttpExchange x) {
        ServerStream stream = x.stream;
        resumeRequest(x);
        ClientStream client = x.attempt.client();
        if (client != null) {
            client.flush();
        }
        resumeResponse(x);
        stream.flush();
    }

    /** All that was read of the request at once has passed. */
    void requestPause(HttpExchange x, Transforms transforms) {
        transforms.pauseDue = true;
        passRequestPause(x, transforms);
        resumeRequest(x);
    }

    private void passRequestPause(HttpExchange x, Transforms transforms) {
        if (!takePause(transforms)) {
            return;
        }
        for (int i = 0; !isOver(x) && i < transforms.count() && mayPause(transforms, x.request.transforms); i++) {
            passRequest(x, calls.pause(x, transforms, i));
        }
    }

    /** Whether they are to be told of a pause now: what is held of what came before it goes first. */
    private static boolean takePause(Transforms transforms) {
        boolean due = transforms.pauseDue && transforms.isPassing() && !transforms.isReady();
        transforms.pauseDue &= !due;
        return due;
    }

    private static boolean mayPause(Transforms transforms, @Nullable Transforms now) {
        return now == transforms && !transforms.goingOn && transforms.isPassing() && !transforms.isReady();
    }

    // The response

    /** All plugins let the response pass. Whether the exchange goes on. */
    boolean openResponse(HttpExchange x, Transforms transforms) {
        ResponseSide response = x.response;
        byte[] own = response.ownBody();
        if (x.request.head.isHead() || response.head.isBodiless()) {
            transforms.over();
            return true;
        }
        if (own != null) {
            return own(x, transforms, own);
        }
        boolean late = response.body.queue.bytes() > 0;
        transforms.open(response.body.queue);
        boolean complete = response.isComplete();
        if (complete) {
            transforms.received(response.trailers());
        }
        if (!fill(x, transforms, response.body.queue, complete)) {
            return false;
        }
        if (transforms.isReady()) {
            response.body.replaced();
            response.goOn();
            pauseNode(x, true);
        } else if (complete) {
            response.complete(transforms.trailers());
        } else if (late) {
            // When it came they weren't asked yet.
            transforms.pauseDue = true;
            passResponsePause(x, transforms);
            if (x.response.transforms != transforms) {
                return false;
            }
        }
        if (!response.body.isCollected()) {
            response.head.unmeasured();
        }
        return true;
    }

    private boolean own(HttpExchange x, Transforms transforms, byte[] own) {
        BodyQueue made = new BodyQueue();
        made.add(Unpooled.wrappedBuffer(own), own.length);
        transforms.open(made);
        transforms.received(null);
        try {
            if (!fill(x, transforms, made, true)) {
                return false;
            }
            if (transforms.isReady()) {
                String plugin = x.plan.chain().name(transforms.position(Math.max(0, transforms.lastWithMore())));
                transforms.over();
                calls.failed(
                        x,
                        plugin,
                        new IllegalStateException("a transform made more than " + transforms.bytesMax()
                                + " bytes of one of Sigma's own bodies (expected: <= limits.buffered-body)"));
                return false;
            }
            made.gather();
            byte[] body = new byte[(int) made.bytes()];
            made.gathered().get(body);
            x.response.ownBody(body);
            return true;
        } finally {
            made.clear(false);
        }
    }

    /** The next bytes came from the node. */
    void responseBody(HttpExchange x, Transforms transforms, ByteBuf in, int count) {
        if (x.isResponseOver()) {
            in.skipBytes(count);
        } else if (isLater(transforms)) {
            hold(transforms, in, count);
            pauseNode(x, true);
            resumeResponse(x);
        } else {
            long began = turns.nanos();
            passResponse(x, calls.chunk(x, transforms, in, count));
            transforms.took(turns.took(began));
            resumeResponse(x);
        }
    }

    private static void pauseNode(HttpExchange x, boolean pause) {
        ClientStream client = x.attempt.client();
        if (client != null) {
            client.pauseBody(pause);
        }
    }

    private void passResponse(HttpExchange x, @Nullable ByteBuf made) {
        if (made != null) {
            try {
                if (made.isReadable()) {
                    proxy.responses.take(x, made, made.readableBytes());
                }
            } finally {
                made.release();
            }
        }
    }

    /** The response is complete. Whether all of it has passed. */
    boolean responseEnd(HttpExchange x, Transforms transforms, @Nullable Trailers trailers) {
        if (x.isResponseOver()) {
            return false;
        }
        transforms.received(trailers);
        return !transforms.goingOn && goOnResponse(x, transforms);
    }

    /** The client may take more: what was held for it goes on. */
    void resumeResponse(HttpExchange x) {
        Transforms transforms = x.response.transforms;
        if (transforms == null || transforms.goingOn || !transforms.isReady() || x.isResponseOver()) {
            return;
        }
        if (goOnResponse(x, transforms)) {
            proxy.responseComplete(x, transforms.trailers());
        } else if (x.response.transforms == transforms && !transforms.isReady() && x.stage == Stage.ANSWERING) {
            passResponsePause(x, transforms);
            awaitResponse(x, transforms);
        }
    }

    /** Nothing is held any more of what was received, unless something was kept back for the client to see now. */
    private void awaitResponse(HttpExchange x, Transforms transforms) {
        if (x.response.transforms != transforms || x.stage != Stage.ANSWERING) {
            return;
        }
        if (transforms.isReady()) {
            resumeResponse(x);
        } else {
            pauseNode(x, x.response.body.isWaiting() || !x.stream.isWritable());
            proxy.responses.goOnOwn(x);
        }
    }

    /** Whether all of it has passed then. */
    private boolean goOnResponse(HttpExchange x, Transforms transforms) {
        long began = turns.nanos();
        transforms.goingOn = true;
        while (x.response.transforms == transforms && transforms.isReady() && isResponseTaken(x, transforms, began)) {
            passResponse(x, calls.next(x, transforms));
        }
        transforms.goingOn = false;
        transforms.took(turns.took(began));
        if (x.response.transforms != transforms || x.isResponseOver()) {
            return false;
        }
        if (transforms.isWhole()) {
            transforms.over();
            return true;
        }
        return false;
    }

    private boolean isResponseTaken(HttpExchange x, Transforms transforms, long beganNanos) {
        boolean taken = !transforms.isHeld()
                || (x.stage == Stage.ANSWERING && !x.response.body.isWaiting() && x.stream.isWritable());
        if (taken && isTurn(transforms, beganNanos)) {
            return true;
        }
        pauseNode(x, true);
        if (taken) {
            later(x, transforms);
        }
        return false;
    }

    /** All that was read of the response at once has passed. */
    void responsePause(HttpExchange x, Transforms transforms) {
        transforms.pauseDue = true;
        passResponsePause(x, transforms);
        resumeResponse(x);
    }

    private void passResponsePause(HttpExchange x, Transforms transforms) {
        if (!takePause(transforms)) {
            return;
        }
        for (int i = 0;
                !x.isResponseOver() && i < transforms.count() && mayPause(transforms, x.response.transforms);
                i++) {
            passResponse(x, calls.pause(x, transforms, i));
        }
    }

    /** The exchange fails while its answer is under way. Whether that ends with what tells so, which waits to be written then. */
    boolean cutResponse(HttpExchange x, Transforms transforms, Fault fault) {
        ByteBuf made = calls.cut(x, transforms, fault);
        transforms.over();
        if (made == null) {
            return false;
        }
        if (made.isReadable()) {
            x.response.body.queue.add(made, made.readableBytes());
        }
        made.release();
        return true;
    }

    // Both

    /** Whether nothing more of the request's body is wanted. */
    private static boolean isOver(HttpExchange x) {
        return x.stage == Stage.ENDED || x.fault != null;
    }

    /**
     * What there is of a body before anything has gone on is transformed: all of a complete one, as far as one call might write as much; of
     * another one as much as comes at once. Whether the exchange goes on.
     */
    private boolean fill(HttpExchange x, Transforms transforms, BodyQueue queue, boolean complete) {
        int bytesMax = complete ? transforms.bytesMax() : 1;
        while (transforms.isReady() && (!transforms.isHeld() || queue.bytes() < bytesMax)) {
            ByteBuf made = calls.next(x, transforms);
            if (made == null) {
                return false;
            }
            if (made.isReadable()) {
                queue.add(made, made.readableBytes());
            }
            made.release();
        }
        if (transforms.isWhole()) {
            transforms.over();
        }
        return true;
    }

    /** The bodies of the exchange don't go on, or have: the last that its transforms hear. */
    void close(HttpExchange x) {
        Transforms ofRequest = x.request.transforms;
        Transforms ofResponse = x.response.transforms;
        if (ofRequest == null && ofResponse == null) {
            return;
        }
        x.request.transforms = null;
        x.response.transforms = null;
        calls.close(x, ofRequest);
        calls.close(x, ofResponse);
    }
}
