package net.oooops.sigma.plugins.rewritepath;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class RewriteContractTest {
    private static final int PATHS = 20_000;
    private static final List<String> PARTS = List.of(
            "/", "/pre", "/r", "/a", "/b", "/a/b", "/", "x", ".", "..", ";", ";v=1", "%2f", "%2F", "%2e", "%25", "2E",
            "2F", "5C", "%", "pre", "//", "/r/", ";/", "..;", "%3B");

    @Test
    void whatLeavesIsWhatMayComeIn() {
        Random random = new Random(20261123);
        RewriteContract.Tally tally = new RewriteContract.Tally();
        for (int i = 0; i < PATHS; i++) {
            StringBuilder path = new StringBuilder("/");
            for (int parts = random.nextInt(8); parts >= 0; parts--) {
                path.append(PARTS.get(random.nextInt(PARTS.size())));
            }
            RewriteContract.check(path.toString().getBytes(US_ASCII), tally);
        }
        assertThat(tally.taken).as("paths that a client may send").isGreaterThan(PATHS);
        assertThat(tally.rewritten).as("rewritten").isGreaterThan(PATHS / 4);
        assertThat(tally.refused).as("refused").isGreaterThan(PATHS / 100);
    }
}
