package net.oooops.sigma.api;

/**
 * Makes plugins of one kind. Found with {@link java.util.ServiceLoader}: a jar names its factories in {@code
 * META-INF/services/net.oooops.sigma.api.PluginFactory}. Built-in plugins are found the same way.
 *
 * <p>Called on the thread that reads the configuration.
 */
public interface PluginFactory {
    /** The key under {@code plugin} in sigma.json, in kebab-case. */
    String name();

    /**
     * The JSON Schema (2020-12) of the value under that key: a JSON text. It becomes a part of sigma.json's own schema, checks
     * the value before {@link #create} sees it, and gives the reference its text. An object schema should allow {@code enable}
     * (boolean, default true): a value with {@code "enable": false} is checked, and no plugin is made. A text in whose place a secret may
     * stand, as the plugin shows it nowhere, says {@code "x-secret": true}. The whole may say what the plugin does with requests, by which Sigma judges
     * the order of plugins: {@code "x-role": "finds-consumer"}, {@code "sees-requests"}, or {@code "sees-responses"} where it sees no requests; and then
     * {@code "x-answers": true} where it answers requests that it doesn't refuse. Settings called {@code when} and {@code mode} are refused: Sigma takes
     * these for every plugin whose value is an object, and {@link #create} doesn't see them.
     */
    String schema();

    /**
     * Makes the plugin.
     *
     * @param settings the value under the plugin's key, valid by {@link #schema}
     * @param context what the gateway gives it
     * @return never null: that is a problem in the report, too, for what the plugin was to keep out would pass
     * @throws SettingsException where a value can't be used; it becomes a problem in the report at its place in the file
     */
    Plugin create(Settings settings, PluginContext context);
}
