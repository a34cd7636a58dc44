package net.oooops.sigma.upstream;

import static net.oooops.sigma.upstream.NodePoolTest.waiter;
import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.memory.Descriptors;
import net.oooops.sigma.upstream.NodePool.Admission;
import org.junit.jupiter.api.Test;

/** Two pools under the bounds of one Upstream. */
class NodePoolBoundTest {
    private final Bound connections = new Bound(3);
    private final Bound pending = new Bound(2);
    private final Bound all = new Bound(1000);
    private final NodePool<String, String> one = new NodePool<>(10, 10, connections, pending, all);
    private final NodePool<String, String> two = new NodePool<>(10, 10, connections, pending, all);

    @Test
    void connectionsAreBoundedOverAllPools() {
        assertThat(one.admit(waiter("a"))).isEqualTo(Admission.CONNECT);
        assertThat(one.admit(waiter("b"))).isEqualTo(Admission.CONNECT);
        assertThat(two.admit(waiter("c"))).isEqualTo(Admission.CONNECT);
        assertThat(two.admit(waiter("d"))).isEqualTo(Admission.WAIT);
        two.widen(1);
        assertThat(two.nextToOpen()).isNull();
        assertThat(one.vacate("A")).isNull();
        assertThat(two.nextToOpen()).isEqualTo("d");
        assertThat(connections.count()).isEqualTo(3);
    }

    /** Else each node might take half of the file descriptors. */
    @Test
    void connectionsToNodesOfDifferentUpstreamsAreBoundedTogether() {
        Bound process = new Bound(3);
        Bound own = new Bound(10);
        NodePool<String, String> here = new NodePool<>(10, 10, own, null, process);
        NodePool<String, String> there = new NodePool<>(10, 10, null, null, process);
        assertThat(here.admit(waiter("a"))).isEqualTo(Admission.CONNECT);
        assertThat(here.admit(waiter("b"))).isEqualTo(Admission.CONNECT);
        assertThat(there.admit(waiter("c"))).isEqualTo(Admission.CONNECT);
        assertThat(there.admit(waiter("d"))).isEqualTo(Admission.WAIT);
        Line.Link<String> e = waiter("e");
        assertThat(here.admit(e)).isEqualTo(Admission.WAIT);
        assertThat(process.refusedCount()).isEqualTo(2);
        assertThat(own.refusedCount()).isZero();
        assertThat(own.count()).as("what was taken for nothing was given back").isEqualTo(2);
        assertThat(here.cancel(e)).isTrue();
        assertThat(here.vacate("A")).isNull();
        assertThat(process.count()).isEqualTo(2);
        there.widen(1);
        assertThat(there.nextToOpen()).isEqualTo("d");
        assertThat(process.count()).isEqualTo(3);
    }

    @Test
    void theProcessesBoundIsOneForAllUpstreams() {
        NodeRegistry registry = new NodeRegistry();
        assertThat(registry.descriptors().nodes().most()).isEqualTo(Descriptors.ofNodes());
    }

    /** The pool asks for those who wait every 2 ms. */
    @Test
    void oneThatWaitsIsCountedOnce() {
        for (String each : new String[] {"a", "b", "c"}) {
            one.admit(waiter(each));
        }
        assertThat(one.admit(waiter("d"))).isEqualTo(Admission.WAIT);
        assertThat(connections.refusedCount()).isEqualTo(1);
        one.widen(1);
        for (int i = 0; i < 500; i++) {
            assertThat(one.nextToOpen()).isNull();
        }
        assertThat(connections.refusedCount()).isEqualTo(1);
        assertThat(one.admit(waiter("e"))).isEqualTo(Admission.WAIT);
        assertThat(connections.refusedCount()).isEqualTo(2);
    }

    /** Those who wait for more than the first connections are kept by the bound only where more are to be opened. */
    @Test
    void thoseWhoWaitedForTheWidthAreCountedOnceTheBoundKeepsThem() {
        Bound some = new Bound(NodePool.WIDTH_MIN + 1);
        NodePool<String, String> pool = new NodePool<>(1000, 10, some, null, null);
        for (int i = 0; i < NodePool.WIDTH_MIN; i++) {
            assertThat(pool.admit(waiter("first"))).isEqualTo(Admission.CONNECT);
        }
        for (String each : new String[] {"a", "b", "c"}) {
            assertThat(pool.admit(waiter(each))).isEqualTo(Admission.WAIT);
        }
        assertThat(some.refusedCount()).isZero();
        pool.widen(1);
        assertThat(pool.nextToOpen()).isEqualTo("a");
        for (int i = 0; i < 10; i++) {
            assertThat(pool.nextToOpen()).isNull();
        }
        assertThat(some.refusedCount()).isEqualTo(2);
        // Where nobody waited meanwhile, it begins anew.
        assertThat(pool.release("A")).isEqualTo("b");
        assertThat(pool.release("B")).isEqualTo("c");
        assertThat(pool.admit(waiter("d"))).isEqualTo(Admission.WAIT);
        assertThat(some.refusedCount()).isEqualTo(3);
    }

    /** Else it would wait for connections that never come to it. */
    @Test
    void aPoolWithoutAnyOpensOneAllTheSame() {
        for (String each : new String[] {"a", "b", "c"}) {
            assertThat(one.admit(waiter(each))).isEqualTo(Admission.CONNECT);
        }
        assertThat(two.admit(waiter("d"))).isEqualTo(Admission.CONNECT);
        assertThat(two.admit(waiter("e"))).isEqualTo(Admission.WAIT);
        assertThat(connections.count()).isEqualTo(4);
        // Who waits takes the slot over.
        assertThat(two.vacate("D")).isEqualTo("e");
        assertThat(connections.count()).isEqualTo(4);
        assertThat(two.vacate("E")).isNull();
        assertThat(connections.count()).isEqualTo(3);
    }

    @Test
    void thoseWhoWaitAreBoundedOverAllPools() {
        for (String each : new String[] {"a", "b", "c"}) {
            one.admit(waiter(each));
        }
        two.admit(waiter("d"));
        Line.Link<String> e = waiter("e");
        Line.Link<String> g = waiter("g");
        assertThat(one.admit(e)).isEqualTo(Admission.WAIT);
        assertThat(two.admit(waiter("f"))).isEqualTo(Admission.WAIT);
        assertThat(one.admit(g)).isEqualTo(Admission.BOUND);
        long refused = pending.refusedCount();
        assertThat(one.lineUp(g)).isFalse();
        assertThat(pending.refusedCount()).as("it isn't refused yet").isEqualTo(refused);
        assertThat(one.cancel(g)).isFalse();
        assertThat(two.cancel(e)).as("it waits elsewhere").isFalse();
        assertThat(pending.count()).isEqualTo(2);
        assertThat(one.cancel(e)).isTrue();
        assertThat(pending.count()).isEqualTo(1);
        assertThat(two.lineUp(e)).isTrue();
        assertThat(pending.count()).isEqualTo(2);
        assertThat(two.cancel(e)).isTrue();
        assertThat(two.release("D")).isEqualTo("f");
        assertThat(pending.count()).isZero();
        assertThat(two.release("F")).isNull();
        assertThat(pending.count()).isZero();
    }

    @Test
    void otherBoundsTakeOverWhatThereIs() {
        for (String each : new String[] {"a", "b", "c"}) {
            assertThat(one.admit(waiter(each))).isEqualTo(Admission.CONNECT);
        }
        assertThat(one.admit(waiter("d"))).isEqualTo(Admission.WAIT);
        Bound others = new Bound(2);
        Bound othersPending = new Bound(5);
        one.bound(10, 10, others, othersPending);
        assertThat(connections.count()).isZero();
        assertThat(pending.count()).isZero();
        assertThat(others.count()).as("more than may be").isEqualTo(3);
        assertThat(othersPending.count()).isEqualTo(1);
        assertThat(all.count()).isEqualTo(3);
        assertThat(two.admit(waiter("e"))).isEqualTo(Admission.CONNECT);

        assertThat(one.nextToOpen()).isNull();
        one.bound(10, 10, null, null);
        assertThat(others.count()).isZero();
        assertThat(othersPending.count()).isZero();
        assertThat(one.nextToOpen()).isEqualTo("d");
        one.bound(10, 10, connections, pending);
        assertThat(connections.count()).isEqualTo(5);
    }

    @Test
    void connectionsBeyondALowerBoundStayUntilTheyAreClosed() {
        for (String each : new String[] {"a", "b", "c"}) {
            assertThat(one.admit(waiter(each))).isEqualTo(Admission.CONNECT);
        }
        assertThat(one.admit(waiter("d"))).isEqualTo(Admission.WAIT);
        one.bound(2, 1, connections, pending);
        assertThat(one.openCount()).isEqualTo(3);
        assertThat(one.admit(waiter("e"))).isEqualTo(Admission.OVERFLOW);
        assertThat(one.vacate("A")).as("two are enough").isNull();
        assertThat(one.vacate("B")).as("one more may be").isEqualTo("d");
        assertThat(one.openCount()).isEqualTo(2);
    }
}
