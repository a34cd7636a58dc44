package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.exchange.Standstill;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.Test;

/** What a node of HTTP/2 may not do to the gateway. */
class Http2NodeFloodTest {
    private static final int NARROW_BYTES = 8192;
    private static final int TURNS = 2000;
    private static final int PINGS_PER_TURN = 100;

    private static final int STREAMS = 90;
    /** Too large for the table: each request has all of it. */
    private static final String LARGE = "v".repeat(7000);

    private static byte[] pings() {
        ByteArrayOutputStream pings = new ByteArrayOutputStream();
        for (int i = 0; i < PINGS_PER_TURN; i++) {
            pings.writeBytes(Http2Client.bytesOf(Http2Client.PING, 0, 0, new byte[8]));
        }
        return pings.toByteArray();
    }

    /** A node that asks and doesn't read is stopped: what it is answered doesn't pile up. When it reads, it gets every answer. */
    @Test
    void answersThatNobodyReads() throws IOException {
        try (RawServer nodes = RawServer.start(NARROW_BYTES);
                GatewayFixture gateway = GatewayFixture.toPorts(nodes.port())
                        .http2Nodes()
                        .limit("writeBufferBytesMax", 16 << 10)
                        .runtime("sendBufferBytes", NARROW_BYTES)
                        .runtime("receiveBufferBytes", NARROW_BYTES)
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.get(1, "/");
            try (Http2Client node = Http2Client.node(nodes)) {
                node.await(Http2Client.HEADERS);
                node.socket().setSendBufferSize(NARROW_BYTES);
                AtomicInteger turns = new AtomicInteger();
                byte[] pings = pings();
                CompletableFuture<Void> asking = Background.run(() -> {
                    for (int i = 0; i < TURNS; i++) {
                        node.raw(pings);
                        turns.incrementAndGet();
                    }
                });
                Standstill standstill = new Standstill();
                Await.until("it isn't read", () -> standstill.seen(turns.get()));
                assertThat(turns.get()).isLessThan(TURNS);
                for (int i = 0; i < TURNS * PINGS_PER_TURN; i++) {
                    assertThat(node.await(Http2Client.PING).has(Http2Client.ACK))
                            .isTrue();
                }
                asking.join();
                node.headers(1, true, ":status", "204");
                assertThat(client.response(1).status()).isEqualTo(204);
            }
        }
    }

    /** Requests of many that wait for a node which reads nothing for a while are no flood of its own: what it answers meanwhile is heard. */
    @Test
    void aNodeThatPausesIsHeard() throws IOException {
        try (RawServer nodes = RawServer.start(NARROW_BYTES);
                GatewayFixture gateway = GatewayFixture.toPorts(nodes.port())
                        .http2Nodes()
                        .limit("writeBufferBytesMax", 16 << 10)
                        .runtime("sendBufferBytes", NARROW_BYTES)
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.get(1, "/");
            try (Http2Client node = Http2Client.node(nodes)) {
                node.await(Http2Client.HEADERS);
                for (int i = 1; i < STREAMS; i++) {
                    client.get(1 + 2 * i, "/", "x-large", LARGE);
                }
                Await.until("all wait", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == STREAMS);
                for (int stream = 1; stream < 10; stream += 2) {
                    node.headers(stream, true, ":status", "204");
                    assertThat(client.response(stream).status()).isEqualTo(204);
                }
            }
        }
    }
}
