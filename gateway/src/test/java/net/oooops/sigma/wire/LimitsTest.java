package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Each limit on messages, to the byte: what reaches it passes, one more is refused. */
class LimitsTest extends WireTest {
    private static final int LINE = 200;
    private static final int FIELD = 100;
    private static final int BLOCK = 400;
    private static final int COUNT = 10;
    private static final int BODY = 1000;
    private static final int RESPONSE = 500;

    @Override
    GatewayBuilder configure(GatewayBuilder builder) {
        return builder.limit("requestLineBytesMax", LINE)
                .limit("headerFieldBytesMax", FIELD)
                .limit("headerBytesMax", BLOCK)
                .limit("headerCountMax", COUNT)
                .limit("bodyBytesMax", BODY)
                .limit("responseHeaderBytesMax", RESPONSE);
    }

    private static String padded(String start, String end, int bytes) {
        return start + "x".repeat(bytes - start.length() - end.length()) + end;
    }

    /** RFC 9112 section 3: 414 for a line that is too long, its CRLF not counted. */
    @Test
    void requestLine() throws IOException {
        String longest = padded("GET /", " HTTP/1.1", LINE);
        assertThat(forwarded(longest + "\r\nHost: a\r\n\r\n").head()).startsWith(longest + "\r\n");
        assertThat(forwarded("\r\n" + longest + "\r\nHost: a\r\n\r\n").head()).startsWith(longest + "\r\n");
        refused(414, padded("GET /", " HTTP/1.1", LINE + 1) + "\r\nHost: a\r\n\r\n");
        refused(414, padded("GET /?", " HTTP/1.1", LINE + 1) + "\r\nHost: a\r\n\r\n");
        refused(414, padded("GET /", " HTTP/1.1", 20 * LINE) + "\r\nHost: a\r\n\r\n");
        refused(414, "GET /" + "x".repeat(30_000));
    }

    /** RFC 6585 section 5: 431 for a field that is too long, name and value together. */
    @Test
    void field() throws IOException {
        String head = "GET /x HTTP/1.1\r\nHost: a\r\n";
        String longest = padded("X-A: ", "", FIELD);
        assertThat(forwarded(head + longest + "\r\n\r\n").head()).contains(longest + "\r\n");
        refused(431, head + longest + "x\r\n\r\n");
        refused(431, head + "X".repeat(FIELD) + ": y\r\n\r\n");
        refused(431, head + "X".repeat(10_000));
    }

    /** All field lines with their CRLFs, the empty line not counted; the request line has its own limit. */
    @ParameterizedTest
    @ValueSource(strings = {"GET /x HTTP/1.1\r\n", "GET /xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx HTTP/1.1\r\n"})
    void headerBlock(String line) throws IOException {
        String host = "Host: a\r\n";
        String three = (padded("X-A: ", "", FIELD) + "\r\n").repeat(3);
        String last = padded("X-B: ", "\r\n", BLOCK - host.length() - three.length());
        assertThat(forwarded(line + host + three + last + "\r\n").header("X-B")).isNotNull();
        try (RawClient client = gateway.connect()) {
            client.sendByteByByte(line + host + three + last + "\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
        }
        refused(431, line + host + three + "X" + last + "\r\n");
        refused(431, line + host + three.repeat(10) + "\r\n");
    }

    /** The number of field lines, Host among them. */
    @Test
    void headerCount() throws IOException {
        String head = "GET /x HTTP/1.1\r\nHost: a\r\n";
        assertThat(forwarded(head + "X: y\r\n".repeat(COUNT - 1) + "\r\n")
                        .headers()
                        .count("X"))
                .isEqualTo(COUNT - 1);
        refused(431, head + "X: y\r\n".repeat(COUNT) + "\r\n");
        refused(431, head + ":\r\n".repeat(COUNT).replace(":", "a:") + "\r\n");
    }

    /** RFC 9110 section 15.5.14: 413, by the announced length at once, in chunks as soon as they say more. */
    @Test
    void body() throws IOException {
        String head = "POST /x HTTP/1.1\r\nHost: a\r\n";
        String most = "b".repeat(BODY);
        String chunked = head + "Transfer-Encoding: chunked\r\n\r\n";
        assertThat(forwarded(head + "Content-Length: " + BODY + "\r\n\r\n" + most)
                        .bodyBytes())
                .isEqualTo(BODY);
        assertThat(forwarded(chunked + "3e8\r\n" + most + "\r\n0\r\n\r\n").bodyBytes())
                .isEqualTo(BODY);
        assertThat(forwarded(chunked + "1\r\nb\r\n".repeat(BODY) + "0\r\n\r\n").bodyBytes())
                .isEqualTo(BODY);
        String attack = "POST /attack HTTP/1.1\r\nHost: a\r\n";
        refused(413, attack + "Content-Length: " + (BODY + 1) + "\r\n\r\n");
        refused(413, attack + "Content-Length: 999999999999\r\n\r\n" + most);
        bodyRefused(413, attack + "Transfer-Encoding: chunked\r\n\r\n3e9\r\n" + most);
        bodyRefused(413, attack + "Transfer-Encoding: chunked\r\n\r\n7fffffffffffffff\r\n" + most);
        bodyRefused(413, attack + "Transfer-Encoding: chunked\r\n\r\n" + "1\r\nb\r\n".repeat(BODY + 1) + "0\r\n\r\n");
    }

    /** RFC 9110 section 15 renamed some reasons. */
    @Test
    void reasons() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("POST /attack HTTP/1.1\r\nHost: a\r\nContent-Length: " + (BODY + 1) + "\r\n\r\n");
            assertThat(client.readResponse().statusLine()).isEqualTo("HTTP/1.1 413 Content Too Large");
        }
    }

    /** 502 for a response head that is too large: status line and fields with their CRLFs, the empty line not counted. */
    @Test
    void responseHead() throws IOException {
        String line = "HTTP/1.1 200 OK\r\n";
        String length = "Content-Length: 0\r\n";
        String longest = padded("X-A: ", "\r\n", RESPONSE - line.length() - length.length());
        assertThat(answered(line + length + longest + "\r\n").header("X-A")).isNotNull();
        assertThat(answered(line + length + "X" + longest + "\r\n").status()).isEqualTo(502);
        assertThat(answered(padded("HTTP/1.1 200 ", "\r\n", RESPONSE + 1) + "\r\n")
                        .status())
                .isEqualTo(502);
        assertThat(answered("HTTP/1.1 200 " + "x".repeat(10_000)).status()).isEqualTo(502);
        String nine = "X: y\r\n".repeat(COUNT - 1);
        assertThat(answered(line + length + nine + "\r\n").headers().count("X")).isEqualTo(COUNT - 1);
        assertThat(answered(line + length + nine + "X: y\r\n\r\n").status()).isEqualTo(502);
    }

    private RawResponse answered(String raw) throws IOException {
        next = Script.script().send(raw);
        return exchange("GET /next HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n");
    }

    /** A large head that passes leaves nothing behind for the next one on its connection. */
    @Test
    void largeAndSmallHeadsAlternate() throws IOException {
        next = Answer.ok("next");
        try (GatewayFixture wide = GatewayFixture.to(upstream).start();
                RawClient client = wide.connect()) {
            String large = "X-L: " + "l".repeat(7000) + "\r\n";
            for (int i = 0; i < 6; i++) {
                String fields = i % 2 == 0 ? large + large + large : "X-S: s\r\n";
                client.send("GET /x" + i + " HTTP/1.1\r\nHost: a\r\n" + fields + "\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("/x" + i);
                ReceivedRequest seen = upstream.requests().getLast();
                assertThat(seen.headers().count("X-L")).isEqualTo(i % 2 == 0 ? 3 : 0);
                assertThat(seen.headers().count("X-S")).isEqualTo(i % 2 == 0 ? 0 : 1);
            }
        }
    }
}
