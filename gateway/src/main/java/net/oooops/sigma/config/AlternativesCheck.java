package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.List;

/** The part of {@link SchemaCheck} that knows {@code allOf}, {@code anyOf} and {@code oneOf}. */
final class AlternativesCheck {

    private final SchemaCheck whole;
    private final SchemaRefs refs;
    private final Problems problems;

    AlternativesCheck(SchemaCheck whole, SchemaRefs refs, Problems problems) {
        this.whole = whole;
        this.refs = refs;
        this.problems = problems;
    }

    void check(Json schema, Json value) {
        for (Json each : schema.itemsOf("allOf")) {
            whole.check(each, value);
        }
        List<Json> any = schema.itemsOf("anyOf");
        if (!any.isEmpty() && fitting(any, value).isEmpty()) {
            noneOf(any, value);
        }
        List<Json> one = schema.itemsOf("oneOf");
        if (one.isEmpty()) {
            return;
        }
        List<String> keys = keysOf(one);
        List<Json> fitting = fitting(one, value);
        if (!keys.isEmpty()) {
            oneOfKeys(keys, fitting, value);
        } else if (fitting.isEmpty()) {
            nothingFits(one, value);
        } else if (fitting.size() > 1) {
            problems.value(value, "exactly one of " + refs.expected(one));
        }
    }

    private List<Json> fitting(List<Json> alternatives, Json value) {
        List<Json> fitting = new ArrayList<>();
        for (Json each : alternatives) {
            Problems trial = new Problems();
            new SchemaCheck(refs, trial).check(each, value);
            if (trial.isEmpty()) {
                fitting.add(each);
            }
        }
        return fitting;
    }

    /** Says why by the one alternative for this kind of value, if there is one; otherwise names them all. */
    private void nothingFits(List<Json> alternatives, Json value) {
        List<Json> meant = new ArrayList<>();
        List<String> words = new ArrayList<>();
        for (Json each : alternatives) {
            if (refs.isFor(each, value.kind())) {
                meant.add(each);
            }
            Json constant = each.get("const");
            words.add(constant == null ? "" : constant.text());
            each.itemsOf("enum").forEach(word -> words.add(word.text()));
        }
        if (meant.size() == 1 && value.kind() != Json.Kind.STRING) {
            whole.check(meant.getFirst(), value);
        } else {
            String foreign = ForeignWord.word(value.text(), words);
            problems.value(
                    value,
                    value.shown(),
                    refs.expected(alternatives) + asKey(alternatives, value),
                    foreign == null ? Nearest.of(value.text(), words) : foreign);
        }
    }

    /** Where a text is a key that one of the alternatives has: how that is written; empty where it isn't. */
    private static String asKey(List<Json> alternatives, Json value) {
        for (Json each : alternatives) {
            Json properties = each.get("properties");
            if (value.isText() && properties != null && properties.get(value.text()) != null) {
                return "; as an object: { " + value.shown() + ": … }";
            }
        }
        return "";
    }

    private void noneOf(List<Json> any, Json value) {
        List<String> keys = keysOf(any);
        if (keys.isEmpty()) {
            nothingFits(any, value);
        } else if (!isMistyped(value)) {
            problems.value(value, "none of them", "one or more of " + String.join(", ", keys), null);
        }
    }

    private boolean isMistyped(Json value) {
        return value.members().values().stream().anyMatch(problems::has);
    }

    /** Where one of several keys has to be there, and it is not that the right one is mistyped. */
    private void oneOfKeys(List<String> keys, List<Json> fitting, Json value) {
        if (fitting.size() != 1 && !isMistyped(value)) {
            String found = fitting.isEmpty() ? "none of them" : String.join(" and ", keysOf(fitting));
            problems.value(value, found, "exactly one of " + String.join(", ", keys), null);
        }
    }

    /** The keys that alternatives ask for, where that is all they do; none otherwise. */
    private static List<String> keysOf(List<Json> alternatives) {
        List<String> keys = new ArrayList<>();
        for (Json alternative : alternatives) {
            List<Json> required = alternative.itemsOf("required");
            if (alternative.members().size() != 1 || required.size() != 1) {
                return List.of();
            }
            keys.add(Json.quoted(required.getFirst().text()));
        }
        return keys;
    }
}
