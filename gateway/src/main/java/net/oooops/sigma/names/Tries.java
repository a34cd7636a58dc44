package net.oooops.sigma.names;

import io.netty.channel.EventLoop;
import io.netty.util.concurrent.Future;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * One question, which is asked once more while there is no answer: a datagram may have been lost, or a name server be dead. The first
 * answer counts, whichever try it is of. That there is none the first try says, which goes through all name servers.
 *
 * <pre>
 *   first ─ a quarter of the time ─▶ second ─ a quarter ─▶ third
 *     └──────────────┬──────────────────┴──────────────────┘
 *                    └─ an answer of any, or the first one's end ─▶ decided ─ all have ended ─▶ over
 * </pre>
 *
 * <p>Called on its event loop only.
 *
 * @param <T> what an answer is made of
 */
abstract class Tries<T> {
    private final EventLoop loop;
    private final long pauseNanos;
    private int begunCount;
    private int openCount;
    private boolean decided;
    private @Nullable ScheduledFuture<?> next;

    Tries(EventLoop loop, long pauseNanos) {
        this.loop = loop;
        this.pauseNanos = pauseNanos;
    }

    /** Asks for the first time. Where it throws, nothing is under way. */
    final void begin() {
        Future<List<T>> asked = ask(0);
        begunCount = 1;
        openCount = 1;
        asked.addListener((Future<List<T>> done) -> ended(0, done));
        schedule();
    }

    private void schedule() {
        if (decided || begunCount == ServerOrder.TRIES) {
            return;
        }
        try {
            next = loop.schedule(this::askAgain, pauseNanos, TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException _) {
            // The process ends.
        }
    }

    private void askAgain() {
        if (decided || isAnsweredInPart()) {
            return;
        }
        int number = begunCount;
        begunCount++;
        schedule();
        Future<List<T>> asked;
        try {
            asked = ask(number);
        } catch (RuntimeException | Error e) {
            // Such as no socket for it: those before go on.
            return;
        }
        openCount++;
        asked.addListener((Future<List<T>> done) -> ended(number, done));
    }

    private void ended(int number, Future<List<T>> done) {
        openCount--;
        boolean late = decided;
        boolean answer = done.isSuccess() && !done.getNow().isEmpty();
        decided |= answer || number == 0;
        try {
            onEnd(done.cause());
            if (late) {
                drop(done);
            } else if (decided) {
                decide(number, done);
            }
        } finally {
            // Whatever was thrown by who was told.
            end();
        }
    }

    private void end() {
        if (decided && next != null) {
            next.cancel(false);
        }
        if (decided && openCount == 0) {
            onOver();
        }
    }

    final boolean isDecided() {
        return decided;
    }

    /** Asks, as the try of that number. */
    abstract Future<List<T>> ask(int number);

    /** Whether a part of an answer is there: the rest needs no more tries. */
    abstract boolean isAnsweredInPart();

    /** One try has ended. */
    abstract void onEnd(@Nullable Throwable failure);

    /** What became of the question, by the try of that number. */
    abstract void decide(int number, Future<List<T>> done);

    /** What comes later. */
    abstract void drop(Future<List<T>> late);

    /** None is under way any more. */
    abstract void onOver();
}
