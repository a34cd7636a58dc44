package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelOutboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much may be written before the next flush, whatever the channel knows of it. */
class WriteBoundTest {
    private static final int BYTES_MAX = 1000;

    private final AtomicLong waiting = new AtomicLong();
    private final RelayMemory memory = new RelayMemory(80_000, waiting::get, () -> {});
    private final Sending sending = new Sending();
    private final EmbeddedChannel channel = new EmbeddedChannel(sending);
    private final WriteBound bound = new WriteBound(memory, channel, BYTES_MAX);

    /** A peer that takes what is sent, or doesn't. */
    private static final class Sending extends ChannelOutboundHandlerAdapter {
        private boolean stalled;

        @Override
        public void flush(ChannelHandlerContext ctx) {
            if (!stalled) {
                ctx.flush();
            }
        }
    }

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    private void write(int bytes) {
        bound.writing(bytes);
        channel.write(Unpooled.buffer(bytes).writeZero(bytes));
    }

    private void flush() {
        boolean much = bound.flushing();
        channel.flush();
        if (much) {
            bound.flushed();
        }
    }

    @Test
    void itIsFullUntilItIsFlushed() {
        bound.writing(BYTES_MAX - 1);
        assertThat(bound.isFull()).isFalse();
        bound.writing(1);
        assertThat(bound.isFull()).isTrue();
        assertThat(channel.isWritable()).isTrue();
        assertThat(bound.flushing()).isTrue();
        assertThat(bound.isFull()).isFalse();
    }

    @Test
    void whereMemoryIsShortAnyByteFillsIt() {
        waiting.set(80_000);
        bound.writing(80_000);
        flush();
        assertThat(memory.isShort()).isTrue();
        bound.writing(1);
        assertThat(bound.isFull()).isTrue();
    }

    @Test
    void moreIsGatheredForASideThatTookAll() {
        write(BYTES_MAX);
        flush();
        write(4 * BYTES_MAX - 1);
        assertThat(bound.isFull()).isFalse();
        write(1);
        assertThat(bound.isFull()).isTrue();
    }

    @Test
    void noMoreIsGatheredForOneThatDidNot() {
        write(BYTES_MAX);
        flush();
        sending.stalled = true;
        write(BYTES_MAX);
        flush();
        assertThat(bound.isFull()).isFalse();
        write(BYTES_MAX);
        assertThat(bound.isFull()).isTrue();
        assertThat(channel.isWritable()).isFalse();

        sending.stalled = false;
        flush();
        write(BYTES_MAX);
        assertThat(bound.isFull()).isFalse();
        assertThat(channel.isWritable()).isTrue();
    }

    @Test
    void aLittleDoesNotShowWhatASideTakes() {
        write(10);
        assertThat(bound.flushing()).isFalse();
    }

    @Test
    void aLargeBoundIsNotMultiplied() {
        int large = 1 << 20;
        WriteBound its = new WriteBound(memory, new EmbeddedChannel(), large);
        its.writing(large);
        assertThat(its.flushing()).isTrue();
        its.flushed();
        its.writing(large);
        assertThat(its.isFull()).isTrue();
    }
}
