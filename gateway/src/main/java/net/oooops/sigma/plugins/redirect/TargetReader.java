package net.oooops.sigma.plugins.redirect;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;

/** Reads a {@link Target} and refuses those that a path could lead to another host. For one text. */
final class TargetReader {
    private static final Map<String, Part.Kind> VALUES = Map.of(
            "scheme", Part.Kind.SCHEME,
            "host", Part.Kind.HOST,
            "authority", Part.Kind.AUTHORITY,
            "path", Part.Kind.PATH,
            "query", Part.Kind.QUERY);
    /** With {@code h} in the place of the request's host. */
    private static final Pattern AUTHORITY = Pattern.compile("([A-Za-z0-9._-]+|\\[[0-9A-Fa-f:.]+])(:[0-9]{1,5})?");

    /** What others call a value, and its name here. */
    private static final List<Map.Entry<Pattern, String>> FOREIGN = List.of(
            foreign("\\$request_uri\\b|\\{uri}|\\{http\\.request\\.uri}|%\\{REQUEST_URI}", "$path$query"),
            foreign("\\$(document_)?uri\\b|\\{path}|\\{http\\.request\\.uri\\.path}", "$path"),
            foreign("(\\$is_args)?\\$args\\b|\\??\\{query}|\\?%\\{QUERY_STRING}", "$query"),
            foreign("\\$(http_host|server_name)\\b|\\{host}|%\\{HTTP_HOST}", "$host"));

    private static final String URL_EXTRAS = "/-._~!$&'()*+,;=:@?#[]";

    private final Settings setting;
    private final String text;
    private final int groupCount;
    private final List<Part> parts = new ArrayList<>();
    private final StringBuilder current = new StringBuilder();
    private boolean inQuery;
    private boolean inFragment;
    private int hostParts;
    private int at;

    /** @param groupCount how many groups the regexp has; -1 where there is none */
    TargetReader(Settings setting, int groupCount) {
        this.setting = setting;
        this.text = setting.string();
        this.groupCount = groupCount;
    }

    private static Map.Entry<Pattern, String> foreign(String regexp, String value) {
        return Map.entry(Pattern.compile(regexp), value);
    }

    Target read() {
        for (Map.Entry<Pattern, String> each : FOREIGN) {
            Matcher foreign = each.getKey().matcher(text);
            if (foreign.find()) {
                throw setting.unexpected(each.getValue() + " in the place of " + foreign.group());
            }
        }
        for (String scheme : List.of("$scheme://", "http://", "https://")) {
            if (text.startsWith(scheme)) {
                host(scheme);
            }
        }
        boolean isPath = text.startsWith("$path") || (text.startsWith("/") && !text.startsWith("//"));
        if (hostParts == 0 && !isPath) {
            throw setting.unexpected("http://, https:// or $scheme:// and a host, or a path that begins with one /");
        }
        while (at < text.length()) {
            next();
        }
        flush();
        check();
        return new Target(parts, hostParts);
    }

    private void host(String scheme) {
        if (scheme.startsWith("$")) {
            add(Part.Kind.SCHEME, "", 0);
            current.append("://");
        } else {
            current.append(scheme);
        }
        at = scheme.length();
        int end = at;
        while (end < text.length() && "/?#".indexOf(text.charAt(end)) < 0 && !isAnyAt(end, "$path", "$query")) {
            end++;
        }
        String authority = text.substring(at, end);
        String example = authority.replace("$host", "h").replace("$authority", "h:1");
        if (!AUTHORITY.matcher(example).matches()) {
            throw setting.unexpected("a host, with or without a port, that is written out, $host or $authority");
        }
        while (at < end) {
            if (text.charAt(at) == '$') {
                value();
            } else {
                current.append(text.charAt(at++));
            }
        }
        flush();
        hostParts = parts.size();
    }

    private boolean isAnyAt(int place, String first, String second) {
        return text.startsWith(first, place) || text.startsWith(second, place);
    }

    private void next() {
        char c = text.charAt(at);
        if (c == '$') {
            value();
        } else if (c == ':' && nameEnd(at + 1) > at + 1) {
            int end = nameEnd(at + 1);
            add(Part.Kind.PARAMETER, text.substring(at + 1, end), 0);
            at = end;
        } else {
            if ((c == '?' || c == '#') && !inQuery) {
                flush();
                inQuery = true;
            }
            inFragment |= c == '#';
            current.append(c);
            at++;
        }
    }

    private void value() {
        int end = at + 1;
        while (end < text.length() && isLetterOrDigit(text.charAt(end))) {
            end++;
        }
        String name = text.substring(at + 1, end);
        if (!name.isEmpty() && isDigit(name.charAt(0))) {
            group();
            return;
        }
        // The longest that there is: $hostname is $host and then "name".
        while (!name.isEmpty() && !VALUES.containsKey(name)) {
            name = name.substring(0, name.length() - 1);
        }
        Part.Kind kind = VALUES.get(name);
        if (kind == null) {
            throw setting.unexpected("$scheme, $host, $authority, $path, $query or $1 after a $; a dollar sign is %24");
        }
        add(kind, "", 0);
        at += name.length() + 1;
    }

    private void group() {
        if (groupCount < 0) {
            throw setting.unexpected("a regexp beside it, where it has groups such as $1");
        }
        int group = text.charAt(++at) - '0';
        at++;
        while (at < text.length() && isDigit(text.charAt(at)) && group * 10 + text.charAt(at) - '0' <= groupCount) {
            group = group * 10 + text.charAt(at++) - '0';
        }
        if (group > groupCount) {
            throw setting.unexpected("groups that the regexp has: " + groupCount + "; $" + group + " is none");
        }
        add(Part.Kind.GROUP, "", group);
    }

    private void add(Part.Kind kind, String name, int group) {
        flush();
        if (inFragment) {
            throw setting.unexpected("a text without values behind #");
        }
        parts.add(new Part(kind, name, group, inQuery));
    }

    private void flush() {
        if (!current.isEmpty()) {
            parts.add(new Part(Part.Kind.TEXT, current.toString(), 0, inQuery));
            current.setLength(0);
        }
    }

    private void check() {
        for (int i = 0; i < parts.size(); i++) {
            Part part = parts.get(i);
            if (part.kind() == Part.Kind.QUERY && i < parts.size() - 1) {
                throw setting.unexpected("$query as the last of it");
            }
            if (part.kind() == Part.Kind.TEXT && i >= hostParts) {
                checkText(part);
            }
        }
    }

    private void checkText(Part part) {
        if (!isWritten(part.text())) {
            throw unwritten(part.text());
        }
        if (!part.inQuery() && part.text().contains("//")) {
            throw setting.unexpected("a path without two slashes in a row");
        }
    }

    private SettingsException unwritten(String part) {
        return setting.unexpected(
                "characters of a URL, RFC 3986, others percent-encoded; \"" + part + "\" holds others");
    }

    private static boolean isWritten(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                if (!isHexAt(text, i + 1) || !isHexAt(text, i + 2)) {
                    return false;
                }
                i += 2;
            } else if (!isLetterOrDigit(c) && URL_EXTRAS.indexOf(c) < 0) {
                return false;
            }
        }
        return true;
    }

    private int nameEnd(int from) {
        int end = from;
        while (end < text.length() && (isLetterOrDigit(text.charAt(end)) || "-_".indexOf(text.charAt(end)) >= 0)) {
            end++;
        }
        return end;
    }

    private static boolean isHexAt(String text, int at) {
        return at < text.length() && text.charAt(at) <= 0x7F && Character.digit(text.charAt(at), 16) >= 0;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }

    private static boolean isLetterOrDigit(char c) {
        return isDigit(c) || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    }
}
