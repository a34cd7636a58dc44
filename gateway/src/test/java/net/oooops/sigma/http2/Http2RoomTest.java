package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.memory.HeadMemory;
import org.junit.jupiter.api.Test;

class Http2RoomTest {
    private static final int MANY = 100_000;

    private final Http2Room room = new Http2Room(new HeadMemory(Long.MAX_VALUE, () -> {}));

    private int kept() {
        int kept = 0;
        while (kept < MANY && room.keepSpare()) {
            kept++;
        }
        return kept;
    }

    /** Thousands of connections may be idle, each of which had a hundred streams at once. */
    @Test
    void streamsThatAreNotInUseAreBoundedOnAllConnectionsTogether() {
        int most = kept();
        assertThat(most).isLessThan(MANY);
        assertThat(kept()).isZero();
        room.dropSpares(3);
        assertThat(kept()).isEqualTo(3);
    }
}
