package net.oooops.sigma.cli;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** What the commands' descriptions have in common. */
final class Help {
    private Help() {}

    /** The description of {@code sigma} itself. */
    static CommandSpec overall() {
        CommandSpec spec = CommandSpec.create().name("sigma");
        spec.usageMessage()
                .description("An API gateway. Without a configuration, `sigma run` starts one to try.")
                .synopsisSubcommandLabel("COMMAND")
                .footer(exitCodes(
                        "; 3 no gateway is running, where one is asked", "sigma COMMAND --help says more about each."));
        spec.addOption(OptionSpec.builder("-V", "--version")
                .description("Print versions, as `sigma version` does.")
                .build());
        return spec;
    }

    /**
     * A command's description.
     *
     * @param brief one line, also for the list of commands
     * @param more what there is to say besides: one text, which is broken into lines as it is shown
     */
    static CommandSpec command(String word, String brief, String... more) {
        CommandSpec spec = CommandSpec.create().name("sigma " + word);
        spec.usageMessage()
                .header(brief)
                .description(more.length == 0 ? more : new String[] {String.join(" ", more)})
                .footer(exitCodes(""));
        spec.parser().posixClusteredShortOptionsAllowed(false);
        return spec;
    }

    private static String[] exitCodes(String others, String... more) {
        List<String> lines = new ArrayList<>(List.of(more));
        lines.addFirst(
                "%nExit codes: 0 done; 1 problems in the configuration, or the gateway can't start; 2 wrong usage"
                        + others + ".");
        return lines.toArray(String[]::new);
    }

    /** {@code -name} and {@code --name} with one value. */
    static OptionSpec.Builder option(String name, String label) {
        return OptionSpec.builder("-" + name, "--" + name).paramLabel(label).arity("1");
    }

    /** A word at a place of its own. */
    static PositionalParamSpec.Builder word(int index, String label) {
        return PositionalParamSpec.builder()
                .index(String.valueOf(index))
                .paramLabel(label)
                .type(String.class);
    }
}
