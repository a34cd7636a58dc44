package net.oooops.sigma.plugins.metadata;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Metadata;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import org.jspecify.annotations.Nullable;

/** Makes {@code metadata}. */
public final class MetadataFactory implements PluginFactory {
    /** Of one place: those of server, router, route and proxy-pass fit together. */
    static final int JSON_BYTES_MAX = Metadata.JSON_BYTES_MAX / 4;

    private static final String SCHEMA = """
            {
              "title": "metadata",
              "description": "Fixed keys and values, such as the team that a route belongs to: for plugins that follow, conditions (`route.metadata['team']`), the JSON access log (`metadata`), and nodes where asked. Those of a server, router, route and proxy-pass go together; where two have a key, the one further in holds. In all 1 KiB of JSON at each place.",
              "x-role": "sees-requests",
              "type": "object",
              "required": ["values"],
              "additionalProperties": false,
              "properties": {
                "enable": {
                  "title": "enable",
                  "description": "Whether the plugin works at all.",
                  "type": "boolean",
                  "default": true
                },
                "values": {
                  "title": "values",
                  "description": "The values by their keys: texts, numbers, `true` or `false`.",
                  "type": "object",
                  "minProperties": 1,
                  "maxProperties": 50,
                  "x-expected-key": "a key of letters, digits, '_', '-' and '.', that begins with a letter",
                  "additionalProperties": false,
                  "patternProperties": {
                    "^[A-Za-z][A-Za-z0-9_.-]{0,63}$": {
                      "description": "A value.",
                      "type": ["string", "number", "boolean"],
                      "maxLength": 512
                    }
                  },
                  "examples": [{ "team": "orders", "tier": 1 }]
                },
                "fields": {
                  "title": "fields",
                  "description": "Which of the values nodes get, and in which field each. What a client sends under that name doesn't reach them.",
                  "type": "object",
                  "maxProperties": 20,
                  "additionalProperties": {
                    "description": "The name of the field.",
                    "type": "string",
                    "minLength": 1,
                    "maxLength": 100
                  },
                  "examples": [{ "team": "X-Team" }]
                }
              },
              "examples": [
                { "values": { "team": "orders", "tier": 1, "beta": true }, "fields": { "team": "X-Team" } }
              ]
            }
            """;

    @Override
    public String name() {
        return "metadata";
    }

    @Override
    public String schema() {
        return SCHEMA;
    }

    @Override
    public Plugin create(Settings settings, PluginContext context) {
        Metadata values = values(settings.get("values"));
        List<SentFields.SentField> sent = new ArrayList<>();
        Settings fields = settings.get("fields");
        for (String key : fields.keys()) {
            sent.add(new SentFields.SentField(key, name(fields.get(key), values.text(key))));
        }
        return new RouteMetadata(values, new SentFields(sent));
    }

    private static Metadata values(Settings written) {
        Map<String, Object> values = new LinkedHashMap<>();
        for (String key : written.keys()) {
            Object value = written.get(key).tree();
            if (value == null) {
                throw written.get(key).unexpected("a text, a number or a boolean");
            }
            values.put(key, value);
        }
        Metadata made;
        try {
            made = Metadata.of(values);
        } catch (IllegalArgumentException e) {
            throw new SettingsException("/values", "values that can't be used: " + e.getMessage(), "others");
        }
        if (made.jsonBytes() > JSON_BYTES_MAX) {
            throw new SettingsException(
                    "/values", made.jsonBytes() + " bytes of JSON", "<= " + JSON_BYTES_MAX + " bytes of JSON");
        }
        return made;
    }

    private static FieldName name(Settings written, @Nullable String value) {
        if (value == null) {
            throw written.unexpected("a field for one of the keys in \"values\"");
        }
        if (!Field.isValue(value)) {
            throw written.unexpected("a field for a value that can stand in one, RFC 9110 section 5.5");
        }
        if (!FieldName.isToken(written.string())) {
            throw written.unexpected("a field name, RFC 9110 section 5.1");
        }
        FieldName name = FieldName.of(written.string());
        if (name.isOfTheConnection()) {
            throw written.unexpected("a field that a plugin may write; " + name + " is Sigma's own");
        }
        return name;
    }
}
