package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

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
}
