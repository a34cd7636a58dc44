package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.testkit.Header;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks 21 to 25: chunked bodies of requests (RFC 9112 section 7.1). */
class ChunkedChecksTest extends WireTest {
    private static final String HEAD = "POST /attack HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String GOOD = "POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n";
    private static final String END = "0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n";

    /** RFC 9112 section 7.1: chunk-size is 1*HEXDIG, and must not overflow. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "0x3",
                "+3",
                "-3",
                "3_0",
                " 3",
                "3 ",
                "3 \t ",
                "3 3",
                "3 ;a\n",
                " ;a",
                "\t3",
                "3\t",
                "g",
                "",
                "3.0",
                "\"3\"",
                "3,3",
                "3h",
                "\u00B3",
                "&3",
                "00000000000000003",
                "8000000000000000",
                "FFFFFFFFFFFFFFFF",
                "10000000000000003",
                "fffffffffffffffffffff3"
            })
    void check21_chunkSizeIsNoPlainHexadecimalNumber(String size) throws IOException {
        bodyRefused(400, HEAD + size + "\r\nabc\r\n" + END);
    }

    /** The same behind a first good chunk. */
    @ParameterizedTest
    @ValueSource(strings = {"", "x", " 3", "-1", "3 "})
    void check21_laterChunkSizeIsNoPlainHexadecimalNumber(String size) throws IOException {
        bodyRefused(400, HEAD + "3\r\nabc\r\n" + size + "\r\nabc\r\n" + END);
    }

    /** Sixteen digits, leading zeros and both letter cases are fine. */
    @Test
    void check21_chunkSizesThatPass() throws IOException {
        ReceivedRequest seen =
                forwarded(GOOD + "0000000000000003\r\nabc\r\na\r\n0123456789\r\nB\r\n0123456789A\r\n000\r\n\r\n");
        assertThat(seen.bodyText()).isEqualTo("abc01234567890123456789A");
    }

    /** RFC 9112 section 7.1.1: LF can't end the line, and a quoted string can't hide its end (CVE-2025-58056, CVE-2026-33870). */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "3;a=b\nabc\r\n",
                "3\nabc\r\n",
                "3\rabc\r\n",
                "3;a=b\rabc\r\n",
                "3;a=\"b\r\nabc\r\n0\r\n\r\n\"\r\nabc\r\n",
                "3;a=\"\nabc\r\n",
                "3;a=\"\\\r\nabc\r\n",
                "3;\0\r\nabc\r\n",
                "3;a=\u0001\r\nabc\r\n",
                "3;\u007F\r\nabc\r\n"
            })
    void check22_chunkExtensionThatHidesALineEnd(String chunk) throws IOException {
        bodyRefused(400, HEAD + chunk + END);
    }

    /** RFC 9112 section 7.1.1: unknown extensions are ignored, and none goes on. */
    @Test
    void check22_chunkExtensionsAreDropped() throws IOException {
        // The scripted upstream refuses chunk extensions by itself.
        ReceivedRequest seen =
                forwarded(GOOD + "3;a\r\nabc\r\n3;a=b;c=\"d\\\"e;f\"\r\ndef\r\n3;;;\r\nghi\r\n0;last=\"x y\"\r\n\r\n");
        assertThat(seen.bodyText()).isEqualTo("abcdefghi");
    }

    /** RFC 9112 section 7.1.1: white space before an extension, around its equals sign and behind it is read and removed. */
    @Test
    void check22_whiteSpaceAroundAChunkExtension() throws IOException {
        ReceivedRequest seen = forwarded(
                GOOD + "3 ;a\r\nabc\r\n3\t \t; a = \"b\"\t; c\r\ndef\r\n3;a \r\nghi\r\n0 ;last\r\nX-A: b\r\n\r\n");
        assertThat(seen.bodyText()).isEqualTo("abcdefghi");
        assertThat(seen.trailers().first("X-A")).isEqualTo("b");
    }

    /** RFC 9112 section 7.1.1: limited in total, a byte each with many chunks is no way round. */
    @Test
    void check22_chunkExtensionsOfOneMessageAreLimited() throws IOException {
        int limit = 1024;
        String longest = ";" + "e".repeat(limit - 1);
        assertThat(forwarded(GOOD + "3" + longest + "\r\nabc\r\n0\r\n\r\n").bodyText())
                .isEqualTo("abc");
        assertThat(forwarded(GOOD + "1;\r\na\r\n".repeat(limit) + "0\r\n\r\n").bodyBytes())
                .isEqualTo(limit);
        bodyRefused(400, HEAD + "3" + longest + "e\r\nabc\r\n" + END);
        bodyRefused(400, HEAD + "1;\r\na\r\n".repeat(limit + 1) + END);
        bodyRefused(400, HEAD + "3" + " ".repeat(limit) + ";\r\nabc\r\n" + END);
    }

    /** RFC 9112 section 7.1: CRLF behind each chunk's content. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "3\r\nabc0\r\n\r\n",
                "3\r\nabcd\r\n",
                "3\r\nabc\n",
                "3\r\nabc\r0\r\n\r\n",
                "3\r\nab\r\n",
                "3\r\nabc \r\n",
                "3\r\nabc\r\r\n",
                "3\r\nabc\n\r\n"
            })
    void check23_chunkNotFollowedByCrlf(String chunk) throws IOException {
        bodyRefused(400, HEAD + chunk + END);
    }

    /** RFC 9110 section 6.5.1: what frames, routes or authenticates a message can't come behind it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Content-Length: 5",
                "Transfer-Encoding: chunked",
                "Host: b",
                "Authorization: Basic eA==",
                "Content-Type: a/b",
                "Content-Encoding: gzip",
                "Content-Range: bytes 0-1/2",
                "content-length: 0",
                "Connection: close",
                "TE: trailers",
                "Trailer: X-A",
                "Upgrade: h2c",
                "Expect: 100-continue",
                "X-Forwarded-For: 1.2.3.4",
                "X_Forwarded_For: 1.2.3.4",
                "Forwarded: for=1.2.3.4",
                "Keep-Alive: timeout=5",
                "Proxy-Authorization: x"
            })
    void check24_fieldThatNoTrailerMayBe(String trailer) throws IOException {
        bodyRefused(400, HEAD + "3\r\nabc\r\n0\r\n" + trailer + "\r\n\r\n");
    }

    /** RFC 9112 section 7.1.2: a trailer section is read as strictly as a header section. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-A : b",
                "X-A",
                " X-A: b",
                "X-A: b\r\n c",
                "X-A: b\0",
                "X-A: b\nX-B: c",
                "X-A: b\rc",
                "GET /smuggled HTTP/1.1"
            })
    void check24_trailerMalformed(String trailer) throws IOException {
        bodyRefused(400, HEAD + "3\r\nabc\r\n0\r\n" + trailer + "\r\n\r\n");
    }

    /** Trailers pass, up to the limit of the section; beyond, 431. */
    @Test
    void check24_trailersAreLimited() throws IOException {
        int limit = 8 << 10;
        String half = "X-A: " + "b".repeat(limit / 2 - 7) + "\r\n";
        assertThat(forwarded(GOOD + "0\r\n" + half + half + "\r\n").trailers().count("X-A"))
                .isEqualTo(2);
        bodyRefused(431, HEAD + "0\r\n" + half + "b" + half + "\r\n");
        bodyRefused(431, HEAD + "0\r\n" + "X: y\r\n".repeat(101) + "\r\n");
        assertThat(forwarded(GOOD + "0\r\n" + "X: y\r\n".repeat(100) + "\r\n")
                        .trailers()
                        .count("X"))
                .isEqualTo(100);
    }

    /** RFC 9112 section 7.1.3: what goes upstream is written from what was understood. */
    @Test
    void check25_chunksAreFramedAnew() throws IOException {
        ReceivedRequest seen = forwarded("POST /chunked HTTP/1.1\r\nHost: a\r\ntransfer-encoding:\tCHUNKED\r\n"
                + "Trailer: X-Sum\r\n\r\n0003;x=y\r\nabc\r\n000\r\nx-sum:  7 \r\nX-Other: 8\r\n\r\n");
        assertThat(seen.headers().values("Transfer-Encoding")).containsExactly("chunked");
        assertThat(seen.headers().values("Trailer")).containsExactly("X-Sum");
        assertThat(seen.headers().has("Content-Length")).isFalse();
        assertThat(seen.bodyText()).isEqualTo("abc");
        assertThat(seen.trailers().all()).containsExactly(new Header("x-sum", "7"), new Header("X-Other", "8"));
    }

    /** The same with a length: written anew, leading zeros gone. */
    @Test
    void check25_lengthIsWrittenAnew() throws IOException {
        ReceivedRequest seen = forwarded("POST /length HTTP/1.1\r\nHost: a\r\ncontent-length:   000005 \r\n\r\nhello");
        assertThat(seen.headers().values("Content-Length")).containsExactly("5");
        assertThat(seen.bodyText()).isEqualTo("hello");
    }

    /** Byte by byte the same body arrives. */
    @Test
    void check25_chunksInSingleBytes() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.sendByteByByte(GOOD + "3;a=\"b\"\r\nabc\r\n10\r\n0123456789abcdef\r\n0\r\nX-A: b\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.bodyText()).isEqualTo("abc0123456789abcdef");
            assertThat(seen.trailers().first("X-A")).isEqualTo("b");
        }
    }
}
