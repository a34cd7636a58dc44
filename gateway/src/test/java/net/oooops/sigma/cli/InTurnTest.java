package net.oooops.sigma.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;

class InTurnTest {
    private final List<String> done = new CopyOnWriteArrayList<>();
    private final InTurn inTurn = new InTurn();

    @Test
    void oneIsDoneAfterTheOther() {
        Runnable reload = () -> done.add("reload");
        inTurn.add(() -> done.add("upgrade"));
        inTurn.addOnce(reload);
        inTurn.add(() -> done.add("upgrade"));
        inTurn.start("test");
        Await.until("done", () -> done.equals(List.of("upgrade", "reload", "upgrade")));
    }

    /** Whoever asks for a reload behind an upgrade that waits is heard, too. */
    @Test
    void whatIsAskedForTwiceBeforeItBeginsIsDoneOnceAndAgainAfterwards() throws Exception {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch go = new CountDownLatch(1);
        Runnable reload = () -> {
            done.add("reload");
            begun.countDown();
            awaitQuietly(go);
        };
        inTurn.start("test");
        inTurn.addOnce(reload);
        begun.await();
        inTurn.add(() -> done.add("upgrade"));
        inTurn.addOnce(reload);
        inTurn.addOnce(reload);
        go.countDown();
        inTurn.add(() -> done.add("end"));
        Await.until("done", () -> done.contains("end"));
        assertThat(done).containsExactly("reload", "upgrade", "reload", "end");
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
