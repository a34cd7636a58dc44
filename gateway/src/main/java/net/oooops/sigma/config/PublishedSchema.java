package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The schema as editors get it. Sigma checks what stands in the place of variables and secrets; an editor sees these, so that here each value that may be
 * written as one has that as an alternative. What an editor shows and completes (descriptions, defaults, keys) stays where it was.
 */
final class PublishedSchema {
    /** What says something about a value, but asks nothing of it. */
    private static final Set<String> SAYING =
            Set.of("title", "description", "default", "examples", "deprecated", "$comment", "$defs", "$schema", "$id");

    private static final Set<String> BY_NAME = Set.of("properties", "patternProperties", "$defs");
    private static final Set<String> ONE = Set.of("items", "additionalProperties");
    private static final Set<String> SEVERAL = Set.of("allOf", "anyOf", "oneOf");

    /** What is written as it is. */
    private static final Set<String> PLAIN = Set.of(
            "/properties/$schema",
            "/properties/include",
            "/properties/include/items",
            "/$defs/variable",
            "/$defs/secret/properties/$file",
            "/$defs/secret/properties/$env");

    private final SchemaSteps steps;

    private PublishedSchema(SchemaSteps steps) {
        this.steps = steps;
    }

    static Json of(ConfigSchema schema) {
        return new PublishedSchema(schema.steps()).opened(schema.root());
    }

    /** The same, with all inside of it as it may be written. */
    private Json opened(Json schema) {
        Map<String, Json> members = new LinkedHashMap<>();
        for (Json member : schema.members().values()) {
            String keyword = member.step();
            Json opened = member;
            if (BY_NAME.contains(keyword)) {
                opened = each(member);
            } else if (ONE.contains(keyword) && member.kind() == Json.Kind.OBJECT) {
                opened = writable(member);
            } else if (SEVERAL.contains(keyword)) {
                opened = array(member.items().stream().map(this::opened).toList());
            }
            members.put(keyword, opened);
        }
        return object(members);
    }

    private Json each(Json named) {
        Map<String, Json> members = new LinkedHashMap<>();
        named.members().forEach((name, schema) -> members.put(name, writable(schema)));
        return object(members);
    }

    /** A schema for a value that may be written in another way than it is checked. */
    private Json writable(Json schema) {
        Json opened = opened(schema);
        Map<String, Json> saying = new LinkedHashMap<>(opened.members());
        Map<String, Json> asking = new LinkedHashMap<>(opened.members());
        saying.keySet().retainAll(SAYING);
        asking.keySet().removeAll(SAYING);
        Set<String> asked = new HashSet<>(asking.keySet());
        asked.removeIf(keyword -> keyword.startsWith("x-"));
        // What only refers to a schema is written as that one says.
        boolean refers = asked.equals(Set.of("$ref"));
        List<Json> others = refers || PLAIN.contains(schema.pointer()) ? List.of() : others(schema, asked);
        if (others.isEmpty()) {
            return opened;
        }
        List<Json> alternatives = new ArrayList<>();
        alternatives.add(object(asking));
        alternatives.addAll(others);
        saying.put("anyOf", array(alternatives));
        return object(saying);
    }

    private List<Json> others(Json schema, Set<String> asked) {
        List<Json> at = List.of(schema);
        boolean text = steps.take(at, Json.Kind.STRING);
        boolean variable = text || steps.take(at, Json.Kind.NUMBER) || steps.take(at, Json.Kind.BOOLEAN);
        List<Json> others = new ArrayList<>();
        // Where any text may be, one with variables may.
        boolean narrow = !asked.equals(Set.of("type")) || !text;
        if (variable && narrow && schema.flag(Variables.KEYWORD, true)) {
            others.add(reference("#/$defs/variable"));
        }
        if (text && steps.says(at, SecretReader.KEYWORD)) {
            others.add(reference("#/$defs/secret"));
        }
        return others;
    }

    private static Json reference(String to) {
        Map<String, Json> members = new LinkedHashMap<>();
        members.put("$ref", new Json(Json.Anchor.ROOT, Json.Kind.STRING, to, 1, 1));
        return object(members);
    }

    private static Json object(Map<String, Json> members) {
        return new Json(Json.Anchor.ROOT, Json.Kind.OBJECT, members, 1, 1);
    }

    private static Json array(List<Json> items) {
        return new Json(Json.Anchor.ROOT, Json.Kind.ARRAY, items, 1, 1);
    }
}
