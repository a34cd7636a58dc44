package net.oooops.sigma.plugins.authentication.jose;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonFactoryBuilder;
import com.fasterxml.jackson.core.JsonParseException;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Reads JSON objects strictly: of repeated names two readers may take different ones (RFC 8725 section 2.4), so there are none; nor is there
 * anything behind the object, a depth that anybody needs a stack for, or a number too large for 64 bits. Names that are null aren't there.
 */
public final class Json {
    private static final int DEPTH_MAX = 32;
    private static final int NUMBER_CHARS_MAX = 64;

    /** Names aren't kept: they may be anybody's. */
    private static final JsonFactory FACTORY = new JsonFactoryBuilder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
            .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(DEPTH_MAX)
                    .maxNumberLength(NUMBER_CHARS_MAX)
                    .build())
            .build();

    private Json() {}

    /** The object that these bytes are in UTF-8, of Map, List, String, Long, Double and Boolean; null where they are none. */
    public static @Nullable Map<String, Object> object(byte[] bytes) {
        return object(bytes, Set.of());
    }

    /**
     * The same.
     *
     * @param neverNull names that may be missing, but not be null
     */
    static @Nullable Map<String, Object> object(byte[] bytes, Set<String> neverNull) {
        try {
            String text = StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
            return object(text, neverNull);
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** The object that this text is, or null. */
    public static @Nullable Map<String, Object> object(String text) {
        return object(text, Set.of());
    }

    private static @Nullable Map<String, Object> object(String text, Set<String> neverNull) {
        try (JsonParser parser = FACTORY.createParser(text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                return null;
            }
            Map<String, Object> object = object(parser, neverNull);
            return parser.nextToken() == null ? object : null;
        } catch (IOException e) {
            return null;
        }
    }

    private static Map<String, Object> object(JsonParser parser, Set<String> neverNull) throws IOException {
        Map<String, Object> object = new HashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            Object value = value(parser, parser.nextToken());
            if (value != null) {
                object.put(name, value);
            } else if (neverNull.contains(name)) {
                throw new JsonParseException(parser, "null");
            }
        }
        return object;
    }

    private static List<Object> list(JsonParser parser) throws IOException {
        List<Object> list = new ArrayList<>();
        for (JsonToken token = parser.nextToken(); token != JsonToken.END_ARRAY; token = parser.nextToken()) {
            Object value = value(parser, token);
            if (value != null) {
                list.add(value);
            }
        }
        return list;
    }

    private static @Nullable Object value(JsonParser parser, JsonToken token) throws IOException {
        return switch (token) {
            case START_OBJECT -> object(parser, Set.of());
            case START_ARRAY -> list(parser);
            case VALUE_STRING -> parser.getText();
            case VALUE_TRUE -> (Object) true;
            case VALUE_FALSE -> (Object) false;
            case VALUE_NUMBER_FLOAT -> finite(parser);
            case VALUE_NUMBER_INT ->
                switch (parser.getNumberType()) {
                    case INT, LONG -> (Object) parser.getLongValue();
                    default -> finite(parser);
                };
            default -> null;
        };
    }

    /** What is too large for a number of ours, as {@code 1e400}, is none: it would be endless, and a token never expire. */
    private static Object finite(JsonParser parser) throws IOException {
        double value = parser.getDoubleValue();
        if (Double.isInfinite(value)) {
            throw new JsonParseException(parser, "a number beyond those of 64 bits");
        }
        return value;
    }
}
