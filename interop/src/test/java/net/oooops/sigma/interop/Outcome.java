package net.oooops.sigma.interop;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What came of one case with one client.
 *
 * @param name the case
 * @param result whether it passed
 * @param said what was wrong, or why the client can't
 */
record Outcome(String name, Result result, String said) {
    private static final Pattern LINE =
            Pattern.compile("\\{\"case\": \"([\\w-]+)\", \"ok\": (true|false|null), \"said\": \"([^\"]*)\"}");

    /** Passed, failed, or a case that the client has no way to try. */
    enum Result {
        PASSED,
        FAILED,
        CANNOT
    }

    static Outcome passed(String name) {
        return new Outcome(name, Result.PASSED, "");
    }

    static Outcome failed(String name, Throwable thrown) {
        return new Outcome(name, Result.FAILED, String.valueOf(thrown));
    }

    static Outcome cannot(String name, String why) {
        return new Outcome(name, Result.CANNOT, why);
    }

    /** What a script told, one case on each line. */
    static List<Outcome> parse(String lines) {
        return lines.lines().map(Outcome::parseLine).toList();
    }

    private static Outcome parseLine(String line) {
        Matcher told = LINE.matcher(line);
        if (!told.matches()) {
            throw new AssertionError(line + " (expected: " + LINE + ")");
        }
        Result result = switch (told.group(2)) {
            case "true" -> Result.PASSED;
            case "false" -> Result.FAILED;
            default -> Result.CANNOT;
        };
        return new Outcome(told.group(1), result, told.group(3));
    }
}
