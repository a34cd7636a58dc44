package net.oooops.sigma.upstream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.config.HealthConfig;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.PassiveConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.config.UpstreamConfig.Discovery;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.tls.NodeTls;
import net.oooops.sigma.upstream.Steering.Use;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** What stays of the Upstreams where another sigma.json is followed. */
class NodeRegistryTest {
    private static final long NOW = TimeUnit.SECONDS.toNanos(1);

    private final NodeRegistry registry = new NodeRegistry();

    private Upstream follow(Said... said) {
        Draft draft = registry.draft();
        for (Said each : said) {
            draft.upstream(each.config());
        }
        draft.commit();
        return registry.all().getFirst();
    }

    private static Said two() {
        return Said.of("u").hosts("a", "b");
    }

    private static Node ejected(Upstream upstream, int index) {
        Node node = upstream.nodes().get(index);
        for (int i = 0; i < 5; i++) {
            upstream.ejection().faulted(node, Node.NO_TRIAL, NOW);
        }
        assertThat(node.state()).isEqualTo(Node.State.EJECTED);
        return node;
    }

    private static NodeTlsConfig tls(String serverName, String pointer) {
        NodeTlsConfig from = Encryption.SHARED.ofNodes("http/1.1");
        return new NodeTlsConfig(
                from.trust(), serverName, null, from.minVersion(), from.ciphers(), from.alpn(), pointer);
    }

    private static NodeTlsConfig trusting(Path file, boolean renewed) {
        NodeTlsConfig from = Encryption.SHARED.ofNodes("http/1.1");
        NodeTlsConfig.Trust trust =
                new NodeTlsConfig.Trust(file, renewed ? List.of() : from.trust().authorities(), List.of(), false);
        return new NodeTlsConfig(
                trust, "localhost", null, TlsConfig.Version.TLS_1_2, from.ciphers(), from.alpn(), "/upstreams/0/ssl");
    }

    @Test
    void whatIsTheSameIsNotTouched() {
        Said said = two().breaker(10, 10).budget(10, 1).tls(tls("localhost", "/upstreams/0/ssl"));
        Upstream upstream = follow(said);
        List<Node> nodes = upstream.nodes();
        Breaker breaker = upstream.breaker();
        RetryBudget budget = upstream.budget();
        Node out = ejected(upstream, 0);

        follow(Said.of("new").hosts("c"), said.tls(tls("localhost", "/upstreams/1/ssl")));
        assertThat(registry.all()).extracting(Upstream::id).containsExactly("new", "u");
        assertThat(registry.find("u")).isSameAs(upstream);
        assertThat(upstream.nodes()).isSameAs(nodes);
        assertThat(upstream.breaker()).isSameAs(breaker);
        assertThat(upstream.budget()).isSameAs(budget);
        assertThat(out.state()).isEqualTo(Node.State.EJECTED);
        assertThat(registry.leaving()).isEmpty();
        registry.close();
    }

    @Test
    void onlyThePartsThatAreOthersBeginAnew() {
        Upstream upstream = follow(two().breaker(10, 10));
        Breaker breaker = upstream.breaker();
        RetryBudget budget = upstream.budget();
        Ejection ejection = upstream.ejection();
        Node a = ejected(upstream, 0);

        assertThat(follow(two().breaker(10, 11))).isSameAs(upstream);
        assertThat(upstream.breaker()).isNotNull().isNotSameAs(breaker);
        assertThat(upstream.budget()).isSameAs(budget);
        breaker = upstream.breaker();
        assertThat(follow(two().breaker(10, 11).budget(50, 7))).isSameAs(upstream);
        assertThat(upstream.budget()).isNotSameAs(budget);
        assertThat(upstream.budget().left()).isEqualTo(35);
        assertThat(upstream.breaker()).isSameAs(breaker);
        assertThat(follow(two().strategy(RuleStrategy.P2C).zone("z"))).isSameAs(upstream);
        assertThat(upstream.breaker()).as("none is said of").isNull();
        assertThat(upstream.config().ruleStrategy()).isEqualTo(RuleStrategy.P2C);
        assertThat(upstream.ejection()).isSameAs(ejection);
        assertThat(upstream.nodes().getFirst()).isSameAs(a);
        assertThat(a.state()).isEqualTo(Node.State.EJECTED);
    }

    @Test
    void nodesThatStayKeepWhatIsKnownOfThem() {
        Upstream upstream = follow(two());
        Node b = ejected(upstream, 1);
        follow(Said.of("u").nodes(new NodeConfig("b", 80, 7, false, "z"), new NodeConfig("c", 80, 1)));
        assertThat(upstream.nodes()).extracting(Node::name).containsExactly("b", "c");
        assertThat(upstream.nodes().getFirst()).isSameAs(b);
        assertThat(b.state()).isEqualTo(Node.State.EJECTED);
        assertThat(b.config().weight()).isEqualTo(7);
        assertThat(b.config().zone()).isEqualTo("z");
    }

    @Test
    void otherSettingsOfEjectionsHoldAtOnce() {
        Upstream upstream = follow(Said.of("u").hosts("a", "b", "c", "d"));
        Node a = ejected(upstream, 0);
        ejected(upstream, 1);
        upstream.checked(upstream.nodes().get(2), "refused", NOW);
        assertThat(upstream.isPanicking()).isTrue();

        follow(Said.of("u").hosts("a", "b", "c", "d").passive(false, 0));
        assertThat(upstream.isPanicking()).isFalse();
        for (int i = 0; i < 10; i++) {
            upstream.ejection().faulted(upstream.nodes().get(3), Node.NO_TRIAL, NOW);
        }
        assertThat(upstream.nodes().get(3).isAvailable()).isTrue();
        // Whoever is out comes back, little by little: nothing is held against it any more.
        upstream.tick(NOW + 1);
        assertThat(a.isAvailable()).isTrue();
        assertThat(upstream.ejection().share(a, NOW + 1)).isLessThan(1);
    }

    private static HealthConfig checked() {
        ActiveCheckConfig checks = new ActiveCheckConfig(
                new ActiveCheckConfig.Tcp("", ""), 0, new ActiveCheckConfig.Rhythm(NOW, NOW, NOW, 0), 1, 1);
        return new HealthConfig(checks, PassiveConfig.DEFAULT);
    }

    @Test
    void nobodyIsDownWhoIsNotCheckedAnyMore() {
        Upstream upstream = follow(two().health(checked()));
        upstream.checked(upstream.nodes().get(0), "refused", NOW);
        assertThat(upstream.isWhole()).isFalse();
        follow(two());
        assertThat(upstream.nodes().get(0).isDown()).isFalse();
        assertThat(upstream.isWhole()).isTrue();
    }

    @Test
    void nodesThatAreFoundStayThoughOthersAreWritten() {
        Discovery file = new Discovery.OfFile(Path.of("nodes.json"));
        Upstream upstream = follow(two().discovery(file));
        upstream.replaceNodes(List.of(new NodeConfig("found", 80, 1)));
        List<Node> found = upstream.nodes();
        follow(Said.of("u").hosts("read").discovery(file).zone("z"));
        assertThat(upstream.nodes()).isSameAs(found);
    }

    static Stream<Said> unlike() {
        return Stream.of(
                two().protocol(Protocol.TCP),
                two().version(HttpVersion.HTTP_2),
                two().tls(tls("localhost", "")),
                two().discovery(new Discovery.OfFile(Path.of("nodes.json"))));
    }

    @ParameterizedTest
    @MethodSource("unlike")
    void whatCanNotBeTheSameIsAnotherOne(Said other) {
        Upstream before = follow(two());
        before.steer("a:80", _ -> Steering.NONE.withUse(Use.DRAINED), NOW);
        Upstream after = follow(other);
        assertThat(after).isNotSameAs(before);
        assertThat(after.id()).isEqualTo("u");
        assertThat(after.number()).isNotEqualTo(before.number());
        assertThat(after.nodes().getFirst().isBarred())
                .as("what an operator says")
                .isTrue();
        assertThat(registry.leaving()).containsExactly(before);
        registry.retire(before);
        registry.retire(before);
        assertThat(registry.leaving()).isEmpty();
        assertThat(follow(other, Said.of("v").hosts("c"))).isSameAs(after);
        assertThat(registry.all().getLast().number()).as("free again").isEqualTo(before.number());
        registry.close();
    }

    private static BreakerConfig guarded(int requestsMax) {
        BreakerConfig from = BreakerConfig.DEFAULT;
        return new BreakerConfig(
                from.connectionsMax(),
                from.pendingMax(),
                requestsMax,
                from.retriesMax(),
                50,
                10 * NOW,
                10,
                5 * NOW,
                2,
                new BreakerConfig.Adaptive(true, 5, 1000, 150));
    }

    private static void fail(Breaker breaker, int requests) {
        for (int i = 0; i < requests; i++) {
            Breaker.Admission admission = breaker.admit();
            breaker.judged(admission, true, -1, NOW);
            breaker.ended(admission, true, true);
        }
    }

    /** Opened, and with a limit that isn't the first one. */
    private static Breaker opened(Upstream upstream) {
        Breaker breaker = Objects.requireNonNull(upstream.breaker());
        for (int i = 1; i < 10; i++) {
            for (int k = 0; k < 60; k++) {
                Breaker.Admission admission = breaker.admit();
                breaker.judged(admission, false, i * NOW, NOW);
            }
            upstream.tick(i * NOW);
        }
        fail(breaker, 600);
        upstream.tick(10 * NOW);
        assertThat(breaker.isOpen()).isTrue();
        assertThat(breaker.limit()).isNotEqualTo(100);
        return breaker;
    }

    @Test
    void anotherBoundOfABreakerClosesItNotAndKeepsWhatItFoundOut() {
        Upstream upstream = follow(two().breaker(guarded(1000)));
        Breaker before = opened(upstream);
        assertThat(follow(two().breaker(guarded(7)))).isSameAs(upstream);
        Breaker after = Objects.requireNonNull(upstream.breaker());
        assertThat(after).isNotSameAs(before);
        assertThat(after.isOpen()).isTrue();
        assertThat(after.limit()).isEqualTo(before.limit());
    }

    /** Where nodes come from has nothing to do with how they are. */
    @Test
    void nodesFromAnotherPlaceAreAsTheyWere() {
        Said written = Said.of("u").hosts("a", "b", "c", "d").breaker(guarded(1000));
        Upstream before = follow(written);
        Breaker breaker = opened(before);
        ejected(before, 1);
        before.ejection().faulted(before.nodes().getFirst(), Node.NO_TRIAL, NOW);

        Upstream after = follow(written.discovery(new Discovery.OfFile(Path.of("nodes.json"))));
        assertThat(after).isNotSameAs(before);
        Breaker guard = Objects.requireNonNull(after.breaker());
        assertThat(guard.isOpen()).isTrue();
        assertThat(guard.limit()).isEqualTo(breaker.limit());
        assertThat(after.budget()).isSameAs(before.budget());
        assertThat(after.nodes().get(1).state()).isEqualTo(Node.State.EJECTED);
        assertThat(after.nodes().get(1).why()).isEqualTo(Cause.FAULTS.text());
        assertThat(after.nodes().get(0).isSuspect()).isTrue();
        assertThat(after.isWhole()).isFalse();
        assertThat(after.ejection().outCount()).isEqualTo(1);
        ejected(after, 2);
        assertThat(after.ejection().outCount()).isEqualTo(2);
    }

    /** They are found later, and their name server says nothing of how they are. */
    @Test
    void nodesThatAreFoundWhereTheyWereWrittenAreAsTheyWere() {
        Said written = Said.of("u").hosts("a", "b", "c", "d");
        ejected(follow(written), 1);
        Upstream after = follow(Said.of("u").discovery(new Discovery.OfSrv("one.test")));
        Upstream last = follow(Said.of("u").discovery(new Discovery.OfSrv("two.test")));
        assertThat(last).isNotSameAs(after);
        assertThat(last.nodes()).as("not found yet").isEmpty();

        NodeConfig[] found = written.config().nodes().toArray(NodeConfig[]::new);
        last.replaceNodes(List.of(found));
        assertThat(last.nodes())
                .extracting(Node::state)
                .containsExactly(Node.State.AVAILABLE, Node.State.EJECTED, Node.State.AVAILABLE, Node.State.AVAILABLE);
        assertThat(last.isWhole()).isFalse();
        assertThat(last.ejection().outCount()).isEqualTo(1);
        assertThat(last.nodes().get(1).why()).isEqualTo(Cause.FAULTS.text());

        last.replaceNodes(List.of(found[0]));
        last.replaceNodes(List.of(found));
        assertThat(last.nodes().get(1).isAvailable())
                .as("it was gone, and is back as another one")
                .isTrue();
    }

    @Test
    void aNodeThatIsAnotherUpstreamsFromNowOnIsAsItWas() {
        follow(
                Said.of("u").hosts("a", "b", "c"),
                Said.of("v").hosts("x", "y", "z"),
                Said.of("gone").hosts("m", "n"));
        ejected(registry.all().get(0), 1);
        ejected(registry.all().get(2), 0);
        follow(
                Said.of("u").hosts("a", "c"),
                Said.of("v").hosts("x", "y", "z", "b"),
                Said.of("new").version(HttpVersion.HTTP_2).hosts("m", "n", "a"));
        Upstream there = registry.all().get(1);
        assertThat(there.nodes()).extracting(Node::isAvailable).containsExactly(true, true, true, false);
        assertThat(there.nodes().getLast().state()).isEqualTo(Node.State.EJECTED);
        assertThat(there.ejection().outCount()).isEqualTo(1);
        assertThat(there.isWhole()).isFalse();
        assertThat(registry.all().getLast().nodes())
                .as("it is spoken to in another way there")
                .extracting(Node::state)
                .containsExactly(Node.State.TRIAL, Node.State.AVAILABLE, Node.State.AVAILABLE);
    }

    /** Each of both goes by what its own requests have shown. */
    @Test
    void aNodeThatStaysIsNothingToAnotherUpstream() {
        follow(two());
        ejected(registry.all().getFirst(), 1);
        follow(two(), Said.of("v").hosts("b", "c"));
        assertThat(registry.all().getFirst().nodes().getLast().state()).isEqualTo(Node.State.EJECTED);
        assertThat(registry.all().getLast().isWhole()).isTrue();
    }

    @Test
    void nodesThatAreSpokenToInAnotherWayAreTriedOut() {
        Upstream before = follow(two());
        ejected(before, 1);
        Upstream after = follow(two().version(HttpVersion.HTTP_2));
        assertThat(after.nodes()).extracting(Node::state).containsExactly(Node.State.AVAILABLE, Node.State.TRIAL);
        assertThat(after.onTrial(after.nodes()).count()).isEqualTo(1);
        assertThat(after.budget()).isNotSameAs(before.budget());
    }

    /** No request may see it without them, or go to one that is known to be down. */
    @Test
    void whoTakesTheOthersPlaceBeginsWithTheNodesOfItsName() {
        Discovery service = new Discovery.OfSrv("one.test");
        Said srv = Said.of("u").discovery(service).health(checked());
        Upstream before = follow(srv);
        before.replaceNodes(List.of(new NodeConfig("a", 80, 1), new NodeConfig("b", 80, 3)));
        before.checked(before.nodes().getLast(), "refused", NOW);

        Upstream after = follow(srv.protocol(Protocol.TCP));
        assertThat(after).isNotSameAs(before);
        assertThat(after.nodes()).extracting(Node::name).containsExactly("a:80", "b:80");
        assertThat(after.nodes()).extracting(Node::isDown).containsExactly(false, true);
        assertThat(after.nodes().getLast().why()).isEqualTo("refused");
        assertThat(after.isWhole()).isFalse();

        Upstream unchecked = follow(Said.of("u").discovery(service).protocol(Protocol.HTTP));
        assertThat(unchecked.nodes()).extracting(Node::isDown).containsExactly(false, false);
        Upstream other = follow(Said.of("u").discovery(new Discovery.OfSrv("two.test")));
        assertThat(other.nodes()).as("of another service").isEmpty();
    }

    @Test
    void tlsIsTheSameByWhatIsSaid() {
        Upstream upstream = follow(two().tls(tls("localhost", "/a")));
        assertThat(follow(two().tls(tls("localhost", "/b")))).isSameAs(upstream);
        assertThat(follow(two().tls(tls("other", "/b")))).isNotSameAs(upstream);
        NodeTls before = Objects.requireNonNull(upstream.tls());
        assertThat(before.isClosed()).as("exchanges are under way").isFalse();
        registry.retire(upstream);
        assertThat(before.isClosed()).isTrue();
        registry.close();
    }

    @Test
    void aRenewedFileIsTheSame() {
        NodeTlsConfig before = trusting(Path.of("ca.pem"), false);
        assertThat(before.isAs(trusting(Path.of("ca.pem"), true))).isTrue();
        assertThat(before.isAs(trusting(Path.of("other.pem"), false))).isFalse();
    }

    @Test
    void whoIsInUseIsNotRetired() {
        Upstream upstream = follow(two());
        assertThatThrownBy(() -> registry.retire(upstream)).isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aDraftThatIsDiscardedLeavesAllAsItWas() {
        Upstream upstream = follow(two());
        UpstreamConfig config = upstream.config();
        List<Node> nodes = upstream.nodes();
        Draft draft = registry.draft();
        assertThat(draft.upstream(Said.of("u").hosts("c").breaker(1, 1).config()))
                .isSameAs(upstream);
        Upstream made =
                draft.upstream(Said.of("v").hosts("d").tls(tls("localhost", "")).config());
        assertThat(draft.find("v")).isSameAs(made);
        assertThat(draft.find("w")).isNull();
        assertThat(draft.all()).containsExactly(upstream, made);
        assertThat(registry.find("v")).as("before it is committed").isNull();
        assertThatThrownBy(registry::draft).isInstanceOf(IllegalStateException.class);

        draft.discard();
        assertThat(upstream.config()).isSameAs(config);
        assertThat(upstream.nodes()).isSameAs(nodes);
        assertThat(upstream.breaker()).isNull();
        assertThat(registry.all()).containsExactly(upstream);
        assertThat(Objects.requireNonNull(made.tls()).isClosed()).isTrue();
        assertThatThrownBy(draft::commit).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(draft::discard).isInstanceOf(IllegalStateException.class);
        assertThat(follow(two(), Said.of("v").hosts("d"))).isSameAs(upstream);
        assertThat(registry.all().getLast().number()).as("free again").isEqualTo(made.number());
    }

    @Test
    void numbersStaySmall() {
        Upstream stays = follow(two(), Said.of("v").hosts("a"));
        for (int i = 0; i < 10_000; i++) {
            HttpVersion version = i % 2 == 0 ? HttpVersion.HTTP_2 : HttpVersion.HTTP_1_1;
            Upstream before = registry.all().getLast();
            follow(two(), Said.of("v").hosts("a").version(version));
            Upstream after = registry.all().getLast();
            assertThat(after).isNotSameAs(before);
            assertThat(after.number()).isLessThanOrEqualTo(2);
            registry.retire(before);
        }
        assertThat(registry.all().getFirst()).isSameAs(stays);
        assertThat(registry.leaving()).isEmpty();
    }

    @Test
    void whatIsLeavingGoesOnInTime() {
        Upstream upstream = follow(two());
        Node out = ejected(upstream, 0);
        follow(Said.of("v").hosts("c"));
        registry.tick(NOW + TimeUnit.MINUTES.toNanos(10));
        assertThat(out.state()).isEqualTo(Node.State.TRIAL);
    }

    @Test
    void aWorkerHasOneTallyHoweverOftenItBegins() {
        Node node = follow(two()).nodes().getFirst();
        NodeTally first = node.tally(1);
        for (int i = 0; i < 10_000; i++) {
            assertThat(node.tally(1)).isSameAs(first);
        }
        assertThat(node.tallies()).hasSize(2);
        assertThat(node.tally(0)).isNotSameAs(first);
    }

    @Test
    void aBreakerOffIsNone() {
        assertThat(follow(two().breaker(BreakerConfig.NONE, BreakerConfig.NONE)).breaker())
                .isNull();
    }

    /** Silence has a node of the first one ejected, for a time that there isn't. */
    @Test
    void whereOneCanNotBeLookedAtTheOthersAre() {
        PassiveConfig broken = new PassiveConfig(true, 5, 5, 5, NOW, NOW, 20, -100 * NOW, -100 * NOW, 50, 50, 3, NOW);
        Draft draft = registry.draft();
        Upstream bad = draft.upstream(Said.of("bad")
                .hosts("a", "b")
                .health(new HealthConfig(null, broken))
                .config());
        Upstream good = draft.upstream(two().config());
        draft.commit();
        NodeTally heard = bad.nodes().get(0).tally(0);
        heard.answered(1, NOW);
        bad.nodes().get(1).tally(0).silent(3);
        Node node = ejected(good, 0);
        registry.tick(NOW + TimeUnit.MINUTES.toNanos(2));
        assertThat(bad.nodes().get(1).state()).isEqualTo(Node.State.AVAILABLE);
        assertThat(node.state()).isEqualTo(Node.State.TRIAL);
    }
}
