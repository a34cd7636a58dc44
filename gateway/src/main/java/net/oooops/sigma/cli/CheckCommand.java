package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.List;
import net.oooops.sigma.config.BoltListenerConfig;
import net.oooops.sigma.config.BoltRouteConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.control.socket.RunFolder;
import net.oooops.sigma.plugin.PluginCatalog;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma check}: every problem of a configuration at once. */
final class CheckCommand implements Command {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Help.command(
                "check",
                "Check a configuration.",
                "Prints every problem, with line, column, JSON pointer, what stands there, what was expected and the nearest",
                "known name. Plugins are made with their settings, and the folder of the access log is looked at; nothing is started.",
                "Where one gateway runs, settings are named that it takes by no reload.");
        spec.addOption(Conf.option("The sigma.json to check."));
        spec.addPositional(Help.word(0, "FILE")
                .arity("0..1")
                .required(false)
                .type(Path.class)
                .auxiliaryTypes(Path.class)
                .description("The same as -conf FILE.")
                .build());
        spec.addOption(OptionsFile.option());
        spec.addOption(PluginsFolder.option());
        spec.addOption(AskedGateway.runDir().build());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        List<Path> named = Conf.of(words);
        Path alone = words.matchedPositionalValue(0, null);
        if (alone != null && !named.isEmpty()) {
            throw new Failure(Exit.USAGE, "FILE: " + alone + " beside -conf (expected: one of them)");
        }
        List<Path> files = alone == null ? named : List.of(alone);
        if (files.isEmpty()) {
            // Not left to picocli, which would report this before an option that it doesn't know.
            throw new Failure(Exit.USAGE, "-conf FILE: missing (expected: the configuration to check)");
        }
        StringBuilder problems = new StringBuilder();
        SigmaConfig valid = null;
        Path options = words.matchedOptionValue("-options", null);
        try (FilesOfStart reading = FilesOfStart.told("the check")) {
            OptionsFile.of(options, OptionsFile.bytes(options, reading));
        } catch (Failure e) {
            problems.append(problemsOf(e));
        }
        try (FilesOfStart reading = FilesOfStart.told("the check")) {
            PluginCatalog plugins = PluginsFolder.catalog(PluginsFolder.of(words));
            Setup setup = Setup.readToCheck(Conf.written(files, console.in()), plugins, reading);
            setup.snapshot().close();
            console.err().print(setup.warnings());
            console.out().println(Conf.name(files) + ": valid — " + counts(setup.config()));
            valid = setup.config();
        } catch (Failure e) {
            problems.append(problemsOf(e));
        }
        if (!problems.isEmpty()) {
            throw new Failure(Exit.PROBLEMS, problems.toString());
        }
        if (valid != null && !Conf.isWithInput(files)) {
            RunFolder folder = AskedGateway.folder(words.matchedOptionValue("-run-dir", null));
            console.err().print(RestartNote.of(valid.runtime(), folder));
        }
        return Exit.OK;
    }

    /** What one file's problems are; wrong usage is no problem of a file. */
    private static String problemsOf(Failure e) throws Failure {
        if (e.exitCode() != Exit.PROBLEMS) {
            throw e;
        }
        return e.text();
    }

    /** {@code 1 listener, 2 routers, 5 routes, 1 upstream}. */
    static String counts(SigmaConfig config) {
        int routes = config.routers().stream()
                .mapToInt(router -> router.routes().size())
                .sum();
        int routers = config.routers().size();
        for (BoltListenerConfig listener : config.bolt().listeners()) {
            routes += listener.routes().size();
            routers += (int) listener.routes().stream()
                    .map(BoltRouteConfig::routerId)
                    .distinct()
                    .count();
        }
        return String.join(
                ", ",
                Wording.count(config.allListeners().size(), "listener"),
                Wording.count(routers, "router"),
                Wording.count(routes, "route"),
                Wording.count(config.upstreams().size(), "upstream"));
    }
}
