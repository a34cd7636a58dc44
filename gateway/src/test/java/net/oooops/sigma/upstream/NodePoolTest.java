package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class NodePoolTest {
    static <W> Line.Link<W> waiter(W who) {
        return new Line.Link<>(who);
    }

    @Test
    void lastInFirstOut() {
        NodePool<String, String> pool = new NodePool<>(3, 0);
        for (String connection : List.of("a", "b", "c")) {
            assertThat(pool.admit(waiter(connection))).isEqualTo(NodePool.Admission.CONNECT);
        }
        for (String connection : List.of("a", "b", "c")) {
            assertThat(pool.release(connection)).isNull();
        }
        assertThat(pool.idleCount()).isEqualTo(3);
        assertThat(List.of(taken(pool), taken(pool), taken(pool))).containsExactly("c", "b", "a");
        assertThat(pool.takeIdle()).isNull();
        assertThat(pool.openCount()).isEqualTo(3);
    }

    private static String taken(NodePool<String, String> pool) {
        String connection = pool.takeIdle();
        return connection == null ? "none" : connection;
    }

    /** Those that were opened for something else may be more than may be: who waits gets one all the same. */
    @Test
    void whatWasAdoptedBeyondTheBoundIsSurplus() {
        NodePool<String, String> pool = new NodePool<>(1, 1);
        pool.adopt();
        assertThat(pool.hasSurplus()).isFalse();
        pool.adopt();
        assertThat(pool.hasSurplus()).isTrue();
        assertThat(pool.admit(waiter("1"))).isEqualTo(NodePool.Admission.WAIT);
        assertThat(pool.hasSurplus()).isFalse();
        assertThat(pool.release("a")).isEqualTo("1");
        assertThat(pool.hasSurplus()).isTrue();
        assertThat(pool.vacate("a")).isNull();
        assertThat(pool.hasSurplus()).isFalse();
        assertThat(pool.openCount()).isEqualTo(1);
    }

    @Test
    void whoWaitedFirstIsServedFirst() {
        NodePool<String, String> pool = new NodePool<>(1, 2);
        assertThat(pool.admit(waiter("1"))).isEqualTo(NodePool.Admission.CONNECT);
        assertThat(pool.admit(waiter("2"))).isEqualTo(NodePool.Admission.WAIT);
        Line.Link<String> third = waiter("3");
        assertThat(pool.admit(third)).isEqualTo(NodePool.Admission.WAIT);
        assertThat(pool.admit(waiter("4"))).isEqualTo(NodePool.Admission.OVERFLOW);
        assertThat(pool.waitingCount()).isEqualTo(2);
        assertThat(pool.release("a")).isEqualTo("2");
        assertThat(pool.isWaiting(third)).isTrue();
        assertThat(pool.cancel(third)).isTrue();
        assertThat(pool.isWaiting(third)).isFalse();
        assertThat(pool.cancel(third)).isFalse();
        assertThat(pool.release("a")).isNull();
        assertThat(pool.takeIdle()).isEqualTo("a");
    }

    @Test
    void whoLinesUpWaitsBehindTheOthersThoughThereIsRoom() {
        NodePool<String, String> pool = new NodePool<>(2, 2);
        assertThat(pool.lineUp(waiter("0"))).as("nobody waits").isFalse();
        pool.admit(waiter("1"));
        pool.admit(waiter("2"));
        pool.admit(waiter("3"));
        pool.bound(3, 2, null, null);
        assertThat(pool.lineUp(waiter("4"))).isTrue();
        assertThat(pool.lineUp(waiter("5"))).as("no more may wait").isFalse();
        assertThat(pool.nextToOpen()).isEqualTo("3");
        assertThat(pool.release("a")).isEqualTo("4");
    }

    /** One of those who wait, however many, whom nobody looks at but where its turn has come. */
    private static final class Unseen {
        @Override
        public boolean equals(@Nullable Object other) {
            throw new AssertionError("compared with " + other);
        }

        @Override
        public int hashCode() {
            throw new AssertionError("counted");
        }
    }

    @Test
    void whoLeavesIsNotLookedForAmongTheOthers() {
        NodePool<String, Unseen> pool = new NodePool<>(1, 1000);
        pool.admit(waiter(new Unseen()));
        List<Line.Link<Unseen>> waiters = new ArrayList<>();
        for (int i = 0; i < 1000; i++) {
            waiters.add(waiter(new Unseen()));
            assertThat(pool.admit(waiters.getLast())).isEqualTo(NodePool.Admission.WAIT);
        }
        for (int i = 999; i >= 0; i--) {
            assertThat(pool.cancel(waiters.get(i))).isTrue();
        }
        assertThat(pool.waitingCount()).isZero();
        assertThat(pool.firstWaiting()).isNull();
    }

    @Test
    void beyondItsWidthOneWaitsUntilItIsWidened() {
        NodePool<String, String> pool = new NodePool<>(1000, 1000);
        for (int i = 0; i < NodePool.WIDTH_MIN; i++) {
            assertThat(pool.admit(waiter("a"))).isEqualTo(NodePool.Admission.CONNECT);
        }
        assertThat(pool.admit(waiter("b"))).isEqualTo(NodePool.Admission.WAIT);
        assertThat(pool.admit(waiter("c"))).isEqualTo(NodePool.Admission.WAIT);
        assertThat(pool.nextToOpen()).isNull();
        pool.widen(0.5);
        assertThat(pool.nextToOpen()).isEqualTo("b");
        assertThat(pool.nextToOpen()).isEqualTo("c");
        assertThat(pool.nextToOpen()).isNull();
        assertThat(pool.admit(waiter("d"))).isEqualTo(NodePool.Admission.CONNECT);
        assertThat(pool.openCount()).isEqualTo(NodePool.WIDTH_MIN + 3);
    }

    @Test
    void whatIsSetAsideDoesNotCount() {
        NodePool<String, String> pool = new NodePool<>(NodePool.WIDTH_MIN + 1, 1000);
        for (int i = 0; i < NodePool.WIDTH_MIN; i++) {
            pool.admit(waiter("a"));
        }
        pool.setAside(true, pool.lend());
        assertThat(pool.admit(waiter("b"))).isEqualTo(NodePool.Admission.CONNECT);
        pool.setAside(true, pool.lend());
        // There may be no more, counted or not.
        assertThat(pool.admit(waiter("c"))).isEqualTo(NodePool.Admission.WAIT);
    }

    @Test
    void whatWasLentForLongDoesNotCountUntilItIsBack() {
        NodePool<String, String> pool = new NodePool<>(1000, 1000);
        for (int i = 0; i < NodePool.WIDTH_MIN; i++) {
            pool.admit(waiter("a"));
            pool.lend();
        }
        assertThat(pool.admit(waiter("waits"))).isEqualTo(NodePool.Admission.WAIT);
        pass(pool, NodePool.LONG_TICKS);
        // However little time the Worker has.
        pool.narrow();
        assertThat(pool.usedCount()).isZero();
        assertThat(pool.nextToOpen()).isEqualTo("waits");
        pool.takeBack(0);
        pool.release("c");
        assertThat(pool.usedCount()).isEqualTo(1);
        assertThat(pool.idleCount()).isEqualTo(1);
    }

    /** Of those that were set aside meanwhile, each is counted once, or not at all. */
    @Test
    void whatWasLentForLongAndSetAsideDoesNotCountOnce() {
        NodePool<String, String> pool = new NodePool<>(1000, 1000);
        List<Integer> lent = new ArrayList<>();
        for (int i = 0; i < 3 * NodePool.LONG_TICKS; i++) {
            pool.admit(waiter("a"));
            lent.add(pool.lend());
            pool.setAside(true, lent.get(i));
            pass(pool, 1);
        }
        assertThat(pool.usedCount()).isZero();
        for (int since : lent) {
            pool.setAside(false, since);
        }
        assertThat(pool.usedCount()).isEqualTo(NodePool.LONG_TICKS - 1);
        for (int since : lent) {
            pool.takeBack(since);
            pool.release("c");
        }
        assertThat(pool.usedCount()).isZero();
        assertThat(pool.idleCount()).isEqualTo(lent.size());
    }

    private static void pass(NodePool<String, String> pool, int ticks) {
        for (int i = 0; i < ticks; i++) {
            pool.tick();
        }
    }

    @Test
    void widenedByOneItOpensOneMore() {
        NodePool<String, String> pool = new NodePool<>(NodePool.WIDTH_MIN + 1, 1000);
        for (int i = 0; i < NodePool.WIDTH_MIN; i++) {
            pool.admit(waiter("a"));
        }
        pool.admit(waiter("first"));
        pool.admit(waiter("second"));
        pool.widenByOne();
        assertThat(pool.nextToOpen()).isEqualTo("first");
        assertThat(pool.nextToOpen()).isNull();
        pool.widenByOne();
        // There may be no more.
        assertThat(pool.nextToOpen()).isNull();
    }

    @Test
    void aFullPoolThatMayNeverBeWiderCanNotGrow() {
        NodePool<String, String> few = new NodePool<>(2, 1000);
        few.admit(waiter("a"));
        assertThat(few.mayGrow()).isTrue();
        few.admit(waiter("b"));
        assertThat(few.mayGrow()).isFalse();
        assertThat(few.vacate("a")).isNull();
        assertThat(few.mayGrow()).isTrue();

        NodePool<String, String> more = new NodePool<>(NodePool.WIDTH_MIN + 1, 1000);
        for (int i = 0; i < NodePool.WIDTH_MIN + 1; i++) {
            more.admit(waiter("a"));
        }
        assertThat(more.mayGrow()).isTrue();
    }

    @Test
    void narrowedItLetsFewerBeInUseButNeverFewerThanItBeganWith() {
        NodePool<String, String> pool = new NodePool<>(1000, 1000);
        for (int i = 0; i < 2 * NodePool.WIDTH_MIN; i++) {
            assertThat(pool.admit(waiter("a"))).isEqualTo(NodePool.Admission.CONNECT);
            pool.widen(1);
        }
        for (int i = 0; i < 100; i++) {
            pool.narrow();
        }
        assertThat(pool.admit(waiter("waits"))).isEqualTo(NodePool.Admission.WAIT);
        for (int i = 0; i < NodePool.WIDTH_MIN; i++) {
            assertThat(pool.release("c" + i)).isNull();
        }
        assertThat(pool.release("last")).isEqualTo("waits");
        // What is idle is there once fewer are in use.
        assertThat(pool.takeIdle()).isNull();
        assertThat(pool.release("last")).isNull();
        assertThat(pool.takeIdle()).isEqualTo("last");
        assertThat(pool.takeIdle()).isNull();
        assertThat(pool.usedCount()).isEqualTo(NodePool.WIDTH_MIN);
        assertThat(pool.openCount()).isEqualTo(2 * NodePool.WIDTH_MIN);
    }

    @Test
    void itIsNarrowedLittleByLittleHoweverFewAreInUseAtThatMoment() {
        NodePool<String, String> pool = new NodePool<>(1000, 1000);
        pool.width(200);
        for (int i = 0; i < 200; i++) {
            pool.admit(waiter("a"));
        }
        for (int i = 0; i < 200; i++) {
            pool.release("c" + i);
        }
        pool.narrow();
        assertThat(pool.width()).isEqualTo(190);
        pool.narrow();
        assertThat(pool.width()).isEqualTo(180);
    }

    @Test
    void whenMoreMayBeInUseWhoWaitsGetsWhatIsIdleBeforeOthersAreOpened() {
        NodePool<String, String> pool = new NodePool<>(1000, 1000);
        pool.width(NodePool.WIDTH_MIN + 2);
        for (int i = 0; i < NodePool.WIDTH_MIN + 2; i++) {
            assertThat(pool.admit(waiter("a"))).isEqualTo(NodePool.Admission.CONNECT);
        }
        pool.width(NodePool.WIDTH_MIN);
        for (String waiter : List.of("1", "2", "3")) {
            assertThat(pool.admit(waiter(waiter))).isEqualTo(NodePool.Admission.WAIT);
        }
        // Two are too many: the first that is free isn't used again, and one that is lost isn't replaced.
        assertThat(pool.release("idle")).isNull();
        assertThat(pool.vacate("lost")).isNull();
        assertThat(pool.nextToReuse()).isNull();
        assertThat(pool.nextToOpen()).isNull();
        assertThat(pool.vacate("lost")).isEqualTo("1");
        pool.width(NodePool.WIDTH_MIN + 2);
        assertThat(pool.nextToReuse()).isEqualTo("idle");
        assertThat(pool.release("idle")).isEqualTo("2");
        assertThat(pool.nextToReuse()).isNull();
        assertThat(pool.nextToOpen()).isEqualTo("3");
        assertThat(pool.nextToOpen()).isNull();
    }

    @Test
    void howeverManyMayBeInUseAllThatAreIdleCanBeClosed() {
        NodePool<String, String> pool = new NodePool<>(1000, 1000);
        pool.width(NodePool.WIDTH_MIN + 1);
        for (int i = 0; i <= NodePool.WIDTH_MIN; i++) {
            pool.admit(waiter("a"));
        }
        pool.width(0);
        assertThat(pool.width()).isEqualTo(NodePool.WIDTH_MIN);
        pool.release("idle");
        assertThat(pool.takeIdle()).isNull();
        assertThat(pool.takeAnyIdle()).isEqualTo("idle");
    }

    /** A slot that becomes free is taken again by who waits, to open a connection in it. */
    @Test
    void aLostConnectionMakesRoom() {
        NodePool<String, String> pool = new NodePool<>(1, 1);
        pool.admit(waiter("1"));
        pool.admit(waiter("2"));
        assertThat(pool.vacate("a")).isEqualTo("2");
        assertThat(pool.openCount()).isEqualTo(1);
        assertThat(pool.vacate(null)).isNull();
        assertThat(pool.openCount()).isZero();
    }

    @Test
    void anIdleConnectionThatIsLostIsNotGivenOut() {
        NodePool<String, String> pool = new NodePool<>(3, 0);
        for (String connection : List.of("a", "b", "c")) {
            pool.admit(waiter(connection));
        }
        for (String connection : List.of("a", "b", "c")) {
            pool.release(connection);
        }
        assertThat(pool.vacate("b")).isNull();
        assertThat(List.of(taken(pool), taken(pool), taken(pool))).containsExactly("c", "a", "none");
    }

    @ParameterizedTest
    @CsvSource({"0,0", "-1,5", "1,-1"})
    void boundsAreChecked(int connectionsMax, int waitersMax) {
        assertThatThrownBy(() -> new NodePool<String, String>(connectionsMax, waitersMax))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected");
    }

    /** A pool as one would draw it: who opens, what is busy, what is idle, who waits. */
    private static final class Model {
        private final List<Integer> opening = new ArrayList<>();
        private final List<String> busy = new ArrayList<>();
        private final Deque<String> idle = new ArrayDeque<>();
        private final Deque<Integer> waiting = new ArrayDeque<>();
        private final Map<Integer, Line.Link<Integer>> links = new HashMap<>();

        int open() {
            return opening.size() + busy.size() + idle.size();
        }

        /** What became of a free slot or connection. */
        void served(@Nullable Integer waiter) {
            assertThat(waiter).isEqualTo(waiting.poll());
        }
    }

    /** Random calls in random order: the pool does what the model does, and never more than its bounds. */
    @ParameterizedTest
    @CsvSource({"1,0", "1,3", "4,0", "4,7", "40,5"})
    void doesWhatTheModelDoes(int connectionsMax, int waitersMax) {
        Random random = new Random(connectionsMax);
        NodePool<String, Integer> pool = new NodePool<>(connectionsMax, waitersMax);
        Model model = new Model();
        for (int i = 0; i < 50_000; i++) {
            switch (random.nextInt(7)) {
                case 0, 1 -> request(pool, model, i, connectionsMax, waitersMax);
                case 2 -> opened(pool, model, random, i);
                case 3 -> release(pool, model, random);
                case 4 -> lost(pool, model, random);
                case 5 -> idleLost(pool, model, random);
                default -> {
                    if (!model.waiting.isEmpty()) {
                        Integer gone = List.copyOf(model.waiting).get(random.nextInt(model.waiting.size()));
                        model.waiting.remove(gone);
                        assertThat(pool.cancel(Objects.requireNonNull(model.links.get(gone))))
                                .isTrue();
                    }
                }
            }
            assertThat(pool.openCount()).isEqualTo(model.open()).isLessThanOrEqualTo(connectionsMax);
            assertThat(pool.idleCount()).isEqualTo(model.idle.size());
            assertThat(pool.waitingCount()).isEqualTo(model.waiting.size()).isLessThanOrEqualTo(waitersMax);
            assertThat(model.waiting.isEmpty() || model.idle.isEmpty()).isTrue();
        }
    }

    private static void request(
            NodePool<String, Integer> pool, Model model, int waiter, int connectionsMax, int waitersMax) {
        String taken = pool.takeIdle();
        assertThat(taken).isEqualTo(model.idle.pollLast());
        if (taken != null) {
            model.busy.add(taken);
            return;
        }
        Line.Link<Integer> link = waiter(waiter);
        NodePool.Admission admission = pool.admit(link);
        if (model.open() < connectionsMax) {
            assertThat(admission).isEqualTo(NodePool.Admission.CONNECT);
            model.opening.add(waiter);
        } else if (model.waiting.size() < waitersMax) {
            assertThat(admission).isEqualTo(NodePool.Admission.WAIT);
            model.waiting.add(waiter);
            model.links.put(waiter, link);
        } else {
            assertThat(admission).isEqualTo(NodePool.Admission.OVERFLOW);
        }
    }

    private static void opened(NodePool<String, Integer> pool, Model model, Random random, int number) {
        if (model.opening.isEmpty()) {
            return;
        }
        model.opening.remove(random.nextInt(model.opening.size()));
        if (random.nextInt(3) > 0) {
            model.busy.add("c" + number);
        } else {
            opening(pool, model);
        }
    }

    /** It couldn't be opened: its slot is free. */
    private static void opening(NodePool<String, Integer> pool, Model model) {
        Integer waiter = pool.vacate(null);
        model.served(waiter);
        if (waiter != null) {
            model.opening.add(waiter);
        }
    }

    private static void release(NodePool<String, Integer> pool, Model model, Random random) {
        if (!model.busy.isEmpty()) {
            String free = model.busy.remove(random.nextInt(model.busy.size()));
            Integer waiter = pool.release(free);
            model.served(waiter);
            if (waiter == null) {
                model.idle.addLast(free);
            } else {
                model.busy.add(free);
            }
        }
    }

    private static void lost(NodePool<String, Integer> pool, Model model, Random random) {
        if (!model.busy.isEmpty()) {
            Integer waiter = pool.vacate(model.busy.remove(random.nextInt(model.busy.size())));
            model.served(waiter);
            if (waiter != null) {
                model.opening.add(waiter);
            }
        }
    }

    private static void idleLost(NodePool<String, Integer> pool, Model model, Random random) {
        if (!model.idle.isEmpty()) {
            String gone = List.copyOf(model.idle).get(random.nextInt(model.idle.size()));
            model.idle.remove(gone);
            assertThat(pool.vacate(gone)).isNull();
        }
    }
}
