package net.oooops.sigma.plugins.authentication;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class LaneTest {
    private final List<Runnable> threads = new ArrayList<>();
    private final List<Integer> done = new ArrayList<>();

    @Test
    void soManyRunAtOnceAndTheOthersFollow() {
        Lane lane = new Lane(threads::add, 2);
        for (int i = 0; i < 5; i++) {
            int number = i;
            lane.execute(() -> done.add(number));
        }
        assertThat(threads).hasSize(2);
        while (!threads.isEmpty()) {
            threads.removeFirst().run();
            assertThat(threads).as("after " + done).hasSizeLessThanOrEqualTo(2);
        }
        assertThat(done).containsExactly(0, 1, 2, 3, 4);
        assertThat(threads).isEmpty();
        lane.execute(() -> done.add(5));
        lane.execute(() -> done.add(6));
        assertThat(threads).as("both places are free again").hasSize(2);
    }

    /** What doesn't go by the lane waits for one of those that do, not for all. */
    @Test
    void othersHaveTheirTurn() {
        Lane lane = new Lane(threads::add, 1);
        for (int i = 0; i < 3; i++) {
            int number = i;
            lane.execute(() -> done.add(number));
        }
        threads.add(() -> done.add(100));
        while (!threads.isEmpty()) {
            threads.removeFirst().run();
        }
        assertThat(done).containsExactly(0, 100, 1, 2);
    }

    /** Such as when these wait for as much as they may. */
    @Test
    void whereTheThreadsTakeNoOtherTurnTheSameOneGoesOn() {
        Lane lane = new Lane(
                each -> {
                    if (!threads.isEmpty()) {
                        throw new RejectedExecutionException("full");
                    }
                    threads.add(each);
                },
                1);
        for (int i = 0; i < 3; i++) {
            int number = i;
            lane.execute(() -> done.add(number));
        }
        threads.getFirst().run();
        assertThat(done).containsExactly(0, 1, 2);
        threads.clear();
        lane.execute(() -> done.add(3));
        threads.removeFirst().run();
        assertThat(done).containsExactly(0, 1, 2, 3);
    }

    @Test
    void whatThrowsLeavesTheOthersTheirPlace() {
        Lane lane = new Lane(threads::add, 1);
        lane.execute(() -> {
            throw new IllegalStateException("for a test");
        });
        lane.execute(() -> done.add(1));
        assertThatThrownBy(() -> threads.removeFirst().run()).hasMessage("for a test");
        assertThat(threads).hasSize(1);
        threads.removeFirst().run();
        assertThat(done).containsExactly(1);
    }

    @Test
    void whatAThreadTakesWhileItEndsIsDone() {
        Lane lane = new Lane(threads::add, 1);
        lane.execute(() -> lane.execute(() -> done.add(1)));
        threads.removeFirst().run();
        assertThat(threads).hasSize(1);
        threads.removeFirst().run();
        assertThat(done).containsExactly(1);
        assertThat(threads).isEmpty();
    }

    @Test
    void whatIsNotTakenIsNotRunAndTakesNoPlace() {
        boolean[] full = {true};
        Lane lane = new Lane(
                each -> {
                    if (full[0]) {
                        throw new RejectedExecutionException("full");
                    }
                    threads.add(each);
                },
                1);
        assertThatThrownBy(() -> lane.execute(() -> done.add(1))).hasMessage("full");
        full[0] = false;
        lane.execute(() -> done.add(2));
        threads.removeFirst().run();
        assertThat(done).containsExactly(2);
    }
}
