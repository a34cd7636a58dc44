package net.oooops.sigma.cli;

import net.oooops.sigma.admin.Versions;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.plugin.jars.DropIn;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma version}. */
final class VersionCommand implements Command {
    @Override
    public CommandSpec spec() {
        CommandSpec spec = Help.command(
                "version",
                "Print the versions of Sigma and of what it runs on.",
                "With --plugins, also the plugins of that folder and where they are from.");
        spec.addOption(PluginsFolder.option());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        Versions versions = Versions.read();
        console.out()
                .println("sigma " + versions.sigma() + " (JDK " + Versions.jdk() + ", Netty " + versions.netty()
                        + ", Vert.x " + versions.vertx() + ")");
        PluginCatalog plugins = PluginsFolder.catalog(PluginsFolder.of(words));
        for (DropIn each : plugins.dropIns().all()) {
            console.out().println("  plugins     " + PluginsFolder.text(each));
        }
        if (!plugins.problems().isEmpty()) {
            throw new Failure(Exit.PROBLEMS, PluginsFolder.problems(plugins));
        }
        return Exit.OK;
    }
}
