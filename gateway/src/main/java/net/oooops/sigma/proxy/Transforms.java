package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.api.BodyBound;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * The transforms of one body, in the order in which plugins gave them: what the first one writes is what the second one sees. What becomes of
 * it stands in {@link RequestTransforming} and {@link ResponseTransforming}.
 *
 * <pre>
 *   given ──open──▶ passing ──(all has been received, and all of it has passed)──▶ over
 * </pre>
 *
 * <p>While one of them has more to write than the other side takes, what is received waits here.
 *
 * <p>Made for an exchange whose plugins give any. Belongs to one Worker.
 */
final class Transforms {
    /** What takes less than that goes before what takes more: a short body isn't to wait for long ones. */
    private static final long BRIEF_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private enum State {
        GIVEN,
        PASSING,
        OVER
    }

    /** One of them, and which plugin of the chain gave it. */
    private static final class Given {
        private final BodyTransform transform;
        private final int position;
        private final @Nullable BodyBound bound;
        private boolean more;

        private Given(BodyTransform transform, int position) {
            this.transform = transform;
            this.position = position;
            this.bound = transform.bound();
        }
    }

    /** What was received and waits until they take it. */
    final BodyQueue input = new BodyQueue();

    /** Whether what they make goes on at the moment: who is told within that only adds to what waits. */
    boolean goingOn;

    /** Whether they wait for a turn of the event loop. */
    boolean awaitsTurn;

    /** Whether that turn is theirs. */
    boolean hasTurn;

    /** What was received is to be seen by the other side before more comes, and that hasn't been said to them. */
    boolean pauseDue;

    private long takenNanos;
    private final List<Given> all = new ArrayList<>(1);
    private final TransformOutput out;
    private State state = State.GIVEN;
    private boolean received;
    /** How many of them have been told that the body is complete. */
    private int ended;

    private @Nullable Trailers trailers;

    /** @param bytesMax what one call may write */
    Transforms(int bytesMax) {
        this.out = new TransformOutput(bytesMax);
    }

    /** The plugin at that position of the chain gives one more. */
    void add(BodyTransform transform, int position) {
        all.add(new Given(transform, position));
    }

    /** The smallest bound of those at the beginning that leave the body as it is; null where the first one may make another of it. */
    @Nullable BodyBound bound() {
        BodyBound smallest = null;
        for (Given given : all) {
            BodyBound next = given.bound;
            if (next == null) {
                break;
            }
            smallest = smallest == null || next.bytesMax() < smallest.bytesMax() ? next : smallest;
        }
        return smallest;
    }

    /** Whether the first of them leaves the body as it is, up to a bound. */
    boolean beginsWithBound() {
        return !all.isEmpty() && all.getFirst().bound != null;
    }

    /** The first of them has nothing to do any more. */
    void removeFirst() {
        all.removeFirst();
    }

    int count() {
        return all.size();
    }

    BodyTransform transform(int index) {
        return all.get(index).transform;
    }

    /** The chain position of the plugin that gave it. */
    int position(int index) {
        return all.get(index).position;
    }

    /** They have been at work for so long. */
    void took(long nanos) {
        takenNanos += nanos;
    }

    /** Whether they haven't been at work for long. */
    boolean isBrief() {
        return takenNanos < BRIEF_NANOS;
    }

    /** What one call may write. */
    int bytesMax() {
        return out.bytesMax();
    }

    /** The body passes from now on; so much of it is there already. */
    void open(BodyQueue waiting) {
        state = State.PASSING;
        for (ByteBuf part = waiting.poll(); part != null; part = waiting.poll()) {
            input.add(part, part.readableBytes());
            part.release();
        }
    }

    /** All of the body has been received, with what came behind it. */
    void received(@Nullable Trailers behind) {
        received = true;
        trailers = behind;
    }

    /** Whether the rest of the body hasn't been received. */
    boolean isAwaitingMore() {
        return !received;
    }

    /** One of them has said whether it has more. */
    void more(int index, boolean whether) {
        all.get(index).more = whether;
    }

    /** The last of them that has more, or -1. */
    int lastWithMore() {
        int index = all.size() - 1;
        while (index >= 0 && !all.get(index).more) {
            index--;
        }
        return index;
    }

    /** Whether there is more than is made at once: it goes on as the other side takes it. */
    boolean isHeld() {
        return input.bytes() > 0 || lastWithMore() >= 0;
    }

    /** Whether anything is to be done before more is received. */
    boolean isReady() {
        return state == State.PASSING && (isHeld() || (received && ended < all.size()));
    }

    /** Whether they are to be told of a pause now: what is held of what came before it goes first. */
    boolean takePause() {
        boolean due = pauseDue && isPassing() && !isReady();
        pauseDue &= !due;
        return due;
    }

    /** Whether the next of them may still be told of the pause that the one before was told of. */
    boolean mayPause() {
        return !goingOn && isPassing() && !isReady();
    }

    /** Whether all of the body has passed. */
    boolean isWhole() {
        return received && ended == all.size() && !isHeld();
    }

    /** The next one that is to be told that the body is complete. */
    int nextEnd() {
        return ended++;
    }

    /** What came behind the body, for edits. */
    Trailers behind() {
        Trailers behind = trailers == null ? new Trailers() : trailers;
        trailers = behind;
        return behind;
    }

    /** Nothing more passes. */
    void over() {
        state = State.OVER;
        input.clear(false);
    }

    /** Whether the body passes. */
    boolean isPassing() {
        return state == State.PASSING;
    }

    /** Whether no byte passes yet. */
    boolean isGiven() {
        return state == State.GIVEN;
    }

    /** The trailers that go on, or null; known once the body is over. */
    @Nullable Trailers trailers() {
        return isWhole() && trailers != null && trailers.isWritten() ? trailers : null;
    }

    /** Where the next call writes: one after the other. */
    TransformOutput output(ByteBufAllocator with) {
        return out.begin(with);
    }
}
