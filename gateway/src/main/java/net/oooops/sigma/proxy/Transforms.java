package net.oooops.sigma.proxy;

import io.netty.buffer.ByteBufAllocator;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.http.Trailers;
import org.jspecify.annotations.Nullable;

/**
 * The transforms of one body, in the order in which plugins gave them: what the first one writes is what the second one sees. What becomes of
 * it stands in {@link Transforming}.
 *
 * <pre>
 *   given ──open──▶ passing ──end──▶ over
 * </pre>
 *
 * <p>Made for an exchange whose plugins give any. Belongs to one Worker.
 */
final class Transforms {
    private enum State {
        GIVEN,
        PASSING,
        OVER
    }

    /** One of them, and which plugin of the chain gave it. */
    private record Given(BodyTransform transform, int position) {}

    private final List<Given> all = new ArrayList<>(1);
    private final TransformOutput out;
    private State state = State.GIVEN;
    private @Nullable Trailers trailers;

    /** @param bytesMax what one call may write */
    Transforms(int bytesMax) {
        this.out = new TransformOutput(bytesMax);
    }

    /** The plugin at that position of the chain gives one more. */
    void add(BodyTransform transform, int position) {
        all.add(new Given(transform, position));
    }

    int count() {
        return all.size();
    }

    BodyTransform transform(int index) {
        return all.get(index).transform();
    }

    /** The chain position of the plugin that gave it. */
    int position(int index) {
        return all.get(index).position();
    }

    /** The body passes from now on. */
    void open() {
        state = State.PASSING;
    }

    /** The body is complete, with what goes on behind it. */
    void over(@Nullable Trailers after) {
        state = State.OVER;
        trailers = after;
    }

    /** Whether the body passes. */
    boolean isPassing() {
        return state == State.PASSING;
    }

    /** Whether no byte passes yet. */
    boolean isGiven() {
        return state == State.GIVEN;
    }

    /** The trailers that go on; known once the body is complete. */
    @Nullable Trailers trailers() {
        return trailers;
    }

    /** Where the next call writes: one after the other. */
    TransformOutput output(ByteBufAllocator with) {
        return out.begin(with);
    }
}
