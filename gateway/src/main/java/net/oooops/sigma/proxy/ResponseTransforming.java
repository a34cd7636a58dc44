package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * Bodies of answers, those of nodes and Sigma's own: through the transforms to the client.
 *
 * <p>Belongs to one Worker.
 */
final class ResponseTransforming extends BodyTransforming {
    ResponseTransforming(HttpProxy proxy, TransformCalls calls, TransformTurns turns) {
        super(proxy, calls, turns);
    }

    @Override
    boolean open(HttpExchange x, Transforms transforms) {
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
        if (!calls.fill(x, transforms, response.body.queue, complete)) {
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
            passPause(x, transforms);
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
            if (!calls.fill(x, transforms, made, true)) {
                return false;
            }
            if (transforms.isReady()) {
                calls.failed(
                        x,
                        transforms,
                        transforms.position(Math.max(0, transforms.lastWithMore())),
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

    @Override
    @Nullable Transforms transforms(HttpExchange x) {
        return x.response.transforms;
    }

    @Override
    boolean isOver(HttpExchange x) {
        return x.isResponseOver();
    }

    @Override
    void stop(HttpExchange x) {
        pauseNode(x, true);
    }

    private static void pauseNode(HttpExchange x, boolean pause) {
        ClientStream client = x.attempt.client();
        if (client != null) {
            client.pauseBody(pause);
        }
    }

    @Override
    void take(HttpExchange x, ByteBuf made) {
        proxy.responses.take(x, made, made.readableBytes());
    }

    @Override
    boolean isTaken(HttpExchange x) {
        return x.stage == Stage.ANSWERING && !x.response.body.isWaiting() && x.stream.isWritable();
    }

    @Override
    boolean isUnwanted(HttpExchange x) {
        return false;
    }

    /** The response is complete. Whether all of it has passed. */
    boolean end(HttpExchange x, Transforms transforms, @Nullable Trailers trailers) {
        if (x.isResponseOver()) {
            return false;
        }
        transforms.received(trailers);
        return goOn(x, transforms);
    }

    @Override
    void resume(HttpExchange x) {
        Transforms transforms = x.response.transforms;
        if (transforms == null || transforms.goingOn || !transforms.isReady() || x.isResponseOver()) {
            return;
        }
        if (goOn(x, transforms)) {
            proxy.responseComplete(x, transforms.trailers());
        } else if (x.response.transforms == transforms && !transforms.isReady() && x.stage == Stage.ANSWERING) {
            passPause(x, transforms);
            await(x, transforms);
        }
    }

    /** Nothing is held any more of what was received, unless something was kept back for the client to see now. */
    private void await(HttpExchange x, Transforms transforms) {
        if (x.response.transforms != transforms || x.stage != Stage.ANSWERING) {
            return;
        }
        if (transforms.isReady()) {
            resume(x);
        } else {
            pauseNode(x, x.response.body.isWaiting() || !x.stream.isWritable());
            proxy.responses.goOnOwn(x);
        }
    }

    /**
     * The exchange fails while its answer is under way. Whether that ends with what tells so, which waits to be written then, behind what had been
     * received before. Not where a transform fails by that: then the exchange is over.
     */
    boolean cut(HttpExchange x, Transforms transforms, Fault fault) {
        BodyQueue queue = x.response.body.queue;
        if (transforms.isAwaitingMore() && !transforms.goingOn && !calls.fill(x, transforms, queue, true)) {
            return false;
        }
        ByteBuf made = calls.cut(x, transforms, fault);
        transforms.over();
        if (made == null) {
            return false;
        }
        if (made.isReadable()) {
            queue.add(made, made.readableBytes());
        }
        made.release();
        return true;
    }
}
