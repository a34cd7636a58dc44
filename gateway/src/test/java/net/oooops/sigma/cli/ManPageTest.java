package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code docs/man/sigma.1} has an entry for each command, each option of {@code run} and each signal. */
class ManPageTest {
    private static final Pattern SIGNAL = Pattern.compile("SIG[A-Z]+[12]?");

    private static Path checkout() {
        Path here = Path.of("").toAbsolutePath();
        while (!Files.exists(here.resolve("sigma"))) {
            here = Objects.requireNonNull(here.getParent(), "in no checkout");
        }
        return here;
    }

    /** The terms that are explained, as they are read: without fonts, and with plain dashes. */
    private static List<String> terms() throws IOException {
        List<String> lines = Files.readAllLines(checkout().resolve("docs/man/sigma.1"));
        return lines.stream()
                .filter(line -> line.startsWith(".B"))
                .map(line -> line.replaceAll("^\\.B[IR]? ", "")
                        .replaceAll("\\\\f[A-Z]", "")
                        .replace("\\-", "-"))
                .toList();
    }

    private static boolean begins(String term, String word) {
        return term.equals(word) || term.startsWith(word + " ");
    }

    @Test
    void everyCommandIsThere() throws IOException {
        List<String> terms = terms();
        for (String word : Commands.words()) {
            assertThat(terms).as(word).anyMatch(term -> begins(term, word));
        }
    }

    @Test
    void everyOptionOfRunIsThere() throws IOException {
        List<String> terms = terms();
        Commands.RUN.make().spec().options().stream()
                .filter(option -> !option.longestName().equals("--help"))
                .forEach(option -> assertThat(terms)
                        .as(option.longestName())
                        .anyMatch(term -> List.of(option.names()).stream().anyMatch(name -> begins(term, name))));
    }

    @Test
    void everySignalOfTheGuideIsThere() throws IOException {
        List<String> terms = terms();
        List<String> rows = Files.readAllLines(checkout().resolve("docs/guide/operating.md")).stream()
                .filter(line -> line.startsWith("| SIG"))
                .toList();
        assertThat(rows).hasSizeGreaterThanOrEqualTo(4);
        for (String row : rows) {
            String cell = row.substring(0, row.indexOf('|', 1));
            for (MatchResult signal : SIGNAL.matcher(cell).results().toList()) {
                assertThat(terms).as(signal.group()).anyMatch(term -> term.contains(signal.group()));
            }
        }
    }
}
