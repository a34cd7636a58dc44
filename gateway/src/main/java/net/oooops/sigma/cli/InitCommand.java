package net.oooops.sigma.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/** {@code sigma init}: a first sigma.json, from options or from the answers to three questions. */
final class InitCommand implements Command {
    private static final String OUT_DEFAULT = "sigma.json";
    private static final Pattern BETWEEN = Pattern.compile("[,\\s]+");

    @Override
    public CommandSpec spec() {
        CommandSpec spec = Help.command(
                "init",
                "Write a first configuration.",
                "At a terminal, and without --to, it asks where requests go, for which host, and on which port.",
                "`sigma run --to` runs the same without a file.");
        FirstWords.addTo(spec);
        spec.addOption(Help.option("out", "FILE")
                .type(Path.class)
                .description("The file to write. Without: " + OUT_DEFAULT + ".")
                .build());
        spec.addOption(OptionSpec.builder("-force", "--force")
                .description("Write it also where there is one, whose content is lost.")
                .build());
        return spec;
    }

    @Override
    public int run(ParseResult words, Console console) throws Failure {
        Path out = words.matchedOptionValue("-out", Path.of(OUT_DEFAULT));
        boolean force = words.hasMatchedOption("-force");
        requireFree(out, force);
        FirstWords first = FirstWords.of(words);
        FirstConfig config = first.to().isEmpty() && console.interactive().getAsBoolean()
                ? new Questions(console).ask(first)
                : FirstConfig.of(first);
        String json = config.json();
        // What is wrong beyond each word, two spellings of one node for example, is told before anything is written.
        Setup setup =
                Setup.read(FirstConfig.NAME, json.getBytes(StandardCharsets.UTF_8), PluginsFolder.catalog(null, null));
        setup.snapshot().close();
        console.err().print(setup.warnings());
        write(out, json, force);
        console.out().println(out + ": written — " + config.routing() + ", on port " + config.port());
        console.out().println("next: ./sigma run -conf " + out);
        return Exit.OK;
    }

    private static void requireFree(Path out, boolean force) throws Failure {
        Path folder = out.toAbsolutePath().getParent();
        if (Files.isDirectory(out)) {
            throw new Failure(Exit.USAGE, "--out " + out + ": a folder (expected: the name of a file)");
        }
        if (Files.exists(out, LinkOption.NOFOLLOW_LINKS) && !force) {
            throw taken(out);
        }
        if (folder != null && !Files.isDirectory(folder)) {
            throw new Failure(
                    Exit.USAGE,
                    "--out " + out + ": no folder " + folder + " (expected: a file in a folder that is there)");
        }
    }

    private static Failure taken(Path out) {
        return new Failure(
                Exit.USAGE,
                out + ": is there already (expected: --out FILE with another name, or --force to lose what is in it)");
    }

    private static void write(Path out, String json, boolean force) throws Failure {
        try {
            if (force && Files.exists(out)) {
                WholeFile.replace(out, json);
            } else {
                WholeFile.create(out, json);
            }
        } catch (FileAlreadyExistsException e) {
            throw taken(out);
        } catch (IOException e) {
            throw new Failure(
                    Exit.PROBLEMS,
                    out + ": can't be written, " + why(e)
                            + " (expected: --out FILE with a name that this user may write, or another working folder)");
        }
    }

    private static String why(IOException e) {
        if (e instanceof AccessDeniedException) {
            return "as this user may not";
        }
        return e instanceof FileSystemException known && known.getReason() != null ? known.getReason() : e.toString();
    }

    /** Asks for what options don't say, until each answer makes sense. */
    private static final class Questions {
        private final Console console;
        private final BufferedReader answers;

        Questions(Console console) {
            this.console = console;
            this.answers = new BufferedReader(new InputStreamReader(console.in(), StandardCharsets.UTF_8));
        }

        /** What becomes of an answer; null where it makes no sense. */
        private interface Reading<T> {
            T read(String answer) throws Failure;
        }

        FirstConfig ask(FirstWords given) throws Failure {
            List<String> nodes = ask(
                    "Where do requests go, such as http://127.0.0.1:3000? ",
                    answer -> FirstConfig.of(new FirstWords(several(answer), List.of(), null))
                            .nodes());
            FirstConfig known = FirstConfig.of(new FirstWords(nodes, given.hosts(), given.port()));
            List<String> hosts = given.hosts();
            if (hosts.isEmpty() && known.isHttp()) {
                hosts = ask(
                        "For which host, such as shop.example.com (empty: any)? ",
                        answer -> FirstConfig.hosts(several(answer)));
            }
            int port = given.port() != null
                    ? known.port()
                    : ask(
                            "On which port (empty: " + FirstConfig.PORT_DEFAULT + ")? ",
                            answer -> FirstConfig.port(answer.isEmpty() ? null : answer));
            return FirstConfig.of(new FirstWords(nodes, hosts, String.valueOf(port)));
        }

        private static List<String> several(String answer) {
            return answer.isEmpty() ? List.of() : BETWEEN.splitAsStream(answer).toList();
        }

        private <T> T ask(String question, Reading<T> reading) throws Failure {
            while (true) {
                console.out().print(question);
                console.out().flush();
                String answer = line();
                if (answer == null) {
                    throw new Failure(Exit.USAGE, "\nno answer: nothing is written");
                }
                try {
                    return reading.read(answer.strip());
                } catch (Failure e) {
                    console.err().print(e.text());
                }
            }
        }

        private @Nullable String line() throws Failure {
            try {
                return answers.readLine();
            } catch (IOException e) {
                throw new Failure(Exit.PROBLEMS, "standard input: " + e);
            }
        }
    }
}
