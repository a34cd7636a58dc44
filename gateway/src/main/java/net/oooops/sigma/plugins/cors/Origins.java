package net.oooops.sigma.plugins.cors;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Settings;
import org.jspecify.annotations.Nullable;

/**
 * Which origins are allowed, and what Access-Control-Allow-Origin says to each. Origins are compared as browsers serialise
 * them: scheme and host in lower case, no port where it is the scheme's own, no path (HTML standard, "serialization of an
 * origin").
 */
final class Origins {
    private static final FieldName ALLOW_ORIGIN = FieldName.of("Access-Control-Allow-Origin");
    private static final Field ALLOW_ANY = Field.of(ALLOW_ORIGIN, "*");
    private static final Pattern ORIGIN = Pattern.compile("(?<scheme>[a-z][a-z0-9+.-]*)://(?<wildcard>\\*(?=\\.))?"
            + "(?<host>\\.?[a-z0-9_-]+(\\.[a-z0-9_-]+)*|\\[[0-9a-f:.]+])(?<port>:[1-9][0-9]{0,4})?");

    /** All origins, with {@code *}. */
    static final Origins ANY = new Origins(Map.of(), List.of(), ALLOW_ANY);

    /** All subdomains of a host: what stands before and after the part that varies. */
    private record Subdomains(String start, String end) {
        boolean contain(String origin) {
            int from = start.length();
            int to = origin.length() - end.length();
            return from < to && origin.startsWith(start) && origin.endsWith(end) && isOfHosts(origin, from, to);
        }

        /** Without this check {@code https://other.example/.example.com} would be a subdomain. */
        private static boolean isOfHosts(String origin, int from, int to) {
            for (int i = from; i < to; i++) {
                char c = origin.charAt(i);
                boolean alphanumeric = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
                if (!alphanumeric && c != '-' && c != '.' && c != '_') {
                    return false;
                }
            }
            return true;
        }
    }

    private final Map<String, Field> exact;
    private final List<Subdomains> wildcards;
    private final @Nullable Field toAny;

    private Origins(Map<String, Field> exact, List<Subdomains> wildcards, @Nullable Field toAny) {
        this.exact = exact;
        this.wildcards = wildcards;
        this.toAny = toAny;
    }

    /** Those named by {@code settings}, a list of strings. */
    static Origins of(List<Settings> settings) {
        Map<String, Field> exact = new HashMap<>();
        List<Subdomains> wildcards = new ArrayList<>();
        for (Settings setting : settings) {
            String origin = setting.string();
            if (origin.equals("null")) {
                exact.put(origin, Field.of(ALLOW_ORIGIN, origin));
                continue;
            }
            Matcher parts = ORIGIN.matcher(origin);
            boolean isWildcard = parts.matches() && parts.group("wildcard") != null;
            boolean beginsWithDot = parts.matches() && parts.group("host").startsWith(".");
            if (!parts.matches() || beginsWithDot != isWildcard || hasPortOfScheme(parts)) {
                throw setting.unfit("an origin as browsers send it, such as https://example.com, "
                        + "http://example.com:8080, https://*.example.com or null: lower case, no path, no default port; "
                        + "or \"*\" alone for all");
            }
            if (isWildcard) {
                wildcards.add(new Subdomains(parts.group("scheme") + "://", origin.substring(parts.start("host"))));
            } else {
                exact.put(origin, Field.of(ALLOW_ORIGIN, origin));
            }
        }
        return new Origins(Map.copyOf(exact), List.copyOf(wildcards), null);
    }

    private static boolean hasPortOfScheme(Matcher parts) {
        return switch (parts.group("scheme")) {
            case "http" -> ":80".equals(parts.group("port"));
            case "https" -> ":443".equals(parts.group("port"));
            default -> false;
        };
    }

    /** What every origin and a request without one is told, or null where that depends on the origin. */
    @Nullable Field toAny() {
        return toAny;
    }

    /** What that origin is told, or null where it isn't allowed. */
    @Nullable Field allow(String origin) {
        if (toAny != null) {
            return toAny;
        }
        Field known = exact.get(origin);
        if (known != null) {
            return known;
        }
        for (Subdomains subdomains : wildcards) {
            if (subdomains.contain(origin)) {
                return Field.of(ALLOW_ORIGIN, origin);
            }
        }
        return null;
    }
}
