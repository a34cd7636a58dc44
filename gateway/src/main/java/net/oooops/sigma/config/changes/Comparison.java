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
record Comparison(String title, Map<String, Item<?>> named) {
    /** The part of what has no parts. */
    static final String ITSELF = "";

    /**
     * One of them.
     *
     * @param thing what it is; of equal ones nothing is different
     * @param parts says what there is to compare of it; most are equal, and aren't asked
     */
    record Item<T>(T thing, Function<T, Map<String, @Nullable Object>> parts) {
        Map<String, @Nullable Object> all() {
            return parts.apply(thing);
        }

        List<String> different(Item<?> after) {
            return thing.equals(after.thing) ? List.of() : Comparison.different(all(), after.all());
        }
    }

    /** None yet. */
    static Comparison of(String title) {
        return new Comparison(title, new LinkedHashMap<>());
    }

    /** One more. Where its name is another's already, it gets a number. */
    void add(String name, Map<String, @Nullable Object> parts) {
        add(name, parts, all -> all);
    }

    /** The same, whose parts are found out only where they are needed. */
    <T> void add(String name, T thing, Function<T, Map<String, @Nullable Object>> parts) {
        String free = name;
        for (int i = 2; named.containsKey(free); i++) {
            free = name + " #" + i;
        }
        named.put(free, new Item<>(thing, parts));
    }

    /** What is different in the new one. */
    Changes.Kind to(Comparison now) {
        return to(now, name -> List.of());
    }

    /**
     * What is different in the new one.
     *
     * @param more what else is different of one that is in both, by its name
     */
    Changes.Kind to(Comparison now, Function<String, List<String>> more) {
        List<String> added = new ArrayList<>();
        List<Changes.Changed> changed = new ArrayList<>();
        List<String> kept = new ArrayList<>();
        for (Map.Entry<String, Item<?>> each : now.named.entrySet()) {
            String name = each.getKey();
            Item<?> before = named.get(name);
            if (before == null) {
                added.add(name);
                continue;
            }
            List<String> what = new ArrayList<>(before.different(each.getValue()));
            what.addAll(more.apply(name));
            if (what.isEmpty()) {
                kept.add(name);
            } else {
                changed.add(new Changes.Changed(name, what.equals(List.of(ITSELF)) ? List.of() : what));
            }
        }
        List<String> removed = named.keySet().stream()
                .filter(name -> !now.named.containsKey(name))
                .toList();
        return new Changes.Kind(title, added, changed, removed, kept);
    }

    /** The keys of the parts that aren't the same. */
    static List<String> different(Map<String, @Nullable Object> before, Map<String, @Nullable Object> after) {
        Map<String, @Nullable Object> all = new LinkedHashMap<>(before);
        all.putAll(after);
        return all.keySet().stream()
                .filter(key -> !Objects.equals(before.get(key), after.get(key)))
                .toList();
    }
}
