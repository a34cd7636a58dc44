package net.oooops.sigma.config;

import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import org.jspecify.annotations.Nullable;

/** Tries settings of a plugin as the plugin itself would take them, so that its objections are problems of the file. */
@FunctionalInterface
public interface PluginTrial {

    /** Takes the schema's word for it. */
    PluginTrial NONE = (name, settings, protocol) -> {};

    /**
     * Called on the thread that reads the file, for settings that are valid against the plugin's schema; again with less of them, to hear of more.
     *
     * @param name of a plugin whose schema the reader was given
     * @param settings as in {@link PluginConfig#settings}
     * @param protocol of what passes where they are written: TCP for sessions
     * @throws SettingsException where the plugin cannot use them, or sees nothing of that protocol; its pointer is relative to the settings
     */
    void take(String name, @Nullable Object settings, Protocol protocol);

    /**
     * Looks at a condition ({@code when}) by itself, for settings that the plugin can't use in any case. Called on the same thread.
     *
     * @throws SettingsException where it is none
     */
    default void takeCondition(String text) {}
}
