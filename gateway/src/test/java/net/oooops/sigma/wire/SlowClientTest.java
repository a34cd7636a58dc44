package net.oooops.sigma.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.testkit.ConnectionEnd;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
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
    GatewayFixture.Builder configure(GatewayFixture.Builder builder) {
        return builder.timeout("headerNanos", BRIEF).timeout("bodyIdleNanos", BRIEF);
    }

    private static void timedOut(RawClient client) throws IOException {
        RawResponse response = client.readResponse();
        assertThat(response.status()).isEqualTo(408);
        assertThat(response.header("Connection")).isEqualTo("close");
        client.expectCleanClose();
    }

    /** A head that doesn't come to its end: 408, and the connection closed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "G",
                "GET /x HTTP/1.1",
                "GET /x HTTP/1.1\r\n",
                "GET /x HTTP/1.1\r\nHost: a\r\n",
                "GET /x HTTP/1.1\r\nHost: a\r\n\r",
                "\r\n",
                "\r"
            })
    void headThatStops(String part) throws IOException {
        try (RawClient client = gateway.connect()) {
            timedOut(client.send(part));
        }
    }

    /** The time for a head isn't renewed by each byte of it. */
    @Test
    void headThatTrickles() throws IOException {
        long before = gateway.faults(Fault.REQUEST_TIMEOUT);
        byte[] head = ("GET /attack HTTP/1.1\r\nHost: a\r\nX-A: " + "x".repeat(3000)).getBytes(US_ASCII);
        try (RawClient client = gateway.connect()) {
            int sent = 0;
            while (gateway.faults(Fault.REQUEST_TIMEOUT) == before && sent < head.length) {
                client.sendUnlessClosed(new byte[] {head[sent++]}, 1);
                LockSupport.parkNanos(5_000_000);
            }
            assertThat(sent).isLessThan(head.length);
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
    @ParameterizedTest
    @ValueSource(
            strings = {
                POST,
                POST + "part",
                CHUNKED,
                CHUNKED + "5",
                CHUNKED + "5\r\nab",
                CHUNKED + "5\r\nabcde\r\n0\r\n",
                CHUNKED + "0\r\nX-A: b\r\n"
            })
    void bodyThatPauses(String part) throws IOException {
        next = Script.script().readBody().respond(200, "not this");
        int before = upstream.requestCount();
        try (RawClient client = gateway.connect()) {
            timedOut(client.send(part));
        }
        assertThat(upstream.awaitClosed(upstream.request(before).connection())).isNotEqualTo(ConnectionEnd.OPEN);
        assertThat(upstream.request(before).complete()).isFalse();
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
            int sent = 0;
            while (strict.faults(Fault.REQUEST_TIMEOUT) == 0 && sent < 1000) {
                client.sendUnlessClosed(new byte[] {'x'}, 1);
                sent++;
                LockSupport.parkNanos(5_000_000);
            }
            assertThat(sent).isLessThan(1000);
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
        byte[] much = new byte[16 << 20];
        try (GatewayFixture strict = GatewayFixture.to(upstream)
                        .timeout("bodyIdleNanos", BRIEF)
                        .runtime("sendBufferBytes", 65536)
                        .runtime("receiveBufferBytes", 65536)
                        .start();
                RawClient client = strict.connect()) {
            client.send("POST /next HTTP/1.1\r\nHost: a\r\nContent-Length: " + much.length + "\r\n\r\n");
            var sent = CompletableFuture.runAsync(() -> {
                try {
                    client.send(much);
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
            });
            client.expectSilence(Duration.ofMillis(700));
            assertThat(sent).isNotDone();
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("at last");
            assertThat(sent).succeedsWithin(Duration.ofSeconds(5));
        }
    }
}
