package net.oooops.sigma.config;

import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Finds the known name that a mistyped one was probably meant to be. */
public final class Nearest {

    private static final int PREFIX_CHARS_MIN = 4;
    private static final int NAME_CHARS_MAX = 128;

    private Nearest() {}

    /** The nearest of the known names, the first of equals; null where none comes near. */
    public static @Nullable String of(String name, Iterable<String> known) {
        if (name.isEmpty() || name.length() > NAME_CHARS_MAX) {
            return null;
        }
        String given = plain(name);
        String nearest = null;
        int editsMax = given.length() < 2 ? 0 : Math.max(1, given.length() / 3);
        int best = editsMax + 1;
        for (String candidate : known) {
            int distance = distance(given, plain(candidate), best);
            if (distance < best && !candidate.equals(name)) {
                best = distance;
                nearest = candidate;
            }
        }
        return nearest;
    }

    /** The known name that is one slip away; null where none is. */
    static @Nullable String slip(String name, Iterable<String> known) {
        String given = plain(name);
        for (String candidate : known) {
            String other = plain(candidate);
            boolean near = Math.abs(given.length() - other.length()) < 2 && given.length() >= PREFIX_CHARS_MIN;
            if (near && edits(given, other) < 2) {
                return candidate;
            }
        }
        return null;
    }

    /** Without what people mix up between styles: {@code maxPoolSize}, {@code max_pool_size}. */
    private static String plain(String name) {
        return name.replace("-", "").replace("_", "").toLowerCase(Locale.ROOT);
    }

    private static int distance(String a, String b, int bound) {
        boolean prefix = Math.min(a.length(), b.length()) >= PREFIX_CHARS_MIN && (a.startsWith(b) || b.startsWith(a));
        if (prefix) {
            return a.length() == b.length() ? 0 : 1;
        }
        return Math.abs(a.length() - b.length()) >= bound ? bound : edits(a, b);
    }

    /** Insertions, deletions, replacements and swaps of neighbours that lead from one to the other. */
    private static int edits(String a, String b) {
        int[] beforeLast = new int[b.length() + 1];
        int[] last = new int[b.length() + 1];
        int[] row = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++) {
            last[j] = j;
        }
        for (int i = 1; i <= a.length(); i++) {
            row[0] = i;
            for (int j = 1; j <= b.length(); j++) {
                boolean same = a.charAt(i - 1) == b.charAt(j - 1);
                int edits = Math.min(last[j - 1] + (same ? 0 : 1), Math.min(last[j], row[j - 1]) + 1);
                boolean swap =
                        i > 1 && j > 1 && a.charAt(i - 1) == b.charAt(j - 2) && a.charAt(i - 2) == b.charAt(j - 1);
                row[j] = swap ? Math.min(edits, beforeLast[j - 2] + 1) : edits;
            }
            int[] free = beforeLast;
            beforeLast = last;
            last = row;
            row = free;
        }
        return last[b.length()];
    }
}
