package net.oooops.sigma.cli;

import net.oooops.sigma.config.ConfigReader;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma schema}: the JSON Schema of sigma.json, with those of the plugins in it. */
final class SchemaCommand implements Command {
    @Override
    public CommandSpec spec() {
        return Help.command(
                "schema",
                "Print the JSON Schema of sigma.json.",
                "JSON Schema 2020-12, with the plugins on the class path; for editors to complete and check with.");
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        console.out()
                .println(new ConfigReader(Setup.plugins().schemas())
                        .composedSchema()
                        .stripTrailing());
        return Exit.OK;
    }
}
