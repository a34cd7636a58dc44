package net.oooops.sigma.config;

import java.net.IDN;
import java.util.regex.Pattern;
import net.oooops.sigma.api.IpAddress;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/** Host names and addresses as sigma.json writes them. No name is ever looked up. */
final class HostSyntax {

    private static final int NAME_CHARS_MAX = 253;
    private static final int LABEL_CHARS_MAX = 63;
    private static final Pattern NUMBER = Pattern.compile("[0-9]+|0[xX][0-9A-Fa-f]*");

    private HostSyntax() {}

    /** An address to listen on: an IP address without brackets, or a host name. */
    static void checkListen(String host) {
        if (IpAddress.parse(host) != null) {
            return;
        }
        if (host.startsWith("[") && host.endsWith("]")) {
            throw new UnfitException("an IPv6 address without brackets", host.substring(1, host.length() - 1));
        }
        int colon = host.lastIndexOf(':');
        if (colon > 0 && Chars.areDigits(host.substring(colon + 1)) && isName(host.substring(0, colon))) {
            throw new UnfitException("an IP address or a host name; \"port\" is beside it", host.substring(0, colon));
        }
        if (!isName(host)) {
            throw new UnfitException("an IP address or a host name", nearestName(host));
        }
    }

    /** The name of a host. */
    static void checkName(String host) {
        if (!isName(host)) {
            throw new UnfitException("a host name", nearestName(host));
        }
    }

    /** A virtual host: {@code www.example.com}, {@code *.example.com}, {@code 10.0.0.1} or {@code [::1]}. */
    static void checkVirtualHost(String host) {
        boolean bracketed = host.startsWith("[") && host.endsWith("]");
        if (bracketed && IpAddress.parse(host.substring(1, host.length() - 1)) != null) {
            return;
        }
        if (host.equals("*") || host.equals("_")) {
            throw new UnfitException("a host; for every host leave \"virtual-host\" out");
        }
        String name = host.startsWith("*.") ? host.substring(2) : host;
        if (IpAddress.parse(name) != null && host.indexOf(':') >= 0) {
            throw new UnfitException("an IPv6 address in brackets", "[" + host + "]");
        }
        if (!isName(name)) {
            throw ForeignHost.of(host);
        }
    }

    /** The name of a service in DNS: {@code _http._tcp.example.internal}, or any other name, as Consul has them. */
    static void checkSrv(String name) {
        if (!isName(name) || IpAddress.parse(name) != null) {
            String nearest = nearestName(name);
            throw new UnfitException(
                    "the name of a service such as _http._tcp.example.internal", name.equals(nearest) ? null : nearest);
        }
    }

    /** Whether this is a host name, also one with underscores as container networks use it, or an IPv4 address. */
    static boolean isName(String host) {
        if (host.isEmpty() || host.length() > NAME_CHARS_MAX) {
            return false;
        }
        String[] labels = host.split("\\.", -1);
        for (String label : labels) {
            if (!isLabel(label)) {
                return false;
            }
        }
        return !isNumeric(host) || IpAddress.parse(host) != null;
    }

    /** Whether all its labels are numbers, decimal or hexadecimal: some take it for an IPv4 address then, whatever its form. */
    static boolean isNumeric(String host) {
        for (String label : host.split("\\.", -1)) {
            if (!isNumber(label)) {
                return false;
            }
        }
        return true;
    }

    /** Whether some take it for a part of an IPv4 address. */
    private static boolean isNumber(String label) {
        return NUMBER.matcher(label).matches();
    }

    private static boolean isLabel(String label) {
        boolean edges = label.startsWith("-") || label.endsWith("-");
        return !edges && label.length() <= LABEL_CHARS_MAX && Chars.areAlphanumericOr("-_", label);
    }

    /** The name without a dot at its end, or in the ASCII form of RFC 5891, where that is a name. */
    static @Nullable String nearestName(String host) {
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
}
