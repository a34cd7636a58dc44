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
import net.oooops.sigma.config.ActiveCheckConfig;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawHead;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Nodes with which each handshake agrees on a version of HTTP ({@code "protocol": "auto"}): here other gateways, before an upstream. */
class AgreedNodesTest {
    private static final long CHECK_NANOS = 100_000_000;
    private static final ActiveCheckConfig CHECKS = new ActiveCheckConfig(
            new ActiveCheckConfig.Http("/health", "GET", null, List.of(new ActiveCheckConfig.Statuses(200, 299)), null),
            0,
            new ActiveCheckConfig.Rhythm(CHECK_NANOS, CHECK_NANOS, 20 * CHECK_NANOS, 0),
            1,
            1);
    private static final String ASK = "GET /next HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final String[] BOTH = {"h2", "http/1.1"};
    private static final String[] OLD = {"http/1.1"};

    private volatile Step next = Answer.ok("");
    private final ScriptedUpstream upstream =
            ScriptedUpstream.startOnHead(request -> request.target().startsWith("/next")
                    ? next
                    : Script.script().readBody().respond(Answer.ok(request.target())));
    private final int port = FreePorts.several(1)[0];
    private final GatewayFixture gateway = agreeing(GatewayFixture.toPorts(port))
            .client("waitTimeoutNanos", Duration.ofSeconds(20))
            .passive("enabled", false)
            .start();

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    private static GatewayBuilder agreeing(GatewayBuilder with) {
        return with.nodeTls(Encryption.SHARED.ofNodes(BOTH)).nodeVersion(HttpVersion.AGREED);
    }

    private GatewayFixture node(String... alpn) {
        return GatewayFixture.to(upstream)
                .port(port)
                .tls(Encryption.SHARED.speaking(alpn))
                .start();
    }

    private RawResponse ask(String request) throws IOException {
        try (RawClient client = gateway.connect()) {
            return client.send(request).readResponse();
        }
    }

    private static String get(String target) {
        return "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n";
    }

    private static String post(String target) {
        return "POST " + target + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    }

    private Counters.Pool pool() {
        return gateway.counters().pools().getFirst();
    }

    @Test
    void aNodeThatAgreesOnHttp2IsSpokenToInIt() throws IOException {
        try (GatewayFixture node = node(BOTH)) {
            for (int i = 0; i < 5; i++) {
                assertThat(ask(post("/" + i)).bodyText()).isEqualTo("/" + i);
            }
            assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
        }
    }

    /** Also one that knows nothing of ALPN. */
    @ParameterizedTest
    @ValueSource(strings = {"http/1.1", ""})
    void aNodeThatAgreesOnNothingElseGetsHttp11(String alpn) throws IOException {
        try (GatewayFixture node = alpn.isEmpty() ? node() : node(alpn)) {
            for (int i = 0; i < 5; i++) {
                assertThat(ask(post("/" + i)).bodyText()).isEqualTo("/" + i);
            }
            assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isZero();
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
        }
    }

    private List<RawClient> crowd(int count) throws IOException {
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            clients.add(gateway.connect());
            clients.getLast().send(i % 2 == 0 ? get("/next") : post("/next"));
        }
        return clients;
    }

    private static void answered(List<RawClient> clients) throws IOException {
        for (RawClient client : clients) {
            RawResponse response = client.readResponse();
            assertThat(response.status()).as(response.toString()).isEqualTo(200);
            client.close();
        }
    }

    @Test
    void aCrowdThatWaitsForTheFirstHandshakeOpensOneConnection() throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(200, "late");
        List<RawClient> clients = crowd(60);
        Await.until("all wait", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 60);
        try (GatewayFixture node = node(BOTH)) {
            upstream.awaitHeads(60);
            assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(1);
            gate.release();
            answered(clients);
        }
    }

    @Test
    void aCrowdThatWaitsForTheFirstHandshakeIsServedInHttp11() throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(200, "late");
        List<RawClient> clients = crowd(60);
        Await.until("all wait", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 60);
        try (GatewayFixture node = node(OLD)) {
            upstream.awaitHeads(60);
            assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isZero();
            gate.release();
            answered(clients);
            Await.until("they are idle", () -> pool().idle() == 60 && pool().open() == 60);
        }
    }

    /** One that is started again as another version costs nobody a request, whatever its method. */
    @Test
    void aNodeMayBecomeAnotherVersion() throws IOException {
        String[][] turns = {BOTH, OLD, BOTH, BOTH, OLD, OLD, BOTH};
        for (String[] alpn : turns) {
            try (GatewayFixture node = node(alpn)) {
                for (int i = 0; i < 4; i++) {
                    RawResponse response = ask(i % 2 == 0 ? post("/x") : get("/x"));
                    assertThat(response.status()).as(response.toString()).isEqualTo(200);
                }
                assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(alpn == BOTH ? 1 : 0);
            }
        }
    }

    /** As many connections as HTTP/1.1 needs are opened before the first handshake says otherwise: one of them stays. */
    @Test
    void aCrowdThatMeetsAnUpgradedNodeIsServed() throws IOException {
        try (GatewayFixture before = node(OLD)) {
            assertThat(ask(get("/x")).status()).isEqualTo(200);
            assertThat(before.count(Counter.HTTP2_CONNECTIONS)).isZero();
        }
        Await.until("its connection is gone", () -> pool().open() == 0);
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(200, "late");
        List<RawClient> clients = crowd(60);
        Await.until("all wait", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 60);
        try (GatewayFixture after = node(BOTH)) {
            upstream.awaitHeads(61);
            gate.release();
            answered(clients);
            assertThat(after.count(Counter.HTTP2_CONNECTIONS)).isPositive();
            Await.until("one stays", () -> pool().open() == 1 && pool().idle() == 1);
        }
    }

    @Test
    void aCrowdThatMeetsADowngradedNodeIsServed() throws IOException {
        try (GatewayFixture before = node(BOTH)) {
            assertThat(ask(get("/x")).status()).isEqualTo(200);
            assertThat(before.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(1);
        }
        Await.until("its connection is gone", () -> pool().open() == 0);
        List<RawClient> clients = crowd(60);
        Await.until("all wait", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 60);
        try (GatewayFixture after = node(OLD)) {
            answered(clients);
            assertThat(after.count(Counter.HTTP2_CONNECTIONS)).isZero();
        }
    }

    /** What is under way on connections of the one version ends there, while the next handshake has agreed on the other. */
    @Test
    void connectionsOfBothVersionsMayBeThereAtOnce() throws IOException {
        Gate gate = new Gate();
        try (GatewayFixture old = GatewayFixture.to(upstream)
                        .tls(Encryption.SHARED.speaking(OLD))
                        .start();
                GatewayFixture both = GatewayFixture.to(upstream)
                        .tls(Encryption.SHARED.speaking(BOTH))
                        .start();
                SwitchedRelay relay = new SwitchedRelay(old.port());
                GatewayFixture front =
                        agreeing(GatewayFixture.toPorts(relay.port())).start();
                RawClient first = front.connect();
                RawClient second = front.connect();
                RawClient third = front.connect()) {
            next = Script.script().stall(gate).respond(200, "late");
            first.send(get("/next"));
            upstream.awaitHeads(1);
            relay.leadTo(both.port());
            assertThat(second.send(get("/second")).readResponse().bodyText()).isEqualTo("/second");
            assertThat(both.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(1);
            relay.leadTo(old.port());
            assertThat(second.send(get("/again")).readResponse().bodyText()).isEqualTo("/again");
            gate.release();
            assertThat(first.readResponse().bodyText()).isEqualTo("late");
            assertThat(third.send(get("/third")).readResponse().bodyText()).isEqualTo("/third");
            assertThat(front.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(2);
            Await.until(
                    "that of HTTP/1.1 is closed",
                    () -> front.counters().pools().getFirst().open() == 1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "http/1.1"})
    void checksAgreeOnAVersionToo(String alpn) throws IOException {
        try (GatewayFixture node = node(alpn);
                GatewayFixture checking = agreeing(GatewayFixture.toHost("localhost", port))
                        .checked(CHECKS)
                        .start()) {
            Await.until("two pass", () -> upstream.requestCount() >= 2);
            assertThat(node.count(Counter.HTTP2_CONNECTIONS) > 0).isEqualTo(alpn.equals("h2"));
            assertThat(checking.gateway().checks())
                    .allMatch(check -> check.why().isEmpty());
        }
    }

    /** Nodes of {@code h2://}. */
    @Test
    void checksAskNodesThatSpeakHttp2Only() throws IOException {
        try (GatewayFixture node = node("h2");
                GatewayFixture checking = GatewayFixture.toHost("localhost", port)
                        .nodeTls(Encryption.SHARED.ofNodes("h2"))
                        .http2Nodes()
                        .checked(CHECKS)
                        .start()) {
            Await.until("two pass", () -> upstream.requestCount() >= 2);
            assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isPositive();
            assertThat(checking.gateway().checks())
                    .allMatch(check -> check.why().isEmpty());
        }
    }

    /** What asks for another protocol before it is known which version the node speaks goes on in that. */
    @ParameterizedTest
    @ValueSource(strings = {"h2", "http/1.1"})
    void anUpgradeIsAskedForInTheVersionAgreedOn(String alpn) throws IOException {
        next = Handshakes.switching("hello");
        try (GatewayFixture node = node(alpn);
                RawClient client = gateway.connect()) {
            client.send(ASK);
            RawHead answer = client.readHead();
            assertThat(answer.status()).isEqualTo(101);
            assertThat(answer.header("Sec-WebSocket-Accept")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
            assertThat(client.readExactly(5)).asString().isEqualTo("hello");
            assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(alpn.equals("h2") ? 1 : 0);
            assertThat(node.count(Counter.TUNNELS)).isEqualTo(1);
        }
    }

    /** A try in HTTP/2, which has no Host, leaves it and the key for the next one, in HTTP/1.1. */
    @Test
    void aTryInHttp2LeavesAllFieldsForOneInHttp11() throws IOException {
        try (ScriptedUpstream failing =
                        ScriptedUpstream.start(asked -> Answer.of(503).body("no"));
                GatewayFixture both = GatewayFixture.to(failing)
                        .tls(Encryption.SHARED.speaking(BOTH))
                        .withoutRetries()
                        .start();
                GatewayFixture _ = node(OLD);
                GatewayFixture front = agreeing(GatewayFixture.toPorts(both.port(), port))
                        .passive("enabled", false)
                        .start();
                RawClient client = front.connect()) {
            for (int i = 0; i < 4; i++) {
                client.send("GET /" + i + " HTTP/1.1\r\nHost: a.example\r\nSec-WebSocket-Key: mine\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("/" + i);
                assertThat(upstream.requests().getLast().header("Host")).isEqualTo("a.example");
                assertThat(upstream.requests().getLast().header("Sec-WebSocket-Key"))
                        .isEqualTo("mine");
            }
            assertThat(failing.requestCount()).isPositive();
        }
    }
}
