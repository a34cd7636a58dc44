package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.Objects;
import net.oooops.sigma.memory.RelayMemory;
import org.junit.jupiter.api.Test;

class RequestInputTest {
    private static final int BYTES_MAX = 6000;

    private long waiting;
    private final RelayMemory memory = new RelayMemory(BYTES_MAX, () -> waiting, () -> {});
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final RequestInput input = new RequestInput(channel, memory, BYTES_MAX);

    private static ByteBuf received(String text) {
        ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(64 << 10);
        buffer.writeCharSequence(text, US_ASCII);
        return buffer;
    }

    @Test
    void fewBytesDoNotKeepTheirReceiveBuffer() {
        ByteBuf first = received("GET ");
        ByteBuf second = received("/a");
        input.hold(first);
        input.hold(second);
        assertThat(input.bytes()).isEqualTo(6);
        assertThat(first.refCnt()).isZero();
        assertThat(second.refCnt()).isZero();
        ByteBuf all = Objects.requireNonNull(input.take());
        assertThat(all.toString(US_ASCII)).isEqualTo("GET /a");
        assertThat(all.capacity()).isLessThan(1024);
        all.release();
        assertThat(input.isEmpty()).isTrue();
    }

    @Test
    void manyBytesStayWhereTheyAre() {
        ByteBuf large = received("x".repeat(5000));
        input.hold(large);
        assertThat(input.take()).isSameAs(large);
        large.release();
    }

    @Test
    void whatIsAsMuchAsMayWaitStopsTheReading() {
        input.hold(received("x".repeat(BYTES_MAX - 1)));
        assertThat(input.mayHoldMore()).isTrue();
        assertThat(channel.config().isAutoRead()).isTrue();
        input.hold(received("x"));
        assertThat(input.mayHoldMore()).isFalse();
        assertThat(channel.config().isAutoRead()).isFalse();
        input.release();
    }

    @Test
    void anythingDoesWhereMemoryIsShort() {
        waiting = BYTES_MAX;
        memory.received(BYTES_MAX);
        assertThat(input.mayHoldMore()).isTrue();
        input.hold(received("x"));
        assertThat(input.mayHoldMore()).isFalse();
        assertThat(channel.config().isAutoRead()).isFalse();
        input.release();
        assertThat(input.mayHoldMore()).isTrue();
    }

    @Test
    void whatIsLeftIsHeldOrDropped() {
        ByteBuf first = received("GET ");
        input.begin(first);
        assertThat(input.isBegun()).isTrue();
        assertThat(input.isUsedUp()).isFalse();
        first.skipBytes(1);
        input.end(true);
        assertThat(input.isBegun()).isFalse();
        assertThat(input.bytes()).isEqualTo(3);
        ByteBuf next = Objects.requireNonNull(input.take());
        input.begin(next);
        input.end(false);
        assertThat(next.refCnt()).isZero();
        assertThat(input.isEmpty()).isTrue();
        assertThat(input.isUsedUp()).isTrue();
    }

    @Test
    void whatWasReadWholeIsNotHeld() {
        ByteBuf all = received("GET ");
        input.begin(all);
        all.skipBytes(4);
        assertThat(input.isUsedUp()).isTrue();
        input.end(true);
        assertThat(all.refCnt()).isZero();
        assertThat(input.isEmpty()).isTrue();
    }

    /** Whoever takes over gets what is being gone through, or what is held. */
    @Test
    void theRestIsOfEither() {
        assertThat(input.rest()).isNull();
        input.hold(received("ab"));
        ByteBuf held = Objects.requireNonNull(input.rest());
        assertThat(held.toString(US_ASCII)).isEqualTo("ab");
        assertThat(input.isEmpty()).isTrue();
        input.begin(held);
        ByteBuf same = Objects.requireNonNull(input.rest());
        assertThat(same).isSameAs(held);
        assertThat(same.refCnt()).isEqualTo(2);
        same.release();
        input.end(false);
    }

    @Test
    void bytesAreCountedUntilAskedFor() {
        input.came(3);
        input.came(4);
        assertThat(input.takeReceivedBytes()).isEqualTo(7);
        assertThat(input.takeReceivedBytes()).isZero();
    }
}
