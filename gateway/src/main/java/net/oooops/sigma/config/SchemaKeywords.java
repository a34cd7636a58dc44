package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import net.oooops.sigma.config.Json.Kind;

/**
 * The part of JSON Schema (2020-12) that configuration is checked with. A schema that uses anything else is refused, rather than
 * half of it left unchecked.
 */
final class SchemaKeywords {

    private static final Map<String, Set<Kind>> KNOWN = new HashMap<>();

    static {
        known(Set.of(Kind.STRING, Kind.ARRAY), "type");
        known(Set.of(Kind.ARRAY), "enum", "required", "allOf", "anyOf", "oneOf", "examples");
        known(Set.of(Kind.OBJECT), "$defs", "properties", "patternProperties");
        known(Set.of(Kind.OBJECT, Kind.BOOLEAN), "additionalProperties", "items", "propertyNames");
        known(Set.of(Kind.STRING), "$ref", "pattern", "format", "title", "description", "$comment", "$schema", "$id");
        known(Set.of(Kind.STRING), "x-expected", "x-expected-key", PluginRole.KEYWORD);
        known(Set.of(Kind.STRING, Kind.NUMBER), "x-minimum", "x-maximum");
        known(Set.of(Kind.NUMBER), "minProperties", "maxProperties", "minItems", "maxItems", "minLength", "maxLength");
        known(Set.of(Kind.NUMBER), "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum");
        known(Set.of(Kind.BOOLEAN), "uniqueItems", "deprecated");
        known(Set.of(Kind.BOOLEAN), Variables.KEYWORD, SecretReader.KEYWORD, PathReader.KEYWORD, PluginRole.ANSWERS);
        known(EnumSet.allOf(Kind.class), "const", "default");
    }

    /** So many references may lead from one to the next. */
    private static final int REFERENCES_MAX = 100;

    private static final List<String> BY_NAME = List.of("properties", "patternProperties", "$defs");
    private static final List<String> ONE = List.of("items", "additionalProperties", "propertyNames");
    private static final List<String> SEVERAL = List.of("allOf", "anyOf", "oneOf");

    private SchemaKeywords() {}

    private static void known(Set<Kind> kinds, String... keywords) {
        for (String keyword : keywords) {
            KNOWN.put(keyword, kinds);
        }
    }

    /**
     * Puts a plugin's schema at its place in the whole: checks its keywords, and makes its references lead from there.
     *
     * @param schema changed in place
     * @param place the JSON Pointer of the schema in the whole, after {@code #}
     * @throws IllegalArgumentException naming what cannot be used
     */
    static void adopt(Json schema, String place) {
        if (schema.kind() != Json.Kind.OBJECT) {
            throw new IllegalArgumentException(
                    schema.pointer() + ": " + schema.shown() + " (expected: a schema object)");
        }
        schema.members().forEach((keyword, value) -> require(schema, keyword, value));
        rebase(schema, place);
        for (Json each : inner(schema)) {
            adopt(each, place);
        }
    }

    private static void require(Json schema, String keyword, Json value) {
        Set<Kind> kinds = KNOWN.get(keyword);
        if (kinds == null) {
            String known = String.join(", ", KNOWN.keySet().stream().sorted().toList());
            throw new IllegalArgumentException(
                    schema.pointer() + ": keyword \"" + keyword + "\" (expected: one of " + known + ")");
        }
        if (!kinds.contains(value.kind())) {
            String words = kinds.stream()
                    .map(kind -> kind.name().toLowerCase(Locale.ROOT))
                    .sorted()
                    .collect(Collectors.joining(" or "));
            throw new IllegalArgumentException(value.pointer() + ": " + value.shown() + " (expected: " + words + ")");
        }
        if (keyword.equals(PluginRole.KEYWORD)) {
            PluginRole.require(value);
        }
    }

    /**
     * Looks at what a schema that was adopted refers to, and at its patterns.
     *
     * @throws IllegalArgumentException naming what can't be used
     */
    static void requireRefs(Json schema, SchemaRefs refs) {
        Json ref = schema.get("$ref");
        for (int count = 0; ref != null; count++) {
            Json target = refs.resolve(ref.text());
            if (count == REFERENCES_MAX) {
                throw new IllegalArgumentException("$ref: " + ref.shown() + " (expected: no reference to itself)");
            }
            ref = target.get("$ref");
        }
        Json pattern = schema.get("pattern");
        if (pattern != null) {
            requirePattern(pattern.text(), pattern, refs);
        }
        Json patterns = schema.get("patternProperties");
        if (patterns != null) {
            patterns.members().forEach((regexp, of) -> requirePattern(regexp, of, refs));
        }
        for (Json each : inner(schema)) {
            requireRefs(each, refs);
        }
    }

    private static void requirePattern(String regexp, Json at, SchemaRefs refs) {
        try {
            refs.pattern(regexp);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    at.pointer() + ": " + Json.quoted(regexp) + " (expected: a regular expression: "
                            + e.getDescription() + ")",
                    e);
        }
    }

    /** Whether a schema, or one in it, says a keyword that is true or false. */
    static boolean says(Json schema, String keyword) {
        return schema.flag(keyword, false) || inner(schema).stream().anyMatch(each -> says(each, keyword));
    }

    /** All schemas directly in one. */
    private static List<Json> inner(Json schema) {
        List<Json> inner = new ArrayList<>();
        for (String keyword : BY_NAME) {
            Json named = schema.get(keyword);
            if (named != null) {
                inner.addAll(named.members().values());
            }
        }
        for (String keyword : ONE) {
            Json one = schema.get(keyword);
            if (one != null && one.kind() != Kind.BOOLEAN) {
                inner.add(one);
            }
        }
        for (String keyword : SEVERAL) {
            inner.addAll(schema.itemsOf(keyword));
        }
        return inner;
    }

    private static void rebase(Json schema, String place) {
        Json ref = schema.get("$ref");
        if (ref == null) {
            return;
        }
        if (!ref.text().startsWith("#")) {
            throw new IllegalArgumentException(
                    ref.pointer() + ": " + ref.shown() + " (expected: a reference that begins with #)");
        }
        schema.members().put("$ref", ref.withText("#" + place + ref.text().substring(1)));
    }
}
