package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.Unpooled;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.plugin.Chain;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.PluginCalls;
import org.jspecify.annotations.Nullable;

/**
 * Calls the {@link Transforms} of a body, one step after the other: what is kept back first, then the next bytes, then the end. What one of
 * them writes passes those behind it at once.
 *
 * <p>Belongs to one Worker.
 */
final class TransformCalls {
    private enum Step {
        CHUNK,
        MORE,
        PAUSE,
        END
    }

    private final LoopContext loop;
    private final HttpProxy proxy;
    private final PluginCalls calls;

    TransformCalls(LoopContext loop, HttpProxy proxy) {
        this.loop = loop;
        this.proxy = proxy;
        this.calls = loop.pluginCalls();
    }

    /** What becomes of the next bytes, which are read then; the caller's. Null where the exchange has failed by that. */
    @Nullable ByteBuf chunk(HttpExchange x, Transforms transforms, ByteBuf in, int count) {
        return through(x, transforms, 0, in.readRetainedSlice(count));
    }

    /** What the next step makes, where they are ready for one; otherwise as {@link #chunk}. */
    @Nullable ByteBuf next(HttpExchange x, Transforms transforms) {
        int last = transforms.lastWithMore();
        if (last >= 0) {
            return behind(x, transforms, last, Step.MORE);
        }
        ByteBuf part = transforms.input.poll();
        return part == null ? behind(x, transforms, transforms.nextEnd(), Step.END) : through(x, transforms, 0, part);
    }

    /**
     * What there is of a body before anything has gone on is transformed: all of a complete one, as far as one call might write as much; of
     * another one as much as comes at once. Whether the exchange goes on.
     */
    boolean fill(HttpExchange x, Transforms transforms, BodyQueue queue, boolean complete) {
        int bytesMax = complete ? transforms.bytesMax() : 1;
        while (transforms.isReady() && (!transforms.isHeld() || queue.bytes() < bytesMax)) {
            ByteBuf made = next(x, transforms);
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

    /** What that one makes of a moment in which nothing more is there; as {@link #chunk}. */
    @Nullable ByteBuf pause(HttpExchange x, Transforms transforms, int index) {
        return behind(x, transforms, index, Step.PAUSE);
    }

    private @Nullable ByteBuf behind(HttpExchange x, Transforms transforms, int index, Step step) {
        ByteBuf made = call(x, transforms, index, Unpooled.EMPTY_BUFFER, step);
        return made == null ? null : through(x, transforms, index + 1, made);
    }

    /** What those from that one on make of {@code in}, which is released. */
    private @Nullable ByteBuf through(HttpExchange x, Transforms transforms, int from, ByteBuf in) {
        ByteBuf now = in;
        for (int i = from; i < transforms.count() && now != null && now.isReadable(); i++) {
            ByteBuf made = call(x, transforms, i, now, Step.CHUNK);
            now.release();
            now = made;
        }
        return now;
    }

    private @Nullable ByteBuf call(HttpExchange x, Transforms transforms, int index, ByteBuf in, Step step) {
        Chain chain = x.plan.chain();
        TransformOutput out = transforms.output(in.isReadable() ? in.alloc() : ByteBufAllocator.DEFAULT);
        Throwable why;
        calls.begin(chain, transforms.position(index));
        try {
            BodyTransform transform = transforms.transform(index);
            switch (step) {
                case CHUNK -> transform.chunk(in.nioBuffer().asReadOnlyBuffer(), out);
                case MORE -> transform.more(out);
                case PAUSE -> transform.pause(out);
                case END -> transform.end(transforms.behind(), out);
            }
            boolean more = transform.hasMore();
            if (more && step == Step.MORE && out.room() == transforms.bytesMax()) {
                throw new IllegalStateException("a transform has more, and wrote nothing (expected: at least a byte)");
            }
            transforms.more(index, more);
            calls.end();
            return out.take();
        } catch (Throwable e) {
            why = e;
        }
        calls.end();
        out.take().release();
        failed(x, transforms, transforms.position(index), why);
        return null;
    }

    /** The transform of the plugin at that position of the chain has failed: as if the plugin had when it saw the head. */
    void failed(HttpExchange x, Transforms transforms, int position, Throwable why) {
        String plugin = x.plan.chain().name(position);
        if (transforms == x.response.transforms) {
            // What is answered in its place is edited by those behind it, as a node's answer.
            x.cursor.nextInResponse(x.plan.chain().response().indexOf(position) + 1);
        }
        transforms.over();
        if (why instanceof RefusedBodyException refused) {
            boolean ofClient = transforms == x.request.transforms;
            String detail = refused.getMessage() == null ? plugin : refused.getMessage();
            loop.failures().refusedBody(plugin, detail);
            Fault ofRequest = refused.isTooLarge() ? Fault.BODY_TOO_LARGE : Fault.BAD_REQUEST;
            if (ofClient) {
                proxy.failing.fail(x, ofRequest, detail, refused.reason());
            } else {
                proxy.failing.fail(x, Fault.UPSTREAM_PROTOCOL, detail);
            }
        } else {
            loop.failures().plugin(plugin, why);
            proxy.failing.fail(x, Fault.PLUGIN_FAILED, plugin);
        }
    }

    /** The last one is asked to say in the body that it isn't whole. What it writes is the caller's; null where it says nothing. */
    @Nullable ByteBuf cut(HttpExchange x, Transforms transforms, Fault fault) {
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
        ByteBuf made = out.take();
        if (!told) {
            made.release();
        }
        return told ? made : null;
    }

    /** The request's body was collected within the bounds of those that leave it as it is: what they were given for is done. */
    void collected(HttpExchange x) {
        Transforms ofRequest = x.request.transforms;
        while (ofRequest != null && ofRequest.beginsWithBound()) {
            close(x, ofRequest, 0);
            ofRequest.removeFirst();
            if (ofRequest.count() == 0) {
                x.request.transforms = null;
            }
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
        if (transforms == null) {
            return;
        }
        transforms.over();
        for (int i = 0; i < transforms.count(); i++) {
            close(x, transforms, i);
        }
    }

    private void close(HttpExchange x, Transforms transforms, int index) {
        Chain chain = x.plan.chain();
        calls.begin(chain, transforms.position(index));
        try {
            transforms.transform(index).close();
        } catch (Throwable e) {
            loop.failures().plugin(chain.name(transforms.position(index)), e);
        }
        calls.end();
    }
}
