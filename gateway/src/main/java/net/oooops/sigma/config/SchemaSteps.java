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

    /** Whether the schema is going to say of a value, or of one around it, that its key isn't known. */
    boolean isUnknown(Json value) {
        Json at = value;
        for (Json parent = at.parent(); parent != null; at = parent, parent = at.parent()) {
            List<Json> schemas = all(of(parent));
            if (!schemas.isEmpty()) {
                Json member = at;
                return of(at).isEmpty() && schemas.stream().anyMatch(schema -> isRefused(member(schema, member)));
            }
        }
        return false;
    }

    private static boolean isRefused(@Nullable Json schema) {
        return schema != null && schema.kind() == Json.Kind.BOOLEAN && !schema.isTrue();
    }

    /** Whether one of the schemas for the place where a value hangs says a keyword, which is true or false. */
    boolean says(Json value, String keyword) {
        return says(of(value), keyword);
    }

    /** Whether one of those schemas, or of what they lead to, says a keyword, which is true or false. */
    boolean says(List<Json> schemas, String keyword) {
        return all(schemas).stream().anyMatch(each -> each.flag(keyword, false));
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
