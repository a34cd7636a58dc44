package net.oooops.sigma.cli;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.config.Nearest;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.MissingParameterException;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.OverwrittenOptionException;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Words of a command line that picocli can't read, told as all other wrong usage is: what was typed, and what to type in its place. */
final class Misread {
    private static final String FILE = "-conf";

    /** What other programs call the option for their configuration. */
    private static final Set<String> OF_FILES = Set.of("-c", "-f", "--config", "--config-file", "--file");

    private final CommandSpec spec;
    private final List<String> typed;

    private Misread(CommandSpec spec, String[] typed) {
        this.spec = spec;
        this.typed = List.of(typed);
    }

    /** @param typed the words behind the command */
    static Failure of(ParameterException e, CommandSpec spec, String[] typed) {
        return new Failure(Exit.USAGE, new Misread(spec, typed).text(e));
    }

    private String text(ParameterException e) {
        if (e instanceof UnmatchedArgumentException unmatched) {
            String first = unmatched.getUnmatched().getFirst();
            return first.startsWith("-") && first.length() > 1 ? unknown(first) : tooMany(first);
        }
        if (e instanceof MissingParameterException missing
                && !missing.getMissing().isEmpty()) {
            return missing(missing.getMissing().getFirst());
        }
        if (e instanceof OverwrittenOptionException twice) {
            return name(twice.getOverwritten()) + ": a second time (expected: once)";
        }
        ArgSpec of = e.getArgSpec();
        return of == null ? String.valueOf(e.getMessage()) : unfit(of, e);
    }

    private String unknown(String word) {
        int equals = word.indexOf('=');
        String option = equals < 0 ? word : word.substring(0, equals);
        String nearest = nearest(option);
        String instead =
                nearest == null ? "expected: one of " + String.join(", ", options()) : "did you mean " + nearest + "?";
        return option + ": no option of " + spec.name() + " (" + instead + ")";
    }

    private @Nullable String nearest(String unknown) {
        Set<String> known = spec.optionsMap().keySet();
        if (OF_FILES.contains(unknown) && known.contains(FILE)) {
            return FILE;
        }
        boolean isLong = unknown.startsWith("--");
        String alike = Nearest.of(
                unknown,
                known.stream().filter(each -> each.startsWith("--") == isLong).toList());
        return alike == null ? Nearest.of(unknown, known) : alike;
    }

    /** Each option once, as the documents write it. */
    private List<String> options() {
        List<String> names = new ArrayList<>();
        for (OptionSpec option : spec.options()) {
            names.add(option.names()[0].equals(FILE) ? FILE : option.longestName());
        }
        return names;
    }

    private String tooMany(String word) {
        boolean isFile = word.matches(".*\\.(json|ya?ml)") && spec.optionsMap().containsKey(FILE);
        List<String> places =
                spec.positionalParameters().stream().map(ArgSpec::paramLabel).toList();
        String expected = places.isEmpty() ? "options alone" : String.join(" ", places) + " and options alone";
        return word + ": a word too many for " + spec.name() + " (expected: " + (isFile ? FILE + " " + word : expected)
                + ")";
    }

    private String missing(ArgSpec of) {
        if (of instanceof OptionSpec option) {
            String name = name(option);
            return name + ": nothing behind it (expected: " + name + " " + option.paramLabel() + ")";
        }
        return of.paramLabel() + ": missing (expected: " + String.join(" ", of.description()) + ")";
    }

    /** What an option can't be given, by the words of whoever reads its value. */
    private String unfit(ArgSpec of, ParameterException e) {
        String name = name(of);
        if (of.arity().max() == 0) {
            return name + "=" + e.getValue() + " (expected: " + name + " alone)";
        }
        String expected = e.getCause() instanceof TypeConversionException known
                ? String.valueOf(known.getMessage())
                : of.paramLabel();
        return name + ": " + e.getValue() + " (expected: " + expected + ")";
    }

    /** As it was typed. */
    private String name(ArgSpec of) {
        if (!(of instanceof OptionSpec option)) {
            return of.paramLabel();
        }
        List<String> names = List.of(option.names());
        for (String word : typed) {
            int equals = word.indexOf('=');
            String name = equals < 0 ? word : word.substring(0, equals);
            if (names.contains(name)) {
                return name;
            }
        }
        return option.longestName();
    }
}
