package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Every {@code golden/NAME.txt} is what a terminal shows: a command, what it prints, and its exit code. With {@code -Dgolden.write=true}
 * what is shown is written there instead, to be read before it is committed.
 */
class CommandGoldenTest {
    private static final boolean WRITE = Boolean.getBoolean("golden.write");
    private static final String SOURCES = "src/test/resources/net/oooops/sigma/cli/golden";
    private static final String PROMPT = "$ sigma";
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @TestFactory
    Stream<DynamicTest> commandsPrintAndExitAsExpected() throws IOException {
        return sessions().stream()
                .map(session -> dynamicTest(session.getFileName().toString(), () -> check(session)));
    }

    @Test
    void allCommandsHaveSessions() throws IOException {
        List<String> first = new ArrayList<>();
        for (Path session : sessions()) {
            first.add(words(Files.readAllLines(session).getFirst()).stream()
                    .findFirst()
                    .orElse(""));
        }
        assertThat(first).contains(Commands.words().toArray(String[]::new)).contains("help", "--help", "");
    }

    private static void check(Path session) throws IOException {
        String expected = Files.readString(session);
        String typed = expected.substring(0, expected.indexOf('\n'));
        Shell shell = new Shell();
        String folder = session.getParent() + "/";
        String[] args = words(typed).stream()
                .map(word -> word.matches(".*\\.(json|yaml)") && !word.contains("/") && isFileOption(words(typed), word)
                        ? folder + word
                        : word)
                .toArray(String[]::new);
        int exitCode = Main.execute(alone(args), shell.terminal());
        String shown = typed + "\n" + shell.out().replace(folder, "") + "[exit " + exitCode + "]\n";
        if (WRITE) {
            Files.writeString(Path.of(SOURCES).resolve(session.getFileName()), shown);
            return;
        }
        assertThat(shown).isEqualTo(expected);
    }

    /** Gateways that run on this machine say nothing. */
    private static String[] alone(String[] args) {
        boolean checks = args.length > 0 && args[0].equals("check");
        List<String> words = new ArrayList<>(List.of(args));
        words.addAll(
                checks ? List.of("--run-dir", folder().resolve("no-such-folder").toString()) : List.of());
        return words.toArray(String[]::new);
    }

    /** Whether the word follows an option that takes a file, or a command that does. */
    private static boolean isFileOption(List<String> words, String word) {
        int at = words.indexOf(word);
        return at > 0
                && (List.of("fmt", "check").contains(words.getFirst())
                        || words.get(at - 1).matches("--?(conf|options)"));
    }

    private static List<String> words(String typed) {
        assertThat(typed).startsWith(PROMPT);
        List<String> words = new ArrayList<>();
        Matcher matcher = WORD.matcher(typed.substring(PROMPT.length()));
        while (matcher.find()) {
            words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
        }
        return words;
    }

    private static List<Path> sessions() throws IOException {
        try (Stream<Path> files = Files.list(folder())) {
            return files.filter(file -> file.toString().endsWith(".txt"))
                    .sorted()
                    .toList();
        }
    }

    private static Path folder() {
        try {
            return Path.of(CommandGoldenTest.class.getResource("golden").toURI());
        } catch (URISyntaxException e) {
            throw new AssertionError(e);
        }
    }
}
