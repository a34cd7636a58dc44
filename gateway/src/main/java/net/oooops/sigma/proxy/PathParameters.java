package net.oooops.sigma.proxy;

import java.util.ArrayList;
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
        List<String> names = new ArrayList<>(segments.size());
        boolean named = false;
        for (String segment : segments) {
            boolean isName = segment.startsWith(":") && segment.length() > 1;
            names.add(isName ? segment.substring(1) : "");
            named |= isName;
        }
        return named ? new PathParameters(List.copyOf(names)) : NONE;
    }

    /** What stands for that name in a path that the Route was found by; null where the Route has no such name. */
    public @Nullable String value(String name, RequestTarget target) {
        int index = name.isEmpty() ? -1 : names.indexOf(name);
        return index < 0 ? null : target.routedSegment(index);
    }
}
