package net.oooops.sigma.testkit;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Header or trailer lines in the order in which they came. Names are compared without case (RFC 9110 section 5.1). Immutable.
 *
 * @param all every line, in order
 */
public record Headers(List<Header> all) {
    /** No lines. */
    public static final Headers NONE = new Headers(List.of());

    /** Takes a copy of the lines. */
    public Headers {
        all = List.copyOf(all);
    }

    /** The value of the first line of that name, or null. */
    public @Nullable String first(String name) {
        for (Header header : all) {
            if (header.name().equalsIgnoreCase(name)) {
                return header.value();
            }
        }
        return null;
    }

    /** The values of all lines of that name, in order. */
    public List<String> values(String name) {
        return all.stream()
                .filter(header -> header.name().equalsIgnoreCase(name))
                .map(Header::value)
                .toList();
    }

    /** How many lines of that name there are. */
    public int count(String name) {
        return values(name).size();
    }

    /** Whether there is a line of that name. */
    public boolean has(String name) {
        return first(name) != null;
    }

    /** The names of all lines as written, in order. */
    public List<String> names() {
        return all.stream().map(Header::name).toList();
    }

    /** The lines, each ended by a line feed. */
    @Override
    public String toString() {
        return all.stream().map(header -> header + "\n").collect(Collectors.joining());
    }
}
