package net.oooops.sigma.config;

import java.net.IDN;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** Host names and addresses as sigma.json writes them, and the URLs of nodes. No name is ever looked up. */
final class HostSyntax {

    private static final int NAME_CHARS_MAX = 253;
    private static final int LABEL_CHARS_MAX = 63;
    private static final int PORT_DEFAULT = 80;
    private static final int PORT_MAX = 65535;
    private static final String SCHEME = "http://";
    private static final String URL = "http://host:port";

    private HostSyntax() {}

    /** An address to listen on: an IP address without brackets, or a host name. */
    static void checkListen(String host) {
        if (IpAddress.parse(host) != null) {
            return;
        }
        if (host.startsWith("[") && host.endsWith("]")) {
            throw new UnfitException("an IPv6 address without brackets", host.substring(1, host.length() - 1));
        }
        if (!isName(host)) {
            throw new UnfitException("an IP address or a host name", nearestName(host));
        }
    }

    /** A virtual host: {@code www.example.com}, {@code *.example.com}, {@code 10.0.0.1} or {@code [::1]}. */
    static void checkVirtualHost(String host) {
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (bracketed && IpAddress.parse(host.substring(1, host.length() - 1)) != null) {
            return;
        }
        if (host.equals("*")) {
            throw new UnfitException("a host; for every host leave \"virtual-host\" out");
        }
        String name = host.startsWith("*.") ? host.substring(2) : host;
        if (IpAddress.parse(name) != null && host.indexOf(':') >= 0) {
            throw new UnfitException("an IPv6 address in brackets", "[" + host + "]");
        }
        int scheme = host.indexOf("://");
        if (scheme >= 0) {
            throw new UnfitException("a host, not a URL", nearestName(host.substring(scheme + 3)));
        }
        int colon = host.lastIndexOf(':');
        if (colon > 0 && isName(host.substring(0, colon).replace("*.", ""))) {
            throw new UnfitException("a host without a port", host.substring(0, colon));
        }
        if (!isName(name)) {
            throw new UnfitException("a host such as www.example.com or *.example.com", nearestName(host));
        }
    }

    /** The node that a URL names, with the weight given. */
    static NodeConfig node(String url, int weight) {
        if (!url.regionMatches(true, 0, SCHEME, 0, SCHEME.length())) {
            throw new UnfitException(URL, url.contains("://") ? null : SCHEME + url);
        }
        String rest = url.substring(SCHEME.length());
        int end = indexOfAny(rest, "/?#");
        if (end >= 0) {
            throw new UnfitException(URL + " without a path", SCHEME + rest.substring(0, end));
        }
        int at = rest.lastIndexOf('@');
        if (at >= 0) {
            throw new UnfitException(URL + " without a user", SCHEME + rest.substring(at + 1));
        }
        return authority(rest, weight);
    }

    private static NodeConfig authority(String authority, int weight) {
        if (authority.startsWith("[")) {
            int close = authority.indexOf(']');
            IpAddress address = close < 0 ? null : IpAddress.parse(authority.substring(1, close));
            if (address == null) {
                throw new UnfitException(URL + " with an IPv6 address in brackets");
            }
            return new NodeConfig(
                    authority.substring(1, close).toLowerCase(Locale.ROOT),
                    port(authority.substring(close + 1)),
                    weight);
        }
        if (IpAddress.parse(authority) != null && authority.indexOf(':') >= 0) {
            throw new UnfitException(URL + " with an IPv6 address in brackets", SCHEME + "[" + authority + "]");
        }
        int colon = authority.indexOf(':');
        String host = colon < 0 ? authority : authority.substring(0, colon);
        if (!isName(host)) {
            String nearest = nearestName(host);
            throw new UnfitException(
                    URL, nearest == null ? null : SCHEME + nearest + (colon < 0 ? "" : authority.substring(colon)));
        }
        return new NodeConfig(
                host.toLowerCase(Locale.ROOT), colon < 0 ? PORT_DEFAULT : port(authority.substring(colon)), weight);
    }

    /** The port after a colon; the default where there is nothing. */
    private static int port(String text) {
        if (text.isEmpty()) {
            return PORT_DEFAULT;
        }
        String digits = text.substring(1);
        boolean fits = text.charAt(0) == ':' && digits.length() <= 5 && Chars.areDigits(digits);
        int port = fits ? Integer.parseInt(digits) : 0;
        if (port < 1 || port > PORT_MAX) {
            throw new UnfitException(URL + " with a port of 1 to " + PORT_MAX);
        }
        return port;
    }

    /** Whether this is a host name, also one with underscores as container networks use it, or an IPv4 address. */
    private static boolean isName(String host) {
        if (host.isEmpty() || host.length() > NAME_CHARS_MAX) {
            return false;
        }
        String[] labels = host.split("\\.", -1);
        for (String label : labels) {
            if (!isLabel(label)) {
                return false;
            }
        }
        boolean numeric = Chars.areDigits(labels[labels.length - 1]);
        return !numeric || IpAddress.parse(host) != null;
    }

    private static boolean isLabel(String label) {
        boolean edges = label.startsWith("-") || label.endsWith("-");
        return !edges && label.length() <= LABEL_CHARS_MAX && Chars.areAlphanumericOr("-_", label);
    }

    /** The name without a dot at its end, or in the ASCII form of RFC 5891, where that is a name. */
    private static @Nullable String nearestName(String host) {
        String wildcard = host.startsWith("*.") ? "*." : "";
        String name = host.substring(wildcard.length());
        if (name.endsWith(".")) {
            name = name.substring(0, name.length() - 1);
        }
        if (!Chars.areWithin(' ', '~', name)) {
            try {
                name = IDN.toASCII(name);
            } catch (IllegalArgumentException e) {
                return null;
            }
        }
        return isName(name) ? wildcard + name : null;
    }

    private static int indexOfAny(String text, String chars) {
        for (int i = 0; i < text.length(); i++) {
            if (chars.indexOf(text.charAt(i)) >= 0) {
                return i;
            }
        }
        return -1;
    }
}
