package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.NodeConfig;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Handshakes agree on another version than the last one did ({@code "protocol": "auto"}) while requests wait for them. */
class ChangedVersionTest {
    private static final Duration LONG = Duration.ofSeconds(30);

    private final Gate answers = new Gate();
    private final ScriptedUpstream upstream =
            ScriptedUpstream.startOnHead(request -> request.target().startsWith("/late")
                    ? Script.script().stall(answers).respond(200, "late")
                    : Script.script().readBody().respond(Answer.ok(request.target())));
    private final GatewayFixture old = GatewayFixture.to(upstream)
            .tls(Encryption.SHARED.speaking("http/1.1"))
            .start();
    /** Takes one request at a time on each connection. */
    private final GatewayFixture both = GatewayFixture.to(upstream)
            .http2Limit("streamsMax", 1)
            .tls(Encryption.SHARED.speaking("h2", "http/1.1"))
            .start();

    private final SwitchedRelay relay = new SwitchedRelay(old.port());
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void stop() throws IOException {
        answers.release();
        clients.forEach(RawClient::close);
        relay.close();
        old.close();
        both.close();
        upstream.close();
    }

    private GatewayBuilder front() {
        return GatewayFixture.toPorts(relay.port())
                .nodeTls(Encryption.SHARED.ofNodes("h2", "http/1.1"))
                .nodeVersion(HttpVersion.AGREED)
                .client("waitTimeoutNanos", LONG)
                .client("connectTimeoutNanos", LONG);
    }

    private RawClient ask(GatewayFixture front, String method, String target) throws IOException {
        RawClient client = front.connect();
        clients.add(client);
        return client.send(method + " " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
    }

    private static Counters.Pool pool(GatewayFixture front) {
        return front.counters().pools().getFirst();
    }

    private static void assertNoOwnFault(GatewayFixture front) {
        assertThat(front.faults(Fault.INTERNAL)).isZero();
    }

    /** It was to be one of HTTP/1.1, and is of use for nobody any more when it turns out to be one of HTTP/2. */
    @Test
    void whoseNodeIsGoneByTheEndOfItsHandshakeGoesElsewhere() throws IOException {
        Gate handshake = new Gate();
        try (GatewayFixture front = front().start()) {
            RawClient first = ask(front, "GET", "/late");
            upstream.awaitHeads(1);
            relay.hold(handshake);
            relay.leadTo(both.port());
            RawClient second = ask(front, "POST", "/second");
            Await.until("another connection is opened", () -> pool(front).open() == 2);
            front.gateway().upstreams().getFirst().replaceNodes(List.of(new NodeConfig("127.0.0.1", both.port(), 1)));
            String gone = "127.0.0.1:" + relay.port();
            Await.until(
                    "the node is gone",
                    () -> front.counters().pools().stream()
                            .noneMatch(pool -> pool.node().equals(gone)));
            handshake.release();
            assertThat(second.readResponse().bodyText()).isEqualTo("/second");
            answers.release();
            assertThat(first.readResponse().bodyText()).isEqualTo("late");
            assertNoOwnFault(front);
        }
    }

    /** Of HTTP/2 there is one connection, which takes nothing more, and what is opened turns out to be HTTP/1.1. */
    @Test
    void whoWaitsBesideAFullConnectionIsServedByOthers() throws IOException {
        Gate handshake = new Gate();
        relay.leadTo(both.port());
        try (GatewayFixture front = front().start()) {
            RawClient first = ask(front, "GET", "/late");
            upstream.awaitHeads(1);
            relay.hold(handshake);
            relay.leadTo(old.port());
            RawClient second = ask(front, "GET", "/second");
            RawClient third = ask(front, "POST", "/third");
            Await.until("both wait", () -> pool(front).waiting() == 2);
            handshake.release();
            assertThat(second.readResponse().bodyText()).isEqualTo("/second");
            assertThat(third.readResponse().bodyText()).isEqualTo("/third");
            answers.release();
            assertThat(first.readResponse().bodyText()).isEqualTo("late");
            assertNoOwnFault(front);
        }
    }

    /** As many of each version as may be, at most. */
    @Test
    void thoseOthersAreBounded() throws IOException {
        relay.leadTo(both.port());
        try (GatewayFixture front = front().client("maxPoolSizePerServer", 2).start()) {
            RawClient first = ask(front, "GET", "/late");
            upstream.awaitHeads(1);
            relay.leadTo(old.port());
            List<RawClient> others = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                others.add(ask(front, "GET", "/late/" + i));
            }
            upstream.awaitHeads(4);
            Await.until("the others wait", () -> pool(front).waiting() == 3);
            assertThat(pool(front).open()).isEqualTo(4);
            answers.release();
            assertThat(first.readResponse().bodyText()).isEqualTo("late");
            for (RawClient other : others) {
                assertThat(other.readResponse().bodyText()).isEqualTo("late");
            }
            assertNoOwnFault(front);
        }
    }
}
