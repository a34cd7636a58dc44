package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldNameTest {
    private static final String TCHARS =
            "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

    @Test
    void isAToken() {
        for (char c = 0; c < 0x180; c++) {
            String text = "a" + c;
            assertThat(FieldName.isToken(text)).as("character %d", (int) c).isEqualTo(TCHARS.indexOf(c) >= 0);
        }
        assertThat(FieldName.isToken("")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a b", "a:", "ä", "a\r\n", "(a)"})
    void refusesWhatIsNone(String text) {
        assertThatThrownBy(() -> FieldName.of(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: a field name");
    }

    @Test
    void equalsInAnyLetterCaseAndKeepsItsOwn() {
        assertThat(FieldName.of("X-Id")).isEqualTo(FieldName.of("x-iD")).hasSameHashCodeAs(FieldName.of("x-iD"));
        assertThat(FieldName.of("X-Id")).isNotEqualTo(FieldName.of("X-Ids")).hasToString("X-Id");
    }

    @Test
    void matchesBytesInAnyLetterCase() {
        byte[] source = "..x-ID: 1".getBytes(StandardCharsets.US_ASCII);

        assertThat(FieldName.of("X-Id").matches(source, 2, 6)).isTrue();
        assertThat(FieldName.of("X-Id").matches(source, 2, 7)).isFalse();
        assertThat(FieldName.of("X-Id").matches(source, 1, 5)).isFalse();
        assertThat(FieldName.of("X-I").matches(source, 2, 6)).isFalse();
    }

    @Test
    void onlyLettersHaveACase() {
        byte[] at = {'@'};
        byte[] bracket = {'['};
        byte[] caret = {'^'};
        byte[] high = {(byte) 0xE1};

        assertThat(FieldName.of("`").matches(at, 0, 1)).isFalse();
        assertThat(FieldName.of("~").matches(caret, 0, 1)).isFalse();
        assertThat(FieldName.of("a").matches(high, 0, 1)).isFalse();
        assertThat(FieldName.of("|").matches(bracket, 0, 1)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection",
                "content-length",
                "HOST",
                "Keep-Alive",
                "Proxy-Connection",
                "TE",
                "Trailer",
                "Transfer-Encoding",
                "Upgrade"
            })
    void someAreSigmasOwn(String text) {
        assertThat(FieldName.of(text).isOfTheConnection()).isTrue();
        assertThat(FieldName.of("X-" + text).isOfTheConnection()).isFalse();
    }
}
