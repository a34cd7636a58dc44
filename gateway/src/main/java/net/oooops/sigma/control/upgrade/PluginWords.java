package net.oooops.sigma.control.upgrade;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.snapshot.Left;

/** What plugins leave to those of another process, as one process says it to the other: once for all places that leave the same. */
final class PluginWords {
    private static final String BYTES = "bytes";
    private static final String PLACES = "places";

    private PluginWords() {}

    static List<Map<String, Object>> of(List<Left> left) {
        Map<String, List<Object>> places = new LinkedHashMap<>();
        for (Left each : left) {
            places.computeIfAbsent(each.bytes(), _ -> new ArrayList<>())
                    .add(List.of(each.owner(), each.plugin(), each.number()));
        }
        List<Map<String, Object>> all = new ArrayList<>();
        places.forEach((bytes, where) -> all.add(Map.of(BYTES, bytes, PLACES, where)));
        return all;
    }

    /** What isn't understood is said by another version, and left alone. */
    static List<Left> read(List<?> said) {
        List<Left> left = new ArrayList<>();
        for (Object each : said) {
            if (each instanceof Map<?, ?> one
                    && one.get(BYTES) instanceof String bytes
                    && one.get(PLACES) instanceof List<?> places) {
                places.forEach(place -> read(place, bytes, left));
            }
        }
        return left;
    }

    private static void read(Object place, String bytes, List<Left> to) {
        if (place instanceof List<?> parts
                && parts.size() == 3
                && parts.get(0) instanceof String owner
                && parts.get(1) instanceof String plugin
                && parts.get(2) instanceof Number number) {
            to.add(new Left(owner, plugin, number.intValue(), bytes));
        }
    }
}
