package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.config.UpstreamConfig.RuleStrategy;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawHead;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients ask for another protocol, and their node speaks HTTP/2 (RFC 8441): how it is asked, and what becomes of its answer. */
class TunnelsToHttp2NodesTest {
    private static final String ASK = "GET /chat?room=1 HTTP/1.1\r\nHost: a.example\r\nConnection: Upgrade, X-Hop\r\n"
            + "Upgrade: WebSocket\r\nX-Hop: 1\r\nContent-Length: 0\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
            + "Sec-WebSocket-Extensions: permessage-deflate\r\n\r\n";

    private final RawServer nodes = RawServer.start();
    private final GatewayFixture gateway =
            GatewayFixture.toPorts(nodes.port()).http2Nodes().start();

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        nodes.close();
        assertThat(ownFaults).isZero();
    }

    private static void read(RawClient client, String text) throws IOException {
        assertThat(new String(client.readExactly(text.length()), StandardCharsets.ISO_8859_1))
                .isEqualTo(text);
    }

    @Test
    void anUpgradeBecomesAConnect() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK + "early");
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                assertThat(node.awaitAsked())
                        .containsEntry(":method", "CONNECT")
                        .containsEntry(":protocol", "websocket")
                        .containsEntry(":scheme", "http")
                        .containsEntry(":path", "/chat?room=1")
                        .containsEntry(":authority", "a.example")
                        .containsEntry("sec-websocket-version", "13")
                        .containsEntry("sec-websocket-extensions", "permessage-deflate")
                        .containsKeys("via", "x-forwarded-for")
                        .doesNotContainKeys("host", "connection", "upgrade", "x-hop", "sec-websocket-key")
                        .doesNotContainKeys("content-length", "te");
                node.agree(1, "sec-websocket-extensions", "permessage-deflate", "sec-websocket-accept", "no");
                RawHead answer = client.readHead();
                assertThat(answer.status()).isEqualTo(101);
                assertThat(answer.headers().values("Connection")).containsExactly("upgrade");
                assertThat(answer.headers().values("Upgrade")).containsExactly("WebSocket");
                assertThat(answer.headers().values("Sec-WebSocket-Accept"))
                        .containsExactly("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
                assertThat(answer.header("Sec-WebSocket-Extensions")).isEqualTo("permessage-deflate");
                node.read(1, "early");
                client.send("GET / HTTP/1.1\r\n\r\n");
                node.read(1, "GET / HTTP/1.1\r\n\r\n");
                node.send(1, "to the client");
                read(client, "to the client");
                assertThat(gateway.count(Counter.TUNNELS)).isEqualTo(1);
                assertThat(gateway.count(Counter.TUNNELS_IN_FLIGHT)).isEqualTo(1);
            }
        }
        Await.until("ended", () -> gateway.count(Counter.TUNNELS_IN_FLIGHT) == 0);
        assertThat(gateway.count(Counter.REQUESTS_1XX)).isEqualTo(1);
    }

    @Test
    void aConnectOfTheClientsStaysOne() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            Http2TunnelTest.ask(client, 1).data(1, false, "early");
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                assertThat(node.awaitAsked())
                        .containsEntry(":method", "CONNECT")
                        .containsEntry(":protocol", "websocket")
                        .containsEntry(":path", "/chat")
                        .containsEntry("sec-websocket-protocol", "chat")
                        .doesNotContainKey("sec-websocket-key");
                node.agree(1, "sec-websocket-protocol", "chat");
                assertThat(client.fields(client.await(Http2Client.HEADERS)))
                        .containsEntry(":status", "200")
                        .containsEntry("sec-websocket-protocol", "chat")
                        .doesNotContainKeys("sec-websocket-accept", "upgrade", "connection");
                node.read(1, "early");
                node.send(1, "late");
                assertThat(new String(client.await(Http2Client.DATA).payload(), StandardCharsets.ISO_8859_1))
                        .isEqualTo("late");
            }
        }
    }

    /** Those without a handshake of their own, in the client's spelling. */
    @Test
    void otherProtocolsPassWhereTheyAreNamed() throws IOException {
        try (GatewayFixture naming = GatewayFixture.toPorts(nodes.port())
                        .http2Nodes()
                        .proxyPass("tunnel", new TunnelConfig(List.of("chat/2"), 1_000_000_000L, 0))
                        .start();
                RawClient client = naming.connect()) {
            client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket, Chat/2\r\n\r\n");
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                assertThat(node.awaitAsked()).containsEntry(":protocol", "Chat/2");
                node.agree(1).send(1, "hello");
                RawHead answer = client.readHead();
                assertThat(answer.header("Upgrade")).isEqualTo("Chat/2");
                assertThat(answer.headers().has("Sec-WebSocket-Accept")).isFalse();
                read(client, "hello");
            }
        }
    }

    /** What is said of a body's length isn't meant (RFC 9110 section 9.3.6); interim responses pass before. */
    @Test
    void whatComesBehindSuccessIsNoBody() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                node.awaitAsked();
                node.frames().headers(1, false, ":status", "103", "link", "</a>");
                node.frames().headers(1, false, ":status", "204", "content-length", "3", "trailer", "x");
                node.send(1, "more than three");
                assertThat(client.readHead().status()).isEqualTo(103);
                RawHead answer = client.readHead();
                assertThat(answer.status()).isEqualTo(101);
                assertThat(answer.headers().has("Content-Length")).isFalse();
                read(client, "more than three");
            }
        }
    }

    @Test
    void anyOtherAnswerPassesAndTheConnectionsStay() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK + "GET /behind HTTP/1.1\r\nHost: a\r\n\r\n");
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                node.awaitAsked();
                node.frames().headers(1, false, ":status", "403", "content-length", "2");
                // There is nothing more to say for the client.
                assertThat(node.frames().await(Http2Client.DATA).has(Http2Client.END_STREAM))
                        .isTrue();
                node.frames().data(1, true, "no");
                RawResponse refused = client.readResponse();
                assertThat(refused.status()).isEqualTo(403);
                assertThat(refused.bodyText()).isEqualTo("no");
                Frame next = node.frames().await(Http2Client.HEADERS);
                assertThat(node.frames().fields(next)).containsEntry(":path", "/behind");
                node.frames().headers(next.stream(), true, ":status", "204");
                assertThat(client.readResponse().status()).isEqualTo(204);
            }
        }
        assertThat(gateway.count(Counter.TUNNELS)).isZero();
    }

    @Test
    void aRedirectionOfAConnectPasses() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            Http2TunnelTest.ask(client, 1);
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                node.awaitAsked();
                node.frames().headers(1, true, ":status", "302", "location", "/other");
                assertThat(client.response(1).head())
                        .containsEntry(":status", "302")
                        .containsEntry("location", "/other");
            }
        }
    }

    /** RFC 8441 section 3: a node that hasn't announced it isn't asked. */
    @Test
    void aNodeThatDoesNotAnnounceItIsNotAsked() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (Http2Client node = Http2Client.node(nodes)) {
                RawResponse response = client.readResponse();
                assertThat(response.status()).isEqualTo(501);
                assertThat(gateway.faults(Fault.TUNNEL_UNSUPPORTED)).isEqualTo(1);
                // Known by now.
                assertThat(client.send(ASK).readResponse().status()).isEqualTo(501);
                client.send("GET /after HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(node.fields(node.await(Http2Client.HEADERS)))
                        .containsEntry(":method", "GET")
                        .containsEntry(":path", "/after");
                node.headers(1, true, ":status", "204");
                assertThat(client.readResponse().status()).isEqualTo(204);
            }
        }
        assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
    }

    @Test
    void anotherNodeIsAskedWhereOneDoesNotTakeIt() throws IOException {
        try (RawServer others = RawServer.start();
                GatewayFixture both = GatewayFixture.toPorts(nodes.port(), others.port())
                        .strategy(RuleStrategy.ROUND_ROBIN)
                        .http2Nodes()
                        .start();
                RawClient first = both.connect();
                RawClient second = both.connect()) {
            first.send(ASK);
            second.send(ASK);
            try (Http2Client _ = Http2Client.node(nodes);
                    TunnelNode taking = TunnelNode.accept(others)) {
                taking.awaitAsked();
                taking.awaitAsked();
                taking.agree(1).agree(3);
                assertThat(first.readHead().status()).isEqualTo(101);
                assertThat(second.readHead().status()).isEqualTo(101);
            }
        }
    }

    /** Requests don't wait for what a node announces; what asks for another protocol does. */
    @Test
    void theNodesSettingsAreWaitedFor() throws IOException {
        try (RawClient client = gateway.connect();
                RawClient beside = gateway.connect()) {
            client.send(ASK);
            try (TunnelNode node = TunnelNode.acceptUnsettled(nodes)) {
                beside.send("GET /beside HTTP/1.1\r\nHost: a\r\n\r\n");
                assertThat(node.frames().fields(node.frames().await(Http2Client.HEADERS)))
                        .containsEntry(":path", "/beside");
                client.expectSilence(Duration.ofMillis(50));
                node.announce(true);
                assertThat(node.awaitAsked()).containsEntry(":path", "/chat?room=1");
                node.agree(3);
                assertThat(client.readHead().status()).isEqualTo(101);
                node.frames().headers(1, true, ":status", "204");
                assertThat(beside.readResponse().status()).isEqualTo(204);
            }
        }
        assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
    }

    @Test
    void aNodeThatAnnouncesNothingIsNotWaitedForForEver() throws IOException {
        try (GatewayFixture brief = GatewayFixture.toPorts(nodes.port())
                        .http2Nodes()
                        .client("waitTimeoutNanos", Duration.ofMillis(300))
                        .start();
                RawClient client = brief.connect()) {
            client.send(ASK);
            try (TunnelNode _ = TunnelNode.acceptUnsettled(nodes)) {
                assertThat(client.readResponse().status()).isEqualTo(503);
            }
            assertThat(brief.faults(Fault.POOL_TIMEOUT)).isEqualTo(1);
        }
    }

    @Test
    void anAnnouncementThatIsNoneEndsTheConnection() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n");
            try (Http2Client node = Http2Client.node(nodes, 8, 2)) {
                assertThat(node.error()).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
            }
        }
    }

    /** Nobody but Sigma sees the client's key there. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Sec-WebSocket-Key: \r\n",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ=\r\n",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ!!\r\n",
                "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZTE=\r\n"
            })
    void aHandshakeThatCannotBeAnsweredIs400(String key) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(
                    "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n" + key + "\r\n");
            try (TunnelNode node = TunnelNode.accept(nodes);
                    RawClient beside = gateway.connect()) {
                assertThat(client.readResponse().status()).isEqualTo(400);
                beside.send("GET /beside HTTP/1.1\r\nHost: a\r\n\r\n");
                Map<String, String> first = node.frames().fields(node.frames().await(Http2Client.HEADERS));
                assertThat(first).containsEntry(":path", "/beside");
            }
        }
    }

    /** REFUSED_STREAM: the node hasn't looked at it. */
    @Test
    void whatTheNodeDidNotLookAtIsAskedAgain() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                node.awaitAsked();
                node.frames().reset(1, Http2Error.REFUSED_STREAM.code());
                assertThat(node.awaitAsked()).containsEntry(":method", "CONNECT");
                node.agree(3);
                assertThat(client.readHead().status()).isEqualTo(101);
            }
        }
    }

    @Test
    void aClientThatLeavesBeforeTheAnswerGivesItUp() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                node.awaitAsked();
                client.reset();
                assertThat(node.awaitReset(1)).isEqualTo(Http2Error.CANCEL.code());
            }
        }
    }
}
