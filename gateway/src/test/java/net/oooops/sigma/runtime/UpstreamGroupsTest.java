package net.oooops.sigma.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.channel.DefaultEventLoop;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.balance.Balancer.Heard;
import net.oooops.sigma.balance.PickContext;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.names.NameAsker;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.observe.CountersView;
import net.oooops.sigma.observe.RefusalNames;
import net.oooops.sigma.observe.WorkerCounters;
import net.oooops.sigma.upstream.Draft;
import net.oooops.sigma.upstream.Node;
import net.oooops.sigma.upstream.NodeRegistry;
import net.oooops.sigma.upstream.Said;
import net.oooops.sigma.upstream.Steering;
import net.oooops.sigma.upstream.Upstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a Worker has of the Upstreams while other ones are followed. */
class UpstreamGroupsTest {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);

    private final DefaultEventLoop eventLoop = new DefaultEventLoop();
    private final NodeRegistry registry = new NodeRegistry();
    private final WorkerCounters counters = new WorkerCounters(RefusalNames.NONE);
    private final NameAsker asker = LoopParts.asker(eventLoop, registry);
    private final LoopContext loop =
            LoopParts.context(LoopParts.of(eventLoop, registry, counters, new Generation(1, 1, () -> {}), asker));

    @AfterEach
    void end() {
        eventLoop.shutdownGracefully(0, 0, TimeUnit.SECONDS);
    }

    /** A node of no protocol. */
    private static final class Plain extends WorkerNode {
        private int followed;
        private boolean closed;

        Plain(Place place, Node node) {
            super(place, node);
        }

        @Override
        public void publish() {
            gauges().set(1, 0, 0);
        }

        @Override
        public void follow() {
            super.follow();
            followed++;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    private List<Upstream> commit(Said... said) {
        Draft draft = registry.draft();
        for (Said each : said) {
            draft.upstream(each.config());
        }
        draft.commit();
        return registry.all();
    }

    private UpstreamGroups<Plain> groups(Said... said) {
        return new UpstreamGroups<>(loop, commit(said), Plain::new);
    }

    private static Said of(String... hosts) {
        return Said.of("u").hosts(hosts);
    }

    private static String pick(UpstreamGroup<Plain> group) {
        Plain node = group.pick(PickContext.NONE, true);
        return node == null ? "none" : node.name();
    }

    private static List<String> picks(UpstreamGroup<Plain> group, int count) {
        List<String> picks = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            picks.add(pick(group));
        }
        return picks;
    }

    @Test
    void whatIsKeptGoesOnAsItWas() {
        UpstreamGroups<Plain> groups = groups(of("a", "b", "c"));
        UpstreamGroup<Plain> group = groups.of(registry.find("u"));
        List<Plain> nodes = group.nodes();
        assertThat(pick(group)).isEqualTo("a");
        groups.follow(commit(
                of("a", "b", "c").breaker(7, 7).budget(1, 1), Said.of("v").hosts("d")));

        assertThat(groups.of(registry.find("u"))).isSameAs(group);
        assertThat(group.nodes()).isEqualTo(nodes);
        assertThat(picks(group, 3)).as("the turns go on").containsExactly("b", "c", "a");
        assertThat(pick(groups.of(registry.find("v")))).isEqualTo("d");
        assertThat(groups.all()).hasSize(2);
    }

    /** By a fault of Sigma's own. */
    @Test
    void oneThatCanNotFollowKeepsNoOtherFromIt() {
        UpstreamGroups<Plain> groups = new UpstreamGroups<>(loop, commit(of("a")), (place, node) -> {
            if (node.name().equals("broken")) {
                throw new IllegalStateException("broken");
            }
            return new Plain(place, node);
        });
        List<Upstream> now = commit(
                Said.of("bad").hosts("broken"), of("a", "b"), Said.of("v").hosts("c"));
        assertThatThrownBy(() -> groups.follow(now))
                .as("who reloads is told")
                .hasRootCauseMessage("broken")
                .hasMessageContaining("not followed");
        assertThat(groups.of(registry.find("u")).nodes())
                .extracting(Plain::name)
                .containsExactly("a", "b");
        assertThat(pick(groups.of(registry.find("v")))).isEqualTo("c");
        Counters counted = new CountersView(List.of(counters)).snapshot();
        assertThat(counted.faults(Fault.INTERNAL)).isEqualTo(1);
    }

    /** All stays as it was until it can be taken up, with all that is said of it. */
    @Test
    void nodesThatCanNotBeTakenUpAreTriedAgain() {
        List<Plain> made = new ArrayList<>();
        AtomicBoolean broken = new AtomicBoolean();
        UpstreamGroups<Plain> groups =
                new UpstreamGroups<>(loop, commit(of("a", "b"), Said.of("v").hosts("d")), (place, node) -> {
                    if (node.name().equals("c") && broken.get()) {
                        throw new IllegalStateException("broken");
                    }
                    Plain one = new Plain(place, node);
                    made.add(one);
                    return one;
                });
        UpstreamGroup<Plain> group = groups.of(registry.find("u"));
        List<Plain> before = group.nodes();
        broken.set(true);
        commit(of("b", "e", "c").budget(1, 1), Said.of("v").hosts("d", "f"));
        assertThatThrownBy(groups::tick).hasRootCauseMessage("broken");
        assertThat(groups.of(registry.find("v")).nodes()).as("of another one").hasSize(2);
        assertThat(group.nodes()).isSameAs(before);
        assertThat(before).extracting(Plain::index).containsExactly(0, 1);
        assertThat(picks(group, 4)).containsOnly("a", "b");
        assertThat(made).filteredOn(each -> each.name().equals("e")).allMatch(each -> each.closed);

        broken.set(false);
        groups.tick();
        assertThat(group.nodes()).extracting(Plain::name).containsExactly("b", "e", "c");
        assertThat(group.nodes().getFirst()).isSameAs(before.getLast());
        assertThat(group.nodes().getFirst().followed).as("told of what is said").isEqualTo(1);
        assertThat(picks(group, 6)).containsOnly("b", "e", "c");
    }

    @Test
    void nothingIsLeftOfANodeThatCanNotBeMade() {
        UpstreamGroups<Plain> groups = new UpstreamGroups<>(loop, commit(of("a")), (place, node) -> {
            Plain one = new Plain(place, node);
            if (one.name().equals("broken")) {
                throw new IllegalStateException("broken");
            }
            return one;
        });
        commit(of("a", "b", "broken"));
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(groups::tick).hasRootCauseMessage("broken");
        }
        assertThat(asker.usedCount()).as("names").isEqualTo(1);
        assertThat(new CountersView(List.of(counters)).snapshot().pools())
                .as("pools")
                .hasSize(1);
    }

    @Test
    void otherNodesAndWeightsAreTakenUpAtOnce() {
        UpstreamGroups<Plain> groups = groups(of("a", "b"));
        UpstreamGroup<Plain> group = groups.all().getFirst();
        Plain a = group.nodes().get(0);
        Plain b = group.nodes().get(1);
        b.began(true);
        groups.follow(commit(Said.of("u").nodes(new NodeConfig("b", 80, 3), new NodeConfig("c", 80, 1))));
        assertThat(a.isRetired()).isTrue();
        assertThat(a.closed).isTrue();
        assertThat(group.nodes().getFirst()).isSameAs(b);
        assertThat(picks(group, 8))
                .containsOnly("b", "c")
                .filteredOn("b"::equals)
                .hasSize(6);
        b.heard(Heard.ANSWER, 1);
        b.ended();
    }

    @Test
    void anotherStrategyKnowsWhatIsInFlight() {
        UpstreamGroups<Plain> groups = groups(of("a", "b"));
        UpstreamGroup<Plain> group = groups.all().getFirst();
        Plain a = group.nodes().getFirst();
        a.began(true);
        groups.follow(commit(of("a", "b").strategy(RuleStrategy.LEAST_CONNECTIONS)));
        assertThat(picks(group, 3)).containsOnly("b");
        groups.follow(
                commit(of("a", "b").strategy(RuleStrategy.LEAST_CONNECTIONS).zone("z")));
        assertThat(picks(group, 3)).containsOnly("b");
        a.heard(Heard.ANSWER, 1);
        a.ended();
        assertThat(picks(group, 4)).contains("a", "b");
    }

    @Test
    void whatIsSaidOfNodesIsTakenUpWithTheNextTick() {
        UpstreamGroups<Plain> groups = groups(of("a", "b", "c"));
        UpstreamGroup<Plain> group = groups.all().getFirst();
        Upstream upstream = group.upstream();
        upstream.steer("a:80", _ -> Steering.NONE.withWeight(4), NOW);
        groups.tick();
        assertThat(picks(group, 6)).filteredOn("a"::equals).hasSize(4);
    }

    @Test
    void whoIsBarredGetsNothing() {
        UpstreamGroups<Plain> groups = groups(of("a", "b", "c"));
        UpstreamGroup<Plain> group = groups.all().getFirst();
        Upstream upstream = group.upstream();
        upstream.steer("a:80", _ -> Steering.NONE.withUse(Steering.Use.DRAINED), NOW);
        upstream.steer("b:80", _ -> Steering.NONE.withUse(Steering.Use.EJECTED), NOW);
        assertThat(picks(group, 6)).as("at once").containsOnly("c");
        groups.tick();
        upstream.checked(upstream.nodes().get(2), "refused", NOW);
        assertThat(upstream.isPanicking()).isTrue();
        assertThat(picks(group, 6)).containsOnly("c");
        Plain c = group.nodes().get(2);
        PickContext triedC = number -> number == c.index();
        assertThat(group.pick(triedC, true)).isNull();
        assertThat(group.pickAny(triedC)).isNull();
        assertThat(group.pickAny(PickContext.NONE)).isSameAs(c);
        assertThat(group.canPickAnother(PickContext.NONE, c)).isFalse();

        upstream.steer("c:80", _ -> Steering.NONE.withUse(Steering.Use.DRAINED), NOW);
        assertThat(pick(group)).isEqualTo("none");
        assertThat(group.pickAny(PickContext.NONE)).isNull();
    }

    /** Those that are left are all well, which says nothing of one that this Worker still has. */
    @Test
    void whoIsOutGetsNothingWhileItGoes() {
        UpstreamGroups<Plain> groups = groups(of("a", "b", "c", "d"));
        UpstreamGroup<Plain> group = groups.all().getFirst();
        Upstream upstream = group.upstream();
        upstream.steer("a:80", _ -> Steering.NONE.withUse(Steering.Use.DRAINED), NOW);
        Node b = upstream.nodes().get(1);
        for (int i = 0; i < 20; i++) {
            upstream.ejection().faulted(b, Node.NO_TRIAL, NOW);
        }
        assertThat(b.state()).isEqualTo(Node.State.EJECTED);
        groups.tick();
        List<Upstream> without = commit(of("c", "d"));
        assertThat(upstream.isWhole()).isTrue();
        assertThat(picks(group, 8)).as("not taken up yet").containsOnly("c", "d");
        groups.follow(without);
        assertThat(picks(group, 8)).containsOnly("c", "d");
    }

    @Test
    void whatIsLeavingServesUntilItIsRetired() {
        UpstreamGroups<Plain> groups = groups(of("a"));
        Upstream before = registry.all().getFirst();
        UpstreamGroup<Plain> group = groups.of(before);
        groups.follow(commit(of("a").version(HttpVersion.HTTP_2)));
        Upstream after = registry.all().getFirst();
        assertThat(groups.of(before)).isSameAs(group);
        assertThat(groups.of(after)).isNotSameAs(group);
        assertThat(pick(group)).isEqualTo("a");
        groups.tick();
        assertThat(pools()).extracting(Counters.Pool::open).containsExactly(2);

        groups.retire(before);
        groups.retire(before);
        registry.retire(before);
        assertThat(group.nodes().getFirst().closed).isTrue();
        groups.tick();
        assertThat(pools()).extracting(Counters.Pool::open).containsExactly(1);
        assertThatThrownBy(() -> groups.of(before)).isInstanceOf(IllegalStateException.class);
        groups.follow(commit(of("a").version(HttpVersion.HTTP_2), Said.of("v").hosts("b")));
        assertThat(registry.all().getLast().number()).isEqualTo(before.number());
        assertThat(pick(groups.of(registry.all().getLast()))).isEqualTo("b");
        groups.retire(before);
        assertThat(groups.all()).as("the number is another's").hasSize(2);
    }

    private List<Counters.Pool> pools() {
        return new CountersView(List.of(counters)).snapshot().pools();
    }

    @Test
    void nothingGrowsWithTheNumberOfTimes() {
        UpstreamGroups<Plain> groups = groups(of("a"), Said.of("v").hosts("b"));
        for (int i = 0; i < 10_000; i++) {
            Upstream before = registry.all().getLast();
            HttpVersion version = i % 2 == 0 ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1;
            groups.follow(commit(of("a", "n" + i), Said.of("v").hosts("b").version(version)));
            groups.retire(before);
            registry.retire(before);
        }
        assertThat(groups.all()).hasSize(2);
        assertThat(pools()).hasSize(3);
        assertThat(registry.all().getFirst().nodes().getFirst().number()).isZero();
    }

    @Test
    void aNodeIsToldThatOtherSettingsHold() {
        UpstreamGroups<Plain> groups = groups(of("a"));
        Plain a = groups.all().getFirst().nodes().getFirst();
        ClientConfig other = new ClientConfig(1, NOW, NOW, 1, NOW);
        loop.follow(other);
        assertThat(loop.client()).isSameAs(other);
        groups.follow(registry.all());
        assertThat(a.followed).isEqualTo(1);
        commit(of("a").breaker(1, 1));
        groups.tick();
        groups.tick();
        assertThat(a.followed).as("without being told to follow").isEqualTo(2);
    }
}
