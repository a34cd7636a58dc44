package net.oooops.sigma.cli;

import java.util.List;
import java.util.Map;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma rollback N}: an earlier configuration once more. */
final class RollbackCommand extends AskCommand {
    private static final String LABEL = "N";

    /** A configuration has no higher number. */
    static final int NUMBER_MAX = 999_999_999;

    RollbackCommand() {
        super(
                "rollback",
                "Have a running gateway take an earlier configuration.",
                "The files of it stay as they are: the next reload takes what stands there.");
    }

    @Override
    List<PositionalParamSpec> positions() {
        return List.of(needed(0, LABEL, "The number of the configuration, as `sigma history` lists it."));
    }

    @Override
    Map<String, Object> arguments(ParseResult words) throws Failure {
        String typed = word(words, 0, LABEL, "the number of a configuration, as `sigma history` lists it");
        return Map.of("number", number(LABEL, typed, 1, NUMBER_MAX));
    }
}
