package net.oooops.sigma.plugins.authentication.oidc;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;
import net.oooops.sigma.api.UnfitException;

/**
 * A URL of the provider's, or of the application's.
 *
 * @param server scheme, host and port, in lower case
 * @param authority host and port
 * @param path percent-encoded, {@code /} at least
 * @param query with its {@code ?}, or empty
 */
record Url(String server, String authority, String path, String query) {
    private static final int CHARS_MAX = 2_048;
    private static final Set<String> HERE = Set.of("localhost", "127.0.0.1", "[::1]");

    /**
     * Reads one of https, or of http on this machine, without user and fragment, of 2,048 characters at most.
     *
     * @throws UnfitException where it is another, or none
     */
    static Url of(String text) {
        try {
            URI url = new URI(text);
            String host = url.getHost();
            String scheme = url.getScheme();
            boolean fits = host != null
                    && ("https".equalsIgnoreCase(scheme) || ("http".equalsIgnoreCase(scheme) && HERE.contains(host)));
            boolean plain = url.getRawUserInfo() == null && url.getRawFragment() == null && text.length() <= CHARS_MAX;
            if (fits && plain && text.chars().allMatch(c -> c > ' ' && c < 0x7F)) {
                String authority = lower(host) + (url.getPort() < 0 ? "" : ":" + url.getPort());
                String path = url.getRawPath().isEmpty() ? "/" : url.getRawPath();
                String query = url.getRawQuery() == null ? "" : "?" + url.getRawQuery();
                return new Url(lower(scheme) + "://" + authority, authority, path, query);
            }
        } catch (URISyntaxException e) {
            // Told below.
        }
        throw new UnfitException("a URL of https, or of http on this machine, without user and fragment");
    }

    private static String lower(String text) {
        return text.toLowerCase(Locale.ROOT);
    }

    boolean isSecure() {
        return server.startsWith("https:");
    }

    /** What stands in a request line. */
    String target() {
        return path + query;
    }

    @Override
    public String toString() {
        return server + path + query;
    }
}
