package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.config.ConfigText;
import net.oooops.sigma.config.CurrentTexts;
import net.oooops.sigma.config.CurrentTexts.Lack;
import org.junit.jupiter.api.Test;

/** What is known of what was rolled back while its files are away. */
class RolledBackWaysTest {
    private static List<ConfigText> texts(int number) {
        return List.of(new ConfigText(Path.of("/a"), new byte[] {(byte) number}));
    }

    @Test
    void manyRollbacksKeepTheLastWays() {
        CurrentTexts gone = new CurrentTexts(List.of(), Lack.GONE);
        RolledBack held = null;
        for (int i = 0; i < 100; i++) {
            held = RolledBack.of(held, gone, texts(i), texts(i + 1));
        }
        RolledBack last = Objects.requireNonNull(held);
        assertThat(last.from()).hasSize(RolledBack.WAYS_MAX).doesNotHaveDuplicates();
        assertThat(last.isSaidBy(texts(99))).isTrue();
        assertThat(last.isSaidBy(texts(98))).isTrue();
        assertThat(last.isSaidBy(List.of())).isTrue();
    }
}
