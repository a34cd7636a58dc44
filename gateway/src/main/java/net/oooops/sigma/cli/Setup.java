package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import net.oooops.sigma.ask.FilePatience;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.CurrentTexts;
import net.oooops.sigma.config.KnownRoutes;
import net.oooops.sigma.config.Layer;
import net.oooops.sigma.config.Place;
import net.oooops.sigma.config.Problem;
import net.oooops.sigma.config.Secrets;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.Unreadable;
import net.oooops.sigma.observe.HiddenTexts;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.plugin.TriedPlugins;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.snapshot.SnapshotException;
import net.oooops.sigma.snapshot.SnapshotProblem;
import org.jspecify.annotations.Nullable;

/**
 * A sigma.json that is read, found valid and compiled, its plugins made.
 *
 * @param snapshot to be closed by whoever asked for it, or stopped with the gateway that runs it
 * @param warnings what is right but probably not meant, ready to print, one a line
 * @param secrets what may not be printed
 * @param files all that was read, or was to be and isn't there
 * @param texts the files of configuration among them, with what was in them; the tree of values that they made isn't kept, which takes more memory than the Snapshot
 * @param routes for whoever reads the same files again
 */
record Setup(
        Snapshot snapshot,
        String warnings,
        Secrets secrets,
        List<Path> files,
        List<ConfigText> texts,
        KnownRoutes routes) {

    /**
     * What another configuration takes the place of.
     *
     * @param snapshot is followed now
     * @param routes as they were read for it
     */
    record Before(Snapshot snapshot, KnownRoutes routes) {}

    /** Reads files that the user named, to tell what they say. */
    static Setup read(Conf.Written written, PluginCatalog plugins, FilePatience patience) throws Failure {
        try (TriedPlugins tried = new TriedPlugins(plugins, TriedPlugins.Known.NONE)) {
            ConfigReader reader = reader(tried).waiting(patience);
            return of(written.name(), new Compiler(tried, null), reader.read(written.layers()));
        }
    }

    /** Reads files that the user named, to run them here, where none runs. */
    static Setup readToRun(Conf.Written written, PluginCatalog plugins) throws Failure {
        return readToRun(written, plugins, FilePatience.ENDLESS);
    }

    /** The same, with each file waited for so long. */
    static Setup readToRun(Conf.Written written, PluginCatalog plugins, FilePatience patience) throws Failure {
        try (TriedPlugins tried = new TriedPlugins(plugins, TriedPlugins.Known.NONE)) {
            ConfigReader reader = reader(tried).onThisMachine().inThisProcess().waiting(patience);
            return of(written.name(), new Compiler(tried, null), reader.read(written.layers()));
        }
    }

    /** The same, to run them by another process. */
    static Setup readToCheck(Conf.Written written, PluginCatalog plugins, FilePatience patience) throws Failure {
        try (TriedPlugins tried = new TriedPlugins(plugins, TriedPlugins.Known.NONE)) {
            ConfigReader reader = reader(tried).onThisMachine().waiting(patience);
            return of(written.name(), new Compiler(tried, null), reader.read(written.layers()));
        }
    }

    /**
     * Reads files that the user named, to run them here, where others run.
     *
     * @param before whose place they are to take
     * @param kept what is read instead of the files; null: the files themselves
     * @param onRead told what was read, also where there is something wrong in it, before anything is made of it
     */
    static Setup readToRun(
            Conf.Written written,
            PluginCatalog plugins,
            Before before,
            @Nullable List<ConfigText> kept,
            Consumer<ConfigResult> onRead)
            throws Failure {
        try (TriedPlugins tried = new TriedPlugins(plugins, before.snapshot::plugin)) {
            ConfigReader reader = reader(tried)
                    .onThisMachine()
                    .inThisProcess()
                    .logging(before.snapshot.config().accessLog())
                    .knowing(before.routes)
                    .again();
            if (kept != null) {
                reader.insteadOfFiles(kept);
            }
            ConfigResult result = reader.read(written.layers());
            onRead.accept(result);
            return of(written.name(), new Compiler(tried, before.snapshot), result);
        }
    }

    /** The same, where another one runs, which stays. */
    static Setup readToCompare(Conf.Written written, PluginCatalog plugins) throws Failure {
        try (TriedPlugins tried = new TriedPlugins(plugins, TriedPlugins.Known.NONE)) {
            ConfigReader reader = reader(tried).onThisMachine().again();
            return of(written.name(), new Compiler(tried, null), reader.read(written.layers()));
        }
    }

    /** What files that the user named say now, where another one runs: whether it makes sense isn't looked at. */
    static CurrentTexts texts(Conf.Written written, PluginCatalog plugins) {
        try (TriedPlugins tried = new TriedPlugins(plugins, TriedPlugins.Known.NONE)) {
            return reader(tried).again().texts(written.layers());
        }
    }

    /** What these mean, read instead of files that the user named, where another one runs. */
    static ConfigResult meant(Conf.Written written, PluginCatalog plugins, List<ConfigText> texts) {
        try (TriedPlugins tried = new TriedPlugins(plugins, TriedPlugins.Known.NONE)) {
            return reader(tried).again().insteadOfFiles(texts).read(written.layers());
        }
    }

    private static ConfigReader reader(TriedPlugins tried) {
        return new ConfigReader(tried.composedSchema(), tried).telling(HiddenTexts::add);
    }

    /** Makes plugins, or keeps those of a Snapshot that runs. */
    private record Compiler(TriedPlugins plugins, @Nullable Snapshot before) {
        private Snapshot compile(SigmaConfig config) {
            return before == null
                    ? SnapshotCompiler.compile(config, plugins)
                    : SnapshotCompiler.compile(config, plugins, before);
        }
    }

    /** Reads what Sigma brings along. */
    static Setup read(String name, byte[] json, PluginCatalog plugins) throws Failure {
        try (TriedPlugins tried = new TriedPlugins(plugins, TriedPlugins.Known.NONE)) {
            ConfigReader reader = reader(tried);
            Layer layer = Layer.of(name, json, Path.of("").toAbsolutePath());
            return of(name, new Compiler(tried, null), reader.read(List.of(layer)));
        }
    }

    /** A file that isn't there is wrong usage, other than one that says something wrong. */
    static void requireFile(String option, Path file) throws Failure {
        String found = Unreadable.why(file);
        if (found != null) {
            throw new Failure(
                    Exit.USAGE,
                    option + " " + Unreadable.shown(file) + ": " + found + " (expected: a file that can be read)");
        }
    }

    SigmaConfig config() {
        return snapshot.config();
    }

    private static Setup of(String name, Compiler compiler, ConfigResult result) throws Failure {
        String problems = PluginsFolder.problems(compiler.plugins.catalog());
        // No switch over the types: linking one takes longer than reading a configuration.
        if (result instanceof ConfigResult.Invalid invalid) {
            throw new Failure(Exit.PROBLEMS, problems + invalid.text(name));
        }
        if (!problems.isEmpty()) {
            throw new Failure(Exit.PROBLEMS, problems);
        }
        return compiled(name, compiler, (ConfigResult.Valid) result);
    }

    private static Setup compiled(String name, Compiler compiler, ConfigResult.Valid valid) throws Failure {
        StringBuilder warnings = new StringBuilder(PluginsFolder.warnings(compiler.plugins.catalog()));
        for (Problem warning : valid.warnings()) {
            warnings.append("warning: ").append(warning.text(name)).append('\n');
        }
        try {
            Snapshot snapshot = compiler.compile(valid.config());
            return new Setup(
                    snapshot, warnings.toString(), valid.secrets(), valid.files(), valid.texts(), valid.routes());
        } catch (SnapshotException e) {
            throw new Failure(
                    Exit.PROBLEMS,
                    valid.secrets().hide(new ConfigResult.Invalid(problems(e, valid), 0, valid.files()).text(name)));
        }
    }

    private static List<Problem> problems(SnapshotException e, ConfigResult.Valid valid) {
        List<Problem> problems = new ArrayList<>();
        for (SnapshotProblem each : e.problems()) {
            Place place = valid.placeOf().apply(each.pointer());
            problems.add(new Problem(place, each.found(), each.expected(), null));
        }
        problems.sort(Problem.BY_PLACE);
        return problems;
    }
}
