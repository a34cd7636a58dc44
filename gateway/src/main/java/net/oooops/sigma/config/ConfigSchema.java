package net.oooops.sigma.config;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;

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

    /** The plugins whose schemas say of texts that they are paths. */
    private final Set<String> withPaths = new HashSet<>();

    /** Why a plugin's schema can't be used, by the plugin's name. */
    private final Map<String, String> unusable = new TreeMap<>();

    /**
     * What else there is to say of it.
     *
     * @param anyPlugin whether plugins that aren't known are no problem
     * @param binary whether this is a native binary, which has the plugins that it was built with
     */
    record Kind(boolean anyPlugin, boolean binary) {}

    /** @param plugins schema texts by plugin name */
    ConfigSchema(Map<String, String> plugins) {
        this(plugins, Map.of(), new Kind(false, isBinary()));
    }

    /**
     * Those whose schemas can't be used are among the {@link #unusable}: any settings of theirs are right by this schema.
     *
     * @param plugins schema texts by plugin name
     * @param owners whose each of them is, where that is known
     */
    ConfigSchema(Map<String, String> plugins, Map<String, String> owners, Kind kind) {
        root = parse(resource());
        refs = new SchemaRefs(root);
        steps = new SchemaSteps(refs, root);
        Json known = refs.resolve("#/$defs/plugin/properties");
        for (Map.Entry<String, String> plugin : plugins.entrySet()) {
            known.members().put(plugin.getKey(), fragment(plugin, owners));
        }
        for (String name : plugins.keySet()) {
            requireRefs(name, known, owners);
        }
        if (kind.anyPlugin) {
            refs.resolve("#/$defs/plugin").members().remove("additionalProperties");
        }
        String expected = kind.binary
                ? "one that this binary was built with, as it loads no jar: " + String.join(", ", plugins.keySet())
                : "a plugin of Sigma's, or of a jar in the folder of --plugins";
        refs.resolve("#/$defs/plugin").members().put("x-expected-key", parse(Json.quoted(expected)));
    }

    /** Whether this process is a native binary. */
    static boolean isBinary() {
        return System.getProperty("org.graalvm.nativeimage.imagecode") != null;
    }

    private Json fragment(Map.Entry<String, String> plugin, Map<String, String> owners) {
        try {
            Json fragment = parse(plugin.getValue());
            SchemaKeywords.adopt(fragment, PLUGINS.concat(plugin.getKey()));
            PluginFrame.allow(fragment);
            if (SchemaKeywords.says(fragment, PathReader.KEYWORD)) {
                withPaths.add(plugin.getKey());
            }
            fragment.members().remove("$schema");
            fragment.members().remove("$id");
            return fragment;
        } catch (RuntimeException e) {
            // Whatever it is: others have written it, and all else is to go on.
            return unusable(plugin.getKey(), owners, e);
        }
    }

    /** What it refers to is there, which is known only once all of it is. */
    private void requireRefs(String name, Json known, Map<String, String> owners) {
        Json fragment = Objects.requireNonNull(known.get(name), name);
        try {
            SchemaKeywords.requireRefs(fragment, refs);
        } catch (RuntimeException e) {
            known.members().put(name, unusable(name, owners, e));
        }
    }

    private Json unusable(String name, Map<String, String> owners, RuntimeException why) {
        String owner = owners.get(name);
        String of = owner == null ? "" : " (of " + owner + ")";
        unusable.put(name, "the schema of the plugin " + Json.quoted(name) + of + ": " + text(why));
        return parse("{}");
    }

    private static String text(RuntimeException why) {
        String message = why.getMessage();
        // What is said of the whole has no pointer before it.
        return message == null ? why.toString() : message.startsWith(": ") ? message.substring(2) : message;
    }

    /** The plugins whose schemas can't be used, by name, and why. */
    Map<String, String> unusable() {
        return Collections.unmodifiableMap(unusable);
    }

    static Json parse(String text) {
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

    /** Whether the value of that plugin, if there is one, is an object that {@link PluginFrame} is a part of. */
    boolean takesFrame(String plugin) {
        Json there = refs.resolve("#/$defs/plugin/properties").get(plugin);
        Json properties = there == null ? null : there.get("properties");
        return there == null || (properties != null && properties.get(PluginFrame.WHEN) != null);
    }

    /** Whether the schema of that plugin says of texts that they are paths. */
    boolean hasPaths(String plugin) {
        return withPaths.contains(plugin);
    }

    /** What the schema of that plugin says that it does with requests. */
    PluginRole role(String plugin) {
        return PluginRole.of(refs.resolve("#/$defs/plugin/properties").get(plugin));
    }

    /** Whether that plugin may answer what isn't to be refused, or send it elsewhere; of one whose role isn't said nobody knows. */
    boolean mayAnswer(String plugin) {
        Json said = refs.resolve("#/$defs/plugin/properties").get(plugin);
        return said == null || PluginRole.of(said) == PluginRole.UNKNOWN || said.flag(PluginRole.ANSWERS, false);
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
