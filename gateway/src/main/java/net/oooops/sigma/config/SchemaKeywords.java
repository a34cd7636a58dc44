package net.oooops.sigma.config;

import java.util.Collection;
import java.util.List;
import java.util.Set;

/**
 * The part of JSON Schema (2020-12) that configuration is checked with. A schema that uses anything else is refused, rather than
 * half of it left unchecked.
 */
final class SchemaKeywords {

    private static final Set<String> KNOWN = Set.of(
            "type",
            "enum",
            "const",
            "$ref",
            "$defs",
            "properties",
            "patternProperties",
            "additionalProperties",
            "required",
            "propertyNames",
            "minProperties",
            "maxProperties",
            "items",
            "minItems",
            "maxItems",
            "uniqueItems",
            "pattern",
            "minLength",
            "maxLength",
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "allOf",
            "anyOf",
            "oneOf",
            "format",
            "title",
            "description",
            "default",
            "examples",
            "deprecated",
            "$comment",
            "$schema",
            "$id",
            "x-expected",
            "x-expected-key",
            "x-minimum",
            "x-maximum",
            Variables.KEYWORD,
            SecretReader.KEYWORD);
    private static final List<String> BY_NAME = List.of("properties", "patternProperties", "$defs");
    private static final List<String> ONE = List.of("items", "additionalProperties", "propertyNames");
    private static final List<String> SEVERAL = List.of("allOf", "anyOf", "oneOf");

    private SchemaKeywords() {}

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
        for (String keyword : schema.members().keySet()) {
            if (!KNOWN.contains(keyword)) {
                String known = String.join(", ", KNOWN.stream().sorted().toList());
                throw new IllegalArgumentException(
                        schema.pointer() + ": keyword \"" + keyword + "\" (expected: one of " + known + ")");
            }
        }
        rebase(schema, place);
        for (String keyword : BY_NAME) {
            Json named = schema.get(keyword);
            if (named != null) {
                adoptAll(named.members().values(), place);
            }
        }
        for (String keyword : ONE) {
            Json one = schema.get(keyword);
            if (one != null && one.kind() != Json.Kind.BOOLEAN) {
                adopt(one, place);
            }
        }
        for (String keyword : SEVERAL) {
            adoptAll(schema.itemsOf(keyword), place);
        }
    }

    private static void adoptAll(Collection<Json> schemas, String place) {
        for (Json schema : schemas) {
            adopt(schema, place);
        }
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
