package net.oooops.sigma.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/**
 * The schema of sigma.json with those of the plugins in it, ready to check with.
 *
 * <p>Any thread, once made: nothing in it changes but what {@link SchemaRefs} keeps.
 */
final class ConfigSchema {

    private static final String RESOURCE = "sigma.schema.json";
    private static final String PLUGINS = "/$defs/plugin/properties/";

    private static final String NODES = "#/properties/upstream/items/properties/nodes";

    private final Json root;
    private final SchemaRefs refs;
    private final SchemaSteps steps;

    /**
     * @param plugins schema texts by plugin name
     * @throws IllegalArgumentException naming the plugin whose schema cannot be used, and why
     */
    ConfigSchema(Map<String, String> plugins) {
        this(plugins, System.getProperty("org.graalvm.nativeimage.imagecode") != null);
    }

    /** @param binary whether this is a native binary, which has the plugins that it was built with */
    ConfigSchema(Map<String, String> plugins, boolean binary) {
        root = parse(resource());
        refs = new SchemaRefs(root);
        steps = new SchemaSteps(refs, root);
        Json known = refs.resolve("#/$defs/plugin/properties");
        for (Map.Entry<String, String> plugin : plugins.entrySet()) {
            known.members().put(plugin.getKey(), fragment(plugin.getKey(), plugin.getValue()));
        }
        if (binary) {
            String expected =
                    "one that this binary was built with, as it loads no jar: " + String.join(", ", plugins.keySet());
            refs.resolve("#/$defs/plugin").members().put("x-expected-key", parse(Json.quoted(expected)));
        }
    }

    private static Json fragment(String name, String text) {
        try {
            Json fragment = parse(text);
            SchemaKeywords.adopt(fragment, PLUGINS.concat(name));
            fragment.members().remove("$schema");
            fragment.members().remove("$id");
            return fragment;
        } catch (IllegalArgumentException e) {
            String what = "the schema of the plugin " + Json.quoted(name);
            throw new IllegalArgumentException(what + ": " + e.getMessage(), e);
        }
    }

    private static Json parse(String text) {
        Problems problems = new Problems();
        Json json = JsonReader.read(text, problems);
        if (json == null || !problems.isEmpty()) {
            throw new IllegalArgumentException(problems.sorted().getFirst().text("JSON"));
        }
        return json;
    }

    private static String resource() {
        try (InputStream in = ConfigSchema.class.getResourceAsStream(RESOURCE)) {
            if (in == null) {
                throw new IllegalStateException(
                        RESOURCE + ": not on the class path (expected: beside " + ConfigSchema.class + ")");
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new IllegalStateException(RESOURCE + ": " + e, e);
        }
    }

    Json root() {
        return root;
    }

    SchemaRefs refs() {
        return refs;
    }

    SchemaSteps steps() {
        return steps;
    }

    /** Checks a list of nodes that stands alone. */
    void checkNodes(Json value, Problems problems) {
        new SchemaCheck(refs, problems).check(refs.resolve(NODES), value);
    }

    void check(Json value, Problems problems) {
        new SchemaCheck(refs, problems).check(root, value);
    }
}
