package net.oooops.sigma.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.plugin.jars.DropIn;
import net.oooops.sigma.plugin.jars.DropIns;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * The option {@code --plugins}, and the variable that takes its place: the folder of jars with plugins. Never one that is merely there, nor one that sigma.json names:
 * who may write a configuration is not who may have the gateway run code.
 */
final class PluginsFolder {
    /** What is taken where nothing is said on the command line, of the environment. */
    static final String VARIABLE = "SIGMA_PLUGINS";

    private static final String OPTION = "--plugins";

    private PluginsFolder() {}

    static OptionSpec option() {
        return Help.option("plugins", "DIR")
                .type(Path.class)
                .description(
                        "The folder with plugins that aren't built in: each NAME.jar, or NAME/*.jar for one with its libraries."
                                + " Without: " + VARIABLE + " of the environment, or none.")
                .build();
    }

    /** The folder that is named; null where none is. */
    static @Nullable Path of(ParseResult words) {
        return words.matchedOptionValue("-plugins", null);
    }

    /**
     * The plugins of the class path, and of that folder. What is wrong with its jars is among their problems.
     *
     * @param said on the command line
     * @throws Failure where the folder can't be had at all
     */
    static PluginCatalog catalog(@Nullable Path said) throws Failure {
        return catalog(said, System.getenv(VARIABLE));
    }

    static PluginCatalog catalog(@Nullable Path said, @Nullable String variable) throws Failure {
        PluginCatalog onClassPath = onClassPath();
        if (said != null && said.toString().isEmpty()) {
            // Else it would be the working directory, whose jars nobody named: of a script whose variable isn't set.
            throw new Failure(Exit.USAGE, OPTION + ": an empty name (expected: a folder with jars)");
        }
        String by = said == null ? VARIABLE : OPTION;
        Path folder = said != null || variable == null || variable.isEmpty() ? said : Path.of(variable);
        if (folder == null) {
            return onClassPath;
        }
        if (System.getProperty(Main.BINARY) != null) {
            throw new Failure(
                    Exit.USAGE,
                    by + " " + folder
                            + ": this is a native binary, which loads no jar (expected: the launcher or the jar of Sigma,"
                            + " or a binary built with these plugins, -Dsigma.plugins)");
        }
        if (!Files.isDirectory(folder)) {
            throw new Failure(
                    Exit.USAGE,
                    by + " " + folder + ": " + (Files.exists(folder) ? "no folder" : "no such folder")
                            + " (expected: a folder with jars)");
        }
        return onClassPath.with(DropIns.read(folder));
    }

    private static PluginCatalog onClassPath() throws Failure {
        try {
            return new PluginCatalog(PluginsFolder.class.getClassLoader());
        } catch (IllegalStateException e) {
            throw new Failure(Exit.PROBLEMS, String.valueOf(e.getMessage()));
        }
    }

    /** What is wrong with jars, a line each. */
    static String problems(PluginCatalog plugins) {
        return lines("", plugins.problems());
    }

    /** What is to be said of plugins where all goes on, a line each. */
    static String warnings(PluginCatalog plugins) {
        return lines("warning: ", plugins.dropIns().warnings())
                + lines(
                        "warning: ",
                        plugins.composedSchema().unusable().values().stream()
                                .map(each -> each + "; it can't be used (expected: a schema that Sigma knows)")
                                .toList());
    }

    private static String lines(String before, List<String> all) {
        StringBuilder lines = new StringBuilder();
        for (String each : all) {
            lines.append(before).append(each).append('\n');
        }
        return lines.toString();
    }

    /** {@code request-id, slow-lookup (plugins/request-id.jar)}. */
    static String text(DropIn of) {
        return String.join(", ", of.names()) + " (" + of.place() + ")";
    }
}
