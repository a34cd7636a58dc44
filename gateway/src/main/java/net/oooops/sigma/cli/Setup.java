package net.oooops.sigma.cli;

import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.ConfigResult;
import net.oooops.sigma.config.Layer;
import net.oooops.sigma.config.Place;
import net.oooops.sigma.config.Problem;
import net.oooops.sigma.config.Secrets;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.Snapshot;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.snapshot.SnapshotException;
import net.oooops.sigma.snapshot.SnapshotProblem;

/**
 * A sigma.json that is read, found valid and compiled, its plugins made.
 *
 * @param snapshot to be closed by whoever asked for it, or stopped with the gateway that runs it
 * @param warnings what is right but probably not meant, ready to print, one a line
 * @param secrets what may not be printed
 */
record Setup(Snapshot snapshot, String warnings, Secrets secrets) {

    /** The plugins on the class path. */
    static PluginCatalog plugins() throws Failure {
        try {
            return new PluginCatalog(Setup.class.getClassLoader());
        } catch (IllegalStateException e) {
            throw new Failure(Exit.PROBLEMS, String.valueOf(e.getMessage()));
        }
    }

    /** Reads files that the user named, to tell what they say. */
    static Setup read(List<Path> files, InputStream in) throws Failure {
        PluginCatalog plugins = plugins();
        return read(files, in, plugins, new ConfigReader(plugins.schemas(), plugins::tryOut));
    }

    /** Reads files that the user named, to run them here. */
    static Setup readToRun(List<Path> files, InputStream in) throws Failure {
        PluginCatalog plugins = plugins();
        return read(files, in, plugins, new ConfigReader(plugins.schemas(), plugins::tryOut).onThisMachine());
    }

    private static Setup read(List<Path> files, InputStream in, PluginCatalog plugins, ConfigReader reader)
            throws Failure {
        List<Layer> layers = Conf.layers(files, in);
        return of(Conf.name(files), plugins, reading(() -> reader.read(layers)));
    }

    /** Reads what Sigma brings along. */
    static Setup read(String name, byte[] json) throws Failure {
        PluginCatalog plugins = plugins();
        ConfigReader reader = new ConfigReader(plugins.schemas(), plugins::tryOut);
        return of(name, plugins, reading(() -> reader.read(json, Path.of("").toAbsolutePath())));
    }

    /** A file that isn't there is wrong usage, other than one that says something wrong. */
    static void requireFile(String option, Path file) throws Failure {
        String found = !Files.exists(file)
                ? "no such file"
                : Files.isDirectory(file) ? "a folder" : Files.isReadable(file) ? "" : "a file that can't be read";
        if (!found.isEmpty()) {
            throw new Failure(Exit.USAGE, option + " " + file + ": " + found + " (expected: a file that can be read)");
        }
    }

    SigmaConfig config() {
        return snapshot.config();
    }

    private interface Reading {
        ConfigResult read();
    }

    private static ConfigResult reading(Reading reading) throws Failure {
        try {
            return reading.read();
        } catch (IllegalArgumentException e) {
            // The schema of a plugin, which is part of no file of the user's.
            throw new Failure(Exit.PROBLEMS, String.valueOf(e.getMessage()));
        }
    }

    private static Setup of(String name, PluginCatalog plugins, ConfigResult result) throws Failure {
        // No switch over the types: linking one takes longer than reading a configuration.
        if (result instanceof ConfigResult.Invalid invalid) {
            throw new Failure(Exit.PROBLEMS, invalid.text(name));
        }
        return compiled(name, plugins, (ConfigResult.Valid) result);
    }

    private static Setup compiled(String name, PluginCatalog plugins, ConfigResult.Valid valid) throws Failure {
        StringBuilder warnings = new StringBuilder();
        for (Problem warning : valid.warnings()) {
            warnings.append("warning: ").append(warning.text(name)).append('\n');
        }
        try {
            return new Setup(SnapshotCompiler.compile(valid.config(), plugins), warnings.toString(), valid.secrets());
        } catch (SnapshotException e) {
            throw new Failure(
                    Exit.PROBLEMS, valid.secrets().hide(new ConfigResult.Invalid(problems(e, valid), 0).text(name)));
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
