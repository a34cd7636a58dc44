package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Objects;
import net.oooops.sigma.memory.RelayMemory;
import org.junit.jupiter.api.Test;

class HeldInputTest {
    private static final int BYTES_MAX = 6000;

    private long waiting;
    private final RelayMemory memory = new RelayMemory(BYTES_MAX, () -> waiting, () -> {});
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final HeldInput held = new HeldInput(channel, memory, BYTES_MAX);

    private static ByteBuf received(String text) {
        ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(64 << 10);
        buffer.writeCharSequence(text, US_ASCII);
        return buffer;
    }

    @Test
    void fewBytesDoNotKeepTheirReceiveBuffer() {
        ByteBuf first = received("GET ");
        ByteBuf second = received("/a");
        held.add(first);
        held.add(second);
        assertThat(held.bytes()).isEqualTo(6);
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
        held.add(large);
        assertThat(held.take()).isSameAs(large);
        large.release();
    }

    @Test
    void whatIsAsMuchAsMayWaitStopsTheReading() {
        held.add(received("x".repeat(BYTES_MAX - 1)));
        assertThat(held.mayHoldMore()).isTrue();
        assertThat(channel.config().isAutoRead()).isTrue();
        held.add(received("x"));
        assertThat(held.mayHoldMore()).isFalse();
        assertThat(channel.config().isAutoRead()).isFalse();
        held.release();
    }

    @Test
    void anythingDoesWhereMemoryIsShort() {
        waiting = BYTES_MAX;
        memory.received(BYTES_MAX);
        assertThat(held.mayHoldMore()).isTrue();
        held.add(received("x"));
        assertThat(held.mayHoldMore()).isFalse();
        assertThat(channel.config().isAutoRead()).isFalse();
        held.release();
        assertThat(held.mayHoldMore()).isTrue();
    }
}
