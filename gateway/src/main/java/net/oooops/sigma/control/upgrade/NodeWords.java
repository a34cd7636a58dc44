package net.oooops.sigma.control.upgrade;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Steering.Use;
import net.oooops.sigma.upstream.Upstream;
import org.jspecify.annotations.Nullable;

/** What operators have said of nodes, as a gateway tells it the one after it: {@code [{"upstream": "a", "node": "10.0.0.1:80", "weight": 3, "use": "drained"}]}. */
final class NodeWords {
    private static final String UPSTREAM = "upstream";
    private static final String NODE = "node";
    private static final String WEIGHT = "weight";
    private static final String USE = "use";

    private NodeWords() {}

    static List<Map<String, Object>> of(List<Upstream> upstreams) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Upstream upstream : upstreams) {
            upstream.said().forEach((node, said) -> {
                Map<String, Object> word = new LinkedHashMap<>();
                word.put(UPSTREAM, upstream.id());
                word.put(NODE, node);
                word.put(WEIGHT, said.weight());
                word.put(USE, said.use().name().toLowerCase(Locale.ROOT));
                all.add(word);
            });
        }
        return all;
    }

    /** They hold from now on; what isn't understood was said to another version, and is left out. */
    static void say(@Nullable Object words, List<Upstream> upstreams) {
        Map<String, Map<String, Steering>> byUpstream = new LinkedHashMap<>();
        if (words instanceof List<?> all) {
            all.forEach(each -> add(each, byUpstream));
        }
        for (Upstream each : upstreams) {
            Map<String, Steering> said = byUpstream.get(each.id());
            if (said != null) {
                each.hear(said);
            }
        }
    }

    private static void add(Object each, Map<String, Map<String, Steering>> byUpstream) {
        if (each instanceof Map<?, ?> word) {
            Steering said = steering(word);
            if (said != null && word.get(NODE) instanceof String node) {
                byUpstream
                        .computeIfAbsent(String.valueOf(word.get(UPSTREAM)), id -> new LinkedHashMap<>())
                        .put(node, said);
            }
        }
    }

    private static @Nullable Steering steering(Map<?, ?> word) {
        try {
            Use use = Use.valueOf(String.valueOf(word.get(USE)).toUpperCase(Locale.ROOT));
            return word.get(WEIGHT) instanceof Integer weight ? new Steering(weight, use) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
