package net.oooops.sigma.config;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.Json.Anchor;
import net.oooops.sigma.config.Json.Kind;
import org.jspecify.annotations.Nullable;
import org.snakeyaml.engine.v2.api.LoadSettings;
import org.snakeyaml.engine.v2.api.lowlevel.Parse;
import org.snakeyaml.engine.v2.events.AliasEvent;
import org.snakeyaml.engine.v2.events.CollectionStartEvent;
import org.snakeyaml.engine.v2.events.Event;
import org.snakeyaml.engine.v2.events.MappingStartEvent;
import org.snakeyaml.engine.v2.events.NodeEvent;
import org.snakeyaml.engine.v2.events.ScalarEvent;
import org.snakeyaml.engine.v2.exceptions.Mark;
import org.snakeyaml.engine.v2.exceptions.MarkedYamlEngineException;
import org.snakeyaml.engine.v2.exceptions.ReaderException;
import org.snakeyaml.engine.v2.exceptions.YamlEngineException;

/**
 * Reads one document of YAML 1.2, in which plain values are what they are in JSON (its JSON schema), into the values that {@link JsonReader} makes.
 * Repeated keys, merge keys, keys that are no texts, and tags are problems after which reading goes on. Of an alias the value is copied, up to a bound.
 */
final class YamlReader {
    /** How many values may be copies that aliases stand for. */
    static final int COPIES_MAX = 10_000;

    /** In pieces of so many characters it is read. With each, what a token has so far is copied: in small ones a long line takes the square of its length. */
    private static final int PIECE_CHARS_MAX = 1 << 20;

    private static final int PIECE_CHARS_MIN = 1024;

    private static final String QUOTES = "; a text that begins with * or & stands in quotes, such as \"*\"";
    private static final String MERGE = "<<";
    private static final String STANDARD = "tag:yaml.org,2002:";
    private static final String ID_OF_TEXT = STANDARD + "str";
    private static final String ID_OF_ANY_TEXT = "!";

    private final String text;
    private final Source source;
    private final Problems problems;
    private final Map<String, Json> anchors = new HashMap<>();
    private final Iterator<Event> events;
    private final RepeatedTexts texts = new RepeatedTexts();
    private Json innermost;
    private int copiesCount;

    private YamlReader(String text, Source source, Problems problems) {
        this.text = text;
        this.source = source;
        this.problems = problems;
        this.innermost = new Json(Anchor.root(source), Kind.NULL, "", 1, 1);
        // Whoever calls has bounded the text.
        LoadSettings settings = LoadSettings.builder()
                .setCodePointLimit(Integer.MAX_VALUE)
                .setBufferSize(Math.clamp(text.length(), PIECE_CHARS_MIN, PIECE_CHARS_MAX))
                .build();
        this.events = new Parse(settings).parseString(text).iterator();
    }

    /** The value that the text holds, or null where it holds none that makes sense; then there is a problem that says why. */
    static @Nullable Json read(String text, Source source, Problems problems) {
        try {
            return new YamlReader(text, source, problems).document();
        } catch (Refused e) {
            problems.add(e.problem);
        }
        return null;
    }

    /** Reading can't go on. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1L;
        private final transient Problem problem;

        Refused(Place place, String found, String expected) {
            super(null, null, false, false);
            this.problem = new Problem(place, found, expected, null);
        }
    }

    private Json document() throws Refused {
        next();
        if (next().getEventId() == Event.ID.StreamEnd) {
            throw new Refused(new Place(source.name(), 1, 1, ""), "an empty file", "a mapping");
        }
        Json root = value(next(), Anchor.root(source), 0);
        next();
        Event after = next();
        if (after.getEventId() != Event.ID.StreamEnd) {
            throw new Refused(place(after, ""), "a second document", "the end of the file");
        }
        return root;
    }

    private Event next() throws Refused {
        try {
            return events.next();
        } catch (MarkedYamlEngineException e) {
            Place place = e.getProblemMark()
                    .map(mark -> place(mark, innermost.pointer()))
                    .orElse(innermost.place());
            String when = e.getContext() == null ? "" : ", " + shown(e.getContext());
            String context = when + ((when.endsWith(" an alias") || when.endsWith(" an anchor")) ? QUOTES : "");
            throw new Refused(place, shown(String.valueOf(e.getProblem())), "YAML" + context);
        } catch (ReaderException e) {
            String found = shown("the character " + Character.toString(e.getCodePoint()));
            throw new Refused(place(e.getPosition()), found, "text without control characters");
        } catch (YamlEngineException | IllegalArgumentException e) {
            throw new Refused(innermost.place(), shown(String.valueOf(e.getMessage())), "YAML");
        }
    }

    /** A tag as it is written. */
    private static String tag(String id) {
        return "the tag " + shown(id.startsWith(STANDARD) ? "!!" + id.substring(STANDARD.length()) : id);
    }

    private static String shown(String words) {
        String quoted = Json.quoted(words);
        return quoted.substring(1, quoted.length() - 1);
    }

    private Json value(Event event, Anchor anchor, int depth) throws Refused {
        if (depth > JsonReader.DEPTH_MAX) {
            String expected = "at most " + JsonReader.DEPTH_MAX + " levels";
            throw new Refused(place(event, innermost.pointer()), "nested deeper", expected);
        }
        if (event instanceof AliasEvent alias) {
            return alias(alias, anchor, depth);
        }
        Json value = event instanceof ScalarEvent scalar
                ? scalar(scalar, anchor)
                : event instanceof MappingStartEvent ? object(event, anchor, depth) : array(event, anchor, depth);
        if (event instanceof CollectionStartEvent collection
                && collection.getTag().isPresent()) {
            problems.value(value, tag(collection.getTag().get()), "no tag but !!str", null);
        }
        ((NodeEvent) event).getAnchor().ifPresent(name -> anchors.put(name.getValue(), value));
        return value;
    }

    private Json object(Event event, Anchor anchor, int depth) throws Refused {
        Map<String, Json> members = new LinkedHashMap<>();
        Json object = leaf(anchor, Kind.OBJECT, members, event);
        innermost = object;
        for (Event key = next(); key.getEventId() != Event.ID.MappingEnd; key = next()) {
            if (!(key instanceof ScalarEvent scalar)) {
                value(key, new Anchor(object, "", source, line(key), column(key)), depth + 1);
                Json ignored = value(next(), new Anchor(object, "", source, line(key), column(key)), depth + 1);
                problems.key(ignored, "a key that is no text", "a text", null);
                continue;
            }
            String name = texts.same(scalar.getValue());
            Json asText = leaf(new Anchor(object, name, source, line(key), column(key)), Kind.STRING, name, key);
            tagged(scalar, asText);
            scalar.getAnchor().ifPresent(each -> anchors.put(each.getValue(), asText));
            Json member = value(next(), new Anchor(object, name, source, line(key), column(key)), depth + 1);
            if (scalar.isPlain() && name.equals(MERGE)) {
                problems.key(
                        member,
                        "a merge key",
                        "what it would add written out, or an alias in the place of a value",
                        null);
                continue;
            }
            Json before = members.putIfAbsent(name, member);
            if (before != null) {
                String found = "key " + Json.quoted(name) + " a second time";
                String expected =
                        "each key once; it is in line " + before.keyPlace().line();
                problems.key(member, found, expected, null);
            }
            innermost = object;
        }
        return object;
    }

    private Json array(Event event, Anchor anchor, int depth) throws Refused {
        List<Json> items = new ArrayList<>();
        Json array = leaf(anchor, Kind.ARRAY, items, event);
        innermost = array;
        for (Event item = next(); item.getEventId() != Event.ID.SequenceEnd; item = next()) {
            String step = texts.same(Integer.toString(items.size()));
            items.add(value(item, new Anchor(array, step, source, line(item), column(item)), depth + 1));
            innermost = array;
        }
        return array;
    }

    private Json scalar(ScalarEvent event, Anchor anchor) {
        Json value = leaf(anchor, Kind.STRING, texts.same(event.getValue()), event);
        tagged(event, value);
        return event.isPlain() && event.getTag().isEmpty() ? YamlScalar.of(value, problems) : value;
    }

    private void tagged(ScalarEvent event, Json value) {
        String tag = event.getTag().orElse(ID_OF_TEXT);
        if (!tag.equals(ID_OF_TEXT) && !tag.equals(ID_OF_ANY_TEXT)) {
            problems.value(value, tag(tag), "no tag but !!str", null);
        }
    }

    private Json alias(AliasEvent event, Anchor anchor, int depth) throws Refused {
        String name = event.getAlias().getValue();
        Json named = anchors.get(name);
        if (named == null) {
            throw new Refused(
                    place(event, innermost.pointer()),
                    "the alias *" + shown(name),
                    "that of an anchor which stands before it, with all of its value");
        }
        return copy(named, anchor, event, depth);
    }

    private Json copy(Json value, Anchor anchor, Event alias, int depth) throws Refused {
        copiesCount++;
        if (copiesCount > COPIES_MAX || depth > JsonReader.DEPTH_MAX) {
            String expected = "at most " + COPIES_MAX + " values by aliases, and " + JsonReader.DEPTH_MAX + " levels";
            throw new Refused(place(alias, innermost.pointer()), "more by aliases", expected);
        }
        if (value.kind() == Kind.OBJECT) {
            Map<String, Json> members = new LinkedHashMap<>();
            Json object = new Json(anchor, Kind.OBJECT, members, value.line(), value.column());
            for (Json member : value.members().values()) {
                members.put(member.step(), copy(member, member.anchorIn(object), alias, depth + 1));
            }
            return object;
        }
        if (value.kind() == Kind.ARRAY) {
            List<Json> items = new ArrayList<>();
            Json array = new Json(anchor, Kind.ARRAY, items, value.line(), value.column());
            for (Json item : value.items()) {
                items.add(copy(item, item.anchorIn(array), alias, depth + 1));
            }
            return array;
        }
        return value.at(anchor);
    }

    private static Json leaf(Anchor anchor, Kind kind, Object value, Event event) {
        return new Json(anchor, kind, value, line(event), column(event));
    }

    private Place place(Event event, String pointer) {
        return new Place(source.name(), line(event), column(event), pointer);
    }

    /** The place of one of the text's characters. */
    private Place place(int codePoints) {
        int length = text.codePointCount(0, text.length());
        String before = text.substring(0, text.offsetByCodePoints(0, Math.clamp(codePoints, 0, length)));
        int line = (int) before.chars().filter(c -> c == '\n').count() + 1;
        return new Place(source.name(), line, before.length() - before.lastIndexOf('\n'), innermost.pointer());
    }

    private Place place(Mark mark, String pointer) {
        return new Place(source.name(), mark.getLine() + 1, mark.getColumn() + 1, pointer);
    }

    private static int line(Event event) {
        return event.getStartMark().map(Mark::getLine).orElse(0) + 1;
    }

    private static int column(Event event) {
        return event.getStartMark().map(Mark::getColumn).orElse(0) + 1;
    }
}
