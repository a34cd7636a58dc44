package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Checks 15 to 20: where a request's body ends (RFC 9112 sections 6.1 to 6.3). Behind every refused head stands what another parser
 * would take for a second request.
 */
class FramingChecksTest extends WireTest {
    private static final String LINE = "POST /attack HTTP/1.1\r\nHost: a\r\n";
    private static final String SMUGGLED = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

    /** RFC 9112 section 6.1: both is an attack, or an error. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n",
                "Transfer-Encoding: chunked\r\nX-A: b\r\ncontent-length: 0\r\n",
                "transfer-encoding: CHUNKED\r\ncontent-length: 44\r\n"
            })
    void check15_contentLengthAndTransferEncoding(String fields) throws IOException {
        refused(400, LINE + fields + "\r\n" + SMUGGLED);
    }

    /** RFC 9112 section 6.3: different lengths are refused; equal ones may be, and are. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5\r\nContent-Length: 6\r\n",
                "Content-Length: 5\r\nContent-Length: 5\r\n",
                "Content-Length: 0\r\nX-A: b\r\ncontent-length: 5\r\n",
                "Content-Length: 5, 6\r\n",
                "Content-Length: 5, 5\r\n",
                "Content-Length: 5,\r\n"
            })
    void check16_severalContentLengths(String fields) throws IOException {
        refused(400, LINE + fields + "\r\n" + SMUGGLED);
    }

    /** RFC 9110 section 8.6: 1*DIGIT, and no overflow. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "+5",
                "-5",
                "-0",
                "5_0",
                "0x5",
                "5.0",
                "5e0",
                "5 0",
                "5\t",
                "5;",
                "\"5\"",
                "",
                " ",
                "a",
                "5a",
                "\u0665",
                "9223372036854775808",
                "9999999999999999999",
                "18446744073709551621",
                "99999999999999999999999999999999",
                "00000000000000000000"
            })
    void check17_contentLengthIsNoPlainNumber(String value) throws IOException {
        if (value.equals("5\t")) {
            // White space around a value is no part of it (RFC 9110 section 5.5).
            assertThat(forwarded("POST /trimmed HTTP/1.1\r\nHost: a\r\nContent-Length: \t5\t \r\n\r\nhello")
                            .bodyText())
                    .isEqualTo("hello");
            return;
        }
        refused(400, LINE + "Content-Length: " + value + "\r\n\r\n" + SMUGGLED);
    }

    /** A length that is large, but a length. */
    @Test
    void check17_contentLengthOf18Digits() throws IOException {
        int before = upstream.requestCount();
        try (RawClient client = gateway.connect()) {
            client.send("POST /long HTTP/1.1\r\nHost: a\r\nContent-Length: 999999999999999999\r\n\r\nx");
            ReceivedRequest seen = upstream.request(before);
            assertThat(seen.header("Content-Length")).isEqualTo("999999999999999999");
        }
    }

    /** RFC 9112 section 6.1: HTTP/1.0 knows no transfer coding. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Connection: keep-alive\r\n", "Connection: keep-alive\r\nContent-Length: 5\r\n"})
    void check18_transferEncodingInHttp10(String fields) throws IOException {
        refused(400, "POST /attack HTTP/1.0\r\nHost: a\r\nTransfer-Encoding: chunked\r\n" + fields + "\r\n" + SMUGGLED);
    }

    /** RFC 9112 section 6.1: chunked alone is understood here; whatever else is refused, in one line or in several. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Transfer-Encoding: gzip\r\n",
                "Transfer-Encoding: chunked, gzip\r\n",
                "Transfer-Encoding: gzip, chunked\r\n",
                "Transfer-Encoding: chunked, chunked\r\n",
                "Transfer-Encoding: identity\r\n",
                "Transfer-Encoding: identity, chunked\r\n",
                "Transfer-Encoding: chunked, identity\r\n",
                "Transfer-Encoding: chunked;a=b\r\n",
                "Transfer-Encoding: \"chunked\"\r\n",
                "Transfer-Encoding: 'chunked'\r\n",
                "Transfer-Encoding: chunkedx\r\n",
                "Transfer-Encoding: xchunked\r\n",
                "Transfer-Encoding: x chunked\r\n",
                "Transfer-Encoding: ,chunked\r\n",
                "Transfer-Encoding: chunked,\r\n",
                "Transfer-Encoding:\r\n",
                "Transfer-Encoding: \u00A0chunked\r\n",
                "Transfer-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n",
                "Transfer-Encoding: cow\r\nTransfer-Encoding: chunked\r\n"
            })
    void check19_transferEncodingOtherThanChunked(String fields) throws IOException {
        refused(400, LINE + fields + "\r\n" + SMUGGLED);
    }

    /** RFC 9110 section 5.5: white space around the coding is no part of it, and its letter case doesn't count. */
    @Test
    void check19_chunkedInAnyCase() throws IOException {
        ReceivedRequest seen = forwarded(
                "POST /case HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: \t ChUnKeD \t\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        assertThat(seen.bodyText()).isEqualTo("abc");
        assertThat(seen.headers().values("Transfer-Encoding")).containsExactly("chunked");
    }

    /** RFC 9112 section 6.3: nothing behind a refused head is read as a request. */
    @Test
    void check20_whatStandsBehindARefusedHeadIsThrownAway() throws IOException {
        int before = upstream.requestCount();
        try (RawClient client = gateway.connect()) {
            client.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n"
                    + "POST /attack HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n"
                    + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("/first");
            assertThat(client.readResponse().status()).isEqualTo(400);
            client.send("GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            client.expectCleanClose();
        }
        assertThat(upstream.requestCount()).isEqualTo(before + 1);
    }

    /** A well-formed first request is answered as if it stood alone, whatever comes behind it. */
    @Test
    void check20_whatStandsBeforeARefusedHeadIsAnswered() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabcGARBAGE\0\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("/first");
            assertThat(client.readResponse().status()).isEqualTo(400);
            client.expectCleanClose();
        }
        assertThat(upstream.requests().getLast().bodyText()).isEqualTo("abc");
    }
}
