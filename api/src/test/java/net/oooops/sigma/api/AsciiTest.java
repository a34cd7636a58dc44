package net.oooops.sigma.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class AsciiTest {
    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.ISO_8859_1);
    }

    @Test
    void holdsTheBytesOfItsText() {
        Ascii ascii = Ascii.of("/a\u007F");

        assertThat(ascii.length()).isEqualTo(3);
        assertThat(ascii.byteAt(1)).isEqualTo((byte) 'a');
        assertThat(ascii.byteAt(2)).isEqualTo((byte) 0x7F);
        assertThat(ascii).hasToString("/a\u007F");
        assertThat(Ascii.of("")).isSameAs(Ascii.EMPTY);
    }

    @Test
    void refusesOtherCharacters() {
        assertThatThrownBy(() -> Ascii.of("/\u0080"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("US-ASCII only");
    }

    @Test
    void isCopiedToItsPlace() {
        byte[] target = bytes("........");

        assertThat(Ascii.of("abc").copyTo(target, 2)).isEqualTo(5);
        assertThat(target).isEqualTo(bytes("..abc..."));
        assertThat(Ascii.EMPTY.copyTo(target, 8)).isEqualTo(8);
    }

    @Test
    void isAPrefixWithinTheRangeOnly() {
        byte[] source = bytes("x/test/a");

        assertThat(Ascii.of("/test").isPrefixOf(source, 1, 8)).isTrue();
        assertThat(Ascii.of("/test").isPrefixOf(source, 1, 6)).isTrue();
        assertThat(Ascii.of("/test").isPrefixOf(source, 1, 5)).isFalse();
        assertThat(Ascii.of("/test").isPrefixOf(source, 0, 8)).isFalse();
        assertThat(Ascii.of("/Test").isPrefixOf(source, 1, 8)).isFalse();
        assertThat(Ascii.EMPTY.isPrefixOf(source, 8, 8)).isTrue();
    }

    @Test
    void equalsByItsBytes() {
        assertThat(Ascii.of("a")).isEqualTo(Ascii.of("a")).hasSameHashCodeAs(Ascii.of("a"));
        assertThat(Ascii.of("a")).isNotEqualTo(Ascii.of("A")).isNotEqualTo(Ascii.of("ab"));
    }
}
