package net.oooops.sigma.http1;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Random;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import net.oooops.sigma.config.Http2Limits;
import net.oooops.sigma.config.Limits;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A message is the same message wherever it is cut: in two at every byte, into single bytes, and into random pieces. */
class CutTest {
    private static final Limits LIMITS = Limits.DEFAULT;

    private static final String[] FIELDS = {
        "Host: a\r\n",
        "Host: a\r\nX-A:b\r\nX-B:\r\nX-C: \t \r\nX-D:\t e \t\r\n",
        "host: a\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nx-other: \u00E9\r\nTE: trailers\r\n",
        "Host: a\r\nContent-Length: 12\r\n",
        "Host: a\r\nTransfer-Encoding: chunked\r\nExpect: 100-continue\r\n",
        "Host: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Host: a\r\nContent-Length: 1\r\nContent-Length: 1\r\n",
        "Host: a\r\nX-A: b\r\n c\r\n",
        "Host: a\r\nX-A : b\r\n",
        "Host: a\r\nX-A: b\rc\r\n",
        "Host: a\r\nX-A: b\nX-B: c\r\n",
        "Host: a\r\nX-A: b\0\r\n",
        "Host: a\r\nno colon\r\n",
        "Host: a\r\nKeep-Alive: timeout=5, max=100\r\nDate: x\r\nVia: 1.1 b\r\n",
        "Host: a\r\nCookie: " + "c".repeat(5000) + "\r\nX-A: b\r\n",
        "Host: a\r\n" + "X: y\r\n".repeat(40)
    };

    static Stream<String> requests() {
        String[] lines = {
            "GET / HTTP/1.1\r\n",
            "\r\nPOST /a/b;c?d=e&f HTTP/1.0\r\n",
            "OPTIONS * HTTP/1.1\r\n",
            "GET http://b:80/c?d HTTP/1.1\r\n",
            "CONNECT b:443 HTTP/1.1\r\n",
            "GET /\r\n",
            "GET  / HTTP/1.1\r\n",
            "GET / HTTP/2.0\r\n",
            "GET / HTTP/1.7\r\n",
            "G".repeat(33) + " / HTTP/1.1\r\n",
            "GET / HTTP/1.1\n",
            "\r\n\r\nGET / HTTP/1.1\r\n",
            "\nGET / HTTP/1.1\r\n"
        };
        return Stream.concat(
                Stream.of(lines).map(line -> line + FIELDS[1] + "\r\nrest"),
                Stream.of(FIELDS).map(fields -> "PUT /a?b HTTP/1.1\r\n" + fields + "\r\nGET / HTTP/1.1\r\n\r\n"));
    }

    static Stream<String> responses() {
        String[] lines = {
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.0 404 Not Found\r\n",
            "HTTP/1.1 200\r\n",
            "HTTP/1.1 200 \r\n",
            "HTTP/1.1 103 Early Hints\r\n",
            "HTTP/1.1 204 \u00E9\t~\r\n",
            "HTTP/1.1 200 O\rK\r\n",
            "HTTP/1.1 200 OK\n",
            "HTTP/1.2 200 OK\r\n",
            "HTTP/1.1 600 OK\r\n",
            "HTTP/1.1 2000 OK\r\n",
            "<html>\r\n"
        };
        return Stream.concat(
                Stream.of(lines).map(line -> line + FIELDS[1] + "\r\nrest"),
                Stream.of(FIELDS).map(fields -> "HTTP/1.1 200 OK\r\n" + fields + "\r\nHTTP/1.1 200 OK\r\n\r\n"));
    }

    static Stream<String> bodies() {
        return Stream.of(
                "0\r\n\r\nrest",
                "3\r\nabc\r\n0\r\n\r\nrest",
                "3 \t;a=b\r\nabc\r\n0 ;\r\n\r\nrest",
                "3 \t\r\nabc\r\n0\r\n\r\nrest",
                "00A;x=y\r\n0123456789\r\n1;\"quoted\\\"; text\"\r\nz\r\n0;last\r\n\r\n0\r\n\r\n",
                "3\r\nabc\r\n0\r\nX-A: b\r\nx-c:\td \r\n\r\nX-D: e\r\n\r\n",
                "0\r\nX-A: " + "t".repeat(3000) + "\r\n\r\nrest",
                "3\r\nabcd\r\n0\r\n\r\n",
                "3\r\nabc\r\r\n0\r\n\r\n",
                "3\nabc\r\n0\r\n\r\n",
                "3;a=\"\r\nabc\r\n0\r\n\r\n",
                "g\r\n",
                "\r\n",
                "fffffffffffffffff\r\n",
                "8000000000000000\r\n",
                "0\r\nContent-Length: 3\r\n\r\n",
                "0\r\nX-A : b\r\n\r\n",
                "0\r\n X-A: b\r\n\r\n",
                "0\r\n\r!",
                "5;" + "e".repeat(1023) + "\r\nabcde\r\n0\r\n\r\n",
                "5;" + "e".repeat(1024) + "\r\nabcde\r\n0\r\n\r\n");
    }

    @ParameterizedTest
    @MethodSource
    void requests(String raw) {
        sameWhereverCut(raw, Reading::request);
    }

    @ParameterizedTest
    @MethodSource
    void responses(String raw) {
        sameWhereverCut(raw, Reading::response);
    }

    @ParameterizedTest
    @MethodSource
    void bodies(String raw) {
        sameWhereverCut(raw, Reading::chunked);
    }

    /** Exactly at each limit, and one byte beyond. */
    @Test
    void atTheLimits() {
        int most = 64;
        Limits tight = new Limits(
                most,
                most,
                most,
                3,
                most,
                1,
                1000,
                1,
                most,
                most,
                1 << 16,
                1 << 16,
                1,
                1,
                1,
                1,
                1,
                Http2Limits.DEFAULT);
        String line = "GET /" + "x".repeat(most - 14) + " HTTP/1.1\r\n";
        String host = "Host: a\r\n";
        String field = "X: " + "y".repeat(most - host.length() - 5) + "\r\n";
        String status = "HTTP/1.1 200 " + "z".repeat(most - 24) + "\r\nX: abcd\r\n";
        for (String passes : new String[] {
            line + host + "\r\n", line + host + field + "\r\n", "\r\n" + line + host + "X:\r\nX:\r\n\r\n"
        }) {
            assertThat(sameWhereverCut(passes, Reading::request, tight)).startsWith("done");
        }
        for (String refused : new String[] {
            "GET /x" + line.substring(5) + host + "\r\n",
            line + host + "X" + field + "\r\n",
            line + host + "X:\r\n".repeat(3) + "\r\n"
        }) {
            assertThat(sameWhereverCut(refused, Reading::request, tight)).startsWith("refused");
        }
        assertThat(sameWhereverCut(status + "\r\n", Reading::response, tight)).startsWith("done");
        assertThat(sameWhereverCut(
                        status.replace("z ", "zz ").replace("abcd", "abcde") + "\r\n", Reading::response, tight))
                .startsWith("refused");
        String trailer = "X: " + "t".repeat(most - 5) + "\r\n";
        assertThat(sameWhereverCut("0\r\n" + trailer + "\r\n", Reading::chunked, tight))
                .startsWith("done");
        assertThat(sameWhereverCut("0\r\nX" + trailer + "\r\n", Reading::chunked, tight))
                .startsWith("refused");
    }

    private static void sameWhereverCut(String text, BiFunction<List<byte[]>, Limits, String> read) {
        assertThat(sameWhereverCut(text, read, LIMITS)).isNotEqualTo(Reading.MORE);
    }

    private static String sameWhereverCut(String text, BiFunction<List<byte[]>, Limits, String> read, Limits limits) {
        byte[] raw = text.getBytes(ISO_8859_1);
        String whole = read.apply(List.of(raw), limits);
        for (int place = 1; place < raw.length; place++) {
            assertThat(read.apply(Reading.cut(raw, place), limits))
                    .as("cut at %d", place)
                    .isEqualTo(whole);
        }
        assertThat(read.apply(Reading.singly(raw), limits)).isEqualTo(whole);
        Random random = new Random(raw.length);
        for (int i = 0; i < 50; i++) {
            int[] places = random.ints(5, 0, raw.length).sorted().toArray();
            assertThat(read.apply(Reading.cut(raw, places), limits))
                    .as("cut at %s", places)
                    .isEqualTo(whole);
        }
        return whole;
    }
}
