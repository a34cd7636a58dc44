package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BoundOfAWholeTest {
    private final Bound all = new Bound(10);
    private final Bound one = new Bound(8, all);
    private final Bound other = new Bound(5, all);

    private static int takeAll(Bound from) {
        int taken = 0;
        while (from.tryTake()) {
            taken++;
        }
        return taken;
    }

    @Test
    void eachHasItsMostWhereThereIsRoom() {
        assertThat(takeAll(one)).isEqualTo(8);
        assertThat(takeAll(other)).as("the rest").isEqualTo(2);
        assertThat(all.count()).isEqualTo(10);
        assertThat(other.count()).isEqualTo(2);
    }

    @Test
    void noneTakesAll() {
        assertThat(takeAll(other)).isEqualTo(5);
        assertThat(takeAll(one)).isEqualTo(5);
    }

    @Test
    void whatIsGivenBackIsThereForTheOther() {
        takeAll(one);
        takeAll(other);

        one.release();

        assertThat(other.tryTake()).isTrue();
        assertThat(one.tryTake()).isFalse();
    }

    @Test
    void whatIsTakenWithoutRoomKeepsTheOthersOut() {
        takeAll(other);
        for (int i = 0; i < 5; i++) {
            other.take();
        }

        assertThat(one.tryTake()).isFalse();
        for (int i = 0; i < 10; i++) {
            other.release();
        }
        assertThat(takeAll(one)).isEqualTo(8);
    }
}
