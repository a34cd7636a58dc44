package net.oooops.sigma.plugin;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.PluginFactory;
import net.oooops.sigma.api.Redis;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.config.ComposedSchema;
import net.oooops.sigma.config.PluginTrial;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.plugin.jars.DropIn;
import net.oooops.sigma.plugin.jars.DropIns;
import net.oooops.sigma.plugin.jars.OwnContext;
import net.oooops.sigma.redis.RedisClients;
import org.jspecify.annotations.Nullable;

/**
 * The plugins that there are: every {@link PluginFactory} that a class loader finds, and those of the jars in a folder, by name.
 *
 * <p>Immutable, safe for use from any thread as far as the factories are.
 */
public final class PluginCatalog implements PluginMaker, PluginTrial {
    /** What Sigma brings along. */
    private static final String BUILT_IN = "net.oooops.sigma.plugins.";

    private final Map<String, Known> known = new TreeMap<>();
    private final Map<String, String> schemas = new TreeMap<>();
    private final DropIns dropIns;
    private final List<String> problems = new ArrayList<>();
    private final ComposedSchema composed;
    private final Common common;

    /** What there is one of for all catalogs that follow each other: what is counted outlives jars, and who stays at a reload goes on with the same. */
    private record Common(PluginMeters meters, RedisClients redis, Callees callees) {}

    /**
     * One of them.
     *
     * @param schema that its factory says
     * @param from where it was dropped in; null for one on the class path
     */
    private record Known(
            PluginFactory factory, String schema, @Nullable DropIn from) {
        String type() {
            return factory.getClass().getName();
        }

        /** Whose it is, for messages. */
        String owner() {
            String type = type();
            return from != null ? type + " in " + from.place() : type.startsWith(BUILT_IN) ? type + ", built in" : type;
        }

        String lacking(Throwable thrown) {
            return from != null && thrown instanceof LinkageError
                    ? "a jar that was built with the sigma-api of this version, with all its libraries: " + from.place()
                    : "settings it can use";
        }
    }

    /**
     * Finds all factories once.
     *
     * @throws IllegalStateException where two have the same name, or one can't be loaded or has no usable name; the message
     *     names the classes
     */
    public PluginCatalog(ClassLoader loader) {
        this(found(loader), DropIns.NONE, new Common(new PluginMeters(), new RedisClients(), new Callees()));
    }

    private PluginCatalog(Map<String, Known> onClassPath, DropIns dropIns, Common common) {
        this.common = common;
        this.dropIns = dropIns;
        known.putAll(onClassPath);
        problems.addAll(dropIns.problems());
        for (DropIn each : dropIns.all()) {
            each.factories().forEach(factory -> add(factory, each));
        }
        Map<String, String> owners = new TreeMap<>();
        known.forEach((name, one) -> {
            schemas.put(name, one.schema());
            owners.put(name, one.owner());
        });
        ComposedSchema all = new ComposedSchema(schemas, owners);
        composed = problems.isEmpty() ? all : all.withAnyPlugin();
    }

    /** The same class path, and what was dropped in. */
    public PluginCatalog with(DropIns others) {
        Map<String, Known> onClassPath = new TreeMap<>(known);
        onClassPath.values().removeIf(one -> one.from() != null);
        return new PluginCatalog(onClassPath, others, common);
    }

    /** This one, or another where other jars are in the folder by now. What didn't change is made by the same factory. */
    public PluginCatalog again() {
        DropIns now = dropIns.again();
        return now == dropIns ? this : with(now);
    }

    private static Map<String, Known> found(ClassLoader loader) {
        Map<String, Known> found = new TreeMap<>();
        try {
            for (PluginFactory factory : ServiceLoader.load(PluginFactory.class, loader)) {
                add(factory, found);
            }
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new IllegalStateException("a plugin's factory can't be loaded: " + e.getMessage(), e);
        }
        return found;
    }

    private static void add(PluginFactory factory, Map<String, Known> to) {
        String name = factory.name();
        String type = factory.getClass().getName();
        if (!DropIn.isName(name)) {
            throw new IllegalStateException("plugin \"" + name + "\" of " + type + " (expected: a name in kebab-case)");
        }
        Known before = to.put(name, new Known(factory, factory.schema(), null));
        if (before != null) {
            throw new IllegalStateException("plugin \"" + name + "\" twice: of " + before.type() + " and of " + type
                    + " (expected: one factory for each name; is a jar twice on the class path?)");
        }
    }

    private void add(DropIn.Factory made, DropIn from) {
        Known one = new Known(made.factory(), made.schema(), from);
        Known before = known.putIfAbsent(made.name(), one);
        if (before != null) {
            String expected = before.from() == null
                    ? "another name: that one is taken"
                    : "one of both jars; is an older version left beside the new one?";
            problems.add(from.place() + ": plugin \"" + made.name() + "\" twice: of " + before.owner() + ", and of "
                    + one.owner() + " (expected: " + expected + ")");
        }
    }

    /** The JSON Schema text of each plugin's settings, by the plugin's name, in alphabetical order. */
    public Map<String, String> schemas() {
        return Collections.unmodifiableMap(schemas);
    }

    /** That of sigma.json with all of them in it; where there are {@link #problems} it takes plugins that it doesn't know, which may be of what can't be used. */
    public ComposedSchema composedSchema() {
        return composed;
    }

    /** Those of all plugins that it makes. */
    @Override
    public PluginMeters meters() {
        return common.meters();
    }

    /** What it gives them of Redis. */
    @Override
    public RedisClients redis() {
        return common.redis();
    }

    /** Where they ask. */
    @Override
    public Callees callees() {
        return common.callees();
    }

    /** What was dropped in. */
    public DropIns dropIns() {
        return dropIns;
    }

    /** What is wrong with what was dropped in, a line each: nothing may be started with it. */
    public List<String> problems() {
        return Collections.unmodifiableList(problems);
    }

    /** Whether there is one of that name. */
    boolean knows(String name) {
        return known.containsKey(name);
    }

    /** The factory of that name. */
    @Override
    public Object madeBy(String name) {
        Known one = known.get(name);
        return one == null ? this : one.factory();
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
        Known one = known.get(name);
        if (one == null) {
            throw new IllegalArgumentException("plugin \"" + name + "\" (expected: one of " + known.keySet() + ")");
        }
        Settings settings = Settings.of(settingsTree);
        if (!settings.get("enable").bool(true)) {
            return null;
        }
        Placement placement = Placement.of(settingsTree);
        OwnWork work = new OwnWork(common.callees());
        Plugin made = made(name, one, placement, work);
        boolean works = work.seal();
        if (!placement.isSaid() && !works) {
            return made;
        }
        try {
            Plugin placed = placement.isSaid() ? placement.place(name, made, needs(made, placement.shadow())) : made;
            return works ? new WorkingPlugin(placed, needs(placed), work) : placed;
        } catch (SettingsException | Error e) {
            close(made);
            throw e;
        }
    }

    private Plugin made(String name, Known one, Placement placement, OwnWork work) {
        List<Redis> opened = new ArrayList<>();
        Plugin made = null;
        try (OwnContext _ = OwnContext.of(one.factory())) {
            PluginContext context = new GivenContext(
                    name,
                    common.meters(),
                    id -> {
                        Redis given = common.redis().open(id);
                        opened.add(given);
                        return given;
                    },
                    work);
            made = one.factory().create(Settings.of(placement.settings()), context);
        } catch (SettingsException e) {
            throw e;
        } catch (Exception | LinkageError e) {
            throw failed("settings that " + one.type() + " failed on with " + e, one.lacking(e), e);
        } finally {
            if (made == null) {
                // Nobody else will.
                opened.forEach(Redis::close);
            }
        }
        if (made == null) {
            // Not taken for one that is switched off: what it was to keep out would pass.
            throw new SettingsException("", "settings that " + one.type() + " made no plugin of (null)", "a plugin");
        }
        return made;
    }

    /** A fault of the factory's own must not hide the other problems of the file. */
    private static SettingsException failed(String found, Throwable cause) {
        return failed(found, "settings it can use", cause);
    }

    private static SettingsException failed(String found, String expected, Throwable cause) {
        SettingsException failed = new SettingsException("", found, expected);
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

    /** As {@link #tryOut}. */
    @Override
    public void take(String name, @Nullable Object settings, Protocol protocol) {
        tryOut(name, settings, protocol);
    }

    @Override
    public void takeCondition(String text) {
        Placement.compiled(text);
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
        Needs needs = needs(plugin);
        if (protocol.isOfSessions() && !needs.session()) {
            throw new SettingsException("", "a plugin for requests", "one for sessions");
        }
        if (!protocol.isOfSessions() && needs.isSessionOnly()) {
            throw new SettingsException(
                    "",
                    "a plugin for sessions",
                    "one for requests; this one is for TCP and UDP servers and their proxy-passes");
        }
        if (protocol.isOfSessions() && WorkingPlugin.acting(plugin) instanceof ConditionedPlugin conditioned) {
            throw Placement.conditionOnSessions(conditioned.condition());
        }
    }

    private static Needs needs(Plugin plugin) {
        return needs(plugin, false);
    }

    private static Needs needs(Plugin plugin, boolean inShadow) {
        Needs needs;
        try (OwnContext _ = OwnContext.of(plugin)) {
            needs = inShadow ? plugin.needsInShadow() : plugin.needs();
        } catch (Exception | LinkageError e) {
            throw failed("settings that " + plugin.getClass().getName() + " failed on with " + e, e);
        }
        if (needs == null) {
            throw new SettingsException("", "a plugin without needs (null)", "what it is called for");
        }
        return needs;
    }

    /** The plugin that a factory made, whatever stands in its place. */
    public static Plugin made(Plugin plugin) {
        Plugin made = plugin;
        while (made instanceof WrappedPlugin wrapper) {
            made = wrapper.inner();
        }
        return made;
    }

    private static void close(Plugin plugin) {
        try (OwnContext _ = OwnContext.of(plugin)) {
            plugin.close();
        } catch (Exception | LinkageError e) {
            throw failed("settings that " + plugin.getClass().getName() + " failed on with " + e, e);
        }
    }
}
