package net.oooops.sigma.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma log-level LEVEL [LOGGER]}: how much a running gateway's own log says. */
final class LogLevelCommand extends AskCommand {
    LogLevelCommand() {
        super(
                "log-level",
                "Say, or set, how much a running gateway logs.",
                "Holds until the gateway ends. Without a level it prints those that are set.");
    }

    @Override
    List<PositionalParamSpec> positions() {
        return List.of(
                needed(
                        0,
                        "LEVEL",
                        "OFF, ERROR, WARN, INFO, DEBUG or TRACE; or default, which takes back what was set."),
                needed(
                        1,
                        "LOGGER",
                        "A class or a package, such as net.oooops.sigma.upstream. Without: all that have no level of their own."));
    }

    @Override
    Map<String, Object> arguments(ParseResult words) {
        Map<String, Object> arguments = new LinkedHashMap<>();
        String level = words.matchedPositionalValue(0, null);
        String logger = words.matchedPositionalValue(1, null);
        if (level != null) {
            arguments.put("level", level);
        }
        if (logger != null) {
            arguments.put("logger", logger);
        }
        return arguments;
    }
}
