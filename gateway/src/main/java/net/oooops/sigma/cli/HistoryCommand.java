package net.oooops.sigma.cli;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma history [N]}: the configurations that a gateway had, or what one of them changed. */
final class HistoryCommand extends AskCommand {
    private static final String LABEL = "N";

    HistoryCommand() {
        super(
                "history",
                "List the configurations that a gateway had, or say what one changed.",
                "Each with its number, for `sigma rollback`, when it took effect, and who had it do so. With a number: what that one",
                "changed against the one before, by name, as `sigma diff` says it. No value is shown.");
    }

    @Override
    List<PositionalParamSpec> positions() {
        return List.of(needed(0, LABEL, "The number of the configuration to say that of. Without: all are listed."));
    }

    @Override
    Map<String, Object> arguments(ParseResult words) throws Failure {
        String typed = words.matchedPositionalValue(0, null);
        return typed == null ? Map.of() : Map.of("number", number(LABEL, typed, 1, RollbackCommand.NUMBER_MAX));
    }
}
