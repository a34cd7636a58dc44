package net.oooops.sigma.plugins.staticresources;

import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** What a client says of content codings in Accept-Encoding (RFC 9110 section 12.5.3). */
final class Codings {
    private Codings() {}

    /**
     * The one that is sent, of those that there are in the order in which the server likes them: that which the client likes best.
     *
     * @return null for the file as it is
     */
    static @Nullable ServedFile choose(List<ServedFile> coded, @Nullable String field) {
        if (field == null || coded.isEmpty()) {
            return null;
        }
        ServedFile best = null;
        int bestWeight = Math.max(0, named(field, "identity"));
        for (ServedFile each : coded) {
            int weight = weight(field, each.coding());
            if (weight > bestWeight || (weight == bestWeight && weight > 0 && best == null)) {
                best = each;
                bestWeight = weight;
            }
        }
        return best;
    }

    private static int weight(String field, String coding) {
        int weight = named(field, coding);
        return weight >= 0 ? weight : Math.max(0, named(field, "*"));
    }

    /** The weight that the field gives to a coding, 0 to 1000; -1 where it doesn't name it. */
    private static int named(String field, String coding) {
        int at = 0;
        while (at <= field.length()) {
            int comma = field.indexOf(',', at);
            int end = comma < 0 ? field.length() : comma;
            int semicolon = field.indexOf(';', at);
            int nameEnd = semicolon < 0 || semicolon > end ? end : semicolon;
            if (field.substring(at, nameEnd).strip().equalsIgnoreCase(coding)) {
                return nameEnd == end ? 1000 : weight(field.substring(nameEnd + 1, end));
            }
            at = end + 1;
        }
        return -1;
    }

    /** Of {@code q=0.5}; what isn't understood is no weight that could be given. */
    private static int weight(String parameter) {
        String text = parameter.strip().toLowerCase(Locale.ROOT);
        if (!text.startsWith("q=") || text.length() > 7) {
            return 0;
        }
        try {
            double weight = Double.parseDouble(text.substring(2));
            return weight >= 0 && weight <= 1 ? (int) (weight * 1000) : 0;
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
