package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.channel.RecvByteBufAllocator.ExtendedHandle;
import io.netty.channel.embedded.EmbeddedChannel;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How much is read at once, and how often in one turn. */
class BoundedReadSizeTest {
    private static final int MEMORY_BYTES = 1 << 20;

    private final AtomicLong waiting = new AtomicLong();
    private final RelayMemory memory = new RelayMemory(MEMORY_BYTES, waiting::get, () -> {});
    private final EmbeddedChannel channel = new EmbeddedChannel();
    private final ExtendedHandle reads = (ExtendedHandle) memory.reads().newHandle();

    @AfterEach
    void close() {
        channel.finishAndReleaseAll();
    }

    /** One turn in which as much comes as is read. How many reads it has. */
    private int filledReads() {
        reads.reset(channel.config());
        int count = 0;
        do {
            read(reads.guess(), reads.guess());
            count++;
        } while (reads.continueReading(() -> reads.attemptedBytesRead() == reads.lastBytesRead()));
        reads.readComplete();
        return count;
    }

    private void read(int attempted, int came) {
        reads.attemptedBytesRead(attempted);
        reads.lastBytesRead(came);
        reads.incMessagesRead(1);
    }

    @Test
    void withItsFramingAReadIsOneSegment() {
        IntStream.range(0, 10).forEach(i -> filledReads());
        int frames = 4 * 9;
        int records = 4 * 22;
        assertThat(reads.guess()).isEqualTo(BoundedReadSize.USUAL_BYTES_MAX);
        assertThat(reads.guess() + frames + records).isLessThanOrEqualTo(45 * 1448);
    }

    @Test
    void whatFillsAReadIsFollowedBySomeMore() {
        assertThat(filledReads()).isEqualTo(BoundedReadSize.READS_PER_TURN);
    }

    @Test
    void aMessageIsOneRead() {
        reads.reset(channel.config());
        read(2048, 100);
        assertThat(reads.continueReading(() -> reads.attemptedBytesRead() == reads.lastBytesRead()))
                .isFalse();
    }

    @Test
    void whereMemoryIsShortALittleIsReadOnce() {
        IntStream.range(0, 10).forEach(i -> filledReads());
        waiting.set(MEMORY_BYTES);
        memory.received(MEMORY_BYTES);
        assertThat(memory.isShort()).isTrue();
        assertThat(reads.guess()).isEqualTo(RelayMemory.LITTLE_BYTES);
        assertThat(filledReads()).isEqualTo(1);
    }

    @Test
    void wherePausedNothingFollows() {
        channel.config().setAutoRead(false);
        assertThat(filledReads()).isEqualTo(1);
    }
}
