package net.oooops.sigma.proxy;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The addresses that forwarding fields name, nearest to the client first. */
final class ForwardedHops {
    private ForwardedHops() {}

    static List<String> ofXForwardedFor(List<String> values) {
        List<String> hops = new ArrayList<>();
        for (String value : values) {
            for (String hop : value.split(",", -1)) {
                hops.add(bare(hop.strip()));
            }
        }
        return hops;
    }

    /** The {@code for} parameter of each element (RFC 7239 section 5.2); one without it names nobody. */
    static List<String> ofForwarded(List<String> values) {
        List<String> hops = new ArrayList<>();
        for (String value : values) {
            for (String element : value.split(",", -1)) {
                hops.add(forParameter(element));
            }
        }
        return hops;
    }

    private static String forParameter(String element) {
        for (String pair : element.split(";", -1)) {
            String trimmed = pair.strip();
            if (trimmed.toLowerCase(Locale.ROOT).startsWith("for=")) {
                return bare(trimmed.substring("for=".length()).replace("\"", ""));
            }
        }
        return "";
    }

    /** The {@code proto} parameter (RFC 7239 section 5.4) of the last element, that of the nearest proxy; empty without one. */
    static String lastProto(List<String> values) {
        String last = values.isEmpty() ? "" : values.getLast();
        String element = last.substring(last.lastIndexOf(',') + 1);
        for (String pair : element.split(";", -1)) {
            String trimmed = pair.strip();
            if (trimmed.toLowerCase(Locale.ROOT).startsWith("proto=")) {
                return trimmed.substring("proto=".length()).replace("\"", "");
            }
        }
        return "";
    }

    /** Without brackets and port. */
    private static String bare(String node) {
        if (node.startsWith("[")) {
            int end = node.indexOf(']');
            return end < 0 ? "" : node.substring(1, end);
        }
        int colon = node.indexOf(':');
        return colon >= 0 && colon == node.lastIndexOf(':') ? node.substring(0, colon) : node;
    }
}
