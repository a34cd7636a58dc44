package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.http2.Http2Client.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** CONNECT where a route names it, over HTTP/2 on either side (RFC 9113 section 8.5). */
class Http2ConnectTest {
    private static final String AUTHORITY = "other.example:443";

    private final RawServer nodes = RawServer.start();
    private GatewayFixture gateway = builder().start();

    private GatewayBuilder builder() {
        return GatewayFixture.toPorts(nodes.port()).route("/*", List.of("CONNECT"));
    }

    private void toHttp2Nodes() {
        gateway.close();
        gateway = builder().http2Nodes().start();
    }

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        nodes.close();
        assertThat(ownFaults).isZero();
    }

    private static Http2Client ask(Http2Client client, int stream, String... more) throws IOException {
        String[] fields = new String[4 + more.length];
        fields[0] = ":method";
        fields[1] = "CONNECT";
        fields[2] = ":authority";
        fields[3] = AUTHORITY;
        System.arraycopy(more, 0, fields, 4, more.length);
        return client.headers(stream, false, fields);
    }

    private static String readRequest(RawClient node) throws IOException {
        StringBuilder head = new StringBuilder();
        while (head.indexOf("\r\n\r\n") < 0) {
            head.append((char) node.readExactly(1)[0]);
        }
        return head.toString();
    }

    private static String text(Http2Client client) throws IOException {
        return new String(client.await(Http2Client.DATA).payload(), ISO_8859_1);
    }

    @Test
    void aStreamBecomesATunnel() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            ask(client, 1, "proxy-authorization", "Basic YTpi").data(1, false, "early");
            try (RawClient node = nodes.accept()) {
                assertThat(readRequest(node))
                        .startsWith("CONNECT " + AUTHORITY + " HTTP/1.1\r\n")
                        .containsOnlyOnce("\r\nHost: " + AUTHORITY + "\r\n")
                        .containsIgnoringCase("\r\nProxy-Authorization: Basic YTpi\r\n")
                        .doesNotContain("Upgrade", "Transfer-Encoding", "Content-Length");
                node.expectSilence(Duration.ofMillis(50));
                node.send("HTTP/1.1 201 Fine\r\nContent-Length: 7\r\n\r\nhello, longer");
                Frame head = client.await(Http2Client.HEADERS);
                assertThat(client.fields(head)).containsEntry(":status", "201").doesNotContainKey("content-length");
                assertThat(head.has(Http2Client.END_STREAM)).isFalse();
                assertThat(text(client)).isEqualTo("hello, longer");
                assertThat(new String(node.readExactly(5), ISO_8859_1)).isEqualTo("early");
                client.data(1, true, "last");
                assertThat(new String(node.readUntilClose(), ISO_8859_1)).isEqualTo("last");
                node.halfClose();
                assertThat(client.await(Http2Client.DATA).has(Http2Client.END_STREAM))
                        .isTrue();
            }
        }
        Await.until("ended", () -> gateway.count(Counter.TUNNELS_IN_FLIGHT) == 0);
        assertThat(gateway.count(Counter.TUNNELS)).isEqualTo(1);
    }

    @Test
    void aNodeOfHttp2GetsTheAuthorityAlone() throws IOException {
        toHttp2Nodes();
        try (RawClient client = gateway.connect()) {
            client.send("CONNECT " + AUTHORITY + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\nearly");
            // It needn't have announced anything.
            try (TunnelNode node = new TunnelNode(Http2Client.node(nodes))) {
                assertThat(node.awaitAsked())
                        .containsEntry(":method", "CONNECT")
                        .containsEntry(":authority", AUTHORITY)
                        .doesNotContainKeys(":scheme", ":path", ":protocol", "host", "content-length");
                node.agree(1, "content-length", "3").send(1, "to the client");
                assertThat(client.readHead("CONNECT").status()).isEqualTo(200);
                assertThat(new String(client.readExactly(13), ISO_8859_1)).isEqualTo("to the client");
                node.read(1, "early");
                client.reset();
                assertThat(node.awaitReset(1)).isEqualTo(Http2Error.CANCEL.code());
            }
        }
    }

    @Test
    void anyOtherAnswerOfANodeOfHttp2Passes() throws IOException {
        toHttp2Nodes();
        try (RawClient client = gateway.connect()) {
            client.send(
                    "CONNECT " + AUTHORITY + " HTTP/1.1\r\nHost: a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            try (TunnelNode node = new TunnelNode(Http2Client.node(nodes))) {
                node.awaitAsked();
                node.frames().headers(1, true, ":status", "407", "proxy-authenticate", "Basic realm=\"a\"");
                assertThat(client.readResponse("GET").status()).isEqualTo(407);
                client.expectCleanClose();
                assertThat(node.frames().await(Http2Client.DATA).has(Http2Client.END_STREAM))
                        .isTrue();
            }
        }
    }

    @Test
    void aRefusalOfTheNodesPasses() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            ask(client, 1).data(1, false, "early");
            try (RawClient node = nodes.accept()) {
                readRequest(node);
                node.send("HTTP/1.1 407 No\r\nProxy-Authenticate: Basic\r\nContent-Length: 4\r\n\r\nwho?");
                Response response = client.response(1);
                assertThat(response.status()).isEqualTo(407);
                assertThat(response.head()).containsEntry("proxy-authenticate", "Basic");
                assertThat(response.text()).isEqualTo("who?");
                // The connection is there for others.
                ask(client, 3);
                assertThat(readRequest(node)).startsWith("CONNECT ");
            }
        }
    }

    /** The end with the head: the client has nothing to say. */
    @Test
    void aClientThatEndsAtOnceHasHalfATunnel() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.headers(1, true, ":method", "CONNECT", ":authority", AUTHORITY);
            try (RawClient node = nodes.accept()) {
                readRequest(node);
                node.send("HTTP/1.1 200 OK\r\n\r\nhello");
                assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "200");
                assertThat(text(client)).isEqualTo("hello");
                node.expectCleanClose();
            }
        }
    }

    @Test
    void whatHasABodyOrIsNoAuthorityIsRefused() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            assertThat(ask(client, 1, "content-length", "5").response(1).status())
                    .isEqualTo(400);
            client.headers(3, false, ":method", "CONNECT", ":authority", "other.example");
            assertThat(client.response(3).status()).isEqualTo(400);
            client.headers(5, false, ":method", "CONNECT", ":authority", AUTHORITY, ":path", "/", ":scheme", "http");
            assertThat(client.response(5).status()).isEqualTo(400);
        }
        assertThat(nodes.acceptsWithin(Duration.ofMillis(50))).isFalse();
    }

    @Test
    void itIsRefusedByDefault() throws IOException {
        try (GatewayFixture plain = GatewayFixture.toPorts(nodes.port()).start();
                Http2Client client = Http2Client.connect(plain)) {
            assertThat(ask(client, 1).data(1, false, "early").response(1).status())
                    .isEqualTo(405);
            client.headers(3, true, ":method", "CONNECT", ":authority", AUTHORITY);
            assertThat(client.response(3).status()).isEqualTo(405);
            assertThat(ask(client, 5, "content-length", "5").response(5).status())
                    .isEqualTo(405);
        }
        assertThat(nodes.acceptsWithin(Duration.ofMillis(50))).isFalse();
    }
}
