package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The routes of one file while it is read, beside those that were in it before. Mostly they are the same, in the same order: after one that isn't, it goes on
 * behind the one of the same id. For one thread.
 */
final class RouteTexts {
    /** So many are looked through before all are put into a map: mostly some were changed, added or removed. */
    private static final int NEAR = 8;

    private final String textBefore;
    private final List<RouteText> before;
    private final List<RouteJson> read = new ArrayList<>();
    /** Where in those before each id is; null until that is needed. */
    private @Nullable Map<String, Integer> byId;

    private int next;

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
        for (int i = next; i < nearEnd(); i++) {
            RouteText candidate = before.get(i);
            if (text.regionMatches(start, textBefore, candidate.start(), candidate.length())) {
                next = i + 1;
                return candidate.movedTo(start);
            }
        }
        return null;
    }

    private int nearEnd() {
        return Math.min(before.size(), next + NEAR);
    }

    /** One that was there before. */
    void add(RouteJson route) {
        read.add(route);
    }

    /** One that had to be read. */
    void addRead(RouteJson route) {
        read.add(route);
        if (!before.isEmpty()) {
            int same = indexOf(route.text("id", ""));
            next = same < 0 ? next : same + 1;
        }
    }

    private int indexOf(String id) {
        for (int i = next; i < nearEnd(); i++) {
            if (id(before.get(i)).equals(id)) {
                return i;
            }
        }
        Map<String, Integer> all = byId;
        if (all == null) {
            all = new HashMap<>();
            for (int i = 0; i < before.size(); i++) {
                all.put(id(before.get(i)), i);
            }
            byId = all;
        }
        return all.getOrDefault(id, -1);
    }

    private static String id(RouteText route) {
        return Objects.requireNonNull(route.route()).id();
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
