package net.oooops.sigma.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.config.ConfigReader;
import net.oooops.sigma.config.JsonFormat;
import net.oooops.sigma.config.Problem;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma fmt}: a sigma.json written as one would write it, with all that stands in it. */
final class FmtCommand implements Command {
    private static final String STANDARD_INPUT = "-";

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Help.command(
                "fmt",
                "Format a configuration.",
                "Two spaces for each level. An object or array that was on one line stays on one where that ends within 120",
                "columns; any other has a line for each entry. Keys, values and comments stay as they are, in their order.",
                "A file is written in one piece, or, where it isn't JSON, left as it is.");
        spec.addPositional(Help.word(0, "FILE")
                .index("0..*")
                .arity("0..*")
                .type(List.class)
                .auxiliaryTypes(String.class)
                .description(
                        "The files to format; " + STANDARD_INPUT + " reads standard input and writes standard output.")
                .build());
        spec.addOption(OptionSpec.builder("-check", "--check")
                .description(
                        "Write nothing; name the files that aren't formatted, and exit with 1 where there are any.")
                .build());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        List<String> files = words.matchedPositionalValue(0, List.of());
        if (files.isEmpty()) {
            throw new Failure(
                    Exit.USAGE,
                    "FILE: missing (expected: the file to format, or " + STANDARD_INPUT + " for standard input)");
        }
        for (String file : files) {
            requireJson(file);
        }
        boolean check = words.hasMatchedOption("-check");
        int exitCode = Exit.OK;
        for (String file : files) {
            boolean done = file.equals(STANDARD_INPUT)
                    ? formatInput(check, console)
                    : formatFile(Path.of(file), check, console);
            exitCode = done ? exitCode : Exit.PROBLEMS;
        }
        return exitCode;
    }

    private static void requireJson(String file) throws Failure {
        if (file.equals(STANDARD_INPUT)) {
            return;
        }
        Setup.requireFile("FILE", Path.of(file));
        String name = file.toLowerCase(Locale.ROOT);
        if (name.endsWith(".yaml") || name.endsWith(".yml")) {
            throw new Failure(Exit.USAGE, "FILE " + file + ": YAML (expected: a file of JSON; only that is formatted)");
        }
    }

    private static boolean formatInput(boolean check, Console console) throws Failure {
        byte[] written;
        try {
            written = console.in().readNBytes(ConfigReader.FILE_BYTES_MAX + 1);
        } catch (IOException e) {
            throw new Failure(Exit.PROBLEMS, "standard input: " + e);
        }
        return switch (JsonFormat.format(written)) {
            case JsonFormat.Refused refused -> report(refused, "standard input", console);
            case JsonFormat.Formatted formatted -> {
                if (!check) {
                    console.out().print(formatted.text());
                    console.out().flush();
                }
                yield !check || told(formatted, "standard input", console);
            }
        };
    }

    private static boolean formatFile(Path file, boolean check, Console console) throws Failure {
        byte[] written;
        try (FilesOfStart reading = FilesOfStart.told("fmt")) {
            written = reading.bytes(file, ConfigReader.FILE_BYTES_MAX);
        } catch (IOException e) {
            throw new Failure(Exit.PROBLEMS, file + ": can't be formatted: " + e);
        }
        try {
            return switch (JsonFormat.format(written)) {
                case JsonFormat.Refused refused -> report(refused, String.valueOf(file), console);
                case JsonFormat.Formatted formatted -> {
                    if (check) {
                        yield told(formatted, String.valueOf(file), console);
                    }
                    write(file, formatted, console);
                    yield true;
                }
            };
        } catch (IOException e) {
            throw new Failure(Exit.PROBLEMS, file + ": can't be formatted: " + e);
        }
    }

    private static void write(Path file, JsonFormat.Formatted formatted, Console console) throws IOException, Failure {
        if (formatted.same()) {
            return;
        }
        if (!Files.isWritable(file)) {
            throw new Failure(Exit.PROBLEMS, file + ": may not be written (expected: a file that can be)");
        }
        WholeFile.replace(file, formatted.text());
        console.out().println(file + ": formatted");
    }

    /** Whether it was formatted; tells that it wasn't. */
    private static boolean told(JsonFormat.Formatted formatted, String name, Console console) {
        if (!formatted.same()) {
            console.err().println(name + ": not formatted");
        }
        return formatted.same();
    }

    private static boolean report(JsonFormat.Refused refused, String name, Console console) {
        for (Problem problem : refused.problems()) {
            console.err().println(problem.text(name));
        }
        return false;
    }
}
