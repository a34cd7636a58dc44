package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.exchange.DirectMemory;
import net.oooops.sigma.exchange.Standstill;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import net.oooops.sigma.testkit.UpstreamConnection;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** However many streams a client has, what waits in the gateway is bounded, others go on, and nothing is lost. */
@Isolated("direct memory")
class Http2MemoryTest {
    private static final int STREAMS = 100;
    /** Each lets as much wait as a connection may: more than there is. */
    private static final int TAKING = 40;

    private static final int EACH_BYTES = 1 << 20;
    private static final int BOUND_BYTES = 1 << 20;
    private static final int PIECE_BYTES = 8192;
    /** What each may hold beyond: a piece on each side, read as the bound was reached, and what it is made of. */
    private static final int BEYOND_EACH_BYTES = 2 * PIECE_BYTES;

    private static final int WIDE = 1 << 30;
    private static final int STILL_MILLIS = 600;
    private static final byte[] LARGE = GeneratedBody.of(1, EACH_BYTES).toBytes();

    private final Gate gate = new Gate();
    /** What the nodes' sockets have taken. */
    private final AtomicLong sentBytes = new AtomicLong();

    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(
            UpstreamOptions.defaults().withReceiveBufferBytes(PIECE_BYTES).withSendBufferBytes(PIECE_BYTES),
            this::answer);
    private final GatewayFixture gateway = GatewayFixture.to(upstream)
            .memory("relayBytesMax", BOUND_BYTES)
            .runtime("sendBufferBytes", PIECE_BYTES)
            .runtime("allocator", RuntimeConfig.Allocator.UNPOOLED)
            .proxyPass("responseTimeoutNanos", Duration.ofMinutes(2))
            .client("maxPoolSizePerServer", 3 * STREAMS)
            .start();

    private Step answer(ReceivedRequest request) {
        return switch (request.target()) {
            case "/down" -> this::sendLarge;
            case "/up" -> Script.script().stall(gate).readBody().respond(Answer.ok("got it"));
            default -> Script.script().readBody().respond(Answer.of(200).body(LARGE));
        };
    }

    private void sendLarge(UpstreamConnection connection) throws IOException {
        connection.write("HTTP/1.1 200 OK\r\nContent-Length: " + EACH_BYTES + "\r\n\r\n");
        for (int at = 0; at < EACH_BYTES; at += PIECE_BYTES) {
            connection.write(Arrays.copyOfRange(LARGE, at, at + PIECE_BYTES));
            sentBytes.addAndGet(PIECE_BYTES);
        }
    }

    @AfterEach
    void stop() {
        gate.release();
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    private static int[] streams(int count) {
        return IntStream.range(0, count).map(i -> 1 + 2 * i).toArray();
    }

    private void assertBounded(DirectMemory memory) {
        assertThat(memory.grownBytesMax()).isLessThan(BOUND_BYTES + STREAMS * BEYOND_EACH_BYTES);
    }

    private void awaitStandstill() {
        Standstill standstill = new Standstill();
        Await.until("nothing is taken any more", Duration.ofMinutes(1), () -> standstill.seen(sentBytes.get()));
        assertThat(sentBytes.get()).isLessThan((long) STREAMS * EACH_BYTES / 2);
    }

    /** One with a body each way that is as large as all that may wait. */
    private void theOthersGoOn() throws IOException {
        try (Http2Client other = Http2Client.connect(gateway)) {
            other.request(1, false, "POST", "/other");
            new FlowControlledUpload(other, 1, LARGE).run();
            assertThat(other.response(1).body()).isEqualTo(LARGE);
            assertThat(upstream.requests().getLast().bodyBytes()).isEqualTo(EACH_BYTES);
        }
    }

    /** Reads all answers to their ends; each is as large as it has to be. */
    private static void readAll(Http2Client client) throws IOException {
        Map<Integer, Integer> bytes = new HashMap<>();
        Set<Integer> ended = new HashSet<>();
        while (ended.size() < STREAMS) {
            Frame frame = client.next();
            if (frame.type() == Http2Client.DATA) {
                bytes.merge(frame.stream(), frame.payload().length, Integer::sum);
                if (frame.has(Http2Client.END_STREAM)) {
                    ended.add(frame.stream());
                }
            }
            assertThat(frame.type()).isNotIn(Http2Client.RST_STREAM, Http2Client.GOAWAY);
        }
        assertThat(bytes.values()).hasSize(STREAMS).containsOnly(EACH_BYTES);
    }

    /** Its windows are wide open, and it doesn't read. */
    @Test
    void aClientThatDoesNotRead() throws Exception {
        try (DirectMemory memory = DirectMemory.watched();
                Http2Client client =
                        Http2Client.connectNarrow(gateway, PIECE_BYTES, Http2Client.INITIAL_WINDOW_SIZE, WIDE)) {
            client.window(0, WIDE);
            for (int stream : streams(STREAMS)) {
                client.get(stream, "/down");
            }
            upstream.awaitHeads(STREAMS);
            awaitStandstill();
            assertBounded(memory);
            theOthersGoOn();
            assertBounded(memory);
            readAll(client);
        }
    }

    /** It reads, and no stream may send anything. */
    @Test
    void aClientThatOpensNoWindow() throws Exception {
        try (DirectMemory memory = DirectMemory.watched();
                Http2Client client =
                        Http2Client.connectNarrow(gateway, PIECE_BYTES, Http2Client.INITIAL_WINDOW_SIZE, 0)) {
            for (int stream : streams(STREAMS)) {
                client.get(stream, "/down");
            }
            upstream.awaitHeads(STREAMS);
            awaitStandstill();
            assertBounded(memory);
            theOthersGoOn();
            client.settings(Http2Client.INITIAL_WINDOW_SIZE, WIDE).window(0, WIDE);
            readAll(client);
        }
    }

    /** The nodes read nothing: what may come on all streams together is bounded, and is no more than memory allows. */
    @Test
    void nodesThatDoNotRead() throws Exception {
        try (DirectMemory memory = DirectMemory.watched();
                Http2Client client = Http2Client.connect(gateway)) {
            int[] streams = streams(STREAMS);
            for (int stream : streams) {
                client.request(stream, false, "POST", "/up");
            }
            upstream.awaitHeads(STREAMS);
            Uploads uploads = new Uploads(client, LARGE, streams);
            uploads.sendUntilStill(STILL_MILLIS);
            assertBounded(memory);
            assertThat(uploads.answered()).isEmpty();
            theOthersGoOn();
            gate.release();
            uploads.finish();
            assertThat(upstream.requests())
                    .filteredOn(seen -> seen.target().equals("/up"))
                    .hasSize(STREAMS)
                    .allMatch(seen -> seen.bodyBytes() == EACH_BYTES);
        }
    }

    /** Where others take all memory, what comes waits with its client; when there is memory again, all of it goes on. */
    @Test
    void uploadsGoOnWhereMemoryIsShort() throws Exception {
        List<Http2Client> taking = new ArrayList<>();
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < TAKING; i++) {
                taking.add(Http2Client.connectNarrow(gateway, PIECE_BYTES, Http2Client.INITIAL_WINDOW_SIZE, WIDE));
                taking.getLast().window(0, WIDE).get(1, "/down");
            }
            Await.until("memory is short", () -> gateway.count(Counter.RELAY_MEMORY_SHORT) > 0);
            client.request(1, false, "POST", "/up")
                    .request(3, false, "POST", "/other")
                    .request(5, false, "POST", "/other");
            Uploads uploads = new Uploads(client, LARGE, 1, 3, 5);
            client.settings(Http2Client.INITIAL_WINDOW_SIZE, WIDE).window(0, WIDE);
            uploads.sendUntilStill(STILL_MILLIS);
            // Nobody reads one of them: the others go on in what is left of the connection's window.
            assertThat(uploads.answered()).doesNotContain(1);
            theOthersGoOn();
            for (Http2Client each : taking) {
                each.close();
            }
            uploads.sendUntilAnswered(2);
            assertThat(uploads.answered()).containsExactlyInAnyOrder(3, 5);
            gate.release();
            uploads.finish();
        } finally {
            for (Http2Client each : taking) {
                each.close();
            }
        }
    }
}
