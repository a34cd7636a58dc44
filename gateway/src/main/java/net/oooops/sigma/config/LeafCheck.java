package net.oooops.sigma.config;

import java.math.BigDecimal;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import org.jspecify.annotations.Nullable;

/** The part of {@link SchemaCheck} that looks at one value without looking into it. */
final class LeafCheck {
    private static final Pattern STATUS_CLASS = Pattern.compile("[1-5]([xX]{2}|\\*{1,2})");

    private static final String PLUGIN = "plugin";

    /** The longest regular expression that is taken. */
    static final int REGEXP_CHARS_MAX = 1024;

    private final SchemaRefs refs;
    private final Problems problems;
    /** By pattern: there are few, and many texts. */
    private final Map<String, Matcher> matchers = new HashMap<>();

    LeafCheck(SchemaRefs refs, Problems problems) {
        this.refs = refs;
        this.problems = problems;
    }

    /** Whether the value is of one of the schema's types; reports it where it is not. */
    boolean isOfType(Json schema, Json value) {
        Json type = schema.get("type");
        if (type == null) {
            return true;
        }
        for (Json name : type.itemsOrSelf()) {
            if (isOf(name.text(), value)) {
                return true;
            }
        }
        problems.value(value, refs.expected(schema) + asWritten(schema, value));
        return false;
    }

    /** How a text would be written to be of one of the types; empty where it wouldn't. */
    private String asWritten(Json schema, Json value) {
        if (value.isSecret()) {
            return "";
        }
        if (value.kind() == Json.Kind.ARRAY) {
            return inPlaceOfOne(value);
        }
        if (value.kind() == Json.Kind.OBJECT) {
            return inPlaceOfSeveral(schema.get("items"), value);
        }
        String text = value.text();
        Json items = schema.get("items");
        for (Json type : schema.itemsOrSelfOf("type")) {
            boolean unquoted = switch (type.text()) {
                case "integer" -> text.matches("-?(0|[1-9][0-9]{0,8})");
                case "number" -> text.matches("-?(0|[1-9][0-9]{0,8})(\\.[0-9]{1,9})?");
                case "boolean" -> text.equals("true") || text.equals("false");
                default -> false;
            };
            if (unquoted) {
                return ", without quotes: " + text;
            }
            if (type.text().equals("array") && value.isText() && items != null && refs.isFor(items, Json.Kind.STRING)) {
                return ", also for one: [" + value.shown() + "]";
            }
        }
        return "";
    }

    /** What there is to say of an array where one thing is to stand; empty where nothing is known. */
    private static String inPlaceOfOne(Json array) {
        Json holder = array.parent();
        if (holder != null && holder.step().equals(PLUGIN)) {
            return "; a plugin stands once at a place, a second one at another level: server, router, route or proxy-pass";
        }
        return switch (array.step()) {
            case PLUGIN -> " with the names of plugins as keys";
            case SubRouterCheck.SERVER ->
                "; for several servers, a router for each that leads to the same \"sub-router\"";
            default -> "";
        };
    }

    /** How an object would be written where several are to stand, one alone or each under its name; empty where that isn't known. */
    private String inPlaceOfSeveral(@Nullable Json items, Json object) {
        if (items == null || object.members().isEmpty()) {
            return "";
        }
        Set<String> known = new HashSet<>();
        for (Json each : new SchemaSteps(refs, items).all(List.of(items))) {
            Json properties = each.get("properties");
            known.addAll(properties == null ? Set.of() : properties.members().keySet());
        }
        Set<String> written = object.members().keySet();
        String first = written.iterator().next();
        if (written.stream().anyMatch(known::contains)) {
            return ", also for one: [{ … }]";
        }
        if (known.contains("url") && (first.indexOf(':') >= 0 || first.indexOf('.') >= 0)) {
            String url = first.contains("://") ? first : "http://" + first;
            return ", with \"url\" in each: [{ \"url\": " + Json.quoted(url) + ", … }]";
        }
        return known.contains("id") ? ", with \"id\" in each: [{ \"id\": " + Json.quoted(first) + ", … }]" : "";
    }

    private static boolean isOf(String type, Json value) {
        return switch (value.kind()) {
            case OBJECT -> type.equals("object");
            case ARRAY -> type.equals("array");
            case STRING -> type.equals("string");
            case NUMBER -> type.equals("number") || (type.equals("integer") && value.isInteger());
            case BOOLEAN -> type.equals("boolean");
            case NULL -> type.equals("null");
        };
    }

    void check(Json schema, Json value) {
        Json constant = schema.get("const");
        if (constant != null) {
            allowed(List.of(constant), value);
        }
        Json allowed = schema.get("enum");
        if (allowed != null) {
            allowed(allowed.items(), value);
        }
        switch (value.kind()) {
            case STRING -> string(schema, value);
            case NUMBER -> number(schema, value);
            default -> {}
        }
    }

    private void allowed(List<Json> allowed, Json value) {
        Object plain = value.plain();
        for (Json each : allowed) {
            if (Objects.equals(each.plain(), plain)) {
                return;
            }
        }
        List<String> texts = allowed.stream().map(Json::text).toList();
        String foreign = ForeignWord.word(value.text(), texts);
        String nearest = foreign == null ? Nearest.of(value.text(), texts) : foreign;
        problems.value(value, value.shown(), SchemaRefs.oneOf(allowed), nearest);
    }

    private void string(Json schema, Json value) {
        String text = value.text();
        int length = text.codePointCount(0, text.length());
        int least = schema.integer("minLength", 0);
        int most = schema.integer("maxLength", Integer.MAX_VALUE);
        if (length < least) {
            problems.value(value, least == 1 ? "a text that is not empty" : "at least " + least + " characters");
        } else if (length > most) {
            tooLong(value, length, most);
        }
        Json pattern = schema.get("pattern");
        if (pattern != null && !matcher(pattern.text()).reset(text).find()) {
            Pattern form = refs.pattern(pattern.text());
            String unit = ForeignUnit.meant(text, form);
            String meant = unit == null ? statuses(text, form) : unit;
            String more = Units.tooMany(text, form) + ForeignUnit.ofNone(text, form);
            problems.value(value, value.shown(), refs.expected(schema) + more, meant);
        }
        if (schema.text("format", "").equals("regex")) {
            regexp(value);
        }
        if (!problems.has(value)) {
            size(schema, value);
        }
    }

    /** The range that a class such as {@code 2xx} is, where the pattern takes it; or null. */
    private static @Nullable String statuses(String text, Pattern pattern) {
        if (!STATUS_CLASS.matcher(text).matches()) {
            return null;
        }
        char digit = text.charAt(0);
        String range = digit + "00-" + digit + "99";
        return pattern.matcher(range).find() ? range : null;
    }

    private Matcher matcher(String pattern) {
        return matchers.computeIfAbsent(pattern, of -> refs.pattern(of).matcher(""));
    }

    private void tooLong(Json value, int length, int most) {
        String found = value.isSecret() ? value.shown() : length + " characters";
        problems.value(value, found, "at most " + most + (value.isSecret() ? " characters" : ""), null);
    }

    private void regexp(Json value) {
        if (value.text().length() > REGEXP_CHARS_MAX) {
            tooLong(value, value.text().length(), REGEXP_CHARS_MAX);
            return;
        }
        try {
            Pattern.compile(value.text());
        } catch (PatternSyntaxException e) {
            String where = e.getIndex() < 0 ? "" : " at character " + (e.getIndex() + 1);
            String why = value.isSecret() ? "" : ": " + e.getDescription() + where;
            problems.value(value, "a regular expression that compiles" + why);
        }
    }

    private void size(Json schema, Json value) {
        String least = schema.text("x-minimum", "");
        String most = schema.text("x-maximum", "");
        if (!least.isEmpty() && Units.sizeBytes(value.text()) < Units.sizeBytes(least)) {
            problems.value(value, ">= " + least);
        } else if (!most.isEmpty() && Units.sizeBytes(value.text()) > Units.sizeBytes(most)) {
            problems.value(value, "<= " + most);
        }
    }

    private void number(Json schema, Json value) {
        bound(schema.get("minimum"), value, ">=");
        bound(schema.get("maximum"), value, "<=");
        bound(schema.get("exclusiveMinimum"), value, ">");
        bound(schema.get("exclusiveMaximum"), value, "<");
    }

    private void bound(@Nullable Json bound, Json value, String relation) {
        if (bound == null) {
            return;
        }
        BigDecimal limit = bound.number();
        int compared = value.number().compareTo(limit);
        boolean fits = switch (relation) {
            case ">=" -> compared >= 0;
            case "<=" -> compared <= 0;
            case ">" -> compared > 0;
            default -> compared < 0;
        };
        if (!fits) {
            problems.value(value, relation + " " + limit.toPlainString());
        }
    }
}
