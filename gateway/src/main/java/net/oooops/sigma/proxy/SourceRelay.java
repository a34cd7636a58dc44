package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.StreamBody;
import net.oooops.sigma.runtime.LoopContext;

/**
 * Sends bodies that sources of plugins give, as their clients take them: asked for part by part, so that all that looks at bodies or changes them sees
 * them as any other.
 *
 * <pre>
 *   asked ─┬─ MORE ──▶ asked again, while the client takes more
 *     ▲    ├─ LATER ─▶ quiet, timeouts.plugin at most ─┐
 *     │    └─ END ───▶ over                            │
 *     └──────────── its plugin says that there is more ┘
 * </pre>
 *
 * <p>Of a source that always has more one turn of the event loop sends so much and no more: others have their turns between.
 *
 * <p>Belongs to one Worker.
 */
final class SourceRelay {
    private static final int TURN_BYTES = 1024 * 1024;

    /** A part counts as so much at least: a thousand small ones are a turn, too. */
    private static final int PART_BYTES_COUNTED_MIN = 1024;

    private static final String TOO_LARGE = "response body larger than is collected";

    private final LoopContext loop;
    private final HttpProxy proxy;
    /** Those that are under way. */
    private final Set<SourcedBody> live = new LinkedHashSet<>();

    SourceRelay(LoopContext loop, HttpProxy proxy) {
        this.loop = loop;
        this.proxy = proxy;
    }

    /** The body of an answer that the plugin gives whose turn it is; it has been taken. */
    SourcedBody of(HttpExchange x, StreamBody body) {
        boolean ofRequest = x.stage == Stage.REQUEST_PLUGINS;
        int position =
                ofRequest ? x.cursor.reached() : x.plan.chain().response().position(x.cursor.responseIndex() - 1);
        SourcedBody source = new SourcedBody(x, body, position);
        live.add(source);
        return source;
    }

    /** It is over. */
    void closed(SourcedBody source) {
        live.remove(source);
    }

    /** The gateway is stopping: all are told. */
    void drain() {
        for (SourcedBody source : List.copyOf(live)) {
            if (!source.drain()) {
                proxy.failing.fail(source.exchange(), Fault.PLUGIN_FAILED, source.name());
            }
        }
    }

    /** Plugins are to see all of it, which goes on when it is here. Whether the exchange goes on before: there is no body. */
    boolean collect(HttpExchange x, SourcedBody source) {
        if (x.request.head.isHead()) {
            x.response.body.collected();
            x.response.body.queue.gather();
            return true;
        }
        x.stage = Stage.RESPONSE_PLUGINS;
        if (source.bytes() > x.plan.whole().responseBoundBytes()) {
            proxy.failing.fail(x, Fault.UPSTREAM_PROTOCOL, TOO_LARGE);
        } else {
            x.response.body.collect();
            goOn(x, source);
        }
        return false;
    }

    /** The head is written. */
    void begin(HttpExchange x, SourcedBody source) {
        if (x.request.head.isHead() || x.response.head.isBodiless()) {
            x.stream.end(null);
            proxy.exchanges.end(x);
            return;
        }
        // Who sends a body and reads nothing before it has isn't to wait for ever.
        x.request.body.queue.clear(x.cursor.isHeld());
        x.stream.pauseBody(false);
        goOn(x, source);
    }

    /** The client may take more, or what waited before it has gone; where it is answered by a source. */
    void goOn(HttpExchange x) {
        SourcedBody source = x.response.source();
        if (source != null) {
            goOn(x, source);
        }
    }

    /** The same, or there is more of it. */
    void goOn(HttpExchange x, SourcedBody source) {
        if (source.asking || source.quiet || !isOf(x, source)) {
            return;
        }
        source.asking = true;
        try {
            send(x, source);
        } finally {
            source.asking = false;
        }
    }

    private void send(HttpExchange x, SourcedBody source) {
        int turn = 0;
        while (!source.isGiven()) {
            if (!isTaken(x, source)) {
                untime(x, source);
                return;
            }
            if (turn >= TURN_BYTES) {
                x.stream.flush();
                later(source);
                return;
            }
            BodySource.Next next = source.next();
            if (next == null) {
                proxy.failing.fail(x, Fault.PLUGIN_FAILED, source.name());
                return;
            }
            turn += Math.max(PART_BYTES_COUNTED_MIN, pass(x, source));
            if (next == BodySource.Next.END) {
                break;
            }
            if (next == BodySource.Next.LATER && !source.isGiven() && isOf(x, source)) {
                await(x, source);
                return;
            }
        }
        if (isOf(x, source)) {
            end(x, source);
        }
    }

    /** Others come first. */
    private void later(SourcedBody source) {
        if (!source.awaitsTurn) {
            source.awaitsTurn = true;
            loop.turns().later(false, source::onTurn);
        }
    }

    private int pass(HttpExchange x, SourcedBody source) {
        ByteBuf part = source.take();
        int bytes = part.readableBytes();
        try {
            if (bytes > 0) {
                source.given = true;
                proxy.responses.body(x, part, bytes);
            }
        } finally {
            part.release();
        }
        return bytes;
    }

    /** Whether more of it is taken: always while it is collected, else as its client does, which tells when it does again. */
    private static boolean isTaken(HttpExchange x, SourcedBody source) {
        if (!isOf(x, source)) {
            return false;
        }
        if (x.response.body.isCollecting()) {
            return true;
        }
        if (x.response.body.isWaiting() || !x.stream.isWritable()) {
            x.stream.flush();
        }
        Transforms transforms = x.response.transforms;
        boolean held = transforms != null && transforms.isPassing() && transforms.isReady();
        return isOf(x, source) && !held && !x.response.body.isWaiting() && x.stream.isWritable();
    }

    /** Whether it is still the body that the exchange answers with, and not all of it was given. */
    private static boolean isOf(HttpExchange x, SourcedBody source) {
        boolean passes = x.stage == Stage.ANSWERING || x.response.body.isCollecting();
        return passes && x.response.source() == source && !source.ended;
    }

    /** Nothing more is there: what there was leaves, and more is to come in time. */
    private void await(HttpExchange x, SourcedBody source) {
        source.quiet = true;
        if (source.given || !source.timed) {
            source.given = false;
            source.timed = true;
            loop.wheel().arm(x, proxy.plan.listener().timeouts().pluginNanos());
        }
        if (!x.response.body.isCollecting()) {
            x.onResponsePause();
        }
    }

    /** It is the client's turn. */
    private void untime(HttpExchange x, SourcedBody source) {
        if (source.timed && isOf(x, source)) {
            source.timed = false;
            loop.wheel().disarm(x);
        }
    }

    private void end(HttpExchange x, SourcedBody source) {
        untime(x, source);
        source.ended = true;
        if (x.response.body.isCollecting()) {
            collected(x);
        } else {
            proxy.responseEnd(x);
        }
    }

    /** All of it is here: from now on it is an answer as any other of a plugin. */
    private void collected(HttpExchange x) {
        BodyQueue queue = x.response.body.queue;
        queue.gather();
        byte[] content = new byte[(int) queue.bytes()];
        queue.gathered().get(content);
        queue.clear(false);
        x.response.body.stopCollecting();
        x.response.closeBody(null);
        x.response.ownBody(content);
        x.response.complete(null);
        proxy.plugins.response(x, x.cursor.responseIndex());
    }

    /** No part of a body has come in time. */
    void late(HttpExchange x) {
        SourcedBody source = x.response.source();
        if (source != null && source.timed) {
            proxy.failing.fail(x, Fault.PLUGIN_FAILED, source.name() + ": no part of its body in time");
        }
    }

    /** A response that nobody takes: its source is told, unless another exchange has it. */
    static void leave(StreamBody body) {
        if (body.take()) {
            body.close(null);
        }
    }
}
