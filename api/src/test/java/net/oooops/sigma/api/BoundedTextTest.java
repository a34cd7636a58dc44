package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class BoundedTextTest {
    @Test
    void anOrdinaryMatchIsThatOfTheText() {
        assertThat(Pattern.compile("b+$").matcher(new BoundedText("abb")).find())
                .isTrue();
        assertThat(new BoundedText("abb")).hasToString("abb").hasSize(3);
        assertThat(new BoundedText("abb").subSequence(1, 2)).isEqualTo("b");
    }

    @Test
    void oneThatReadsWithoutEndIsStopped() {
        Pattern backtracks = Pattern.compile("^.*.*.*.*.*b$");
        assertThatThrownBy(() ->
                        backtracks.matcher(new BoundedText("a".repeat(500))).find())
                .isInstanceOf(BoundedText.ExhaustedException.class)
                .hasMessageContaining("1000000");
    }

    @Test
    void eitherBoundIsOneToWhoFinds() throws Exception {
        assertThat(BoundedText.find(Pattern.compile("b+$").matcher(new BoundedText("abb"))))
                .isTrue();
        CompletableFuture<Throwable> stopped = new CompletableFuture<>();
        Pattern deep = Pattern.compile("^((a|b)*)*$");
        Runnable find = () -> stopped.complete(catchThrowable(
                () -> BoundedText.find(deep.matcher(new BoundedText("ab".repeat(30_000) + "c")))));
        Thread.ofPlatform().stackSize(160 << 10).start(find).join();
        assertThat(stopped.join())
                .isInstanceOf(BoundedText.ExhaustedException.class)
                .hasMessage("stack overflow")
                .satisfies(thrown -> assertThat(thrown.getStackTrace()).isEmpty());
    }
}
