package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HeadMemoryTest {
    private static final int SMALL = HeadMemory.SMALL_BYTES;
    private static final int LARGE = 2 * SMALL;

    private int refused;
    private final HeadMemory memory = new HeadMemory(4 * LARGE, () -> refused++);

    @Test
    void largeOnesHaveRoomUpToTheBound() {
        for (int i = 0; i < 4; i++) {
            assertThat(memory.hold(0, LARGE)).isTrue();
        }
        assertThat(refused).isZero();
        assertThat(memory.hold(0, LARGE)).isFalse();
        assertThat(refused).isEqualTo(1);
        // It has it until it is gone.
        assertThat(memory.hold(LARGE, 0)).isTrue();
        assertThat(memory.hold(LARGE, 0)).isTrue();
        assertThat(memory.hold(0, LARGE)).isTrue();
    }

    @Test
    void smallOnesCountAndAlwaysHaveRoom() {
        for (int i = 0; i < 20; i++) {
            assertThat(memory.hold(0, SMALL)).isTrue();
        }
        assertThat(memory.bytes()).isEqualTo(20L * SMALL);
        assertThat(refused).isZero();
    }

    @Test
    void smallOnesNarrowTheRoomOfLargeOnes() {
        for (int i = 0; i < 3; i++) {
            assertThat(memory.hold(0, SMALL)).isTrue();
        }
        assertThat(memory.hold(0, LARGE)).isTrue();
        assertThat(memory.hold(0, LARGE)).isTrue();
        assertThat(memory.hold(0, LARGE)).isFalse();
        assertThat(memory.hold(LARGE, 0)).isTrue();
        assertThat(memory.hold(SMALL, 0)).isTrue();
        assertThat(memory.hold(0, LARGE)).isTrue();
    }

    /** Quiet tunnels have theirs for hours. */
    @Test
    void smallOnesLeaveHalfOfTheRoomToLargeOnes() {
        for (int i = 0; i < 20; i++) {
            assertThat(memory.hold(0, SMALL)).isTrue();
        }
        assertThat(memory.hold(SMALL, LARGE)).as("one that grows").isTrue();
        assertThat(memory.hold(0, LARGE)).isTrue();
        assertThat(memory.hold(0, LARGE)).isFalse();
        assertThat(memory.hold(LARGE, SMALL)).as("one that is less than before").isTrue();
        assertThat(memory.bytes()).isEqualTo(20L * SMALL + 2 * LARGE);
    }

    @Test
    void whatEveryOneHasDoesNotCount() {
        assertThat(HeadMemory.counted(1024)).isZero();
        assertThat(HeadMemory.counted(2048)).isEqualTo(2048);
    }
}
