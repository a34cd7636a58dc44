package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Checks a value against a JSON Schema (2020-12), of which it knows the part named in {@link SchemaKeywords}. Of each value that
 * does not fit, the first reason is reported, in the words of the schema's own {@code x-expected} where it has one.
 */
final class SchemaCheck {

    private final SchemaRefs refs;
    private final Problems problems;
    private final LeafCheck leaves;
    private final AlternativesCheck alternatives;

    SchemaCheck(SchemaRefs refs, Problems problems) {
        this.refs = refs;
        this.problems = problems;
        this.leaves = new LeafCheck(refs, problems);
        this.alternatives = new AlternativesCheck(this, refs, problems);
    }

    void check(Json schema, Json value) {
        if (value.isSettled()) {
            return;
        }
        if (!leaves.isOfType(schema, value)) {
            return;
        }
        Json ref = schema.get("$ref");
        if (ref != null) {
            check(refs.resolve(ref.text()), value);
        }
        if (problems.has(value)) {
            return;
        }
        leaves.check(schema, value);
        switch (value.kind()) {
            case OBJECT -> object(schema, value);
            case ARRAY -> array(schema, value);
            default -> {}
        }
        if (!problems.has(value)) {
            alternatives.check(schema, value);
        }
    }

    private void object(Json schema, Json value) {
        Json properties = schema.get("properties");
        Map<String, Json> known = properties == null ? Map.of() : properties.members();
        List<String> meant = new ArrayList<>();
        for (Json member : value.members().values()) {
            Json names = schema.get("propertyNames");
            if (names != null) {
                check(names, member.key());
            }
            Json at = known.get(member.step());
            Json other = at == null ? refs.other(schema, member) : at;
            if (other == null) {
                continue;
            }
            if (other.kind() == Json.Kind.OBJECT) {
                check(other, member);
            } else if (!other.isTrue()) {
                meant.add(unknown(schema, known, member));
            }
        }
        for (Json required : schema.itemsOf("required")) {
            String key = required.text();
            if (value.get(key) == null && !meant.contains(key)) {
                Json lacking = known.get(key);
                problems.missing(
                        value, key, lacking == null ? "one" : Json.quoted(key) + ", " + refs.expected(lacking));
            }
        }
        count(value, value.members().size(), " keys", bounds(schema, "minProperties", "maxProperties"));
    }

    /** Reports an unknown key; returns the known one that was meant, or an empty text. */
    private String unknown(Json schema, Map<String, Json> known, Json member) {
        UnknownKey meant = UnknownKey.of(member, known.keySet(), refs);
        String found = "unknown key " + Json.quoted(member.step());
        problems.key(member, found, meant.expected(schema, known.keySet()), meant.nearest());
        return meant.nearest() == null ? "" : meant.nearest();
    }

    private void array(Json schema, Json value) {
        count(value, value.items().size(), " entries", bounds(schema, "minItems", "maxItems"));
        Json items = schema.get("items");
        boolean unique = schema.flag("uniqueItems", false);
        Set<@Nullable Object> seen = new HashSet<>();
        for (Json item : value.unknown()) {
            if (items != null) {
                check(items, item);
            }
            if (unique && !seen.add(item.plain())) {
                problems.value(item, item.shown() + " a second time", "each entry once", null);
            }
        }
    }

    /** How many there may be of something. */
    private record Bounds(int least, int most) {}

    private static Bounds bounds(Json schema, String least, String most) {
        return new Bounds(schema.integer(least, 0), schema.integer(most, Integer.MAX_VALUE));
    }

    private void count(Json value, int count, String what, Bounds bounds) {
        if (count < bounds.least) {
            problems.value(value, count + what, "at least " + bounds.least, null);
        } else if (count > bounds.most) {
            problems.value(value, count + what, "at most " + bounds.most, null);
        }
    }
}
