package net.oooops.sigma.route;

import java.util.regex.Pattern;
import net.oooops.sigma.config.ValueMatch;
import org.jspecify.annotations.Nullable;

/** A condition on a value, ready to be asked. Immutable. */
final class ValueTest {
    private final ValueMatch match;
    private final Pattern regexp;

    /**
     * Compiles a condition.
     *
     * @throws java.util.regex.PatternSyntaxException where its regular expression is none
     */
    ValueTest(ValueMatch match) {
        this.match = match;
        this.regexp = Pattern.compile(match.kind() == ValueMatch.Kind.REGEXP ? match.value() : "");
    }

    String name() {
        return match.name();
    }

    /** Whether it holds for {@code value}; null is no value. */
    boolean holds(@Nullable String value) {
        if (value == null) {
            return match.kind() == ValueMatch.Kind.ABSENT;
        }
        return switch (match.kind()) {
            case EXACT -> value.equals(match.value());
            case PREFIX -> value.startsWith(match.value());
            case REGEXP -> BoundedMatch.matches(regexp, value);
            case PRESENT -> true;
            case ABSENT -> false;
        };
    }

    String expected() {
        return switch (match.kind()) {
            case EXACT -> match.value();
            case PREFIX -> "prefix " + match.value();
            case REGEXP -> "regexp " + match.value();
            case PRESENT -> "present";
            case ABSENT -> "absent";
        };
    }
}
