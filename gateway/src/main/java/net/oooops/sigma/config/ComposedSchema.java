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
    private volatile @Nullable ConfigSchema composed;

    /** @param plugins the JSON Schema texts of the plugins that may be used, by name */
    public ComposedSchema(Map<String, String> plugins) {
        this.plugins = new LinkedHashMap<>(plugins);
    }

    /** @throws IllegalArgumentException naming the plugin whose schema cannot be used, and why */
    ConfigSchema get() {
        ConfigSchema there = composed;
        if (there == null) {
            // Two threads may do so at once: either's is as good.
            there = new ConfigSchema(plugins);
            composed = there;
        }
        return there;
    }
}
