package net.oooops.sigma.config;

import java.math.BigDecimal;
import java.util.regex.Pattern;

/** What plain text of YAML is by its JSON schema (YAML 1.2.2 section 10.2): null, true, false, a number as JSON writes them, or else text. */
final class YamlScalar {
    private static final Pattern NUMBER = Pattern.compile("-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?");
    private static final Pattern WHOLE = Pattern.compile("-?[0-9]{1,18}");

    private YamlScalar() {}

    /** @param text as it is written */
    static Json of(Json text, Problems problems) {
        String plain = text.text();
        return switch (plain) {
            case "", "null" -> text.with(Json.Kind.NULL, "");
            case "true", "false" -> text.with(Json.Kind.BOOLEAN, plain.equals("true"));
            default -> NUMBER.matcher(plain).matches() ? number(text, problems) : text;
        };
    }

    private static Json number(Json text, Problems problems) {
        String plain = text.text();
        if (WHOLE.matcher(plain).matches()) {
            return text.with(Json.Kind.NUMBER, Long.valueOf(plain));
        }
        try {
            if (plain.length() <= JsonReader.NUMBER_CHARS_MAX) {
                return text.with(Json.Kind.NUMBER, new BigDecimal(plain));
            }
        } catch (NumberFormatException e) {
            // Its exponent is too large: told below.
        }
        Json zero = text.with(Json.Kind.NUMBER, 0L);
        problems.value(zero, Json.cut(plain), "a number of ordinary size", null);
        return zero;
    }
}
