package net.oooops.sigma.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When holders give up, and how much. */
class HeldMemoryTest {
    private static final int BYTES_MAX = 8 << 20;
    private static final int SHARE = BYTES_MAX / 2;

    /** One Worker's, which gives up what it is asked for. */
    private static final class Holders implements HeldMemory.Holders {
        private final List<Long> givenUp = new ArrayList<>();
        private long held;
        private int looks;

        @Override
        public long heldBytes() {
            looks++;
            return held;
        }

        @Override
        public void giveUp(long bytes) {
            givenUp.add(bytes);
            held -= bytes;
        }
    }

    private final HeldMemory.Total total = new HeldMemory.Total(2, BYTES_MAX);
    private final Holders here = new Holders();
    private final Holders there = new Holders();
    private final HeldMemory ofHere = new HeldMemory(total, 0, here);
    private final HeldMemory ofThere = new HeldMemory(total, 1, there);

    private void receive(HeldMemory memory, Holders holders, int bytes) {
        for (int i = 0; i < bytes; i += 1 << 10) {
            holders.held += 1 << 10;
            memory.received(1 << 10);
        }
    }

    @Test
    void oneWorkerMayHoldWhatTheOthersDoNot() {
        receive(ofHere, here, BYTES_MAX);
        assertThat(here.givenUp).isEmpty();
        assertThat(ofHere.isNearlyFull()).isTrue();
        receive(ofHere, here, SHARE / 4);
        assertThat(here.givenUp).hasSize(1);
        assertThat(here.held).isBetween(SHARE / 2L, SHARE / 2L + SHARE / 4L);
        assertThat(ofHere.isNearlyFull()).isFalse();
    }

    @Test
    void whoHasMoreThanItsShareGivesUp() {
        receive(ofHere, here, BYTES_MAX - SHARE / 2);
        receive(ofThere, there, SHARE);
        assertThat(there.givenUp).isEmpty();
        assertThat(ofThere.isNearlyFull()).isTrue();
        ofHere.tick();
        assertThat(here.held).isEqualTo(SHARE / 2);
        ofThere.tick();
        assertThat(there.givenUp).isEmpty();
        assertThat(ofThere.isNearlyFull()).isFalse();
    }

    @Test
    void whatPassesIsSeldomLookedAt() {
        for (int i = 0; i < 100 * (SHARE >> 10); i++) {
            ofHere.received(1 << 10);
        }
        assertThat(here.looks).isEqualTo(100);
    }

    @Test
    void whatIsOnlyCountedIsLookedAtLater() {
        here.held = BYTES_MAX + 2;
        ofHere.counted(BYTES_MAX + 2);
        assertThat(here.looks).isZero();
        ofHere.tick();
        assertThat(here.held).isEqualTo(SHARE / 2);
    }
}
