package net.oooops.sigma.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma run}, as it is described and as picocli reads it; the usual words are read by {@link RunWords} alone. */
final class RunCommand implements Command {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Help.command(
                "run",
                "Run the gateway.",
                "Ctrl-C and SIGTERM end it: requests in flight may end first (timeouts.drain), the exit code is 0. SIGHUP has it read",
                "its configuration again, as `sigma reload` does; where its terminal was closed, it ends.",
                "A second Ctrl-C ends it at once, with 130. With --to it needs no file: it runs what `sigma init` would write.");
        spec.addPositional(Help.word(0, "VERTICLE")
                .arity("0..1")
                .description(RunWords.VERTICLE + "; may be left out.")
                .build());
        spec.addOption(Conf.option("The sigma.json to run. Without: the gateway on " + Embedded.PORT
                + " and a built-in upstream on " + Embedded.UPSTREAM_PORT
                + " to try it with (other ports where these are taken)."));
        FirstWords.addTo(spec);
        spec.addOption(OptionsFile.option());
        spec.addOption(PluginsFolder.option());
        spec.addOption(OptionSpec.builder("-instance", "-instances", "--instance", "--instances")
                .type(Integer.class)
                .converters(RunWords::instances)
                .paramLabel("N")
                .arity("1")
                .description("Number of Workers, one event loop each. Without: " + OptionsFile.EVENT_LOOPS
                        + " of the options file, or one per core.")
                .build());
        spec.addOption(AskedGateway.runDir()
                .description(
                        "The folder of the socket that `sigma status` and others ask through. Without: $XDG_RUNTIME_DIR/sigma,"
                                + " or /run/sigma of root, or ~/.sigma/run.")
                .build());
        spec.addOption(OptionSpec.builder("-watch", "--watch")
                .description("Read the configuration again whenever its files have changed.")
                .build());
        spec.addOption(LogFormat.option());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) {
        return Run.ofProcess(RunWords.of(words), console);
    }
}
