package net.oooops.sigma.plugins.authentication;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.api.Settings;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowedFileTest {
    private final List<String> taken = new CopyOnWriteArrayList<>();

    /** Whoever reads a file may run out of stack or memory: the next look is another chance. */
    @Test
    void anErrorOfOneReadingEndsNothing(@TempDir Path folder) throws Exception {
        Path path = Files.writeString(folder.resolve("users"), "one");
        List<String> failed = new CopyOnWriteArrayList<>();
        FollowedFile file = FollowedFile.of(Settings.of(path.toString()), text -> {
            if (text.equals("two") && failed.isEmpty()) {
                failed.add(text);
                throw new StackOverflowError("for a test");
            }
            taken.add(text);
        });
        file.start();
        try {
            Files.writeString(path, "two");
            Await.until("it is taken at the second attempt", () -> taken.contains("two"));
            assertThat(failed).containsExactly("two");
        } finally {
            file.close();
        }
    }
}
