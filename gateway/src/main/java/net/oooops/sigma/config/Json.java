package net.oooops.sigma.config;

import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A JSON value that knows where it was read: its file, line and column, and by its parents its JSON Pointer. Where values of several files make
 * one tree, it has two of these: that in the whole, which it is found by, and that in its file, which problems name. Not for sharing between threads,
 * unless nothing changes it any more.
 */
class Json {

    /** The six kinds of JSON values. */
    enum Kind {
        OBJECT,
        ARRAY,
        STRING,
        NUMBER,
        BOOLEAN,
        NULL
    }

    /** Where a value hangs: its parent, the key or index in it, and where that key begins (or the value, in an array). */
    record Anchor(@Nullable Json parent, String step, Source source, int line, int column) {
        static final Anchor ROOT = root(Source.UNNAMED);

        /** Of the value that a file holds. */
        static Anchor root(Source source) {
            return new Anchor(null, "", source, 1, 1);
        }
    }

    private static final BigDecimal INT_MAX = BigDecimal.valueOf(Integer.MAX_VALUE);
    private static final int LONG_DIGITS_MAX = 18;
    private static final int SHOWN_CHARS_MAX = 80;

    private static final Kind[] KINDS = Kind.values();

    // What an Anchor says, without one: a large configuration has a hundred thousand values, and collections copy what
    // is alive while it is read.
    private @Nullable Json parent;
    private String step;
    private final Source source;
    private final int keyLine;
    private final int keyColumn;
    /** Where it hung at first; null where it does still. */
    private @Nullable Anchor written;
    /** One of {@link #KINDS}. */
    private final byte kind;

    private final Object value;
    private final int line;
    private final int column;
    private boolean secret;
    private boolean settled;

    /** A value; {@code value} is a Map, a List, a String, a Long or BigDecimal, a Boolean, or anything for null, as {@code kind} says. */
    Json(Anchor anchor, Kind kind, Object value, int line, int column) {
        this.parent = anchor.parent;
        this.step = anchor.step;
        this.source = anchor.source;
        this.keyLine = anchor.line;
        this.keyColumn = anchor.column;
        this.kind = (byte) kind.ordinal();
        this.value = value;
        this.line = line;
        this.column = column;
    }

    /** Another value in the place of one, wherever that was written. */
    private Json(Json before, Kind kind, Object value) {
        this.parent = before.parent;
        this.step = before.step;
        this.source = before.source;
        this.keyLine = before.keyLine;
        this.keyColumn = before.keyColumn;
        this.written = before.written;
        this.kind = (byte) kind.ordinal();
        this.value = value;
        this.line = before.line;
        this.column = before.column;
    }

    /** The same value as text, with other text. */
    Json withText(String text) {
        return with(Kind.STRING, text);
    }

    /** Another value at the same place, not hanging there yet. */
    Json with(Kind otherKind, Object other) {
        return new Json(this, otherKind, other);
    }

    /** A text at the same place that no message shows. */
    Json secret(String text) {
        Json hidden = with(Kind.STRING, text);
        hidden.secret = true;
        return hidden;
    }

    /** Whether this is never shown. */
    boolean isSecret() {
        return secret;
    }

    /** Has the schema say nothing of this any more: what is wrong with it was said. */
    void settle() {
        settled = true;
    }

    /** Whether nothing more is to be said of this. */
    boolean isSettled() {
        return settled;
    }

    /** Whether anything in this is never shown. */
    boolean holdsSecrets() {
        return secret
                || (kind() == Kind.OBJECT ? members().values() : items())
                        .stream().anyMatch(Json::holdsSecrets);
    }

    /** Where this would hang in another value than its parent. */
    Anchor anchorIn(@Nullable Json other) {
        return new Anchor(other, step, source, keyLine, keyColumn);
    }

    /** The same value elsewhere; not for objects and arrays. */
    Json at(Anchor other) {
        return new Json(other, kind(), value, line, column);
    }

    /** Has another value hang where this one does. */
    void replaceWith(Json other) {
        Json hangsIn = parent;
        if (hangsIn == null) {
            return;
        }
        if (hangsIn.kind() == Kind.ARRAY) {
            hangsIn.items().set(Integer.parseInt(step), other);
        } else {
            hangsIn.members().put(step, other);
        }
    }

    Kind kind() {
        return KINDS[kind];
    }

    /** The key that this value stands under, as a text at its own place. */
    Json key() {
        return new Json(anchorIn(parent), Kind.STRING, step, keyLine, keyColumn);
    }

    /** The key or index under which this value stands. */
    String step() {
        return step;
    }

    @Nullable Json parent() {
        return parent;
    }

    int line() {
        return line;
    }

    int column() {
        return column;
    }

    /** The file that this was read from. */
    Source source() {
        return source;
    }

    /** The file that a text names, where relative ones start from the folder of the file that says so. */
    Path path() {
        return source.resolve(text());
    }

    /** Where it was written. */
    Place place() {
        return new Place(source.name(), line, column, pointer(true));
    }

    /** Where it was written, with its JSON Pointer in the whole. */
    Place placeInWhole() {
        return new Place(source.name(), line, column, pointer());
    }

    /** Where the key was written that this value stands under. */
    Place keyPlace() {
        return new Place(source.name(), keyLine, keyColumn, pointer(true));
    }

    /** Its line, for a message about another value: {@code line 7}, or {@code line 7 of shop.json} where that is in another file. */
    String lineSeenFrom(Json other) {
        String file = source().equals(other.source()) ? "" : " of " + source().shownName();
        return "line " + line + file;
    }

    /** Its JSON Pointer in the whole that it is part of. */
    String pointer() {
        return pointer(false);
    }

    private String pointer(boolean inFile) {
        List<String> steps = new ArrayList<>();
        Json at = this;
        while (true) {
            Anchor first = inFile ? at.written : null;
            Json above = first == null ? at.parent : first.parent;
            if (above == null) {
                break;
            }
            String key = first == null ? at.step : first.step;
            steps.add(key.replace("~", "~0").replace("/", "~1"));
            at = above;
        }
        Collections.reverse(steps);
        return steps.isEmpty() ? "" : "/" + String.join("/", steps);
    }

    /** Hangs it elsewhere in the whole. Problems with it name the same place as before. */
    void moveTo(Json other, String key) {
        written = written == null ? anchorIn(parent) : written;
        parent = other;
        step = key;
    }

    /** The members of an object in the order written; none for any other kind. */
    @SuppressWarnings("unchecked")
    Map<String, Json> members() {
        return kind() == Kind.OBJECT ? (Map<String, Json>) value : Map.of();
    }

    /** The items of an array; none for any other kind. */
    @SuppressWarnings("unchecked")
    List<Json> items() {
        return kind() == Kind.ARRAY ? (List<Json>) value : List.of();
    }

    /** The items of an array that have to be looked at: those of which it isn't known that they are right. None for any other kind. */
    List<Json> unknown() {
        return items();
    }

    /** The items of an array, or this value alone where it is something else. */
    List<Json> itemsOrSelf() {
        return kind() == Kind.ARRAY ? items() : List.of(this);
    }

    @Nullable Json get(String key) {
        return members().get(key);
    }

    /** What a JSON Pointer that starts here leads to, or the nearest value on the way. */
    Json at(String pointer) {
        Json at = this;
        String[] steps = pointer.split("/", -1);
        for (int i = 1; i < steps.length; i++) {
            Json next = at.child(steps[i].replace("~1", "/").replace("~0", "~"));
            if (next == null) {
                return at;
            }
            at = next;
        }
        return at;
    }

    private @Nullable Json child(String step) {
        if (kind() != Kind.ARRAY) {
            return get(step);
        }
        for (Json item : items()) {
            if (item.step().equals(step)) {
                return item;
            }
        }
        return null;
    }

    /** The items of the array under a key; none where there is no such array. */
    List<Json> itemsOf(String key) {
        Json member = get(key);
        return member == null ? List.of() : member.items();
    }

    /** The items of the array under a key, or what else is there alone; none where there is nothing. */
    List<Json> itemsOrSelfOf(String key) {
        Json member = get(key);
        return member == null ? List.of() : member.itemsOrSelf();
    }

    boolean isTrue() {
        return Boolean.TRUE.equals(value);
    }

    boolean isText() {
        return kind() == Kind.STRING;
    }

    /** The text of a string; empty for any other kind. */
    String text() {
        return kind() == Kind.STRING ? (String) value : "";
    }

    /** The text under a key; {@code absent} where there is none. */
    String text(String key, String absent) {
        Json member = get(key);
        return member == null || !member.isText() ? absent : member.text();
    }

    /** The boolean under a key; {@code absent} where there is none. */
    boolean flag(String key, boolean absent) {
        Json member = get(key);
        if (member == null || member.kind() != Kind.BOOLEAN) {
            return absent;
        }
        return member.isTrue();
    }

    /** The integer under a key; {@code absent} where there is none. */
    int integer(String key, int absent) {
        Json member = get(key);
        if (member == null || !member.isInteger()) {
            return absent;
        }
        if (member.value instanceof Long number) {
            return -Integer.MAX_VALUE <= number && number <= Integer.MAX_VALUE ? number.intValue() : absent;
        }
        BigDecimal number = member.number();
        return number.abs().compareTo(INT_MAX) > 0 ? absent : number.intValue();
    }

    boolean isInteger() {
        if (value instanceof BigDecimal decimal) {
            return decimal.stripTrailingZeros().scale() <= 0;
        }
        return value instanceof Long;
    }

    /** The value of a number; 0 for any other kind. */
    BigDecimal number() {
        if (value instanceof Long number) {
            return BigDecimal.valueOf(number);
        }
        return value instanceof BigDecimal decimal ? decimal : BigDecimal.ZERO;
    }

    /** How a message shows this value: as it is written where that is short. */
    String shown() {
        if (secret) {
            return Secrets.HIDDEN;
        }
        return switch (kind()) {
            case OBJECT -> "an object";
            case ARRAY -> "an array";
            case NULL -> "null";
            case STRING -> quoted(text());
            case NUMBER, BOOLEAN -> cut(String.valueOf(value));
        };
    }

    /** Text in quotes, cut where it is long, and without the characters that would change how a terminal shows it. */
    static String quoted(String text) {
        return '"' + printable(cut(text)) + '"';
    }

    /** Text without the characters that would change how a terminal shows it. */
    static String printable(String text) {
        StringBuilder shown = new StringBuilder();
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (Character.isISOControl(c) || Character.getType(c) == Character.FORMAT) {
                shown.append(String.format("\\u%04x", c));
            } else {
                shown.appendCodePoint(c);
            }
            i += Character.charCount(c);
        }
        return shown.toString();
    }

    /** Text that is short enough for a message. */
    static String cut(String text) {
        return text.length() <= SHOWN_CHARS_MAX ? text : text.substring(0, SHOWN_CHARS_MAX - 1) + "…";
    }

    /** This value as unmodifiable Map, List, String, Integer, Long, Double, Boolean, or null. */
    @Nullable Object plain() {
        return switch (kind()) {
            case OBJECT -> {
                Map<String, @Nullable Object> map = new LinkedHashMap<>();
                for (Json member : members().values()) {
                    map.put(member.step(), member.plain());
                }
                yield Collections.unmodifiableMap(map);
            }
            case ARRAY -> {
                List<@Nullable Object> list = new ArrayList<>();
                for (Json item : items()) {
                    list.add(item.plain());
                }
                yield Collections.unmodifiableList(list);
            }
            case NULL -> null;
            case NUMBER -> plainNumber();
            case STRING, BOOLEAN -> value;
        };
    }

    private Number plainNumber() {
        BigDecimal number = number();
        if (!isInteger() || (long) number.precision() - number.scale() > LONG_DIGITS_MAX) {
            return number.doubleValue();
        }
        long whole = number.longValue();
        return whole == (int) whole ? (Number) (int) whole : (Number) whole;
    }
}
