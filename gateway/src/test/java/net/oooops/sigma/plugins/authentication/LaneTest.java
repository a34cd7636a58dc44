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
        threads.removeFirst().run();
        assertThat(done).containsExactly(0, 1, 2, 3, 4);
        lane.execute(() -> done.add(5));
        assertThat(threads)
                .as("one of the two is still to come, and a third one")
                .hasSize(2);
        threads.forEach(Runnable::run);
        assertThat(done).containsExactly(0, 1, 2, 3, 4, 5);
    }

    @Test
    void whatAThreadTakesWhileItEndsIsDone() {
        Lane lane = new Lane(threads::add, 1);
        lane.execute(() -> lane.execute(() -> done.add(1)));
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
