package net.oooops.sigma.config;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import net.oooops.sigma.api.UnfitException;

/**
 * The path of a route: exact, with parameters, a prefix, or {@code *}; in the normalised form that requests are matched in (RFC
 * 3986 section 6.2.2, with repeated slashes made one), since it could match nothing otherwise.
 */
final class PathSyntax {

    /** What may stand in a path besides letters, digits and %: what RFC 3986 section 3.3 says, and what browsers leave as it is. */
    private static final String MARKS = "/-._~!$&'()*+,;=:@[]|^";

    /** What dot, slash, backslash and NUL are in longer forms than UTF-8 has. */
    private static final Pattern OVERLONG = Pattern.compile(
            "(%C0|%(E0|F0%80|F8%80%80|FC%80%80%80)%80)%(80|AE|AF)" + "|(%C1|%(E0|F0%80|F8%80%80|FC%80%80%80)%81)%9C");

    private static final Set<String> DOTS = Set.of(".", "..");

    private PathSyntax() {}

    /** @throws UnfitException saying what is wrong, with the normalised form where that is all */
    static void check(String path) {
        try {
            checkOwn(path);
        } catch (UnfitException e) {
            UnfitException foreign = ForeignPath.of(path);
            throw foreign == null ? e : foreign;
        }
    }

    /** The same, without a thought to what others write. */
    static void checkOwn(String path) {
        if (path.equals("*")) {
            return;
        }
        if (!path.startsWith("/")) {
            throw new UnfitException("a path that begins with /, or *", isOwn("/" + path) ? "/" + path : null);
        }
        for (int i = 0; i < path.length(); i++) {
            character(path, i);
        }
        String decoded = decoded(path);
        String normal = withoutDots(decoded);
        if (!normal.equals(path)) {
            throw new UnfitException("a normalised path, as requests are matched in", normal);
        }
        segments(path);
    }

    /** Whether it is one of Sigma's. */
    static boolean isOwn(String path) {
        try {
            checkOwn(path);
            return true;
        } catch (UnfitException e) {
            return false;
        }
    }

    /** The path with all names of parameters made one: two paths of the same shape match the same requests. */
    static String shape(String path) {
        if (path.equals("/*")) {
            return "*";
        }
        if (!path.contains("/:")) {
            return path + "/";
        }
        StringBuilder shape = new StringBuilder();
        for (String segment : path.split("/", -1)) {
            shape.append(segment.startsWith(":") ? ":" : segment).append('/');
        }
        return shape.toString();
    }

    private static void character(String path, int at) {
        char c = path.charAt(at);
        if (Chars.isAlphanumeric(c) || c == '%' || (c != ';' && MARKS.indexOf(c) >= 0)) {
            return;
        }
        throw switch (c) {
            case '?' ->
                new UnfitException(
                        "a path without a query; conditions on it go under \"query\"", path.substring(0, at));
            case '#' -> new UnfitException("a path without a fragment", path.substring(0, at));
            case ';' -> new UnfitException("a path without ; since what follows it is passed over in matching");
            case '\\' -> new UnfitException("a path without \\ since requests with one are refused");
            default ->
                new UnfitException(
                        "percent-encoded UTF-8 for anything but the characters of a URI path", encoded(path));
        };
    }

    private static String encoded(String path) {
        StringBuilder encoded = new StringBuilder();
        for (byte b : path.getBytes(StandardCharsets.UTF_8)) {
            if (Chars.isAlphanumeric(b) || b == '%' || (b > 0 && MARKS.indexOf(b) >= 0)) {
                encoded.append((char) b);
            } else {
                encoded.append(String.format("%%%02X", b & 0xff));
            }
        }
        return encoded.toString();
    }

    /** Decodes unreserved characters and makes all other triplets upper case. */
    private static String decoded(String path) {
        if (path.indexOf('%') < 0) {
            return path;
        }
        StringBuilder decoded = new StringBuilder();
        for (int at = 0; at < path.length(); at++) {
            if (path.charAt(at) == '%') {
                triplet(path, at, decoded);
                at += 2;
            } else {
                decoded.append(path.charAt(at));
            }
        }
        if (OVERLONG.matcher(decoded).find()) {
            throw new UnfitException(
                    "a path without overlong forms of NUL, . / and \\ since requests with one are refused");
        }
        return decoded.toString();
    }

    private static void triplet(String path, int at, StringBuilder decoded) {
        int high = at + 2 < path.length() ? Character.digit(path.charAt(at + 1), 16) : -1;
        int low = at + 2 < path.length() ? Character.digit(path.charAt(at + 2), 16) : -1;
        if (high < 0 || low < 0) {
            throw new UnfitException("two hexadecimal digits after %");
        }
        int octet = high << 4 | low;
        if (octet == 0 || octet == '\\') {
            throw new UnfitException("a path without %00 and %5C since requests with one are refused");
        }
        boolean unreserved = Chars.isAlphanumeric(octet) || "-._~".indexOf(octet) >= 0;
        decoded.append(unreserved ? String.valueOf((char) octet) : String.format("%%%02X", octet));
    }

    private static String withoutDots(String path) {
        if (!path.contains("//") && !path.contains("/.")) {
            return path;
        }
        List<String> kept = new ArrayList<>();
        String[] segments = path.substring(1).split("/", -1);
        for (int i = 0; i < segments.length; i++) {
            String segment = segments[i];
            boolean last = i == segments.length - 1;
            boolean dots = segment.equals(".") || segment.equals("..");
            if (segment.equals("..") && kept.isEmpty()) {
                throw new UnfitException("a path that does not lead above its root");
            }
            if (segment.equals("..")) {
                kept.removeLast();
            }
            if (last && (dots || segment.isEmpty())) {
                kept.add("");
            } else if (!dots && !segment.isEmpty()) {
                kept.add(segment);
            }
        }
        return "/" + String.join("/", kept);
    }

    private static void segments(String path) {
        int star = path.indexOf('*');
        boolean fits = star < 0 || (star == path.length() - 1 && path.endsWith("/*"));
        if (fits && path.indexOf(':') < 0 && path.indexOf('%') < 0) {
            return;
        }
        String[] segments = path.substring(1).split("/", -1);
        Set<String> names = new HashSet<>();
        for (int i = 0; i < segments.length; i++) {
            String segment = segments[i];
            if (segment.indexOf('*') >= 0 && !(segment.equals("*") && i == segments.length - 1)) {
                throw new UnfitException("* only as the whole last segment");
            }
            if (segment.contains("%2F") && Stream.of(segment.split("%2F", -1)).anyMatch(DOTS::contains)) {
                throw new UnfitException("a path without . and .. beside %2F since requests with one are refused");
            }
            if (segment.startsWith(":")) {
                parameter(segment.substring(1), names);
            }
        }
    }

    private static void parameter(String name, Set<String> names) {
        boolean fits = Chars.areAlphanumericOr("-_", name);
        if (!fits) {
            throw new UnfitException("a name of letters, digits, - and _ after :");
        }
        if (!names.add(name)) {
            throw new UnfitException("each parameter once, but :" + name + " is there twice");
        }
    }
}
