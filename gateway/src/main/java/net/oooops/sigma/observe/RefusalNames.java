package net.oooops.sigma.observe;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;

/**
 * Under which names messages are counted that are refused on the wire: of each protocol one enum of the reasons that it knows, one after
 * the other. Counters have a place for each of them, the same within one run.
 *
 * <p>Immutable, for any thread.
 */
@SuppressWarnings("EnumOrdinal") // Counted by ordinals within one run; nothing outlives it.
public final class RefusalNames {
    private record Kind(Class<?> type, int start) {}

    /** No reason at all. */
    public static final RefusalNames NONE = new RefusalNames(new Kind[0], List.of());

    private final Kind[] kinds;
    private final List<String> names;

    private RefusalNames(Kind[] kinds, List<String> names) {
        this.kinds = kinds;
        this.names = List.copyOf(names);
    }

    /** These, and after them the reasons of one more protocol. */
    public <E extends Enum<E>> RefusalNames and(Class<E> reasons, Function<E, String> label) {
        Kind[] moreKinds = Arrays.copyOf(kinds, kinds.length + 1);
        moreKinds[kinds.length] = new Kind(reasons, names.size());
        List<String> moreNames = new ArrayList<>(names);
        for (E reason : reasons.getEnumConstants()) {
            moreNames.add(label.apply(reason));
        }
        return new RefusalNames(moreKinds, moreNames);
    }

    /** All of them, in the order of {@link #index}. */
    List<String> all() {
        return names;
    }

    /** The place of a reason among all of them. */
    int index(Enum<?> reason) {
        for (Kind kind : kinds) {
            if (kind.type() == reason.getDeclaringClass()) {
                return kind.start() + reason.ordinal();
            }
        }
        throw new IllegalArgumentException(
                reason + " of " + reason.getDeclaringClass() + " (expected: one of " + Arrays.toString(kinds) + ")");
    }
}
