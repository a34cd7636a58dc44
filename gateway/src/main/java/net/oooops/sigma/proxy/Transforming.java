package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.proxy.HttpExchange.Stage;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.PluginCalls;
import org.jspecify.annotations.Nullable;

/**
 * Has bodies pass the {@link Transforms} that plugins gave, as they come: before anything waits, is kept, or is written, so that all else sees
 * what became of them. What came before the plugins had decided is transformed when they have.
 *
 * <p>Belongs to one Worker.
 */
final class Transforming {
    private final LoopContext loop;
    private final HttpProxy proxy;
    private final PluginCalls calls;

    Transforming(LoopContext loop, HttpProxy proxy) {
        this.loop = loop;
        this.proxy = proxy;
        this.calls = loop.pluginCalls();
    }

    // The request

    /** All plugins let the request pass. Whether the exchange goes on. */
    boolean openRequest(HttpExchange x, Transforms transforms) {
        BodyPump body = x.request.body;
        boolean none = !x.request.head.hasBody();
        transforms.open();
        if (!queued(x, transforms, body.queue)) {
            return false;
        }
        if (none || x.request.isComplete()) {
            if (!last(x, transforms, none ? null : x.stream.requestTrailers(), body.queue)) {
                return false;
            }
            if (none) {
                // Its length is that of what was made.
                body.collected();
            }
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
            return;
        }
        passRequest(x, chunk(x, transforms, in, count));
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

    /** The request is complete. Whether the exchange goes on. */
    boolean requestEnd(HttpExchange x, Transforms transforms) {
        if (isOver(x)) {
            return false;
        }
        passRequest(x, end(x, transforms, x.stream.requestTrailers()));
        return !isOver(x);
    }

    // The response

    /** All plugins let the response pass. Whether the exchange goes on. */
    boolean openResponse(HttpExchange x, Transforms transforms) {
        ResponseSide response = x.response;
        byte[] own = response.ownBody();
        if (x.request.head.isHead() || response.head.isBodiless()) {
            transforms.over(response.trailers());
            return true;
        }
        transforms.open();
        if (own != null) {
            return own(x, transforms, own);
        }
        if (!queued(x, transforms, response.body.queue)) {
            return false;
        }
        if (response.isComplete()) {
            if (!last(x, transforms, response.trailers(), response.body.queue)) {
                return false;
            }
            response.complete(transforms.trailers());
        }
        if (!response.body.isCollected()) {
            response.head.unmeasured();
        }
        return true;
    }

    private boolean own(HttpExchange x, Transforms transforms, byte[] own) {
        BodyQueue made = new BodyQueue();
        made.add(Unpooled.wrappedBuffer(own), own.length);
        try {
            if (!queued(x, transforms, made) || !last(x, transforms, null, made)) {
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
        if (isOver(x)) {
            in.skipBytes(count);
            return;
        }
        passResponse(x, chunk(x, transforms, in, count));
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

    /** The response is complete. Whether the exchange goes on. */
    boolean responseEnd(HttpExchange x, Transforms transforms, @Nullable Trailers trailers) {
        if (isOver(x)) {
            return false;
        }
        passResponse(x, end(x, transforms, trailers));
        return !isOver(x);
    }

    /** The exchange fails while its answer is under way. Whether that ends with what tells so, which waits to be written then. */
    boolean cutResponse(HttpExchange x, Transforms transforms, Fault fault) {
        int last = transforms.count() - 1;
        Chain chain = x.plan.chain();
        TransformOutput out = transforms.output(ByteBufAllocator.DEFAULT);
        boolean told = false;
        calls.begin(chain, transforms.position(last));
        try {
            told = transforms.transform(last).cut(fault, out);
        } catch (Throwable e) {
            loop.failures().plugin(chain.name(transforms.position(last)), e);
        }
        calls.end();
        transforms.over(null);
        ByteBuf made = out.take();
        if (told && made.isReadable()) {
            x.response.body.queue.add(made, made.readableBytes());
        }
        made.release();
        return told;
    }

    private static boolean isOver(HttpExchange x) {
        return x.stage == Stage.ENDED || x.fault != null;
    }

    // Both

    /** What waits is transformed. Whether the exchange goes on. */
    private boolean queued(HttpExchange x, Transforms transforms, BodyQueue queue) {
        List<ByteBuf> made = new ArrayList<>();
        boolean goesOn = true;
        for (ByteBuf part = queue.poll(); part != null; part = goesOn ? queue.poll() : null) {
            try {
                ByteBuf next = chunk(x, transforms, part, part.readableBytes());
                goesOn = next != null;
                if (next != null) {
                    made.add(next);
                }
            } finally {
                part.release();
            }
        }
        for (ByteBuf next : made) {
            if (goesOn && next.isReadable()) {
                queue.add(next, next.readableBytes());
            }
            next.release();
        }
        return goesOn;
    }

    /** The end of a body of which nothing has gone on. Whether the exchange goes on. */
    private boolean last(HttpExchange x, Transforms transforms, @Nullable Trailers trailers, BodyQueue queue) {
        ByteBuf made = end(x, transforms, trailers);
        if (made == null) {
            return false;
        }
        if (made.isReadable()) {
            queue.add(made, made.readableBytes());
        }
        made.release();
        return true;
    }

    /** What becomes of the next bytes, which are read then; the caller's. Null where the exchange has failed by that. */
    private @Nullable ByteBuf chunk(HttpExchange x, Transforms transforms, ByteBuf in, int count) {
        ByteBuf now = in.readRetainedSlice(count);
        for (int i = 0; i < transforms.count() && now != null; i++) {
            now = through(x, transforms, i, now);
        }
        return now;
    }

    /** What they write at the end; the caller's. Null where the exchange has failed by that. */
    private @Nullable ByteBuf end(HttpExchange x, Transforms transforms, @Nullable Trailers received) {
        Trailers trailers = received == null ? new Trailers() : received;
        ByteBuf now = Unpooled.EMPTY_BUFFER;
        for (int i = 0; i < transforms.count(); i++) {
            ByteBuf before = through(x, transforms, i, now);
            ByteBuf last = before == null ? null : call(x, transforms, i, Unpooled.EMPTY_BUFFER, trailers);
            if (before == null || last == null) {
                if (before != null) {
                    before.release();
                }
                return null;
            }
            now = joined(before, last);
        }
        transforms.over(trailers.isWritten() ? trailers : null);
        return now;
    }

    /** What one of them makes of {@code in}, which is released; as {@link #chunk}. */
    private @Nullable ByteBuf through(HttpExchange x, Transforms transforms, int index, ByteBuf in) {
        ByteBuf made = in.isReadable() ? call(x, transforms, index, in, null) : Unpooled.EMPTY_BUFFER;
        in.release();
        return made;
    }

    private static ByteBuf joined(ByteBuf first, ByteBuf second) {
        if (!first.isReadable()) {
            first.release();
            return second;
        }
        if (second.isReadable()) {
            first.writeBytes(second);
        }
        second.release();
        return first;
    }

    /** Calls one of them: for a chunk, or, with trailers, for the end. */
    private @Nullable ByteBuf call(
            HttpExchange x, Transforms transforms, int index, ByteBuf in, @Nullable Trailers trailers) {
        Chain chain = x.plan.chain();
        TransformOutput out = transforms.output(in.isReadable() ? in.alloc() : ByteBufAllocator.DEFAULT);
        Throwable why;
        calls.begin(chain, transforms.position(index));
        try {
            if (trailers == null) {
                transforms.transform(index).chunk(in.nioBuffer().asReadOnlyBuffer(), out);
            } else {
                transforms.transform(index).end(trailers, out);
            }
            calls.end();
            return out.take();
        } catch (Throwable e) {
            why = e;
        }
        calls.end();
        out.take().release();
        failed(x, transforms, chain.name(transforms.position(index)), why);
        return null;
    }

    private void failed(HttpExchange x, Transforms transforms, String plugin, Throwable why) {
        transforms.over(null);
        if (why instanceof RefusedBodyException refused) {
            boolean ofClient = transforms == x.request.transforms;
            String reason = refused.getMessage() == null ? plugin : refused.getMessage();
            Fault ofRequest = refused.isTooLarge() ? Fault.BODY_TOO_LARGE : Fault.BAD_REQUEST;
            proxy.failing.fail(x, ofClient ? ofRequest : Fault.UPSTREAM_PROTOCOL, reason);
        } else {
            loop.failures().plugin(plugin, why);
            proxy.failing.fail(x, Fault.PLUGIN_FAILED, plugin);
        }
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
        close(x, ofRequest);
        close(x, ofResponse);
    }

    private void close(HttpExchange x, @Nullable Transforms transforms) {
        for (int i = 0; transforms != null && i < transforms.count(); i++) {
            Chain chain = x.plan.chain();
            calls.begin(chain, transforms.position(i));
            try {
                transforms.transform(i).close();
            } catch (Throwable e) {
                loop.failures().plugin(chain.name(transforms.position(i)), e);
            }
            calls.end();
        }
    }
}
