package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class OutcomeTest {
    @Test
    void carriesWhatFollows() {
        Response response = Response.of(204);
        CompletionStage<Outcome> later = CompletableFuture.completedStage(Outcome.CONTINUE);

        assertThat(Outcome.CONTINUE).isEqualTo(new Outcome.Continue());
        assertThat(Outcome.respond(response)).isEqualTo(new Outcome.Respond(response));
        assertThat(Outcome.suspend(later)).isEqualTo(new Outcome.Suspend(later));
    }
}
