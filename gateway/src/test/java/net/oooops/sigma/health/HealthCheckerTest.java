package net.oooops.sigma.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.HealthConfig;
import net.oooops.sigma.config.NodeTlsConfig;
import net.oooops.sigma.config.TlsConfig;
import net.oooops.sigma.config.UpstreamConfig;
import net.oooops.sigma.health.CheckView.State;
import net.oooops.sigma.names.NameServer;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import net.oooops.sigma.tls.NodeTls;
import org.junit.jupiter.api.Test;

/** When nodes are asked, what is told of them, and how that ends. */
class HealthCheckerTest {

    @Test
    void aNodeThatFailsAndComesBackIsToldAfterSoManyInARow() {
        AtomicBoolean broken = new AtomicBoolean();
        try (CheckedNodes nodes = new CheckedNodes();
                ScriptedUpstream node =
                        ScriptedUpstream.start(request -> broken.get() ? Answer.of(503) : Answer.ok("fine"))) {
            String name = "127.0.0.1:" + node.port();
            nodes.checker().watch(CheckedNodes.upstream(CheckedNodes.get(null), CheckedNodes.FAST, node.port()));
            nodes.awaitCount("passed", 5);
            assertThat(nodes.told().subList(0, 2)).containsExactly("passed " + name, "up " + name);
            assertThat(nodes.count("up")).isEqualTo(1);

            broken.set(true);
            nodes.awaitCount("down", 1);
            List<String> until = nodes.told();
            String failed = "failed " + name + " status 503 (expected: 200-399)";
            int down = until.indexOf("down " + name + " status 503 (expected: 200-399)");
            assertThat(until.subList(down - 4, down)).containsExactly("passed " + name, failed, failed, failed);
            assertThat(nodes.view().state()).isEqualTo(State.UNHEALTHY);
            assertThat(nodes.view().why()).isEqualTo("status 503 (expected: 200-399)");

            broken.set(false);
            nodes.awaitCount("up", 2);
            List<String> all = nodes.told();
            int up = all.lastIndexOf("up " + name);
            assertThat(all.subList(up - 2, up)).containsExactly("passed " + name, "passed " + name);
            assertThat(all.get(up - 3)).endsWith(" " + name + " status 503 (expected: 200-399)");
            assertThat(nodes.view().state()).isEqualTo(State.HEALTHY);
            assertThat(nodes.view().why()).isEmpty();
            assertThat(nodes.view().latencyNanos()).isPositive();
        }
    }

    @Test
    void theFirstCheckDecidesAloneAndAnUnhealthyNodeIsAskedAtAnIntervalOfItsOwn() {
        try (CheckedNodes nodes = new CheckedNodes();
                PortHold refusing = ScriptedUpstream.refusedPort();
                ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("fine"))) {
            nodes.checker()
                    .watch(CheckedNodes.upstream(
                            CheckedNodes.get(null),
                            CheckedNodes.rhythm(3_600_000, 10, 8000),
                            refusing.port(),
                            node.port()));
            nodes.awaitCount("failed", 10);
            String refused = " 127.0.0.1:" + refusing.port() + " Connection refused";
            assertThat(nodes.told()).contains("down" + refused, "up 127.0.0.1:" + node.port());
            assertThat(nodes.told().indexOf("down" + refused))
                    .isEqualTo(nodes.told().indexOf("failed" + refused) + 1);
            assertThat(nodes.count("passed")).isEqualTo(1);
            assertThat(node.requestCount()).isEqualTo(1);
        }
    }

    @Test
    void anotherListOfNodesKeepsWhatIsKnownOfThoseThatStay() {
        try (CheckedNodes nodes = new CheckedNodes();
                ScriptedUpstream stays = ScriptedUpstream.start(request -> Answer.ok("fine"));
                ScriptedUpstream goes = ScriptedUpstream.start(request -> Answer.ok("fine"));
                ScriptedUpstream comes = ScriptedUpstream.start(request -> Answer.ok("fine"))) {
            ActiveCheckConfig config = new ActiveCheckConfig(CheckedNodes.get(null), 0, CheckedNodes.FAST, 2, 3);
            nodes.checker().watch(CheckedNodes.upstream(config, "127.0.0.1", stays.port(), goes.port()));
            nodes.awaitCount("passed 127.0.0.1:" + goes.port(), 3);
            nodes.checker().watch(CheckedNodes.upstream(config, "127.0.0.1", comes.port(), stays.port()));
            nodes.awaitCount("passed 127.0.0.1:" + comes.port(), 3);

            assertThat(nodes.checker().views())
                    .extracting(CheckView::node)
                    .containsExactly("127.0.0.1:" + comes.port(), "127.0.0.1:" + stays.port());
            long ofGone = nodes.count("passed 127.0.0.1:" + goes.port());
            nodes.awaitCount("passed 127.0.0.1:" + stays.port(), nodes.count("passed 127.0.0.1:" + stays.port()) + 3);
            assertThat(nodes.count("passed 127.0.0.1:" + goes.port())).isEqualTo(ofGone);
            assertThat(nodes.count("up 127.0.0.1:" + stays.port())).isEqualTo(1);
            assertThat(nodes.count("up 127.0.0.1:" + comes.port())).isEqualTo(1);
        }
    }

    /** What was found over another version, or without TLS, says nothing of how its node stands now. */
    @Test
    void aNodeThatIsSpokenToInAnotherWayIsCheckedAnew() {
        NodeTlsConfig insecure = new NodeTlsConfig(
                new NodeTlsConfig.Trust(null, List.of(), List.of(), true),
                null,
                null,
                TlsConfig.Version.TLS_1_2,
                TlsConfig.CIPHERS_DEFAULT,
                List.of(),
                "");
        NodeTls tls = new NodeTls(insecure);
        try (CheckedNodes nodes = new CheckedNodes();
                PortHold refusing = ScriptedUpstream.refusedPort()) {
            UpstreamConfig plain = CheckedNodes.upstream(
                    CheckedNodes.get(null), CheckedNodes.rhythm(3_600_000, 3_600_000, 8000), refusing.port());
            nodes.checker().watch(plain);
            nodes.awaitCount("failed", 1);
            nodes.checker().watch(plain);
            nodes.checker().watch(in(plain, UpstreamConfig.HttpVersion.HTTP_2));
            nodes.awaitCount("failed", 2);
            nodes.encrypt(tls);
            nodes.checker().watch(in(plain, UpstreamConfig.HttpVersion.HTTP_2));
            nodes.awaitCount("failed", 3);
            nodes.checker().watch(in(plain, UpstreamConfig.HttpVersion.HTTP_2));
            nodes.stop();
            assertThat(nodes.count("failed")).isEqualTo(3);
            assertThat(nodes.count("down")).as("each is the first of its kind").isEqualTo(3);
            assertThat(nodes.count("unchecked")).isZero();
        } finally {
            tls.close();
        }
    }

    private static UpstreamConfig in(UpstreamConfig config, UpstreamConfig.HttpVersion version) {
        return new UpstreamConfig(
                config.id(),
                config.discovery(),
                config.ruleStrategy(),
                config.protocol(),
                config.nodes(),
                config.health(),
                config.budget(),
                config.breaker(),
                config.zone(),
                config.hash(),
                config.sticky(),
                version,
                config.tls());
    }

    @Test
    void whoListensLaterIsToldWhatIsKnown() {
        try (CheckedNodes nodes = new CheckedNodes();
                PortHold refusing = ScriptedUpstream.refusedPort();
                ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("fine"))) {
            nodes.checker()
                    .watch(CheckedNodes.upstream(
                            CheckedNodes.get(null),
                            CheckedNodes.rhythm(3_600_000, 3_600_000, 8000),
                            refusing.port(),
                            node.port()));
            nodes.awaitCount("up", 1);
            nodes.awaitCount("down", 1);
            nodes.checker().tellAgain("u");
            nodes.checker().tellAgain("another");
            nodes.awaitCount("up", 2);
            nodes.stop();
            assertThat(nodes.told())
                    .endsWith(
                            "down 127.0.0.1:" + refusing.port() + " Connection refused", "up 127.0.0.1:" + node.port())
                    .hasSize(6);
        }
    }

    @Test
    void anUpstreamWithoutChecksIsForgotten() {
        try (CheckedNodes nodes = new CheckedNodes();
                ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("fine"))) {
            UpstreamConfig checked = CheckedNodes.upstream(
                    CheckedNodes.get(null), CheckedNodes.rhythm(3_600_000, 10, 8000), node.port());
            nodes.checker().watch(checked);
            nodes.awaitCount("up", 1);
            nodes.checker()
                    .watch(new UpstreamConfig(
                            "u",
                            checked.discovery(),
                            checked.ruleStrategy(),
                            checked.protocol(),
                            checked.nodes(),
                            HealthConfig.DEFAULT));
            Await.until("no node is checked", () -> nodes.checker().views().isEmpty());
            assertThat(nodes.count("unchecked 127.0.0.1:" + node.port())).isEqualTo(1);
            nodes.checker().watch(checked);
            nodes.awaitCount("up", 2);
            nodes.checker().forget("u");
            nodes.awaitCount("unchecked", 2);
            Await.until("no node is checked", () -> nodes.checker().views().isEmpty());
        }
    }

    @Test
    void noMoreThanTheBoundAreAskedAtOnceAndTheOthersInTheirTurn() {
        Gate gate = new Gate();
        Script answering =
                Script.script().readRequest().stall(gate).respond(200, "").awaitPeerClose();
        int count = HealthChecker.CHECKS_MAX + 40;
        try (CheckedNodes nodes = new CheckedNodes();
                ScriptedUpstream node = ScriptedUpstream.play(answering)) {
            for (int i = 0; i < count; i++) {
                UpstreamConfig one = CheckedNodes.upstream(
                        CheckedNodes.get(null), CheckedNodes.rhythm(3_600_000, 3_600_000, 60_000), node.port());
                nodes.checker()
                        .watch(new UpstreamConfig(
                                "u" + i,
                                one.discovery(),
                                one.ruleStrategy(),
                                one.protocol(),
                                one.nodes(),
                                one.health()));
            }
            node.awaitHeads(HealthChecker.CHECKS_MAX);
            assertThat(node.connectionCount()).isEqualTo(HealthChecker.CHECKS_MAX);
            gate.release();
            nodes.awaitCount("up", count);
            assertThat(node.connectionCount()).isEqualTo(count);
        }
    }

    @Test
    void nothingIsToldAfterItsEndAndNoConnectionIsLeft() {
        try (CheckedNodes nodes = new CheckedNodes();
                ScriptedUpstream hanging = ScriptedUpstream.blackhole();
                ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("fine"))) {
            nodes.checker()
                    .watch(CheckedNodes.upstream(
                            CheckedNodes.get(null),
                            CheckedNodes.rhythm(60_000, 60_000, 60_000),
                            hanging.port(),
                            node.port()));
            hanging.awaitHeads(1);
            nodes.awaitCount("passed", 1);
            nodes.stop();
            List<String> told = nodes.told();
            assertThat(nodes.checker().views()).isEmpty();
            hanging.awaitAllClosed();
            node.awaitAllClosed();
            assertThat(told).isEqualTo(nodes.told()).noneMatch(line -> line.startsWith("failed"));
        }
    }

    @Test
    void theAddressesOfANameAreAskedInTurn() {
        try (NameServer dns = NameServer.start();
                CheckedNodes nodes = new CheckedNodes(dns.address());
                ScriptedUpstream one = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withHost("127.0.0.2"), request -> Answer.ok("fine"));
                ScriptedUpstream other = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withHost("127.0.0.3").withPort(one.port()),
                        request -> Answer.ok("fine"))) {
            dns.answer("node.test", 3600, "127.0.0.2", "127.0.0.3");
            ActiveCheckConfig config = new ActiveCheckConfig(CheckedNodes.get(null), 0, CheckedNodes.FAST, 3, 3);
            nodes.checker().watch(CheckedNodes.upstream(config, "node.test", one.port()));
            nodes.awaitCount("passed node.test:" + one.port(), 6);
            assertThat(one.request(0).header("Host")).isEqualTo("node.test:" + one.port());
            assertThat(one.requestCount() - other.requestCount()).isBetween(-1, 1);

            // One address that fails never makes so many in a row.
            other.stopAccepting();
            nodes.awaitCount("failed", 6);
            assertThat(nodes.count("down")).isZero();

            one.stopAccepting();
            nodes.awaitCount("down", 1);
            // Nor does it keep the node from coming back.
            try (ScriptedUpstream again = ScriptedUpstream.start(
                    UpstreamOptions.defaults().withHost("127.0.0.2").withPort(one.port()),
                    request -> Answer.ok("fine"))) {
                again.awaitHeads(3);
                nodes.awaitCount("up", 2);
            }
        }
    }

    @Test
    void aNameThatIsNoneFails() {
        try (CheckedNodes nodes = new CheckedNodes()) {
            ActiveCheckConfig config =
                    new ActiveCheckConfig(CheckedNodes.get(null), 0, CheckedNodes.rhythm(60_000, 60_000, 5000), 2, 3);
            nodes.checker().watch(CheckedNodes.upstream(config, "no-such-host.invalid", 80));
            assertThat(nodes.first()).startsWith("failed no-such-host.invalid:80 ");
        }
    }

    /** Else a node that is up again would stay down, as nothing changes any more. */
    @Test
    void whatCouldNotBeToldIsToldWithTheNextCheck() {
        try (CheckedNodes nodes = new CheckedNodes();
                ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("fine"))) {
            nodes.throwOnce();
            nodes.checker().watch(CheckedNodes.upstream(CheckedNodes.get(null), CheckedNodes.FAST, node.port()));
            nodes.awaitCount("passed", 3);
            assertThat(nodes.told().subList(0, 2))
                    .containsExactly("passed 127.0.0.1:" + node.port(), "up 127.0.0.1:" + node.port());
            assertThat(nodes.count("up")).isEqualTo(1);
        }
    }
}
