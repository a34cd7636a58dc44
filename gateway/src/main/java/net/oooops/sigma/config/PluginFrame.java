package net.oooops.sigma.config;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What any plugin may be told in sigma.json beside its own settings. It is written among them, where these are an object; schemas of plugins don't have
 * it, and plugins don't see it.
 */
public final class PluginFrame {
    /** The key of the condition on which the plugin acts. */
    public static final String WHEN = "when";
    /** The key of what comes of the plugin. */
    public static final String MODE = "mode";
    /** The mode of a plugin that is only tried. */
    public static final String SHADOW = "shadow";

    private static final String SCHEMA = """
            {
              "when": { "$ref": "#/$defs/plugin-when" },
              "mode": { "$ref": "#/$defs/plugin-mode", "default": "enforce" }
            }
            """;

    private PluginFrame() {}

    /**
     * Allows both in the schema of a plugin, where that is for objects.
     *
     * @throws IllegalArgumentException where the plugin has a setting of that name
     */
    static void allow(Json schema) {
        Json type = schema.get("type");
        Json properties = schema.get("properties");
        boolean object = type == null
                ? properties != null
                : type.itemsOrSelf().stream().anyMatch(name -> name.text().equals("object"));
        if (!object) {
            return;
        }
        if (properties == null) {
            properties = schema.with(Json.Kind.OBJECT, new LinkedHashMap<String, Json>());
            schema.members().put("properties", properties);
        }
        Map<String, Json> all = properties.members();
        ConfigSchema.parse(SCHEMA).members().forEach((key, added) -> {
            Json own = all.putIfAbsent(key, added);
            if (own != null) {
                throw new IllegalArgumentException(own.pointer() + ": a setting \"" + key
                        + "\" (expected: another name; Sigma takes that one for every plugin)");
            }
        });
    }

    /** Says of a plugin whose value is wrong that it can't be told either, where its value is to be no object. */
    static void refuse(Json value, ConfigSchema schema, Problems problems) {
        if (value.kind() != Json.Kind.OBJECT || schema.takesFrame(value.step())) {
            return;
        }
        for (String key : List.of(WHEN, MODE)) {
            Json told = value.get(key);
            if (told != null) {
                String found = Json.quoted(key) + " of a plugin whose value is no object";
                problems.key(told, found, "only with plugins that have settings by name", null);
            }
        }
    }
}
