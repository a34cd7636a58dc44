package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Finds what a schema says of the place of a value, before the value is known to fit. */
final class SchemaSteps {
    private static final List<String> BESIDE = List.of("allOf", "anyOf", "oneOf");

    private final SchemaRefs refs;
    private final Json root;

    /** @param root the schema of the whole */
    SchemaSteps(SchemaRefs refs, Json root) {
        this.refs = refs;
        this.root = root;
    }

    /** The schemas for the place where a value hangs; none where no schema says anything of it. */
    List<Json> of(Json value) {
        Json parent = value.parent();
        if (parent == null) {
            return List.of(root);
        }
        List<Json> found = new ArrayList<>();
        for (Json schema : all(of(parent))) {
            Json next = parent.kind() == Json.Kind.ARRAY ? schema.get("items") : member(schema, value);
            if (next != null && next.kind() == Json.Kind.OBJECT) {
                found.add(next);
            }
        }
        return found;
    }

    private @Nullable Json member(Json schema, Json value) {
        Json properties = schema.get("properties");
        Json known = properties == null ? null : properties.get(value.step());
        return known == null ? refs.other(schema, value) : known;
    }

    /** Those schemas, with all that they refer to and all of their alternatives. */
    List<Json> all(List<Json> schemas) {
        List<Json> all = new ArrayList<>();
        Set<Json> seen = Collections.newSetFromMap(new IdentityHashMap<>());
        for (Json schema : schemas) {
            collect(schema, all, seen);
        }
        return all;
    }

    private void collect(Json schema, List<Json> all, Set<Json> seen) {
        if (!seen.add(schema)) {
            return;
        }
        all.add(schema);
        Json ref = schema.get("$ref");
        if (ref != null) {
            collect(refs.resolve(ref.text()), all, seen);
        }
        for (String keyword : BESIDE) {
            for (Json each : schema.itemsOf(keyword)) {
                collect(each, all, seen);
            }
        }
    }

    /** Whether values of a kind are named among the types and values of one of those schemas, or of what they lead to. */
    boolean take(List<Json> schemas, Json.Kind kind) {
        for (Json schema : all(schemas)) {
            boolean says = schema.get("type") != null || schema.get("const") != null || schema.get("enum") != null;
            if (says && refs.isFor(schema, kind) && isAmong(schema.itemsOf("enum"), kind)) {
                return true;
            }
        }
        return false;
    }

    private static boolean isAmong(List<Json> allowed, Json.Kind kind) {
        return allowed.isEmpty() || allowed.stream().anyMatch(each -> each.kind() == kind);
    }
}
