package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.PassiveConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.upstream.Node.State;
import org.junit.jupiter.api.Test;

class EjectionTest {
    private static final long MILLI = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    /** A tenth more at most, by chance. */
    private static final long EJECTION = PassiveConfig.DEFAULT.ejectionNanos() * 11 / 10;

    private long now = SECOND;

    private static Upstream upstream(int nodes) {
        List<NodeConfig> configs = new ArrayList<>();
        for (int i = 0; i < nodes; i++) {
            configs.add(new NodeConfig("n" + i, 80, 1));
        }
        return new NodeRegistry()
                .upstream(new UpstreamConfig(
                        "u",
                        UpstreamConfig.Discovery.STATIC_CONFIG,
                        UpstreamConfig.RuleStrategy.ROUND_ROBIN,
                        UpstreamConfig.Protocol.HTTP,
                        configs,
                        null,
                        null));
    }

    private void fault(Upstream upstream, Node node, int times) {
        for (int i = 0; i < times; i++) {
            upstream.ejection().faulted(node, Node.NO_TRIAL, now);
        }
    }

    private void pass(Upstream upstream, long nanos) {
        now += nanos;
        upstream.tick(now);
    }

    /** The number of a trial that begins. */
    private int trial(Upstream upstream, Node node) {
        int trial = upstream.ejection().tryOut(node, true, now);
        assertThat(trial).isNotZero();
        return trial;
    }

    @Test
    void faultsInARowEject() {
        Upstream upstream = upstream(4);
        Node node = upstream.nodes().get(1);
        fault(upstream, node, 4);
        assertThat(upstream.isWhole()).isTrue();
        upstream.ejection().answered(node, false, Node.NO_TRIAL, now);
        fault(upstream, node, 4);
        assertThat(node.state()).isEqualTo(State.AVAILABLE);
        fault(upstream, node, 1);
        assertThat(node.state()).isEqualTo(State.EJECTED);
        assertThat(upstream.isWhole()).isFalse();
        assertThat(node.why()).isEqualTo(Cause.FAULTS.text());
        assertThat(upstream.ejection().count()).isEqualTo(1);
    }

    @Test
    void anAnswerThatTellsOfAnErrorEndsARowOfFaultsButNotOfErrors() {
        Upstream upstream = upstream(2);
        Node node = upstream.nodes().get(0);
        fault(upstream, node, 4);
        for (int i = 0; i < 4; i++) {
            upstream.ejection().answered(node, true, Node.NO_TRIAL, now);
        }
        fault(upstream, node, 4);
        assertThat(node.state()).isEqualTo(State.AVAILABLE);
        upstream.ejection().answered(node, true, Node.NO_TRIAL, now);
        assertThat(node.why()).isEqualTo(Cause.ERRORS.text());
    }

    @Test
    void noMoreThanAShareIsEjectedAndNeverTheLastOne() {
        Upstream four = upstream(4);
        four.nodes().forEach(node -> fault(four, node, 5));
        assertThat(four.availableCount()).isEqualTo(2);
        Upstream two = upstream(2);
        two.nodes().forEach(node -> fault(two, node, 5));
        assertThat(two.availableCount()).isEqualTo(1);
        Upstream one = upstream(1);
        one.nodes().forEach(node -> fault(one, node, 5));
        assertThat(one.availableCount()).isEqualTo(1);
    }

    @Test
    void oneThatMayNotBeEjectedHasLittleUntilItAnswersWell() {
        Upstream upstream = upstream(2);
        fault(upstream, upstream.nodes().get(0), 5);
        Node left = upstream.nodes().get(1);
        fault(upstream, left, 5);
        assertThat(left.isAvailable()).isTrue();
        assertThat(upstream.ejection().share(left, now)).isEqualTo(0.05);
        upstream.ejection().answered(left, false, Node.NO_TRIAL, now);
        assertThat(upstream.ejection().share(left, now)).isEqualTo(1);
    }

    @Test
    void anEjectedNodeIsTriedOutEarlyWhereNoOtherIsWell() {
        Upstream upstream = upstream(2);
        Node node = upstream.nodes().get(0);
        fault(upstream, node, 5);
        fault(upstream, upstream.nodes().get(1), 1);
        pass(upstream, 400 * MILLI);
        assertThat(node.state()).isEqualTo(State.EJECTED);
        pass(upstream, 200 * MILLI);
        assertThat(node.state()).isEqualTo(State.TRIAL);
        // What fails then doesn't make its ejections longer.
        upstream.ejection().faulted(node, trial(upstream, node), now);
        assertThat(node.ejectionCount()).isEqualTo(1);
    }

    @Test
    void itComesBackThroughTrialsLittleByLittle() {
        Upstream upstream = upstream(2);
        Node node = upstream.nodes().get(0);
        fault(upstream, node, 5);
        pass(upstream, EJECTION - SECOND);
        assertThat(upstream.ejection().tryOut(node, true, now)).isZero();
        pass(upstream, SECOND);
        assertThat(node.state()).isEqualTo(State.TRIAL);
        for (int i = 0; i < 3; i++) {
            int trial = trial(upstream, node);
            // One at a time.
            assertThat(upstream.ejection().tryOut(node, true, now)).isZero();
            upstream.ejection().answered(node, false, trial, now);
        }
        assertThat(node.state()).isEqualTo(State.AVAILABLE);
        assertThat(upstream.isWhole()).isFalse();
        pass(upstream, SECOND);
        assertThat(upstream.ejection().share(node, now)).isBetween(0.4, 0.6);
        pass(upstream, SECOND);
        assertThat(upstream.ejection().share(node, now)).isEqualTo(1);
        assertThat(upstream.isWhole()).isTrue();
        // Its place among those that are out is free again.
        fault(upstream, upstream.nodes().get(1), 5);
        assertThat(upstream.nodes().get(1).state()).isEqualTo(State.EJECTED);
    }

    @Test
    void aTrialThatFailsEjectsForTwiceAsLong() {
        Upstream upstream = upstream(2);
        Node node = upstream.nodes().get(0);
        fault(upstream, node, 5);
        pass(upstream, EJECTION);
        upstream.ejection().faulted(node, trial(upstream, node), now);
        assertThat(node.state()).isEqualTo(State.EJECTED);
        pass(upstream, EJECTION);
        assertThat(node.state()).isEqualTo(State.EJECTED);
        pass(upstream, EJECTION);
        assertThat(node.state()).isEqualTo(State.TRIAL);
        assertThat(node.ejectionCount()).isEqualTo(2);
    }

    @Test
    void aTrialThatSaysNothingIsFollowedByAnother() {
        Upstream upstream = upstream(2);
        Node node = upstream.nodes().get(0);
        fault(upstream, node, 5);
        pass(upstream, EJECTION);
        upstream.ejection().trialUndecided(node, trial(upstream, node));
        assertThat(upstream.ejection().tryOut(node, true, now)).isNotZero();
    }

    /** Two of them hang until the node was ejected once more, and is tried out for that. */
    @Test
    void whatComesOfATrialCountsForItsOwnEjection() {
        Upstream upstream = upstream(2);
        Node node = upstream.nodes().get(0);
        fault(upstream, node, 5);
        pass(upstream, EJECTION);
        int first = trial(upstream, node);
        pass(upstream, EJECTION);
        int second = trial(upstream, node);
        pass(upstream, EJECTION);
        upstream.ejection().faulted(node, trial(upstream, node), now);
        pass(upstream, 2 * EJECTION);
        assertThat(node.state()).isEqualTo(State.TRIAL);

        int current = trial(upstream, node);
        upstream.ejection().faulted(node, first, now);
        assertThat(node.state()).isEqualTo(State.TRIAL);
        upstream.ejection().answered(node, false, second, now);
        assertThat(upstream.ejection().tryOut(node, true, now))
                .as("one is under way")
                .isZero();
        upstream.ejection().answered(node, false, current, now);
        upstream.ejection().answered(node, false, trial(upstream, node), now);
        assertThat(node.state()).as("two of three have passed").isEqualTo(State.TRIAL);
        upstream.ejection().answered(node, false, trial(upstream, node), now);
        assertThat(node.state()).isEqualTo(State.AVAILABLE);
    }

    @Test
    void whatCanNotBeSentTwiceIsNoTrialUntilNothingElseComes() {
        Upstream upstream = upstream(2);
        Node node = upstream.nodes().get(0);
        fault(upstream, node, 5);
        pass(upstream, EJECTION);
        assertThat(upstream.ejection().tryOut(node, false, now)).isZero();
        pass(upstream, EJECTION);
        assertThat(upstream.ejection().tryOut(node, false, now)).isNotZero();
    }

    @Test
    void silenceEjectsOnlyWhereAnotherNodeIsHeard() {
        Upstream upstream = upstream(3);
        Node silent = upstream.nodes().get(0);
        NodeTally ofSilent = silent.tally(0);
        NodeTally ofAnother = upstream.nodes().get(1).tally(0);
        ofSilent.answered(MILLI, now);
        ofSilent.silent(3);
        pass(upstream, 1500 * MILLI);
        assertThat(silent.state()).isEqualTo(State.AVAILABLE);
        ofAnother.answered(MILLI, now);
        ofAnother.silent(1);
        pass(upstream, 100 * MILLI);
        assertThat(silent.state()).isEqualTo(State.AVAILABLE);
        ofAnother.silent(0);
        ofSilent.silent(2);
        pass(upstream, 100 * MILLI);
        assertThat(silent.state()).isEqualTo(State.AVAILABLE);
        ofSilent.silent(3);
        pass(upstream, 100 * MILLI);
        assertThat(silent.why()).isEqualTo(Cause.SILENCE.text());
        // A sign of life.
        upstream.ejection().answered(silent, false, Node.NO_TRIAL, now);
        assertThat(silent.state()).isEqualTo(State.TRIAL);
    }

    @Test
    void aNodeThatFailsFarMoreOftenThanTheOthersIsEjected() {
        Upstream upstream = upstream(4);
        List<NodeTally> tallies =
                upstream.nodes().stream().map(node -> node.tally(0)).toList();
        for (int i = 0; i < 100; i++) {
            for (NodeTally tally : tallies) {
                tally.began();
                tally.ended();
                tally.answered(MILLI, now);
            }
            if (i % 3 == 0) {
                tallies.get(2).failed();
            }
        }
        pass(upstream, 6 * SECOND);
        assertThat(upstream.nodes().get(2).why()).isEqualTo(Cause.FAILING.text());
        assertThat(upstream.availableCount()).isEqualTo(3);
    }

    @Test
    void aNodeThatIsFarSlowerThanTheOthersIsEjected() {
        Upstream upstream = upstream(4);
        List<NodeTally> tallies =
                upstream.nodes().stream().map(node -> node.tally(0)).toList();
        for (int i = 0; i < 100; i++) {
            for (NodeTally tally : tallies) {
                tally.began();
                tally.ended();
                tally.answered(tally == tallies.get(3) ? 400 * MILLI : 20 * MILLI, now);
            }
        }
        pass(upstream, 6 * SECOND);
        assertThat(upstream.nodes().get(3).why()).isEqualTo(Cause.SLOW.text());
        assertThat(upstream.availableCount()).isEqualTo(3);
    }

    @Test
    void oneAnswerThatTakesLongDoesNotMakeANodeSlow() {
        Upstream upstream = upstream(2);
        List<NodeTally> tallies =
                upstream.nodes().stream().map(node -> node.tally(0)).toList();
        for (int i = 0; i < 20; i++) {
            for (NodeTally tally : tallies) {
                tally.began();
                tally.ended();
                tally.answered(tally == tallies.get(0) && i == 0 ? 60 * SECOND : 20 * MILLI, now);
            }
        }
        pass(upstream, 6 * SECOND);
        assertThat(upstream.availableCount()).isEqualTo(2);
    }

    @Test
    void whereFewAreAvailableAllAreUsed() {
        Upstream upstream = upstream(4);
        for (int i = 0; i < 3; i++) {
            assertThat(upstream.isPanicking()).isFalse();
            upstream.checked(upstream.nodes().get(i), "refused", now);
        }
        assertThat(upstream.isPanicking()).isTrue();
        assertThat(upstream.panicCount()).isEqualTo(1);
        upstream.checked(upstream.nodes().get(0), null, now);
        assertThat(upstream.isPanicking()).isFalse();
    }

    @Test
    void nodesThatStayKeepWhatIsKnownOfThem() {
        Upstream upstream = upstream(3);
        Node out = upstream.nodes().get(0);
        fault(upstream, out, 5);
        upstream.replaceNodes(List.of(new NodeConfig("new", 80, 1), new NodeConfig("n0", 80, 1)));
        assertThat(upstream.nodes()).extracting(Node::name).containsExactly("new", "n0");
        assertThat(upstream.nodes().get(1)).isSameAs(out);
        assertThat(upstream.availableCount()).isEqualTo(1);
    }

    /** Of two nodes one is out, so the other one, which answers slowly, may not be. */
    private static Upstream withOneSlow(long now) {
        Upstream upstream = upstream(3);
        upstream.ejection().timedOut(upstream.nodes().get(2), Node.NO_TRIAL, now);
        for (int i = 0; i < 100; i++) {
            for (int node = 0; node < 2; node++) {
                NodeTally tally = upstream.nodes().get(node).tally(0);
                tally.began();
                tally.ended();
                tally.answered(node == 0 ? 400 * MILLI : 20 * MILLI, now);
            }
        }
        for (int i = 0; i < 5; i++) {
            upstream.ejection().timedOut(upstream.nodes().get(2), Node.NO_TRIAL, now);
        }
        return upstream;
    }

    @Test
    void oneThatIsSlowAndMayNotBeEjectedIsTriedAgainAfterATime() {
        Upstream upstream = withOneSlow(now);
        Node slow = upstream.nodes().get(0);
        pass(upstream, 5 * SECOND);
        assertThat(slow.isAvailable()).isTrue();
        assertThat(slow.isSpared()).isTrue();
        upstream.ejection().answered(slow, false, Node.NO_TRIAL, now);
        assertThat(slow.isSpared()).as("it answers slowly, but well").isTrue();
        pass(upstream, 4 * SECOND);
        assertThat(slow.isSpared()).isTrue();
        pass(upstream, SECOND);
        assertThat(slow.isSpared()).isFalse();
        assertThat(upstream.ejection().share(slow, now)).as("little by little").isLessThan(0.2);
        pass(upstream, 2 * SECOND);
        assertThat(upstream.ejection().share(slow, now)).isEqualTo(1);
    }

    @Test
    void oneThatIsSilentAndMayNotBeEjectedHasLittleUntilItIsHeard() {
        Upstream upstream = upstream(3);
        fault(upstream, upstream.nodes().get(2), 5);
        Node silent = upstream.nodes().get(0);
        upstream.nodes().get(1).tally(0).answered(MILLI, now);
        silent.tally(0).answered(MILLI, now);
        silent.tally(0).silent(3);
        pass(upstream, 1500 * MILLI);
        assertThat(silent.isSpared()).isTrue();
        silent.tally(0).silent(0);
        upstream.ejection().answered(silent, false, Node.NO_TRIAL, now);
        assertThat(silent.isSpared()).isFalse();
    }

    /** Of two that are out the one that is tried out comes back, and takes little. */
    @Test
    void whereFewerMayBeOutThanAreTheFirstComeBack() {
        NodeRegistry registry = new NodeRegistry();
        Upstream upstream =
                registry.upstream(Said.of("u").hosts("a", "b", "c", "d").config());
        Node first = upstream.nodes().get(2);
        Node last = upstream.nodes().get(1);
        fault(upstream, first, 5);
        pass(upstream, EJECTION / 2);
        fault(upstream, last, 5);
        pass(upstream, EJECTION / 2);
        assertThat(upstream.availableCount()).isEqualTo(2);
        Draft draft = registry.draft();
        draft.upstream(Said.as(upstream.config()).ejectedPercentMax(25).config());
        draft.commit();
        pass(upstream, MILLI);
        assertThat(first.isAvailable()).isTrue();
        assertThat(upstream.ejection().share(first, now)).isEqualTo(0.05);
        assertThat(last.state()).isEqualTo(State.EJECTED);
        assertThat(upstream.ejection().outCount()).isEqualTo(1);
        upstream.ejection().answered(first, false, Node.NO_TRIAL, now);
        assertThat(first.isSpared()).isFalse();
    }

    @Test
    void whereNothingIsHeldAgainstNodesAnyMoreNoneIsOut() {
        NodeRegistry registry = new NodeRegistry();
        Upstream upstream =
                registry.upstream(Said.of("u").hosts("a", "b", "c", "d").config());
        Node ejected = upstream.nodes().get(0);
        Node onTrial = upstream.nodes().get(1);
        Node spared = upstream.nodes().get(2);
        fault(upstream, onTrial, 5);
        upstream.ejection().answered(onTrial, false, Node.NO_TRIAL, now);
        int trial = trial(upstream, onTrial);
        fault(upstream, ejected, 5);
        fault(upstream, spared, 5);
        Draft draft = registry.draft();
        draft.upstream(Said.as(upstream.config()).passive(false, 50).config());
        draft.commit();
        assertThat(spared.isSpared()).isTrue();
        upstream.ejection().faulted(onTrial, trial, now);
        assertThat(onTrial.state()).isEqualTo(State.TRIAL);
        pass(upstream, MILLI);
        assertThat(upstream.nodes()).allMatch(Node::isAvailable).noneMatch(Node::isSpared);
        assertThat(upstream.ejection().outCount()).isZero();
        pass(upstream, 2 * SECOND);
        assertThat(upstream.isWhole()).isTrue();
    }
}
