package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tunnels of clients of HTTP/1.1 over streams to nodes of HTTP/2 (RFC 8441): windows, ends, resets, times. */
@Tag("plain") // Encrypted connections have no halves.
class TunnelsToHttp2NodesEndTest {
    private static final String ASK = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: websocket\r\n"
            + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n";
    private static final String GOING_AWAY = "\u0088\u0002\u0003\u00e9";
    /** What a client answers to it: masked, with a mask of zeroes. */
    private static final String CLOSE = "\u0088\u0082\0\0\0\0\u0003\u00e9";

    private static final Duration SHORT = Duration.ofMillis(300);
    private static final int WINDOW_FIRST = 65_535;
    private static final int MUCH_BYTES = 3 << 20;

    private final RawServer nodes = RawServer.start();
    private GatewayFixture gateway = builder().start();

    private GatewayBuilder builder() {
        return GatewayFixture.toPorts(nodes.port()).http2Nodes().timeout("lingerNanos", Duration.ofSeconds(5));
    }

    private void restart(GatewayBuilder builder) {
        gateway.close();
        gateway = builder.start();
    }

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        nodes.close();
        assertThat(ownFaults).isZero();
    }

    /** A client, and the node that has agreed: its stream is the first. */
    private record Ends(RawClient client, TunnelNode node) implements AutoCloseable {
        @Override
        public void close() throws IOException {
            client.close();
            node.close();
        }
    }

    private Ends open() throws IOException {
        RawClient client = gateway.connect();
        client.send(ASK);
        TunnelNode node = TunnelNode.accept(nodes);
        node.awaitAsked();
        node.agree(1);
        assertThat(client.readHead().status()).isEqualTo(101);
        return new Ends(client, node);
    }

    private void ended() {
        Await.until("ended", () -> gateway.count(Counter.TUNNELS_IN_FLIGHT) == 0);
        Await.until("no request is left", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }

    private static void read(RawClient client, String text) throws IOException {
        assertThat(new String(client.readExactly(text.length()), StandardCharsets.ISO_8859_1))
                .isEqualTo(text);
    }

    @Test
    void theClientMayEndFirst() throws IOException {
        try (Ends ends = open()) {
            ends.client().send("last").halfClose();
            assertThat(ends.node().readToEnd(1)).isEqualTo(4);
            ends.node().send(1, "an answer");
            ends.node().frames().data(1, true, "");
            read(ends.client(), "an answer");
            ends.client().expectCleanClose();
            ended();
            assertThat(gateway.counters().faults().values()).allMatch(count -> count == 0);
            // Its connection is there for others.
            try (RawClient next = gateway.connect()) {
                next.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
                ends.node().frames().await(Http2Client.HEADERS);
                ends.node().frames().headers(3, true, ":status", "204");
                assertThat(next.readResponse().status()).isEqualTo(204);
            }
        }
    }

    @Test
    void theNodeMayEndFirst() throws IOException {
        try (Ends ends = open()) {
            ends.node().frames().data(1, true, "last");
            read(ends.client(), "last");
            ends.client().expectCleanClose();
            ends.client().send("a".repeat(MUCH_BYTES)).halfClose();
            assertThat(ends.node().readToEnd(1)).isEqualTo(MUCH_BYTES);
            ended();
            assertThat(gateway.counters().faults().values()).allMatch(count -> count == 0);
        }
    }

    /** With the head that agrees. */
    @Test
    void theNodeMayEndAtOnce() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (TunnelNode node = TunnelNode.accept(nodes)) {
                node.awaitAsked();
                node.frames().headers(1, true, ":status", "200");
                assertThat(client.readHead().status()).isEqualTo(101);
                client.expectCleanClose();
                client.send("bye").halfClose();
                assertThat(node.readToEnd(1)).isEqualTo(3);
                ended();
            }
        }
    }

    @Test
    void aResetOfTheClientsIsOneOfTheStream() throws IOException {
        try (Ends ends = open()) {
            ends.client().reset();
            assertThat(ends.node().awaitReset(1)).isEqualTo(Http2Error.CANCEL.code());
            ended();
            assertThat(gateway.faults(Fault.CLIENT_GONE)).isEqualTo(1);
        }
    }

    @Test
    void aResetOfTheStreamIsOneOfTheClientsConnection() throws IOException {
        try (Ends ends = open()) {
            ends.node().send(1, "before").frames().reset(1, Http2Error.CANCEL.code());
            read(ends.client(), "before");
            ends.client().expectReset();
            ended();
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isEqualTo(1);
        }
    }

    @Test
    void theEndOfTheNodesConnectionIsAReset() throws IOException {
        try (Ends ends = open()) {
            ends.node().close();
            ends.client().expectReset();
            ended();
        }
    }

    /** RFC 9113 section 8.5: nothing but bytes. */
    @Test
    void fieldsInATunnelAreAnErrorOfTheStream() throws IOException {
        try (Ends ends = open()) {
            ends.node().frames().headers(1, true, "x-end", "1");
            assertThat(ends.node().awaitReset(1)).isEqualTo(Http2Error.PROTOCOL_ERROR.code());
            ends.client().expectReset();
            ended();
        }
    }

    @Test
    void bytesBehindTheNodesEndAreAnErrorOfTheStream() throws IOException {
        try (Ends ends = open()) {
            ends.node().frames().data(1, true, "last");
            ends.node().frames().data(1, false, "more");
            assertThat(ends.node().awaitReset(1)).isEqualTo(Http2Error.STREAM_CLOSED.code());
            read(ends.client(), "last");
            ended();
        }
    }

    /** A node that opens no window stops the client. */
    @Test
    void theClientIsNotReadWhileTheNodeTakesNothing() throws IOException {
        try (Ends ends = open()) {
            CompletableFuture<Void> sent = CompletableFuture.runAsync(
                    () -> {
                        try {
                            ends.client().send("a".repeat(8 * MUCH_BYTES)).halfClose();
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    Thread::startVirtualThread);
            int first = 0;
            while (first < WINDOW_FIRST) {
                first += ends.node().frames().await(Http2Client.DATA).payload().length;
            }
            assertThat(first).isEqualTo(WINDOW_FIRST);
            ends.client().expectSilence(Duration.ofMillis(200));
            assertThat(sent).isNotDone();
            ends.node().frames().window(0, 16 * MUCH_BYTES).window(1, 16 * MUCH_BYTES);
            assertThat(ends.node().readToEnd(1)).isEqualTo(8 * MUCH_BYTES - WINDOW_FIRST);
            sent.join();
        }
    }

    /** A client that takes nothing has its node's window run out. */
    @Test
    void theNodeHasNoWindowWhileTheClientTakesNothing() throws IOException {
        restart(builder().limit("writeBufferBytesMax", 32_768));
        try (Ends ends = open()) {
            Http2Client node = ends.node().frames();
            node.socket().setSoTimeout(500);
            int sent = 0;
            for (int more = WINDOW_FIRST; more > 0 && sent < 20 * MUCH_BYTES; more = opened(node)) {
                fill(node, more);
                sent += more;
            }
            assertThat(sent).isLessThan(20 * MUCH_BYTES);
            assertThat(ends.client().readExactly(sent)).hasSize(sent);
            node.socket().setSoTimeout(5000);
            assertThat(opened(node)).isPositive();
        }
    }

    private static void fill(Http2Client node, int bytes) throws IOException {
        for (int left = bytes; left > 0; left -= Math.min(16_384, left)) {
            node.data(1, false, new byte[Math.min(16_384, left)]);
        }
    }

    /** By how much the window of the stream grows next; 0 where it doesn't while the socket waits. */
    private static int opened(Http2Client node) throws IOException {
        try {
            for (Frame frame = node.next(); ; frame = node.next()) {
                if (frame.type() == Http2Client.WINDOW_UPDATE && frame.stream() == 1) {
                    return frame.number(0);
                }
                if (frame.type() == Http2Client.PING && !frame.has(Http2Client.ACK)) {
                    node.frame(Http2Client.PING, Http2Client.ACK, 0, frame.payload());
                }
            }
        } catch (SocketTimeoutException notNow) {
            return 0;
        }
    }

    /** What a client said before it left reaches the node, though its window opens late. */
    @Test
    void whatWaitsForAWindowIsSentThoughTheClientHasLeft() throws IOException {
        try (Ends ends = open()) {
            leaveMoreThanTheWindow(ends);
            ends.node().frames().window(0, 10_000).window(1, 10_000);
            assertThat(ends.node().readToEnd(1)).isEqualTo(1000);
            assertThat(ends.node().awaitReset(1)).isEqualTo(Http2Error.CANCEL.code());
        }
    }

    @Test
    void aNodeThatTakesNothingIsNotWaitedForForEver() throws IOException {
        restart(builder().timeout("lingerNanos", SHORT));
        try (Ends ends = open()) {
            leaveMoreThanTheWindow(ends);
            assertThat(ends.node().awaitReset(1)).isEqualTo(Http2Error.CANCEL.code());
        }
    }

    /** A client ends its output with 1,000 bytes more than the node's window takes, and is gone. */
    private void leaveMoreThanTheWindow(Ends ends) throws IOException {
        ends.client().send("a".repeat(WINDOW_FIRST + 1000)).halfClose();
        int first = 0;
        while (first < WINDOW_FIRST) {
            first += ends.node().frames().await(Http2Client.DATA).payload().length;
        }
        ends.client().close();
        Await.until("what comes for the client tells that it is gone", () -> {
            try {
                ends.node().send(1, "x");
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return gateway.count(Counter.TUNNELS_IN_FLIGHT) == 0;
        });
    }

    /** A node that says nothing any more once the client has ended is told so. */
    @Test
    void theOtherSideMayBeSilentForAWhileOnly() throws IOException {
        restart(builder().timeout("lingerNanos", SHORT));
        try (Ends ends = open()) {
            ends.client().halfClose();
            assertThat(ends.node().readToEnd(1)).isZero();
            assertThat(ends.node().awaitReset(1)).isEqualTo(Http2Error.CANCEL.code());
            ends.client().expectCleanClose();
            ended();
            assertThat(gateway.counters().faults().values()).allMatch(count -> count == 0);
        }
    }

    @Test
    void oneThatIsIdleIsCutOnBothSides() throws IOException {
        restart(builder().proxyPass("tunnel", new TunnelConfig(List.of("websocket"), SHORT.toNanos(), 0)));
        try (Ends ends = open()) {
            assertThat(ends.node().awaitReset(1)).isEqualTo(Http2Error.CANCEL.code());
            ends.client().expectReset();
            ended();
            assertThat(gateway.count(Counter.TUNNELS_IDLE_TIMEOUTS)).isEqualTo(1);
            assertThat(gateway.faults(Fault.SESSION_IDLE)).isEqualTo(1);
        }
    }

    /** Not by the times of answers. */
    @Test
    void oneThatIsQuietStays() throws IOException {
        restart(builder().proxyPass("idleTimeoutNanos", SHORT).proxyPass("responseTimeoutNanos", SHORT));
        try (Ends ends = open()) {
            ends.node().send(1, "hello");
            read(ends.client(), "hello");
            ends.client().expectSilence(SHORT.multipliedBy(3));
            ends.client().send("still here");
            ends.node().read(1, "still here");
        }
    }

    @Test
    void oneThatHasLastedAsLongAsItMayIsToldSo() throws IOException {
        restart(builder()
                .proxyPass("tunnel", new TunnelConfig(List.of("websocket"), 60_000_000_000L, SHORT.toNanos())));
        try (Ends ends = open()) {
            read(ends.client(), GOING_AWAY);
            Frame close = ends.node().frames().await(Http2Client.DATA);
            assertThat(close.payload()).hasSize(8).startsWith(0x88, 0x82);
            ends.client().send(CLOSE);
            assertThat(ends.node().readToEnd(1)).isZero();
            ends.client().expectCleanClose();
            ended();
        }
    }

    @Test
    void bothAreToldWhenTheGatewayStops() throws Exception {
        try (Ends ends = open()) {
            CompletableFuture<Long> stopped = new CompletableFuture<>();
            Thread.ofVirtual().start(() -> stopped.complete(gateway.gateway().stop(Duration.ofSeconds(20))));
            read(ends.client(), GOING_AWAY);
            assertThat(ends.node().frames().await(Http2Client.DATA).payload()).startsWith(0x88, 0x82);
            ends.client().send(CLOSE);
            assertThat(ends.node().readToEnd(1)).isZero();
            ends.client().expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    /** The node goes away: what is under way on its connection goes on there, and what is new on another one. */
    @Test
    void tunnelsOutliveAGoAway() throws IOException {
        try (Ends ends = open()) {
            ends.node().frames().frame(Http2Client.GOAWAY, 0, 0, new byte[] {0, 0, 0, 1, 0, 0, 0, 0});
            ends.node().send(1, "still here");
            read(ends.client(), "still here");
            try (Ends others = open()) {
                others.node().send(1, "anew");
                read(others.client(), "anew");
            }
            ends.client().send("and here");
            ends.node().read(1, "and here");
            ends.node().frames().data(1, true, "");
            ends.client().expectCleanClose();
            ends.client().halfClose();
            assertThat(ends.node().readToEnd(1)).isZero();
            // The last stream has ended, and with it the connection.
            ends.node().frames().awaitEnd();
        }
    }

    /** Streams of one connection, each with its own bytes. */
    @Test
    void manyShareTheConnection() throws IOException {
        try (Ends first = open()) {
            for (int i = 1; i < 20; i++) {
                int stream = 2 * i + 1;
                try (RawClient client = gateway.connect()) {
                    client.send(ASK);
                    first.node().awaitAsked();
                    first.node().agree(stream).send(stream, "to " + stream);
                    assertThat(client.readHead().status()).isEqualTo(101);
                    read(client, "to " + stream);
                    client.send("from " + stream);
                    first.node().read(stream, "from " + stream);
                    client.reset();
                    assertThat(first.node().awaitReset(stream)).isEqualTo(Http2Error.CANCEL.code());
                }
            }
            first.client().send("the first");
            first.node().read(1, "the first");
        }
        assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
    }
}
