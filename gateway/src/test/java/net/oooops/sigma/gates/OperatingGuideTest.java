package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import org.junit.jupiter.api.Test;

/** {@code docs/guide/operating.md} has a line for each counter, in their order, and one for each fault. */
class OperatingGuideTest {
    private static final Path GUIDE = SourceFile.checkout().resolve("docs/guide/operating.md");

    @Test
    void everyCounterIsThere() throws IOException {
        List<String> lines = Arrays.stream(Counter.values())
                .map(counter -> "| `%s` | %s | %s |"
                        .formatted(
                                counter.label(), counter.kind().name().toLowerCase(Locale.ROOT), counter.description()))
                .toList();
        assertThat(Files.readAllLines(GUIDE)).containsSubsequence(lines);
    }

    @Test
    void everyFaultIsThere() throws IOException {
        List<String> lines = Files.readAllLines(GUIDE);
        for (Fault fault : Fault.values()) {
            String begin = "| `%s` | %d | %s | ".formatted(fault.name(), fault.status(), fault.flag());
            assertThat(lines)
                    .filteredOn(line -> line.startsWith(begin))
                    .as(begin)
                    .hasSize(1);
        }
    }
}
