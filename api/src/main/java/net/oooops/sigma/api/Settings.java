package net.oooops.sigma.api;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A value of sigma.json as a plugin's factory sees it: an object (Map), list (List), String, Number, Boolean or null. The
 * getters name the place in their error where a value isn't of the kind asked for.
 *
 * <p>Immutable, safe for use from any thread.
 */
public final class Settings {
    private static final Pattern DURATION = Pattern.compile("(?<count>[1-9][0-9]{0,5})(?<unit>ms|s|m|h)");
    private static final Pattern SIZE = Pattern.compile("(?<count>0|[1-9][0-9]{0,8})(?<unit>B|KiB|MiB|GiB)");

    private final String pointer;
    private final @Nullable Object value;

    private Settings(String pointer, @Nullable Object value) {
        this.pointer = pointer;
        this.value = value;
    }

    /** Settings over a tree of Map, List, String, Number, Boolean and null. */
    public static Settings of(@Nullable Object tree) {
        return new Settings("", tree);
    }

    /** JSON pointer of this value within the plugin's settings. */
    public String pointer() {
        return pointer;
    }

    /** Whether this value is there and not null. */
    public boolean isPresent() {
        return value != null;
    }

    /** The value under {@code key} of this object; absent where there is none. */
    public Settings get(String key) {
        Object child = value instanceof Map<?, ?> map ? map.get(key) : null;
        return new Settings(pointer + "/" + key.replace("~", "~0").replace("/", "~1"), child);
    }

    /** The keys of this object in the order written; empty where it is absent. */
    public List<String> keys() {
        if (value == null) {
            return List.of();
        }
        if (value instanceof Map<?, ?> map) {
            List<String> keys = new ArrayList<>();
            map.keySet().forEach(key -> keys.add(String.valueOf(key)));
            return keys;
        }
        throw unfit("an object");
    }

    /** Whether this value is a list, where a plugin takes one value or several. */
    public boolean isList() {
        return value instanceof List<?>;
    }

    /** Whether this value is a text, where a plugin takes one or something else. */
    public boolean isText() {
        return value instanceof String;
    }

    /** The elements of this list; empty where it is absent. */
    public List<Settings> elements() {
        if (value == null) {
            return List.of();
        }
        if (value instanceof List<?> list) {
            List<Settings> elements = new ArrayList<>();
            for (int i = 0; i < list.size(); i++) {
                elements.add(new Settings(pointer + "/" + i, list.get(i)));
            }
            return elements;
        }
        throw unfit("an array");
    }

    /** This String. */
    public String string() {
        if (value instanceof String string) {
            return string;
        }
        throw unfit("a string");
    }

    /** This String, or {@code absent} where there is none. */
    public String string(String absent) {
        return value == null ? absent : string();
    }

    /** This Boolean, or {@code absent} where there is none. */
    public boolean bool(boolean absent) {
        if (value == null) {
            return absent;
        }
        if (value instanceof Boolean bool) {
            return bool;
        }
        throw unfit("true or false");
    }

    /** This whole number, or {@code absent} where there is none. */
    public long integer(long absent) {
        if (value == null) {
            return absent;
        }
        if (value instanceof Number number && number.doubleValue() == number.longValue()) {
            return number.longValue();
        }
        boolean tooLong = value instanceof Number number && Math.rint(number.doubleValue()) == number.doubleValue();
        throw unfit(tooLong ? "a whole number of at most 18 digits" : "a whole number");
    }

    /** This number, or {@code absent} where there is none. */
    public double number(double absent) {
        if (value == null) {
            return absent;
        }
        if (value instanceof Number number) {
            return number.doubleValue();
        }
        throw unfit("a number");
    }

    /**
     * This duration as sigma.json writes them ({@code "250ms"}, {@code "30s"}, {@code "5m"}, {@code "1h"}): a whole number of at
     * most six digits and its unit. {@code absent} where there is none.
     */
    public Duration duration(Duration absent) {
        if (value == null) {
            return absent;
        }
        String text = string();
        Matcher parts = DURATION.matcher(text);
        if (!parts.matches()) {
            throw unfit("a duration such as \"250ms\", \"30s\", \"5m\" or \"1h\"");
        }
        long count = Long.parseLong(parts.group("count"));
        return switch (parts.group("unit")) {
            case "ms" -> Duration.ofMillis(count);
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
    }

    /**
     * This size as sigma.json writes them ({@code "512B"}, {@code "8KiB"}, {@code "1MiB"}), in bytes: a whole number of at most nine digits and its
     * unit. {@code absent} where there is none.
     */
    public long bytes(long absent) {
        if (value == null) {
            return absent;
        }
        Matcher parts = SIZE.matcher(string());
        if (!parts.matches()) {
            throw unfit("a size such as \"512B\", \"8KiB\" or \"1MiB\"");
        }
        long count = Long.parseLong(parts.group("count"));
        return switch (parts.group("unit")) {
            case "B" -> count;
            case "KiB" -> count << 10;
            case "MiB" -> count << 20;
            default -> count << 30;
        };
    }

    /** This value as it is: an object (Map), list (List), String, Number, Boolean or null. */
    public @Nullable Object tree() {
        return value;
    }

    /** This block of addresses, {@code 10.0.0.0/8} or one address alone. */
    public Cidr block() {
        try {
            return Cidr.parse(string());
        } catch (UnfitException e) {
            String meant = e.nearest() == null ? "" : "; did you mean \"" + e.nearest() + "\"?";
            throw unfit(e.expected() + meant);
        }
    }

    /**
     * The error that this value can't be used, with what was expected instead, where that may hang on other settings. Settings that have names are told of
     * one after the other then; {@link #unfit} has all be told at once.
     */
    public SettingsException unexpected(String expected) {
        String found = value instanceof String ? "\"" + value + "\"" : String.valueOf(value);
        return new SettingsException(pointer, value == null ? "nothing" : found, expected);
    }

    /** The same of a value that can't be used whatever stands beside it, such as a number that is too large in any case. */
    public SettingsException unfit(String expected) {
        SettingsException unfit = unexpected(expected);
        return value == null ? unfit : unfit.ofItself();
    }
}
