package net.oooops.sigma.gates;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** {@code docs/guide/upgrading.md} shows the unit of systemd that is among the examples. */
class UnitGuideTest {
    private static final Path CHECKOUT = SourceFile.checkout();

    @Test
    void theUnitIsThatOfTheExamples() throws IOException {
        List<String> unit = Files.readAllLines(CHECKOUT.resolve("examples/systemd/sigma.service")).stream()
                .filter(line -> !line.startsWith("#") && !line.isBlank())
                .toList();
        String guide = Files.readString(CHECKOUT.resolve("docs/guide/upgrading.md"));
        int start = guide.indexOf("```ini\n");
        List<String> shown = guide.substring(start + 7, guide.indexOf("```", start + 7))
                .lines()
                .filter(line -> !line.isBlank())
                .toList();
        assertThat(shown).isEqualTo(unit);
    }
}
