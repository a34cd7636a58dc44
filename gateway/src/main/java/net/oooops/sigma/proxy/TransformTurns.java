package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.http.ClientStream;
import net.oooops.sigma.http.ServerStream;
import net.oooops.sigma.runtime.LoopContext;
import net.oooops.sigma.runtime.LoopTurns;

/**
 * When {@link Transforms} are at work: each body for a while, and then others. What is received of a body that awaits its turn is held, and a
 * little more than that before its side has to stop.
 *
 * <p>Belongs to one Worker.
 */
final class TransformTurns {
    /** For how long one body goes on before others do: what packs it has read much of its memory again after each change. */
    private static final long SLICE_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    /**
     * So much is received where only a turn is awaited: to stop a side and start it again costs more than to hold a short body. Nobody is refused by
     * that, and nothing is lost: who sends more is slowed down, so that there is no setting for it and it isn't counted.
     */
    private static final long AHEAD_BYTES = 64 * 1024;

    private final LoopContext loop;
    private final HttpProxy proxy;
    private final LoopTurns turns;

    TransformTurns(LoopContext loop, HttpProxy proxy) {
        this.loop = loop;
        this.proxy = proxy;
        this.turns = loop.turns();
    }

    /** The time, for {@link #took}. */
    long nanos() {
        return turns.nanos();
    }

    /** They were at work since then. */
    void took(Transforms transforms, long sinceNanos) {
        transforms.took(turns.took(sinceNanos));
    }

    /** Whether what is received waits: for what came before it, or for the turn of this body. */
    boolean isLater(Transforms transforms) {
        return transforms.goingOn || transforms.isHeld() || !turns.hasTime(transforms.isBrief());
    }

    /** Whether more may be received while what there is awaits its turn. */
    boolean receives(Transforms transforms) {
        return transforms.input.heldBytes() < AHEAD_BYTES && !loop.memory().isShort();
    }

    /** Takes what was received, for later. */
    void hold(Transforms transforms, ByteBuf in, int count) {
        loop.memory().received(count);
        transforms.input.add(in, count);
    }

    /** Whether a body that has been going on since then goes on. */
    boolean isTurn(Transforms transforms, long beganNanos) {
        return (transforms.hasTurn || turns.hasTime(transforms.isBrief())) && turns.nanos() - beganNanos < SLICE_NANOS;
    }

    /** Others come first. */
    void later(HttpExchange x, Transforms transforms) {
        if (transforms.awaitsTurn) {
            return;
        }
        transforms.awaitsTurn = true;
        turns.later(transforms.isBrief(), () -> {
            transforms.awaitsTurn = false;
            boolean current = x.request.transforms == transforms || x.response.transforms == transforms;
            if (current && !x.isResponseOver()) {
                transforms.hasTurn = true;
                turn(x);
                transforms.hasTurn = false;
            }
        });
    }

    private void turn(HttpExchange x) {
        try {
            goOn(x);
        } catch (Throwable e) {
            proxy.failing.thrown(x, e);
        }
    }

    private void goOn(HttpExchange x) {
        ServerStream stream = x.stream;
        proxy.requestTransforming.resume(x);
        ClientStream client = x.attempt.client();
        if (client != null) {
            client.flush();
        }
        proxy.responseTransforming.resume(x);
        stream.flush();
    }
}
