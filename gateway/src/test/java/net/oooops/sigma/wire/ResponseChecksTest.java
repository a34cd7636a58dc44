package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.stream.IntStream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ConnectionEnd;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks 32 to 37: what a node may answer, and whose answer it is (RFC 9112 sections 4, 6 and 9). */
class ResponseChecksTest extends WireTest {
    private static final String GET = "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final String GOOD = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood";
    private static final String POISON = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison";

    /** The node answers with these bytes; afterwards the same client connection gets another request's answer. */
    private RawResponse answered(String method, String raw) throws IOException {
        next = Script.script().send(raw).awaitPeerClose();
        try (RawClient client = gateway.connect()) {
            client.send(method + " /next HTTP/1.1\r\nHost: a\r\n\r\n");
            RawResponse response = client.readResponse(method);
            assertThat(client.send(GET.formatted("after")).readResponse().bodyText())
                    .isEqualTo("/after");
            ReceivedRequest after = upstream.requests().getLast();
            assertThat(upstream.awaitClosed(after.connection() - 1)).isNotEqualTo(ConnectionEnd.OPEN);
            return response;
        }
    }

    private void badGateway(String raw) throws IOException {
        RawResponse response = answered("GET", raw);
        assertThat(response.status()).as(response.toString()).isEqualTo(502);
        assertThat(response.bodyText()).doesNotContain("127.0.0.1");
    }

    /** RFC 9112 section 6.1 to 6.3: a response whose end could be read in two ways. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n",
                "Content-Length: 4\r\nContent-Length: 5\r\n",
                "Content-Length: 4\r\nContent-Length: 4\r\n",
                "Content-Length: 4, 4\r\n",
                "Content-Length: +4\r\n",
                "Content-Length: -1\r\n",
                "Content-Length: \r\n",
                "Content-Length: 99999999999999999999\r\n",
                "Transfer-Encoding: gzip\r\n",
                "Transfer-Encoding: chunked, gzip\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                "Content-Length : 4\r\n",
                "Content-Length: 4\r\n X: folded\r\n",
                "X: a\0b\r\nContent-Length: 4\r\n",
                "X: a\rb\r\nContent-Length: 4\r\n",
                "X: a\nContent-Length: 4\r\n",
                "X\r\nContent-Length: 4\r\n",
                " X: a\r\nContent-Length: 4\r\n"
            })
    void check32_framingOrFieldsOfAResponseMalformed(String fields) throws IOException {
        badGateway("HTTP/1.1 200 OK\r\n" + fields + "\r\ngood");
    }

    /** RFC 9112 section 6.1: chunked in HTTP/1.0 is faulty framing. */
    @Test
    void check32_transferEncodingInHttp10Response() throws IOException {
        badGateway("HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n");
    }

    /** RFC 9112 section 4. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/2.0 200 OK\r\n",
                "HTTP/1.x 200 OK\r\n",
                "HTTP/1.11 200 OK\r\n",
                "http/1.1 200 OK\r\n",
                "HTTP/1.1 20 OK\r\n",
                "HTTP/1.1 2000 OK\r\n",
                "HTTP/1.1 099 OK\r\n",
                "HTTP/1.1 600 OK\r\n",
                "HTTP/1.1 2x0 OK\r\n",
                "HTTP/1.1 OK\r\n",
                "HTTP/1.1  200 OK\r\n",
                "HTTP/1.1\t200 OK\r\n",
                "HTTP/1.1 200\tOK\r\n",
                "HTTP/1.1 200OK\r\n",
                "HTTP/1.1 200 OK\n",
                "HTTP/1.1 200 O\rK\r\n",
                "HTTP/1.1 200 O\0K\r\n",
                "\r\nHTTP/1.1 200 OK\r\n",
                "<html>hello</html>\r\n",
                "200 OK\r\n"
            })
    void check32_statusLineMalformed(String line) throws IOException {
        badGateway(line + "Content-Length: 4\r\n\r\ngood");
    }

    /** RFC 9110 section 2.5: a minor version that isn't known is read as 1.1, and so is what follows from it. */
    @Test
    void check32_laterMinorVersions() throws IOException {
        next = Script.script()
                .send("HTTP/1.2 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n")
                .close();
        RawResponse response = exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.statusLine()).isEqualTo("HTTP/1.1 200 OK");
        assertThat(response.bodyText()).isEqualTo("good");
    }

    /** RFC 9112 section 4: the reason phrase may be absent, and its space with it; any text may be one. */
    @ParameterizedTest
    @CsvSource(
            ignoreLeadingAndTrailingWhitespace = false,
            value = {
                "HTTP/1.1 200,'HTTP/1.1 200 '",
                "HTTP/1.1 200 ,'HTTP/1.1 200 '",
                "HTTP/1.0 299 So so,HTTP/1.1 299 So so"
            })
    void check32_statusLinesThatPass(String line, String passed) throws IOException {
        RawResponse response = answered("GET", line + "\r\nConnection: close\r\nContent-Length: 4\r\n\r\ngood");
        assertThat(response.statusLine()).isEqualTo(passed);
        assertThat(response.bodyText()).isEqualTo("good");
    }

    /** RFC 9112 section 7.1: once its head has gone to the client, a body that breaks a rule is cut, never ended. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "4\r\ngood\r\nx\r\n",
                "4\r\ngoodbye\r\n",
                "4\r\ngood\r\n-1\r\n",
                "4\r\ngood\r\n0\r\nContent-Length: 4\r\n\r\n",
                "4\r\ngood\r\n0\r\nX : y\r\n\r\n",
                "4\r\ngood\r\n3;a=b\n\r\n"
            })
    void check32_chunksOfAResponseMalformed(String chunks) throws IOException {
        next = Script.script()
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + chunks)
                .awaitPeerClose();
        try (RawClient client = gateway.connect()) {
            RawResponse response = client.send(GET.formatted("next")).readResponse();
            assertThat(response.bodyEnd().truncated()).as(response.toString()).isTrue();
        }
    }

    /** What follows a whole response belongs to no request: it is thrown away, and the connection with it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                GOOD + POISON,
                GOOD + "x",
                GOOD + "\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\ngood\r\n0\r\n\r\n" + POISON,
                "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\ngood\0"
            })
    void check33_extraBytesBehindAResponse(String raw) throws IOException {
        RawResponse response = answered("GET", raw);
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bodyText()).isEqualTo("good");
    }

    /** Nor does it answer the request that waits for the connection. */
    @Test
    void check33_extraBytesAreNotTheAnswerToWhoWaits() throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).send(GOOD + POISON);
        try (GatewayFixture single = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 1)
                        .start();
                RawClient first = single.connect();
                RawClient second = single.connect()) {
            first.send(GET.formatted("next"));
            Await.until("the first upstream", () -> gate.waiting() == 1);
            second.send(GET.formatted("second"));
            Await.until(
                    "the second waits",
                    () -> single.counters().pools().getFirst().waiting() == 1);
            gate.release();
            assertThat(first.readResponse().bodyText()).isEqualTo("good");
            assertThat(second.readResponse().bodyText()).isEqualTo("/second");
        }
    }

    /** RFC 9112 section 6.3: these have no body, whatever their fields say; what comes nevertheless is thrown away. */
    @ParameterizedTest
    @CsvSource({"HEAD,200 OK", "HEAD,404 Not Found", "GET,204 No Content", "GET,304 Not Modified", "HEAD,204 No Content"
    })
    void check34_bodyWhereNoneMayBe(String method, String status) throws IOException {
        RawResponse response = answered(method, "HTTP/1.1 " + status + "\r\nContent-Length: 6\r\n\r\npoison");
        assertThat(response.status()).isEqualTo(Integer.parseInt(status.substring(0, 3)));
        assertThat(response.bodyBytes()).isZero();
        // RFC 9110 section 8.6: not on 204.
        assertThat(response.headers().count("Content-Length")).isEqualTo(status.startsWith("204") ? 0 : 1);
    }

    /** The same in chunks. */
    @ParameterizedTest
    @CsvSource({"HEAD,200 OK", "GET,204 No Content", "GET,304 Not Modified"})
    void check34_chunkedBodyWhereNoneMayBe(String method, String status) throws IOException {
        RawResponse response = answered(
                method, "HTTP/1.1 " + status + "\r\nTransfer-Encoding: chunked\r\n\r\n6\r\npoison\r\n0\r\n\r\n");
        assertThat(response.bodyBytes()).isZero();
        assertThat(response.headers().has("Transfer-Encoding")).isEqualTo(false);
    }

    /** RFC 9110 section 15.2.2: nobody asked to switch. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Connection: Upgrade\r\nUpgrade: chat\r\nSec-WebSocket-Version: 13\r\n",
                "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n"
            })
    void check35_switchingProtocolsIsRefused(String fields) throws IOException {
        next = Script.script()
                .send("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n" + POISON)
                .awaitPeerClose();
        try (RawClient client = gateway.connect()) {
            client.send("GET /next HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.interim()).isEmpty();
            assertThat(client.send(GET.formatted("after")).readResponse().bodyText())
                    .isEqualTo("/after");
        }
    }

    /** RFC 9110 section 15.2: any number of interim responses is allowed; here up to a limit. */
    @Test
    void check35_interimResponsesAreLimited() throws IOException {
        String hints = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";
        RawResponse response = answered("GET", hints.repeat(16) + GOOD + "x");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.interim()).hasSize(16);
        badGateway(hints.repeat(17) + GOOD);
        badGateway(hints.repeat(10_000));
    }

    /** RFC 9112 section 9.2: bytes on a connection that carries no request answer none. */
    @Test
    void check36_responseOnAnIdleConnection() throws IOException {
        Gate gate = new Gate();
        next = Script.script().send(GOOD).stall(gate).send(POISON).awaitPeerClose();
        try (RawClient client = gateway.connect()) {
            assertThat(client.send(GET.formatted("next")).readResponse().bodyText())
                    .isEqualTo("good");
            int connection = upstream.requests().getLast().connection();
            gate.release();
            assertThat(upstream.awaitClosed(connection)).isNotEqualTo(ConnectionEnd.OPEN);
            assertThat(client.send(GET.formatted("after")).readResponse().bodyText())
                    .isEqualTo("/after");
            assertThat(upstream.requests().getLast().connection()).isNotEqualTo(connection);
        }
    }

    /** RFC 9112 section 9.3.2: pipelined requests are answered in their order; here one is upstream at a time. */
    @Test
    void check37_pipelinedRequestsAreAnsweredInOrder() throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(Answer.ok("slow"));
        int before = upstream.requestCount();
        try (RawClient client = gateway.connect()) {
            client.send(GET.formatted("next") + GET.formatted("2") + GET.formatted("3"));
            Await.until("the slow one upstream", () -> gate.waiting() == 1);
            client.send(GET.formatted("4"));
            assertThat(upstream.requestCount()).isEqualTo(before + 1);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            for (int i = 2; i <= 4; i++) {
                assertThat(client.readResponse().bodyText()).isEqualTo("/" + i);
            }
        }
    }

    /** A hundred at once, half of them answered here. */
    @Test
    void check37_hundredPipelinedRequests() throws IOException {
        StringBuilder all = new StringBuilder();
        for (int i = 0; i < 100; i++) {
            all.append(i % 2 == 0 ? "GET /" + i : "TRACE /" + i).append(" HTTP/1.1\r\nHost: a\r\n\r\n");
        }
        try (RawClient client = gateway.connect()) {
            client.send(all.toString());
            for (int i = 0; i < 100; i++) {
                RawResponse response = client.readResponse();
                assertThat(response.status()).isEqualTo(i % 2 == 0 ? 200 : 405);
                if (i % 2 == 0) {
                    assertThat(response.bodyText()).isEqualTo("/" + i);
                }
            }
        }
        assertThat(upstream.requests().subList(upstream.requestCount() - 50, upstream.requestCount()))
                .extracting(ReceivedRequest::target)
                .containsExactlyElementsOf(
                        IntStream.range(0, 50).mapToObj(i -> "/" + 2 * i).toList());
    }

    /** RFC 9110 section 6.6.2: Trailer goes where the trailers go, and nowhere else. */
    @Test
    void check25_trailerIsAnnouncedWhereTrailersPass() throws IOException {
        next = Answer.ok("hello")
                .header("Trailer", "X-Sum")
                .header("Connection", "close")
                .chunked(3)
                .trailer("X-Sum", "7");
        RawResponse response = exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.headers().values("Trailer")).containsExactly("X-Sum");
        assertThat(response.trailers().values("X-Sum")).containsExactly("7");
        response = exchange("GET /next HTTP/1.0\r\nHost: a\r\n\r\n");
        assertThat(response.bodyText()).isEqualTo("hello");
        assertThat(response.headers().has("Trailer")).isFalse();
        next = Answer.ok("hello").header("Trailer", "X-Sum");
        assertThat(exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n").headers().has("Trailer"))
                .isFalse();
    }
}
