package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Slow clients whose answers share a connection to their node with those of others. */
class Http2NodesMemoryTest {
    private static final int SLOW = 40;
    private static final int BOUND_BYTES = 1 << 20;
    private static final int BODY_BYTES = 1 << 20;
    private static final int PIECE_BYTES = 8192;
    /** No more than may wait on a connection, and than its first windows are. */
    private static final int FITTING_BYTES = 56 << 10;

    private static final int WIDE = 1 << 30;
    private static final int STILL_MILLIS = 600;
    private static final Duration LONG = Duration.ofMinutes(1);
    private static final byte[] BODY = GeneratedBody.of(5, BODY_BYTES).toBytes();

    private final RawServer nodes = RawServer.start();
    private final GatewayFixture gateway = GatewayFixture.toPorts(nodes.port())
            .http2Nodes()
            .memory("relayBytesMax", BOUND_BYTES)
            .runtime("sendBufferBytes", PIECE_BYTES)
            .start();
    private final List<Http2Client> slow = new ArrayList<>();
    /** By how much the gateway has opened the window of the node's connection at its beginning. */
    private int opened;

    @AfterEach
    void stop() throws IOException {
        for (Http2Client client : slow) {
            client.close();
        }
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        nodes.close();
        assertThat(ownFaults).isZero();
    }

    /** Answers begin for many that read nothing and, on the last stream, for one that does. The node's connection. */
    private Http2Client begun(RawClient honest) throws IOException {
        for (int i = 0; i < SLOW; i++) {
            Http2Client client = Http2Client.connectNarrow(gateway, PIECE_BYTES, Http2Client.INITIAL_WINDOW_SIZE, WIDE);
            slow.add(client.window(0, WIDE).get(1, "/slow"));
        }
        Http2Client node = Http2Client.node(nodes);
        opened = node.await(Http2Client.WINDOW_UPDATE).number(0);
        for (int i = 0; i < SLOW; i++) {
            node.await(Http2Client.HEADERS);
        }
        honest.send("GET /honest HTTP/1.1\r\nHost: a.example\r\n\r\n");
        assertThat(node.await(Http2Client.HEADERS).stream()).isEqualTo(lastStream());
        for (int stream : streams()) {
            node.headers(stream, false, ":status", "200", "content-length", String.valueOf(BODY_BYTES));
        }
        return node;
    }

    private static int lastStream() {
        return 1 + 2 * SLOW;
    }

    private static int[] streams() {
        int[] streams = new int[SLOW + 1];
        for (int i = 0; i < streams.length; i++) {
            streams[i] = 1 + 2 * i;
        }
        return streams;
    }

    private static CompletableFuture<String> whole(RawClient client) {
        return CompletableFuture.supplyAsync(
                () -> {
                    try {
                        return client.readResponse().bodySha256();
                    } catch (IOException e) {
                        throw new AssertionError(e);
                    }
                },
                Thread::startVirtualThread);
    }

    @Test
    void whoReadsGetsAllOfItWhileManyDoNot() throws IOException {
        try (RawClient honest = gateway.connect().deadline(LONG);
                Http2Client node = begun(honest)) {
            CompletableFuture<String> answer = whole(honest);
            Uploads answers = new Uploads(node, BODY, streams()).opened(opened);
            answers.sendAll(lastStream());

            assertThat(answer)
                    .succeedsWithin(LONG)
                    .isEqualTo(GeneratedBody.of(5, BODY_BYTES).sha256());
            assertThat(gateway.count(Counter.RELAY_MEMORY_SHORT)).isPositive();
            answers.sendUntilStill(STILL_MILLIS);
            assertThat(answers.sentBytesBeside(lastStream())).isLessThan(4L * BOUND_BYTES);
        }
    }

    /** When there is memory again the streams get on as before. */
    @Test
    void whoDidNotReadGetsAllOfItLater() throws IOException {
        try (RawClient honest = gateway.connect().deadline(LONG);
                Http2Client node = begun(honest)) {
            CompletableFuture<String> answer = whole(honest);
            Uploads answers = new Uploads(node, BODY, streams()).opened(opened);
            answers.sendUntilStill(STILL_MILLIS);
            assertThat(answer).succeedsWithin(LONG);
            List<CompletableFuture<Integer>> read = new ArrayList<>();
            for (Http2Client client : slow) {
                read.add(CompletableFuture.supplyAsync(() -> bytesOf(client), Thread::startVirtualThread));
            }
            answers.sendAll();
            assertThat(read)
                    .allSatisfy(each -> assertThat(each).succeedsWithin(LONG).isEqualTo(BODY_BYTES));
            Await.until("all ended", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
        }
    }

    private static int bytesOf(Http2Client client) {
        try {
            Frame frame = client.await(Http2Client.DATA);
            int bytes = frame.payload().length;
            while (!frame.has(Http2Client.END_STREAM)) {
                frame = client.await(Http2Client.DATA);
                bytes += frame.payload().length;
            }
            return bytes;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** A node that takes no notice of narrow windows gets no more memory for it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatWaitsIsBounded(boolean ignoring) throws IOException {
        try (RawClient honest = gateway.connect().deadline(LONG);
                Http2Client node = begun(honest)) {
            CompletableFuture<String> answer = whole(honest);
            Uploads answers = new Uploads(node, BODY, streams()).opened(opened);
            if (ignoring) {
                answers.ignoringSmallerWindows();
            }
            answers.sendUntilStill(STILL_MILLIS);
            assertThat(answers.sentBytesBeside(lastStream())).isLessThan(8L * BOUND_BYTES);
            answer.cancel(true);
        }
    }

    /** What their sockets don't take waits in the connections, and not in the streams. */
    @Test
    void whatManyNodesDontTakeCounts() throws IOException {
        List<RawServer> many = new ArrayList<>();
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < SLOW; i++) {
            many.add(RawServer.start(PIECE_BYTES));
        }
        byte[] body = Arrays.copyOf(BODY, FITTING_BYTES);
        try (GatewayFixture before = GatewayFixture.toPorts(
                        many.stream().mapToInt(RawServer::port).toArray())
                .http2Nodes()
                .memory("relayBytesMax", BOUND_BYTES)
                .runtime("sendBufferBytes", PIECE_BYTES)
                .start()) {
            for (int i = 0; i < SLOW; i++) {
                clients.add(before.connect()
                        .send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + FITTING_BYTES + "\r\n\r\n")
                        .send(body));
            }
            Await.until("memory is short", () -> before.count(Counter.RELAY_MEMORY_SHORT) > 0);
        } finally {
            clients.forEach(RawClient::close);
            many.forEach(RawServer::close);
        }
    }
}
