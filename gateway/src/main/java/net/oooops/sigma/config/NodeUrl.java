package net.oooops.sigma.config;

import java.util.Locale;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** The URLs of nodes as sigma.json writes them: a scheme, a host, a port, and nothing else. */
final class NodeUrl {

    private static final int PORT_MAX = 65535;

    private final String scheme;
    private final String form;
    private final boolean ofRequests;
    private final int portDefault;
    private final int weight;

    private NodeUrl(NodeScheme scheme, int weight) {
        this.scheme = scheme.prefix();
        this.form = scheme.form();
        this.ofRequests = scheme.protocol() == Protocol.HTTP;
        this.portDefault = scheme.portDefault();
        this.weight = weight;
    }

    /** The node that a URL names, with the weight given. */
    static NodeConfig node(String url, int weight) {
        return new NodeUrl(NodeScheme.of(url), weight).parse(url);
    }

    private NodeConfig parse(String url) {
        if (!url.regionMatches(true, 0, scheme, 0, scheme.length())) {
            UnfitException foreign = foreign(url);
            if (foreign != null) {
                throw foreign;
            }
            throw new UnfitException(
                    "http://host:port, https://host:port, h2c://host:port or h2://host:port, tcp://host:port, tls://host:port or udp://host:port for sessions, bolt://host:port or bolts://host:port",
                    url.contains(":/") ? null : scheme + url);
        }
        String rest = url.substring(scheme.length());
        int end = indexOfAny(rest, "/?#");
        if (end >= 0) {
            boolean prefix = ofRequests && rest.charAt(end) == '/' && end + 1 < rest.length();
            String how = prefix ? "; the plugin \"rewrite-path\" puts one before that of requests" : "";
            throw new UnfitException(form + " without a path" + how, scheme + rest.substring(0, end));
        }
        int space = rest.indexOf(' ');
        if (space > 0 && rest.substring(space).strip().startsWith("weight=")) {
            throw new UnfitException(
                    form + "; with a weight: { \"url\": " + Json.quoted(scheme + rest.substring(0, space))
                            + ", \"weight\": " + rest.substring(rest.indexOf('=') + 1) + " }");
        }
        int at = rest.lastIndexOf('@');
        if (at >= 0) {
            throw new UnfitException(form + " without a user", scheme + rest.substring(at + 1));
        }
        return authority(rest);
    }

    /** What to say of schemes that others have; null where it is none of these. */
    private static @Nullable UnfitException foreign(String url) {
        int end = url.indexOf("://");
        String rest = end < 0 ? "" : url.substring(end);
        return switch (end < 0 ? "" : url.substring(0, end).toLowerCase(Locale.ROOT)) {
            case "grpc" -> new UnfitException("h2c://host:port", "h2c" + rest);
            case "grpcs" -> new UnfitException("h2://host:port", "h2" + rest);
            case "ws" -> new UnfitException("http://host:port, also for WebSockets", "http" + rest);
            case "wss" -> new UnfitException("https://host:port, also for WebSockets", "https" + rest);
            case "lb" ->
                new UnfitException("http://host:port; for a service that DNS knows \"dns-srv\" in place of \"nodes\"");
            default -> null;
        };
    }

    private NodeConfig authority(String authority) {
        if (authority.startsWith("[")) {
            int close = authority.indexOf(']');
            IpAddress address = close < 0 ? null : IpAddress.parse(authority.substring(1, close));
            if (address == null) {
                throw new UnfitException(form + " with an IPv6 address in brackets");
            }
            return new NodeConfig(
                    authority.substring(1, close).toLowerCase(Locale.ROOT),
                    port(authority.substring(close + 1)),
                    weight);
        }
        if (IpAddress.parse(authority) != null && authority.indexOf(':') >= 0) {
            throw new UnfitException(
                    form + " with an IPv6 address in brackets",
                    mayEndWithPort(authority) ? null : scheme + "[" + authority + "]");
        }
        int colon = authority.indexOf(':');
        String host = colon < 0 ? authority : authority.substring(0, colon);
        if (HostSyntax.isNumeric(host) && IpAddress.parse(host) == null) {
            throw new UnfitException(form + "; an IPv4 address is four decimal numbers without leading zeros");
        }
        if (!HostSyntax.isName(host)) {
            String nearest = HostSyntax.nearestName(host);
            throw new UnfitException(
                    form, nearest == null ? null : scheme + nearest + (colon < 0 ? "" : authority.substring(colon)));
        }
        return new NodeConfig(host.toLowerCase(Locale.ROOT), port(colon < 0 ? "" : authority.substring(colon)), weight);
    }

    /** Whether its last number may be the port of a shorter address: nobody can tell which is meant. */
    private static boolean mayEndWithPort(String address) {
        int colon = address.lastIndexOf(':');
        return Chars.areDigits(address.substring(colon + 1)) && IpAddress.parse(address.substring(0, colon)) != null;
    }

    /** The port after a colon; the default, where there is one, for nothing. */
    private int port(String text) {
        if (text.isEmpty() && portDefault > 0) {
            return portDefault;
        }
        String digits = text.isEmpty() ? "" : text.substring(1);
        boolean fits = text.startsWith(":") && digits.length() <= 5 && Chars.areDigits(digits);
        int port = fits ? Integer.parseInt(digits) : 0;
        if (port < 1 || port > PORT_MAX || digits.startsWith("0")) {
            boolean zeros = port >= 1 && port <= PORT_MAX;
            throw new UnfitException(
                    form + " with a port of 1 to " + PORT_MAX + (zeros ? ", without leading zeros" : ""));
        }
        return port;
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
