package net.oooops.sigma.plugin;

import java.util.Collections;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import java.util.regex.Pattern;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.ComposedSchema;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/**
 * The plugins that there are: every {@link PluginFactory} that a class loader finds, by name.
 *
 * <p>Immutable, safe for use from any thread as far as the factories are.
 */
public final class PluginCatalog implements PluginMaker {
    private static final Pattern KEBAB_CASE = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");

    private final Map<String, PluginFactory> factories = new TreeMap<>();
    private final Map<String, String> schemas = new TreeMap<>();
    private final ComposedSchema composed;
    private final PluginMeters meters = new PluginMeters();

    /**
     * Finds all factories once.
     *
     * @throws IllegalStateException where two have the same name, or one can't be loaded or has no usable name; the message
     *     names the classes
     */
    public PluginCatalog(ClassLoader loader) {
        try {
            for (PluginFactory factory : ServiceLoader.load(PluginFactory.class, loader)) {
                add(factory);
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new IllegalStateException("a plugin's factory can't be loaded: " + e.getMessage(), e);
        }
        composed = new ComposedSchema(schemas);
    }

    private void add(PluginFactory factory) {
        String name = factory.name();
        String type = factory.getClass().getName();
        if (!KEBAB_CASE.matcher(name).matches()) {
            throw new IllegalStateException("plugin \"" + name + "\" of " + type + " (expected: a name in kebab-case)");
        }
        PluginFactory before = factories.put(name, factory);
        if (before != null) {
            throw new IllegalStateException(
                    "plugin \"" + name + "\" twice: of " + before.getClass().getName() + " and of " + type
                            + " (expected: one factory for each name; is a jar twice on the class path?)");
        }
        schemas.put(name, factory.schema());
    }

    /** The JSON Schema text of each plugin's settings, by the plugin's name, in alphabetical order. */
    public Map<String, String> schemas() {
        return Collections.unmodifiableMap(schemas);
    }

    /** That of sigma.json with all of them in it. */
    public ComposedSchema composedSchema() {
        return composed;
    }

    /** Those of all plugins that it makes. */
    @Override
    public PluginMeters meters() {
        return meters;
    }

    /**
     * Makes a plugin.
     *
     * @param name one of {@link #schemas}' keys
     * @param settingsTree the value under that key, valid by its schema: Map, List, String, Number, Boolean or null
     * @return null where the settings say {@code "enable": false}
     * @throws SettingsException where a value can't be used, or the factory fails otherwise; its pointer is relative to the
     *     settings
     * @throws IllegalArgumentException where there is no plugin of that name
     */
    @Override
    public @Nullable Plugin create(String name, @Nullable Object settingsTree) {
        PluginFactory factory = factories.get(name);
        if (factory == null) {
            throw new IllegalArgumentException("plugin \"" + name + "\" (expected: one of " + factories.keySet() + ")");
        }
        Settings settings = Settings.of(settingsTree);
        if (!settings.get("enable").bool(true)) {
            return null;
        }
        String type = factory.getClass().getName();
        Plugin made;
        try {
            made = factory.create(settings, meters.contextOf(name));
        } catch (SettingsException e) {
            throw e;
        } catch (Exception | LinkageError e) {
            throw failed("settings that " + type + " failed on with " + e, e);
        }
        if (made == null) {
            // Not taken for one that is switched off: what it was to keep out would pass.
            throw new SettingsException("", "settings that " + type + " made no plugin of (null)", "a plugin");
        }
        return made;
    }

    /** A fault of the factory's own must not hide the other problems of the file. */
    private static SettingsException failed(String found, Throwable cause) {
        SettingsException failed = new SettingsException("", found, "settings it can use");
        failed.initCause(cause);
        return failed;
    }

    /**
     * Makes the plugin of these settings and closes it again, so that its objections are known before anything is started.
     *
     * @param protocol of what passes where they are written: requests or sessions
     * @throws SettingsException as {@link #create}, and where it sees nothing of that protocol
     */
    public void tryOut(String name, @Nullable Object settingsTree, Protocol protocol) {
        Plugin made = createFor(name, settingsTree, protocol);
        if (made != null) {
            close(made);
        }
    }

    /**
     * Makes the plugin of these settings for what passes there.
     *
     * @return null where the settings say {@code "enable": false}
     * @throws SettingsException as {@link #tryOut}; nothing is left open then
     */
    @Nullable Plugin createFor(String name, @Nullable Object settingsTree, Protocol protocol) {
        Plugin made = create(name, settingsTree);
        if (made == null) {
            return null;
        }
        try {
            requireFit(made, protocol);
            return made;
        } catch (SettingsException | Error e) {
            close(made);
            throw e;
        }
    }

    /** @throws SettingsException where the plugin sees nothing of that protocol */
    static void requireFit(Plugin plugin, Protocol protocol) {
        Needs needs;
        try {
            needs = plugin.needs();
        } catch (Exception | LinkageError e) {
            throw failed("settings that " + plugin.getClass().getName() + " failed on with " + e, e);
        }
        if (needs == null) {
            throw new SettingsException("", "a plugin without needs (null)", "what it is called for");
        }
        if (protocol.isOfSessions() && !needs.session()) {
            throw new SettingsException("", "a plugin for requests", "one for sessions");
        }
        if (!protocol.isOfSessions() && needs.isSessionOnly()) {
            throw new SettingsException(
                    "",
                    "a plugin for sessions",
                    "one for requests; this one is for TCP and UDP servers and their proxy-passes");
        }
    }

    private static void close(Plugin plugin) {
        try {
            plugin.close();
        } catch (Exception | LinkageError e) {
            throw failed("settings that " + plugin.getClass().getName() + " failed on with " + e, e);
        }
    }
}
