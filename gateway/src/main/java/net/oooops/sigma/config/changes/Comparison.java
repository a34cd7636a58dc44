package net.oooops.sigma.config.changes;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * All of one kind in one configuration, each by its name, with what there is to compare of it by the keys of sigma.json. For one thread.
 *
 * @param title what the kind is called
 * @param named what there is
 */
record Comparison(String title, Map<String, Object> named) {
    /** The part of what has no parts. */
    static final String ITSELF = "";

    /** None yet. */
    static Comparison of(String title) {
        return new Comparison(title, new LinkedHashMap<>());
    }

    /**
     * One more. Where its name is another's already, it gets a number.
     *
     * @param thing its parts, or what {@link Parts} knows the parts of: most are equal, and aren't taken apart
     */
    void add(String name, Object thing) {
        String free = name;
        for (int i = 2; named.containsKey(free); i++) {
            free = name + " #" + i;
        }
        named.put(free, thing);
    }

    /** What is different in the new one. */
    Changes.Kind to(Comparison now) {
        return to(now, null);
    }

    /**
     * What is different in the new one.
     *
     * @param more what else is different of one that is in both, by its name
     */
    Changes.Kind to(Comparison now, @Nullable Function<String, List<String>> more) {
        List<String> added = new ArrayList<>();
        List<Changes.Changed> changed = new ArrayList<>();
        int keptCount = 0;
        for (Map.Entry<String, Object> each : now.named.entrySet()) {
            String name = each.getKey();
            Object before = named.get(name);
            if (before == null) {
                added.add(name);
                continue;
            }
            List<String> itself =
                    before.equals(each.getValue()) ? List.of() : different(Parts.of(before), Parts.of(each.getValue()));
            List<String> what = together(itself, more == null ? List.of() : more.apply(name));
            if (what.isEmpty()) {
                keptCount++;
            } else {
                changed.add(new Changes.Changed(name, what.equals(List.of(ITSELF)) ? List.of() : what));
            }
        }
        List<String> removed = new ArrayList<>(named.keySet());
        removed.removeAll(now.named.keySet());
        return new Changes.Kind(title, added, changed, removed, keptCount);
    }

    private static List<String> together(List<String> first, List<String> then) {
        if (first.isEmpty() || then.isEmpty()) {
            return first.isEmpty() ? then : first;
        }
        List<String> all = new ArrayList<>(first);
        all.addAll(then);
        return all;
    }

    /** The keys of the parts that aren't the same. */
    static List<String> different(Map<String, @Nullable Object> before, Map<String, @Nullable Object> after) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(before);
        all.putAll(after);
        List<String> different = new ArrayList<>();
        for (String key : all.keySet()) {
            if (!Objects.equals(before.get(key), after.get(key))) {
                different.add(key);
            }
        }
        return different;
    }
}
