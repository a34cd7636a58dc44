package net.oooops.sigma.plugins.authentication;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowedFileTest {
    private final List<String> taken = new CopyOnWriteArrayList<>();
    private final TestContext context = new TestContext();

    /** Whoever reads a file may run out of stack or memory: the next look is another chance. */
    @Test
    void anErrorOfOneReadingEndsNothing(@TempDir Path folder) throws Exception {
        Path path = Files.writeString(folder.resolve("users"), "one");
        List<String> failed = new CopyOnWriteArrayList<>();
        FollowedFile.follow(Settings.of(path.toString()), context, text -> {
            if (text.equals("two") && failed.isEmpty()) {
                failed.add(text);
                throw new StackOverflowError("for a test");
            }
            taken.add(text);
        });
        assertThat(context.schedule("follow-file").period()).isEqualTo(Duration.ofSeconds(1));
        context.run("follow-file");
        assertThat(taken).containsExactly("one");
        Files.writeString(path, "two");
        context.run("follow-file");
        assertThat(taken).containsExactly("one");
        context.run("follow-file");
        assertThat(taken).containsExactly("one", "two");
        assertThat(failed).containsExactly("two");
    }
}
