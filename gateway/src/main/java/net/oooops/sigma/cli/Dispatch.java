package net.oooops.sigma.cli;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.config.Nearest;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

/** Finds the command that is meant and has picocli read its words. */
final class Dispatch {
    private static final String HELP = "help";
    private static final int HELP_COLUMNS = 110;

    private Dispatch() {}

    /** What is typed for programs that are called in another way, and the command that does it here. */
    private static final Map<String, String> FOREIGN = Map.ofEntries(
            Map.entry("start", "run"),
            Map.entry("serve", "run"),
            Map.entry("validate", "check"),
            Map.entry("test", "check"),
            Map.entry("restart", "reload, upgrade, or \"systemctl restart\" of the unit"),
            Map.entry("quit", "stop"),
            Map.entry("shutdown", "stop"),
            Map.entry("-t", "check -conf FILE"),
            Map.entry("-T", "check -conf FILE"),
            Map.entry("-c", "run -conf FILE"),
            Map.entry("-f", "run -conf FILE"),
            Map.entry("-conf", "run -conf FILE"),
            Map.entry("--conf", "run -conf FILE"),
            Map.entry("--config", "run -conf FILE"),
            Map.entry("-s", "reload"));

    /** Does what the command line says; as {@link Main#execute}. */
    static int execute(String[] args, Console console) {
        String[] words = helpLast(args);
        Commands named = words.length == 0 ? null : Commands.of(words[0]);
        if (named != null) {
            return execute(named.make(), Arrays.copyOfRange(words, 1, words.length), console);
        }
        if (words.length > 0 && !words[0].startsWith("-")) {
            List<String> known = Commands.words();
            String nearest = FOREIGN.getOrDefault(words[0], Nearest.of(words[0], known));
            String meant = nearest == null ? "" : "; did you mean " + nearest + "?";
            return new Failure(
                            Exit.USAGE,
                            "command: " + words[0] + " (expected: one of " + String.join(", ", known) + meant + ")")
                    .report("sigma", console);
        }
        String command = words.length == 0 ? null : FOREIGN.get(words[0]);
        if (command != null) {
            return new Failure(
                            Exit.USAGE,
                            words[0] + " (expected: a command before options; did you mean sigma " + command + "?)")
                    .report("sigma", console);
        }
        return executeOverall(words, console);
    }

    /** {@code sigma help run} is {@code sigma run --help}. */
    private static String[] helpLast(String[] args) {
        if (args.length == 0 || !args[0].equals(HELP)) {
            return args;
        }
        return args.length == 1 ? new String[] {"--help"} : new String[] {args[1], "--help"};
    }

    static int execute(Command command, String[] words, Console console) {
        CommandLine line = commandLine(command.spec());
        String name = line.getCommandSpec().name();
        try {
            ParseResult parsed = parse(line, words);
            if (parsed.isUsageHelpRequested()) {
                line.usage(console.out());
                return Exit.OK;
            }
            return command.run(parsed, console);
        } catch (Failure e) {
            return e.report(name, console);
        }
    }

    /** {@code sigma} without a command. */
    private static int executeOverall(String[] words, Console console) {
        CommandLine line = commandLine(Help.overall());
        for (Commands each : Commands.values()) {
            line.addSubcommand(each.word(), each.make().spec());
        }
        try {
            ParseResult parsed = parse(line, words);
            if (parsed.isUsageHelpRequested()) {
                line.usage(console.out());
                return Exit.OK;
            }
            if (parsed.hasMatchedOption("--version")) {
                return execute(Commands.VERSION.make(), new String[0], console);
            }
            line.usage(console.err());
            return Exit.USAGE;
        } catch (Failure e) {
            return e.report("sigma", console);
        }
    }

    private static CommandLine commandLine(CommandSpec spec) {
        spec.addOption(OptionSpec.builder("-h", "--help", "-help")
                .usageHelp(true)
                .description("Print this help.")
                .build());
        CommandLine line = new CommandLine(spec);
        line.setUsageHelpWidth(HELP_COLUMNS);
        return line;
    }

    private static ParseResult parse(CommandLine line, String[] words) throws Failure {
        try {
            return line.parseArgs(words);
        } catch (ParameterException e) {
            throw Misread.of(e, line.getCommandSpec(), words);
        }
    }
}
