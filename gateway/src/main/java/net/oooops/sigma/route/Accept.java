package net.oooops.sigma.route;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Whether a request's Accept field (RFC 9110 section 12.5.1) admits what a route produces. Members that make no sense are
 * passed over; a field in which nothing makes sense counts as absent, and an absent one admits all. Pure functions, any thread.
 */
final class Accept {
    /** Weights as in section 12.4.2, and as old clients write them: {@code .2}. */
    private static final Pattern WEIGHT = Pattern.compile("[01](\\.[0-9]*)?|\\.[0-9]+");

    private Accept() {}

    private record Member(MediaRange range, double weight) {}

    /** Whether one of the types is admitted with a weight above 0. */
    static boolean admits(@Nullable String accept, List<MediaRange> produces) {
        List<Member> members = accept == null ? List.of() : members(accept);
        if (members.isEmpty()) {
            return true;
        }
        for (MediaRange produced : produces) {
            if (weight(members, produced) > 0) {
                return true;
            }
        }
        return false;
    }

    /** The weight of the most specific members that fit; for a range that is produced, of all members that fit. */
    private static double weight(List<Member> members, MediaRange produced) {
        boolean isRange = produced.specificity() < 2;
        int specificity = -1;
        double weight = 0;
        for (Member member : members) {
            int own = isRange ? 0 : member.range.specificity();
            if (own < specificity || !member.range.overlaps(produced)) {
                continue;
            }
            weight = own > specificity ? member.weight : Math.max(weight, member.weight);
            specificity = own;
        }
        return weight;
    }

    private static List<Member> members(String accept) {
        List<Member> members = new ArrayList<>();
        for (String text : split(accept, ',')) {
            MediaRange range = MediaRange.read(text);
            double weight = weight(text);
            if (!range.equals(MediaRange.MALFORMED) && weight >= 0) {
                members.add(new Member(range, weight));
            }
        }
        return members;
    }

    /** The weight among a member's parameters, 1 where there is none, -1 where it is no weight. */
    private static double weight(String member) {
        for (String text : split(member, ';')) {
            String parameter = text.strip().toLowerCase(Locale.ROOT);
            if (parameter.startsWith("q=")) {
                String weight = parameter.substring(2);
                return WEIGHT.matcher(weight).matches() ? Double.parseDouble(weight) : -1;
            }
        }
        return 1;
    }

    /** Splits at separators outside quoted strings (RFC 9110 section 5.6.4). */
    private static List<String> split(String text, char separator) {
        List<String> parts = new ArrayList<>();
        boolean quoted = false;
        int from = 0;
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '"') {
                quoted = !quoted;
            } else if (quoted && c == '\\') {
                i++;
            } else if (!quoted && c == separator) {
                parts.add(text.substring(from, i));
                from = i + 1;
            }
        }
        parts.add(text.substring(from));
        return parts;
    }
}
