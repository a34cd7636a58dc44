package net.oooops.sigma.control.upgrade;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import net.oooops.sigma.upstream.SteeredNodes.Word;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Steering.Use;
import org.jspecify.annotations.Nullable;

/**
 * What operators have said of nodes, as one gateway tells it another one: {@code [{"upstream": "a", "node": "10.0.0.1:80", "weight": 3, "use": "drained"}]}, in the order in
 * which it was said.
 */
final class NodeWords {
    private static final String UPSTREAM = "upstream";
    private static final String NODE = "node";
    private static final String WEIGHT = "weight";
    private static final String USE = "use";

    private NodeWords() {}

    static List<Map<String, Object>> of(List<Word> words) {
        List<Map<String, Object>> all = new ArrayList<>();
        for (Word each : words) {
            Map<String, Object> word = new LinkedHashMap<>();
            word.put(UPSTREAM, each.upstream());
            word.put(NODE, each.node());
            word.put(WEIGHT, each.said().weight());
            word.put(USE, each.said().use().name().toLowerCase(Locale.ROOT));
            all.add(word);
        }
        return all;
    }

    /** What isn't understood was said to another version, and is left out. */
    static List<Word> read(List<?> words) {
        List<Word> all = new ArrayList<>();
        for (Object each : words) {
            Word word = each instanceof Map<?, ?> fields ? word(fields) : null;
            if (word != null) {
                all.add(word);
            }
        }
        return all;
    }

    private static @Nullable Word word(Map<?, ?> fields) {
        Steering said = steering(fields);
        return said != null
                        && fields.get(UPSTREAM) instanceof String upstream
                        && fields.get(NODE) instanceof String node
                ? new Word(upstream, node, said)
                : null;
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
