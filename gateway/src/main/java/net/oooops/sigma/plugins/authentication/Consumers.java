package net.oooops.sigma.plugins.authentication;

import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.api.Consumer;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Settings;

/** Reads whom settings name. */
public final class Consumers {
    /** The schema of what nodes are told of one. */
    public static final String FIELDS_SCHEMA = """
            {
              "title": "fields",
              "description": "What nodes get beside `X-Consumer-Id`: fields whose names begin with `X-Consumer-`, and their values.",
              "type": "object",
              "maxProperties": 32,
              "additionalProperties": { "type": "string", "maxLength": 1024 },
              "default": {}
            }""";

    private Consumers() {}

    /** The consumer whose {@code id} and {@code fields} these are. */
    public static Consumer of(Settings settings) {
        Settings id = settings.get("id");
        if (!Consumer.isId(id.string())) {
            throw id.unexpected("1 to " + Consumer.ID_CHARS_MAX + " characters that may stand in a field, no tab");
        }
        List<Field> fields = new ArrayList<>();
        Settings values = settings.get("fields");
        for (String name : values.keys()) {
            Settings value = values.get(name);
            if (!Field.isValue(value.string())) {
                throw value.unexpected("a field value, RFC 9110 section 5.5");
            }
            fields.add(Field.of(fieldName(value, name), value.string()));
        }
        return Consumer.of(id.string(), fields.toArray(Field[]::new));
    }

    /** A name that a consumer's field may have. */
    public static FieldName fieldName(Settings place, String name) {
        boolean fits = FieldName.isToken(name)
                && name.regionMatches(true, 0, Consumer.FIELD_PREFIX, 0, Consumer.FIELD_PREFIX.length())
                && !name.equalsIgnoreCase(Consumer.FIELD_PREFIX + "Id");
        if (!fits) {
            throw place.unexpected("a field name that begins with " + Consumer.FIELD_PREFIX + ", other than "
                    + Consumer.FIELD_PREFIX + "Id; \"" + name + "\" isn't one");
        }
        return FieldName.of(name);
    }
}
