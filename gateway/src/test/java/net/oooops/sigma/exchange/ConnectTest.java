package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.config.ValueMatch;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawHead;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** CONNECT where a route names it (RFC 9110 section 9.3.6): handed on to a node, which is a proxy itself. */
class ConnectTest {
    private static final String ASK = "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n"
            + "Proxy-Authorization: Basic YTpi\r\nProxy-Connection: keep-alive\r\nX-One: 1\r\n\r\n";
    private static final String AGREED = "HTTP/1.1 200 Connection established\r\nVia: 1.1 node\r\n\r\n";

    private final RawServer nodes = RawServer.start();
    private GatewayFixture gateway = builder().start();

    private void restart(GatewayBuilder builder) {
        gateway.close();
        gateway = builder.start();
    }

    private GatewayBuilder builder() {
        return GatewayFixture.toPorts(nodes.port())
                .route("/*", List.of("CONNECT"))
                .route("/pages/*");
    }

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        nodes.close();
        assertThat(ownFaults).isZero();
    }

    @Test
    void bytesPassBothWaysOnceTheNodeAgrees() throws IOException {
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ASK, AGREED)) {
            assertThat(ends.request())
                    .startsWith("CONNECT other.example:443 HTTP/1.1\r\n")
                    .containsOnlyOnce("\r\nHost: other.example:443\r\n")
                    .containsOnlyOnce("\r\nProxy-Authorization: Basic YTpi\r\n")
                    .contains("\r\nX-One: 1\r\n", "\r\nX-Forwarded-For: 127.0.0.1\r\n", "\r\nVia: ")
                    .doesNotContain(
                            "Proxy-Connection", "Connection:", "Upgrade", "Content-Length", "Transfer-Encoding");
            RawHead answer = ends.answer();
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.headers().values("Via")).hasSize(2);
            assertThat(answer.headers().names()).doesNotContain("Connection", "Content-Length", "Transfer-Encoding");
            ends.pass("\u0016\u0003\u0001 hello");
            ends.pass("GET / HTTP/1.1\r\n\r\n");
            assertThat(gateway.count(Counter.TUNNELS)).isEqualTo(1);
            assertThat(gateway.count(Counter.TUNNELS_IN_FLIGHT)).isEqualTo(1);
        }
        Ask.count(gateway, Counter.TUNNELS_IN_FLIGHT, 0);
        Ask.quiet(gateway);
        assertThat(gateway.count(Counter.REQUESTS_2XX)).isEqualTo(1);
    }

    /** RFC 9110 section 9.3.6: they are ignored, even both at once. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n",
                "HTTP/1.1 299 Fine\r\nConnection: close, upgrade\r\nUpgrade: x\r\n\r\n",
                "HTTP/1.1 204 None\r\n\r\n",
                "HTTP/1.0 200 Connection established\r\n\r\n",
                "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"
            })
    void whatSuccessSaysOfABodyIsNotMeant(String answer) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send(answer + "0\r\n\r\nmore than that");
                RawHead head = client.readHead("CONNECT");
                if (head.status() == 103) {
                    head = client.readHead("CONNECT");
                }
                assertThat(head.status()).isBetween(200, 299);
                assertThat(head.headers().names())
                        .doesNotContain("Connection", "Upgrade", "Content-Length", "Transfer-Encoding");
                TunnelEnds.read(client, "0\r\n\r\nmore than that");
                client.send("and back");
                TunnelEnds.read(node, "and back");
            }
        }
    }

    /** What is no head is no agreement. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
                "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
                "HTTP/1.1 101 S\r\nConnection: upgrade\r\nUpgrade: websocket\r\n\r\n",
                "HTTP/1.1 407 No\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n"
            })
    void anAnswerThatCannotBeUnderstoodIs502(String answer) throws IOException {
        restart(builder().withoutRetries());
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send(answer);
                assertThat(client.readResponse("GET").status()).isEqualTo(502);
                client.expectCleanClose();
            }
        }
        assertThat(gateway.count(Counter.TUNNELS)).isZero();
    }

    /** What came behind the CONNECT may be anything: it is never read as a request. */
    @Test
    void anyOtherAnswerPassesAndIsTheLastOfTheConnection() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK + "GET /pages/smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send("HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"a\"\r\n"
                        + "Content-Length: 4\r\n\r\nwho?");
                RawResponse response = client.readResponse("GET");
                assertThat(response.status()).isEqualTo(407);
                assertThat(response.header("Proxy-Authenticate")).isEqualTo("Basic realm=\"a\"");
                assertThat(response.header("Connection")).isEqualTo("close");
                assertThat(response.bodyText()).isEqualTo("who?");
                client.expectCleanClose();
                node.expectSilence(Duration.ofMillis(50));
            }
        }
        Ask.quiet(gateway);
        assertThat(gateway.count(Counter.REQUESTS_4XX)).isEqualTo(1);
        assertThat(gateway.count(Counter.TUNNELS)).isZero();
    }

    @Test
    void whatTheClientSendsBehindItReachesTheNodeAfterTheAgreement() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK + "GET /pages/early HTTP/1.1\r\nHost: a\r\n\r\n");
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.expectSilence(Duration.ofMillis(50));
                node.send(AGREED + "at once");
                assertThat(client.readHead("CONNECT").status()).isEqualTo(200);
                TunnelEnds.read(client, "at once");
                TunnelEnds.read(node, "GET /pages/early HTTP/1.1\r\nHost: a\r\n\r\n");
            }
        }
    }

    @Test
    void clientsOfHttp10MayAskToo() throws IOException {
        String ask = "CONNECT other.example:443 HTTP/1.0\r\n\r\n";
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ask, AGREED)) {
            assertThat(ends.request()).contains("\r\nHost: other.example:443\r\n");
            ends.pass("hello");
        }
    }

    /** The target's authority counts, as beside an absolute target; the node's own never does. */
    @Test
    void theAuthorityIsThatOfTheTarget() throws IOException {
        restart(builder().proxyPass("preserveHost", false));
        String ask = "CONNECT [::1]:8443 HTTP/1.1\r\nHost: another.example\r\nContent-Length: 0\r\n\r\n";
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ask, AGREED)) {
            assertThat(ends.request())
                    .startsWith("CONNECT [::1]:8443 HTTP/1.1\r\n")
                    .contains("\r\nHost: [::1]:8443\r\n")
                    .doesNotContain("another.example", "Content-Length");
        }
    }

    /** Nothing but host and port, and no body: what two servers could read in two ways is refused. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT other.example HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT other.example: HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT other.example:0 HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT other.example:65536 HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT :443 HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT user@other.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT http://other.example:443 HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT other.example:443/x HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT other.example:443?x HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT /pages/x HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT * HTTP/1.1\r\nHost: a\r\n\r\n",
                "CONNECT other.example:443 HTTP/1.1\r\nHost: a b\r\n\r\n",
                "CONNECT other.example:443 HTTP/1.1\r\n\r\n",
                "CONNECT other.example:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
                "CONNECT other.example:443 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
                "CONNECT other.example:443 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\nContent-Length: 0\r\n\r\n"
            })
    void whatIsNoAuthorityOrHasABodyIsRefused(String request) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(request + "GET /pages/smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            assertThat(client.readResponse("GET").status()).isEqualTo(400);
            client.expectCleanClose();
        }
        assertThat(nodes.acceptsWithin(Duration.ofMillis(50))).isFalse();
    }

    /** A route for all methods doesn't take it, and where none names it all is as without this. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "CONNECT other.example:443 HTTP/1.1\r\nHost: other.example:443\r\n\r\n",
                "CONNECT other.example HTTP/1.1\r\nHost: a b\r\n\r\n",
                "CONNECT a:443 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello",
            })
    void itIsRefusedByDefault(String request) throws IOException {
        restart(GatewayFixture.toPorts(nodes.port()));
        try (RawClient client = gateway.connect()) {
            client.send(request + "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            RawResponse response = client.readResponse("GET");
            assertThat(response.status()).isEqualTo(405);
            assertThat(response.header("Allow")).contains("GET").doesNotContain("CONNECT");
            client.expectCleanClose();
        }
        assertThat(gateway.faults(Fault.METHOD_NOT_ALLOWED)).isEqualTo(1);
        assertThat(nodes.acceptsWithin(Duration.ofMillis(50))).isFalse();
    }

    @Test
    void itsHostChoosesTheRoute() throws IOException {
        restart(GatewayFixture.toPorts(nodes.port())
                .virtualHost("*.example")
                .route(new RouteConfig(
                        "tunnels",
                        "",
                        "/*",
                        List.of("CONNECT"),
                        List.of(),
                        List.of(),
                        List.of(new ValueMatch("X-One", ValueMatch.Kind.EXACT, "1")),
                        List.of(),
                        "pass",
                        List.of())));
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ASK, AGREED)) {
            ends.pass("hello");
        }
        for (String other : List.of(
                ASK.replace("other.example", "other.test"), ASK.replace("X-One: 1", "X-One: 2"), Ask.get("/x"))) {
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(other).readResponse("GET").status()).isEqualTo(405);
            }
        }
    }

    /** Success of anybody's but a node's would have the client send into nothing. */
    @Test
    void aPluginCannotAgree() throws IOException {
        Probe answering = Probe.probe().onRequest(_ -> Outcome.respond(Response.of(200)));
        restart(GatewayFixture.toPorts(nodes.port())
                .plugins(Probe.LOADER)
                .route("/*", List.of("CONNECT"), answering.config()));
        try (RawClient client = gateway.connect()) {
            assertThat(client.send(ASK).readResponse("GET").status()).isEqualTo(500);
            client.expectCleanClose();
        }
        assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
    }

    @Test
    void aPluginCannotMakeAgreementOfARefusal() throws IOException {
        Probe changing = Probe.probe().onResponse(exchange -> {
            if (exchange.fault() == null) {
                exchange.response().status(200);
            }
            return Outcome.CONTINUE;
        });
        restart(GatewayFixture.toPorts(nodes.port())
                .plugins(Probe.LOADER)
                .route("/*", List.of("CONNECT"), changing.config()));
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send("HTTP/1.1 407 No\r\nContent-Length: 4\r\n\r\nwh");
                assertThat(client.readResponse("GET").status()).isEqualTo(500);
                client.expectCleanClose();
                node.expectClosed();
            }
        }
    }

    @Test
    void anotherNodeIsAskedWhereOneCannotBeReached() throws IOException {
        int nobody;
        try (RawServer closed = RawServer.start()) {
            nobody = closed.port();
        }
        restart(GatewayFixture.toPorts(nobody, nodes.port()).route("/*", List.of("CONNECT")));
        for (int i = 0; i < 4; i++) {
            try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ASK, AGREED)) {
                ends.pass("hello " + i);
            }
        }
        assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isPositive();
    }

    /** It isn't idempotent: what was sent isn't sent again. */
    @Test
    void whatWasSentIsNotSentAgain() throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(ASK);
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.reset();
            }
            assertThat(client.readResponse("GET").status()).isEqualTo(502);
        }
        assertThat(nodes.acceptsWithin(Duration.ofMillis(50))).isFalse();
    }

    @Test
    void oneThatIsIdleIsCut() throws IOException {
        restart(builder().proxyPass("tunnel", new TunnelConfig(List.of(), 300_000_000L, 0)));
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ASK, AGREED)) {
            ends.client().expectReset();
            ends.node().expectReset();
            Ask.count(gateway, Counter.TUNNELS_IDLE_TIMEOUTS, 1);
        }
    }

    @Test
    void oneThatHasLastedAsLongAsItMayIsCut() throws IOException {
        restart(builder().proxyPass("tunnel", new TunnelConfig(List.of(), 60_000_000_000L, 300_000_000L)));
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ASK, AGREED)) {
            ends.pass("hello");
            ends.client().expectReset();
            Ask.faults(gateway, Fault.TUNNEL_EXPIRED, 1);
        }
    }

    /** The halves end by themselves, and what passes is no frame of anything. */
    @Test
    @Tag("plain") // Encrypted connections have no halves.
    void eachDirectionEndsByItself() throws IOException {
        try (TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ASK, AGREED)) {
            ends.client().send("\u0088\u0002last").halfClose();
            TunnelEnds.read(ends.node(), "\u0088\u0002last");
            ends.node().expectCleanClose();
            ends.node().send("answer").halfClose();
            TunnelEnds.read(ends.client(), "answer");
            ends.client().expectCleanClose();
        }
        Ask.quiet(gateway);
        assertThat(gateway.counters().faults().values()).allMatch(count -> count == 0);
    }
}
