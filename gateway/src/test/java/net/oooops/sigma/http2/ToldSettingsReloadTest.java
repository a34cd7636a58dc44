package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How many streams a client may have, and how long heads, where a reload changes that: it is told, and may go by what was before until it knows. */
class ToldSettingsReloadTest {
    private static final int MAX_CONCURRENT_STREAMS = 3;
    private static final int MAX_HEADER_LIST_SIZE = 6;
    private static final int RESETS_MAX = 5;
    private static final int LARGE = 4000;
    /** The last of so many has its turn some ticks later. */
    private static final int MANY = 800;

    private final Gate gate = new Gate();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request -> {
        if (request.target().equals("/hold")) {
            gate.pass();
        }
        return Answer.ok("yes");
    });

    @AfterEach
    void stop() {
        gate.release();
        upstream.close();
    }

    private String json(int streams) {
        return """
                {
                  "proxy-server": { "http": { "id": "web", "limits": { "http2": { "streams": %d, "resets": %d } } } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "node" }] }],
                  "proxy-pass": [{ "id": "node", "upstream-id": "node" }],
                  "upstream": [{ "id": "node", "nodes": ["%s"] }]
                }
                """.formatted(streams, RESETS_MAX, upstream.url());
    }

    private static Http2Client connect(TextGateway gateway) throws IOException {
        return Http2Client.over(new Socket(InetAddress.getLoopbackAddress(), gateway.port()));
    }

    /** What the next settings say. */
    private static int toldStreams(Http2Client client) throws IOException {
        return told(client, MAX_CONCURRENT_STREAMS);
    }

    private static int told(Http2Client client, int key) throws IOException {
        for (Frame frame = client.await(Http2Client.SETTINGS); ; frame = client.await(Http2Client.SETTINGS)) {
            for (int at = 0; at < frame.payload().length; at += 6) {
                if ((frame.number(at) >>> 16) == key) {
                    return frame.number(at + 2);
                }
            }
        }
    }

    private static void assertRefused(Http2Client client, int stream) throws IOException {
        Frame refused = client.await(Http2Client.RST_STREAM);
        assertThat(refused.stream()).isEqualTo(stream);
        assertThat(refused.number(0)).isEqualTo(Http2Error.REFUSED_STREAM.code());
    }

    @Test
    void whoDoesNotKnowOfFewerIsRefusedAndNoFlood() throws IOException {
        try (TextGateway gateway = TextGateway.start(json(20));
                Http2Client client = connect(gateway)) {
            assertThat(toldStreams(client)).isEqualTo(20);
            hold(client, 1, 7);
            upstream.awaitHeads(4);

            gateway.reload(json(2));
            hold(client, 9, 39);

            assertThat(toldStreams(client)).isEqualTo(2);
            for (int stream = 9; stream <= 39; stream += 2) {
                assertRefused(client, stream);
            }
            gate.release();
            assertThat(client.response(7).status()).isEqualTo(200);
            assertThat(client.get(41, "/").response(41).status()).isEqualTo(200);
            assertThat(gateway.count(Counter.HTTP2_STREAMS_REFUSED)).isEqualTo(16);
        }
    }

    @Test
    void whoKnowsAndAsksForMoreAllTheSameIsAFlood() throws IOException {
        try (TextGateway gateway = TextGateway.start(json(20));
                Http2Client client = connect(gateway)) {
            hold(client, 1, 7);
            upstream.awaitHeads(4);
            assertThat(toldStreams(client)).isEqualTo(20);
            gateway.reload(json(2));
            assertThat(toldStreams(client)).isEqualTo(2);
            hold(client, 9, 39);
            client.await(Http2Client.GOAWAY);
            assertThat(gateway.count(Counter.HTTP2_FLOODS)).isEqualTo(1);
        }
    }

    @Test
    void whoDoesNotSayThatItKnowsIsOnceRightToHaveAsManyAsBefore() throws IOException {
        try (TextGateway gateway = TextGateway.start(json(20));
                Http2Client client = connect(gateway)) {
            hold(client, 1, 7);
            upstream.awaitHeads(4);
            gateway.reload(json(2));
            // More than half of all.
            hold(client, 9, 9 + 2 * 60);
            client.await(Http2Client.GOAWAY);
        }
    }

    @Test
    void whoMayHaveMoreIsTold() throws IOException {
        try (TextGateway gateway = TextGateway.start(json(2));
                Http2Client client = connect(gateway)) {
            assertThat(toldStreams(client)).isEqualTo(2);
            hold(client, 1, 3);
            gateway.reload(json(4));
            assertThat(toldStreams(client)).isEqualTo(4);
            hold(client, 5, 9);
            assertRefused(client, 9);
            gate.release();
            assertThat(client.response(7).status()).isEqualTo(200);
        }
    }

    private String heads(String most) {
        return heads(most, "1KiB");
    }

    private String heads(String most, String field) {
        return json(2).replace(
                        "\"limits\": {",
                        "\"limits\": { \"request-line\": \"1KiB\", \"header-field\": \"" + field
                                + "\", \"header-total\": \"" + most + "\",");
    }

    private static Http2Client large(Http2Client client, int stream) throws IOException {
        String part = "#".repeat(LARGE / 4);
        return client.get(stream, "/", "x-1", part, "x-2", part, "x-3", part, "x-4", part);
    }

    /** It may have sent it before it could know. */
    @Test
    void whoDoesNotKnowOfShorterHeadsIsAnswered() throws IOException {
        try (TextGateway gateway = TextGateway.start(heads("8KiB"));
                Http2Client client = connect(gateway)) {
            assertThat(told(client, MAX_HEADER_LIST_SIZE)).isEqualTo(8 << 10);
            assertThat(large(client, 1).response(1).status()).isEqualTo(200);

            gateway.reload(heads("2KiB"));
            large(client, 3);

            assertThat(told(client, MAX_HEADER_LIST_SIZE)).isEqualTo(2 << 10);
            assertThat(client.response(3).status()).isEqualTo(200);
            assertThat(large(client, 5).response(5).status()).isEqualTo(431);
        }
    }

    @Test
    void whoMaySendLongerHeadsIsTold() throws IOException {
        try (TextGateway gateway = TextGateway.start(heads("2KiB"));
                Http2Client client = connect(gateway)) {
            assertThat(told(client, MAX_HEADER_LIST_SIZE)).isEqualTo(2 << 10);
            gateway.reload(heads("8KiB"));
            assertThat(told(client, MAX_HEADER_LIST_SIZE)).isEqualTo(8 << 10);
            assertThat(large(client, 1).response(1).status()).isEqualTo(200);
        }
    }

    /** Those who are there hear of it in turns, but who asks before it is its turn: what it hears holds. */
    @Test
    void whoIsToldOfLongerHeadsMaySendThem() throws IOException {
        List<Http2Client> clients = new ArrayList<>();
        try (TextGateway gateway = TextGateway.start(heads("2KiB", "1KiB"))) {
            for (int i = 0; i < MANY; i++) {
                clients.add(connect(gateway));
            }
            Http2Client last = clients.getLast();
            assertThat(last.get(1, "/").response(1).status()).isEqualTo(200);
            gateway.reload(heads("16KiB", "3KiB"));
            assertThat(last.get(3, "/").response(3).status()).isEqualTo(200);
            String part = "#".repeat(2500);
            byte[] block = last.block(
                    ":method",
                    "GET",
                    ":scheme",
                    "http",
                    ":path",
                    "/",
                    ":authority",
                    "a",
                    "x-1",
                    part,
                    "x-2",
                    part,
                    "x-3",
                    part);
            last.frame(Http2Client.HEADERS, Http2Client.END_STREAM, 5, Arrays.copyOf(block, 1000));
            last.frame(
                    Http2Client.CONTINUATION,
                    Http2Client.END_HEADERS,
                    5,
                    Arrays.copyOfRange(block, 1000, block.length));
            assertThat(last.response(5).status()).isEqualTo(200);
        } finally {
            for (Http2Client each : clients) {
                each.close();
            }
        }
    }

    private static void hold(Http2Client client, int first, int last) throws IOException {
        for (int stream = first; stream <= last; stream += 2) {
            client.get(stream, "/hold");
        }
    }
}
