package net.oooops.sigma.config;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.exc.StreamConstraintsException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.Json.Anchor;
import net.oooops.sigma.config.Json.Kind;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON (RFC 8259), with comments in it as C has them, into values that know their places. Repeated keys, comments after # and
 * commas before a closing bracket are problems after which reading goes on; any other fault of the syntax is the last problem that is found.
 */
final class JsonReader {

    /** How deep objects and arrays may be nested. */
    static final int DEPTH_MAX = 64;

    /** The longest number, which is Jackson's own bound. */
    static final int NUMBER_CHARS_MAX = 1000;

    /** How many faults reading goes on after. */
    static final int FORGIVEN_MAX = 50;

    private final String text;
    private final Problems problems;
    private final Source source;
    private final RepeatedTexts texts = new RepeatedTexts();
    private Json innermost;
    private @Nullable SyntaxFault fault;

    private JsonReader(String text, Source source, Problems problems) {
        this.text = text;
        this.source = source;
        this.innermost = new Json(Anchor.root(source), Kind.NULL, "", 1, 1);
        this.problems = problems;
    }

    /** The value that the text holds, or null where it holds none that makes sense; then there is a problem that says why. */
    static @Nullable Json read(String text, Problems problems) {
        return read(text, Source.UNNAMED, problems);
    }

    static @Nullable Json read(String text, Source source, Problems problems) {
        return read(text, source, problems, null);
    }

    /** @param routes gets those that are in it; null where nobody asks for them */
    static @Nullable Json read(String text, Source source, Problems problems, @Nullable RouteTexts routes) {
        Json right = QuickReader.read(text, source, routes);
        if (routes != null) {
            routes.end();
        }
        return right == null ? readFaulty(text, source, problems) : right;
    }

    /** The same, of any text. */
    static @Nullable Json readFaulty(String text, Source source, Problems problems) {
        String read = text;
        for (int forgiven = 0; ; forgiven++) {
            Problems found = new Problems();
            JsonReader reader = new JsonReader(read, source, found);
            Json root = reader.parse();
            SyntaxFault fault = reader.fault;
            if (fault != null) {
                problems.add(fault.problem());
            }
            String without = fault == null ? null : fault.textWithout();
            if (without == null || forgiven == FORGIVEN_MAX) {
                problems.addAll(found);
                return root;
            }
            read = without;
        }
    }

    private @Nullable Json parse() {
        try (JsonParser parser = parser()) {
            JsonToken first = parser.nextToken();
            if (first == null) {
                problems.add(new Problem(new Place(source.name(), 1, 1, ""), "an empty file", "a JSON object", null));
                return null;
            }
            Json root = value(parser, Anchor.root(source), 0);
            if (root == null) {
                return null;
            }
            if (parser.nextToken() != null) {
                JsonLocation at = parser.currentTokenLocation();
                problems.add(new Problem(place(at, ""), "a second value", "the end of the file", null));
                return null;
            }
            return root;
        } catch (StreamConstraintsException e) {
            JsonLocation at = e.getLocation();
            Place place = at == null ? innermost.place() : place(at, innermost.pointer());
            problems.add(new Problem(place, "a number or text that is too long", "a value of ordinary size", null));
            return null;
        } catch (JsonProcessingException e) {
            fault = new SyntaxFault(text, e, innermost);
            return null;
        } catch (IOException e) {
            throw new IllegalStateException("reading text from memory failed", e);
        }
    }

    private JsonParser parser() throws IOException {
        return JsonFactory.builder()
                .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
                .enable(JsonReadFeature.ALLOW_JAVA_COMMENTS)
                .build()
                .createParser(text);
    }

    /** The value that begins with the current token; null where it is nested too deep. */
    private @Nullable Json value(JsonParser parser, Anchor anchor, int depth) throws IOException {
        JsonLocation at = parser.currentTokenLocation();
        if (depth > DEPTH_MAX) {
            String pointer = innermost.pointer();
            problems.add(new Problem(place(at, pointer), "nested deeper", "at most " + DEPTH_MAX + " levels", null));
            return null;
        }
        return switch (parser.currentToken()) {
            case START_OBJECT -> object(parser, anchor, depth);
            case START_ARRAY -> array(parser, anchor, depth);
            case VALUE_STRING -> leaf(anchor, Kind.STRING, texts.same(parser.getText()), at);
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(parser, anchor);
            case VALUE_TRUE -> leaf(anchor, Kind.BOOLEAN, true, at);
            case VALUE_FALSE -> leaf(anchor, Kind.BOOLEAN, false, at);
            default -> leaf(anchor, Kind.NULL, "", at);
        };
    }

    private @Nullable Json object(JsonParser parser, Anchor anchor, int depth) throws IOException {
        Map<String, Json> members = LinkedHashMap.newLinkedHashMap(QuickReader.MEMBERS_USUAL);
        Json object = leaf(anchor, Kind.OBJECT, members, parser.currentTokenLocation());
        innermost = object;
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String key = texts.same(parser.currentName());
            JsonLocation at = parser.currentTokenLocation();
            parser.nextToken();
            Json member = value(parser, new Anchor(object, key, source, at.getLineNr(), at.getColumnNr()), depth + 1);
            if (member == null) {
                return null;
            }
            Json before = members.putIfAbsent(key, member);
            if (before != null) {
                // Added as it is: nobody can find this member, and a million of them isn't to be kept in mind.
                problems.add(new Problem(
                        member.keyPlace(),
                        "key " + Json.quoted(key) + " a second time",
                        "each key once; it is in line " + before.keyPlace().line(),
                        null));
            }
            innermost = object;
        }
        return object;
    }

    private @Nullable Json array(JsonParser parser, Anchor anchor, int depth) throws IOException {
        List<Json> items = new ArrayList<>(1);
        Json array = leaf(anchor, Kind.ARRAY, items, parser.currentTokenLocation());
        innermost = array;
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            JsonLocation at = parser.currentTokenLocation();
            String step = texts.same(Integer.toString(items.size()));
            Json item = value(parser, new Anchor(array, step, source, at.getLineNr(), at.getColumnNr()), depth + 1);
            if (item == null) {
                return null;
            }
            items.add(item);
            innermost = array;
        }
        return array;
    }

    private static Json leaf(Anchor anchor, Kind kind, Object value, JsonLocation at) {
        return new Json(anchor, kind, value, at.getLineNr(), at.getColumnNr());
    }

    private Json number(JsonParser parser, Anchor anchor) throws IOException {
        JsonLocation at = parser.currentTokenLocation();
        try {
            return switch (parser.getNumberType()) {
                case INT, LONG -> leaf(anchor, Kind.NUMBER, parser.getLongValue(), at);
                default -> leaf(anchor, Kind.NUMBER, new BigDecimal(parser.getText()), at);
            };
        } catch (NumberFormatException e) {
            Json zero = leaf(anchor, Kind.NUMBER, 0L, at);
            problems.value(zero, Json.cut(parser.getText()), "a number of ordinary size", null);
            return zero;
        }
    }

    private Place place(JsonLocation at, String pointer) {
        return new Place(source.name(), at.getLineNr(), at.getColumnNr(), pointer);
    }
}
