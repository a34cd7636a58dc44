package net.oooops.sigma.plugin;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.config.ComposedSchema;
import net.oooops.sigma.config.PluginTrial;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.plugin.jars.OwnContext;
import net.oooops.sigma.redis.RedisClients;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The plugins that are made to find out whether they object to their settings, and are kept for the place that they were made for: so each is made once.
 * Where one with these settings runs, none is made for that.
 *
 * <p>One thread at a time.
 */
public final class TriedPlugins implements PluginMaker, PluginTrial, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(TriedPlugins.class);

    /** Which plugins run. */
    @FunctionalInterface
    public interface Known {
        /** Nothing runs. */
        Known NONE = (name, settings, madeBy) -> null;

        /** One of that name with these settings, made by that ({@link PluginMaker#madeBy}); or null. */
        @Nullable Plugin find(String name, @Nullable Object settings, Object madeBy);
    }

    /** What they are asked for by. */
    private record Kind(String name, @Nullable Object settings) {}

    private final PluginCatalog catalog;
    private final Known known;
    /** Those that nobody has got yet, in the order in which they were made. */
    private final Map<Kind, Deque<Plugin>> tried = new LinkedHashMap<>();

    /** @param known those that run, which a place with the same settings may keep */
    public TriedPlugins(PluginCatalog catalog, Known known) {
        this.catalog = catalog;
        this.known = known;
    }

    /** As {@link PluginCatalog#composedSchema}. */
    public ComposedSchema composedSchema() {
        return catalog.composedSchema();
    }

    /**
     * Makes the plugin of these settings where none runs with them, so that its objections are known before anything is started.
     *
     * @param protocol of what passes where they are written: requests or sessions
     * @throws net.oooops.sigma.api.SettingsException as {@link PluginCatalog#tryOut}
     */
    public void tryOut(String name, @Nullable Object settings, Protocol protocol) {
        if (!catalog.knows(name)) {
            // Of what can't be used, which is told elsewhere.
            return;
        }
        Plugin runs = known.find(name, settings, catalog.madeBy(name));
        if (runs != null) {
            PluginCatalog.requireFit(runs, protocol);
            return;
        }
        Plugin made = catalog.createFor(name, settings, protocol);
        if (made != null) {
            tried.computeIfAbsent(new Kind(name, settings), kind -> new ArrayDeque<>())
                    .add(made);
        }
    }

    /** As {@link #tryOut}. */
    @Override
    public void take(String name, @Nullable Object settings, Protocol protocol) {
        tryOut(name, settings, protocol);
    }

    @Override
    public void takeCondition(String text) {
        catalog.takeCondition(text);
    }

    /** One that was made before, where there is one that nobody has got yet. */
    @Override
    public @Nullable Plugin create(String name, @Nullable Object settings) {
        Deque<Plugin> made = tried.get(new Kind(name, settings));
        Plugin first = made == null ? null : made.poll();
        return first == null ? catalog.create(name, settings) : first;
    }

    @Override
    public PluginMeters meters() {
        return catalog.meters();
    }

    @Override
    public RedisClients redis() {
        return catalog.redis();
    }

    @Override
    public Callees callees() {
        return catalog.callees();
    }

    @Override
    public Object madeBy(String name) {
        return catalog.madeBy(name);
    }

    /** The catalog that makes them. */
    public PluginCatalog catalog() {
        return catalog;
    }

    /** Closes those that nobody has got. */
    @Override
    public void close() {
        tried.forEach((kind, plugins) -> plugins.forEach(plugin -> close(kind.name, plugin)));
        tried.clear();
    }

    private static void close(String name, Plugin plugin) {
        try (OwnContext _ = OwnContext.of(plugin)) {
            plugin.close();
        } catch (Exception | Error e) {
            // Whatever it is: the others are to be closed.
            LOG.warn("plugin {} failed while it was closed", name, e);
        }
    }
}
