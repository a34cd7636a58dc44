package net.oooops.sigma.config;

/**
 * One plugin at one place of the configuration.
 *
 * @param name the key it is written under
 * @param settings what is written there, found valid against the plugin's own schema: a plain tree of unmodifiable {@code Map}
 *     (in the order written) and {@code List}, {@code String}, {@code Boolean}, {@code Integer}, {@code Long} and {@code Double}
 * @param place where it is written, with the JSON Pointer that leads there in the whole configuration, however many files that is of
 */
public record PluginConfig(String name, Object settings, Place place) {
    /** Without the settings, which may hold a secret. */
    @Override
    public String toString() {
        return name + " at " + place;
    }
}
