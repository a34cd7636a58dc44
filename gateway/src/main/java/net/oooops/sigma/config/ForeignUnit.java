package net.oooops.sigma.config;

import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Durations and sizes as others write them ({@code 30sec}, {@code 1.5s}, {@code PT1M}, {@code 10m}, {@code 8KB}), and how sigma.json does. */
final class ForeignUnit {
    private static final Pattern AMOUNT = Pattern.compile("([0-9]{1,9}(?:\\.[0-9]{1,9})?)\\s*([A-Za-z]*)\\s*");
    private static final Pattern NO_TIME = Pattern.compile("0+\\s*(ms|s|m|h)?");
    private static final Pattern ISO = Pattern.compile("[Pp]([0-9]+[Dd])?[Tt]?(.*)");

    private static final Map<String, Long> MILLIS = Map.ofEntries(
            Map.entry("ms", 1L),
            Map.entry("msec", 1L),
            Map.entry("milli", 1L),
            Map.entry("millis", 1L),
            Map.entry("millisecond", 1L),
            Map.entry("milliseconds", 1L),
            Map.entry("s", 1000L),
            Map.entry("sec", 1000L),
            Map.entry("secs", 1000L),
            Map.entry("second", 1000L),
            Map.entry("seconds", 1000L),
            Map.entry("m", 60_000L),
            Map.entry("min", 60_000L),
            Map.entry("mins", 60_000L),
            Map.entry("minute", 60_000L),
            Map.entry("minutes", 60_000L),
            Map.entry("h", 3_600_000L),
            Map.entry("hr", 3_600_000L),
            Map.entry("hrs", 3_600_000L),
            Map.entry("hour", 3_600_000L),
            Map.entry("hours", 3_600_000L),
            Map.entry("d", 86_400_000L),
            Map.entry("day", 86_400_000L),
            Map.entry("days", 86_400_000L));

    private static final List<String> SIZES = List.of("B", "KiB", "MiB", "GiB");
    private static final String PREFIXES = "bkmgt";

    private ForeignUnit() {}

    /** What a text may mean that the pattern refuses, in a form that it takes; null where it means nothing, or no amount is asked for. */
    static @Nullable String meant(String text, Pattern pattern) {
        if (!takesUnits(pattern)) {
            return null;
        }
        String none = NO_TIME.matcher(text).matches() ? "none" : "";
        for (String candidate : new String[] {duration(text), size(text), none}) {
            if (!candidate.isEmpty()
                    && !candidate.equals(text)
                    && pattern.matcher(candidate).find()) {
                return candidate;
            }
        }
        return null;
    }

    /** What to write in place of no time at all, where a pattern takes durations, yet not that one; empty where it isn't that. */
    static String ofNone(String text, Pattern pattern) {
        boolean isTime = takesUnits(pattern) && pattern.matcher("24h").find();
        if (!NO_TIME.matcher(text).matches()
                || !isTime
                || pattern.matcher("none").find()) {
            return "";
        }
        String shortest = pattern.matcher("1ms").find() ? "1ms" : "1s";
        return "; 0 is none: \"" + shortest + "\" is next to at once, a long one such as \"24h\" next to never";
    }

    private static boolean takesUnits(Pattern pattern) {
        boolean some = pattern.matcher("1s").find() || pattern.matcher("1KiB").find();
        return some && !pattern.matcher("x").find();
    }

    /** A duration; empty where the text is none. */
    private static String duration(String text) {
        Matcher iso = ISO.matcher(text.strip());
        String amounts = iso.matches() ? (iso.group(1) == null ? "" : iso.group(1)) + iso.group(2) : text.strip();
        Matcher amount = AMOUNT.matcher(amounts);
        BigDecimal millis = BigDecimal.ZERO;
        long unit = Long.MAX_VALUE;
        int at = 0;
        while (at < amounts.length()) {
            Long factor = amount.find(at) && amount.start() == at
                    ? MILLIS.get(amount.group(2).toLowerCase(Locale.ROOT))
                    : null;
            if (factor == null) {
                return "";
            }
            millis = millis.add(new BigDecimal(amount.group(1)).multiply(BigDecimal.valueOf(factor)));
            unit = Math.min(unit, factor);
            at = amount.end();
        }
        return at == 0 || !isWhole(millis) ? "" : duration(millis.longValue(), unit);
    }

    /** In the unit that was written, or the next smaller one that it is a whole number of. */
    private static String duration(long millis, long unit) {
        for (Map.Entry<String, Long> each :
                List.of(Map.entry("h", 3_600_000L), Map.entry("m", 60_000L), Map.entry("s", 1000L))) {
            if (each.getValue() <= unit && millis % each.getValue() == 0) {
                return millis / each.getValue() + each.getKey();
            }
        }
        return millis + "ms";
    }

    /** A size; empty where the text is none. */
    private static String size(String text) {
        Matcher amount = AMOUNT.matcher(text.strip());
        if (!amount.matches()) {
            return "";
        }
        String written = amount.group(2).toLowerCase(Locale.ROOT);
        int power = written.isEmpty() || written.startsWith("byte") ? 0 : PREFIXES.indexOf(written.charAt(0));
        if (power < 0 || !written.matches("(bytes?)?|[bkmgt]|[kmgt]i?b")) {
            return "";
        }
        BigDecimal number = new BigDecimal(amount.group(1));
        while (power >= SIZES.size() || (power > 0 && !isWhole(number))) {
            number = number.multiply(BigDecimal.valueOf(1024));
            power--;
        }
        return isWhole(number) ? number.toBigInteger() + SIZES.get(power) : "";
    }

    private static boolean isWhole(BigDecimal number) {
        return number.stripTrailingZeros().scale() <= 0;
    }
}
