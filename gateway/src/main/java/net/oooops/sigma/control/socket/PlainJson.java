package net.oooops.sigma.control.socket;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** JSON as plain trees of {@code Map}, {@code List}, {@code String}, {@code Number}, {@code Boolean} and null. Any thread. */
public final class PlainJson {
    private static final int DEPTH_MAX = 50;

    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .streamReadConstraints(
                    StreamReadConstraints.builder().maxNestingDepth(DEPTH_MAX).build())
            .build();

    private PlainJson() {}

    /** In one line, without a line end. */
    public static byte[] line(Map<String, ?> json) {
        return write(json, false);
    }

    /** For people to read, with a line end. */
    public static String text(Map<String, ?> json) {
        return new String(write(json, true), StandardCharsets.UTF_8) + "\n";
    }

    /** The text that a member is; empty where it is none. */
    static String textOf(Map<String, @Nullable Object> json, String name) {
        return json.get(name) instanceof String text ? text : "";
    }

    private static byte[] write(Map<String, ?> json, boolean indented) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JsonGenerator to = JSON.createGenerator(out)) {
            if (indented) {
                DefaultIndenter lines = new DefaultIndenter("  ", "\n");
                to.setPrettyPrinter(
                        new DefaultPrettyPrinter().withObjectIndenter(lines).withArrayIndenter(lines));
            }
            write(json, to);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    // No switch over the types: linking one takes longer than writing what is written at a start.
    private static void write(@Nullable Object value, JsonGenerator to) throws IOException {
        if (value instanceof String text) {
            to.writeString(text);
        } else if (value instanceof List<?> list) {
            to.writeStartArray();
            for (Object item : list) {
                write(item, to);
            }
            to.writeEndArray();
        } else if (value instanceof Map<?, ?> map) {
            to.writeStartObject();
            for (Map.Entry<?, ?> member : map.entrySet()) {
                to.writeFieldName(String.valueOf(member.getKey()));
                write(member.getValue(), to);
            }
            to.writeEndObject();
        } else {
            writeScalar(value, to);
        }
    }

    private static void writeScalar(@Nullable Object value, JsonGenerator to) throws IOException {
        if (value == null) {
            to.writeNull();
        } else if (value instanceof Boolean flag) {
            to.writeBoolean(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            to.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number) {
            to.writeNumber(number);
        } else {
            throw new IllegalArgumentException(value.getClass() + " (expected: a plain tree)");
        }
    }

    /**
     * Reads an object.
     *
     * @throws IOException where it is something else
     */
    public static Map<String, @Nullable Object> read(byte[] json) throws IOException {
        try (JsonParser parser = JSON.createParser(json)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw new JsonParseException(parser, "no object");
            }
            Map<String, @Nullable Object> read = object(parser);
            if (parser.nextToken() != null) {
                throw new JsonParseException(parser, "something behind the object");
            }
            return read;
        }
    }

    private static Map<String, @Nullable Object> object(JsonParser parser) throws IOException {
        Map<String, @Nullable Object> object = new LinkedHashMap<>();
        while (parser.nextToken() == JsonToken.FIELD_NAME) {
            String name = parser.currentName();
            parser.nextToken();
            object.put(name, value(parser));
        }
        return object;
    }

    private static List<@Nullable Object> array(JsonParser parser) throws IOException {
        List<@Nullable Object> array = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            array.add(value(parser));
        }
        return array;
    }

    private static @Nullable Object value(JsonParser parser) throws IOException {
        JsonToken token = parser.currentToken();
        if (token == null) {
            throw new JsonParseException(parser, "cut short");
        }
        return switch (token) {
            case START_OBJECT -> object(parser);
            case START_ARRAY -> array(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_TRUE -> true;
            case VALUE_FALSE -> false;
            case VALUE_NULL -> null;
            case VALUE_NUMBER_INT -> wholeNumber(parser);
            case VALUE_NUMBER_FLOAT -> parser.getDoubleValue();
            default -> throw new JsonParseException(parser, "cut short");
        };
    }

    private static Object wholeNumber(JsonParser parser) throws IOException {
        return switch (parser.getNumberType()) {
            case INT -> parser.getIntValue();
            case LONG -> parser.getLongValue();
            default -> parser.getDoubleValue();
        };
    }
}
