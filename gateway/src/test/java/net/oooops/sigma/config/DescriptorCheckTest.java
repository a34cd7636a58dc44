package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class DescriptorCheckTest {
    private static final String SIGMA = """
            {"proxy-server": {
              "http": {"id": "h", "port": 80, "limits": {"connections": %1$d}},
              "tcp": [{"id": "t", "port": 81, "proxy-pass-id": "t", "max-connections": %1$d}],
              "udp": [{"id": "u", "port": 82, "proxy-pass-id": "u", "max-sessions": %2$d}]},
             "limits": {"connections": %1$d},
             "proxy-client": {"max-pool-size-per-server": %3$d}}
            """;

    private static List<String> warned(String sigma, int all) {
        Json root = Objects.requireNonNull(JsonReader.read(sigma, new Problems()));
        Problems warnings = new Problems();
        new DescriptorCheck(warnings, all).check(root);
        return warnings.sorted().stream().map(Problem::toString).toList();
    }

    @Test
    void whatFitsIsNotSpokenOf() {
        assertThat(warned(SIGMA.formatted(448, 128, 256), 1024)).isEmpty();
        assertThat(warned("{}", 10)).as("defaults fit by themselves").isEmpty();
    }

    @Test
    void whatCannotFitIsNamedWithTheLimit() {
        assertThat(warned(SIGMA.formatted(449, 129, 257), 1024))
                .hasSize(5)
                .anyMatch(line -> line.contains("449")
                        && line.contains(
                                "expected=<= 448, which is what connections of clients may take of the 1024 file "
                                        + "descriptors of this process (ulimit -n)"))
                .anyMatch(line ->
                        line.contains("257") && line.contains("<= 256, which is what connections to nodes may take"))
                .anyMatch(line ->
                        line.contains("129") && line.contains("<= 128, which is what sessions of UDP may take"));
    }
}
