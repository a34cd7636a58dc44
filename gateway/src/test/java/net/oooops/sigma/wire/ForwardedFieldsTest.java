package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.FreePorts;
import net.oooops.sigma.testkit.Header;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.aggregator.ArgumentsAccessor;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which fields a proxy takes out, writes and keeps (RFC 9110 sections 6.6.1, 7.2, 7.6 and RFC 7239). */
@Tag("plain")
class ForwardedFieldsTest extends WireTest {
    private static final String SAYS =
            "X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Host: evil\r\n"
                    + "X-Forwarded-Port: 1\r\nX-Forwarded-Prefix: /evil\r\nForwarded: for=6.6.6.6;proto=https\r\n";

    private ReceivedRequest get(String fields) throws IOException {
        return forwarded("GET /x HTTP/1.1\r\nHost: a:81\r\n" + fields + "\r\n");
    }

    /** What a client sent, as another gateway forwards it. */
    private ReceivedRequest get(GatewayFixture other, String fields) throws IOException {
        try (RawClient client = other.connect()) {
            client.send("GET /x HTTP/1.1\r\nHost: a:81\r\n" + fields + "\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            return upstream.requests().getLast();
        }
    }

    /** RFC 9110 section 7.6.1: what is for one connection goes no further. */
    @Test
    void hopByHopFieldsAreRemoved() throws IOException {
        ReceivedRequest seen = get("Keep-Alive: timeout=5\r\nProxy-Connection: keep-alive\r\nProxy-Authorization: x\r\n"
                + "TE: trailers, gzip\r\nTrailer: X-A\r\nUpgrade: h2c\r\nHTTP2-Settings: x\r\nConnection: keep-alive\r\n"
                + "X-Stays: 1\r\nCookie: a=b\r\n");
        assertThat(seen.headers().names())
                .containsExactlyInAnyOrder(
                        "Host",
                        "X-Stays",
                        "Cookie",
                        "X-Forwarded-For",
                        "X-Forwarded-Proto",
                        "X-Forwarded-Port",
                        "X-Forwarded-Host",
                        "Forwarded",
                        "Via");
    }

    /** RFC 9110 section 7.6.1: and what Connection names, in any letter case, in several lines, between empty elements. */
    @Test
    void fieldsThatConnectionNamesAreRemoved() throws IOException {
        ReceivedRequest seen =
                get("X-First: 1\r\nconnection: X-Hop,, x-other-hop ,\r\nX-HOP: 1\r\nX-Hop: 2\r\nX-Stays: 1\r\n"
                        + "Connection:keep-alive\r\nConnection: X-First\r\nX-Other-Hop: 3\r\nX-Hop-Not: 1\r\n");
        assertThat(seen.headers().names()).contains("X-Stays", "X-Hop-Not");
        assertThat(seen.headers().names().stream().map(String::toLowerCase))
                .doesNotContain("x-hop", "x-other-hop", "x-first", "connection");
    }

    /** Each option is looked for among all fields: no more of them are taken than a sender can mean. */
    @Test
    void connectionOptionsAreLimited() throws IOException {
        assertThat(get("Connection: " + "x,".repeat(60) + "\r\nConnection:" + "y,".repeat(40) + "\r\nX: 1\r\n")
                        .headers()
                        .has("X"))
                .isFalse();
        refused(
                400,
                "GET /attack HTTP/1.1\r\nHost: a\r\nConnection: " + "x,".repeat(60) + "\r\nConnection:"
                        + "y,".repeat(41) + "\r\n\r\n");
    }

    /** Who reads fields as variables, as CGI does, can't tell these from the ones that Sigma writes: they go no further. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "X_Forwarded_For",
                "x_forwarded_for",
                "X-Forwarded_For",
                "X_Forwarded-Proto",
                "X_Forwarded_Host",
                "X_Forwarded_Port",
                "x_forwarded_prefix"
            })
    void forwardingFieldsWithUnderscoresAreRemoved(String name) throws IOException {
        ReceivedRequest seen = get(name + ": 6.6.6.6\r\nX_Other: 1\r\n");
        assertThat(seen.headers().has(name)).isFalse();
        assertThat(seen.headers().values("X-Forwarded-For")).containsExactly("127.0.0.1");
        assertThat(seen.header("X_Other")).isEqualTo("1");
    }

    /** What is needed to deliver or to judge a request can't be named away. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "Host",
                "Authorization",
                "Content-Length",
                "Via",
                "close, Host",
                "authorization,content-length,host"
            })
    void protectedFieldsCanNotBeNamedAway(String named) throws IOException {
        ReceivedRequest seen = forwarded("POST /x HTTP/1.1\r\nHost: a\r\nConnection: " + named
                + "\r\nAuthorization: Basic eA==\r\nVia: 1.1 before\r\nContent-Length: 2\r\n\r\nab");
        assertThat(seen.header("Host")).isEqualTo("a");
        assertThat(seen.header("Authorization")).isEqualTo("Basic eA==");
        assertThat(seen.headers().values("Via")).hasSize(2).first().isEqualTo("1.1 before");
        assertThat(seen.bodyText()).isEqualTo("ab");
    }

    /** Nor the fields that say where a request comes from. */
    @Test
    void forwardingFieldsOfATrustedProxyCanNotBeNamedAway() throws IOException {
        try (GatewayFixture trusting = trusting(AllowForward.ALL)) {
            ReceivedRequest seen = get(
                    trusting,
                    SAYS
                            + "Connection: X-Forwarded-For, Forwarded, X-Forwarded-Proto, X-Forwarded-Host, X-Forwarded-Port\r\n");
            assertThat(seen.header("X-Forwarded-For")).isEqualTo("6.6.6.6, 127.0.0.1");
            assertThat(seen.header("X-Forwarded-Proto")).isEqualTo("https");
            assertThat(seen.header("X-Forwarded-Host")).isEqualTo("evil");
        }
    }

    /** The same on the way back; Proxy-Authenticate stays (RFC 9110 section 11.7.1). */
    @Test
    void hopByHopFieldsOfResponsesAreRemoved() throws IOException {
        next = Answer.ok("x")
                .header("Connection", "keep-alive, X-Hop")
                .header("Keep-Alive", "timeout=60")
                .header("X-Hop", "1")
                .header("Upgrade", "h2c")
                .header("Proxy-Connection", "keep-alive")
                .header("Proxy-Authenticate", "Basic")
                .header("Set-Cookie", "a=b")
                .header("Set-Cookie", "c=d")
                .header("Server", "node");
        RawResponse response = exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.headers().names())
                .containsExactlyInAnyOrder(
                        "Proxy-Authenticate", "Set-Cookie", "Set-Cookie", "Server", "Content-Length", "Via", "Date");
        assertThat(response.headers().values("Set-Cookie")).containsExactly("a=b", "c=d");
    }

    /** RFC 9110 section 5.3: order, letter case and repetition of other fields are kept. */
    @Test
    void otherFieldsStayAsTheyAre() throws IOException {
        ReceivedRequest seen =
                get("x-LoWeR: 1\r\nAccept: a/b\r\nX-Multi: 1\r\nAccept: c/d\r\nx-multi: 2\r\nX_Under: 3\r\n");
        assertThat(seen.headers().all().subList(0, 7))
                .containsExactly(
                        new Header("Host", "a:81"),
                        new Header("x-LoWeR", "1"),
                        new Header("Accept", "a/b"),
                        new Header("X-Multi", "1"),
                        new Header("Accept", "c/d"),
                        new Header("x-multi", "2"),
                        new Header("X_Under", "3"));
    }

    /** RFC 9110 section 7.6.3: each message says what it passed, and in which version it came. */
    @Test
    void viaIsWrittenBothWays() throws IOException {
        next = Answer.ok("x").header("Via", "1.0 behind");
        RawResponse response = exchange("GET /next HTTP/1.1\r\nHost: a\r\nVia: 1.0 before, 1.1 other\r\n\r\n");
        ReceivedRequest seen = upstream.requests().getLast();
        assertThat(seen.headers().values("Via")).hasSize(2);
        assertThat(seen.headers().values("Via").getFirst()).isEqualTo("1.0 before, 1.1 other");
        assertThat(seen.headers().values("Via").getLast()).matches("1\\.1 sigma-[0-9a-f]{8}");
        assertThat(response.headers().values("Via").getFirst()).isEqualTo("1.0 behind");
        assertThat(response.headers().values("Via").getLast()).matches("1\\.1 sigma-[0-9a-f]{8}");
        next = Answer.ok("x").http10();
        response = exchange("GET /next HTTP/1.0\r\n\r\n");
        assertThat(upstream.requests().getLast().header("Via")).startsWith("1.0 sigma-");
        assertThat(response.header("Via")).startsWith("1.0 sigma-");
    }

    /** RFC 9110 section 7.6.3: a request that passed here too often goes in a loop. */
    @Test
    void loopsAreDetected() throws IOException {
        String via = Objects.requireNonNull(get("").header("Via"));
        assertThat(get("Via: " + String.join(", ", Collections.nCopies(7, via)) + "\r\n")
                        .header("Via"))
                .isNotNull();
        refused(508, "GET /attack HTTP/1.1\r\nHost: a\r\n" + ("Via: " + via + "\r\n").repeat(8) + "\r\n");
        refused(
                508,
                "GET /attack HTTP/1.1\r\nHost: a\r\nConnection: Via\r\nVia: "
                        + String.join(",", Collections.nCopies(8, via)) + "\r\n\r\n");
    }

    /** A gateway that is its own node. */
    @Test
    void aRealLoopEnds() throws IOException {
        int port = FreePorts.one();
        try (GatewayFixture loop = GatewayFixture.toPorts(port).port(port).start();
                RawClient client = loop.connect()) {
            assertThat(client.send("GET /attack HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .status())
                    .isEqualTo(508);
        }
    }

    /** Of a peer that isn't trusted nothing is believed: all is written anew. */
    @Test
    void untrustedPeersAreNotBelieved() throws IOException {
        ReceivedRequest seen = get(SAYS);
        assertThat(seen.headers().values("X-Forwarded-For")).containsExactly("127.0.0.1");
        assertThat(seen.headers().values("X-Forwarded-Proto")).containsExactly("http");
        assertThat(seen.headers().values("X-Forwarded-Host")).containsExactly("a:81");
        assertThat(seen.headers().values("X-Forwarded-Port")).containsExactly("" + gateway.port());
        assertThat(seen.headers().has("X-Forwarded-Prefix")).isFalse();
        assertThat(seen.headers().values("Forwarded")).containsExactly("for=127.0.0.1;proto=http;host=\"a:81\"");
        try (GatewayFixture elsewhere = GatewayFixture.to(upstream)
                .allowForward(AllowForward.ALL, "10.0.0.0/8")
                .start()) {
            assertThat(get(elsewhere, SAYS).headers().values("X-Forwarded-For")).containsExactly("127.0.0.1");
        }
        try (GatewayFixture deaf = trusting(AllowForward.NONE)) {
            assertThat(get(deaf, SAYS).headers().values("X-Forwarded-For")).containsExactly("127.0.0.1");
        }
    }

    /**
     * A trusted proxy is believed in the kind that the router believes, and what it says is extended. The other kind is left
     * out: begun anew, it would name the proxy as the client.
     */
    @ParameterizedTest
    @CsvSource({
        "X_FORWARD,'6.6.6.6, 127.0.0.1',https,evil,1,/evil,",
        "FORWARD,,,,,,'for=6.6.6.6;proto=https, for=127.0.0.1;proto=http;host=\"a:81\"'",
        "ALL,'6.6.6.6, 127.0.0.1',https,evil,1,/evil,'for=6.6.6.6;proto=https, for=127.0.0.1;proto=http;host=\"a:81\"'"
    })
    void trustedProxiesAreBelieved(ArgumentsAccessor expected) throws IOException {
        AllowForward allow = AllowForward.valueOf(expected.getString(0));
        try (GatewayFixture trusting = trusting(allow)) {
            ReceivedRequest seen = get(trusting, SAYS);
            assertThat(seen.headers().values("X-Forwarded-For")).isEqualTo(atMostOne(expected.getString(1)));
            assertThat(seen.headers().values("X-Forwarded-Proto")).isEqualTo(atMostOne(expected.getString(2)));
            assertThat(seen.headers().values("X-Forwarded-Host")).isEqualTo(atMostOne(expected.getString(3)));
            assertThat(seen.headers().values("X-Forwarded-Port")).isEqualTo(atMostOne(expected.getString(4)));
            assertThat(seen.headers().values("X-Forwarded-Prefix")).isEqualTo(atMostOne(expected.getString(5)));
            assertThat(seen.headers().values("Forwarded")).isEqualTo(atMostOne(expected.getString(6)));
            seen = get(trusting, "");
            assertThat(seen.headers().values("X-Forwarded-For")).containsExactly("127.0.0.1");
            assertThat(seen.headers().values("X-Forwarded-Host")).containsExactly("a:81");
            assertThat(seen.headers().values("Forwarded")).containsExactly("for=127.0.0.1;proto=http;host=\"a:81\"");
        }
    }

    private static List<String> atMostOne(@Nullable String value) {
        return value == null ? List.of() : List.of(value);
    }

    /** Also where both kinds are believed, but the client comes with one. */
    @Test
    void oneHistoryIsNotContradicted() throws IOException {
        try (GatewayFixture trusting = trusting(AllowForward.ALL)) {
            ReceivedRequest seen = get(trusting, "X-Forwarded-For: 1.1.1.1\r\n");
            assertThat(seen.headers().values("X-Forwarded-For")).containsExactly("1.1.1.1, 127.0.0.1");
            assertThat(seen.headers().values("X-Forwarded-Host")).containsExactly("a:81");
            assertThat(seen.headers().has("Forwarded")).isFalse();
            seen = get(trusting, "Forwarded: for=1.1.1.1\r\n");
            assertThat(seen.headers().has("X-Forwarded-For")).isFalse();
            assertThat(seen.header("Forwarded")).isEqualTo("for=1.1.1.1, for=127.0.0.1;proto=http;host=\"a:81\"");
        }
    }

    /** RFC 9110 section 5.3: several lines of a list are one list. */
    @Test
    void severalLinesAreJoined() throws IOException {
        try (GatewayFixture trusting = trusting(AllowForward.ALL)) {
            ReceivedRequest seen = get(
                    trusting,
                    "X-Forwarded-For: 1.1.1.1\r\nx-forwarded-for: 2.2.2.2,3.3.3.3\r\nX-Forwarded-For:\r\n"
                            + "Forwarded: for=1.1.1.1\r\nForwarded: for=\"[::1]\"\r\n");
            assertThat(seen.headers().values("X-Forwarded-For")).containsExactly("1.1.1.1, 2.2.2.2,3.3.3.3, 127.0.0.1");
            assertThat(seen.header("Forwarded"))
                    .isEqualTo("for=1.1.1.1, for=\"[::1]\", for=127.0.0.1;proto=http;host=\"a:81\"");
        }
    }

    /** Only its own address tells who a peer is. */
    @Test
    void trustIsByThePeersAddress() throws IOException {
        try (GatewayFixture picky = GatewayFixture.to(upstream)
                        .allowForward(AllowForward.ALL, "127.0.0.5")
                        .start();
                RawClient trusted = picky.connect(ClientOptions.defaults().withLocalHost("127.0.0.5"));
                RawClient other = picky.connect(ClientOptions.defaults().withLocalHost("127.0.0.6"))) {
            trusted.send("GET /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 9.9.9.9\r\n\r\n")
                    .readResponse();
            assertThat(upstream.requests().getLast().header("X-Forwarded-For")).isEqualTo("9.9.9.9, 127.0.0.5");
            other.send("GET /x HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 127.0.0.5\r\n\r\n")
                    .readResponse();
            assertThat(upstream.requests().getLast().header("X-Forwarded-For")).isEqualTo("127.0.0.6");
        }
    }

    /** A client of HTTP/1.0 without Host: nothing is said about the host that it didn't name. */
    @Test
    void noHostIsNoForwardedHost() throws IOException {
        ReceivedRequest seen = forwarded("GET /x HTTP/1.0\r\n\r\n");
        assertThat(seen.header("Host")).isEqualTo("127.0.0.1:" + upstream.port());
        assertThat(seen.headers().has("X-Forwarded-Host")).isFalse();
        assertThat(seen.header("Forwarded")).isEqualTo("for=127.0.0.1;proto=http");
    }

    private GatewayFixture trusting(AllowForward allow) {
        return GatewayFixture.to(upstream).allowForward(allow, "127.0.0.0/8").start();
    }

    /** RFC 9110 section 7.2: the client's Host goes on, or the node's own where the proxy-pass says so. */
    @Test
    void hostIsKeptOrTheNodesOwn() throws IOException {
        assertThat(get("").headers().values("Host")).containsExactly("a:81");
        try (GatewayFixture own =
                GatewayFixture.to(upstream).proxyPass("preserveHost", false).start()) {
            ReceivedRequest seen = get(own, "");
            assertThat(seen.headers().values("Host")).containsExactly("127.0.0.1:" + upstream.port());
            assertThat(seen.header("X-Forwarded-Host")).isEqualTo("a:81");
            try (RawClient client = own.connect()) {
                client.send("GET http://b/x HTTP/1.1\r\nHost: a\r\n\r\n").readResponse();
                assertThat(upstream.requests().getLast().headers().values("Host"))
                        .containsExactly("127.0.0.1:" + upstream.port());
            }
        }
    }

    /** RFC 9112 section 3.2.2: an absolute target's authority is the Host that goes on, once. */
    @Test
    void absoluteTargetMakesTheHost() throws IOException {
        ReceivedRequest seen = forwarded("GET http://b:82/x?y HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(seen.target()).isEqualTo("/x?y");
        assertThat(seen.headers().values("Host")).containsExactly("b:82");
        assertThat(seen.header("X-Forwarded-Host")).isEqualTo("b:82");
        seen = forwarded("GET http://b/x HTTP/1.0\r\n\r\n");
        assertThat(seen.headers().values("Host")).containsExactly("b");
    }

    /** RFC 9112 section 3.2.4: the server as a whole; also written as an absolute target without path. */
    @Test
    void optionsOfTheServer() throws IOException {
        for (String route : new String[] {"*", "/*"}) {
            optionsOfTheServer(route);
        }
        try (GatewayFixture below =
                        GatewayFixture.to(upstream).route("/a/*").route("/").start();
                RawClient client = below.connect()) {
            // No path: a route of some paths doesn't match it.
            client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(404);
        }
    }

    private void optionsOfTheServer(String route) throws IOException {
        try (GatewayFixture all = GatewayFixture.to(upstream).route(route).start();
                RawClient client = all.connect()) {
            client.send("OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(upstream.requests().getLast().head()).startsWith("OPTIONS * HTTP/1.1\r\nHost: a\r\n");
            client.send("OPTIONS http://b HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(upstream.requests().getLast().head()).startsWith("OPTIONS * HTTP/1.1\r\nHost: b\r\n");
            client.send("OPTIONS http://b/ HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(upstream.requests().getLast().target()).isEqualTo("/");
            client.send("OPTIONS http://b?x HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(upstream.requests().getLast().target()).isEqualTo("/?x");
        }
    }

    /** RFC 9110 section 7.6.2: each proxy on the way counts, and the last one answers; where it isn't a number it says nothing. */
    @ParameterizedTest
    @CsvSource({"5,4", "1,0", "010,9", "x,x", "-1,-1", "99999999999,99999999999"})
    void maxForwardsAreCounted(String value, String left) throws IOException {
        ReceivedRequest seen = forwarded("OPTIONS /x HTTP/1.1\r\nHost: a\r\nMax-Forwards: " + value + "\r\n\r\n");
        assertThat(seen.headers().values("Max-Forwards")).containsExactly(left);
        assertThat(get("Max-Forwards: " + value + "\r\n").headers().values("Max-Forwards"))
                .containsExactly(value);
    }

    /** RFC 9110 section 7.6.2: none left. */
    @Test
    void noForwardsAreLeft() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send("OPTIONS /attack HTTP/1.1\r\nHost: a\r\nMax-Forwards: 0\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(204);
            assertThat(client.send("GET /x HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .bodyText())
                    .isEqualTo("/x");
        }
    }

    /** RFC 9110 section 6.6.1: a response has a Date, the node's where it has one. */
    @Test
    void dateIsAddedWhereItIsMissing() throws IOException {
        String date = "Tue, 15 Nov 1994 08:12:31 GMT";
        next = Answer.ok("x").header("Date", date);
        assertThat(exchange("GET /next HTTP/1.1\r\nHost: a\r\n\r\n").headers().values("Date"))
                .containsExactly(date);
        RawResponse response = exchange("GET /x HTTP/1.1\r\nHost: a\r\n\r\n");
        Instant added = ZonedDateTime.parse(response.header("Date"), DateTimeFormatter.RFC_1123_DATE_TIME)
                .toInstant();
        assertThat(Duration.between(added, Instant.now()).abs()).isLessThan(Duration.ofSeconds(5));
    }
}
