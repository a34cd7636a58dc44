package net.oooops.sigma.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/** Hosts as others write them, and how Sigma does. Looked at only where a virtual host is none of Sigma's. */
final class ForeignHost {
    static final String EXPECTED = "a host such as www.example.com or *.example.com";

    /** A rule of Traefik's. */
    private static final Pattern RULE = Pattern.compile("Host\\([`\"']([^`\"']*)[`\"']\\)");
    /** What stands for any first label. */
    private static final Pattern FIRST_LABEL = Pattern.compile("(\\{[^}]*\\}|\\*\\*|<[^>]*>)?\\..*");

    private ForeignHost() {}

    /** What to say of it. */
    static UnfitException of(String host) {
        int scheme = host.indexOf("://");
        if (scheme >= 0) {
            return new UnfitException("a host, not a URL", bare(host.substring(scheme + 3)));
        }
        if (host.startsWith("~") || host.startsWith("^")) {
            return new UnfitException(EXPECTED + "; there are no regular expressions");
        }
        Matcher rule = RULE.matcher(host);
        if (rule.matches()) {
            return new UnfitException(EXPECTED, bare(rule.group(1)));
        }
        if (FIRST_LABEL.matcher(host).matches()) {
            return new UnfitException(EXPECTED, bare("*" + host.substring(host.indexOf('.'))));
        }
        if (host.indexOf(' ') >= 0 || host.indexOf(',') >= 0) {
            return new UnfitException("one host; several are an array: [\"a.example.com\", \"b.example.com\"]");
        }
        String bare = bare(host);
        boolean cut = bare != null && host.length() > bare.length() && host.startsWith(bare);
        if (cut && host.indexOf('/') >= 0) {
            return new UnfitException("a host without a path; that is the route's \"path\"", bare);
        }
        return cut && host.indexOf(':') >= 0
                ? new UnfitException("a host without a port", bare)
                : new UnfitException(EXPECTED, HostSyntax.nearestName(host));
    }

    /** The host in front of a port and a path; null where there is none. */
    private static @Nullable String bare(String text) {
        String host = text.replaceFirst("(:[0-9*]*)?(/.*)?$", "");
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        return bracketed && IpAddress.parse(host.substring(1, host.length() - 1)) != null
                ? host
                : HostSyntax.nearestName(host);
    }
}
