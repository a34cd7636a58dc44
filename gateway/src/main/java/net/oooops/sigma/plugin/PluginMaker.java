package net.oooops.sigma.plugin;

import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.redis.RedisClients;
import org.jspecify.annotations.Nullable;

/** Makes plugins of what sigma.json says of them. */
@FunctionalInterface
public interface PluginMaker {
    /**
     * Makes a plugin.
     *
     * @param settingsTree the value under that key, valid by its schema: Map, List, String, Number, Boolean or null
     * @return null where the settings say {@code "enable": false}
     * @throws net.oooops.sigma.api.SettingsException where a value can't be used; its pointer is relative to the settings
     */
    @Nullable Plugin create(String name, @Nullable Object settingsTree);

    /** Where what it makes counts; by default nowhere else. */
    default PluginMeters meters() {
        return new PluginMeters();
    }

    /** What it gives them of Redis; by default nothing that is ever connected. */
    default RedisClients redis() {
        return new RedisClients();
    }

    /** Where what it makes asks without an exchange; by default nowhere. */
    default Callees callees() {
        return new Callees();
    }

    /**
     * What plugins of that name are made by. Where it is another object than before, a plugin that runs isn't what would be made now, even of the same
     * settings: its class may be another one's.
     */
    default Object madeBy(String name) {
        return PluginMaker.class;
    }
}
