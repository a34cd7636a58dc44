package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.ClientStream;
import org.jspecify.annotations.Nullable;

/**
 * Has the bodies of requests pass the {@link Transforms} that plugins gave, as they come: before anything waits, is kept, or is written, so that
 * all else sees what became of them. What came before the plugins had decided is transformed when they have.
 *
 * <p>Where more becomes of a body than one call writes, it goes on as the node takes it, and what is received meanwhile waits as it was.
 *
 * <pre>
 *   received ─▶ (waits) ─▶ transforms ─▶ relay ─▶ node
 *       ▲                      └── held: until the node takes more, or another turn ──┘
 *       └── not read while much is held
 * </pre>
 *
 * <p>Belongs to one Worker.
 */
final class RequestTransforming {
    private final HttpProxy proxy;
    private final TransformCalls calls;
    private final TransformTurns turns;

    RequestTransforming(HttpProxy proxy, TransformCalls calls, TransformTurns turns) {
        this.proxy = proxy;
        this.calls = calls;
        this.turns = turns;
    }

    /** All plugins let the request pass. Whether the exchange goes on. */
    boolean open(HttpExchange x, Transforms transforms) {
        BodyPump body = x.request.body;
        boolean none = !x.request.head.hasBody();
        boolean complete = none || x.request.isComplete();
        transforms.open(body.queue);
        if (complete) {
            transforms.received(none ? null : x.stream.requestTrailers());
        }
        if (!calls.fill(x, transforms, body.queue, complete)) {
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
    void received(HttpExchange x, Transforms transforms, ByteBuf in, int count) {
        if (isOver(x)) {
            in.skipBytes(count);
        } else if (turns.isLater(transforms)) {
            turns.hold(transforms, in, count);
            if (transforms.goingOn) {
                x.stream.pauseBody(true);
            }
            resume(x);
        } else {
            long began = turns.nanos();
            pass(x, calls.chunk(x, transforms, in, count));
            turns.took(transforms, began);
            resume(x);
        }
    }

    private void pass(HttpExchange x, @Nullable ByteBuf made) {
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
    boolean end(HttpExchange x, Transforms transforms) {
        if (isOver(x)) {
            return false;
        }
        transforms.received(x.stream.requestTrailers());
        return !transforms.goingOn && goOn(x, transforms);
    }

    /** The node may take more: what was held for it goes on. */
    void resume(HttpExchange x) {
        Transforms transforms = x.request.transforms;
        if (transforms == null || transforms.goingOn || !transforms.isReady() || isOver(x)) {
            return;
        }
        if (goOn(x, transforms)) {
            proxy.requestComplete(x);
        } else if (x.request.transforms == transforms && !transforms.isReady()) {
            passPause(x, transforms);
            if (x.request.transforms == transforms && transforms.isReady()) {
                resume(x);
            } else if (x.request.transforms == transforms) {
                proxy.requests.awaitMore(x);
            }
        }
    }

    /** Whether all of it has passed then. */
    private boolean goOn(HttpExchange x, Transforms transforms) {
        long began = turns.nanos();
        transforms.goingOn = true;
        while (x.request.transforms == transforms && transforms.isReady() && isTaken(x, transforms, began)) {
            pass(x, calls.next(x, transforms));
        }
        transforms.goingOn = false;
        turns.took(transforms, began);
        if (x.request.transforms != transforms || isOver(x)) {
            return false;
        }
        if (transforms.isWhole()) {
            transforms.over();
            return true;
        }
        return false;
    }

    private boolean isTaken(HttpExchange x, Transforms transforms, long beganNanos) {
        ClientStream client = x.attempt.client();
        if (client == null && x.response.isPresent()) {
            // The node answered without waiting for the rest, and is gone.
            transforms.forget();
            return transforms.isReady();
        }
        boolean taken = !transforms.isHeld()
                || x.request.body.isCollecting()
                || (client != null && x.stage >= Stage.SENT && !x.request.body.isWaiting() && client.isWritable());
        if (taken && turns.isTurn(transforms, beganNanos)) {
            return true;
        }
        if (taken) {
            turns.later(x, transforms);
        }
        if (!taken || !turns.receives(transforms)) {
            x.stream.pauseBody(true);
        }
        return false;
    }

    /** All that was read of the request at once has passed. */
    void pause(HttpExchange x, Transforms transforms) {
        transforms.pauseDue = true;
        passPause(x, transforms);
        resume(x);
    }

    private void passPause(HttpExchange x, Transforms transforms) {
        if (!transforms.takePause()) {
            return;
        }
        for (int i = 0;
                !isOver(x) && i < transforms.count() && x.request.transforms == transforms && transforms.mayPause();
                i++) {
            pass(x, calls.pause(x, transforms, i));
        }
    }

    /** Whether nothing more of the request's body is wanted. */
    private static boolean isOver(HttpExchange x) {
        return x.stage == Stage.ENDED || x.fault != null;
    }
}
