package net.oooops.sigma.config;

import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The schema of sigma.json with those of the plugins in it. It is composed when the first file is read, and kept: that costs more than to read a small
 * configuration does.
 *
 * <p>Any thread.
 */
public final class ComposedSchema {
    private final Map<String, String> plugins;
    private final Map<String, String> owners;
    private final boolean anyPlugin;
    private volatile @Nullable ConfigSchema composed;

    /** @param plugins the JSON Schema texts of the plugins that may be used, by name */
    public ComposedSchema(Map<String, String> plugins) {
        this(plugins, Map.of());
    }

    /**
     * @param plugins the JSON Schema texts of the plugins that may be used, by name
     * @param owners whose each of them is, for messages
     */
    public ComposedSchema(Map<String, String> plugins, Map<String, String> owners) {
        this(new LinkedHashMap<>(plugins), new LinkedHashMap<>(owners), false);
    }

    private ComposedSchema(Map<String, String> plugins, Map<String, String> owners, boolean anyPlugin) {
        this.plugins = plugins;
        this.owners = owners;
        this.anyPlugin = anyPlugin;
    }

    /** The same, but plugins that it doesn't know are no problem, and may have any settings. */
    public ComposedSchema withAnyPlugin() {
        return new ComposedSchema(plugins, owners, true);
    }

    /**
     * The plugins whose schemas can't be used, by name: why, and whose they are. Whatever sigma.json says for one of them is a problem there; all else goes on.
     */
    public Map<String, String> unusable() {
        return get().unusable();
    }

    /** Whether the plugin of that name finds out whom requests are from, as its schema says. */
    public boolean findsConsumer(String plugin) {
        return get().role(plugin).findsConsumer();
    }

    ConfigSchema get() {
        ConfigSchema there = composed;
        if (there == null) {
            // Two threads may do so at once: either's is as good.
            there = new ConfigSchema(plugins, owners, new ConfigSchema.Kind(anyPlugin, ConfigSchema.isBinary()));
            composed = there;
        }
        return there;
    }
}
