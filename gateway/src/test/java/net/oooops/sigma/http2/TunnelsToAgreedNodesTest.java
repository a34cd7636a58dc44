package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.UpstreamConfig.HttpVersion;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawHead;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Clients ask for another protocol, and their node has agreed on HTTP/2 ({@code "protocol": "auto"}) without taking any on its streams: it is
 * asked in HTTP/1.1.
 */
class TunnelsToAgreedNodesTest {
    private static final String ASK = "GET /chat HTTP/1.1\r\nHost: a.example\r\nConnection: upgrade\r\n"
            + "Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final String SWITCHED =
            Handshakes.switched("Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n");
    private static final String GET = "GET /page HTTP/1.1\r\nHost: a.example\r\n\r\n";
    private static final int ENABLE_CONNECT_PROTOCOL = 8;

    private final AgreeingServer nodes = new AgreeingServer("h2", "http/1.1");
    private final GatewayFixture gateway = before(nodes).start();

    private static GatewayBuilder before(AgreeingServer nodes) {
        return GatewayFixture.toPorts(nodes.port())
                .nodeTls(Encryption.SHARED.ofNodes("h2", "http/1.1"))
                .nodeVersion(HttpVersion.AGREED);
    }

    @AfterEach
    void stop() throws IOException {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        nodes.close();
        assertThat(ownFaults).isZero();
    }

    /** The head of a request, as its node got it. */
    private static String readRequest(RawClient node) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.length() < 4 || head.indexOf("\r\n\r\n", head.length() - 4) < 0) {
            head.append((char) node.readExactly(1)[0]);
        }
        return head.toString();
    }

    private static void read(RawClient from, String text) throws IOException {
        assertThat(new String(from.readExactly(text.length()), StandardCharsets.ISO_8859_1))
                .isEqualTo(text);
    }

    private static void switches(RawClient client, RawClient node) throws IOException {
        assertThat(readRequest(node))
                .startsWith("GET /chat HTTP/1.1\r\n")
                .containsIgnoringCase("\r\nUpgrade: websocket\r\n")
                .contains("\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n");
        node.send(SWITCHED + "hello");
        RawHead answer = client.readHead();
        assertThat(answer.status()).isEqualTo(101);
        assertThat(answer.header("Sec-WebSocket-Accept")).isEqualTo("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
        read(client, "hello");
        client.send("back");
        read(node, "back");
    }

    private static void answers(Http2Client node, RawClient client) throws IOException {
        client.send(GET);
        Frame head = node.await(Http2Client.HEADERS);
        assertThat(node.fields(head)).containsEntry(":method", "GET").containsEntry(":path", "/page");
        node.headers(head.stream(), true, ":status", "204");
        assertThat(client.readResponse().status()).isEqualTo(204);
    }

    private Counters.Pool pool() {
        return gateway.counters().pools().getFirst();
    }

    /** The first one finds out; from then on nobody asks in HTTP/2, and requests still do. */
    @Test
    void whatHttp2DoesNotTakeIsAskedForInHttp11() throws IOException {
        try (RawClient first = gateway.connect();
                RawClient second = gateway.connect();
                RawClient third = gateway.connect()) {
            first.send(ASK);
            try (Http2Client node = nodes.acceptHttp2();
                    RawClient firstNode = nodes.acceptHttp11()) {
                switches(first, firstNode);
                answers(node, third);
                second.send(ASK);
                try (RawClient secondNode = nodes.acceptHttp11()) {
                    switches(second, secondNode);
                }
                answers(node, third);
                assertThat(gateway.gateway().nodes().getFirst().agreed()).isEqualTo(HttpVersion.HTTP_2);
            }
        }
        assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(3);
        assertThat(gateway.count(Counter.TUNNELS)).isEqualTo(2);
        assertThat(gateway.faults(Fault.TUNNEL_UNSUPPORTED)).isZero();
    }

    /** It needs no connection of HTTP/2 to be remembered. */
    @Test
    void thatIsRememberedBeyondTheConnection() throws IOException {
        try (RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            first.send(ASK);
            try (Http2Client _ = nodes.acceptHttp2();
                    RawClient firstNode = nodes.acceptHttp11()) {
                switches(first, firstNode);
            }
            Await.until("its connections are gone", () -> pool().open() == 0);
            second.send(ASK);
            try (RawClient secondNode = nodes.acceptHttp11()) {
                switches(second, secondNode);
            }
        }
    }

    @Test
    void clientsOfHttp2AreServedSoToo() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            Http2TunnelTest.ask(client, 1);
            try (Http2Client _ = nodes.acceptHttp2();
                    RawClient node = nodes.acceptHttp11()) {
                assertThat(readRequest(node))
                        .startsWith("GET /chat HTTP/1.1\r\n")
                        .containsIgnoringCase("\r\nUpgrade: websocket\r\n");
                node.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
                assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "403");
            }
        }
    }

    /** An answer that isn't 101 leaves a connection of HTTP/1.1, which is there for the next one that asks. */
    @Test
    void aConnectionThatWasNotSwitchedIsUsedAgain() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (Http2Client node = nodes.acceptHttp2();
                    RawClient beside = nodes.acceptHttp11()) {
                readRequest(beside);
                beside.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 2\r\n\r\nno");
                assertThat(client.readResponse().bodyText()).isEqualTo("no");
                answers(node, client);
                client.send(ASK);
                switches(client, beside);
            }
        }
        assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(2);
    }

    @Test
    void theirConnectionsAreBounded() throws IOException {
        try (GatewayFixture narrow = before(nodes)
                        .client("maxPoolSizePerServer", 1)
                        .client("waitTimeoutNanos", Duration.ofSeconds(30))
                        .start();
                RawClient first = narrow.connect();
                RawClient second = narrow.connect();
                RawClient third = narrow.connect()) {
            first.send(ASK);
            try (Http2Client node = nodes.acceptHttp2()) {
                try (RawClient firstNode = nodes.acceptHttp11()) {
                    switches(first, firstNode);
                    second.send(ASK);
                    Await.until(
                            "it waits",
                            () -> narrow.counters().pools().getFirst().waiting() == 1);
                    answers(node, third);
                }
                try (RawClient secondNode = nodes.acceptHttp11()) {
                    switches(second, secondNode);
                }
            }
        }
    }

    /** It is another one behind the same address, or was set up anew. */
    @Test
    void aNodeThatTakesThemLaterIsAskedInHttp2Again() throws IOException {
        try (RawClient first = gateway.connect();
                RawClient second = gateway.connect();
                RawClient third = gateway.connect()) {
            first.send(ASK);
            try (Http2Client _ = nodes.acceptHttp2();
                    RawClient firstNode = nodes.acceptHttp11()) {
                switches(first, firstNode);
            }
            Await.until("its connections are gone", () -> pool().open() == 0);
            second.send(GET);
            try (Http2Client node = nodes.acceptHttp2(ENABLE_CONNECT_PROTOCOL, 1)) {
                Frame head = node.await(Http2Client.HEADERS);
                node.headers(head.stream(), true, ":status", "204");
                assertThat(second.readResponse().status()).isEqualTo(204);
                third.send(ASK);
                Frame asked = node.await(Http2Client.HEADERS);
                assertThat(node.fields(asked)).containsEntry(":method", "CONNECT");
                node.headers(asked.stream(), false, ":status", "200");
                assertThat(third.readHead().status()).isEqualTo(101);
            }
        }
    }

    /** That isn't held against it: it speaks HTTP/2 as well as before. */
    @Test
    void aNodeThatSpeaksHttp2AloneDoesNotTakeThem() throws IOException {
        try (AgreeingServer alone = new AgreeingServer("h2");
                GatewayFixture front = before(alone).passive("faultsMax", 1).start();
                RawClient client = front.connect()) {
            client.send(ASK);
            try (Http2Client node = alone.acceptHttp2()) {
                alone.refuse();
                RawResponse response = client.readResponse();
                assertThat(response.status()).isEqualTo(501);
                assertThat(front.faults(Fault.TUNNEL_UNSUPPORTED)).isEqualTo(1);
                assertThat(front.gateway().nodes().getFirst().isAvailable()).isTrue();
                assertThat(front.gateway().nodes().getFirst().isSuspect()).isFalse();
                answers(node, client);
            }
        }
    }

    /** One that is written as h2 is asked in nothing else. */
    @Test
    void aNodeOfH2IsNotAskedInHttp11() throws IOException {
        try (RawServer plain = RawServer.start();
                GatewayFixture front =
                        GatewayFixture.toPorts(plain.port()).http2Nodes().start();
                RawClient client = front.connect()) {
            client.send(ASK);
            try (Http2Client _ = Http2Client.node(plain)) {
                assertThat(client.readResponse().status()).isEqualTo(501);
            }
            assertThat(front.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
        }
    }
}
