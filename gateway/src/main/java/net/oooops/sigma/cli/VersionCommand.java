package net.oooops.sigma.cli;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma version}. */
final class VersionCommand implements Command {
    @Override
    public CommandSpec spec() {
        return Help.command("version", "Print the versions of Sigma and of what it runs on.");
    }

    @Override
    public int run(ParseResult words, Console console) {
        Versions versions = Versions.read();
        console.out()
                .println("sigma " + versions.sigma() + " (JDK "
                        + Runtime.version().toString().replaceAll("[+-].*", "") + ", Netty " + versions.netty()
                        + ", Vert.x " + versions.vertx() + ")");
        return Exit.OK;
    }
}
