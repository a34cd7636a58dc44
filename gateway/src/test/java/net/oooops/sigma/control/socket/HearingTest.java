package net.oooops.sigma.control.socket;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.testkit.Await;
import org.junit.jupiter.api.Test;

class HearingTest {
    private static final Asked ASKED = new Asked("drain", Map.of(), "ops", Duration.ofSeconds(1));
    private static final Answer DONE = new Answer("done", Map.of());

    private final Hearing hearing = new Hearing();

    @Test
    void whatIsSaidAfterTheEndIsRefused() throws Exception {
        Steered word = hearing.heard(_ -> DONE);
        assertThat(word.answer(ASKED)).isEqualTo(DONE);
        hearing.end();
        assertThatThrownBy(() -> word.answer(ASKED))
                .isInstanceOfSatisfying(
                        Refused.class, refused -> assertThat(refused.text()).contains("expected: to be asked again"));
        hearing.resume();
        assertThat(word.answer(ASKED)).isEqualTo(DONE);
    }

    /** What is answered with success is among what the other process is told. */
    @Test
    void theEndWaitsForWhatIsBeingSaid() throws Exception {
        CompletableFuture<Void> said = new CompletableFuture<>();
        CompletableFuture<Void> begun = new CompletableFuture<>();
        Steered word = hearing.heard(_ -> {
            begun.complete(null);
            said.join();
            return DONE;
        });
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Thread.ofPlatform().start(() -> {
            try {
                answer.complete(word.answer(ASKED));
            } catch (Refused e) {
                answer.completeExceptionally(e);
            }
        });
        begun.get(10, TimeUnit.SECONDS);
        Thread ending = Thread.ofPlatform().start(hearing::end);
        Await.until("waiting", () -> ending.getState() == Thread.State.WAITING);
        said.complete(null);
        assertThat(answer.get(10, TimeUnit.SECONDS)).isEqualTo(DONE);
        ending.join();
    }
}
