package net.oooops.sigma.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.nio.charset.CharacterCodingException;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class Utf8Test {
    private static final int LENGTH = 2_000_000;

    @ParameterizedTest
    @ValueSource(strings = {"", "abc", "äöü€😀", "right, though it says \uFFFD"})
    void whatIsRightIsDecoded(String text) throws CharacterCodingException {
        assertThat(Utf8.decode(text.getBytes(UTF_8), 0)).isEqualTo(text);
        assertThat(Utf8.decode(("x" + text).getBytes(UTF_8), 1)).isEqualTo(text);
    }

    /** A byte that begins nothing, one cut off, one that is longer than it has to be, a surrogate, beyond Unicode; beside U+FFFD, too. */
    @ParameterizedTest
    @ValueSource(strings = {"ff", "61e282", "c0af", "eda080", "f4908080", "efbfbdff", "ffefbfbd"})
    void whatIsNotIsRefused(String hex) {
        byte[] bytes = HexFormat.of().parseHex(hex);

        assertThatThrownBy(() -> Utf8.decode(bytes, 0)).isInstanceOf(CharacterCodingException.class);
    }

    @Test
    void aLargeFileIsHeldOnceMoreAndNotThrice() throws CharacterCodingException {
        byte[] file = "x".repeat(LENGTH).getBytes(UTF_8);
        ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        Utf8.decode(file, 0);

        long before = threads.getCurrentThreadAllocatedBytes();
        String text = Utf8.decode(file, 0);
        long allocated = threads.getCurrentThreadAllocatedBytes() - before;

        assertThat(text).hasSize(LENGTH);
        assertThat(allocated).isLessThan(LENGTH + LENGTH / 4);
    }
}
