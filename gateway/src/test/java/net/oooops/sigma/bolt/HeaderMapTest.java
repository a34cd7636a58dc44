package net.oooops.sigma.bolt;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import net.oooops.sigma.call.BoltMessage;
import org.junit.jupiter.api.Test;

class HeaderMapTest {
    private final HeaderMap map = new HeaderMap();

    private boolean read(byte[] header) {
        return map.read(Unpooled.wrappedBuffer(new byte[] {9}, header), 1, header.length);
    }

    private static byte[] key(String text) {
        return text.getBytes(UTF_8);
    }

    @Test
    void findsValuesByTheirKeys() {
        assertThat(read(BoltMessage.map("a", "1", "ab", "", "b", "zwei"))).isTrue();
        assertThat(map.seek(key("b"))).isTrue();
        assertThat(map.valueText()).isEqualTo("zwei");
        assertThat(map.valueIs(key("zwei"))).isTrue();
        assertThat(map.valueIs(key("zwe"))).isFalse();
        assertThat(map.valueBegins(key("zw"))).isTrue();
        assertThat(map.valueBegins(key("zweie"))).isFalse();
        assertThat(map.seek(key("ab"))).isTrue();
        assertThat(map.valueText()).isEmpty();
        assertThat(map.seek(key("c"))).isFalse();
        assertThat(map.seek(key("A"))).isFalse();
    }

    @Test
    void theLastOfTwoValuesCounts() {
        read(BoltMessage.map("a", "1", "a", "2"));
        assertThat(map.seek(key("a"))).isTrue();
        assertThat(map.valueText()).isEqualTo("2");
    }

    @Test
    void aPairWithoutKeyOrValueSaysNothing() {
        ByteBuf header = Unpooled.buffer();
        header.writeInt(1).writeByte('a').writeInt(-1);
        header.writeInt(-1).writeInt(1).writeByte('x');
        header.writeInt(1).writeByte('b').writeInt(1).writeByte('y');
        byte[] bytes = new byte[header.readableBytes()];
        header.readBytes(bytes).release();
        assertThat(read(bytes)).isTrue();
        assertThat(map.seek(key("a"))).isFalse();
        assertThat(map.seek(key("b"))).isTrue();
    }

    @Test
    void whatIsCutIsNoMap() {
        byte[] header = BoltMessage.map("key", "value", "more", "x");
        for (int length = 0; length <= header.length; length++) {
            boolean whole = length == 0 || length == 16 || length == header.length;
            assertThat(read(java.util.Arrays.copyOf(header, length)))
                    .as("of " + length)
                    .isEqualTo(whole);
            assertThat(map.seek(key("key"))).isEqualTo(whole && length > 0);
        }
        assertThat(read(new byte[] {0x7F, -1, -1, -1, 'a'})).isFalse();
    }

    @Test
    void anEmptyHeaderIsAMapWithoutKeys() {
        assertThat(read(new byte[0])).isTrue();
        assertThat(map.seek(key(""))).isFalse();
    }
}
