package net.oooops.sigma.ask;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class FilePatienceTest {
    private static final Path FILE = Path.of("a.json");

    /** Nothing but the answer ends that. */
    @Test
    void whoHasAllTheTimeAsksItself() throws Exception {
        assertThat(FilePatience.ENDLESS.<Thread>ask(FILE, reading -> Thread.currentThread()))
                .isSameAs(Thread.currentThread());
        assertThat(FilePatience.BOUNDED.<Thread>ask(FILE, reading -> Thread.currentThread()))
                .isNotSameAs(Thread.currentThread());
    }
}
