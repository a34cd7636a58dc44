package net.oooops.sigma.runtime;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Queue;
import java.util.function.Consumer;

/**
 * Who is there when a Listener's settings change follows them in turns: so many at once, and as many with each tick. It may be ten thousands, each of which may
 * find that its time is over, and be closed.
 *
 * <p>Called on the Worker's event loop only.
 *
 * @param <T> who follows
 */
public final class FollowTurns<T> {
    static final int PER_TICK = 250;

    private final Consumer<T> follow;
    private final Consumer<? super Throwable> thrown;
    private final Queue<T> behind = new ArrayDeque<>();

    /**
     * Nobody follows yet.
     *
     * @param follow has one of them follow what holds now; it may be over by then
     * @param thrown told what one of them throws: all others follow, and so does the Listener
     */
    public FollowTurns(Consumer<T> follow, Consumer<? super Throwable> thrown) {
        this.follow = follow;
        this.thrown = thrown;
    }

    /** All of these have something to follow, and the first of them do. */
    public void begin(Collection<? extends T> all) {
        behind.clear();
        behind.addAll(all);
        tick();
    }

    /** Nothing is to be followed any more by those that are behind. */
    public void end() {
        behind.clear();
    }

    /** Time has passed. */
    public void tick() {
        for (int i = 0; i < PER_TICK && !behind.isEmpty(); i++) {
            followed(behind.remove());
        }
    }

    private void followed(T one) {
        try {
            follow.accept(one);
        } catch (RuntimeException | Error e) {
            thrown.accept(e);
        }
    }
}
