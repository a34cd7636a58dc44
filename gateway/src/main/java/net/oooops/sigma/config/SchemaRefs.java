package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What a schema points to, compiled once: its references and its patterns; and what it expects, in words. Any thread. */
final class SchemaRefs {

    private final Json root;
    private final Map<String, Json> targets = new ConcurrentHashMap<>();
    private final Map<String, Pattern> patterns = new ConcurrentHashMap<>();

    SchemaRefs(Json root) {
        this.root = root;
    }

    /** The schema that the text of a {@code $ref} names, a JSON Pointer after {@code #}. */
    Json resolve(String ref) {
        Json target = targets.get(ref);
        if (target == null) {
            target = find(ref);
            targets.put(ref, target);
        }
        return target;
    }

    private Json find(String ref) {
        Json at = root;
        for (String step : ref.substring(1).split("/", -1)) {
            Json next = step.isEmpty() ? at : at.get(step.replace("~1", "/").replace("~0", "~"));
            if (next == null) {
                throw new IllegalArgumentException("$ref: \"" + ref + "\" (expected: a place in the schema)");
            }
            at = next;
        }
        return at;
    }

    Pattern pattern(String regexp) {
        Pattern pattern = patterns.get(regexp);
        if (pattern == null) {
            pattern = Pattern.compile(regexp);
            patterns.put(regexp, pattern);
        }
        return pattern;
    }

    /** The schema for a key that is not among the properties; null where any value is allowed. */
    @Nullable Json other(Json schema, Json member) {
        Json patterns = schema.get("patternProperties");
        if (patterns != null) {
            for (Json pattern : patterns.members().values()) {
                if (pattern(pattern.step()).matcher(member.step()).find()) {
                    return pattern;
                }
            }
        }
        return schema.get("additionalProperties");
    }

    /** Whether a schema may fit values of a kind, as far as its types and values tell. */
    boolean isFor(Json schema, Json.Kind kind) {
        Json ref = schema.get("$ref");
        Json constant = schema.get("const");
        Json type = schema.get("type");
        if (ref != null && !isFor(resolve(ref.text()), kind)) {
            return false;
        }
        if (constant != null) {
            return constant.kind() == kind;
        }
        if (type == null) {
            return true;
        }
        for (Json name : type.itemsOrSelf()) {
            String word = name.text().equals("integer") ? "number" : name.text();
            if (word.equals(kind.name().toLowerCase(Locale.ROOT))) {
                return true;
            }
        }
        return false;
    }

    /** What a schema expects, in words: its {@code x-expected}, or that of what it refers to, or its values, or its types. */
    String expected(Json schema) {
        Json type = schema.get("type");
        String stated = stated(schema);
        String values = values(schema);
        if (!values.isEmpty()) {
            return values;
        }
        if (type != null) {
            List<String> types = new ArrayList<>();
            for (Json name : type.itemsOrSelf()) {
                boolean text = name.text().equals("string") && !stated.isEmpty();
                types.add(text ? stated : words(name.text()));
            }
            return String.join(", or ", types);
        }
        if (!stated.isEmpty()) {
            return stated;
        }
        Json ref = schema.get("$ref");
        if (ref != null) {
            return expected(resolve(ref.text()));
        }
        List<Json> required = schema.itemsOf("required");
        if (!required.isEmpty()) {
            return required.stream().map(Json::shown).collect(Collectors.joining(" and "));
        }
        Json pattern = schema.get("pattern");
        return pattern == null ? "one of the forms of its schema" : "text that matches " + pattern.text();
    }

    /** The words for the values that a schema lists, or that its alternatives do; empty where it lists none. */
    private String values(Json schema) {
        Json constant = schema.get("const");
        if (constant != null) {
            return oneOf(List.of(constant));
        }
        if (schema.get("enum") != null) {
            return oneOf(schema.itemsOf("enum"));
        }
        List<Json> alternatives = schema.itemsOf("anyOf").isEmpty() ? schema.itemsOf("oneOf") : schema.itemsOf("anyOf");
        for (Json each : alternatives) {
            if (each.get("const") == null && each.get("type") == null) {
                return "";
            }
        }
        return alternatives.isEmpty() ? "" : expected(alternatives);
    }

    /** What alternatives expect, in words. */
    String expected(List<Json> alternatives) {
        List<Json> constants = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (Json each : alternatives) {
            Json constant = each.get("const");
            if (constant != null) {
                constants.add(constant);
            }
            words.add(expected(each));
        }
        return constants.size() == alternatives.size() ? oneOf(constants) : String.join(", or ", words);
    }

    /** The words for a choice of values. */
    static String oneOf(List<Json> allowed) {
        List<String> shown = new ArrayList<>();
        for (Json each : allowed) {
            shown.add(each.shown());
        }
        return (shown.size() > 1 ? "one of " : "") + String.join(", ", shown);
    }

    private String stated(Json schema) {
        Json ref = schema.get("$ref");
        String inherited = ref == null ? "" : stated(resolve(ref.text()));
        return schema.text("x-expected", inherited);
    }

    private static String words(String type) {
        return switch (type) {
            case "object" -> "an object";
            case "array" -> "an array";
            case "string" -> "a string";
            case "integer" -> "an integer";
            case "number" -> "a number";
            case "boolean" -> "true or false";
            default -> type;
        };
    }
}
