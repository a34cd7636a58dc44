package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import org.jspecify.annotations.Nullable;

/**
 * Has bodies of one side pass the {@link Transforms} that plugins gave, as they come: before anything waits, is kept, or is written, so that all
 * else sees what became of them. What came before the plugins had decided is transformed when they have.
 *
 * <p>Where more becomes of a body than one call writes, it goes on as the other side takes it, and what is received meanwhile waits as it was.
 *
 * <pre>
 *   received ─▶ (waits) ─▶ transforms ─▶ relay ─▶ the other side
 *       ▲                      └── held: until that takes more, or another turn ──┘
 *       └── not read while much is held
 * </pre>
 *
 * <p>Belongs to one Worker.
 */
abstract class BodyTransforming {
    final HttpProxy proxy;
    final TransformCalls calls;
    private final TransformTurns turns;

    BodyTransforming(HttpProxy proxy, TransformCalls calls, TransformTurns turns) {
        this.proxy = proxy;
        this.calls = calls;
        this.turns = turns;
    }

    /** Those that this side's body passes now. */
    abstract @Nullable Transforms transforms(HttpExchange x);

    /** Whether nothing more of the body is wanted. */
    abstract boolean isOver(HttpExchange x);

    /** Whoever sends the body isn't read from until somebody goes on. */
    abstract void stop(HttpExchange x);

    /** What became of the next bytes; the caller's. */
    abstract void take(HttpExchange x, ByteBuf made);

    /** Whether the other side takes more of a body of which something is held. */
    abstract boolean isTaken(HttpExchange x);

    /** Whether nobody takes the rest of the body any more, though the exchange goes on. */
    abstract boolean isUnwanted(HttpExchange x);

    /** All plugins let the head pass. Whether the exchange goes on. */
    abstract boolean open(HttpExchange x, Transforms transforms);

    /** The other side may take more: what was held for it goes on. */
    abstract void resume(HttpExchange x);

    /** The next bytes came. */
    final void received(HttpExchange x, Transforms transforms, ByteBuf in, int count) {
        if (isOver(x)) {
            in.skipBytes(count);
        } else if (isUnwanted(x)) {
            transforms.over();
            in.skipBytes(count);
        } else if (turns.isLater(transforms)) {
            turns.hold(transforms, in, count);
            if (transforms.goingOn) {
                stop(x);
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
                    take(x, made);
                }
            } finally {
                made.release();
            }
        }
    }

    /** Whether all of a body passes now that may do so. */
    final boolean goOn(HttpExchange x, Transforms transforms) {
        if (transforms.goingOn) {
            return false;
        }
        long began = turns.nanos();
        transforms.goingOn = true;
        try {
            while (transforms(x) == transforms
                    && transforms.isReady()
                    && !isUnwanted(x)
                    && isNext(x, transforms, began)) {
                pass(x, calls.next(x, transforms));
            }
        } finally {
            transforms.goingOn = false;
            turns.took(transforms, began);
        }
        if (transforms(x) != transforms || isOver(x)) {
            return false;
        }
        boolean unwanted = isUnwanted(x);
        if (unwanted || transforms.isWhole()) {
            transforms.over();
        }
        return transforms.isWhole() || (unwanted && !transforms.isAwaitingMore());
    }

    private boolean isNext(HttpExchange x, Transforms transforms, long beganNanos) {
        boolean taken = !transforms.isHeld() || isTaken(x);
        if (taken && turns.isTurn(transforms, beganNanos)) {
            return true;
        }
        if (taken) {
            turns.later(x, transforms);
        }
        if (!taken || !turns.receives(transforms)) {
            stop(x);
        }
        return false;
    }

    /** All that was read at once has passed. */
    final void pause(HttpExchange x, Transforms transforms) {
        transforms.pauseDue = true;
        passPause(x, transforms);
        resume(x);
    }

    final void passPause(HttpExchange x, Transforms transforms) {
        if (!transforms.takePause()) {
            return;
        }
        for (int i = 0;
                !isOver(x) && i < transforms.count() && transforms(x) == transforms && transforms.mayPause();
                i++) {
            pass(x, calls.pause(x, transforms, i));
        }
    }
}
