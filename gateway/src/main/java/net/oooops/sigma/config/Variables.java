package net.oooops.sigma.config;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Puts values of the environment in the place of variables in the texts of a tree: {@code ${NAME}}, {@code ${NAME:-otherwise}}. A text that is one
 * variable and nothing else becomes a number, true or false where the schema takes no such text there, but that.
 */
final class Variables {
    /** What a schema says of texts in which {@code ${}} means something else: false. */
    static final String KEYWORD = "x-variables";

    private static final String BEGIN = "${";
    private static final String OTHERWISE = ":-";
    private static final String FORM = "${NAME} or ${NAME:-otherwise}, or $${ for the characters ${ themselves";
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]{0,17})(\\.[0-9]{1,17})?");

    private final ConfigSchema schema;
    private final Environment environment;
    private final Problems problems;

    Variables(ConfigSchema schema, Environment environment, Problems problems) {
        this.schema = schema;
        this.environment = environment;
        this.problems = problems;
    }

    /** Expands all that are in a tree, in place. */
    void expand(Json root) {
        List<Json> texts = new ArrayList<>();
        collect(root, texts);
        for (Json text : texts) {
            List<Json> schemas = schema.steps().of(text);
            String expanded = isMeantOtherwise(schemas) ? null : expanded(text);
            if (expanded != null) {
                text.replaceWith(isAlone(text.text()) ? typed(text, expanded, schemas) : text.withText(expanded));
            }
        }
    }

    private static void collect(Json value, List<Json> texts) {
        if (value.isText() && value.text().contains(BEGIN)) {
            texts.add(value);
        }
        for (Json inner : value.kind() == Json.Kind.OBJECT ? value.members().values() : value.unknown()) {
            collect(inner, texts);
        }
    }

    private boolean isMeantOtherwise(List<Json> schemas) {
        return schema.steps().all(schemas).stream().anyMatch(each -> !each.flag(KEYWORD, true));
    }

    private static boolean isAlone(String text) {
        return text.startsWith(BEGIN) && text.indexOf('}') == text.length() - 1;
    }

    /** The text with its variables' values; null where there is a problem with one. */
    private @Nullable String expanded(Json at) {
        String text = at.text();
        StringBuilder expanded = new StringBuilder();
        int done = 0;
        for (int begin = text.indexOf(BEGIN); begin >= 0; begin = text.indexOf(BEGIN, done)) {
            boolean escaped = begin > done && text.charAt(begin - 1) == '$';
            if (escaped) {
                expanded.append(text, done, begin - 1).append(BEGIN);
                done = begin + BEGIN.length();
                continue;
            }
            int end = text.indexOf('}', begin);
            String value = end < 0 ? null : value(at, text.substring(begin + BEGIN.length(), end));
            if (value == null) {
                problems.value(at, FORM);
                return null;
            }
            expanded.append(text, done, begin).append(value);
            done = end + 1;
        }
        return expanded.append(text, done, text.length()).toString();
    }

    /** The value of what stands in the brackets; null where that is none, or isn't set. */
    private @Nullable String value(Json at, String variable) {
        int colon = variable.indexOf(OTHERWISE);
        String name = colon < 0 ? variable : variable.substring(0, colon);
        String otherwise = colon < 0 ? null : variable.substring(colon + OTHERWISE.length());
        if (!NAME.matcher(name).matches() || (otherwise != null && otherwise.contains(BEGIN))) {
            return null;
        }
        String value = environment.get(name);
        if (value == null && otherwise == null) {
            String expected = "a value for " + name + " in the environment, or one in its place: ${" + name + ":-…}"
                    + environment.remedy();
            problems.value(at, "the variable " + name + ", " + environment.lack(), expected, null);
        }
        return otherwise != null && (value == null || value.isEmpty()) ? otherwise : value;
    }

    private Json typed(Json at, String text, List<Json> schemas) {
        Json asText = at.withText(text);
        Json plain = plain(at, text);
        if (plain == null || fits(asText, schemas)) {
            return asText;
        }
        return schema.steps().take(schemas, plain.kind()) ? plain : asText;
    }

    private boolean fits(Json value, List<Json> schemas) {
        for (Json each : schemas) {
            Problems trial = new Problems();
            new SchemaCheck(schema.refs(), trial).check(each, value);
            if (trial.isEmpty()) {
                return true;
            }
        }
        return schemas.isEmpty();
    }

    private static @Nullable Json plain(Json at, String text) {
        if (text.equals("true") || text.equals("false")) {
            return at.with(Json.Kind.BOOLEAN, text.equals("true"));
        }
        if (!NUMBER.matcher(text).matches()) {
            return null;
        }
        return at.with(
                Json.Kind.NUMBER, text.contains(".") ? (Object) new BigDecimal(text) : (Object) Long.valueOf(text));
    }
}
