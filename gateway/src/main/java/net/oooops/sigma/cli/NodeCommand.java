package net.oooops.sigma.cli;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.NodeConfig;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma drain}, {@code weight}, {@code eject} and {@code restore}: what a gateway gives one of its nodes. */
final class NodeCommand extends AskCommand {
    private static final String LABEL = "NODE";
    private static final String EXPECTED =
            "host:port of a node, or its host for all of its ports, or upstream/host:port for one upstream alone";
    private static final String UPSTREAM = "-upstream";
    private static final String WEIGHT = "N";
    private static final String EVERYWHERE = "Holds in every upstream that has the node, and says in which.";

    private final boolean weighs;

    private NodeCommand(boolean weighs, String word, String brief, String... more) {
        super(word, brief, more);
        this.weighs = weighs;
    }

    static Command drain() {
        return new NodeCommand(
                false,
                "drain",
                "Have a running gateway give a node nothing new.",
                "What is under way there goes on. `sigma restore` ends it.",
                EVERYWHERE);
    }

    static Command weight() {
        return new NodeCommand(true, "weight", "Have a running gateway give a node another share.", EVERYWHERE);
    }

    static Command eject() {
        return new NodeCommand(
                false, "eject", "Have a running gateway leave a node alone.", "`sigma restore` ends it.", EVERYWHERE);
    }

    static Command restore() {
        return new NodeCommand(
                false,
                "restore",
                "Have a running gateway use a node again, as its configuration says.",
                "What was said of one that isn't there by now is taken back.",
                EVERYWHERE);
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = super.spec();
        spec.addOption(Help.option("upstream", "ID")
                .type(String.class)
                .description("The one upstream in which it is meant. Without: every one that has it.")
                .build());
        return spec;
    }

    @Override
    List<PositionalParamSpec> positions() {
        PositionalParamSpec node = needed(
                0,
                LABEL,
                "Its host:port, or its host for all of its ports; upstream/host:port for one upstream alone.");
        return weighs ? List.of(node, needed(1, WEIGHT, "Its share, beside those of the others.")) : List.of(node);
    }

    @Override
    Map<String, Object> arguments(ParseResult words) throws Failure {
        Map<String, Object> arguments = new LinkedHashMap<>();
        String typed = word(words, 0, LABEL, EXPECTED);
        int slash = typed.lastIndexOf('/');
        String node = typed.substring(slash + 1);
        if (typed.contains("://")) {
            String bare = typed.substring(typed.indexOf("://") + 3).replaceFirst("/.*", "");
            throw new Failure(
                    Exit.USAGE,
                    LABEL + ": " + typed + " (expected: " + EXPECTED + ", without a scheme; did you mean " + bare
                            + "?)");
        }
        if (slash == 0 || !node.matches("(\\[[^\\[\\]]+]|[^:\\[\\]]+)(:[0-9]{1,5})?")) {
            throw new Failure(Exit.USAGE, LABEL + ": " + typed + " (expected: " + EXPECTED + ")");
        }
        arguments.put("node", node);
        String upstream = words.matchedOptionValue(UPSTREAM, slash > 0 ? typed.substring(0, slash) : null);
        if (slash > 0 && words.hasMatchedOption(UPSTREAM)) {
            throw new Failure(
                    Exit.USAGE, LABEL + ": " + typed + " beside --upstream " + upstream + " (expected: one of both)");
        }
        if (upstream != null) {
            arguments.put("upstream", upstream);
        }
        if (weighs) {
            String weight = word(words, 1, WEIGHT, "the node's weight");
            arguments.put("weight", number(WEIGHT, weight, 0, NodeConfig.WEIGHT_MAX));
        }
        return arguments;
    }
}
