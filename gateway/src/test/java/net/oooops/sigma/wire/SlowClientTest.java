package net.oooops.sigma.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ConnectionEnd;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clients that take their time (RFC 9110 section 15.5.9), each limit by itself. */
class SlowClientTest extends WireTest {
    private static final Duration BRIEF = Duration.ofMillis(300);
    private static final String POST = "POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n";
    private static final String CHUNKED = "POST /next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";

    @Override
    ScriptedUpstream upstream() {
        return upstreamOnHead();
    }

    @Override
    GatewayBuilder configure(GatewayBuilder builder) {
        return builder.timeout("headerNanos", BRIEF).timeout("bodyIdleNanos", BRIEF);
    }

    private static void timedOut(RawClient client) throws IOException {
        RawResponse response = client.readResponse();
        assertThat(response.status()).isEqualTo(408);
        assertThat(response.header("Connection")).isEqualTo("close");
        client.expectCleanClose();
    }

    /** Sends one byte after the other, some milliseconds apart, until the gateway has had enough. */
    private static void trickle(RawClient client, BooleanSupplier enough) {
        Await.until("the slow client given up", () -> {
            try {
                client.sendUnlessClosed(new byte[] {'x'}, 1);
            } catch (IOException e) {
                throw new AssertionError(e);
            }
            return enough.getAsBoolean();
        });
    }

    /** A head that doesn't come to its end: 408, and the connection closed. */
    @Test
    void headsThatStop() throws IOException {
        List<RawClient> clients = new ArrayList<>();
        try {
            for (String part : List.of(
                    "G",
                    "GET /x HTTP/1.1",
                    "GET /x HTTP/1.1\r\n",
                    "GET /x HTTP/1.1\r\nHost: a\r\n",
                    "GET /x HTTP/1.1\r\nHost: a\r\n\r",
                    "\r\n",
                    "\r")) {
                clients.add(gateway.connect().send(part));
            }
            for (RawClient client : clients) {
                timedOut(client);
            }
        } finally {
            clients.forEach(RawClient::close);
        }
    }

    /** The time for a head isn't renewed by each byte of it. */
    @Test
    void headThatTrickles() throws IOException {
        long before = gateway.faults(Fault.REQUEST_TIMEOUT);
        try (RawClient client = gateway.connect()) {
            client.send("GET /attack HTTP/1.1\r\nHost: a\r\nX-A: ");
            trickle(client, () -> gateway.faults(Fault.REQUEST_TIMEOUT) > before);
            timedOut(client);
        }
    }

    /** Where no byte came nothing is answered: there may have been no request (RFC 9112 section 9.5). */
    @Test
    void noByteAtAll() throws IOException {
        long before = gateway.faults(Fault.REQUEST_TIMEOUT);
        try (RawClient client = gateway.connect()) {
            client.expectCleanClose();
        }
        assertThat(gateway.faults(Fault.REQUEST_TIMEOUT)).isEqualTo(before);
    }

    /** The second head on a connection is given the same time. */
    @Test
    void secondHeadThatStops() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\nGET /y");
            assertThat(client.readResponse().bodyText()).isEqualTo("/x");
            timedOut(client);
        }
    }

    /** A body that pauses too long: 408, and the node isn't left with half of it. */
    @Test
    void bodiesThatPause() throws IOException {
        next = Script.script().readBody().respond(200, "not this");
        int before = upstream.requestCount();
        List<RawClient> clients = new ArrayList<>();
        try {
            for (String part : List.of(
                    POST,
                    POST + "part",
                    CHUNKED,
                    CHUNKED + "5",
                    CHUNKED + "5\r\nab",
                    CHUNKED + "5\r\nabcde\r\n0\r\n",
                    CHUNKED + "0\r\nX-A: b\r\n")) {
                clients.add(gateway.connect().send(part));
            }
            for (RawClient client : clients) {
                timedOut(client);
            }
            for (int i = before; i < before + clients.size(); i++) {
                ReceivedRequest seen = upstream.request(i);
                assertThat(upstream.awaitClosed(seen.connection())).isNotEqualTo(ConnectionEnd.OPEN);
                assertThat(seen.complete()).isFalse();
            }
        } finally {
            clients.forEach(RawClient::close);
        }
    }

    /** A body that comes, but too slowly: its content, or the framing of it. */
    @ParameterizedTest
    @ValueSource(strings = {"content", "extension", "trailer"})
    void bodyBelowTheMinimumRate(String what) throws IOException {
        next = Script.script().readBody().respond(200, "not this");
        String start = switch (what) {
            case "content" -> POST;
            case "extension" -> CHUNKED + "5;";
            default -> CHUNKED + "5\r\nabcde\r\n0\r\nX-A: ";
        };
        try (GatewayFixture strict = GatewayFixture.to(upstream)
                        .bodyMinRate(100_000, Duration.ofMillis(200))
                        .start();
                RawClient client = strict.connect()) {
            client.send(start);
            trickle(client, () -> strict.faults(Fault.REQUEST_TIMEOUT) > 0);
            timedOut(client);
        }
    }

    /** The rate is measured from the body's first byte: who waits for 100 (Continue) isn't slow. */
    @ParameterizedTest
    @ValueSource(strings = {"Content-Length: 5\r\n", "Transfer-Encoding: chunked\r\n"})
    void waitingToContinueIsNotSlow(String framing) throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).interim(100).readBody().respond(200, "thanks");
        try (GatewayFixture strict = GatewayFixture.to(upstream)
                        .bodyMinRate(100_000, Duration.ofMillis(100))
                        .start();
                RawClient client = strict.connect()) {
            client.send("POST /next HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n" + framing + "\r\n");
            client.expectSilence(Duration.ofMillis(300));
            gate.release();
            assertThat(client.readHead().status()).isEqualTo(100);
            if (framing.startsWith("T")) {
                client.send("5\r\n").send("hello").send("\r\n0\r\n").send("\r\n");
            } else {
                client.send("h").send("ello");
            }
            assertThat(client.readResponse().bodyText()).isEqualTo("thanks");
        }
    }

    /** While a node doesn't take the body, the client isn't slow. */
    @Test
    void aNodeThatDoesNotReadIsNotTheClientsFault() throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).readBody().respond(200, "at last");
        int bodyBytes = 16 << 20;
        byte[] head =
                ("POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: " + bodyBytes + "\r\n\r\n").getBytes(US_ASCII);
        // In one write: between head and body the client takes no time.
        byte[] request = Arrays.copyOf(head, head.length + bodyBytes);
        try (GatewayFixture strict = GatewayFixture.to(upstream)
                        .timeout("bodyIdleNanos", BRIEF)
                        .runtime("sendBufferBytes", 65536)
                        .runtime("receiveBufferBytes", 65536)
                        .start();
                RawClient client = strict.connect()) {
            var sent = CompletableFuture.runAsync(
                    () -> {
                        try {
                            client.send(request);
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    Thread::startVirtualThread);
            client.expectSilence(Duration.ofMillis(700));
            assertThat(sent).isNotDone();
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("at last");
            assertThat(sent).succeedsWithin(Duration.ofSeconds(5));
        }
    }
}
