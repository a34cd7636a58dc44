package net.oooops.sigma.proxy;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

class BodyQueueTest {
    private static final int RECEIVE_BYTES = 64 << 10;
    private static final int ROOM_BYTES = 8192;

    private final BodyQueue queue = new BodyQueue();

    private static ByteBuf received(String text) {
        ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(RECEIVE_BYTES);
        buffer.writeCharSequence(text, US_ASCII);
        return buffer;
    }

    /** Adds it; returns whether its buffer is kept. */
    private boolean add(String text) {
        ByteBuf in = received(text);
        queue.add(in, text.length());
        assertThat(in.isReadable()).isFalse();
        return !in.release();
    }

    private String polled() {
        ByteBuf part = queue.poll();
        if (part == null) {
            return "";
        }
        String text = part.toString(US_ASCII);
        part.release();
        return text;
    }

    @Test
    void smallPartsDoNotKeepTheirReceiveBuffers() {
        for (int i = 0; i < 10_000; i++) {
            assertThat(add("" + i % 10)).isFalse();
        }
        assertThat(queue.bytes()).isEqualTo(10_000);
        assertThat(queue.heldBytes()).isEqualTo(2 * ROOM_BYTES);
        assertThat(polled() + polled()).isEqualTo("0123456789".repeat(1000));
        assertThat(queue.bytes()).isZero();
        assertThat(queue.heldBytes()).isZero();
        assertThat(queue.poll()).isNull();
    }

    @Test
    void theOrderIsKeptBetweenSmallAndLargeParts() {
        String large = "L".repeat(RECEIVE_BYTES / 2);
        add("a");
        assertThat(add(large)).isTrue();
        add("b");
        assertThat(queue.heldBytes()).isEqualTo(large.length() + 2 * ROOM_BYTES);
        assertThat(polled()).isEqualTo("a");
        add("c");
        assertThat(polled()).isEqualTo(large);
        assertThat(polled() + polled()).isEqualTo("bc");
    }

    @Test
    void lessThanHalfOfAReceiveBufferDoesNotKeepIt() {
        String less = "l".repeat(RECEIVE_BYTES / 2 - 1);
        assertThat(add(less)).isFalse();
        assertThat(queue.heldBytes()).isEqualTo(less.length());
        assertThat(polled()).isEqualTo(less);
    }

    @Test
    void gatheredPartsGoOnInPieces() {
        String large = "L".repeat(RECEIVE_BYTES - 10);
        add("a");
        add(large);
        add(large);
        add("b");
        queue.gather();
        String all = "a" + large + large + "b";
        assertThat(queue.heldBytes()).isEqualTo(all.length());
        assertThat(US_ASCII.decode(queue.gathered()).toString()).isEqualTo(all);
        String first = polled();
        assertThat(first).hasSize(RECEIVE_BYTES);
        assertThat(queue.bytes()).isEqualTo(all.length() - RECEIVE_BYTES);
        assertThat(queue.gathered().hasRemaining()).as("it has gone on").isFalse();
        assertThat(queue.isGathered()).isFalse();
        assertThat(first + polled()).isEqualTo(all);
        assertThat(queue.poll()).isNull();
        assertThat(queue.heldBytes()).isZero();
    }

    @Test
    void nothingIsLeftOfWhatIsGivenUpHalfway() {
        add("L".repeat(RECEIVE_BYTES));
        add("L".repeat(RECEIVE_BYTES));
        queue.gather();
        polled();
        queue.clear(false);
        assertThat(queue.bytes()).isZero();
        assertThat(queue.poll()).isNull();
    }
}
