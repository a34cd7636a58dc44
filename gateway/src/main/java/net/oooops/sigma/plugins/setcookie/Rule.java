package net.oooops.sigma.plugins.setcookie;

import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What becomes of some cookies. What is null stays as it is. Immutable.
 *
 * @param names the cookies; empty for all
 * @param secure whether there is Secure
 * @param httpOnly whether there is HttpOnly
 * @param sameSite what SameSite says
 * @param paths by the beginning of a path what takes its place
 * @param domains by domain, in lower case and without a dot in front, what takes its place; empty for none; {@code *} for all others
 */
record Rule(
        Set<String> names,
        @Nullable Boolean secure,
        @Nullable Boolean httpOnly,
        @Nullable String sameSite,
        Map<String, String> paths,
        Map<String, String> domains) {
    boolean isFor(String name) {
        return names.isEmpty() || names.contains(name);
    }

    /** The path in the place of that one; null where it stays. The longest beginning counts. */
    @Nullable String path(String path) {
        String longest = null;
        for (String from : paths.keySet()) {
            boolean isBeginning = path.startsWith(from)
                    && (path.length() == from.length() || from.endsWith("/") || path.charAt(from.length()) == '/');
            if (isBeginning && (longest == null || from.length() > longest.length())) {
                longest = from;
            }
        }
        if (longest == null) {
            return null;
        }
        String to = paths.getOrDefault(longest, "");
        String rest = path.substring(longest.length());
        boolean doubles = to.endsWith("/") && rest.startsWith("/");
        boolean misses = !to.endsWith("/") && !rest.startsWith("/") && !rest.isEmpty();
        return to + (misses ? "/" : "") + (doubles ? rest.substring(1) : rest);
    }

    /** The domain in the place of that one, empty for none; null where it stays. */
    @Nullable String domain(String domain) {
        String bare = (domain.startsWith(".") ? domain.substring(1) : domain).toLowerCase(Locale.ROOT);
        String to = domains.get(bare);
        return to == null ? domains.get("*") : to;
    }
}
