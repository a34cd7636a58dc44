package net.oooops.sigma.plugins.csrf;

import org.jspecify.annotations.Nullable;

/** Host and port of URLs of http and https, as browsers write them. Pure functions. */
final class Authority {
    private static final String HTTP = "http://";
    private static final String HTTPS = "https://";

    private Authority() {}

    /** What the URL begins with, of {@code http://} and {@code https://}; empty for neither. */
    static String scheme(String url) {
        if (url.startsWith(HTTPS)) {
            return HTTPS;
        }
        return url.startsWith(HTTP) ? HTTP : "";
    }

    /** Host and port of a URL; null where it is another one, or names a user. */
    static @Nullable String of(String url) {
        int from = scheme(url).length();
        int end = from;
        while (end < url.length() && "/?#".indexOf(url.charAt(end)) < 0) {
            end++;
        }
        String authority = url.substring(from, end);
        return from == 0 || authority.isEmpty() || authority.indexOf('@') >= 0 ? null : authority;
    }

    /** The host without the port that the scheme has of its own. */
    static String withoutPort(String authority, String scheme) {
        String port = scheme.equals(HTTPS) ? ":443" : ":80";
        return authority.endsWith(port) ? authority.substring(0, authority.length() - port.length()) : authority;
    }
}
