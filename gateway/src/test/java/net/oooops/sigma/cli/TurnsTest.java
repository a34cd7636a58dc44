package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** One after the other; {@link TurnsRaces} has them asked for at once. */
class TurnsTest {
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final CountDownLatch begun = new CountDownLatch(1);
    private final CountDownLatch go = new CountDownLatch(1);
    private final Turns turns = new Turns(this::reload);
    private final Thread thread = Thread.ofPlatform().start(turns::work);

    @AfterEach
    void end() {
        go.countDown();
        thread.interrupt();
    }

    private void reload() {
        done.add("reload");
        begun.countDown();
        try {
            go.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Whoever asks for a reload behind an upgrade that waits is heard, too. */
    @Test
    void reloadsThatAreAskedForBeforeOneBeginsAreThatOne() throws Exception {
        turns.reload();
        begun.await();
        turns.add(() -> done.add("upgrade"));
        turns.reload();
        turns.reload();
        turns.add(() -> done.add("end"));
        go.countDown();
        Await.until("done", () -> done.contains("end"));
        assertThat(done).containsExactly("reload", "upgrade", "reload", "end");
    }

    @Test
    void whatFailsKeepsTheNextFromNothing() {
        turns.add(() -> {
            throw new AssertionError("of a plugin");
        });
        turns.add(() -> done.add("next"));
        Await.until("done", () -> done.equals(List.of("next")));
    }
}
