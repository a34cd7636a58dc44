package net.oooops.sigma.plugins.rewritequery;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of queries. Names are those that parameters have when they are decoded, each character one byte; what is written is encoded.
 * Immutable.
 *
 * @param kept the names that stay, null for all
 * @param removed the names that don't
 * @param renamed by name the new one
 * @param set by name the parameter as it is written
 * @param added the parameters as they are written
 */
record Steps(
        @Nullable Set<String> kept,
        Set<String> removed,
        Map<String, Renamed> renamed,
        Map<String, String> set,
        List<String> added) {
    /** A new name: as it is compared, and as it is written. */
    record Renamed(String name, String written) {}

    /** The query after all steps; empty where nothing is left, equal to {@code query} where nothing changes. */
    String apply(String query) {
        StringBuilder out = new StringBuilder(query.length() + 64);
        Map<String, String> toSet = set.isEmpty() ? Map.of() : new LinkedHashMap<>(set);
        int at = 0;
        while (at <= query.length() && !query.isEmpty()) {
            int mark = query.indexOf('&', at);
            int end = mark < 0 ? query.length() : mark;
            one(query, at, end, toSet, out);
            at = end + 1;
        }
        toSet.values().forEach(each -> append(out, each, 0, each.length()));
        added.forEach(each -> append(out, each, 0, each.length()));
        return out.isEmpty() ? "" : out.substring(1);
    }

    private void one(String query, int from, int end, Map<String, String> toSet, StringBuilder out) {
        int equals = query.indexOf('=', from, end);
        int nameEnd = equals < 0 ? end : equals;
        String name = QueryText.decoded(query, from, nameEnd);
        if ((kept != null && !kept.contains(name)) || removed.contains(name)) {
            return;
        }
        Renamed other = renamed.get(name);
        String now = other == null ? name : other.name();
        if (set.containsKey(now)) {
            // The first one gives the place, the others go.
            String written = toSet.remove(now);
            if (written != null) {
                append(out, written, 0, written.length());
            }
        } else if (other != null) {
            append(out, other.written(), 0, other.written().length());
            out.append(query, nameEnd, end);
        } else {
            append(out, query, from, end);
        }
    }

    private static void append(StringBuilder out, String text, int from, int end) {
        out.append('&').append(text, from, end);
    }
}
