package net.oooops.sigma.plugin.jars;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;
import java.util.regex.Pattern;
import net.oooops.sigma.api.PluginFactory;
import org.jspecify.annotations.Nullable;

/**
 * A jar that was put into the folder of plugins, or a folder there with a jar and its libraries: one class loader, and what it makes plugins with.
 *
 * <p>Immutable, any thread. Nothing has to be closed: its jars are, once nothing holds its classes any more.
 */
public final class DropIn {
    private static final Pattern KEBAB_CASE = Pattern.compile("[a-z][a-z0-9]*(-[a-z0-9]+)*");
    private static final String FACTORIES = "META-INF/services/" + PluginFactory.class.getName();

    private final String place;
    private final List<Stamp> stamps;
    private final List<String> hashes;
    private final List<Factory> factories;

    /**
     * What makes plugins of one kind.
     *
     * @param name that it says
     * @param schema that it says
     * @param factory itself
     */
    public record Factory(String name, String schema, PluginFactory factory) {}

    /**
     * Where one is.
     *
     * @param at the jar, or the folder with several
     * @param jars of it, in the order in which they are asked for classes
     */
    record Found(Path at, List<Path> jars) {
        /** As messages name it: a name may hold anything. */
        String place() {
            return at.toString().replaceAll("\\p{Cntrl}", "?");
        }
    }

    private DropIn(String place, List<Stamp> stamps, List<String> hashes, List<Factory> factories) {
        this.place = place;
        this.stamps = List.copyOf(stamps);
        this.hashes = List.copyOf(hashes);
        this.factories = List.copyOf(factories);
    }

    /** Whether a plugin may have that name. */
    public static boolean isName(String name) {
        return KEBAB_CASE.matcher(name).matches();
    }

    /**
     * Loads it.
     *
     * @param before what was there when the folder was read last; it is given back where its files are the same
     * @throws Unfit where it can't be used: nothing is left open then
     */
    static DropIn load(Found found, @Nullable DropIn before) throws Unfit {
        List<Stamp> stamps = found.jars().stream().map(Stamp::of).toList();
        if (before != null && before.stamps.equals(stamps) && stamps.stream().allMatch(Stamp::isSettled)) {
            return before;
        }
        List<PrivateJar> jars = new ArrayList<>();
        boolean kept = false;
        try {
            for (Path file : found.jars()) {
                jars.add(open(file));
            }
            List<String> hashes = jars.stream().map(PrivateJar::hash).toList();
            if (before != null && before.hashes.equals(hashes) && isSame(before.stamps, stamps)) {
                return new DropIn(found.place(), stamps, hashes, before.factories);
            }
            DropIn loaded = new DropIn(found.place(), stamps, hashes, factories(found, jars));
            kept = true;
            return loaded;
        } finally {
            if (!kept) {
                close(jars);
            }
        }
    }

    /** Whether the files have the same names. */
    private static boolean isSame(List<Stamp> before, List<Stamp> now) {
        return before.stream()
                .map(Stamp::file)
                .toList()
                .equals(now.stream().map(Stamp::file).toList());
    }

    private static PrivateJar open(Path file) throws Unfit {
        try {
            return PrivateJar.open(file);
        } catch (AccessDeniedException e) {
            throw new Unfit("can't be read: " + e, "a file that this user may read");
        } catch (IOException | RuntimeException e) {
            throw new Unfit(
                    file.getFileName() + " is no jar that can be opened: " + e.getMessage(),
                    "a whole one; what is copied there gets its name once it is whole");
        }
    }

    private static void close(List<PrivateJar> jars) {
        for (PrivateJar jar : jars) {
            try {
                jar.close();
            } catch (IOException _) {
                // It was only read.
            }
        }
    }

    private static List<Factory> factories(Found found, List<PrivateJar> jars) throws Unfit {
        if (jars.stream().allMatch(jar -> jar.entry(FACTORIES) == null)) {
            throw new Unfit(
                    "no plugin is in it, as it has no " + FACTORIES,
                    "that file, with the name of a factory; a library belongs into a folder with the jar of its plugin");
        }
        try {
            ApiUse use = new ApiUse();
            for (PrivateJar jar : jars) {
                use.require(jar);
            }
        } catch (IOException | RuntimeException e) {
            throw new Unfit("can't be read: " + e, "a whole jar");
        }
        DropInLoader loader = new DropInLoader(found.place(), jars);
        List<Factory> factories = new ArrayList<>();
        try (OwnContext _ = OwnContext.within(loader)) {
            for (PluginFactory factory : ServiceLoader.load(PluginFactory.class, loader)) {
                factories.add(factory(factory));
            }
        } catch (Unfit | OutOfMemoryError e) {
            throw e;
        } catch (Exception | Error e) {
            // Whatever it is: others have written it.
            throw Unfit.of(e);
        }
        if (factories.isEmpty()) {
            throw new Unfit(FACTORIES + " names no factory", "the name of a class that implements PluginFactory");
        }
        return factories;
    }

    @SuppressWarnings("NullAway") // it was compiled by others, who may have null there
    private static Factory factory(PluginFactory factory) throws Unfit {
        ApiUse.requireWhole(factory.getClass());
        String name = factory.name();
        String schema = factory.schema();
        String type = factory.getClass().getName();
        if (name == null || !isName(name)) {
            throw new Unfit("a plugin \"" + name + "\" of " + type, "a name in kebab-case");
        }
        if (schema == null) {
            throw new Unfit("a plugin \"" + name + "\" of " + type + " without a schema", "a JSON Schema");
        }
        return new Factory(name, schema, factory);
    }

    /** Where it is, as messages name it. */
    public String place() {
        return place;
    }

    /** What it makes plugins with, at least one. */
    public List<Factory> factories() {
        return factories;
    }

    /** The names of its plugins. */
    public List<String> names() {
        return factories.stream().map(Factory::name).toList();
    }

    /** The SHA-256 of each of its jars, in hexadecimal digits. */
    public List<String> hashes() {
        return hashes;
    }

    /** Whether it makes plugins by the same classes. */
    boolean isSame(DropIn other) {
        return factories.equals(other.factories);
    }
}
