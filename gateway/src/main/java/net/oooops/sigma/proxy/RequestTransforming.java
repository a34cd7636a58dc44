package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import net.oooops.sigma.http.ClientStream;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of requests: from the client through the transforms to the node.
 *
 * <p>Belongs to one Worker.
 */
final class RequestTransforming extends BodyTransforming {
    RequestTransforming(HttpProxy proxy, TransformCalls calls, TransformTurns turns) {
        super(proxy, calls, turns);
    }

    @Override
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

    @Override
    @Nullable Transforms transforms(HttpExchange x) {
        return x.request.transforms;
    }

    @Override
    boolean isOver(HttpExchange x) {
        return x.stage == Stage.ENDED || x.ending.hasFailed();
    }

    @Override
    void stop(HttpExchange x) {
        x.stream.pauseBody(true);
    }

    @Override
    void take(HttpExchange x, ByteBuf made) {
        proxy.requests.take(x, made, made.readableBytes());
    }

    @Override
    boolean isTaken(HttpExchange x) {
        ClientStream client = x.attempt.client();
        return x.request.body.isCollecting()
                || (client != null && x.stage >= Stage.SENT && !x.request.body.isWaiting() && client.isWritable());
    }

    /** The node has answered without waiting for the rest, and is gone. */
    @Override
    boolean isUnwanted(HttpExchange x) {
        return x.attempt.client() == null && x.response.isPresent();
    }

    /** The request is complete. Whether all of it has passed. */
    boolean end(HttpExchange x, Transforms transforms) {
        if (isOver(x)) {
            return false;
        }
        transforms.received(x.stream.requestTrailers());
        return goOn(x, transforms);
    }

    @Override
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
}
