package net.oooops.sigma.plugins.authentication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class RememberedTest {
    @Test
    void noMoreThanAskedForAndThoseInUseStay() {
        Remembered<Integer> remembered = new Remembered<>(100);
        Digest used = Digest.of("used");
        remembered.put(used, -1);
        for (int i = 0; i < 10_000; i++) {
            remembered.put(Digest.of("once" + i), i);
            assertThat(remembered.get(used)).isEqualTo(-1);
        }
        int left = 0;
        for (int i = 0; i < 10_000; i++) {
            left += remembered.get(Digest.of("once" + i)) == null ? 0 : 1;
        }
        assertThat(left).isBetween(1, 100);
    }

    @Test
    void noneWhereNoneIsAskedFor() {
        Remembered<Integer> remembered = new Remembered<>(0);
        remembered.put(Digest.of("a"), 1);
        assertThat(remembered.get(Digest.of("a"))).isNull();
    }

    @Test
    void aDigestIsSha256() {
        String hex = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assertThat(Digest.of("abc")).isEqualTo(Digest.ofHex(hex));
        assertThat(Digest.of("bc".getBytes(StandardCharsets.UTF_8))).isEqualTo(Digest.of("bc"));
        assertThat(Digest.of(new byte[] {'a'}, new byte[] {'b', 'c'})).isEqualTo(Digest.ofHex(hex));
        assertThat(Digest.of("x".repeat(5_000)))
                .isEqualTo(Digest.of("x".repeat(5_000).getBytes(StandardCharsets.UTF_8)));
        assertThat(Digest.of("abd")).isNotEqualTo(Digest.of("abc"));
        assertThat(Digest.of("abc").toString()).doesNotContainPattern("[0-9]");
        assertThatThrownBy(() -> Digest.ofHex(hex.substring(2))).isInstanceOf(IllegalArgumentException.class);
    }
}
