package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import net.oooops.sigma.config.Limits;
import net.oooops.sigma.http.GrpcMarks;
import net.oooops.sigma.http.HttpRequestHead;
import net.oooops.sigma.http.Refusal;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What fields make a request (RFC 9113 section 8.3.1), and why others don't. */
class RequestFieldsTest {
    private static final Limits LIMITS = Limits.DEFAULT;
    private static final List<String> GET =
            List.of(":method", "GET", ":scheme", "https", ":path", "/a?b", ":authority", "c");

    private final RequestFields fields = new RequestFields();
    private final HttpRequestHead head = new HttpRequestHead();

    private static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    private boolean isTaken(boolean ends, List<String> namesAndValues) {
        head.clear();
        fields.begin(LIMITS, LIMITS.headerBytesMax(), head);
        for (int i = 0; i < namesAndValues.size(); i += 2) {
            // Somewhere in an array, as a decoder has them.
            byte[] name = bytes("xx" + namesAndValues.get(i) + "yy");
            byte[] value = bytes("zz" + namesAndValues.get(i + 1) + "zz");
            HpackField field = new HpackField();
            field.name(name, 2, name.length - 2);
            field.value(value, 2, value.length - 2);
            fields.field(field);
        }
        return fields.end(ends);
    }

    /** What it becomes: as one of HTTP/1.1, but for the version. */
    private String taken(List<String> namesAndValues) {
        boolean taken = isTaken(true, namesAndValues);
        assertThat(fields.refusal()).isNull();
        assertThat(taken).isTrue();
        return new String(head.bytes(), 0, head.length(), ISO_8859_1);
    }

    private @Nullable Refusal refusal(List<String> namesAndValues) {
        assertThat(isTaken(true, namesAndValues)).isFalse();
        return fields.refusal();
    }

    private static List<String> and(List<String> some, String... more) {
        List<String> all = new ArrayList<>(some);
        all.addAll(Arrays.asList(more));
        return all;
    }

    /** With one of them other than it was, or left out. */
    private static List<String> with(String name, @Nullable String value) {
        List<String> all = new ArrayList<>(GET);
        int at = all.indexOf(name);
        all.remove(at + 1);
        if (value == null) {
            all.remove(at);
        } else {
            all.add(at + 1, value);
        }
        return all;
    }

    @Test
    void aRequestIsReadAsOneOfHttp11() {
        assertThat(taken(and(GET, "x-a", "b", "accept", "*/*", "x-empty", "", "x-a", "c")))
                .isEqualTo("GET /a?b HTTP/2.0\r\nhost: c\r\nx-a: b\r\naccept: */*\r\nx-empty: \r\nx-a: c\r\n");
        assertThat(head.methodIs(bytes("GET"))).isTrue();
        assertThat(head.isHttp2()).isTrue();
        assertThat(head.hasBody()).isFalse();
    }

    /** Section 8.3: in any order, and before other fields. */
    @Test
    void pseudoFieldsComeInAnyOrder() {
        String expected = taken(and(GET, "x-a", "b"));
        Random random = new Random(8);
        for (int i = 0; i < 50; i++) {
            List<Integer> order = new ArrayList<>(List.of(0, 2, 4, 6));
            Collections.shuffle(order, random);
            List<String> shuffled = new ArrayList<>();
            order.forEach(at -> shuffled.addAll(GET.subList(at, at + 2)));
            assertThat(taken(and(shuffled, "x-a", "b"))).isEqualTo(expected);
        }
    }

    @Test
    void pseudoFieldsThatAreWrong() {
        List<List<String>> wrong = new ArrayList<>();
        for (String name : List.of(":method", ":scheme", ":path")) {
            wrong.add(with(name, null));
        }
        for (int at = 0; at < GET.size(); at += 2) {
            // Twice, with whatever value.
            wrong.add(and(GET, GET.get(at), GET.get(at + 1)));
            wrong.add(and(GET, GET.get(at), "/other"));
            // Behind another field.
            wrong.add(and(List.of("x-a", "b"), GET.toArray(String[]::new)));
            List<String> late = new ArrayList<>(GET);
            late.add("x-a");
            late.add("b");
            late.add(late.remove(at));
            late.add(late.remove(at));
            wrong.add(late);
        }
        for (String name : List.of(":", ":status", ":protocol", ":Method", ":PATH", ":x", "::path", ":path ")) {
            wrong.add(and(GET, name, "200"));
        }
        for (String scheme : List.of("", "ftp", "http ", "httpss", "https:", "h\0ttp")) {
            wrong.add(with(":scheme", scheme));
        }
        wrong.add(with(":method", ""));
        wrong.add(List.of());
        wrong.add(List.of("x-a", "b"));
        assertThat(wrong).allSatisfy(some -> assertThat(refusal(some)).isEqualTo(Refusal.PSEUDO_FIELD));
    }

    @Test
    void methods() {
        assertThat(taken(with(":method", "M".repeat(32)))).startsWith("M".repeat(32) + " /a?b ");
        assertThat(refusal(with(":method", "M".repeat(33)))).isEqualTo(Refusal.METHOD_TOO_LONG);
        assertThat(List.of("G T", "GET /smuggled HTTP/1.1\r\n", "G\0", "G\u00E9", "G:", "GET\n"))
                .allSatisfy(
                        method -> assertThat(refusal(with(":method", method))).isEqualTo(Refusal.METHOD));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "a", "?a", "*", "http://c/a", "//", "*a", "\r\n/", " /"})
    void targets(String target) {
        if (target.equals("//")) {
            assertThat(taken(with(":path", target))).startsWith("GET // HTTP");
        } else {
            assertThat(refusal(with(":path", target))).isEqualTo(Refusal.TARGET_FORM);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a b",
                "/a#b",
                "/a?b#c",
                "/ HTTP/1.1\r\nhost: smuggled\r\n\r\nGET /",
                "/\n",
                "/\r",
                "/\0",
                "/a?\0",
                "/a\tb",
                "/\u00E9",
                "/\u007F",
                "/<",
                "/\"",
                "/a?b c"
            })
    void bytesThatNoTargetHas(String target) {
        assertThat(refusal(with(":path", target))).isEqualTo(Refusal.TARGET);
    }

    @Test
    void optionsOfTheWholeServer() {
        List<String> options = with(":method", "OPTIONS");
        options.set(options.indexOf("/a?b"), "*");
        assertThat(taken(options)).startsWith("OPTIONS * HTTP/2.0\r\nhost: c\r\n");
    }

    /** Section 8.5: the authority alone. */
    @Test
    void connect() {
        assertThat(taken(List.of(":method", "CONNECT", ":authority", "c:443")))
                .isEqualTo("CONNECT c:443 HTTP/2.0\r\nhost: c:443\r\n");
        assertThat(refusal(List.of(":method", "CONNECT"))).isEqualTo(Refusal.PSEUDO_FIELD);
        assertThat(refusal(List.of(":method", "CONNECT", ":authority", "c", ":path", "/")))
                .isEqualTo(Refusal.PSEUDO_FIELD);
        assertThat(refusal(List.of(":method", "CONNECT", ":authority", "c", ":scheme", "https")))
                .isEqualTo(Refusal.PSEUDO_FIELD);
        // RFC 8441, which nobody was told of.
        assertThat(refusal(and(with(":method", "CONNECT"), ":protocol", "websocket")))
                .isEqualTo(Refusal.PSEUDO_FIELD);
    }

    @Test
    void hostAndAuthorityAreOne() {
        assertThat(taken(and(GET, "host", "c"))).isEqualTo("GET /a?b HTTP/2.0\r\nhost: c\r\n");
        assertThat(taken(and(with(":authority", null), "host", "d"))).isEqualTo("GET /a?b HTTP/2.0\r\nhost: d\r\n");
        assertThat(refusal(and(GET, "host", "d"))).isEqualTo(Refusal.AUTHORITY_DIFFERS);
        assertThat(refusal(and(GET, "host", "C"))).isEqualTo(Refusal.AUTHORITY_DIFFERS);
        assertThat(refusal(and(GET, "host", ""))).isEqualTo(Refusal.AUTHORITY_DIFFERS);
        assertThat(refusal(and(GET, "host", "c", "host", "d"))).isEqualTo(Refusal.AUTHORITY_DIFFERS);
        assertThat(refusal(and(with(":authority", null), "host", "c", "host", "c")))
                .isEqualTo(Refusal.HOST_DUPLICATE);
        assertThat(refusal(with(":authority", null))).isEqualTo(Refusal.HOST_MISSING);
        assertThat(refusal(with(":authority", ""))).isEqualTo(Refusal.HOST_INVALID);
        assertThat(refusal(and(with(":authority", ""), "host", ""))).isEqualTo(Refusal.HOST_INVALID);
        assertThat(refusal(and(with(":authority", null), "host", ""))).isEqualTo(Refusal.HOST_INVALID);
        assertThat(refusal(List.of(":method", "CONNECT", ":authority", ""))).isEqualTo(Refusal.HOST_INVALID);
    }

    /** Section 8.2.3. */
    @Test
    void cookiesAreJoined() {
        assertThat(taken(and(GET, "cookie", "a=1", "x-a", "b", "cookie", "c=2", "cookie", "", "cookie", "d")))
                .isEqualTo("GET /a?b HTTP/2.0\r\nhost: c\r\nx-a: b\r\ncookie: a=1; c=2; ; d\r\n");
        String long1 = "a".repeat(3000);
        assertThat(taken(and(GET, "cookie", long1, "cookie", long1)))
                .endsWith("\r\ncookie: " + long1 + "; " + long1 + "\r\n");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', nullValues = "NULL", textBlock = """
                    connection | close | CONNECTION_FIELD
                    connection | x-a | CONNECTION_FIELD
                    proxy-connection | keep-alive | CONNECTION_FIELD
                    keep-alive | timeout=5 | CONNECTION_FIELD
                    transfer-encoding | chunked | CONNECTION_FIELD
                    transfer-encoding | identity | CONNECTION_FIELD
                    upgrade | h2c | CONNECTION_FIELD
                    te | gzip | CONNECTION_FIELD
                    te | 'trailers, gzip' | CONNECTION_FIELD
                    X-A | b | FIELD_CASE
                    x-aB | b | FIELD_CASE
                    Connection | close | FIELD_CASE
                    '' | b | FIELD_NAME
                    x a | b | FIELD_NAME
                    'x-a ' | b | FIELD_NAME
                    x:a | b | FIELD_NAME
                    'x-a: b' | c | FIELD_NAME
                    'x(a)' | b | FIELD_NAME
                    x-é | b | FIELD_NAME
                    x-a | ' b' | FIELD_VALUE
                    x-a | 'b ' | FIELD_VALUE
                    x-a | ' ' | FIELD_VALUE
                    expect | 200-ok | EXPECTATION
                    content-length | -1 | CONTENT_LENGTH
                    content-length | +1 | CONTENT_LENGTH
                    content-length | '' | CONTENT_LENGTH
                    content-length | 0x1 | CONTENT_LENGTH
                    content-length | '1, 1' | CONTENT_LENGTH
                    content-length | 9223372036854775808 | CONTENT_LENGTH
                    content-length | 1 | BODY_LENGTH
                    """)
    void fieldsThatAreRefused(String name, String value, Refusal why) {
        assertThat(refusal(and(GET, name, value))).isEqualTo(why);
        assertThat(refusal(and(GET, "x-before", "1", name, value, "x-after", "2")))
                .isEqualTo(why);
    }

    @ParameterizedTest
    @ValueSource(strings = {"\r", "\n", "\0", "\u0001", "\u007F", "a\r\nx-b: c", "a\nb", "\tb", "b\t"})
    void bytesThatNoValueHas(String value) {
        assertThat(refusal(and(GET, "x-a", value))).isEqualTo(Refusal.FIELD_VALUE);
        assertThat(refusal(and(GET, "cookie", value))).isEqualTo(Refusal.FIELD_VALUE);
        assertThat(refusal(and(with(":authority", null), "host", value))).isEqualTo(Refusal.FIELD_VALUE);
    }

    @Test
    void namesThatCarryMoreThanAName() {
        for (String name : List.of("x-a\r\nx-b", "x-a\0", "x-a\n", "x-a: b\r\nx-c")) {
            assertThat(refusal(and(GET, name, "d"))).isEqualTo(Refusal.FIELD_NAME);
        }
    }

    /** An authority stands in a field line of HTTP/1.1, and must not end it. */
    @ParameterizedTest
    @ValueSource(strings = {"c\r\nx-smuggled: 1", "c\n", "c\r", "c\0"})
    void bytesThatNoAuthorityHas(String authority) {
        assertThat(refusal(with(":authority", authority))).isEqualTo(Refusal.HOST_INVALID);
        assertThat(refusal(List.of(":method", "CONNECT", ":authority", authority)))
                .isEqualTo(Refusal.HOST_INVALID);
    }

    @Test
    void teMayAskForTrailers() {
        assertThat(taken(and(GET, "te", "trailers"))).contains("te: trailers");
        assertThat(taken(and(GET, "te", "Trailers"))).contains("te: Trailers");
    }

    @Test
    void lengths() {
        assertThat(refusal(and(GET, "content-length", "1", "content-length", "1")))
                .isEqualTo(Refusal.CONTENT_LENGTH_DUPLICATE);
        assertThat(taken(and(GET, "content-length", "0"))).contains("content-length: 0");
        assertThat(isTaken(false, and(GET, "content-length", "7"))).isTrue();
        assertThat(head.contentLength()).isEqualTo(7);
        assertThat(head.isChunked()).isFalse();
        assertThat(isTaken(false, GET)).isTrue();
        assertThat(head.isChunked()).as("of unknown length").isTrue();
    }

    // Limits, at their bound and one beyond

    @Test
    void theRequestLineIsBounded() {
        int most = LIMITS.requestLineBytesMax() - "GET  HTTP/2.0".length();
        String longest = "/" + "p".repeat(most - 1);
        assertThat(taken(with(":path", longest))).startsWith("GET " + longest + " HTTP/2.0\r\n");
        assertThat(refusal(with(":path", longest + "p"))).isEqualTo(Refusal.REQUEST_LINE_TOO_LONG);
        assertThat(refusal(with(":path", "/" + "p".repeat(100_000)))).isEqualTo(Refusal.REQUEST_LINE_TOO_LONG);
        assertThat(refusal(with(":authority", "c".repeat(100_000)))).isEqualTo(Refusal.REQUEST_LINE_TOO_LONG);
    }

    @Test
    void aFieldIsBounded() {
        String longest = "v".repeat(LIMITS.headerFieldBytesMax() - "x-a: ".length());
        assertThat(taken(and(GET, "x-a", longest))).endsWith("x-a: " + longest + "\r\n");
        assertThat(refusal(and(GET, "x-a", longest + "v"))).isEqualTo(Refusal.FIELD_TOO_LONG);
        assertThat(refusal(and(GET, "x-" + longest, "v".repeat(9)))).isEqualTo(Refusal.FIELD_TOO_LONG);
    }

    @Test
    void theFieldsAreCounted() {
        List<String> most = new ArrayList<>(GET);
        for (int i = 0; i < LIMITS.headerCountMax(); i++) {
            most.addAll(List.of("x-a", "b"));
        }
        taken(most);
        assertThat(refusal(and(most, "x-a", "b"))).isEqualTo(Refusal.HEADER_COUNT);
        assertThat(refusal(and(most, "cookie", "b"))).isEqualTo(Refusal.HEADER_COUNT);
    }

    @Test
    void allFieldsTogetherAreBounded() {
        List<String> most = new ArrayList<>(GET);
        int left = LIMITS.headerBytesMax();
        String line = "v".repeat(4096 - "x-a: \r\n".length());
        while (left > 4096) {
            most.addAll(List.of("x-a", line));
            left -= 4096;
        }
        String rest = "v".repeat(left - "x-a: \r\n".length());
        taken(and(most, "x-a", rest));
        assertThat(refusal(and(most, "x-a", rest + "v"))).isEqualTo(Refusal.HEADER_TOO_LONG);
        assertThat(refusal(and(most, "cookie", rest, "cookie", "a"))).isEqualTo(Refusal.HEADER_TOO_LONG);
    }

    /** What one head leaves behind isn't seen in the next, however early that is refused. */
    @Test
    void nothingOfTheHeadBeforeIsLeft() {
        List<String> post = List.of(
                ":method", "POST", ":scheme", "http", ":path", "/secret", ":authority", "before", "cookie", "a=1");
        for (List<String> some : List.of(List.<String>of(), List.of(":method", "GET"), with(":scheme", "x"))) {
            taken(post);
            refusal(some);
            assertThat(new String(head.bytes(), 0, head.length(), ISO_8859_1))
                    .doesNotContain("secret", "before", "a=1");
            assertThat(head.fieldCount()).isZero();
            assertThat(taken(GET)).isEqualTo("GET /a?b HTTP/2.0\r\nhost: c\r\n");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "application/grpc, true",
        "application/grpc+proto, true",
        "application/grpc;charset=utf-8, true",
        "Application/gRPC+json, true",
        "application/grpc-web, false",
        "application/grpcx, false",
        "application/grp, false",
        "text/plain, false",
    })
    void aCallIsTold(String type, boolean call) {
        assertThat(isTaken(true, and(GET, "content-type", type, "grpc-timeout", "5S")))
                .isTrue();
        assertThat(head.grpc.isCall()).isEqualTo(call);
        head.clear();
        assertThat(head.grpc.isCall()).isFalse();
        assertThat(head.grpc.timeoutNanos()).isEqualTo(GrpcMarks.NO_TIMEOUT);
    }

    @ParameterizedTest
    @CsvSource({
        "1H, 3600000000000",
        "2M, 120000000000",
        "30S, 30000000000",
        "00000250m, 250000000",
        "7u, 7000",
        "9n, 9",
        "0S, 0",
        "99999999H, -1",
        "123456789S, -1",
        "S, -1",
        "'', -1",
        "1, -1",
        "1s, -1",
        "-1S, -1",
        "1.5S, -1",
    })
    void theTimeOfACall(String text, long nanos) {
        assertThat(isTaken(true, and(GET, "x-request-id", "1S", "grpc-timeout", text)))
                .isTrue();
        assertThat(head.grpc.isCall()).isFalse();
        assertThat(head.grpc.timeoutNanos()).isEqualTo(nanos);
    }
}
