package net.oooops.sigma.snapshot;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.plugin.WorkingPlugin;
import net.oooops.sigma.plugin.jars.OwnContext;
import org.jspecify.annotations.Nullable;

/**
 * The plugins of one Snapshot by where they stand in sigma.json. One that stands where it stood before, with the settings that it had, is the same
 * instance; one with other settings takes over what the one before it keeps.
 *
 * <p>One thread at a time.
 */
final class PluginPlaces {
    /**
     * Where a plugin stands.
     *
     * @param owner the server, router, route or proxy-pass, by kind and id
     * @param name the plugin's
     * @param number of those of that name there, from 0
     */
    record Spot(String owner, String name, int number) {}

    /**
     * One of them.
     *
     * @param config as sigma.json has it
     * @param by what it was made by ({@link net.oooops.sigma.plugin.PluginMaker#madeBy})
     * @param isNew whether it was made for this Snapshot
     */
    private record Made(PluginConfig config, Object by, Shared<Plugin> plugin, boolean isNew) {}

    /** What two plugins have in common that do the same: a reload of thousands asks for each by it. */
    private record Kind(String name, @Nullable Object settings, Object by) {}

    private final Map<Spot, Made> all = new LinkedHashMap<>();
    /** The first of each kind. */
    private final Map<Kind, Plugin> byKind = new HashMap<>();

    /** Null once it isn't needed any more: what is gone would be held by it. */
    private @Nullable PluginPlaces before;

    /** @param before those of the Snapshot whose place another one takes; null for the first */
    PluginPlaces(@Nullable PluginPlaces before) {
        // Those before that one aren't needed, and would be held for ever.
        this.before = before == null ? null : before.alone();
    }

    private PluginPlaces alone() {
        PluginPlaces copy = new PluginPlaces(null);
        copy.all.putAll(all);
        return copy;
    }

    /** The instance that stood there with these settings, made by the same, for this Snapshot too; null where there is none. */
    @Nullable Plugin kept(Spot spot, PluginConfig config, Object by) {
        Made there = before == null ? null : before.all.get(spot);
        if (there == null || there.by != by || !there.config.settings().equals(config.settings())) {
            return null;
        }
        put(spot, new Made(config, by, there.plugin.share(), false));
        return there.plugin.value();
    }

    /** One was made for that spot. */
    void made(Spot spot, PluginConfig config, Object by, Plugin plugin) {
        put(spot, new Made(config, by, new Shared<>(plugin), true));
    }

    private void put(Spot spot, Made made) {
        all.put(spot, made);
        byKind.putIfAbsent(new Kind(spot.name, made.config.settings(), made.by), made.plugin.value());
    }

    /** One of that name with these settings, made by that; null where there is none. */
    @Nullable Plugin find(String name, @Nullable Object settings, Object by) {
        return byKind.get(new Kind(name, settings, by));
    }

    /** How many there are. */
    int count() {
        return all.size();
    }

    /**
     * Those that were made for this Snapshot begin.
     *
     * @throws PluginStartException where one can't
     */
    void start() throws PluginStartException {
        for (Map.Entry<Spot, Made> each : all.entrySet()) {
            Made made = each.getValue();
            if (made.isNew) {
                start(made, before == null ? null : before.all.get(each.getKey()));
            }
        }
        before = null;
    }

    /** They are followed: what they do by themselves begins, where it hasn't yet. */
    void beginWork() {
        all.values().forEach(made -> {
            if (made.plugin.value() instanceof WorkingPlugin working) {
                working.beginWork();
            }
        });
    }

    private static void start(Made made, @Nullable Made there) throws PluginStartException {
        try (OwnContext _ = OwnContext.of(made.plugin.value())) {
            // One of another jar is no instance of any class that this one knows.
            if (there != null && there.by == made.by) {
                made.plugin.value().takeOver(PluginCatalog.made(there.plugin.value()));
            }
            made.plugin.value().start();
        } catch (Exception | Error e) {
            // Whatever it is: the caller closes what there is already.
            throw new PluginStartException(made.config, e);
        }
    }

    /** A plugin that can't begin. */
    static final class PluginStartException extends Exception {
        private static final long serialVersionUID = 1;

        private final transient PluginConfig config;

        PluginStartException(PluginConfig config, Throwable cause) {
            super("plugin " + config.name() + " can't be started: " + cause, cause);
            this.config = config;
        }

        PluginConfig config() {
            return config;
        }
    }

    /** All of them, each with how many Snapshots have it. */
    List<Shared<Plugin>> all() {
        List<Shared<Plugin>> plugins = new ArrayList<>();
        all.values().forEach(made -> plugins.add(made.plugin));
        return plugins;
    }
}
