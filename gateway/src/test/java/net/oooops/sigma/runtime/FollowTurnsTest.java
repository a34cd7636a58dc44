package net.oooops.sigma.runtime;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class FollowTurnsTest {
    private final List<Integer> followed = new ArrayList<>();
    private final List<Throwable> thrown = new ArrayList<>();
    private final FollowTurns<Integer> turns = new FollowTurns<>(this::follow, thrown::add);

    private void follow(int one) {
        if (one < 0) {
            throw new IllegalStateException(String.valueOf(one));
        }
        followed.add(one);
    }

    private static List<Integer> several(int count) {
        return IntStream.range(0, count).boxed().toList();
    }

    @Test
    void fewFollowAtOnce() {
        turns.begin(several(3));
        assertThat(followed).containsExactly(0, 1, 2);
    }

    @Test
    void manyFollowInTurns() {
        List<Integer> all = several(2 * FollowTurns.PER_TICK + 1);
        turns.begin(all);
        assertThat(followed).hasSize(FollowTurns.PER_TICK);
        turns.tick();
        assertThat(followed).hasSize(2 * FollowTurns.PER_TICK);
        turns.tick();
        turns.tick();
        assertThat(followed).isEqualTo(all);
    }

    /** A reload would end half way, on one Worker. */
    @Test
    void oneThatThrowsKeepsNobodyFromFollowing() {
        turns.begin(List.of(1, -2, 3, -4));
        assertThat(followed).containsExactly(1, 3);
        assertThat(thrown).extracting(Throwable::getMessage).containsExactly("-2", "-4");
    }

    @Test
    void whatBeginsAnewBeginsWithAll() {
        turns.begin(several(FollowTurns.PER_TICK + 1));
        followed.clear();
        turns.begin(several(2));
        turns.tick();
        assertThat(followed).containsExactly(0, 1);
    }
}
