package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** When memory is short, and when no longer. */
class RelayMemoryTest {
    private static final int BYTES_MAX = 8000;

    private long waiting;
    private int looks;
    private int times;
    private final RelayMemory memory = new RelayMemory(
            BYTES_MAX,
            () -> {
                looks++;
                return waiting;
            },
            () -> times++);

    @Test
    void whatPassesOnIsLookedAtOncePerBound() {
        for (int i = 0; i < 80; i++) {
            memory.received(1000);
        }
        assertThat(looks).isEqualTo(10);
        assertThat(memory.isShort()).isFalse();
    }

    @Test
    void itIsShortAtSevenEighthsUntilHalfIsFree() {
        waiting = 7000;
        memory.received(BYTES_MAX);
        assertThat(memory.isShort()).isFalse();
        waiting = 7001;
        memory.received(1000);
        assertThat(memory.isShort()).isTrue();
        waiting = 4001;
        memory.received(1000);
        assertThat(memory.isShort()).isTrue();
        waiting = 4000;
        memory.received(1000);
        assertThat(memory.isShort()).isFalse();
        assertThat(times).isEqualTo(1);
    }

    @Test
    void timeFreesItThoughNothingIsReceived() {
        waiting = BYTES_MAX;
        memory.received(BYTES_MAX);
        memory.tick();
        assertThat(memory.isShort()).isTrue();
        waiting = 0;
        memory.tick();
        assertThat(memory.isShort()).isFalse();
        int before = looks;
        memory.tick();
        assertThat(looks).isEqualTo(before);
    }
}
