package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.Collection;
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

    /** How many keys are listed beside the one that was probably meant. */
    private static final int LISTED_MAX = 6;

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
        String key = member.step();
        Json holder = member.parent();
        String place = PlacedKey.place(holder == null ? "" : holder.pointer());
        String target = PlacedKey.of(key, place);
        String nearest;
        String elsewhere;
        if (target != null) {
            nearest = PlacedKey.here(target, place, known.keySet());
            elsewhere = PlacedKey.words(target, place);
        } else {
            elsewhere = isPlugin(key, place)
                    ? Json.quoted(key) + " in \"plugin\" of a server, router, route or proxy-pass"
                    : null;
            nearest = elsewhere == null ? nearest(key, known.keySet()) : null;
            elsewhere = elsewhere == null && PlacedKey.isHolder(place) ? ForeignWord.keyElsewhere(key) : elsewhere;
        }
        String found = "unknown key " + Json.quoted(key);
        String expected = nearest != null || elsewhere == null
                ? schema.text("x-expected-key", listed(known.keySet(), nearest))
                : elsewhere + here(known.keySet());
        problems.key(member, found, expected, nearest);
        return nearest == null ? "" : nearest;
    }

    private static @Nullable String nearest(String key, Collection<String> known) {
        String here = ForeignWord.keyHere(key, known);
        return here == null ? Nearest.of(key, known) : here;
    }

    /** Whether it is the name of a plugin, which stands where none does. */
    private boolean isPlugin(String key, String place) {
        return PlacedKey.isHolder(place) && !place.equals("/plugin") && refs.isAt("/$defs/plugin/properties", key);
    }

    private static String here(Collection<String> names) {
        return names.isEmpty() || names.size() > LISTED_MAX ? "" : "; here: " + listed(names, null);
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

    private static String listed(Collection<String> names, @Nullable String nearest) {
        if (nearest != null && names.size() > LISTED_MAX) {
            return "one of " + names.size() + " keys";
        }
        return names.isEmpty()
                ? "no keys"
                : String.join(", ", names.stream().map(Json::quoted).toList());
    }
}
