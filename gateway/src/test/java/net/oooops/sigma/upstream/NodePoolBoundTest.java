package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import net.oooops.sigma.upstream.NodePool.Admission;
import org.junit.jupiter.api.Test;

/** Two pools under the bounds of one Upstream. */
class NodePoolBoundTest {
    private final Bound connections = new Bound(3);
    private final Bound pending = new Bound(2);
    private final NodePool<String, String> one = new NodePool<>(10, 10, connections, pending);
    private final NodePool<String, String> two = new NodePool<>(10, 10, connections, pending);

    @Test
    void connectionsAreBoundedOverAllPools() {
        assertThat(one.admit("a")).isEqualTo(Admission.CONNECT);
        assertThat(one.admit("b")).isEqualTo(Admission.CONNECT);
        assertThat(two.admit("c")).isEqualTo(Admission.CONNECT);
        assertThat(two.admit("d")).isEqualTo(Admission.WAIT);
        two.widen(1);
        assertThat(two.nextToOpen()).isNull();
        assertThat(one.vacate("A")).isNull();
        assertThat(two.nextToOpen()).isEqualTo("d");
        assertThat(connections.count()).isEqualTo(3);
    }

    /** Else it would wait for connections that never come to it. */
    @Test
    void aPoolWithoutAnyOpensOneAllTheSame() {
        for (String each : new String[] {"a", "b", "c"}) {
            assertThat(one.admit(each)).isEqualTo(Admission.CONNECT);
        }
        assertThat(two.admit("d")).isEqualTo(Admission.CONNECT);
        assertThat(two.admit("e")).isEqualTo(Admission.WAIT);
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
            one.admit(each);
        }
        two.admit("d");
        assertThat(one.admit("e")).isEqualTo(Admission.WAIT);
        assertThat(two.admit("f")).isEqualTo(Admission.WAIT);
        assertThat(one.admit("g")).isEqualTo(Admission.BOUND);
        one.cancel("g");
        assertThat(pending.count()).isEqualTo(2);
        one.cancel("e");
        assertThat(pending.count()).isEqualTo(1);
        assertThat(two.release("D")).isEqualTo("f");
        assertThat(pending.count()).isZero();
        assertThat(two.release("F")).isNull();
        assertThat(pending.count()).isZero();
    }
}
