package net.oooops.sigma.plugins.redirect;

import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.RequestHead;
import org.jspecify.annotations.Nullable;

/**
 * Where clients are sent, read once by {@link TargetReader}. What a path, parameter or group says can't become a part of the host: the host is written
 * out or the request's own, and a path has one slash at its beginning, whatever stands there. Immutable.
 *
 * @param parts scheme and host, where it has them, then the path, then the query
 * @param hostParts how many of them come before the path
 */
record Target(List<Part> parts, int hostParts) {
    private static final String SPECIAL_IN_QUERIES = "&+=;";

    Target {
        parts = List.copyOf(parts);
    }

    /** The text, where it is always the same; else null. */
    @Nullable String constant() {
        boolean isConstant = parts.stream().allMatch(part -> part.kind() == Part.Kind.TEXT);
        return isConstant ? parts.stream().map(Part::text).reduce("", String::concat) : null;
    }

    /** The names of the parameters in it. */
    List<String> parameters() {
        return parts.stream()
                .filter(part -> part.kind() == Part.Kind.PARAMETER)
                .map(Part::text)
                .distinct()
                .toList();
    }

    /** Whether the request's host is a part of it. */
    boolean namesHost() {
        return parts.stream().anyMatch(part -> part.kind() == Part.Kind.HOST || part.kind() == Part.Kind.AUTHORITY);
    }

    /**
     * The target for a request.
     *
     * @param match what the regexp found, where there is one
     */
    String expand(Exchange exchange, @Nullable Matcher match) {
        StringBuilder out = new StringBuilder(128);
        for (int i = 0; i < hostParts; i++) {
            out.append(value(parts.get(i), exchange, match));
        }
        int pathAt = out.length();
        for (int i = hostParts; i < parts.size(); i++) {
            append(out, pathAt, parts.get(i), exchange, match);
        }
        boolean isPathOnly = hostParts == 0;
        if (isPathOnly && (out.isEmpty() || out.charAt(0) != '/' || out.indexOf("//") == 0)) {
            throw new IllegalStateException("\"" + out + "\" (expected: a path)");
        }
        return out.toString();
    }

    private void append(StringBuilder out, int pathAt, Part part, Exchange exchange, @Nullable Matcher match) {
        if (part.kind() == Part.Kind.QUERY) {
            appendQuery(out, part, exchange.request().receivedQuery());
            return;
        }
        String value = value(part, exchange, match);
        if (!part.inQuery()) {
            boolean doubles = out.length() > pathAt && out.charAt(out.length() - 1) == '/' && value.startsWith("/");
            out.append(value, doubles ? 1 : 0, value.length());
        } else if (part.isOfPath()) {
            appendEncoded(out, value);
        } else {
            out.append(value);
        }
    }

    private static void appendQuery(StringBuilder out, Part part, @Nullable String query) {
        boolean atMark = !out.isEmpty() && out.charAt(out.length() - 1) == '?';
        if (query == null) {
            out.setLength(atMark ? out.length() - 1 : out.length());
            return;
        }
        if (!part.inQuery()) {
            out.append('?');
        } else if (!atMark) {
            out.append('&');
        }
        out.append(query);
    }

    /** What separates in a query is no separator in a path: else a path could add parameters. */
    private static void appendEncoded(StringBuilder out, String value) {
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (SPECIAL_IN_QUERIES.indexOf(c) >= 0) {
                out.append('%').append(Integer.toHexString(c).toUpperCase(Locale.ROOT));
            } else {
                out.append(c);
            }
        }
    }

    private static String value(Part part, Exchange exchange, @Nullable Matcher match) {
        RequestHead request = exchange.request();
        return switch (part.kind()) {
            case TEXT -> part.text();
            case SCHEME -> request.scheme();
            case HOST -> host(request.authority());
            case AUTHORITY -> request.authority();
            // OPTIONS * and CONNECT name no path.
            case PATH -> request.receivedPath().startsWith("/") ? request.receivedPath() : "/";
            case PARAMETER -> orEmpty(exchange.parameter(part.text()));
            case GROUP -> group(part.group(), match);
            case QUERY -> "";
        };
    }

    private static String host(String authority) {
        int colon = authority.lastIndexOf(':');
        return colon > authority.lastIndexOf(']') ? authority.substring(0, colon) : authority;
    }

    /** What isn't there, on a server or router that requests of any path pass, is empty as a group is that found nothing. */
    private static String orEmpty(@Nullable String value) {
        return value == null ? "" : value;
    }

    private static String group(int group, @Nullable Matcher match) {
        return orEmpty(match == null ? null : match.group(group));
    }
}
