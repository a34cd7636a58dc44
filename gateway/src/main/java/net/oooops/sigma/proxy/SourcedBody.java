package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.http.Trailers;
import net.oooops.sigma.plugin.Chain;
import org.jspecify.annotations.Nullable;

/**
 * A body that a plugin's source gives, as far as it has been given: calls the source, and hears from it that there is more. What becomes of the bytes
 * stands in {@link SourceRelay}.
 *
 * <p>Made for an exchange. Called on its event loop, but for {@link #run}, which any thread may call.
 */
final class SourcedBody implements Runnable {
    /** Of a body whose length isn't known. */
    private static final long ENDLESS = Long.MAX_VALUE;

    private final HttpExchange x;
    private final StreamBody body;
    /** The plugin's that it is of. */
    private final Chain chain;

    private final int position;
    private final SourceOutput out;
    private final AtomicBoolean told = new AtomicBoolean();
    private long left;
    private @Nullable Trailers trailers;
    private boolean begun;
    private boolean drained;
    private boolean closed;

    /** It is being asked: who is told meanwhile that more is taken has nothing to do. */
    boolean asking;

    /** Nothing more was there when it was asked last, and nobody has said since that there is. */
    boolean quiet;

    /** It has given something since a time was set to it. */
    boolean given;

    /** A time is set to it. */
    boolean timed;
    /** Whether it waits for a turn of the event loop. */
    boolean awaitsTurn;

    boolean ended;

    /** @param position the chain position of the plugin that gave it */
    SourcedBody(HttpExchange x, StreamBody body, int position) {
        this.x = x;
        this.body = body;
        this.chain = x.plan.chain();
        this.position = position;
        this.out = new SourceOutput(x.proxy.loop.eventLoop());
        this.left = body.bytes() < 0 ? ENDLESS : body.bytes();
    }

    /** Whose body it is. */
    HttpExchange exchange() {
        return x;
    }

    /** The name of its plugin. */
    String name() {
        return chain.name(position);
    }

    /** The length that was said, or -1. */
    long bytes() {
        return body.bytes();
    }

    /** Whether all that was said has been given. */
    boolean isGiven() {
        return left == 0;
    }

    /** What comes behind it, or null; known once it has ended. */
    @Nullable Trailers trailers() {
        Trailers behind = trailers;
        return behind != null && behind.isWritten() ? behind : null;
    }

    /** There is more of it, or may be. Any thread, as often as it likes. */
    @Override
    public void run() {
        if (!told.get() && told.compareAndSet(false, true)) {
            try {
                x.proxy.loop.eventLoop().execute(this::onTold);
            } catch (RejectedExecutionException e) {
                // The gateway has ended, and so has the exchange.
                told.set(true);
            }
        }
    }

    private void onTold() {
        // Before it is asked: what is told from here on asks for another time.
        told.set(false);
        quiet = false;
        goOn();
    }

    /** It is its turn again. */
    void onTurn() {
        awaitsTurn = false;
        goOn();
    }

    private void goOn() {
        if (closed) {
            return;
        }
        try {
            x.proxy.sources.goOn(x, this);
        } catch (Throwable e) {
            x.proxy.failing.thrown(x, e);
        }
    }

    /** It is to come to its end. Whether it may go on; else its plugin has failed by that. */
    boolean drain() {
        if (!begun || drained || closed) {
            return true;
        }
        drained = true;
        Throwable why = null;
        x.proxy.loop.pluginCalls().begin(chain, position);
        try {
            body.source().drain();
        } catch (Throwable e) {
            why = e;
        }
        x.proxy.loop.pluginCalls().end();
        if (why == null) {
            // To be asked once more, whatever it said last.
            run();
            return true;
        }
        x.proxy.loop.failures().plugin(name(), why);
        return false;
    }

    /** What it has next, which {@link #take} then has; null where its plugin has failed by that. */
    BodySource.@Nullable Next next() {
        Throwable why;
        x.proxy.loop.pluginCalls().begin(chain, position);
        try {
            BodySource.Next next = asked();
            x.proxy.loop.pluginCalls().end();
            return next;
        } catch (Throwable e) {
            why = e;
        }
        x.proxy.loop.pluginCalls().end();
        out.take().release();
        x.proxy.loop.failures().plugin(name(), why);
        return null;
    }

    private BodySource.Next asked() throws Exception {
        if (!begun) {
            begun = true;
            body.source().begin(this);
            if (x.proxy.endsTunnels()) {
                drained = true;
                body.source().drain();
            }
        }
        BodySource.Next next = body.source().next(out.begin(left));
        boolean empty = out.bytes() == 0;
        if (next == BodySource.Next.MORE && empty) {
            throw new IllegalStateException("a source has more, and wrote nothing (expected: at least a byte)");
        }
        if (next == BodySource.Next.END && left != ENDLESS && out.bytes() < left) {
            throw new IllegalStateException("a source ended " + (left - out.bytes())
                    + " bytes before the end that was said (expected: " + body.bytes() + " bytes)");
        }
        if (next == BodySource.Next.END && left == ENDLESS) {
            Trailers behind = new Trailers();
            trailers = behind;
            body.source().trailers(behind);
        }
        return switch (next) {
            case MORE, LATER, END -> next;
            case null -> throw new NullPointerException("next: null (expected: MORE, LATER or END)");
        };
    }

    /** What it wrote; the caller's. */
    ByteBuf take() {
        ByteBuf part = out.take();
        if (left != ENDLESS) {
            left -= part.readableBytes();
        }
        return part;
    }

    /** Nothing more of it is wanted, or all has gone on. */
    void close(@Nullable Fault fault) {
        if (closed) {
            return;
        }
        closed = true;
        x.proxy.sources.closed(this);
        x.proxy.loop.pluginCalls().begin(chain, position);
        try {
            body.close(fault);
        } catch (Throwable e) {
            x.proxy.loop.failures().plugin(name(), e);
        }
        x.proxy.loop.pluginCalls().end();
    }
}
