package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A client asks for another protocol (RFC 9110 section 7.8), the node agrees, and bytes pass as they are; or it doesn't. */
class TunnelTest {
    private static final String ASK = TunnelEnds.ASK;
    private static final String SWITCH = TunnelEnds.SWITCH;

    private final RawServer nodes = RawServer.start();
    private GatewayFixture gateway = builder().start();

    private void restart(GatewayBuilder builder) {
        gateway.close();
        gateway = builder.start();
    }

    private GatewayBuilder builder() {
        return GatewayFixture.toPorts(nodes.port());
    }

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        nodes.close();
        assertThat(ownFaults).isZero();
    }

    @Test
    void bytesPassBothWaysOnceTheNodeSwitches() throws IOException {
        try (TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            assertThat(ends.request())
                    .startsWith("GET /chat HTTP/1.1\r\n")
                    .contains("\r\nConnection: upgrade\r\n", "\r\nUpgrade: websocket\r\n")
                    .contains("\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n")
                    .contains("\r\nSec-WebSocket-Extensions: permessage-deflate; client_max_window_bits\r\n");
            assertThat(ends.answer().status()).isEqualTo(101);
            assertThat(ends.answer().headers().values("Connection")).containsExactly("upgrade");
            assertThat(ends.answer().headers().values("Upgrade")).containsExactly("websocket");
            assertThat(ends.answer().header("Sec-WebSocket-Accept")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
            assertThat(ends.answer().header("Sec-WebSocket-Extensions")).isEqualTo("permessage-deflate");
            assertThat(ends.answer().headers().has("Content-Length")).isFalse();
            assertThat(ends.answer().header("Via")).isNotNull();

            ends.pass("not a request\r\n\r\n");
            ends.pass("GET / HTTP/1.1\r\n\r\n");
            assertThat(gateway.count(Counter.TUNNELS)).isEqualTo(1);
            assertThat(gateway.count(Counter.TUNNELS_IN_FLIGHT)).isEqualTo(1);
            assertThat(gateway.count(Counter.REQUESTS_IN_FLIGHT)).isEqualTo(1);
        }
        Ask.count(gateway, Counter.TUNNELS_IN_FLIGHT, 0);
        Ask.quiet(gateway);
        assertThat(gateway.count(Counter.REQUESTS_1XX)).isEqualTo(1);
    }

    /** The names are those of the client, in its letter case and form; of several the first that is allowed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Connection: keep-alive, UPGRADE\r\nUpgrade: WebSocket\r\n",
                "Connection: upgrade\r\nUpgrade: h2c, TLS/1.3 ,WebSocket\r\n",
                "Connection: upgrade\r\nUpgrade: h2c\r\nUpgrade:\r\nUpgrade: ,,\tWebSocket\t,websocket\r\n",
                "Connection: upgrade, close\r\nUpgrade: WebSocket\r\nContent-Length: 0\r\n"
            })
    void theFirstOfThoseAllowedIsAskedFor(String fields) throws IOException {
        String ask = "GET /chat HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n";
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ask, SWITCH)) {
            assertThat(ends.request())
                    .containsOnlyOnce("Upgrade: WebSocket\r\n")
                    .doesNotContain("h2c", "TLS");
            assertThat(ends.request()).containsOnlyOnce("Connection: upgrade\r\n");
            ends.pass("hello");
        }
    }

    /** Not allowed, or not in the form in which it could be granted: answered as if nobody had asked. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /x HTTP/1.0\r\nHost: a\r\nConnection: upgrade, keep-alive\r\nUpgrade: websocket\r\n\r\n",
                "POST /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 2\r\n\r\nhi",
                "GET /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
                        + "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket/13\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: web socket, websockets\r\n\r\n",
                "GET /x HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\n"
                        + "HTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n"
            })
    void othersAreRequestsLikeAnyOther(String request) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(asked -> Answer.ok(asked.target()))) {
            restart(GatewayFixture.to(upstream));
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(request).readResponse().bodyText()).isEqualTo("/x");
                assertThat(upstream.requests().getLast().headers().names()).doesNotContain("Connection", "Upgrade");
                assertThat(client.send(Ask.get("/y")).readResponse().bodyText()).isEqualTo("/y");
            }
            boolean granted = !request.contains("h2c") && !request.contains("/13") && !request.contains("sockets");
            assertThat(gateway.count(Counter.UPGRADES_IGNORED)).isEqualTo(granted ? 0 : 1);
            assertThat(gateway.count(Counter.TUNNELS)).isZero();
        }
    }

    @Test
    void nothingIsSwitchedWhereNothingIsAllowed() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(asked -> Answer.ok("plain"))) {
            restart(GatewayFixture.to(upstream).proxyPass("tunnel", new TunnelConfig(List.of(), 1_000_000_000L, 0)));
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(ASK).readResponse().bodyText()).isEqualTo("plain");
                assertThat(upstream.requests().getLast().headers().has("Upgrade"))
                        .isFalse();
            }
            assertThat(gateway.count(Counter.UPGRADES_IGNORED)).isEqualTo(1);
        }
    }

    @Test
    void otherProtocolsPassWhereTheyAreNamed() throws IOException {
        restart(builder().proxyPass("tunnel", new TunnelConfig(List.of("Chat/2"), 1_000_000_000L, 0)));
        String ask = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket, chat/2\r\n\r\n";
        String answer = "HTTP/1.1 101 Go\r\nUpgrade: CHAT/2\r\nConnection: x, upgrade\r\n\r\n";
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ask, answer)) {
            assertThat(ends.request()).contains("Upgrade: chat/2\r\n").doesNotContain("websocket");
            assertThat(ends.answer().header("Upgrade")).isEqualTo("CHAT/2");
            ends.pass("\u0000\u0001\u0002");
        }
    }

    /** A node that isn't asked may not switch, nor to another protocol than the one, nor with a body's framing (RFC 9110 section 15.2.2). */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket, h2c\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocke\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\n\r\n",
                "HTTP/1.1 101 S\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 101 S\r\n\r\n",
                "HTTP/1.0 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\nContent-Length: 5\r\n\r\nhello",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\nTransfer-Encoding: chunked\r\n\r\n"
            })
    void aSwitchThatDoesNotFitIs502(String answer) throws IOException {
        restart(builder().withoutRetries());
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send(answer);
                RawResponse response = client.readResponse();
                assertThat(response.status()).isEqualTo(502);
                assertThat(response.interim()).isEmpty();
                node.expectClosed();
            }
            assertThat(gateway.faults(Fault.UPSTREAM_PROTOCOL)).isEqualTo(1);
            // The connection is one of HTTP as before.
            client.send(Ask.get("/next"));
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                assertThat(client.readResponse().bodyText()).isEqualTo("ok");
            }
        }
    }

    @Test
    void theHeadMayBeCutAnywhere() throws IOException {
        String answer = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" + SWITCH + "first frame";
        try (RawClient bystander = gateway.connect()) {
            for (int cut = 1; cut < answer.length(); cut++) {
                switchInTwo(answer.substring(0, cut), answer.substring(cut), bystander);
            }
        }
        Ask.quiet(gateway);
        assertThat(gateway.faults(Fault.UPSTREAM_PROTOCOL)).isZero();
    }

    private void switchInTwo(String first, String second, RawClient bystander) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send(first);
                // What is asked later is seen later.
                bystander.send("TRACE / HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(bystander.readResponse("TRACE").status()).isEqualTo(405);
                node.send(second);
                assertThat(client.readHead().status()).isEqualTo(103);
                assertThat(client.readHead().status()).isEqualTo(101);
                TunnelEnds.read(client, "first frame");
                client.send("x");
                TunnelEnds.read(node, "x");
            }
        }
    }

    /** What comes behind the request before it was answered belongs to the new protocol, where there is one. */
    @ParameterizedTest
    @ValueSource(strings = {"\u0081\u0005hello", "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"})
    void whatTheClientSendsBehindItsRequestReachesTheNodeAfterTheSwitch(String early) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK + early);
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.expectSilence(Duration.ofMillis(50));
                client.send(early);
                node.send(SWITCH + "at once");
                assertThat(client.readHead().status()).isEqualTo(101);
                TunnelEnds.read(client, "at once");
                TunnelEnds.read(node, early + early);
                client.send("more");
                TunnelEnds.read(node, "more");
            }
        }
    }

    @Test
    void whatComesBehindARequestThatIsNotSwitchedIsARequest() throws IOException {
        try (ScriptedUpstream upstream =
                ScriptedUpstream.start(asked -> asked.target().equals("/chat")
                        ? Answer.of(401).header("WWW-Authenticate", "Basic").body("who?")
                        : Answer.ok(asked.target()))) {
            restart(GatewayFixture.to(upstream));
            try (RawClient client = gateway.connect()) {
                client.send(ASK + Ask.get("/behind"));
                assertThat(client.readResponse().status()).isEqualTo(401);
                assertThat(client.readResponse().bodyText()).isEqualTo("/behind");
                assertThat(client.send(ASK).readResponse().bodyText()).isEqualTo("who?");
                assertThat(upstream.requests().getFirst().headers().first("Upgrade"))
                        .isEqualTo("websocket");
                assertThat(upstream.connectionCount()).isEqualTo(1);
            }
        }
    }

    @Test
    void anOrdinaryAnswerOfAnyLengthPasses() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(asked -> Answer.of(426)
                .header("Upgrade", "websocket")
                .header("Connection", "upgrade")
                .body("a".repeat(100_000)))) {
            restart(GatewayFixture.to(upstream));
            try (RawClient client = gateway.connect()) {
                RawResponse response = client.send(ASK).readResponse();
                assertThat(response.status()).isEqualTo(426);
                assertThat(response.header("Upgrade")).isEqualTo("websocket");
                assertThat(response.bodyText()).hasSize(100_000);
                assertThat(client.send(ASK).readResponse().status()).isEqualTo(426);
            }
        }
    }

    /** Nothing was sent to a node that can't be reached, so another one is asked. */
    @Test
    void anotherNodeIsAskedWhereOneCannotBeReached() throws IOException {
        int nobody;
        try (RawServer closed = RawServer.start()) {
            nobody = closed.port();
        }
        restart(GatewayFixture.toPorts(nobody, nodes.port()));
        for (int i = 0; i < 4; i++) {
            try (TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
                ends.pass("hello " + i);
            }
        }
        assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isPositive();
    }

    /** A node that is lost before it answered may be asked again; once it has switched, nothing is repeated. */
    @Test
    @Tag("plain") // Encrypted, it would say that it ends before its reset.
    void whatWasAnsweredIsNotAskedAgain() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (RawClient lost = nodes.accept()) {
                TunnelEnds.readRequest(lost);
                lost.reset();
            }
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send(SWITCH);
                assertThat(client.readHead().status()).isEqualTo(101);
                node.reset();
            }
            client.expectReset();
        }
        assertThat(nodes.acceptsWithin(Duration.ofMillis(100))).isFalse();
    }

    /** The connection of a tunnel is never used for another request. */
    @Test
    void itsConnectionIsNeverUsedAgain() throws IOException {
        try (TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.pass("hello");
            ends.node().halfClose();
            ends.client().expectCleanClose();
            ends.client().halfClose();
            ends.node().expectCleanClose();
        }
        Ask.quiet(gateway);
        try (RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            try (RawClient node = nodes.accept()) {
                assertThat(TunnelEnds.readRequest(node)).startsWith("GET / ");
                node.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                assertThat(client.readResponse().bodyText()).isEqualTo("ok");
            }
        }
        assertThat(gateway.faults(Fault.CLIENT_GONE)).isZero();
        assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isZero();
    }

    @Test
    void aResponseOfEventsReachesTheClientAsItComes() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("GET /events HTTP/1.1\r\nHost: a\r\nAccept: text/event-stream\r\n\r\n");
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n");
                assertThat(client.readHead().status()).isEqualTo(200);
                for (String event : List.of("d", "ata: 1\n\n", "data: 2\n\n")) {
                    node.send(Integer.toHexString(event.length()) + "\r\n" + event + "\r\n");
                    assertThat(new String(client.readBody(event.length()), StandardCharsets.US_ASCII))
                            .isEqualTo(event);
                }
            }
        }
    }
}
