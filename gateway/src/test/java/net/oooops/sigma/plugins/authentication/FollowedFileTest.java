package net.oooops.sigma.plugins.authentication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.LoggedLines;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.api.SettingsException;
import net.oooops.sigma.api.UnfitException;
import net.oooops.sigma.testkit.TestContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

@Isolated("the log of the process")
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

    /** Whoever has mended it learns of that, whether it says something else than before or the same. */
    @Test
    void thatItIsFineAgainIsTold(@TempDir Path folder) throws Exception {
        Path path = Files.writeString(folder.resolve("users"), "one");
        FollowedFile.follow(Settings.of(path.toString()), context, text -> {
            if (text.equals("broken")) {
                throw new UnfitException("users");
            }
            taken.add(text);
        });
        try (LoggedLines log = new LoggedLines(FollowedFile.class)) {
            for (String text : List.of("one", "broken", "broken", "one", "one", "broken", "two")) {
                Files.writeString(path, text);
                context.run("follow-file");
            }
            String broken = "WARN " + path + ": stays as it was read before (expected: users)";
            assertThat(log.lines())
                    .containsExactly(
                            broken,
                            "INFO " + path + ": fine again, as it was read before",
                            broken,
                            "INFO " + path + ": read again");
        }
        assertThat(taken).containsExactly("one", "two");
    }

    private static void pipe(Path path) throws Exception {
        Process made = new ProcessBuilder("mkfifo", path.toString()).start();
        Needed.here(made.waitFor() == 0, "mkfifo");
    }

    /** To open one waits for whoever writes to it, and with it would all that is done by timers. */
    @Test
    @Timeout(20)
    void aPipeIsNotOpened(@TempDir Path folder) throws Exception {
        Path path = Files.writeString(folder.resolve("users"), "one");
        Settings name = Settings.of(path.toString());
        FollowedFile.follow(name, context, taken::add);
        Files.delete(path);
        pipe(path);
        context.run("follow-file");
        assertThat(taken).containsExactly("one");
        assertThatThrownBy(() -> FollowedFile.follow(name, new TestContext(), taken::add))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("a file, not a pipe or a device");
        Files.delete(path);
        Files.writeString(path, "two");
        context.run("follow-file");
        assertThat(taken).containsExactly("one", "two");
    }

    @Test
    void aFileThatIsNotThereIsSaidWithoutWordsOfTheJvm(@TempDir Path folder) {
        Settings name = Settings.of(folder.resolve("none").toString());
        assertThatThrownBy(() -> FollowedFile.follow(name, new TestContext(), taken::add))
                .isInstanceOf(SettingsException.class)
                .hasMessageContaining("a file; this one is not there")
                .hasMessageNotContaining("Exception");
    }
}
