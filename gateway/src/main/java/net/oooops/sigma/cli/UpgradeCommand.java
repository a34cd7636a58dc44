package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import net.oooops.sigma.control.socket.Answer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma upgrade}: has this Sigma take the place of one that runs. */
final class UpgradeCommand implements Command {
    private static final String WORD = "upgrade";
    private static final String CONF = "-conf";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = AskedGateway.specWithPatience(
                Wording.duration(Upgrading.LIMIT.toNanos()),
                WORD,
                "Have this Sigma take the place of a running one.",
                "A new process is started with the words that the running one was started with, and gets its sockets.",
                "Once it has answered a request of its own it serves, and the one before ends what it has begun",
                "(timeouts.drain-upgrade). No connection is refused or lost. Where the new process can't start, all",
                "stays as it was.");
        spec.addOption(AskedGateway.chooseByConf());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        Path conf = words.matchedOptionValue(CONF, null);
        AskedGateway found = AskedGateway.of(words, conf);
        AskedGateway gateway =
                words.hasMatchedOption("-timeout") ? found : new AskedGateway(found.presence(), Upgrading.LIMIT);
        Map<String, Object> arguments = new LinkedHashMap<>();
        String launcher = System.getProperty(Upgrading.LAUNCHER);
        if (launcher != null) {
            arguments.put("launcher", launcher);
        }
        Answer answer = gateway.ask(WORD, arguments);
        AskCommand.print(answer, words, console);
        return Exit.OK;
    }
}
