package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.util.Objects;
import org.junit.jupiter.api.Test;

class HeldInputTest {
    private static final UnpooledByteBufAllocator ALLOC = UnpooledByteBufAllocator.DEFAULT;

    private final HeldInput held = new HeldInput();

    private static ByteBuf received(String text) {
        ByteBuf buffer = ALLOC.directBuffer(64 << 10);
        buffer.writeCharSequence(text, US_ASCII);
        return buffer;
    }

    @Test
    void fewBytesDoNotKeepTheirReceiveBuffer() {
        ByteBuf first = received("GET ");
        ByteBuf second = received("/a");
        assertThat(held.add(first, ALLOC)).isEqualTo(4);
        assertThat(held.add(second, ALLOC)).isEqualTo(6);
        assertThat(first.refCnt()).isZero();
        assertThat(second.refCnt()).isZero();
        ByteBuf all = Objects.requireNonNull(held.take());
        assertThat(all.toString(US_ASCII)).isEqualTo("GET /a");
        assertThat(all.capacity()).isLessThan(1024);
        all.release();
        assertThat(held.isEmpty()).isTrue();
    }

    @Test
    void manyBytesStayWhereTheyAre() {
        ByteBuf large = received("x".repeat(5000));
        assertThat(held.add(large, ALLOC)).isEqualTo(5000);
        assertThat(held.take()).isSameAs(large);
        large.release();
    }
}
