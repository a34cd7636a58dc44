package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http2.Http2Client.Response;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A call whose answer has begun, and ends before it is complete: its client is told by which status, as by the node itself. */
class GrpcCutTest {
    private static final String UNAVAILABLE = "14";
    private static final byte[] MESSAGE = {0, 0, 0, 0, 3, 'a', 'b', 'c'};
    private static final byte[] PART = {0, 0, 0, 0, 9, 'a', 'b', 'c'};
    private static final byte[] PREFIX = {0, 0, 0};

    private final RawServer nodes = RawServer.start();
    private final GatewayFixture gateway =
            GatewayFixture.toPorts(nodes.port()).http2Nodes().start();

    @AfterEach
    void stop() throws IOException {
        gateway.close();
        nodes.close();
    }

    private Http2Client call(boolean ends) throws IOException {
        Http2Client client = Http2Client.connect(gateway);
        return client.request(1, ends, "POST", "/call", "content-type", "application/grpc", "te", "trailers");
    }

    /** The node takes the call, and answers with that. */
    private Http2Client answers(String type, byte[]... parts) throws IOException {
        Http2Client node = Http2Client.node(nodes);
        node.await(Http2Client.HEADERS);
        node.headers(1, false, ":status", "200", "content-type", type);
        for (byte[] part : parts) {
            node.data(1, false, part);
        }
        return node;
    }

    private static void seesThatItHasBegun(Http2Client client, int parts) throws IOException {
        assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "200");
        for (int i = 0; i < parts; i++) {
            assertThat(client.await(Http2Client.DATA).has(Http2Client.END_STREAM))
                    .isFalse();
        }
    }

    private static void assertUnavailable(Http2Client client) throws IOException {
        Http2Client.Frame last = client.await(Http2Client.HEADERS);
        assertThat(last.has(Http2Client.END_STREAM)).isTrue();
        assertThat(client.fields(last))
                .containsEntry("grpc-status", UNAVAILABLE)
                .containsKey("grpc-message");
    }

    @Test
    void byANodeThatIsLost() throws IOException {
        try (Http2Client client = call(true)) {
            try (Http2Client node = answers("application/grpc", MESSAGE, MESSAGE)) {
                seesThatItHasBegun(client, 1);
                assertThat(node).isNotNull();
            }
            assertUnavailable(client);
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isEqualTo(1);
        }
    }

    /** A client that is still sending is told besides that nobody wants more of it. */
    @Test
    void whileItsClientSends() throws IOException {
        try (Http2Client client = call(false)) {
            try (Http2Client node = answers("application/grpc+proto")) {
                seesThatItHasBegun(client, 0);
                assertThat(node).isNotNull();
            }
            assertUnavailable(client);
            assertThat(client.await(Http2Client.RST_STREAM).number(0)).isEqualTo(Http2Error.NO_ERROR.code());
        }
    }

    @Test
    void byTheEndOfTheGateway() throws Exception {
        try (Http2Client client = call(true)) {
            try (Http2Client node = answers("application/grpc", MESSAGE)) {
                seesThatItHasBegun(client, 1);
                assertThat(node).isNotNull();
                Thread stopping = Thread.ofVirtual().start(() -> gateway.drain(Duration.ofMillis(200)));
                assertUnavailable(client);
                stopping.join();
            }
        }
    }

    /** No status may follow a part of a message. */
    @Test
    void withinAMessageItIsReset() throws IOException {
        for (byte[] part : new byte[][] {PART, PREFIX}) {
            try (Http2Client client = call(true)) {
                try (Http2Client node = answers("application/grpc", MESSAGE, part)) {
                    seesThatItHasBegun(client, 1);
                    assertThat(node).isNotNull();
                }
                Response rest = client.response(1);
                assertThat(rest.trailers()).isNull();
                assertThat(rest.reset()).isEqualTo(Http2Error.INTERNAL_ERROR.code());
            }
        }
    }

    /** What isn't of gRPC has no such word. */
    @Test
    void anotherAnswerIsReset() throws IOException {
        try (Http2Client client = call(true)) {
            try (Http2Client node = answers("text/plain", MESSAGE)) {
                seesThatItHasBegun(client, 1);
                assertThat(node).isNotNull();
            }
            assertThat(client.response(1).reset()).isEqualTo(Http2Error.INTERNAL_ERROR.code());
        }
    }
}
