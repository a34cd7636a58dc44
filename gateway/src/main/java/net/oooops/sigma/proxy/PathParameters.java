package net.oooops.sigma.proxy;

import java.util.List;
import net.oooops.sigma.http.RequestTarget;
import org.jspecify.annotations.Nullable;

/**
 * What a Route's path calls its segments, where it has {@code :name} in it.
 *
 * <p>Immutable, shared by all Workers.
 */
public final class PathParameters {
    /** No segment has a name. */
    public static final PathParameters NONE = new PathParameters(List.of());

    /** By segment; those without a name are empty. */
    private final List<String> names;

    private PathParameters(List<String> names) {
        this.names = names;
    }

    /** Those of a Route whose path has these segments, {@code :name} in the place of any one. */
    public static PathParameters of(List<String> segments) {
        List<String> names = segments.stream()
                .map(segment -> segment.startsWith(":") ? segment.substring(1) : "")
                .toList();
        return names.stream().allMatch(String::isEmpty) ? NONE : new PathParameters(names);
    }

    /** What stands for that name in a path that the Route was found by; null where the Route has no such name. */
    public @Nullable String value(String name, RequestTarget target) {
        int index = name.isEmpty() ? -1 : names.indexOf(name);
        return index < 0 ? null : target.routedSegment(index);
    }
}
