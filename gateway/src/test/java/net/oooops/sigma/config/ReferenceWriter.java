package net.oooops.sigma.config;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Writes the reference of sigma.json, in Markdown, from its schema: a section for each object, a table of its keys. */
final class ReferenceWriter {

    private static final String SECRET = " May be a [secret](../guide/configuration.md#secrets).";
    private static final String SECRETS = " Values may be [secrets](../guide/configuration.md#secrets).";

    private final Json root;
    private final SchemaRefs refs;
    private final StringBuilder text = new StringBuilder();
    private final Deque<Section> sections = new ArrayDeque<>();
    private final Set<String> titles = new HashSet<>();

    /** An object to describe: how it is called, and where in the schema it is. */
    private record Section(String title, Json schema) {}

    ReferenceWriter(ConfigSchema schema) {
        this.root = schema.root();
        this.refs = schema.refs();
    }

    String write() {
        text.append("""
                <!-- Written by ReferenceTest from the schema, which `sigma schema` prints; edit the schema instead. -->
                # sigma.json

                %s

                Durations are written `"250ms"`, `"30s"`, `"5m"`, `"1h"`; sizes `"512B"`, `"8KiB"`, `"1MiB"`. A key marked * is needed.
                `./sigma check -conf sigma.json` reports every problem of a file at once.
                """.formatted(description(root)));
        properties(new Section("", root));
        while (!sections.isEmpty()) {
            Section section = sections.pop();
            text.append("\n## ").append(section.title).append('\n');
            String description = sharedDescription(section.schema);
            if (!description.isEmpty()) {
                text.append('\n').append(description).append('\n');
            }
            for (Json example : section.schema.itemsOf("examples")) {
                text.append("\n```json\n").append(JsonText.of(example)).append("```\n");
            }
            properties(section);
        }
        return text.toString();
    }

    private void properties(Section section) {
        Map<String, Json> keys = new LinkedHashMap<>(named(section.schema, "properties"));
        named(section.schema, "patternProperties")
                .forEach((pattern, value) -> keys.put(placeholder(section.schema), value));
        if (keys.isEmpty()) {
            return;
        }
        text.append("\n| key | value | default | meaning |\n|---|---|---|---|\n");
        List<Section> inner = new ArrayList<>();
        keys.forEach((key, value) -> {
            Json object = objectOf(value);
            String title = title(section, key, value);
            String words = words(value);
            if (object != null) {
                words = "[" + words + "](#" + anchor(title) + ")";
                inner.add(new Section(title, value));
            }
            String secret = !isSecret(value) ? "" : words.equals("object") ? SECRETS : SECRET;
            String needed = texts(section.schema, "required").contains(key) ? " *" : "";
            text.append("| `").append(key).append('`').append(needed);
            text.append(" | ").append(cell(words)).append(" | ").append(cell(otherwise(value)));
            text.append(" | ")
                    .append(cell(description(value) + secret + (object == null ? examples(value) : "")))
                    .append(" |\n");
        });
        inner.reversed().stream().filter(each -> titles.add(each.title)).forEach(sections::push);
    }

    private String placeholder(Json schema) {
        return "(" + schema.text("x-expected-key", "any name") + ")";
    }

    /** Sections that several objects share, such as limits, are called by their key alone. */
    private String title(Section section, String key, Json value) {
        String ref = text(value, "$ref");
        boolean shared =
                ref.startsWith("#/$defs/") && !ref.equals("#/$defs/server") && !ref.equals("#/$defs/duration-text");
        return section.title.isEmpty() || shared ? key : section.title + "." + key;
    }

    private static String anchor(String title) {
        return title.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9 -]", "").replace(' ', '-');
    }

    /** The schema of the object that a value is, or may be, or holds; null where it is plain. */
    private @Nullable Json objectOf(Json schema) {
        if (!named(schema, "properties").isEmpty()
                || !named(schema, "patternProperties").isEmpty()) {
            return schema;
        }
        Json items = schema.get("items");
        return items == null ? null : objectOf(items);
    }

    /** The members under a keyword, of the schema, of what it refers to, or of its items. */
    private Map<String, Json> named(Json schema, String keyword) {
        Map<String, Json> all = new LinkedHashMap<>();
        Json ref = schema.get("$ref");
        if (ref != null) {
            all.putAll(named(refs.resolve(ref.text()), keyword));
        }
        Json items = schema.get("items");
        if (items != null) {
            all.putAll(named(items, keyword));
        }
        Json own = schema.get(keyword);
        if (own != null) {
            all.putAll(own.members());
        }
        return all;
    }

    private List<String> texts(Json schema, String keyword) {
        List<String> texts =
                new ArrayList<>(schema.itemsOf(keyword).stream().map(Json::text).toList());
        for (String next : List.of("items", "$ref")) {
            Json inner = schema.get(next);
            if (inner != null) {
                texts.addAll(texts(inner.isText() ? refs.resolve(inner.text()) : inner, keyword));
            }
        }
        return texts;
    }

    private String text(Json schema, String keyword) {
        return schema.text(keyword, "");
    }

    private String description(Json schema) {
        Json ref = schema.get("$ref");
        String inherited = ref == null ? "" : description(refs.resolve(ref.text()));
        return schema.text("description", inherited);
    }

    /** What is said of an object wherever it is used, or here where nothing is. */
    private String sharedDescription(Json schema) {
        Json ref = schema.get("$ref");
        String shared = ref == null ? "" : description(refs.resolve(ref.text()));
        return shared.isEmpty() ? description(schema) : shared;
    }

    private String words(Json schema) {
        List<String> kinds = new ArrayList<>();
        for (String keyword : List.of("enum", "anyOf", "oneOf")) {
            for (Json each : itemsOf(schema, keyword)) {
                kinds.add(keyword.equals("enum") ? code(each) : words(each));
            }
        }
        Json constant = schema.get("const");
        if (constant != null) {
            kinds.add(code(constant));
        }
        if (!kinds.isEmpty() && kinds.stream().noneMatch(String::isEmpty)) {
            return String.join(kinds.size() > 2 ? ", " : " or ", kinds);
        }
        kinds.clear();
        for (Json type : types(schema)) {
            kinds.add(kind(type.text(), schema));
        }
        return String.join(" or ", kinds) + bounds(schema);
    }

    /** Whether it, or what is in it and has no section of its own, may be a secret. */
    private boolean isSecret(Json schema) {
        List<Json> inner = new ArrayList<>(schema.itemsOf("anyOf"));
        for (String keyword : List.of("items", "additionalProperties")) {
            Json next = find(schema, keyword);
            if (next != null && next.kind() == Json.Kind.OBJECT && objectOf(next) == null) {
                inner.add(next);
            }
        }
        Json says = find(schema, SecretReader.KEYWORD);
        return (says != null && says.isTrue()) || inner.stream().anyMatch(this::isSecret);
    }

    /** What stands under a keyword, of the schema or of what it refers to. */
    private @Nullable Json find(Json schema, String keyword) {
        Json own = schema.get(keyword);
        Json ref = schema.get("$ref");
        return own != null || ref == null ? own : find(refs.resolve(ref.text()), keyword);
    }

    private List<Json> itemsOf(Json schema, String keyword) {
        Json found = find(schema, keyword);
        return found == null ? List.of() : found.items();
    }

    private List<Json> types(Json schema) {
        Json type = schema.get("type");
        Json ref = schema.get("$ref");
        if (type == null) {
            return ref == null ? List.of() : types(refs.resolve(ref.text()));
        }
        return type.itemsOrSelf();
    }

    private String kind(String type, Json schema) {
        Json items = find(schema, "items");
        return switch (type) {
            case "string" -> stringKind(schema);
            case "array" -> items == null ? "array" : "array of " + words(items);
            case "boolean" -> "true or false";
            default -> type;
        };
    }

    private String stringKind(Json schema) {
        String expected = refs.expected(schema);
        if (expected.startsWith("a duration")) {
            return "duration";
        }
        if (expected.startsWith("a size")) {
            return "size";
        }
        if (text(schema, "format").equals("regex")) {
            return "regular expression";
        }
        return expected.startsWith("a name") ? "name" : "string";
    }

    private static String bounds(Json schema) {
        Json least = schema.get("minimum") == null ? schema.get("x-minimum") : schema.get("minimum");
        Json most = schema.get("maximum") == null ? schema.get("x-maximum") : schema.get("maximum");
        if (least == null && most == null) {
            return "";
        }
        if (least == null) {
            return ", up to " + plain(most);
        }
        return most == null ? ", from " + plain(least) : ", " + plain(least) + " to " + plain(most);
    }

    private static String plain(@Nullable Json bound) {
        return bound == null ? "" : bound.isText() ? bound.text() : bound.shown();
    }

    private String otherwise(Json schema) {
        Json value = find(schema, "default");
        if (value == null) {
            return "";
        }
        return Set.of("", "{}", "[]").contains(String.valueOf(value.plain())) ? "" : code(value);
    }

    private static String examples(Json schema) {
        List<String> shown =
                schema.itemsOf("examples").stream().map(ReferenceWriter::code).toList();
        return shown.isEmpty() ? "" : " Example: " + String.join(", ", shown) + ".";
    }

    private static String code(Json value) {
        return "`" + JsonText.of(value).strip().replaceAll("\\s*\n\\s*", " ").replace(" : ", ": ") + "`";
    }

    private static String cell(String words) {
        return words.replace("|", "\\|").replace("\n", "<br>");
    }
}
