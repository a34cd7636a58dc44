package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class FieldTest {
    @Test
    void isALineReadyToBeWritten() {
        Field field = Field.of("X-Id", "1 \t\u00E4");
        byte[] target = new byte[field.lineBytes() + 2];

        assertThat(field.copyTo(target, 1)).isEqualTo(field.lineBytes() + 1);
        assertThat(new String(target, StandardCharsets.ISO_8859_1)).isEqualTo("\0X-Id: 1 \t\u00E4\r\n\0");
        assertThat(field.name()).isEqualTo(FieldName.of("x-id"));
        assertThat(field.value()).isEqualTo("1 \t\u00E4");
        assertThat(field).hasToString("X-Id: 1 \t\u00E4");
    }

    @ParameterizedTest
    @ValueSource(strings = {" a", "a ", "\ta", "a\t", " ", "a\rb", "a\nb", "a\0b", "a\u007Fb", "a\u0100"})
    void refusesWhatIsNoValue(String value) {
        assertThat(Field.isValue(value)).isFalse();
        assertThatThrownBy(() -> Field.of("X-Id", value))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("X-Id: ")
                .hasMessageContaining("expected: a field value");
    }

    @Test
    void aValueMayBeEmpty() {
        assertThat(Field.of("X-Id", "")).hasToString("X-Id: ");
    }

    @Test
    void refusesSigmasOwn() {
        assertThatThrownBy(() -> Field.of("transfer-encoding", "chunked"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected: a field that a plugin may write");
    }

    @Test
    void equalsByNameAndValue() {
        assertThat(Field.of("A", "1")).isEqualTo(Field.of("a", "1")).hasSameHashCodeAs(Field.of("a", "1"));
        assertThat(Field.of("A", "x")).isNotEqualTo(Field.of("A", "X")).isNotEqualTo(Field.of("B", "x"));
    }
}
