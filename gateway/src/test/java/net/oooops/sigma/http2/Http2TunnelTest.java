package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http.WebSocketKey;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** WebSockets over HTTP/2 (RFC 8441), to nodes that speak HTTP/1.1. */
class Http2TunnelTest {
    private static final Pattern KEY = Pattern.compile("(?i)\r\nSec-WebSocket-Key: (.*)\r\n");

    private volatile Step next = Answer.ok("");
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(
            request -> request.target().startsWith("/chat") ? next : Answer.ok(request.target()));
    private final GatewayFixture gateway = GatewayFixture.to(upstream).start();

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    static Http2Client ask(Http2Client client, int stream) throws IOException {
        return client.headers(
                stream,
                false,
                ":method",
                "CONNECT",
                ":protocol",
                "websocket",
                ":scheme",
                "http",
                ":path",
                "/chat",
                ":authority",
                "a.example",
                "sec-websocket-version",
                "13",
                "sec-websocket-protocol",
                "chat");
    }

    @Test
    void bytesPassBothWays() throws IOException {
        next = Handshakes.switching("early");
        try (Http2Client client = Http2Client.connect(gateway)) {
            // What it says before it knows waits.
            ask(client, 1).data(1, false, "pi");
            Frame head = client.await(Http2Client.HEADERS);
            assertThat(client.fields(head))
                    .containsEntry(":status", "200")
                    .containsEntry("sec-websocket-protocol", "chat")
                    .doesNotContainKeys("upgrade", "connection", "sec-websocket-accept");
            assertThat(head.has(Http2Client.END_STREAM)).isFalse();
            assertThat(new String(client.await(Http2Client.DATA).payload(), ISO_8859_1))
                    .isEqualTo("early");
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.method()).isEqualTo("GET");
            assertThat(seen.header("Upgrade")).isEqualTo("websocket");
            assertThat(seen.header("Connection")).isEqualToIgnoringCase("upgrade");
            assertThat(seen.header("Sec-WebSocket-Key")).hasSize(24);
            assertThat(seen.header("Host")).isEqualTo("a.example");
            client.data(1, false, "ng");
            assertThat(client.get(3, "/beside").response(3).text()).isEqualTo("/beside");
            client.data(1, true, "");
            Await.until("ended", () -> gateway.count(Counter.TUNNELS_IN_FLIGHT) == 0);
            assertThat(gateway.count(Counter.TUNNELS)).isEqualTo(1);
        }
    }

    /** What it said before it knew reaches the node though nothing else follows. */
    @Test
    void earlyBytesReachTheNode() throws IOException {
        try (RawServer nodes = RawServer.start();
                GatewayFixture before = GatewayFixture.toPorts(nodes.port()).start();
                Http2Client client = Http2Client.connect(before)) {
            ask(client, 1).data(1, false, "early");
            try (RawClient node = nodes.accept()) {
                StringBuilder head = new StringBuilder();
                while (head.indexOf("\r\n\r\n") < 0) {
                    head.append((char) node.readExactly(1)[0]);
                }
                Matcher key = KEY.matcher(head);
                assertThat(key.find()).isTrue();
                node.send(Handshakes.switched("Sec-WebSocket-Accept: " + WebSocketKey.answerTo(key.group(1)) + "\r\n"));
                assertThat(new String(node.readExactly(5), ISO_8859_1)).isEqualTo("early");
            }
        }
    }

    @Test
    void aNodeThatSaysNothingIsNotWaitedForForEver() throws IOException {
        next = Script.script().awaitPeerClose();
        try (GatewayFixture brief = GatewayFixture.to(upstream)
                        .proxyPass("responseTimeoutNanos", 300_000_000L)
                        .start();
                Http2Client client = Http2Client.connect(brief)) {
            assertThat(ask(client, 1).response(1).status()).isEqualTo(504);
        }
    }

    @Test
    void aNodeThatDoesNotSwitchIsNoTunnel() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            next = Script.script().respond(Answer.of(426).body("no"));
            assertThat(ask(client, 1).response(1).status()).isEqualTo(426);
            next = Script.script().respond(Answer.ok("a page"));
            assertThat(ask(client, 3).response(3).status()).isEqualTo(501);
            assertThat(client.get(5, "/beside").response(5).text()).isEqualTo("/beside");
        }
    }

    /** RFC 6455 section 4.1: Sigma is the client of that handshake, and has to verify its answer. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n",
                "Sec-WebSocket-Accept:\r\n",
                "Sec-WebSocket-Accept: %1$s\r\nSec-WebSocket-Accept: %1$s\r\n"
            })
    void aNodeThatDoesNotShowThatItUnderstoodIs502(String fields) throws IOException {
        next = Handshakes.answering(accept -> String.format(fields, accept), Script::awaitPeerClose);
        try (Http2Client client = Http2Client.connect(gateway)) {
            assertThat(ask(client, 1).response(1).status()).isEqualTo(502);
            assertThat(gateway.faults(Fault.WEBSOCKET_ACCEPT)).isEqualTo(1);
            assertThat(gateway.count(Counter.TUNNELS)).isZero();
            upstream.awaitClosed(upstream.requests().getLast().connection());
            assertThat(client.get(3, "/beside").response(3).text()).isEqualTo("/beside");
        }
    }

    /** There is none in HTTP/2: the node of HTTP/1.1 gets one key, Sigma's. */
    @Test
    void aKeyOfTheClientsDoesNotReachTheNode() throws IOException {
        next = Handshakes.switching("early");
        String theirs = "dGhlIHNhbXBsZSBub25jZQ==";
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.headers(
                    1,
                    false,
                    ":method",
                    "CONNECT",
                    ":protocol",
                    "websocket",
                    ":scheme",
                    "http",
                    ":path",
                    "/chat",
                    ":authority",
                    "a.example",
                    "sec-websocket-key",
                    theirs);
            assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "200");
            assertThat(upstream.requests().getLast().headers().values("Sec-WebSocket-Key"))
                    .hasSize(1)
                    .doesNotContain(theirs);
        }
    }

    @Test
    void theClientsResetEndsIt() throws IOException {
        next = Handshakes.answering(accept -> "Sec-WebSocket-Accept: " + accept + "\r\n", Script::awaitPeerClose);
        try (Http2Client client = Http2Client.connect(gateway)) {
            ask(client, 1).await(Http2Client.HEADERS);
            client.reset(1, Http2Error.CANCEL.code());
            upstream.awaitClosed(upstream.requests().getLast().connection());
            Await.until("ended", () -> gateway.count(Counter.TUNNELS_IN_FLIGHT) == 0);
        }
    }

    @Test
    void connectWithoutProtocolIsNotForwarded() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.headers(1, false, ":method", "CONNECT", ":authority", "other.example:443");
            assertThat(client.response(1).status()).isEqualTo(405);
        }
    }
}
