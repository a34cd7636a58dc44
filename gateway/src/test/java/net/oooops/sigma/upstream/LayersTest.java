package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Stream;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.config.HealthConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.PassiveConfig;
import net.oooops.sigma.config.RetryBudgetConfig;
import net.oooops.sigma.config.UpstreamConfig;
import org.junit.jupiter.api.Test;

class LayersTest {
    private static Upstream upstream(String zone, NodeConfig... nodes) {
        return new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                        UpstreamConfig.Protocol.HTTP,
                        List.of(nodes),
                        HealthConfig.DEFAULT,
                        RetryBudgetConfig.DEFAULT,
                        BreakerConfig.DEFAULT,
                        zone,
                        null,
                        null,
                        UpstreamConfig.HttpVersion.HTTP_1_1,
                        null));
    }

    private static NodeConfig node(String host, boolean backup, String zone) {
        return new NodeConfig(host, 80, 1, backup, zone);
    }

    private static Stream<String> used(Upstream upstream) {
        return upstream.nodes().stream()
                .filter(node -> upstream.isPanicking() || node.isAvailable())
                .filter(node -> !node.isAside())
                .map(node -> node.config().host());
    }

    private static Stream<String> unwanted(Upstream upstream) {
        return upstream.nodes().stream()
                .filter(Node::isUnwanted)
                .map(node -> node.config().host());
    }

    private static void down(Upstream upstream, int... nodes) {
        for (int node : nodes) {
            upstream.checked(upstream.nodes().get(node), "down", 0);
        }
    }

    private static void up(Upstream upstream, int node) {
        upstream.checked(upstream.nodes().get(node), null, 1);
    }

    @Test
    void likeNodesAreWhole() {
        Upstream upstream = upstream("", node("a", false, ""), node("b", false, "z"));
        assertThat(upstream.isWhole()).isTrue();
        assertThat(used(upstream)).containsExactly("a", "b");
    }

    @Test
    void aBackupIsUsedWhileNoOtherIsAvailable() {
        Upstream upstream =
                upstream("", node("a", false, ""), node("b", false, ""), node("c", true, ""), node("d", true, ""));
        assertThat(upstream.isWhole()).isFalse();
        assertThat(used(upstream)).containsExactly("a", "b");
        down(upstream, 0);
        assertThat(used(upstream)).containsExactly("b");
        down(upstream, 1);
        assertThat(used(upstream)).containsExactly("c", "d");
        assertThat(upstream.isPanicking()).isFalse();
        down(upstream, 2);
        assertThat(used(upstream)).containsExactly("d");
        up(upstream, 1);
        assertThat(used(upstream)).containsExactly("b");
    }

    /** One of three is less than half; but there is a backup for when it goes, too. */
    @Test
    void fewThatAreLeftAreNoPanicWhileThereIsABackup() {
        Upstream upstream =
                upstream("", node("a", false, ""), node("b", false, ""), node("c", false, ""), node("d", true, ""));
        down(upstream, 0, 1);
        assertThat(upstream.isPanicking()).isFalse();
        assertThat(used(upstream)).containsExactly("c");
        down(upstream, 3);
        assertThat(upstream.isPanicking()).isTrue();
        assertThat(used(upstream)).containsExactly("a", "b", "c", "d");
    }

    @Test
    void whereNoneIsAvailableAllAreUsed() {
        Upstream upstream = upstream("", node("a", false, ""), node("b", true, ""));
        down(upstream, 0, 1);
        assertThat(upstream.isPanicking()).isTrue();
        assertThat(used(upstream)).containsExactly("a", "b");
    }

    @Test
    void allButABackupMayBeEjected() {
        Upstream upstream = upstream("", node("a", false, ""), node("b", false, ""), node("c", true, ""));
        for (int i = 0; i < 2; i++) {
            for (int fault = 0; fault < PassiveConfig.DEFAULT.faultsMax(); fault++) {
                upstream.ejection().faulted(upstream.nodes().get(i), Node.NO_TRIAL, 1);
            }
        }
        assertThat(used(upstream)).containsExactly("c");
    }

    @Test
    void nodesOfTheOwnZoneArePreferredWhileEnoughAreAvailable() {
        Upstream upstream = upstream(
                "here",
                node("a", false, "here"),
                node("b", false, "here"),
                node("c", false, "here"),
                node("d", false, "there"),
                node("e", false, ""),
                node("f", false, "there"));
        assertThat(upstream.isWhole()).isFalse();
        assertThat(used(upstream)).containsExactly("a", "b", "c");
        down(upstream, 0);
        assertThat(used(upstream)).containsExactly("b", "c");
        down(upstream, 1);
        assertThat(used(upstream)).containsExactly("c", "d", "e", "f");
        up(upstream, 0);
        assertThat(used(upstream)).containsExactly("a", "c");
    }

    @Test
    void whoWouldGetNoRequestsIsNotTriedOut() {
        Upstream upstream = upstream(
                "here",
                node("a", false, "here"),
                node("b", false, "there"),
                node("c", true, "here"),
                node("d", true, "there"));
        assertThat(unwanted(upstream)).containsExactly("b", "c", "d");
        down(upstream, 0);
        assertThat(used(upstream)).containsExactly("b");
        assertThat(unwanted(upstream)).containsExactly("c", "d");
        down(upstream, 1);
        assertThat(used(upstream)).containsExactly("c");
        assertThat(unwanted(upstream)).containsExactly("d");
    }

    @Test
    void theOnlyNodeOfTheOwnZoneIsEnough() {
        Upstream upstream = upstream("here", node("a", false, "here"), node("b", false, "there"));
        assertThat(used(upstream)).containsExactly("a");
        down(upstream, 0);
        assertThat(used(upstream)).containsExactly("b");
    }

    @Test
    void aZoneWithoutNodesPrefersNone() {
        Upstream upstream = upstream("nowhere", node("a", false, "here"), node("b", false, "there"));
        assertThat(upstream.isWhole()).isTrue();
        assertThat(used(upstream)).containsExactly("a", "b");
    }

    @Test
    void zonesHoldAmongBackupsToo() {
        Upstream upstream =
                upstream("here", node("a", false, "there"), node("b", true, "here"), node("c", true, "there"));
        assertThat(used(upstream)).containsExactly("a");
        down(upstream, 0);
        assertThat(used(upstream)).containsExactly("b");
    }

    private static void fault(Upstream upstream, int node) {
        for (int i = 0; i < PassiveConfig.DEFAULT.faultsMax(); i++) {
            upstream.ejection().faulted(upstream.nodes().get(node), Node.NO_TRIAL, 1);
        }
    }

    private static Node onTrial(Upstream upstream, int index) {
        Node node = upstream.nodes().get(index);
        fault(upstream, index);
        // A sign of life.
        upstream.ejection().answered(node, false, Node.NO_TRIAL, 1);
        assertThat(node.state()).isEqualTo(Node.State.TRIAL);
        return node;
    }

    /** The backup has taken the only place of nodes that are out; so the other one can't leave, though it is dead. */
    @Test
    void aBackupIsTriedOutWhereTheOthersAreNotWell() {
        Upstream upstream = upstream("", node("a", false, ""), node("b", true, ""));
        Node backup = onTrial(upstream, 1);
        assertThat(backup.isUnwanted()).isTrue();
        fault(upstream, 0);
        assertThat(upstream.nodes().get(0).isSpared()).isTrue();
        assertThat(backup.isUnwanted()).isFalse();
        assertThat(upstream.onTrial(upstream.nodes()).count()).isEqualTo(1);
        for (int i = 0; i < PassiveConfig.DEFAULT.trials(); i++) {
            int trial = upstream.ejection().tryOut(backup, true, 1);
            assertThat(trial).isNotZero();
            upstream.ejection().answered(backup, false, trial, 1);
        }
        fault(upstream, 0);
        assertThat(used(upstream)).containsExactly("b");
    }

    @Test
    void anotherZoneIsTriedOutWhereTheOwnOneIsNotWell() {
        Upstream upstream = upstream("here", node("a", false, "here"), node("b", false, "there"));
        Node far = onTrial(upstream, 1);
        assertThat(far.isUnwanted()).isTrue();
        fault(upstream, 0);
        assertThat(far.isUnwanted()).isFalse();
    }

    @Test
    void withoutPanicBackupsAreTriedOutWhereNobodyIsLeft() {
        Upstream upstream = new NodeRegistry()
                .upstream(Said.of("u")
                        .nodes(node("a", false, ""), node("b", true, ""), node("c", true, ""))
                        .passive(true, 0)
                        .config());
        onTrial(upstream, 1);
        down(upstream, 0, 2);
        assertThat(upstream.isPanicking()).isFalse();
        assertThat(upstream.onTrial(upstream.nodes()).count()).isEqualTo(1);
    }

    @Test
    void whereAllOthersAreDrainedBackupsAreUsedThoughNoneIsAvailable() {
        Upstream upstream = upstream("", node("a", false, ""), node("b", true, ""), node("c", true, ""));
        upstream.steer("a:80", said -> said.withUse(Steering.Use.DRAINED), 1);
        assertThat(used(upstream)).containsExactly("b", "c");
        down(upstream, 1, 2);
        assertThat(upstream.isPanicking()).isTrue();
        assertThat(used(upstream)).contains("b", "c");
    }
}
