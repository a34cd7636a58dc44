package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Checks 38 to 46, 49 and 50: paths, hosts, and methods that are none of a proxy's business. */
class PathChecksTest extends WireTest {
    private static final String USUAL = "GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS, QUERY";

    @Override
    GatewayBuilder configure(GatewayBuilder builder) {
        return builder.route("*")
                .route(
                        "/admin/*",
                        GatewayFixture.plugin("headers", Map.of("request", Map.of("set", Map.of("X-Admin", "yes")))))
                .route("/cut/*", GatewayFixture.plugin("rewrite-path", Map.of("regexp", "^/cut", "replacement", "")));
    }

    private ReceivedRequest get(String target) throws IOException {
        return forwarded("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    private void refusedTarget(String target) throws IOException {
        refused(400, "GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    /** RFC 1945 section 8: in HTTP/1.0 these have no body, so a server may read one as the next request. */
    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "DELETE"})
    void check38_bodyInHttp10WhereNoneMayBe(String method) throws IOException {
        String body = "GET /smuggled HTTP/1.0\r\n\r\n";
        refused(
                413,
                method + " /attack HTTP/1.0\r\nConnection: keep-alive\r\nContent-Length: " + body.length() + "\r\n\r\n"
                        + body);
        assertThat(forwarded(method + " /empty HTTP/1.0\r\nContent-Length: 0\r\n\r\n")
                        .method())
                .isEqualTo(method);
    }

    /** In HTTP/1.1 a body is framed whatever the method (RFC 9110 section 9.3.1): it passes. */
    @ParameterizedTest
    @ValueSource(strings = {"GET", "DELETE", "OPTIONS"})
    void check38_bodyInHttp11OnAnyMethod(String method) throws IOException {
        ReceivedRequest seen = forwarded(method + " /b HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nab");
        assertThat(seen.bodyText()).isEqualTo("ab");
    }

    /** RFC 3986 section 6.2.2: what is the same path is forwarded in one form. */
    @ParameterizedTest
    @CsvSource({
        "/a/./b,/a/b",
        "/a/../b,/b",
        "/a/b/..,/a/",
        "/a/b/.,/a/b/",
        "/%61/%7E%2D%2e%5F,/a/~-._",
        "/a/%2e%2e/b,/b",
        "/a/.%2E/b,/b",
        "/a/%2E/b,/a/b",
        "/%3a%c3%a9,/%3A%C3%A9",
        "/...,/...",
        "/a..b,/a..b",
        "/.a,/.a",
        "/a?q=/../%2e%2e//,/a?q=/../%2e%2e//",
        "/a/..?x,/?x"
    })
    void check39_dotSegmentsAndUnreservedCharacters(String target, String passed) throws IOException {
        assertThat(get(target).target()).isEqualTo(passed);
    }

    /** RFC 3986 section 5.2.4: a server could take the root's parent for anything. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/..",
                "/../attack",
                "/a/../../attack",
                "/%2e%2e/attack",
                "/.%2e/attack",
                "/./../attack",
                "//../attack"
            })
    void check39_aboveTheRoot(String target) throws IOException {
        refusedTarget(target);
    }

    /** Policy is bound to the path as it is forwarded: no way of writing it leads round the route. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/admin",
                "/admin/",
                "/admin/x",
                "//admin/x",
                "/./admin/x",
                "/a/../admin/x",
                "/%61dmin/x",
                "/%61%64%6d%69%6E/x",
                "/a/%2e%2e/admin/x",
                "/admin;v=1/x",
                "/admin/../admin/x",
                "http://a/admin/x",
                "http://a//admin/x"
            })
    void check39_routingSeesTheNormalisedPath(String target) throws IOException {
        ReceivedRequest seen = get(target);
        assertThat(seen.target()).startsWith("/admin");
        assertThat(seen.header("X-Admin")).isEqualTo("yes");
    }

    /** RFC 3986 section 2.2: an encoded slash is no slash; it stays what it is. */
    @ParameterizedTest
    @CsvSource({"/a%2Fb,/a%2Fb", "/a%2fb,/a%2Fb", "/admin%2Fx,/admin%2Fx", "/%2F,/%2F"})
    void check40_encodedSlashStays(String target, String passed) throws IOException {
        ReceivedRequest seen = get(target);
        assertThat(seen.target()).isEqualTo(passed);
        assertThat(seen.headers().has("X-Admin")).isFalse();
    }

    /** An encoded slash beside dots would be a dot segment to whoever decodes first. */
    @ParameterizedTest
    @ValueSource(strings = {"/a/..%2Fattack", "/a/.%2F", "/a%2F..%2Fattack", "/a%2f../attack", "/%2e%2e%2fattack"})
    void check40_encodedSlashBesideDots(String target) throws IOException {
        refusedTarget(target);
    }

    /** Repeated slashes are one. */
    @ParameterizedTest
    @CsvSource({"//a//b,/a/b", "/a///,/a/", "//,/", "///a/..//b,/b", "/a//../b,/b"})
    void check41_repeatedSlashesAreOne(String target, String passed) throws IOException {
        assertThat(get(target).target()).isEqualTo(passed);
    }

    /** RFC 3629 section 3 and RFC 3986 section 2.1: NUL, overlong forms of it and of what divides a path, and broken triplets. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/%00",
                "/attack%00.html",
                "/%c0%af",
                "/%c0%ae%c0%ae/",
                "/%e0%80%af",
                "/%f0%80%80%af",
                "/%fc%80%80%80%80%af",
                "/a/%c0%ae./x",
                "/%c1%9c",
                "/%c0%80",
                "/%",
                "/%4",
                "/%zz",
                "/%u0061",
                "/%%61",
                "/%+1"
            })
    void check42_brokenOrDangerousOctets(String target) throws IOException {
        refusedTarget(target);
    }

    /** RFC 3986 section 2.1: a triplet is an octet, of UTF-8 or of anything else. */
    @ParameterizedTest
    @CsvSource({
        "/caf%E9,/caf%E9",
        "/caf%e9/%c0%b4,/caf%E9/%C0%B4",
        "/%ed%a0%80,/%ED%A0%80",
        "/%ff%80,/%FF%80",
        "/%c3/%a9,/%C3/%A9",
        "/%e2%82,/%E2%82"
    })
    void check42_octetsThatAreNotUtf8Pass(String target, String passed) throws IOException {
        assertThat(get(target).target()).isEqualTo(passed);
    }

    /** Nothing is decoded twice: an encoded percent sign stays. */
    @ParameterizedTest
    @CsvSource({"/%252e%252e/admin,/%252e%252e/admin", "/%25,/%25", "/a%2500,/a%2500", "/%2561dmin/x,/%2561dmin/x"})
    void check42_encodedPercentStays(String target, String passed) throws IOException {
        ReceivedRequest seen = get(target);
        assertThat(seen.target()).isEqualTo(passed);
        assertThat(seen.headers().has("X-Admin")).isFalse();
    }

    /** Parameters of a segment stay, matching passes over them; where they hide a dot segment they are refused. */
    @Test
    void check43_matrixParameters() throws IOException {
        assertThat(get("/admin;v=1/x;y=2").target()).isEqualTo("/admin;v=1/x;y=2");
        assertThat(get("/a;b/c;d?e;f").target()).isEqualTo("/a;b/c;d?e;f");
        refusedTarget("/a/..;/attack");
        refusedTarget("/a/..;v=1/attack");
        refusedTarget("/a/.;/attack");
        refusedTarget("/a/%2e%2e;/attack");
        refusedTarget("/a/;x/attack");
    }

    /** A backslash is a slash to some servers. */
    @ParameterizedTest
    @ValueSource(strings = {"/a\\b", "/a%5cb", "/a%5C..%5Cattack", "/..%5cattack", "\\attack"})
    void check44_backslash(String target) throws IOException {
        refusedTarget(target);
    }

    /** RFC 3986 section 6.2.2.1: a path's letter case counts. */
    @Test
    void check45_pathsAreCaseSensitive() throws IOException {
        assertThat(get("/ADMIN/x").headers().has("X-Admin")).isFalse();
        assertThat(get("/Admin/x").headers().has("X-Admin")).isFalse();
    }

    /** RFC 3986 section 3.2.2: letter case, one trailing dot and the port don't count in matching; other hosts don't match. */
    @Test
    void check46_hostsAreComparedInOneForm() throws IOException {
        try (GatewayFixture hosted = GatewayFixture.to(upstream)
                        .virtualHost("www.example.com")
                        .start();
                RawClient client = hosted.connect()) {
            for (String host : new String[] {
                "www.example.com", "WWW.Example.COM", "www.example.com.", "www.example.com:80", "www.example.com.:8080"
            }) {
                client.send("GET /hosted HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
                assertThat(client.readResponse().status()).as(host).isEqualTo(200);
                assertThat(upstream.requests().getLast().header("Host")).isEqualTo(host);
            }
            for (String host : new String[] {"example.com", "www.example.com.evil.org", "xwww.example.com", ""}) {
                client.send("GET /attack HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
                assertThat(client.readResponse().status()).as(host).isEqualTo(404);
            }
        }
    }

    /** RFC 3986 section 3.2.2: a name whose last label is a number, as containers have them, is a name; one of numbers is an address. */
    @Test
    void check46_aNumberAsTheLastLabel() throws IOException {
        for (String host : new String[] {"web.1", "web.1.", "web.1:8080", "stack_web.12", "a1.0"}) {
            assertThat(forwarded("GET /named HTTP/1.1\r\nHost: " + host + "\r\n\r\n")
                            .header("Host"))
                    .isEqualTo(host);
        }
        for (String host : new String[] {"1.2.3", "127.1", "256.0.0.1", "1", "0x7f.1", "0x7f.0.0.1"}) {
            refused(400, "GET /attack HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
        }
    }

    /** RFC 9112 section 3.2.2: the authority of an absolute target is matched and forwarded, not the Host field. */
    @Test
    void check46_absoluteTargetGoesBeforeHost() throws IOException {
        try (GatewayFixture hosted =
                        GatewayFixture.to(upstream).virtualHost("a.example").start();
                RawClient client = hosted.connect()) {
            client.send("GET http://A.example:80/x?y HTTP/1.1\r\nHost: b.example\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.target()).isEqualTo("/x?y");
            assertThat(seen.headers().values("Host")).containsExactly("A.example:80");
            client.send("GET http://b.example/attack HTTP/1.1\r\nHost: a.example\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(404);
        }
    }

    /** RFC 9110 section 4.2.3: no path is the path /. */
    @ParameterizedTest
    @CsvSource({"http://a,/", "http://a?q,/?q", "HTTP://a/,/", "http://a/b?c,/b?c"})
    void check46_absoluteTargets(String target, String passed) throws IOException {
        assertThat(get(target).target()).isEqualTo(passed);
    }

    /** A rewrite can't make a dot segment of what was none. */
    @Test
    void check39_rewritingMakesNoDotSegment() throws IOException {
        assertThat(get("/cut/x").target()).isEqualTo("/x");
        assertThat(get("/cut//x").target()).isEqualTo("/x");
        assertThat(get("/cut").target()).isEqualTo("/");
        try (GatewayFixture sloppy = GatewayFixture.to(upstream)
                        .route(
                                "/*",
                                GatewayFixture.plugin("rewrite-path", Map.of("regexp", "^/cut", "replacement", "")))
                        .start();
                RawClient client = sloppy.connect()) {
            client.send("GET /cut../attack HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(400);
        }
        assertThat(upstream.requests()).extracting(ReceivedRequest::target).doesNotContain("/../attack");
    }

    /** Nor anything else that a client may not send; the connection is none the worse for it. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/cut..;/secret",
                "/cut..%2fsecret",
                "/cut.;x/secret",
                "/cut../secret",
                "/cut..",
                "/cut.%2Fsecret",
            })
    void check39_rewritingMakesNothingThatIsRefused(String target) throws IOException {
        try (GatewayFixture sloppy = GatewayFixture.to(upstream)
                        .route(
                                "/*",
                                GatewayFixture.plugin("rewrite-path", Map.of("regexp", "^/cut", "replacement", "")))
                        .start();
                RawClient client = sloppy.connect()) {
            client.send("GET " + target + " HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(400);
            client.send("GET /cut/next HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
        }
        assertThat(upstream.requests()).extracting(ReceivedRequest::target).noneMatch(sent -> sent.contains("secret"));
    }

    /** A route that passes over parameters has a rewrite that does. */
    @Test
    void check43_rewritingPassesOverParametersAsRoutingDoes() throws IOException {
        assertThat(get("/cut;v=1/x;y=2").target()).isEqualTo("/x;y=2");
        assertThat(get("/cut;v=1").target()).isEqualTo("/");
    }

    /** What isn't HTTP at all: TLS on this port, and binary noise. */
    @Test
    void check49_tlsOnAPlainPort() throws IOException {
        refused(400, "\u0016\u0003\u0001\u0002\0\u0001\0\u0001\u00FC\u0003\u0003" + "\u00AA".repeat(64));
        refused(400, "\u0080.\u0001\0\u0002\0\u0015\0\0\0\u0010");
    }

    /** RFC 9110 sections 9.3.6 and 9.3.8. */
    @Test
    void check50_traceIsNotAllowed() throws IOException {
        RawResponse response = exchange("TRACE /attack HTTP/1.1\r\nHost: a\r\nCookie: secret\r\n\r\n");
        assertThat(response.status()).isEqualTo(405);
        assertThat(response.header("Allow")).isEqualTo(USUAL);
        assertThat(response.bodyText()).doesNotContain("secret");
        refused(400, "TRACE /attack HTTP/1.1\r\nHost: a b\r\n\r\n");
        refused(400, "TRACE /.. HTTP/1.1\r\nHost: a\r\n\r\n");
    }

    /** RFC 9110 section 15.5.6: with 405 comes what is allowed; there, or where there is no path, anywhere. */
    @Test
    void check50_whatIsAllowedInstead() throws IOException {
        try (GatewayFixture some = GatewayFixture.to(upstream)
                        .virtualHost("www.example.com")
                        .route("/x", List.of("GET", "PURGE"))
                        .start();
                RawClient client = some.connect()) {
            String[][] allowed = {
                {"www.example.com", "/x", "GET, HEAD, PURGE"}, {"www.example.com", "/y", USUAL}, {"other", "/x", USUAL}
            };
            for (String[] each : allowed) {
                client.send("TRACE " + each[1] + " HTTP/1.1\r\nHost: " + each[0] + "\r\n\r\n");
                assertThat(client.readResponse().header("Allow")).isEqualTo(each[2]);
            }
            client.send("CONNECT www.example.com:443 HTTP/1.1\r\nHost: www.example.com:443\r\n\r\n");
            assertThat(client.readResponse().header("Allow")).isEqualTo(USUAL);
        }
    }

    /** RFC 9110 section 9.3.6; closed, as a client may have begun to send through the tunnel: that must not be read as requests. */
    @ParameterizedTest
    @ValueSource(strings = {"a:443", "a", "http://a/attack", "*"})
    void check50_connectIsNotAllowed(String target) throws IOException {
        refused(405, "CONNECT " + target + " HTTP/1.1\r\nHost: a\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
    }
}
