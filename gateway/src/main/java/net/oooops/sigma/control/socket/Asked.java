package net.oooops.sigma.control.socket;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What is asked.
 *
 * @param command the word of it
 * @param arguments by name, as they came: texts, numbers and flags
 * @param who asks: a user's name
 * @param patience for how long who asks waits for the answer
 */
public record Asked(String command, Map<String, @Nullable Object> arguments, String who, Duration patience) {
    private static final int TEXT_CHARS_MAX = 4096;

    /** A text that has to be there. */
    public String text(String name) throws Refused {
        String found = optionalText(name);
        if (found == null) {
            throw new Refused(name + ": missing (expected: a text)");
        }
        return found;
    }

    /** A text, or null where it isn't there. */
    public @Nullable String optionalText(String name) throws Refused {
        Object found = arguments.get(name);
        if (found == null) {
            return null;
        }
        if (found instanceof String text && !text.isEmpty() && text.length() <= TEXT_CHARS_MAX) {
            return text;
        }
        throw new Refused(name + ": " + shown(found) + " (expected: a text of 1 to " + TEXT_CHARS_MAX + " characters)");
    }

    /** A whole number that has to be there. */
    public int number(String name) throws Refused {
        Object found = arguments.get(name);
        if (found instanceof Integer number) {
            return number;
        }
        throw new Refused(name + ": " + (found == null ? "missing" : shown(found)) + " (expected: a whole number)");
    }

    private static String shown(Object found) {
        String text = String.valueOf(found);
        return text.isEmpty() ? "empty" : text.length() > 100 ? text.substring(0, 100) + "..." : text;
    }
}
