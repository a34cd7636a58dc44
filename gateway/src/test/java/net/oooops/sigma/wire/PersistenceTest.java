package net.oooops.sigma.wire;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** How long a client's connection lives (RFC 9112 section 9), and what it may cost meanwhile. */
class PersistenceTest extends WireTest {
    private static final String GET = "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final ClientOptions SMALL_WINDOW = ClientOptions.defaults().withReceiveBufferBytes(4096);

    /** RFC 9112 section 9.3: HTTP/1.1 persists without saying so. */
    @Test
    void http11Persists() throws IOException {
        try (RawClient client = gateway.connect()) {
            for (int i = 0; i < 5; i++) {
                RawResponse response = client.send(GET.formatted(i)).readResponse();
                assertThat(response.bodyText()).isEqualTo("/" + i);
                assertThat(response.headers().has("Connection")).isFalse();
            }
        }
    }

    /** RFC 9112 section 9.6: close is the last word of whoever says it, in any letter case and among other options. */
    @ParameterizedTest
    @ValueSource(strings = {"close", "Close", "keep-alive, close", "x-a,CLOSE,x-b", "close, keep-alive"})
    void closeIsHonoured(String options) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: " + options + "\r\n\r\n");
            RawResponse response = client.readResponse();
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
        }
    }

    /** RFC 9112 section 9.6: what follows a request with close isn't looked at. */
    @Test
    void nothingIsAnsweredAfterClose() throws IOException {
        int before = upstream.requestCount();
        try (RawClient client = gateway.connect()) {
            client.send("GET /x HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n" + GET.formatted("smuggled"));
            assertThat(client.readResponse().bodyText()).isEqualTo("/x");
            client.expectCleanClose();
        }
        assertThat(upstream.requestCount()).isEqualTo(before + 1);
    }

    /** RFC 9112 appendix C.2.2: HTTP/1.0 closes. */
    @ParameterizedTest
    @ValueSource(
            strings = {"", "Connection: close\r\n", "Connection: keep-alive, close\r\n", "Keep-Alive: timeout=5\r\n"})
    void http10Closes(String fields) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("GET /x HTTP/1.0\r\n" + fields + "\r\n");
            RawResponse response = client.readResponse();
            assertThat(response.bodyText()).isEqualTo("/x");
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
        }
    }

    /** RFC 9112 appendix C.2.2: unless it asks to stay. */
    @Test
    void http10PersistsWhereItAsks() throws IOException {
        try (RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send("GET /" + i + " HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n");
                RawResponse response = client.readResponse();
                assertThat(response.bodyText()).isEqualTo("/" + i);
                assertThat(response.header("Connection")).isEqualTo("keep-alive");
            }
        }
    }

    /** RFC 9112 section 6.3: what has no length can end for HTTP/1.0 with the connection only. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void http10GetsChunksAsABodyUntilClose(boolean chunked) throws IOException {
        Answer answer = Answer.ok("some words");
        next = chunked ? answer.chunked(3).trailer("X-A", "b") : answer.untilClose();
        try (RawClient client = gateway.connect()) {
            client.send("GET /next HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
            RawResponse response = client.readResponse();
            assertThat(response.bodyText()).isEqualTo("some words");
            assertThat(response.headers().has("Transfer-Encoding")).isFalse();
            assertThat(response.headers().has("Content-Length")).isFalse();
            assertThat(response.header("Connection")).isEqualTo("close");
        }
    }

    /** An answer of the gateway's own leaves a good connection open. */
    @Test
    void ownAnswersPersist() throws IOException {
        try (GatewayFixture narrow = GatewayFixture.to(upstream).route("/only").start();
                RawClient client = narrow.connect()) {
            assertThat(client.send(GET.formatted("nothing")).readResponse().status())
                    .isEqualTo(404);
            assertThat(client.send(GET.formatted("only")).readResponse().bodyText())
                    .isEqualTo("/only");
            // A large body of a request that nobody takes isn't wanted, nor is one of which nobody knows how large it
            // is.
            client.send("POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n");
            assertThat(client.readResponse().header("Connection")).isNull();
            client.send("hello" + "POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 65537\r\n\r\n");
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
        }
    }

    /** The last request that the limit allows is answered with close; what was pipelined behind it isn't, and resets nothing. */
    @Test
    void requestsPerConnectionAreLimited() throws IOException {
        int before = upstream.requestCount();
        try (GatewayFixture limited = GatewayFixture.to(upstream)
                        .limit("requestsPerConnectionMax", 3)
                        .start();
                RawClient client = limited.connect()) {
            client.send(GET.formatted("1") + GET.formatted("2"));
            assertThat(client.readResponse().headers().has("Connection")).isFalse();
            assertThat(client.readResponse().headers().has("Connection")).isFalse();
            CompletableFuture<Boolean> sent = CompletableFuture.supplyAsync(
                    () -> {
                        try {
                            return client.sendUnlessClosed(
                                    GET.formatted("3").repeat(20_000).getBytes(US_ASCII), 1 << 20);
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    Thread::startVirtualThread);
            RawResponse third = client.readResponse();
            assertThat(third.bodyText()).isEqualTo("/3");
            assertThat(third.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            assertThat(sent).succeedsWithin(Duration.ofSeconds(10));
        }
        assertThat(upstream.requestCount()).isEqualTo(before + 3);
    }

    /** RFC 9112 section 9.6: what a client sends before it sees the end of its connection resets nothing. */
    @Test
    void anEndTheClientDidNotAskForResetsNothing() throws IOException {
        try (GatewayFixture limited = GatewayFixture.to(upstream)
                        .limit("requestsPerConnectionMax", 1)
                        .start();
                RawClient client = limited.connect()) {
            assertThat(client.send(GET.formatted("x")).readResponse().header("Connection"))
                    .isEqualTo("close");
            byte[] late = GET.formatted("smuggled").repeat(50).getBytes(US_ASCII);
            assertThat(client.sendUnlessClosed(late, 10)).isTrue();
            client.expectCleanClose();
        }
    }

    /** A connection that is old enough ends with its next answer. */
    @Test
    void connectionsAgeAndEnd() throws IOException {
        try (GatewayFixture aging = GatewayFixture.to(upstream)
                        .timeout("connectionLifetimeNanos", Duration.ofNanos(100))
                        .start();
                RawClient client = aging.connect()) {
            assertThat(client.send(GET.formatted("x")).readResponse().header("Connection"))
                    .isEqualTo("close");
            client.expectCleanClose();
        }
    }

    /** Lifetimes are spread, so that connections opened at once don't end at once. */
    @Test
    void lifetimesAreSpread() throws IOException {
        try (GatewayFixture aging = GatewayFixture.to(upstream)
                .timeout("connectionLifetimeNanos", Duration.ofNanos(Long.MAX_VALUE))
                .start()) {
            try (RawClient client = aging.connect()) {
                assertThat(client.send(GET.formatted("x"))
                                .readResponse()
                                .headers()
                                .has("Connection"))
                        .isFalse();
            }
        }
    }

    /** Beyond the limit connections are closed at once and counted; others go on, and a place that becomes free is given. */
    @Test
    @Tag("plain")
    void connectionsAreLimited() throws IOException {
        try (GatewayFixture limited =
                GatewayFixture.to(upstream).limit("connectionsMax", 2).start()) {
            try (RawClient first = limited.connect();
                    RawClient second = limited.connect()) {
                assertThat(first.send(GET.formatted("1")).readResponse().status())
                        .isEqualTo(200);
                assertThat(second.send(GET.formatted("2")).readResponse().status())
                        .isEqualTo(200);
                try (RawClient third = limited.connect()) {
                    third.expectClosed();
                }
                assertThat(limited.count(Counter.DOWNSTREAM_CONNECTIONS_REFUSED))
                        .isEqualTo(1);
                assertThat(limited.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN)).isEqualTo(2);
                assertThat(first.send(GET.formatted("1")).readResponse().status())
                        .isEqualTo(200);
            }
            Await.until("no connection open", () -> limited.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
            try (RawClient again = limited.connect()) {
                assertThat(again.send(GET.formatted("1")).readResponse().status())
                        .isEqualTo(200);
            }
        }
    }

    /** RFC 9112 section 9.5: an idle connection is closed in time, after an answer and before the first request. */
    @Test
    void idleConnectionsAreClosed() throws IOException {
        try (GatewayFixture brief = GatewayFixture.to(upstream)
                        .timeout("keepAliveNanos", Duration.ofMillis(200))
                        .timeout("headerNanos", Duration.ofMillis(200))
                        .start();
                RawClient used = brief.connect();
                RawClient fresh = brief.connect()) {
            assertThat(used.send(GET.formatted("1")).readResponse().status()).isEqualTo(200);
            used.expectCleanClose();
            fresh.expectCleanClose();
        }
    }

    /** Who pipelines and never reads is stopped, then given up: answers don't pile up. Both those of a node and the gateway's own. */
    @ParameterizedTest
    @CsvSource({"GET", "TRACE"})
    void answersOfAPipelineDoNotPileUp(String method) throws IOException {
        try (GatewayFixture patient = GatewayFixture.to(upstream)
                        .limit("requestsPerConnectionMax", Integer.MAX_VALUE)
                        .timeout("sendStallNanos", Duration.ofMillis(300))
                        .runtime("sendBufferBytes", 8192)
                        .start();
                RawClient client = patient.connect(SMALL_WINDOW)) {
            byte[] batch =
                    (method + " /x HTTP/1.1\r\nHost: a\r\n\r\n").repeat(1000).getBytes(US_ASCII);
            int batches = 0;
            while (batches < 1000 && client.sendUnlessClosed(batch, batch.length)) {
                batches++;
            }
            assertThat(batches)
                    .as("megabytes of requests taken without an answer read")
                    .isLessThan(1000);
            Await.until("the connection given up", () -> patient.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
        }
    }

    /** Who pipelines far ahead and reads late gets every answer. */
    @Test
    void aLongPipelineIsAnsweredWhole() throws IOException {
        int count = 5000;
        try (GatewayFixture patient = GatewayFixture.to(upstream)
                        .limit("requestsPerConnectionMax", Integer.MAX_VALUE)
                        .start();
                RawClient client = patient.connect(ClientOptions.defaults().withReceiveBufferBytes(32 << 10))) {
            CompletableFuture<Void> sent = CompletableFuture.runAsync(
                    () -> {
                        try {
                            for (int i = 0; i < count; i++) {
                                client.send(
                                        (i % 10 == 0 ? "GET" : "TRACE") + " /" + i + " HTTP/1.1\r\nHost: a\r\n\r\n");
                            }
                        } catch (IOException e) {
                            throw new AssertionError(e);
                        }
                    },
                    Thread::startVirtualThread);
            for (int i = 0; i < count; i++) {
                RawResponse response = client.readResponse();
                if (i % 10 == 0) {
                    assertThat(response.bodyText()).isEqualTo("/" + i);
                } else {
                    assertThat(response.status()).isEqualTo(405);
                }
            }
            assertThat(sent).succeedsWithin(Duration.ofSeconds(10));
        }
    }

    /** A client that reads slowly gets the whole of a last answer, though that takes longer than lingering does. */
    @ParameterizedTest
    @ValueSource(strings = {"Connection: close\r\n", "Connection: keep-alive\r\n"})
    void aSlowReaderGetsTheWholeLastAnswer(String fields) throws IOException {
        GeneratedBody body = GeneratedBody.of(7, 4 << 20);
        next = Answer.of(200).body(body);
        try (GatewayFixture brief = GatewayFixture.to(upstream)
                        .timeout("lingerNanos", Duration.ofMillis(100))
                        .runtime("sendBufferBytes", 8192)
                        .limit("writeBufferBytesMax", 1 << 20)
                        .limit("requestsPerConnectionMax", 1)
                        .start();
                RawClient clock = brief.connect();
                RawClient client = brief.connect(ClientOptions.defaults().withReceiveBufferBytes(64 << 10))) {
            client.send("GET /next HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
            client.readHead();
            // All but what is less than half of the gateway's bound, where it reads the node on (a buffer counts whole
            // until all of it is sent), and far more than sockets hold: twice what is asked of them, and a segment.
            long read = 0;
            while (read < (4 << 20) - (400 << 10)) {
                read += client.readBody(4096).length;
            }
            Await.until("the node has been left", () -> pooled(brief) == 1);
            // Another client's lingering begins now, and ends with its connection: this one's last bytes wait in the
            // gateway meanwhile.
            clock.send(GET.formatted("x")).readResponse();
            Await.value("open connections", () -> brief.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN), n -> n == 1);
            RawResponse response = client.readRest();
            assertThat(response.bodySha256()).isEqualTo(body.sha256());
            client.expectCleanClose();
        }
    }

    private static int pooled(GatewayFixture fixture) {
        return fixture.counters().pools().getFirst().idle();
    }
}
