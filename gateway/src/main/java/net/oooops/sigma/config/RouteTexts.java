package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one file while it is read, beside those that were in it before. Mostly they are the same, in the same order: each is looked for
 * behind the last one whose text was there. Where that isn't so, there is another place to look at: where those begin that were passed over, or,
 * after one that had to be read, behind the one with its id. The latter is a guess, as an id is unique only within its router. For one thread.
 */
final class RouteTexts {
    /** So many are looked through before all are put into a map: mostly some were changed, added or removed. */
    private static final int NEAR = 8;

    private static final int NOWHERE = -1;

    private String textBefore;
    private List<RouteText> before;
    private final List<RouteJson> read = new ArrayList<>();
    /** Where in those before each id is, in their order; null until that is needed. */
    private @Nullable Map<String, List<Integer>> byId;

    private int next;
    /** The same as {@link #next} where there is none. */
    private int other;

    /**
     * @param textBefore of the file as it was
     * @param before the routes in it that were right
     */
    RouteTexts(String textBefore, List<RouteText> before) {
        this.textBefore = textBefore;
        this.before = before;
    }

    /** The route that begins there, where it is one of the next that were there before; null where it has to be read. */
    @Nullable RouteText known(String text, int start) {
        int found = find(text, start, next);
        if (found == NOWHERE && other != next) {
            found = find(text, start, other);
        }
        if (found == NOWHERE) {
            return null;
        }
        other = found == next ? found + 1 : next;
        next = found + 1;
        return before.get(found).movedTo(start);
    }

    private int find(String text, int start, int from) {
        for (int i = from; i < nearEnd(from); i++) {
            RouteText candidate = before.get(i);
            if (text.regionMatches(start, textBefore, candidate.start(), candidate.length())) {
                return i;
            }
        }
        return NOWHERE;
    }

    private int nearEnd(int from) {
        return Math.min(before.size(), from + NEAR);
    }

    /** One that was there before. */
    void add(RouteJson route) {
        read.add(route);
    }

    /** One that had to be read. */
    void addRead(RouteJson route) {
        read.add(route);
        if (!before.isEmpty()) {
            int same = indexOf(route.text("id", ""), Math.max(next, other));
            other = same == NOWHERE ? other : same + 1;
        }
    }

    /** Where an id is: the first place from one on, else the first of all. */
    private int indexOf(String id, int from) {
        for (int i = from; i < nearEnd(from); i++) {
            if (id(before.get(i)).equals(id)) {
                return i;
            }
        }
        List<Integer> places = byId().getOrDefault(id, List.of());
        if (places.isEmpty()) {
            return NOWHERE;
        }
        int found = Collections.binarySearch(places, from);
        int at = found < 0 ? -found - 1 : found;
        return places.get(at < places.size() ? at : 0);
    }

    private Map<String, List<Integer>> byId() {
        Map<String, List<Integer>> all = byId;
        if (all == null) {
            all = new HashMap<>();
            for (int i = 0; i < before.size(); i++) {
                all.computeIfAbsent(id(before.get(i)), _ -> new ArrayList<>(1)).add(i);
            }
            byId = all;
        }
        return all;
    }

    private static String id(RouteText route) {
        return Objects.requireNonNull(route.route()).id();
    }

    /** The file is read: nobody asks any more for those that were there before. Their text is as large as the file. */
    void end() {
        textBefore = "";
        before = List.of();
        byId = null;
    }

    /** How many were looked at. */
    int lookedAtCount() {
        int count = 0;
        for (RouteJson each : read) {
            count += each.isLookedAt() ? 1 : 0;
        }
        return count;
    }

    /** Those that were read and are right, in their order. */
    List<RouteText> right(Problems warnings) {
        List<RouteText> all = new ArrayList<>(read.size());
        for (RouteJson each : read) {
            RouteText right = each.right(warnings);
            if (right != null) {
                all.add(right);
            }
        }
        return all;
    }
}
