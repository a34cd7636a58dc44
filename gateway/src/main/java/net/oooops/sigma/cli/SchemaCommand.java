package net.oooops.sigma.cli;

import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.PluginTrial;
import net.oooops.sigma.plugin.PluginCatalog;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma schema}: the JSON Schema of sigma.json, with those of the plugins in it. */
final class SchemaCommand implements Command {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Help.command(
                "schema",
                "Print the JSON Schema of sigma.json.",
                "JSON Schema 2020-12, with that of all plugins; for editors to complete and check with.");
        spec.addOption(PluginsFolder.option());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        PluginCatalog plugins = PluginsFolder.catalog(PluginsFolder.of(words));
        if (!plugins.problems().isEmpty()) {
            throw new Failure(Exit.PROBLEMS, PluginsFolder.problems(plugins));
        }
        console.err().print(PluginsFolder.warnings(plugins));
        ConfigReader reader = new ConfigReader(plugins.composedSchema(), PluginTrial.NONE);
        console.out().println(reader.composedSchema().stripTrailing());
        return Exit.OK;
    }
}
