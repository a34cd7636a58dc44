package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** How much may be written before the next flush, whatever the channel knows of it. */
class WriteBoundTest {
    private final AtomicLong waiting = new AtomicLong();
    private final RelayMemory memory = new RelayMemory(8000, waiting::get, () -> {});
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final WriteBound bound = new WriteBound(memory, channel, 1000);

    @Test
    void itIsFullUntilItIsFlushed() {
        bound.writing(999);
        assertThat(bound.isFull()).isFalse();
        bound.writing(1);
        assertThat(bound.isFull()).isTrue();
        assertThat(channel.isWritable()).isTrue();
        bound.flushed();
        assertThat(bound.isFull()).isFalse();
    }

    @Test
    void whereMemoryIsShortAnyByteFillsIt() {
        waiting.set(8000);
        bound.writing(8000);
        bound.flushed();
        assertThat(memory.isShort()).isTrue();
        bound.writing(1);
        assertThat(bound.isFull()).isTrue();
    }
}
