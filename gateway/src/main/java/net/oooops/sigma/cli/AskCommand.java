package net.oooops.sigma.cli;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.control.socket.Answer;
import net.oooops.sigma.control.socket.PlainJson;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParseResult;

/** A command that asks a running gateway one thing and prints what it answers. */
class AskCommand implements Command {
    private static final String CONF = "-conf";

    private final String word;
    private final String brief;
    private final List<String> more;

    /**
     * @param word of the command, which the gateway knows it by, too
     * @param brief one line for the list of commands
     * @param more what there is to say besides
     */
    AskCommand(String word, String brief, String... more) {
        this.word = word;
        this.brief = brief;
        this.more = List.of(more);
    }

    static Command status() {
        return new AskCommand(
                "status",
                "Say how a running gateway stands.",
                "Its version and process, which configuration holds since when, where it listens, how many connections",
                "are open, which processes still drain after an upgrade, and how its nodes stand.");
    }

    static Command reload() {
        return new AskCommand(
                "reload",
                "Have a running gateway take its changed configuration.",
                "Waits until it holds, and says what has changed.");
    }

    @Override
    public CommandSpec spec() {
        CommandSpec spec = AskedGateway.spec(word, brief, more.toArray(String[]::new));
        spec.addOption(AskedGateway.chooseByConf());
        for (PositionalParamSpec each : positions()) {
            spec.addPositional(each);
        }
        return spec;
    }

    /** The words that it takes. */
    List<PositionalParamSpec> positions() {
        return List.of();
    }

    /** What the gateway is asked with, of the words that were typed. */
    Map<String, Object> arguments(ParseResult words) throws Failure {
        return new LinkedHashMap<>();
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        Map<String, Object> arguments = arguments(words);
        Path conf = words.matchedOptionValue(CONF, null);
        print(AskedGateway.of(words, conf).ask(word, arguments), words, console);
        return Exit.OK;
    }

    /** Prints an answer as it was asked for. */
    static void print(Answer answer, ParseResult words, Console console) {
        boolean json = words.hasMatchedOption("-json");
        console.out().print(json ? PlainJson.text(answer.json()) : lines(answer.text()));
        console.out().flush();
    }

    private static String lines(String text) {
        return text.isEmpty() || text.endsWith("\n") ? text : text + "\n";
    }

    /** A word that has to be there. */
    static PositionalParamSpec needed(int index, String label, String description) {
        return Help.word(index, label).arity("0..1").description(description).build();
    }

    /** What was typed there. Not left to picocli, which would report that it is missing before an option that it doesn't know. */
    static String word(ParseResult words, int index, String label, String expected) throws Failure {
        String found = words.matchedPositionalValue(index, null);
        if (found == null) {
            throw new Failure(Exit.USAGE, label + ": missing (expected: " + expected + ")");
        }
        return found;
    }

    /** A whole number, with at most nine digits. */
    static int number(String label, String text, int least, int most) throws Failure {
        int number = text.matches("[0-9]{1,9}") ? Integer.parseInt(text) : -1;
        if (number < least || number > most) {
            throw new Failure(
                    Exit.USAGE, label + ": " + text + " (expected: a whole number, " + least + " to " + most + ")");
        }
        return number;
    }
}
