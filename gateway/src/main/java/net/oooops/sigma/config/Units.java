package net.oooops.sigma.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.UnfitException;

/** Durations ({@code "250ms"}) and sizes ({@code "8KiB"}) as sigma.json writes them. Safe to use on any thread. */
public final class Units {

    private static final int DURATION_DIGITS_MAX = 6;
    private static final int SIZE_DIGITS_MAX = 9;

    private static final Pattern AMOUNT = Pattern.compile("[1-9][0-9]*(ms|s|m|h|B|KiB|MiB|GiB)");

    private Units() {}

    /**
     * A duration: a whole number from 1, at most six digits, and {@code ms}, {@code s}, {@code m} or {@code h}.
     *
     * @return nanoseconds
     * @throws IllegalArgumentException for anything else
     */
    public static long durationNanos(String text) {
        int digits = digits(text, DURATION_DIGITS_MAX);
        long factor = switch (text.substring(digits)) {
            case "ms" -> 1_000_000L;
            case "s" -> 1_000_000_000L;
            case "m" -> 60_000_000_000L;
            case "h" -> 3_600_000_000_000L;
            default -> 0;
        };
        if (digits == 0 || factor == 0 || text.charAt(0) == '0') {
            throw new UnfitException(
                    "a duration such as \"30s\", \"250ms\", \"5m\" or \"1h\"" + tooMany(text, DURATION_DIGITS_MAX));
        }
        return Long.parseLong(text, 0, digits, 10) * factor;
    }

    /**
     * A size: a whole number, at most nine digits, and {@code B}, {@code KiB}, {@code MiB} or {@code GiB}.
     *
     * @return bytes
     * @throws IllegalArgumentException for anything else
     */
    public static long sizeBytes(String text) {
        int digits = digits(text, SIZE_DIGITS_MAX);
        int shift = switch (text.substring(digits)) {
            case "B" -> 0;
            case "KiB" -> 10;
            case "MiB" -> 20;
            case "GiB" -> 30;
            default -> -1;
        };
        if (digits == 0 || shift < 0 || (digits > 1 && text.charAt(0) == '0')) {
            throw new UnfitException("a size such as \"512B\", \"8KiB\" or \"1MiB\"" + tooMany(text, SIZE_DIGITS_MAX));
        }
        return Long.parseLong(text, 0, digits, 10) << shift;
    }

    /** That an amount has more digits than it may; empty where it hasn't, or is none. */
    private static String tooMany(String text, int digitsMax) {
        boolean amount = AMOUNT.matcher(text).matches();
        return amount && digits(text, text.length()) > digitsMax ? "; at most " + digitsMax + " digits" : "";
    }

    /** That an amount, which a pattern refuses, has more digits than that takes; empty where it isn't that. */
    static String tooMany(String text, Pattern pattern) {
        Matcher amount = AMOUNT.matcher(text);
        if (!amount.matches()) {
            return "";
        }
        int most = SIZE_DIGITS_MAX;
        while (most > 0 && !pattern.matcher("1".repeat(most) + amount.group(1)).find()) {
            most--;
        }
        return most > 0 ? tooMany(text, most) : "";
    }

    private static int digits(String text, int max) {
        int count = 0;
        while (count < text.length() && count < max && text.charAt(count) >= '0' && text.charAt(count) <= '9') {
            count++;
        }
        return count;
    }
}
