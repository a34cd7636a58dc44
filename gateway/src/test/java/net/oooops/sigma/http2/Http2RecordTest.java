package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is counted and logged of an answer that has ended at its node, and waits for its client's window. */
class Http2RecordTest {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String BODY = "0123456789";
    private static final int FIRST_BYTES = 3;
    private static final int FRAME_BYTES = 9;

    private final ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(BODY));

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    @AfterEach
    void stop() {
        upstream.close();
    }

    private Path file() {
        return dir.resolve("access.log");
    }

    private GatewayBuilder gateway() {
        return GatewayFixture.to(upstream).accessLog(file());
    }

    /** Asks, and reads what the window lets through. How many bytes that were. */
    private static long waits(GatewayFixture gateway, Http2Client client) throws IOException {
        client.get(1, "/waits");
        Frame head = client.await(Http2Client.HEADERS);
        client.fields(head);
        assertThat(client.await(Http2Client.DATA).payload()).hasSize(FIRST_BYTES);
        Await.until(
                "left by its node", () -> gateway.counters().pools().getFirst().idle() == 1);
        assertThat(gateway.count(Counter.REQUESTS_IN_FLIGHT)).isEqualTo(1);
        return (long) head.payload().length + FIRST_BYTES + 2 * FRAME_BYTES;
    }

    private static Http2Client narrow(GatewayFixture gateway) throws IOException {
        return Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, FIRST_BYTES);
    }

    private static void awaitNoExchange(GatewayFixture gateway) {
        Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }

    private JsonNode line() throws IOException {
        List<String> lines = Files.readAllLines(file());
        assertThat(lines).hasSize(1);
        return JSON.readTree(lines.getFirst());
    }

    private void assertCut(Fault why) throws IOException {
        assertThat(line().get("status").asInt()).isEqualTo(why.status());
        assertThat(line().get("reason").asText()).isEqualTo(why.name());
        assertThat(line().get("bytes").asInt()).isEqualTo(FIRST_BYTES);
    }

    @Test
    void whatLeavesLaterIsCounted() throws IOException {
        long sent;
        try (GatewayFixture gateway = gateway().start();
                Http2Client client = narrow(gateway)) {
            sent = waits(gateway, client);
            client.window(1, 100);
            assertThat(client.await(Http2Client.DATA).payload()).hasSize(BODY.length() - FIRST_BYTES);
            awaitNoExchange(gateway);
            assertThat(gateway.count(Counter.DOWNSTREAM_BYTES_SENT))
                    .isEqualTo(sent + BODY.length() - FIRST_BYTES + FRAME_BYTES);
            assertThat(gateway.count(Counter.REQUESTS_2XX)).isEqualTo(1);
        }
        assertThat(line().get("status").asInt()).isEqualTo(200);
        assertThat(line().get("reason").isNull()).isTrue();
        assertThat(line().get("bytes").asInt()).isEqualTo(BODY.length());
    }

    @Test
    void anAnswerThatIsResetThenIsNotWhole() throws IOException {
        try (GatewayFixture gateway = gateway().start();
                Http2Client client = narrow(gateway)) {
            long sent = waits(gateway, client);
            client.reset(1, Http2Error.CANCEL.code());
            awaitNoExchange(gateway);
            assertThat(gateway.count(Counter.DOWNSTREAM_BYTES_SENT)).isEqualTo(sent);
            assertThat(gateway.faults(Fault.CLIENT_GONE)).isEqualTo(1);
        }
        assertCut(Fault.CLIENT_GONE);
    }

    @Test
    void anAnswerWhoseConnectionClosesThenIsNotWhole() throws IOException {
        try (GatewayFixture gateway = gateway().start()) {
            try (Http2Client client = narrow(gateway)) {
                waits(gateway, client);
                client.socket().setSoLinger(true, 0);
            }
            awaitNoExchange(gateway);
        }
        assertCut(Fault.CLIENT_GONE);
    }

    @Test
    void anAnswerThatIsNotTakenInTimeIsNotWhole() throws IOException {
        try (GatewayFixture gateway = gateway()
                        .timeout("sendStallNanos", Duration.ofMillis(300))
                        .start();
                Http2Client client = narrow(gateway)) {
            waits(gateway, client);
            assertThat(client.await(Http2Client.RST_STREAM).stream()).isEqualTo(1);
            awaitNoExchange(gateway);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isEqualTo(1);
        }
        assertCut(Fault.CLIENT_STALLED);
    }

    @Test
    void anAnswerThatTheEndOfADrainCutsIsNotWhole() throws IOException {
        try (GatewayFixture gateway = gateway().start();
                Http2Client client = narrow(gateway)) {
            waits(gateway, client);
            gateway.drain(Duration.ofMillis(100));
        }
        assertThat(line().get("reason").asText()).isEqualTo(Fault.REQUEST_CUT.name());
        assertThat(line().get("bytes").asInt()).isEqualTo(FIRST_BYTES);
    }
}
