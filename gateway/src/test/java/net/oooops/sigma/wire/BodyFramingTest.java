package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.Header;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Bodies in each framing, both ways, and messages that have none (RFC 9112 sections 6 and 7). */
class BodyFramingTest extends WireTest {
    private static final String GET = "GET /next HTTP/1.1\r\nHost: a\r\n\r\n";

    /** RFC 9110 section 9.3.2: HEAD is answered with the fields of GET and no body; the next answer follows at once. */
    @Test
    void headHasTheFieldsAndNoBody() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("HEAD /x HTTP/1.1\r\nHost: a\r\n\r\nGET /y HTTP/1.1\r\nHost: a\r\n\r\n");
            RawResponse head = client.readResponse("HEAD");
            assertThat(head.header("Content-Length")).isEqualTo("2");
            assertThat(head.bodyEnd()).isEqualTo(BodyEnd.NONE);
            assertThat(client.readResponse().bodyText()).isEqualTo("/y");
        }
    }

    /** The same where a node would have chunked the answer, or ended it with the connection. */
    @ParameterizedTest
    @ValueSource(strings = {"Transfer-Encoding: chunked\r\n", "Connection: close\r\n", ""})
    void headWithoutLength(String fields) throws IOException {
        next = Script.script().send("HTTP/1.1 200 OK\r\n" + fields + "\r\n");
        try (RawClient client = gateway.connect()) {
            client.send("HEAD /next HTTP/1.1\r\nHost: a\r\n\r\nGET /y HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse("HEAD").status()).isEqualTo(200);
            assertThat(client.readResponse().bodyText()).isEqualTo("/y");
        }
    }

    /** HEAD of what the gateway answers itself. */
    @Test
    void headOfAnOwnAnswer() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("HEAD http://a:b/attack HTTP/1.1\r\nHost: a\r\n\r\n");
            RawResponse response = client.readResponse("HEAD");
            assertThat(response.status()).isEqualTo(400);
            client.expectCleanClose();
        }
    }

    /** RFC 9110 sections 15.3.5 and 15.4.5. */
    @ParameterizedTest
    @ValueSource(ints = {204, 304})
    void statusWithoutBody(int status) throws IOException {
        next = Answer.of(status).header("ETag", "\"x\"");
        try (RawClient client = gateway.connect()) {
            RawResponse response = client.send(GET).readResponse();
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.header("ETag")).isEqualTo("\"x\"");
            assertThat(response.headers().names()).doesNotContain("Content-Length", "Transfer-Encoding");
            assertThat(client.send("GET /y HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .bodyText())
                    .isEqualTo("/y");
        }
    }

    /** An empty body is a body of length 0, whatever the framing. */
    @Test
    void emptyBodies() throws IOException {
        next = Answer.ok("");
        assertThat(exchange(GET).header("Content-Length")).isEqualTo("0");
        next = Answer.ok("").chunked(1);
        assertThat(exchange(GET).bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
        next = Answer.ok("").untilClose();
        assertThat(exchange(GET).bodyBytes()).isZero();
        ReceivedRequest seen = forwarded("POST /x HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
        assertThat(seen.header("Content-Length")).isEqualTo("0");
        seen = forwarded("POST /x HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n");
        assertThat(seen.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
        assertThat(seen.bodyBytes()).isZero();
        // RFC 9112 section 6.3: no framing, no body.
        seen = forwarded("POST /x HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(seen.headers().names()).doesNotContain("Content-Length", "Transfer-Encoding");
    }

    /** RFC 9112 section 7.1: chunks are framed anew, extensions dropped, trailers kept. */
    @Test
    void chunkedResponse() throws IOException {
        next = Script.script()
                .send("HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\nTrailer: X-Sum\r\n\r\n"
                        + "0003;ext=\"a;b\"\r\nabc\r\nA\r\n0123456789\r\n00;last\r\nX-Sum: 7\r\nx-other:\t8 \r\n\r\n");
        RawResponse response = exchange(GET);
        assertThat(response.bodyText()).isEqualTo("abc0123456789");
        assertThat(response.headers().values("Transfer-Encoding")).containsExactly("chunked");
        assertThat(response.trailers().all()).containsExactly(new Header("X-Sum", "7"), new Header("x-other", "8"));
    }

    /** RFC 9112 section 6.3: what ends with the node's connection is chunked for a client that stays. */
    @Test
    void responseUntilCloseIsChunked() throws IOException {
        next = Answer.ok("some words").untilClose();
        try (RawClient client = gateway.connect()) {
            RawResponse response = client.send(GET).readResponse();
            assertThat(response.bodyText()).isEqualTo("some words");
            assertThat(response.bodyEnd()).isEqualTo(BodyEnd.CHUNKED);
            assertThat(client.send("GET /y HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .bodyText())
                    .isEqualTo("/y");
        }
    }

    /** RFC 9110 section 2.5: a node of HTTP/1.0 is answered for as HTTP/1.1. */
    @Test
    void http10Response() throws IOException {
        next = Answer.ok("old").http10();
        RawResponse response = exchange(GET);
        assertThat(response.statusLine()).isEqualTo("HTTP/1.1 200 OK");
        assertThat(response.bodyText()).isEqualTo("old");
    }

    /** Bodies of many sizes around the sizes of buffers, in both framings, there and back. */
    @ParameterizedTest
    @CsvSource({
        "1,1",
        "2,1",
        "511,7",
        "512,512",
        "4095,100",
        "4096,4096",
        "4097,4097",
        "65535,1000",
        "65536,65536",
        "65537,65537",
        "1000003,9973"
    })
    void bodiesOfManySizes(int bytes, int chunkBytes) throws IOException {
        GeneratedBody up = GeneratedBody.of(bytes, bytes);
        GeneratedBody down = GeneratedBody.of(-bytes, bytes);
        String head = "POST /next HTTP/1.1\r\nHost: a\r\n";
        try (RawClient client = gateway.connect()) {
            next = Answer.of(200).body(down);
            client.send(head + "Content-Length: " + bytes + "\r\n\r\n").send(up);
            assertThat(client.readResponse().bodySha256()).isEqualTo(down.sha256());
            assertThat(upstream.requests().getLast().bodySha256()).isEqualTo(up.sha256());
            next = Answer.of(200).body(down).chunked(chunkBytes);
            client.send(head + "Transfer-Encoding: chunked\r\n\r\n").sendChunked(up, chunkBytes);
            assertThat(client.readResponse().bodySha256()).isEqualTo(down.sha256());
            assertThat(upstream.requests().getLast().bodySha256()).isEqualTo(up.sha256());
        }
    }

    /** A response in pieces of every size is the same response. */
    @Test
    void responseCutEverywhere() throws IOException {
        String raw =
                "HTTP/1.1 200 OK\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n3;e\r\nabc\r\n2\r\nde\r\n0\r\nX-T: u\r\n\r\n";
        try (RawClient client = gateway.connect()) {
            for (int cut = 1; cut < raw.length(); cut++) {
                next = Script.script().send(raw.substring(0, cut)).send(raw.substring(cut));
                RawResponse response = client.send(GET).readResponse();
                assertThat(response.bodyText()).as("cut at %d", cut).isEqualTo("abcde");
                assertThat(response.trailers().first("X-T")).isEqualTo("u");
                assertThat(response.header("X-A")).isEqualTo("b");
            }
            next = Script.script().trickle(raw, 1, Duration.ZERO);
            assertThat(client.send(GET).readResponse().bodyText()).isEqualTo("abcde");
        }
    }

    /** A request in pieces of every size is the same request. */
    @Test
    void requestCutEverywhere() throws IOException {
        String raw = "POST /cut?q HTTP/1.1\r\nHost: a\r\nX-A: b\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "3;e\r\nabc\r\n2\r\nde\r\n0\r\nX-T: u\r\n\r\n";
        try (RawClient client = gateway.connect()) {
            for (int cut = 1; cut < raw.length(); cut++) {
                client.send(raw.substring(0, cut));
                client.send(raw.substring(cut));
                assertThat(client.readResponse().bodyText()).isEqualTo("/cut?q");
                ReceivedRequest seen = upstream.requests().getLast();
                assertThat(seen.bodyText()).as("cut at %d", cut).isEqualTo("abcde");
                assertThat(seen.trailers().first("X-T")).isEqualTo("u");
                assertThat(seen.header("X-A")).isEqualTo("b");
            }
        }
    }
}
