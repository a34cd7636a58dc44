package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Large heads on many connections at once, whole or not, in either version: who brings one more is refused, and others go on. */
class LargeHeadsTest {
    private static final int BOUND_BYTES = 100_000;
    /** More of them than there is room for, however they are held. */
    private static final int MANY = 8;

    private static final String LARGE_FIELDS = ("X-Large: " + "v".repeat(7000) + "\r\n").repeat(3);
    private static final String LARGE = "GET /stall HTTP/1.1\r\nHost: a\r\n" + LARGE_FIELDS;
    /** Up to what they may have. */
    private static final String TRAILERS = ("X-Trailer: " + "v".repeat(1800) + "\r\n").repeat(4);

    /** More of them than there is room for. */
    private static final int MANY_TRAILERS = 20;

    private static final String SMALL = "GET /small HTTP/1.1\r\nHost: a\r\n\r\n";

    private final Gate gate = new Gate();
    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request ->
            request.target().equals("/stall") ? Script.script().stall(gate).respond(200, "late") : Answer.ok("small"));
    private final GatewayFixture gateway =
            GatewayFixture.to(upstream).memory("headBytesMax", BOUND_BYTES).start();
    private final List<RawClient> clients = new ArrayList<>();

    @AfterEach
    void stop() {
        gate.release();
        clients.forEach(RawClient::close);
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    private RawClient send(String request) throws IOException {
        RawClient client = RawClient.connect(gateway.port());
        clients.add(client);
        return client.send(request);
    }

    /** There is room for large heads again: they are all gone. */
    private void assertThereIsRoom() throws IOException {
        clients.forEach(RawClient::close);
        Await.until("all closed", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
        assertThat(send(LARGE.replace("/stall", "/large") + "\r\n")
                        .readResponse()
                        .status())
                .isEqualTo(200);
    }

    @Test
    void headsThatAreNotWhole() throws IOException {
        for (int i = 0; i < MANY; i++) {
            send(LARGE);
        }
        Await.until("some refused", () -> gateway.faults(Fault.OVERLOADED) > 0);
        assertThat(clients.getLast().readResponse().status()).isEqualTo(503);
        assertThat(gateway.faults(Fault.OVERLOADED)).isLessThan(MANY - 1);
        assertThat(gateway.count(Counter.HEAD_MEMORY_SHORT)).isEqualTo(gateway.faults(Fault.OVERLOADED));
        assertThat(send(SMALL).readResponse().bodyText()).isEqualTo("small");
        assertThereIsRoom();
    }

    @Test
    void headsOfRequestsUnderWay() throws IOException {
        for (int i = 0; i < MANY; i++) {
            send(LARGE + "\r\n");
        }
        Await.until("some refused", () -> gateway.faults(Fault.OVERLOADED) > 0);
        assertThat(clients.getLast().readResponse().status()).isEqualTo(503);
        assertThat(send(SMALL).readResponse().bodyText()).isEqualTo("small");
        gate.release();
        assertThat(clients.getFirst().readResponse().bodyText()).isEqualTo("late");
        assertThereIsRoom();
    }

    @Test
    void blocksThatAreNotWhole() throws IOException {
        List<Http2Client> open = new ArrayList<>();
        try {
            for (int i = 0; i < MANY; i++) {
                Http2Client client = Http2Client.connect(gateway);
                open.add(client);
                client.frame(Http2Client.HEADERS, 0, 1, new byte[16_000]);
                client.frame(Http2Client.CONTINUATION, 0, 1, new byte[16_000]);
            }
            assertThat(open.getLast().error()).isEqualTo(Http2Error.ENHANCE_YOUR_CALM.code());
            assertThat(gateway.count(Counter.HTTP2_FLOODS)).isBetween(1L, MANY - 2L);
            try (Http2Client other = Http2Client.connect(gateway)) {
                assertThat(other.get(1, "/small").response(1).text()).isEqualTo("small");
            }
        } finally {
            for (Http2Client client : open) {
                client.close();
            }
        }
        assertThereIsRoom();
    }

    /** A few bytes for each refer to large fields of the table. */
    @Test
    void headsOfManyStreams() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            String large = "v".repeat(3000);
            for (int stream = 1; stream < 2 * MANY; stream += 2) {
                client.get(stream, "/stall", "x-a", large, "x-a", large, "x-a", large, "x-a", large, "x-a", large);
            }
            Await.until("some refused", () -> gateway.faults(Fault.OVERLOADED) > 0);
            assertThat(client.get(101, "/small").response(101).text()).isEqualTo("small");
        }
        assertThereIsRoom();
    }

    /** Clients that never end their requests, nodes that don't answer: both keep them for long. */
    @ParameterizedTest
    @ValueSource(strings = {"", "\r\n"})
    void trailers(String end) throws IOException {
        for (int i = 0; i < MANY_TRAILERS; i++) {
            send("POST /stall HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n" + TRAILERS + end);
        }
        Await.until("some refused", () -> gateway.faults(Fault.OVERLOADED) > 0);
        assertThat(clients.getLast().readResponse().status()).isEqualTo(503);
        assertThat(gateway.faults(Fault.OVERLOADED)).isLessThan(MANY_TRAILERS - 1);
        assertThat(gateway.count(Counter.HEAD_MEMORY_SHORT)).isEqualTo(gateway.faults(Fault.OVERLOADED));
        assertThat(send(SMALL).readResponse().bodyText()).isEqualTo("small");
        // Whole ones are answered before their connections end.
        gate.release();
        assertThereIsRoom();
    }

    @Test
    void trailersOfManyStreams() throws IOException {
        String large = "v".repeat(1800);
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int stream = 1; stream < 2 * MANY_TRAILERS; stream += 2) {
                client.request(stream, false, "POST", "/stall");
                client.headers(stream, true, "x-a", large, "x-a", large, "x-a", large, "x-a", large);
            }
            assertThat(client.response(2 * MANY_TRAILERS - 1).status()).isEqualTo(503);
            assertThat(gateway.faults(Fault.OVERLOADED)).isBetween(1L, MANY_TRAILERS - 2L);
            assertThat(client.get(101, "/small").response(101).text()).isEqualTo("small");
        }
        assertThereIsRoom();
    }
}
