package net.oooops.sigma.snapshot;

import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.plugin.WorkingPlugin;
import net.oooops.sigma.plugin.jars.OwnContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    /** As much as one message may be, with room for the places. */
    private static final int LEFT_CHARS_MAX = 24 << 20;

    private static final Logger LOG = LoggerFactory.getLogger(PluginPlaces.class);

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

    /** What they leave to those at their places in another process. Each that can't is passed over: the others are to. */
    List<Left> left() {
        List<Left> left = new ArrayList<>();
        Map<String, String> same = new HashMap<>();
        long chars = 0;
        for (Map.Entry<Spot, Made> each : all.entrySet()) {
            String bytes = left(each.getKey(), each.getValue().plugin.value());
            // Most places of a large configuration have the same to leave.
            chars += same.containsKey(bytes) ? 0 : bytes.length();
            if (chars > LEFT_CHARS_MAX) {
                LOG.warn("plugins leave more to the new process than {} chars: not all of it", LEFT_CHARS_MAX);
                return left;
            }
            if (!bytes.isEmpty()) {
                String one = Objects.requireNonNullElse(same.putIfAbsent(bytes, bytes), bytes);
                left.add(new Left(each.getKey().owner, each.getKey().name, each.getKey().number, one));
            }
        }
        return left;
    }

    private static String left(Spot spot, Plugin plugin) {
        try (OwnContext _ = OwnContext.of(plugin)) {
            byte[] bytes = plugin.leave();
            if (bytes.length <= Plugin.LEFT_BYTES_MAX) {
                return Base64.getEncoder().encodeToString(bytes);
            }
            LOG.warn(
                    "{}: {} would leave {} bytes to the new process (expected: at most {})",
                    spot.owner,
                    spot.name,
                    bytes.length,
                    Plugin.LEFT_BYTES_MAX);
        } catch (Exception | Error e) {
            // Whatever it is: the others are to be asked.
            LOG.warn("{}: {} leaves nothing to the new process", spot.owner, spot.name, e);
        }
        return "";
    }

    /** Those of another process have left that: to be called before {@link #start}. One that can't use it begins without. */
    void inherit(List<Left> left) {
        for (Left each : left) {
            Made made = all.get(new Spot(each.owner(), each.plugin(), each.number()));
            if (made != null) {
                inherit(each, made.plugin.value());
            }
        }
    }

    private static void inherit(Left left, Plugin plugin) {
        try (OwnContext _ = OwnContext.of(plugin)) {
            plugin.inherit(Base64.getDecoder().decode(left.bytes()));
        } catch (Exception | Error e) {
            // Whatever it is: without, it begins as it would have.
            LOG.warn("{}: {} can't use what the process before has left", left.owner(), left.plugin(), e);
        }
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
