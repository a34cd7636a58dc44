package net.oooops.sigma.plugins.compression;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.plugins.compression.coding.Coding;

/** Settings that several plugins have. */
final class CodingSettings {
    private static final int SIZE_DIGITS_MAX = 9;
    static final int BODIES_MOST = 1_000_000;
    private static final int LENGTH_MIN_DEFAULT = 256;
    private static final int LENGTH_MIN_MOST = 1 << 30;

    private CodingSettings() {}

    /** Codings, each once, in the order written; {@code absent} where nothing is said. All are loaded then. */
    static List<Coding> codings(Settings list, List<Coding> absent) {
        List<Coding> codings = new ArrayList<>();
        for (Settings element : list.elements()) {
            Coding coding = Coding.of(element.string());
            if (coding == null || !absent.contains(coding)) {
                throw element.unexpected("one of " + tokens(absent));
            }
            if (codings.contains(coding)) {
                throw element.unexpected("each once");
            }
            load(element, coding);
            codings.add(coding);
        }
        if (list.isPresent() && codings.isEmpty()) {
            throw list.unexpected("at least one of " + tokens(absent));
        }
        if (!list.isPresent()) {
            absent.forEach(coding -> load(list, coding));
        }
        return list.isPresent() ? codings : absent;
    }

    private static void load(Settings at, Coding coding) {
        String why = coding.load();
        if (why != null) {
            throw at.unexpected("codings without " + coding.token() + ", which can't be used on this machine: " + why);
        }
    }

    private static String tokens(List<Coding> codings) {
        return String.join(", ", codings.stream().map(Coding::token).toList());
    }

    /** How many bodies at once, of {@code max-bodies}. */
    static int bodiesMax(Settings settings, int absent) {
        return (int) within(settings.get("max-bodies"), 1, BODIES_MOST, absent);
    }

    /** How long a body has to be, of {@code min-length}. */
    static long lengthMin(Settings settings) {
        return within(settings.get("min-length"), 0, LENGTH_MIN_MOST, LENGTH_MIN_DEFAULT);
    }

    /** A size as sigma.json writes them. */
    static long size(Settings setting, String absent) {
        String text = setting.string(absent);
        int digits = 0;
        while (digits < text.length() && Character.digit(text.charAt(digits), 10) >= 0) {
            digits++;
        }
        int shift = switch (text.substring(digits)) {
            case "B" -> 0;
            case "KiB" -> 10;
            case "MiB" -> 20;
            case "GiB" -> 30;
            default -> -1;
        };
        if (shift < 0 || digits == 0 || digits > SIZE_DIGITS_MAX || text.charAt(0) == '0') {
            throw setting.unfit("a size such as \"512KiB\" or \"10MiB\"");
        }
        return Long.parseLong(text.substring(0, digits)) << shift;
    }

    /** A whole number between both. */
    static long within(Settings setting, long least, long most, long absent) {
        long value = setting.integer(absent);
        if (value < least || value > most) {
            throw setting.unexpected(least + " to " + most);
        }
        return value;
    }
}
