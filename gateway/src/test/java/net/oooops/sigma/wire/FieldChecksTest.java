package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks 9 to 14: field lines and the Host field (RFC 9110 sections 5 and 7.2, RFC 9112 sections 3.2 and 5). */
class FieldChecksTest extends WireTest {
    private static final String LINE = "GET /attack HTTP/1.1\r\n";

    /** RFC 9112 section 5.1. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host : a\r\n",
                "Host\t: a\r\n",
                "Host: a\r\nX-A : b\r\n",
                "Host: a\r\nTransfer-Encoding : chunked\r\n",
                "Host: a\r\nContent-Length\t: 5\r\n"
            })
    void check09_whiteSpaceBeforeTheColon(String fields) throws IOException {
        refused(400, LINE + fields + "\r\n");
    }

    /** RFC 9112 section 5.2. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host: a\r\nX-A: b\r\n c\r\n",
                "Host: a\r\nX-A: b\r\n\tc\r\n",
                "Host: a\r\nX-A: b\r\n \r\n",
                "Host: a\r\nTransfer-Encoding:\r\n chunked\r\n",
                "Host: a\r\n Content-Length: 5\r\n"
            })
    void check10_foldedLines(String fields) throws IOException {
        refused(400, LINE + fields + "\r\n");
    }

    /** RFC 9110 section 5.1: a field name is a token. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X A: b",
                "X(A: b",
                "X\"A: b",
                "X/A: b",
                "X@A: b",
                "X[A]: b",
                "X{A}: b",
                "X\\A: b",
                "X,A: b",
                "X;A: b",
                "X=A: b",
                "X?A: b",
                "X<A>: b",
                "X\u0000A: b",
                "X\u00E9A: b",
                "X\u007FA: b",
                ": b",
                "\u000BX: b"
            })
    void check11_nameIsNoToken(String field) throws IOException {
        refused(400, LINE + "Host: a\r\n" + field + "\r\n\r\n");
    }

    /** RFC 9112 section 5: each line has a colon. */
    @ParameterizedTest
    @ValueSource(strings = {"X-A", "X-A b", "GET /smuggled HTTP/1.1", "X"})
    void check11_lineWithoutColon(String field) throws IOException {
        refused(400, LINE + "Host: a\r\n" + field + "\r\n\r\n");
    }

    /** RFC 9110 section 5.5: CR, LF and NUL are dangerous in values; other controls are refused as well. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X-A: b\0c",
                "X-A: \0",
                "X-A: b\rc",
                "X-A: b\r",
                "X-A:\rb",
                "X-A: b\nContent-Length: 5",
                "X-A: b\n",
                "X-A: b\u0001c",
                "X-A: b\u001Fc",
                "X-A: b\u007Fc",
                "X-A: b\u000Bc",
                "Transfer-Encoding: \u000Bchunked"
            })
    void check12_controlsInAValue(String field) throws IOException {
        refused(400, LINE + "Host: a\r\n" + field + "\r\n\r\n");
    }

    /** RFC 9110 section 5.5: tabs, spaces and obs-text may stand in a value; what stands around it is cut in reading only. */
    @Test
    void check12_whatMayStandInAValue() throws IOException {
        var seen = forwarded(
                "GET /value HTTP/1.1\r\nHost: a\r\nX-A: \t b \t \u00E9\u00FF~ c \t \r\nX-B:\r\nX-C:d\r\n\r\n");
        assertThat(seen.header("X-A")).isEqualTo("b \t \u00E9\u00FF~ c");
        assertThat(seen.header("X-B")).isEmpty();
        assertThat(seen.header("X-C")).isEqualTo("d");
    }

    /** RFC 9112 section 2.2: white space between the request line and the first field. */
    @ParameterizedTest
    @ValueSource(strings = {" Host: a\r\n", "\tHost: a\r\n", " \r\nHost: a\r\n", " X-A: b\r\nHost: a\r\n"})
    void check13_whiteSpaceBeforeTheFirstField(String fields) throws IOException {
        refused(400, LINE + fields + "\r\n");
    }

    /** RFC 9112 section 3.2: exactly one valid Host. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "Host: a\r\nHost: a\r\n",
                "Host: a\r\nhost: b\r\n",
                "Host: a\r\nX-A: b\r\nHOST:\r\n",
                "X-Host: a\r\n"
            })
    void check14_hostMissingOrTwice(String fields) throws IOException {
        refused(400, LINE + fields + "\r\n");
    }

    /** RFC 9110 section 7.2 and RFC 3986 section 3.2: host and port, nothing else. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a,b",
                "a, b",
                "a b",
                "user@a",
                "user:password@a",
                "a@",
                "a/b",
                "a?b",
                "a#b",
                "a:b",
                "a:80:80",
                "a:-1",
                "a:65536",
                "a:0",
                "a:+80",
                "a: 80",
                "a:99999999999999999999",
                ":80",
                "[::1",
                "::1",
                "[::1]x",
                "[::g]",
                "[::1%25eth0]",
                "a..b",
                ".a",
                ".",
                "a%00",
                "a\\b",
                "1.2.3",
                "1.2.3.256",
                "0x7f.1",
                "a\u00E9",
                "http://a",
                "a;b",
                "a\"",
                "a'b",
                "*"
            })
    void check14_hostMalformed(String host) throws IOException {
        refused(400, LINE + "Host: " + host + "\r\n\r\n");
    }

    /** RFC 9112 section 3.2: a target in absolute form doesn't excuse a Host that is wrong or missing. */
    @ParameterizedTest
    @ValueSource(strings = {"", "Host: a\r\nHost: a\r\n", "Host: a,b\r\n", "Host: user@a\r\n", "Host: a:b\r\n"})
    void check14_hostWrongBesideAnAbsoluteTarget(String fields) throws IOException {
        refused(400, "GET http://a/attack HTTP/1.1\r\n" + fields + "\r\n");
    }

    /** RFC 9110 section 4.2.4: no user info in the authority of a target. */
    @ParameterizedTest
    @ValueSource(strings = {"user@a", "user:password@a", "a,b", "a:b", "a:80:80", "[::1", "a:0", "%61"})
    void check14_authorityOfAnAbsoluteTargetMalformed(String authority) throws IOException {
        refused(400, "GET http://" + authority + "/attack HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    /** RFC 3986 section 3.2: what a host may be. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "A.Example.COM",
                "a:80",
                "a:",
                "a.",
                "1.2.3.4:65535",
                "[::1]",
                "[2001:db8::1]:8080",
                "xn--9ca"
            })
    void check14_hostsThatPass(String host) throws IOException {
        assertThat(forwarded("GET /host HTTP/1.1\r\nHost: " + host + "\r\n\r\n").header("Host"))
                .isEqualTo(host);
    }
}
