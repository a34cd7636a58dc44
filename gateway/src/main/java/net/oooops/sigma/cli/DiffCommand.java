package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma diff -conf NEW}: what would change. */
final class DiffCommand implements Command {
    private static final String WORD = "diff";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = AskedGateway.spec(
                WORD,
                "Say what a configuration would change in a running gateway.",
                "By name: listeners, routers, routes, upstreams and their nodes, plugins, certificates, settings, and which of",
                "these take a restart. Nothing is changed, and no value is shown.");
        spec.addOption(Help.option("conf", "NEW")
                .type(Path.class)
                .description("The sigma.json to compare with what the gateway runs.")
                .build());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        Path file = words.matchedOptionValue("-conf", null);
        if (file == null) {
            throw new Failure(Exit.USAGE, "-conf NEW: missing (expected: the configuration to compare with)");
        }
        Setup.requireFile("-conf", file);
        Map<String, Object> arguments =
                Map.of("conf", file.toAbsolutePath().normalize().toString());
        AskCommand.print(AskedGateway.of(words, null).ask(WORD, arguments), words, console);
        return Exit.OK;
    }
}
