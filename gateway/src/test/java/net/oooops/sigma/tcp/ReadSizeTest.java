package net.oooops.sigma.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import java.util.stream.Stream;
import net.oooops.sigma.memory.RelayMemory;
import org.junit.jupiter.api.Test;

/** When a connection is read in large pieces, and when no longer. */
class ReadSizeTest {
    private static final long MEMORY_BYTES = 1 << 20;

    private long waiting;
    private final RelayMemory all = new RelayMemory(MEMORY_BYTES, () -> waiting, () -> {});
    private final ReadSize size = new ReadSize(all);

    private static void full(ReadSize of, int times) {
        IntStream.range(0, times).forEach(i -> of.came(ReadSize.USUAL_BYTES_MAX));
    }

    @Test
    void messagesAreNoBulk() {
        full(size, 7);
        size.came(100);
        full(size, 7);
        assertThat(size.isInBulk()).isFalse();
        assertThat(size.newHandle().guess()).isLessThanOrEqualTo(ReadSize.USUAL_BYTES_MAX);
    }

    @Test
    void whatFillsEachReadIsBulkUntilLittleComes() {
        full(size, 8);
        assertThat(size.isInBulk()).isTrue();
        assertThat(size.newHandle().guess()).isEqualTo(ReadSize.BULK_BYTES);
        IntStream.range(0, 31).forEach(i -> size.came(100));
        size.came(ReadSize.BULK_BYTES);
        assertThat(size.isInBulk()).isTrue();
        IntStream.range(0, 32).forEach(i -> size.came(100));
        assertThat(size.isInBulk()).isFalse();
    }

    @Test
    void littleIsReadWhereMemoryIsShort() {
        full(size, 8);
        waiting = MEMORY_BYTES;
        all.received((int) MEMORY_BYTES);
        assertThat(size.newHandle().guess()).isLessThanOrEqualTo(RelayMemory.LITTLE_BYTES);
        ReadSize another = new ReadSize(all);
        full(another, 8);
        assertThat(another.isInBulk()).isFalse();

        waiting = 0;
        all.received((int) MEMORY_BYTES);
        assertThat(size.newHandle().guess()).isEqualTo(ReadSize.BULK_BYTES);
    }

    @Test
    void noMoreThanTheBoundAreAtOnce() {
        Stream.generate(() -> new ReadSize(all))
                .limit(RelayMemory.BULK_READS_MAX - 1)
                .forEach(other -> full(other, 8));
        full(size, 8);
        ReadSize tooMany = new ReadSize(all);
        full(tooMany, 8);
        assertThat(size.isInBulk()).isTrue();
        assertThat(tooMany.isInBulk()).isFalse();

        size.end();
        size.end();
        full(tooMany, 8);
        assertThat(tooMany.isInBulk()).isTrue();
        full(size, 8);
        assertThat(size.isInBulk()).isFalse();
    }
}
