package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TemplateTextTest {
    @Test
    void namesStandInBraces() {
        assertThat(TemplateText.parse("a {b}{c:D} e"))
                .isEqualTo(new TemplateText(List.of("a ", "", " e"), List.of("b", "c:D")));
        assertThat(TemplateText.parse("{b}")).isEqualTo(new TemplateText(List.of("", ""), List.of("b")));
        assertThat(TemplateText.parse("")).isEqualTo(new TemplateText(List.of(""), List.of()));
    }

    @Test
    void twoBracesAreOne() {
        assertThat(TemplateText.parse("{{a}} {{{b}}}"))
                .isEqualTo(new TemplateText(List.of("{a} {", "}"), List.of("b")));
    }

    @ParameterizedTest
    @CsvSource({"a{b,} behind the name", "a{,} behind the name", "a}b,}} for a brace", "}{,}} for a brace"})
    void eachBraceHasAnother(String text, String expected) {
        assertThatThrownBy(() -> TemplateText.parse(text))
                .isInstanceOf(UnfitException.class)
                .hasMessageStartingWith(expected);
    }

    @Test
    void thereIsOneTextMoreThanNames() {
        assertThatThrownBy(() -> new TemplateText(List.of("a"), List.of("b")))
                .hasMessageContaining("expected: one more");
    }
}
