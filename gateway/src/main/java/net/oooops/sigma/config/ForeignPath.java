package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.api.UnfitException;
import org.jspecify.annotations.Nullable;

/**
 * Paths as others write them (nginx's locations, the templates of Spring, Envoy and OpenAPI, regular expressions, Traefik's rules), and how
 * Sigma writes what they mean. Looked at only where a path is none of Sigma's.
 */
final class ForeignPath {
    private static final String EXPECTED =
            "a path such as /a/b, /a/:id with a parameter, or /a/* with all below; there are no other patterns";

    private static final Pattern URL = Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://[^/]*(/.*)?");
    private static final Pattern RULE = Pattern.compile("(Path|PathPrefix)\\([`\"']([^`\"']*)[`\"']\\)");
    private static final Pattern LOCATION = Pattern.compile("(?:location\\s+)?(=|~\\*?|\\^~)?\\s*(\\S.*)");
    /** What stands for all below at the end of a path. */
    private static final Pattern REST =
            Pattern.compile("(\\(/\\|\\$\\)|/\\?|/)?(\\(?/?\\.[*+]\\)?\\??|\\*\\*)$|\\(/\\|\\$\\)$");
    /** A segment that stands for all below. */
    private static final Pattern ALL_BELOW = Pattern.compile("\\*|\\{\\*\\*?[\\w-]*\\}|\\{[\\w-]+\\.\\.\\.\\}"
            + "|\\{[\\w-]+[:=](?:\\.[*+]|path|\\*\\*)\\}|<path:[\\w-]+>|:[\\w-]+[*+]|\\*[\\w-]+");
    /** A segment that stands for any one segment, with its name where it has one. */
    private static final Pattern ANY_ONE = Pattern.compile(
            "\\{([\\w.-]+)(?:[:=].*)?\\}|<(?:\\w+:)?([\\w-]+)>"
                    + "|:([\\w-]+)\\(.*\\)|\\(\\?P?<([\\w-]+)>.*\\)|\\(?(?:\\[[^\\]]*\\]|\\\\[dwS])[+*]?\\)?|\\(?\\.[+*]\\)?|\\*");
    /** The beginning of a segment, and all that begins so. */
    private static final Pattern BEGINNING = Pattern.compile("([\\w.-]+)\\*");

    private final Set<String> names = new HashSet<>();
    private boolean recognized;
    private boolean prefix;

    private ForeignPath() {}

    /** What to say of a path that Sigma doesn't know; null where it is nobody else's either. */
    static @Nullable UnfitException of(String path) {
        Matcher url = URL.matcher(path);
        if (url.matches()) {
            String expected = "a path that begins with /, or *; the host is the router's \"virtual-host\"";
            return new UnfitException(expected, url.group(1) == null ? null : fitting(path, url.group(1)));
        }
        ForeignPath foreign = new ForeignPath();
        String meant = foreign.translated(path.strip());
        boolean templated = foreign.recognized || path.indexOf('{') >= 0 || path.contains("**");
        return templated ? new UnfitException(EXPECTED, meant == null ? null : fitting(path, meant)) : null;
    }

    /** The path that is meant, where Sigma has it. */
    private static @Nullable String fitting(String path, String meant) {
        if (meant.equals(path) || !Chars.areAlphanumericOr("/-._~%:*@!,=", meant)) {
            return null;
        }
        return PathSyntax.isOwn(meant) ? meant : null;
    }

    private @Nullable String translated(String path) {
        String text = withoutRule(path);
        boolean regexp = text.startsWith("~") || text.startsWith("^/");
        if (regexp) {
            recognized = true;
            text = text.replaceFirst("^~?\\*?\\s*\\^?", "");
            prefix = !text.endsWith("$");
            text = text.replaceFirst("\\$$", "").replaceAll("\\\\([/.-])", "$1");
        }
        Matcher rest = REST.matcher(text);
        if (rest.find()) {
            recognized = true;
            prefix = true;
            text = text.substring(0, rest.start());
        }
        if (regexp && !text.isEmpty() && !text.startsWith("/")) {
            return null;
        }
        return joined(segments(text));
    }

    /** The path in a rule of Traefik's, or behind what nginx writes before it. */
    private String withoutRule(String path) {
        Matcher rule = RULE.matcher(path);
        if (rule.matches()) {
            recognized = true;
            prefix = rule.group(1).equals("PathPrefix");
            return rule.group(2);
        }
        Matcher location = LOCATION.matcher(path);
        if (!location.matches() || location.start(2) == 0) {
            return path;
        }
        recognized = true;
        String how = location.group(1) == null ? "" : location.group(1);
        prefix = !how.equals("=");
        return how.startsWith("~") ? "~" + location.group(2) : location.group(2);
    }

    private @Nullable String joined(List<String> segments) {
        List<String> path = new ArrayList<>();
        for (int i = 0; i < segments.size(); i++) {
            String segment = segments.get(i);
            boolean last = i == segments.size() - 1 && !prefix;
            if (last && isAllBelow(segment)) {
                prefix = true;
            } else if (ANY_ONE.matcher(segment).matches()) {
                recognized = true;
                path.add(":" + name(segment));
            } else if (!segment.isEmpty() || last) {
                path.add(last ? beginning(segment) : segment);
            }
        }
        if (prefix) {
            path.add("*");
        }
        return "/" + String.join("/", path);
    }

    private boolean isAllBelow(String segment) {
        boolean matches = ALL_BELOW.matcher(segment).matches();
        recognized |= matches && !segment.equals("*");
        return matches;
    }

    private String beginning(String segment) {
        Matcher beginning = BEGINNING.matcher(segment);
        if (!beginning.matches()) {
            return segment;
        }
        recognized = true;
        prefix = true;
        return beginning.group(1);
    }

    /** A name for the parameter, each once. */
    private String name(String segment) {
        Matcher any = ANY_ONE.matcher(segment);
        String name = "any";
        for (int i = 1; any.matches() && i <= any.groupCount(); i++) {
            name = any.group(i) == null ? name : any.group(i).replace('.', '-');
        }
        String own = name;
        for (int i = 2; !names.add(own); i++) {
            own = name + i;
        }
        return own;
    }

    /** What stands between slashes, but for those in brackets. */
    private static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        StringBuilder segment = new StringBuilder();
        int depth = 0;
        for (int i = path.startsWith("/") ? 1 : 0; i < path.length(); i++) {
            char c = path.charAt(i);
            depth += "{([<".indexOf(c) >= 0 ? 1 : "})]>".indexOf(c) >= 0 ? -1 : 0;
            if (c == '/' && depth <= 0) {
                segments.add(segment.toString());
                segment.setLength(0);
            } else {
                segment.append(c);
            }
        }
        segments.add(segment.toString());
        return segments;
    }
}
