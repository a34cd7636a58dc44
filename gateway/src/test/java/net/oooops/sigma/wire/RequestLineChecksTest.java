package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import net.oooops.sigma.testkit.ReceivedRequest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks 1 to 8: the request line (RFC 9112 sections 2.2 and 3). */
class RequestLineChecksTest extends WireTest {
    private static final String HOST = "Host: a\r\n\r\n";

    /** RFC 9112 section 2.2: a bare CR is invalid; RFC 9110 section 5.5 and RFC 9112 section 3: no control characters. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /attack\r HTTP/1.1\r\n",
                "GET\r/attack HTTP/1.1\r\n",
                "GET /attack HTTP/1.1\r\r\n",
                "GET /attack HTTP/1.1\rHost: a\r\n",
                "\rGET /attack HTTP/1.1\r\n",
                "GET /att\0ack HTTP/1.1\r\n",
                "\0GET /attack HTTP/1.1\r\n",
                "GET /att\u0001ack HTTP/1.1\r\n",
                "GET /att\u007Fack HTTP/1.1\r\n",
                "GET /attack HTTP/1.1\0\r\n"
            })
    void check01_bareCrNulAndControlsInTheRequestLine(String line) throws IOException {
        refused(400, line + HOST);
    }

    /** RFC 9112 section 2.2: a recipient may take LF alone for a line's end; this one doesn't. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET /attack HTTP/1.1\nHost: a\r\n\r\n",
                "GET /attack HTTP/1.1\nHost: a\n\n",
                "\nGET /attack HTTP/1.1\r\nHost: a\r\n\r\n",
                "GET /attack HTTP/1.1\r\nHost: a\n\r\n",
                "GET /attack HTTP/1.1\r\nHost: a\r\n\n"
            })
    void check02_bareLfAsLineEnd(String head) throws IOException {
        refused(400, head);
    }

    /** RFC 9112 section 3: one SP between method, target and version. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET  /attack HTTP/1.1\r\n",
                "GET /attack  HTTP/1.1\r\n",
                "GET /attack HTTP/1.1 \r\n",
                " GET /attack HTTP/1.1\r\n",
                "GET\t/attack HTTP/1.1\r\n",
                "GET /attack\tHTTP/1.1\r\n",
                "GET\u000B/attack HTTP/1.1\r\n",
                "GET /attack\fHTTP/1.1\r\n",
                "GET /attack\u00A0HTTP/1.1\r\n"
            })
    void check03_anythingButOneSpaceBetweenTheParts(String line) throws IOException {
        refused(400, line + HOST);
    }

    /** RFC 9112 section 2.3. */
    @ParameterizedTest
    @ValueSource(strings = {"HTTP/2.0", "HTTP/2.1", "HTTP/0.9", "HTTP/3.0", "HTTP/9.9"})
    void check04_majorVersionOtherThan1(String version) throws IOException {
        refused(505, "GET /attack " + version + "\r\n" + HOST);
    }

    /** RFC 9110 section 2.5: a minor version that isn't known is read as 1.1, and so is what follows from it. */
    @ParameterizedTest
    @ValueSource(strings = {"HTTP/1.2", "HTTP/1.9"})
    void check04_laterMinorVersions(String version) throws IOException {
        ReceivedRequest seen = forwarded(
                "POST /later " + version + "\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
        assertThat(seen.head()).startsWith("POST /later HTTP/1.1\r\n");
        assertThat(seen.bodyText()).isEqualTo("abc");
        assertThat(seen.header("Via")).startsWith("1.1 ");
        refused(400, "GET /attack " + version + "\r\n\r\n");
        try (var client = gateway.connect()) {
            String persistent = "GET /again " + version + "\r\n" + HOST;
            assertThat(client.send(persistent + persistent).readResponse().header("Connection"))
                    .isNull();
            assertThat(client.readResponse().status()).isEqualTo(200);
        }
    }

    /** RFC 9112 section 2.3: HTTP is case-sensitive, one digit on each side. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "http/1.1",
                "HTTP/1,1",
                "HTTP/11",
                "HTTP/1.1.1",
                "HTTP/01.1",
                "HTTP/1.01",
                "HTTP/11.1",
                "HTTP/1.11",
                "HTTP/+1.1",
                "HTTP/ 1.1",
                "HTTP /1.1",
                "HTTP/1.x",
                "HTTPS/1.1",
                "ICY/1.1",
                "1.1"
            })
    void check04_versionMalformed(String version) throws IOException {
        refused(400, "GET /attack " + version + "\r\n" + HOST);
    }

    /** RFC 1945's simple request has no version: not spoken here. */
    @Test
    void check04_noVersionAtAll() throws IOException {
        refused(400, "GET /attack\r\n" + HOST);
    }

    /** RFC 9113 section 3.4: what an HTTP/2 client with prior knowledge begins with isn't like it. */
    @Test
    void check04_http2InLinesOfHttp1() throws IOException {
        refused(505, "GET /attack HTTP/2.0\r\n" + HOST);
        refused(505, "PRI /attack HTTP/2.0\r\n" + HOST);
    }

    /** RFC 9110 section 9.1: a method is a token. */
    @ParameterizedTest
    @ValueSource(
            strings = {"G(T", "GET,", "G\"T", "G/T", "G@T", "G[T", "G{T", "G:T", "G=T", "GE\u00C9", "", "G;T", "<GET>"})
    void check05_methodIsNoToken(String method) throws IOException {
        refused(400, method + " /attack HTTP/1.1\r\n" + HOST);
    }

    /** RFC 9110 section 9.1: any token may be a method; one longer than any that is known is 501 (RFC 9112 section 3). */
    @Test
    void check05_methodLength() throws IOException {
        String longest = "M".repeat(32);
        assertThat(forwarded(longest + " /long HTTP/1.1\r\n" + HOST).method()).isEqualTo(longest);
        refused(501, "M".repeat(33) + " /attack HTTP/1.1\r\n" + HOST);
        refused(501, "M".repeat(3000) + " /attack HTTP/1.1\r\n" + HOST);
    }

    /** RFC 9110 section 9.1: methods are case-sensitive, so this is another one and passes as it is. */
    @Test
    void check05_methodKeepsItsCase() throws IOException {
        assertThat(forwarded("gEt /case HTTP/1.1\r\n" + HOST).method()).isEqualTo("gEt");
    }

    /** RFC 9112 section 3.2: origin, absolute, authority (CONNECT only) and asterisk form (OPTIONS only). */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "GET attack HTTP/1.1\r\n",
                "GET * HTTP/1.1\r\n",
                "GET a:80 HTTP/1.1\r\n",
                "GET ?attack HTTP/1.1\r\n",
                "GET ftp://a/attack HTTP/1.1\r\n",
                "GET http:/a/attack HTTP/1.1\r\n",
                "GET http:a/attack HTTP/1.1\r\n",
                "GET http:///attack HTTP/1.1\r\n",
                "GET http://?attack HTTP/1.1\r\n",
                "GET //a@b:80%20/attack/../../.. HTTP/1.1\r\n",
                "OPTIONS *attack HTTP/1.1\r\n",
                "OPTIONS */attack HTTP/1.1\r\n",
                "options * HTTP/1.1\r\n",
                "CONNECT /attack HTTP/1.1\r\n",
                "GET . HTTP/1.1\r\n",
                "GET %2Fattack HTTP/1.1\r\n"
            })
    void check06_targetInNoFormOfItsMethod(String line) throws IOException {
        refused(400, line + HOST);
    }

    /** RFC 9112 section 3.2.2: absolute form is for http here; https would have needed a secured connection (RFC 9110 section 7.4). */
    @Test
    @Tag("plain")
    void check06_httpsTargetOnAnUnsecuredConnection() throws IOException {
        refused(400, "GET https://a/attack HTTP/1.1\r\n" + HOST);
    }

    /** RFC 3986 appendix A: what no target has. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/attack#fragment",
                "/attack?q#fragment",
                "/att\"ack",
                "/att<ack",
                "/att>ack",
                "/att\\ack",
                "/att`ack",
                "/att{ack",
                "/att}ack",
                "/att\u0080ack",
                "/att\u00FFack",
                "/attack?a b",
                "/attack?a=\"b\"",
                "/attack?<",
                "/attack?>",
                "/att\\ack?\\"
            })
    void check07_bytesThatNoTargetHas(String target) throws IOException {
        refused(400, "GET " + target + " HTTP/1.1\r\n" + HOST);
    }

    /** The URL standard of WHATWG leaves these as they are, and so every browser sends them. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/?f={%22a%22:1}",
                "/q?a|b^c`d{e}f\\g[h]'i'",
                "/q?\\..\\x",
                "/a|b/c^d",
                "/a[1]/b'c",
                "/|",
                "/a|b?^|"
            })
    void check07_whatBrowsersSendAsItIs(String target) throws IOException {
        assertThat(forwarded("GET " + target + " HTTP/1.1\r\n" + HOST).target()).isEqualTo(target);
    }

    /** RFC 9112 section 2.2: at least one empty line before a request line is ignored; here exactly one. */
    @Test
    void check08_leadingEmptyLines() throws IOException {
        assertThat(forwarded("\r\nGET /empty HTTP/1.1\r\n" + HOST).head()).startsWith("GET /empty HTTP/1.1\r\n");
        refused(400, "\r\n\r\nGET /attack HTTP/1.1\r\n" + HOST);
    }

    /** RFC 9112 section 2.2: some clients send CRLF behind a request with a body. */
    @Test
    void check08_emptyLineBetweenRequests() throws IOException {
        try (var client = gateway.connect()) {
            client.send("POST /first HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab\r\nGET /second HTTP/1.1\r\n"
                    + HOST);
            assertThat(client.readResponse().bodyText()).isEqualTo("/first");
            assertThat(client.readResponse().bodyText()).isEqualTo("/second");
        }
    }
}
