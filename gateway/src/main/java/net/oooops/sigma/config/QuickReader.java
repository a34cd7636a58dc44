package net.oooops.sigma.config;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.Json.Anchor;
import net.oooops.sigma.config.Json.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON in which nothing is wrong or out of the ordinary, comments as C has them included, into values that know their places. Of anything else it says
 * nothing: {@link JsonReader} reads that once more, with all there is to say of it. Of routes that were there before it reads no more than where they end.
 */
final class QuickReader {
    /** Most objects of a large file have no more: more room than that is copied while it is read. */
    static final int MEMBERS_USUAL = 6;

    private static final int TEXT_CHARS_MAX = 50_000;
    private static final int DIGITS_MAX = 18;
    private static final int END = -1;

    private final String text;
    private final Source source;
    private final @Nullable RouteTexts routes;
    /** Null where so little is read that hardly any text comes again. */
    private final @Nullable RepeatedTexts texts;

    private int at;
    private int line = 1;
    private int lineStart;

    private QuickReader(String text, Source source, @Nullable RouteTexts routes, @Nullable RepeatedTexts texts) {
        this.text = text;
        this.source = source;
        this.routes = routes;
        this.texts = texts;
    }

    /**
     * The object that a text holds; null where it holds something else, or something may be wrong with it.
     *
     * @param routes where it has some, gets them; null where nobody asks for them
     */
    static @Nullable Json read(String text, Source source, @Nullable RouteTexts routes) {
        QuickReader reader = new QuickReader(text, source, routes, new RepeatedTexts());
        if (reader.next() != '{') {
            return null;
        }
        Json root = reader.object(Anchor.root(source), 0);
        return root == null || reader.next() != END ? null : root;
    }

    /** The members of a route that was read before, and was right. */
    static Map<String, Json> members(RouteJson route, String text, RouteText written) {
        QuickReader reader = new QuickReader(text, route.source(), null, null);
        reader.at = written.start();
        reader.line = route.line();
        reader.lineStart = written.start() - route.column() + 1;
        Map<String, Json> members = LinkedHashMap.newLinkedHashMap(MEMBERS_USUAL);
        if (!reader.members(route, members, RouteJson.DEPTH)) {
            throw new IllegalStateException("a route that could be read can't be read again");
        }
        return members;
    }

    /** The value that begins here; null where it isn't right. */
    private @Nullable Json value(Anchor anchor, int depth) {
        if (depth > JsonReader.DEPTH_MAX || at == text.length()) {
            return null;
        }
        int column = column();
        return switch (text.charAt(at)) {
            case '{' -> object(anchor, depth);
            case '[' -> array(anchor, depth);
            case '"' -> string(anchor);
            case 't' -> word("true", new Json(anchor, Kind.BOOLEAN, true, line, column));
            case 'f' -> word("false", new Json(anchor, Kind.BOOLEAN, false, line, column));
            case 'n' -> word("null", new Json(anchor, Kind.NULL, "", line, column));
            default -> number(anchor);
        };
    }

    private @Nullable Json string(Anchor anchor) {
        int column = column();
        String found = quoted();
        return found == null ? null : new Json(anchor, Kind.STRING, found, line, column);
    }

    private @Nullable Json object(Anchor anchor, int depth) {
        Map<String, Json> members = LinkedHashMap.newLinkedHashMap(MEMBERS_USUAL);
        Json object = new Json(anchor, Kind.OBJECT, members, line, column());
        return members(object, members, depth) ? object : null;
    }

    /** Reads from the opening bracket of an object to behind the closing one; false where something isn't right. */
    private boolean members(Json object, Map<String, Json> members, int depth) {
        at++;
        int c = next();
        if (c == '}') {
            at++;
            return true;
        }
        while (c == '"') {
            int keyLine = line;
            int keyColumn = column();
            String key = quoted();
            if (key == null || next() != ':') {
                return false;
            }
            at++;
            next();
            Json member = value(new Anchor(object, key, source, keyLine, keyColumn), depth + 1);
            if (member == null || members.putIfAbsent(key, member) != null) {
                return false;
            }
            c = next();
            at++;
            if (c != ',') {
                return c == '}';
            }
            c = next();
        }
        return false;
    }

    private @Nullable Json array(Anchor anchor, int depth) {
        List<Json> items = new ArrayList<>(1);
        RouteTexts ofRoutes = isOfRoutes(anchor, depth) ? routes : null;
        Json array = ofRoutes == null
                ? new Json(anchor, Kind.ARRAY, items, line, column())
                : new RoutesJson(anchor, items, line, column());
        return items(array, items, depth, ofRoutes) ? array : null;
    }

    private boolean items(Json array, List<Json> items, int depth, @Nullable RouteTexts ofRoutes) {
        at++;
        int c = next();
        if (c == ']') {
            at++;
            return true;
        }
        while (c != END) {
            String step = same(Integer.toString(items.size()));
            Anchor anchor = new Anchor(array, step, source, line, column());
            Json item = ofRoutes != null && c == '{' ? route(anchor, ofRoutes) : value(anchor, depth + 1);
            if (item == null) {
                return false;
            }
            items.add(item);
            c = next();
            at++;
            if (c != ',') {
                return c == ']';
            }
            c = next();
        }
        return false;
    }

    /** Whether an array is {@code router[].route}, or {@code router.route}, as a file that is included may have one router alone. */
    private static boolean isOfRoutes(Anchor array, int depth) {
        Json router = array.step().equals("route") ? array.parent() : null;
        if (router == null) {
            return false;
        }
        Json routers = router.parent();
        return switch (RouteJson.DEPTH - depth) {
            case 1 ->
                routers != null
                        && routers.kind() == Kind.ARRAY
                        && routers.step().equals("router");
            case 2 -> router.step().equals("router");
            default -> false;
        };
    }

    private @Nullable Json route(Anchor anchor, RouteTexts of) {
        int start = at;
        RouteText known = of.known(text, start);
        if (known != null) {
            at = known.end();
            if (known.lineEnds() > 0) {
                line += known.lineEnds();
                lineStart = start + known.lastLine();
            }
            RouteJson there = new RouteJson(anchor, text, known);
            of.add(there);
            return there;
        }
        int lineBefore = line;
        RouteJson route = new RouteJson(anchor, text);
        if (!members(route, route.members(), RouteJson.DEPTH)) {
            return null;
        }
        int lastLine = line == lineBefore ? 0 : lineStart - start;
        route.written(new RouteText(start, at, line - lineBefore, lastLine, null));
        of.addRead(route);
        return route;
    }

    /** The text in the quotes of which the first one is here; null where something isn't right. */
    private @Nullable String quoted() {
        int from = at + 1;
        int most = Math.min(text.length(), from + TEXT_CHARS_MAX);
        for (int i = from; i < most; i++) {
            char c = text.charAt(i);
            if (c == '"') {
                at = i + 1;
                return same(text.substring(from, i));
            }
            if (c == '\\') {
                return escaped(from, i, most);
            }
            if (c < ' ') {
                return null;
            }
        }
        return null;
    }

    private String same(String found) {
        RepeatedTexts all = texts;
        return all == null ? found : all.same(found);
    }

    private @Nullable String escaped(int from, int first, int most) {
        StringBuilder plain = new StringBuilder().append(text, from, first);
        for (int i = first; i < most; i++) {
            char c = text.charAt(i);
            if (c == '"') {
                at = i + 1;
                return same(plain.toString());
            }
            if (c == '\\') {
                i++;
                int meant = i < most ? meant(i) : END;
                if (meant == END) {
                    return null;
                }
                i += text.charAt(i) == 'u' ? 4 : 0;
                plain.append((char) meant);
            } else if (c < ' ') {
                return null;
            } else {
                plain.append(c);
            }
        }
        return null;
    }

    /** What a backslash means with what stands there behind it. */
    private int meant(int index) {
        return switch (text.charAt(index)) {
            case '"', '\\', '/' -> text.charAt(index);
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> hexadecimal(index + 1);
            default -> END;
        };
    }

    private int hexadecimal(int index) {
        int number = 0;
        for (int i = index; i < index + 4; i++) {
            char c = i < text.length() ? text.charAt(i) : ' ';
            int digit = c < 0x80 ? Character.digit(c, 16) : END;
            if (digit < 0) {
                return END;
            }
            number = number << 4 | digit;
        }
        return number;
    }

    private @Nullable Json word(String word, Json value) {
        if (!text.startsWith(word, at)) {
            return null;
        }
        at += word.length();
        return value;
    }

    private @Nullable Json number(Anchor anchor) {
        int column = column();
        int first = text.charAt(at) == '-' ? at + 1 : at;
        int end = digitsEnd(first);
        int count = end - first;
        if (count == 0 || count > DIGITS_MAX || (count > 1 && text.charAt(first) == '0')) {
            return null;
        }
        boolean fraction = text.startsWith(".", end);
        if (fraction) {
            first = end + 1;
            end = digitsEnd(first);
            if (end == first || end - first > DIGITS_MAX) {
                return null;
            }
        }
        String written = text.substring(at, end);
        at = end;
        Object number = fraction ? (Object) new BigDecimal(written) : (Object) Long.valueOf(written);
        return new Json(anchor, Kind.NUMBER, number, line, column);
    }

    private int digitsEnd(int from) {
        int end = from;
        while (end < text.length() && Chars.isDigit(text.charAt(end))) {
            end++;
        }
        return end;
    }

    private int column() {
        return at - lineStart + 1;
    }

    /** The character that comes behind spaces and comments, and is here then. */
    private int next() {
        while (at < text.length()) {
            char c = text.charAt(at);
            if (c == ' ' || c == '\t') {
                at++;
            } else if (c == '\n' || c == '\r') {
                lineEnd();
            } else if (c != '/' || !comment()) {
                // Also a slash that begins no comment: it is nowhere right.
                return c;
            }
        }
        return END;
    }

    private void lineEnd() {
        at += text.startsWith("\r\n", at) ? 2 : 1;
        line++;
        lineStart = at;
    }

    /** Passes over a comment; false where it is none, has no end, or has control characters in it. */
    private boolean comment() {
        boolean isLine = text.startsWith("//", at);
        int end = isLine ? text.length() : text.startsWith("/*", at) ? text.indexOf("*/", at + 2) + 2 : 0;
        if (end < 2) {
            return false;
        }
        while (at < end) {
            char c = text.charAt(at);
            boolean ends = c == '\n' || c == '\r';
            if (ends && isLine) {
                return true;
            }
            if (ends) {
                lineEnd();
            } else if (c < ' ' && c != '\t') {
                return false;
            } else {
                at++;
            }
        }
        return true;
    }
}
