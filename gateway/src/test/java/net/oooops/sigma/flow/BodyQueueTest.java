package net.oooops.sigma.flow;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.UnpooledByteBufAllocator;
import org.junit.jupiter.api.Test;

class BodyQueueTest {
    private final BodyQueue queue = new BodyQueue();

    private static ByteBuf received(String text) {
        ByteBuf buffer = UnpooledByteBufAllocator.DEFAULT.directBuffer(64 << 10);
        buffer.writeCharSequence(text, US_ASCII);
        return buffer;
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
            ByteBuf part = received("" + i % 10);
            queue.add(part);
            assertThat(part.refCnt()).isZero();
        }
        assertThat(queue.bytes()).isEqualTo(10_000);
        assertThat(polled() + polled()).isEqualTo("0123456789".repeat(1000));
        assertThat(queue.bytes()).isZero();
        assertThat(queue.poll()).isNull();
    }

    @Test
    void theOrderIsKeptBetweenSmallAndLargeParts() {
        String large = "L".repeat(5000);
        ByteBuf kept = received(large);
        queue.add(received("a"));
        queue.add(kept);
        assertThat(kept.refCnt()).isOne();
        queue.add(received("b"));
        assertThat(polled()).isEqualTo("a");
        queue.add(received("c"));
        assertThat(polled()).isEqualTo(large);
        assertThat(polled() + polled()).isEqualTo("bc");
    }

    @Test
    void gatheredPartsAreOne() {
        queue.add(received("a"));
        queue.add(received("L".repeat(5000)));
        queue.add(received("b"));
        queue.gather();
        assertThat(polled()).isEqualTo("a" + "L".repeat(5000) + "b");
    }
}
