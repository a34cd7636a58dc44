package net.oooops.sigma.api;

import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Fixed keys and values that sigma.json gives a Route, for whoever wants to know: plugins, which find them under {@link Key#METADATA}, and the
 * access log. A value is a text, a number or a boolean.
 *
 * <p>Immutable, safe for use from any thread. Asking for a value or copying {@linkplain #copyJsonTo the JSON} allocates nothing.
 */
public final class Metadata {
    /** The longest JSON, in bytes. */
    public static final int JSON_BYTES_MAX = 4096;

    private static final int ASCII_PRINTABLE_END = 0x7F;

    private final Map<String, Object> values;
    private final Map<String, String> texts;
    private final byte[] json;

    private Metadata(Map<String, Object> values) {
        this.values = Collections.unmodifiableMap(values);
        Map<String, String> byKey = new LinkedHashMap<>();
        values.forEach((key, value) -> byKey.put(key, value.toString()));
        this.texts = byKey;
        this.json = json(values).getBytes(StandardCharsets.US_ASCII);
    }

    /**
     * Those values, in that order.
     *
     * @param values each a String, a Boolean, or a finite number
     * @throws IllegalArgumentException where one is anything else, or their JSON is longer than {@value #JSON_BYTES_MAX} bytes
     */
    public static Metadata of(Map<String, ?> values) {
        Map<String, Object> copy = new LinkedHashMap<>();
        values.forEach((key, value) -> copy.put(key, checked(key, value)));
        Metadata made = new Metadata(copy);
        if (made.json.length > JSON_BYTES_MAX) {
            throw new IllegalArgumentException(
                    "metadata of " + made.json.length + " bytes of JSON (expected: <= " + JSON_BYTES_MAX + ")");
        }
        return made;
    }

    private static Object checked(String key, @Nullable Object value) {
        return switch (value) {
            case String text -> text;
            case Boolean bool -> bool;
            case Number number when isWhole(number) -> number.longValue();
            case Number number when Double.isFinite(number.doubleValue()) -> number.doubleValue();
            case null, default ->
                throw new IllegalArgumentException(key + ": " + value + " (expected: a text, a number or a boolean)");
        };
    }

    private static boolean isWhole(Number number) {
        return number instanceof Integer || number instanceof Long || number instanceof Short || number instanceof Byte;
    }

    /** The values by their keys: each a String, a Long, a Double or a Boolean. Not to be changed. */
    public Map<String, Object> values() {
        return values;
    }

    /** The value of that key as a text: a number as JSON has it, {@code true}, {@code false}; null where there is none. */
    public @Nullable String text(String key) {
        return texts.get(key);
    }

    /**
     * These values and those of a place further in, which hold where both have a key. Of these, what makes the JSON longer than {@value
     * #JSON_BYTES_MAX} bytes is left out.
     */
    public Metadata with(Metadata inner) {
        Map<String, Object> all = new LinkedHashMap<>(values);
        all.keySet().removeAll(inner.values.keySet());
        all.putAll(inner.values);
        Metadata joined = new Metadata(all);
        for (String key : values.keySet()) {
            if (joined.json.length <= JSON_BYTES_MAX) {
                break;
            }
            if (!inner.values.containsKey(key)) {
                all.remove(key);
                joined = new Metadata(new LinkedHashMap<>(all));
            }
        }
        return joined;
    }

    /** How many bytes {@link #copyJsonTo} copies. */
    public int jsonBytes() {
        return json.length;
    }

    /** Copies the values as one JSON object (RFC 8259), in US-ASCII, to {@code target} from {@code at} on and returns the position after it. */
    public int copyJsonTo(byte[] target, int at) {
        System.arraycopy(json, 0, target, at, json.length);
        return at + json.length;
    }

    private static String json(Map<String, Object> values) {
        StringBuilder out = new StringBuilder("{");
        values.forEach((key, value) -> {
            quote(key, out.length() == 1 ? out : out.append(','));
            out.append(':');
            if (value instanceof String text) {
                quote(text, out);
            } else {
                out.append(value);
            }
        });
        return out.append('}').toString();
    }

    private static void quote(String text, StringBuilder out) {
        out.append('"');
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c >= ASCII_PRINTABLE_END) {
                out.append("\\u%04X".formatted((int) c));
            } else {
                out.append(c == '"' || c == '\\' ? "\\" : "").append(c);
            }
        }
        out.append('"');
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Metadata that && values.equals(that.values);
    }

    @Override
    public int hashCode() {
        return values.hashCode();
    }

    /** The JSON. */
    @Override
    public String toString() {
        return new String(json, StandardCharsets.US_ASCII);
    }
}
