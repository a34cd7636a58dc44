package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whose turn it is where not all can be sent (RFC 9218). */
class Http2PriorityTest {
    private static final int WINDOW = 65_535;
    private static final int PART_BYTES = 100;

    private final ScriptedUpstream upstream =
            ScriptedUpstream.start(request -> Answer.of(200).body(new byte[300_000]));
    private final GatewayFixture gateway = GatewayFixture.to(upstream).start();

    @AfterEach
    void stop() {
        gateway.close();
        upstream.close();
    }

    /** A client whose connection's window is used up by the response on stream 1, which is the least urgent. */
    private Http2Client blocked() throws IOException {
        Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 1 << 20);
        client.get(1, "/first", "priority", "u=7");
        int seen = 0;
        while (seen < WINDOW) {
            Frame frame = client.next();
            if (frame.type() == Http2Client.HEADERS) {
                client.fields(frame);
            } else if (frame.type() == Http2Client.DATA) {
                seen += frame.payload().length;
            }
        }
        return client;
    }

    /** Asks, and waits for the head: the body's beginning came with it, and waits. */
    private static void ask(Http2Client client, int stream, String... priority) throws IOException {
        client.get(stream, "/x", priority);
        Frame head = client.await(Http2Client.HEADERS);
        assertThat(head.stream()).isEqualTo(stream);
        client.fields(head);
    }

    /** Which streams get their turns, as the window opens by and by. */
    private static List<Integer> turns(Http2Client client, int count) throws IOException {
        List<Integer> streams = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            client.window(0, PART_BYTES);
            Frame part = client.await(Http2Client.DATA);
            assertThat(part.payload()).hasSize(PART_BYTES);
            streams.add(part.stream());
        }
        return streams;
    }

    private static void update(Http2Client client, int stream, String priority) throws IOException {
        ByteBuf payload = Unpooled.buffer().writeInt(stream);
        payload.writeCharSequence(priority, US_ASCII);
        client.frame(Http2Client.PRIORITY_UPDATE, 0, 0, ByteBufUtil.getBytes(payload));
    }

    @Test
    void theMoreUrgentComesFirst() throws IOException {
        try (Http2Client client = blocked()) {
            ask(client, 3, "priority", "u=5");
            ask(client, 5, "priority", "u=2");
            ask(client, 7);
            assertThat(turns(client, 4)).containsOnly(5);
            client.reset(5, Http2Error.CANCEL.code());
            assertThat(turns(client, 4)).as("3 where nothing is said").containsOnly(7);
            client.reset(7, Http2Error.CANCEL.code());
            assertThat(turns(client, 4)).containsOnly(3);
        }
    }

    /** The one that came first is sent to its end, where neither can be used in parts. */
    @Test
    void ofTheSameUrgencyTheFirstComesFirst() throws IOException {
        try (Http2Client client = blocked()) {
            ask(client, 3);
            ask(client, 5);
            assertThat(turns(client, 6)).containsOnly(3);
        }
    }

    @Test
    void incrementalOnesTakeTurns() throws IOException {
        try (Http2Client client = blocked()) {
            ask(client, 3, "priority", "u=3, i");
            ask(client, 5, "priority", "i");
            ask(client, 7, "priority", "i=?1");
            assertThat(turns(client, 6)).containsExactly(3, 5, 7, 3, 5, 7);
        }
    }

    @Test
    void aClientMayChangeItsMind() throws IOException {
        try (Http2Client client = blocked()) {
            ask(client, 3);
            ask(client, 5, "priority", "u=6");
            assertThat(turns(client, 2)).containsOnly(3);
            update(client, 5, "u=0");
            assertThat(turns(client, 2)).containsOnly(5);
            update(client, 5, "");
            update(client, 3, "u=7");
            assertThat(turns(client, 2)).as("as where nothing is said").containsOnly(5);
            // Of none that there is: nothing.
            update(client, 99, "u=0");
            assertThat(turns(client, 1)).containsOnly(5);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "NULL", textBlock = """
                    0 | u=1 | PROTOCOL_ERROR
                    NULL | u= | FRAME_SIZE_ERROR
                    """)
    void updatesThatAreWrong(Integer stream, String text, Http2Error error) throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            if (stream == null) {
                client.frame(Http2Client.PRIORITY_UPDATE, 0, 0, text.getBytes(US_ASCII));
            } else {
                update(client, stream, text);
            }
            assertThat(client.error()).isEqualTo(error.code());
            client.awaitEnd();
        }
    }

    /** What a structured field may say, and what isn't understood, which counts as not said. */
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    u=0 | 5
                    u=2 | 5
                    'i, u=1' | 5
                    'u=1,i' | 5
                    'x=y, u=1' | 5
                    'u=1;a=b' | 5
                    u=3 | 3
                    u=8 | 3
                    u=10 | 3
                    u=1.5 | 3
                    u=-1 | 3
                    u | 3
                    urgency=0 | 3
                    U=0 | 3
                    ',,' | 3
                    u=4 | 3
                    """)
    void prioritiesAreRead(String text, int first) throws IOException {
        try (Http2Client client = blocked()) {
            ask(client, 3);
            ask(client, 5, "priority", text);
            assertThat(turns(client, 2)).containsOnly(first);
        }
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    i | true
                    'i ' | true
                    i=?1 | true
                    'u=3,i' | true
                    i;a=b | true
                    i=?0 | false
                    ii | false
                    u=3 | false
                    x=i | false
                    """)
    void turnsAreRead(String text, boolean takesTurns) throws IOException {
        try (Http2Client client = blocked()) {
            ask(client, 3);
            ask(client, 5);
            update(client, 3, text);
            assertThat(turns(client, 2)).isEqualTo(takesTurns ? List.of(3, 5) : List.of(3, 3));
        }
    }
}
