package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Arrays;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.exchange.Standstill;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a client of HTTP/2 may not do to everybody else: each limit of {@code limits.http2}, and what it counts. */
class Http2FloodTest {
    private static final int LARGE_BYTES = 5_000_000;
    private static final int HEADERS_ALONE = Http2Client.END_HEADERS | Http2Client.END_STREAM;
    private static final int CALM = Http2Error.ENHANCE_YOUR_CALM.code();

    private final Gate gate = new Gate();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request -> switch (request.target()) {
        case "/stall" -> Script.script().stall(gate).respond(200, "late");
        case "/large" -> Answer.of(200).body(new byte[LARGE_BYTES]);
        default -> Answer.ok(request.target());
    });
    private final GatewayFixture gateway = GatewayFixture.to(upstream)
            .http2Limit("streamsMax", 10)
            .http2Limit("resetsMax", 20)
            .http2Limit("controlFramesMax", 100)
            .http2Limit("continuationsMax", 3)
            .start();

    @AfterEach
    void stop() throws IOException {
        gate.release();
        // Nobody else is harmed.
        try (Http2Client other = Http2Client.connect(gateway)) {
            assertThat(other.get(1, "/other").response(1).text()).isEqualTo("/other");
        }
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    private void assertCalmed(Http2Client client) throws IOException {
        int error = client.error();
        while (error != CALM) {
            error = client.error();
        }
        assertThat(client.read()).as("behind the last word").isNull();
        assertThat(gateway.count(Counter.HTTP2_FLOODS)).isEqualTo(1);
    }

    @Test
    void moreRequestsThanMayBeUnderWayAreRefusedUnread() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 11; i++) {
                client.get(1 + 2 * i, "/stall");
            }
            Frame refused = client.await(Http2Client.RST_STREAM);
            assertThat(refused.stream()).isEqualTo(21);
            assertThat(refused.number(0)).isEqualTo(Http2Error.REFUSED_STREAM.code());
            assertThat(gateway.count(Counter.HTTP2_STREAMS_REFUSED)).isEqualTo(1);
            gate.release();
            Await.until("those that were taken are answered", () -> gateway.count(Counter.REQUESTS_2XX) == 10);
            assertThat(client.response(1).status()).isEqualTo(200);
            assertThat(upstream.requestCount()).isEqualTo(10);
        }
    }

    /** CVE-2023-44487. */
    @Test
    void requestsThatAreResetAtOnce() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 21; i++) {
                client.get(1 + 2 * i, "/stall").reset(1 + 2 * i, Http2Error.CANCEL.code());
            }
            assertCalmed(client);
            Await.until("all given up", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
        }
    }

    /** CVE-2025-8671: the client has the gateway reset. */
    @Test
    void requestsThatTheGatewayIsMadeToReset() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 21; i++) {
                client.get(1 + 2 * i, "/stall").window(1 + 2 * i, 0);
            }
            assertCalmed(client);
        }
    }

    /** Who gives up many of very many requests isn't attacking anybody. */
    @Test
    void resetsAmongManyRequestsAreNoFlood() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            int stream = 1;
            for (int i = 0; i < 30; i++) {
                for (int answered = 0; answered < 2; answered++, stream += 2) {
                    assertThat(client.get(stream, "/x").response(stream).status())
                            .isEqualTo(200);
                }
                client.get(stream, "/stall").reset(stream, Http2Error.CANCEL.code());
                stream += 2;
            }
            assertThat(client.get(stream, "/x").response(stream).status()).isEqualTo(200);
        }
    }

    @Test
    void pings() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 101; i++) {
                client.ping(i, false);
            }
            assertCalmed(client);
        }
    }

    @Test
    void settings() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 101; i++) {
                client.settings(4, 65_535);
            }
            assertCalmed(client);
        }
    }

    /** One frame of them may change the windows of all streams thousands of times. */
    @Test
    void settingsOfOneFrame() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            int[] windows = new int[2 * 150];
            for (int i = 0; i < windows.length; i += 2) {
                windows[i] = Http2Client.INITIAL_WINDOW_SIZE;
                windows[i + 1] = i;
            }
            client.get(1, "/stall").settings(windows);
            assertCalmed(client);
        }
    }

    /** Padding takes of the window, and carries nothing. */
    @Test
    void framesOfPadding() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/stall");
            for (int i = 0; i < 120; i++) {
                client.frame(Http2Client.DATA, Http2Client.PADDED, 1, new byte[] {2, 0, 0});
            }
            assertCalmed(client);
        }
    }

    @Test
    void emptyFrames() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/stall");
            for (int i = 0; i < 120; i++) {
                client.data(1, false, "");
            }
            assertCalmed(client);
        }
    }

    @Test
    void windowUpdates() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 101; i++) {
                client.window(0, 1);
            }
            assertCalmed(client);
        }
    }

    @Test
    void framesThatNobodyKnows() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 101; i++) {
                client.frame(0xFA, 0, 0, new byte[3]);
            }
            assertCalmed(client);
        }
    }

    @Test
    void priorities() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 101; i++) {
                client.frame(Http2Client.PRIORITY, 0, 3, new byte[] {0, 0, 0, 1, 0});
            }
            assertCalmed(client);
        }
    }

    @Test
    void headsInManyPieces() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.frame(Http2Client.HEADERS, Http2Client.END_STREAM, 1, new byte[0]);
            for (int i = 0; i < 4; i++) {
                client.frame(Http2Client.CONTINUATION, 0, 1, new byte[0]);
            }
            assertCalmed(client);
        }
    }

    /** CVE-2026-49975: one byte each refers to a large field in the table. */
    @Test
    void headsThatGrowAsTheyAreRead() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.frame(Http2Client.HEADERS, HEADERS_ALONE, 1, headOf(client, "v".repeat(3000), 10_000));
            assertCalmed(client);
        }
    }

    /** The same by many small ones, each of which costs as much. */
    @Test
    void headsOfManySmallFields() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.frame(Http2Client.HEADERS, HEADERS_ALONE, 1, headOf(client, "v", 10_000));
            assertCalmed(client);
        }
    }

    /** Whoever has too many cookies is told so, and goes on. */
    @Test
    void headsThatAreTooLongAreNoFloodByThemselves() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            byte[] first = headOf(client, "v".repeat(3000), 35);
            assertThat(client.frame(Http2Client.HEADERS, HEADERS_ALONE, 1, first)
                            .response(1)
                            .status())
                    .isEqualTo(431);
            assertThat(client.get(3, "/after").response(3).status()).isEqualTo(200);
            byte[] next = headOf(client, "w".repeat(3000), 35);
            client.frame(Http2Client.HEADERS, HEADERS_ALONE, 5, next);
            assertCalmed(client);
        }
    }

    /** Nor are those that aren't looked at since there are too many at once, however long they are. */
    @Test
    void longHeadsThatAreRefusedUnreadAreNoFlood() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < 10; i++) {
                client.get(1 + 2 * i, "/stall");
            }
            for (int i = 10; i < 25; i++) {
                client.frame(Http2Client.HEADERS, HEADERS_ALONE, 1 + 2 * i, headOf(client, "v".repeat(3000), 8));
                Frame refused = client.await(Http2Client.RST_STREAM);
                assertThat(refused.number(0)).isEqualTo(Http2Error.REFUSED_STREAM.code());
            }
            gate.release();
            assertThat(client.response(1).status()).isEqualTo(200);
        }
    }

    /** A head with one field, and that again and again, by a byte each. */
    private static byte[] headOf(Http2Client client, String value, int times) {
        byte[] insert =
                client.block(":method", "GET", ":scheme", "http", ":path", "/", ":authority", "a", "x-large", value);
        byte[] head = Arrays.copyOf(insert, insert.length + times);
        Arrays.fill(head, insert.length, head.length, (byte) (0x80 | 62));
        return head;
    }

    /** Who reads much says so often: each part of a body earns what tells of it. */
    @Test
    void windowUpdatesOfOneThatReadsMuchAreNoFlood() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            // Two for each of the frames, of which there are more than three hundred.
            assertThat(client.get(1, "/large").response(1).body()).hasSize(LARGE_BYTES);
        }
    }

    /** Who asks and doesn't read is stopped: what it is answered doesn't pile up. When it reads, it gets every answer. */
    @Test
    void answersThatNobodyReads() throws IOException, InterruptedException {
        int count = 30_000;
        GatewayFixture narrow = GatewayFixture.to(upstream)
                .route("/only")
                .limit("requestsPerConnectionMax", Integer.MAX_VALUE)
                .limit("writeBufferBytesMax", 16 << 10)
                .runtime("sendBufferBytes", 8192)
                .runtime("receiveBufferBytes", 8192)
                .start();
        try (narrow;
                Http2Client client = Http2Client.connectNarrow(narrow, 8192)) {
            byte[] first = client.block(":method", "HEAD", ":scheme", "http", ":path", "/none", ":authority", "a");
            byte[] next = client.block(":method", "HEAD", ":scheme", "http", ":path", "/none", ":authority", "a");
            client.settled();
            Thread asking = Thread.ofVirtual().start(() -> {
                try {
                    for (int i = 0; i < count; i++) {
                        client.frame(Http2Client.HEADERS, HEADERS_ALONE, 1 + 2 * i, i == 0 ? first : next);
                    }
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            Standstill standstill = new Standstill();
            Await.until("it isn't read", () -> standstill.seen(narrow.count(Counter.REQUESTS_4XX)));
            assertThat(narrow.count(Counter.REQUESTS_4XX)).isLessThan(count);
            assertThat(asking.isAlive())
                    .as("waits for its requests to be taken")
                    .isTrue();
            for (int i = 0; i < count; i++) {
                Frame answer = client.await(Http2Client.HEADERS);
                assertThat(answer.stream()).isEqualTo(1 + 2 * i);
                assertThat(answer.has(Http2Client.END_STREAM)).isTrue();
            }
            asking.join();
            assertThat(narrow.count(Counter.REQUESTS_4XX)).isEqualTo(count);
        }
    }

    /** Where many are under way on all connections, each still has its turn. */
    @Test
    void moreStreamsThanMayBeInAll() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream late = ScriptedUpstream.startOnHead(
                        request -> Script.script().stall(gate).respond(200, "late"));
                GatewayFixture bounded =
                        GatewayFixture.to(late).http2Limit("streamsTotalMax", 4).start();
                Http2Client first = Http2Client.connect(bounded);
                Http2Client second = Http2Client.connect(bounded)) {
            for (int stream = 1; stream <= 7; stream += 2) {
                first.get(stream, "/");
            }
            late.awaitHeads(4);
            first.get(9, "/");
            Frame refused = first.await(Http2Client.RST_STREAM);
            assertThat(refused.stream()).isEqualTo(9);
            assertThat(refused.number(0)).isEqualTo(Http2Error.REFUSED_STREAM.code());
            second.get(1, "/");
            late.awaitHeads(5);
            second.get(3, "/");
            assertThat(second.await(Http2Client.RST_STREAM).stream()).isEqualTo(3);
            assertThat(bounded.count(Counter.HTTP2_STREAMS_REFUSED)).isEqualTo(2);
            gate.release();
            assertThat(second.response(1).text()).isEqualTo("late");
            assertThat(first.response(7).text()).isEqualTo("late");
            assertThat(second.get(5, "/").response(5).text()).isEqualTo("late");
        }
    }
}
