package net.oooops.sigma.plugins.respond;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Writes a value of sigma.json as JSON (RFC 8259), without white space. For one value. */
final class JsonText {
    private final StringBuilder text = new StringBuilder();

    private JsonText() {}

    /** The text of a tree of Map, List, String, Number, Boolean and null. */
    static String of(@Nullable Object tree) {
        JsonText json = new JsonText();
        json.write(tree);
        return json.text.toString();
    }

    private void write(@Nullable Object tree) {
        switch (tree) {
            case Map<?, ?> map -> object(map);
            case List<?> list -> array(list);
            case String string -> string(string);
            case null -> text.append("null");
            default -> text.append(tree);
        }
    }

    private void object(Map<?, ?> map) {
        char before = '{';
        for (Map.Entry<?, ?> entry : map.entrySet()) {
            text.append(before);
            string(String.valueOf(entry.getKey()));
            text.append(':');
            write(entry.getValue());
            before = ',';
        }
        text.append(map.isEmpty() ? "{}" : "}");
    }

    private void array(List<?> list) {
        char before = '[';
        for (Object element : list) {
            text.append(before);
            write(element);
            before = ',';
        }
        text.append(list.isEmpty() ? "[]" : "]");
    }

    private void string(String string) {
        text.append('"');
        for (int i = 0; i < string.length(); i++) {
            char c = string.charAt(i);
            if (c == '"' || c == '\\') {
                text.append('\\').append(c);
            } else if (c < 0x20) {
                text.append("\\u00").append(Character.forDigit(c >> 4, 16)).append(Character.forDigit(c & 0xF, 16));
            } else {
                text.append(c);
            }
        }
        text.append('"');
    }
}
