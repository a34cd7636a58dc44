package net.oooops.sigma.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Random;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.route.RoutePath;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PathSyntaxTest {
    private static final String[] PIECES = {
        "/", "a", "b1", ".", "..", "%2F", "%2f", "%41", "%C3%A4", ":id", "*", "-", "%", ";", "|", "%E9", "%C0", "%AF",
        "[^]"
    };

    @ParameterizedTest
    @ValueSource(strings = {"/a/..%2Fb", "/%2F.", "/a%2F..%2Fb/*", "/.%2Fx"})
    void dotsBesideAnEncodedSlashAreNone(String path) {
        assertThatThrownBy(() -> PathSyntax.check(path)).hasMessageContaining("beside %2F");
    }

    /** What passes here is a path to the router too: else it would be noticed at start, with no line to look at. */
    @Test
    void whatPassesCanBeRouted() {
        Random random = new Random(42);
        int passed = 0;
        for (int i = 0; i < 50_000; i++) {
            StringBuilder path = new StringBuilder("/");
            for (int piece = random.nextInt(7); piece > 0; piece--) {
                path.append(PIECES[random.nextInt(PIECES.length)]);
            }
            if (passes(path.toString())) {
                passed++;
                assertThat(RoutePath.of(path.toString())).isNotNull();
            }
        }
        assertThat(passed).isGreaterThan(500);
    }

    private static boolean passes(String path) {
        try {
            PathSyntax.check(path);
            return true;
        } catch (UnfitException _) {
            return false;
        }
    }
}
