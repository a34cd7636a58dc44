package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.Header;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.RawServer;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Nodes that speak HTTP/2: here another gateway, before an upstream that speaks HTTP/1.1. */
class Http2NodesTest {
    private static final Answer CUT = Answer.ok("0123456789");
    private static final String SETTINGS = "\0\0\0\4\0\0\0\0\0";
    private static final String SETTINGS_OF_ONE_STREAM = "\0\0\6\4\0\0\0\0\0\0\3\0\0\0\1";
    /** GOAWAY: streams up to the first one are answered. */
    private static final String GOODBYE_AFTER_THE_FIRST = "\0\0\10\7\0\0\0\0\0\0\0\0\1\0\0\0\0";
    /** 200 and {@code content-length: 5}. */
    private static final String HEAD_WITH_LENGTH = "\0\0\5\1\4\0\0\0\1\u0088\17\r\0015";

    private static final String DATA_OF_FIVE = "\0\0\5\0\0\0\0\0\1hello";
    /** {@code x-end: 0}. */
    private static final String TRAILERS = "\0\0\11\1\5\0\0\0\1\0\5x-end\0010";

    private volatile Step next = Answer.ok("");
    private final ScriptedUpstream upstream =
            ScriptedUpstream.startOnHead(request -> request.target().startsWith("/next")
                    ? next
                    : Script.script().readBody().respond(Answer.ok(request.target())));
    private final GatewayFixture node =
            GatewayFixture.to(upstream).http2Limit("streamsMax", 20).start();
    private final GatewayFixture gateway =
            GatewayFixture.toPorts(node.port()).http2Nodes().start();

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL) + node.faults(Fault.INTERNAL);
        gateway.close();
        node.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    private RawResponse ask(String request) throws IOException {
        try (RawClient client = RawClient.connect(gateway.port())) {
            return client.send(request).readResponse();
        }
    }

    @Test
    void requestsOfHttp11BecomeStreams() throws IOException {
        RawResponse response =
                ask("GET /a?b=c HTTP/1.1\r\nHost: a.example\r\nX-One: 1\r\nConnection: X-Hop\r\nX-Hop: 1\r\n\r\n");
        assertThat(response.status()).isEqualTo(200);
        assertThat(response.bodyText()).isEqualTo("/a?b=c");
        assertThat(response.header("Content-Length")).isEqualTo("6");
        ReceivedRequest seen = upstream.requests().getLast();
        assertThat(seen.header("Host")).isEqualTo("a.example");
        assertThat(seen.header("X-One")).isEqualTo("1");
        assertThat(seen.headers().has("X-Hop")).isFalse();
        assertThat(seen.headers().values("Via")).hasSize(2);
        assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(1);
    }

    @Test
    void bodiesAndTrailersPassBothWays() throws IOException {
        next = Script.script().readBody().respond(Answer.ok("done").chunked(3).trailer("X-End", "node"));
        RawResponse response = ask("POST /next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                + "5\r\nhello\r\n0\r\nX-End: client\r\n\r\n");
        assertThat(response.bodyText()).isEqualTo("done");
        assertThat(response.trailers().first("X-End")).isEqualTo("node");
        assertThat(upstream.requests().getLast().bodyText()).isEqualTo("hello");
        assertThat(upstream.requests().getLast().trailers().first("X-End")).isEqualTo("client");
    }

    /** A body of known length may be followed by trailers too, where its client takes them: calls of gRPC end so. */
    @Test
    void trailersFollowABodyOfKnownLength() throws IOException {
        try (RawServer nodes = RawServer.start();
                GatewayFixture before =
                        GatewayFixture.toPorts(nodes.port()).http2Nodes().start();
                Http2Client client = Http2Client.connect(before)) {
            client.request(1, true, "POST", "/call", "te", "trailers");
            try (RawClient node = nodes.accept()) {
                node.send(SETTINGS + HEAD_WITH_LENGTH + DATA_OF_FIVE + TRAILERS);
                Frame head = client.await(Http2Client.HEADERS);
                assertThat(client.fields(head)).containsEntry("content-length", "5");
                assertThat(client.await(Http2Client.DATA).has(Http2Client.END_STREAM))
                        .isFalse();
                Frame end = client.await(Http2Client.HEADERS);
                assertThat(client.fields(end)).containsEntry("x-end", "0");
                assertThat(end.has(Http2Client.END_STREAM)).isTrue();
            }
        }
    }

    @Test
    void trailersOfARequestFollowABodyOfKnownLength() throws IOException {
        try (RawServer nodes = RawServer.start();
                GatewayFixture before =
                        GatewayFixture.toPorts(nodes.port()).http2Nodes().start();
                Http2Client client = Http2Client.connect(before)) {
            client.request(1, false, "POST", "/call", "content-length", "5").data(1, false, "hello");
            client.headers(1, true, "x-end", "0");
            try (Http2Client node = Http2Client.node(nodes)) {
                assertThat(node.fields(node.await(Http2Client.HEADERS))).containsEntry("content-length", "5");
                assertThat(node.await(Http2Client.DATA).has(Http2Client.END_STREAM))
                        .isFalse();
                Frame end = node.await(Http2Client.HEADERS);
                assertThat(node.fields(end)).containsEntry("x-end", "0");
                assertThat(end.has(Http2Client.END_STREAM)).isTrue();
            }
        }
    }

    /** Clients of HTTP/1.1 can't send trailers there: the last byte is the end. */
    @Test
    void aBodyOfKnownLengthThatNoTrailersCanFollowEndsWithItsLastByte() throws IOException {
        try (RawServer nodes = RawServer.start();
                GatewayFixture before =
                        GatewayFixture.toPorts(nodes.port()).http2Nodes().start();
                RawClient client = RawClient.connect(before.port())) {
            client.send("POST /call HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            try (Http2Client node = Http2Client.node(nodes)) {
                assertThat(node.await(Http2Client.DATA).has(Http2Client.END_STREAM))
                        .isTrue();
            }
        }
    }

    /** A node whose answer ends with its head has no body, whatever it doesn't say of its length. */
    @Test
    void headsAloneEndWithTheirHead() throws IOException {
        next = Script.script().respond(Answer.ok(""));
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.get(1, "/next");
            Frame head = client.await(Http2Client.HEADERS);
            assertThat(client.fields(head)).containsEntry(":status", "200");
            assertThat(head.has(Http2Client.END_STREAM)).isTrue();
        }
        assertThat(ask("GET /next HTTP/1.1\r\nHost: a\r\n\r\n").header("Content-Length"))
                .isEqualTo("0");
    }

    @Test
    void headsAloneAndInterimResponsesPass() throws IOException {
        next = Script.script().interim(103, new Header("Link", "</a>")).respond(Answer.of(204));
        RawResponse response = ask("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
        assertThat(response.interim()).hasSize(1);
        assertThat(response.status()).isEqualTo(204);
        try (RawClient client = RawClient.connect(gateway.port())) {
            RawResponse head =
                    client.send("HEAD /length HTTP/1.1\r\nHost: a\r\n\r\n").readResponse("HEAD");
            assertThat(head.header("Content-Length")).isEqualTo("7");
            assertThat(client.send("GET /after HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .bodyText())
                    .isEqualTo("/after");
        }
    }

    /** The stream of an exchange that failed is another one's only when the first has let go of it. */
    @Test
    void aStreamThatFailsHarmsNoOtherRequest() throws IOException {
        Gate gate = new Gate();
        try (GatewayFixture narrow =
                        GatewayFixture.to(upstream).http2Limit("streamsMax", 1).start();
                GatewayFixture before = oneConnection(narrow).start();
                RawClient first = RawClient.connect(before.port());
                RawClient second = RawClient.connect(before.port())) {
            assertThat(second.send("GET /warm HTTP/1.1\r\nHost: a\r\n\r\n")
                            .readResponse()
                            .bodyText())
                    .isEqualTo("/warm");
            next = Script.script()
                    .stall(gate)
                    .sendCut(CUT, CUT.bytes().length - 5)
                    .close();
            first.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            upstream.awaitHeads(2);
            second.send("GET /other HTTP/1.1\r\nHost: a\r\n\r\n");
            Await.until("it waits", () -> before.count(Counter.REQUESTS_IN_FLIGHT) == 2);
            gate.release();
            assertThat(second.readResponse().bodyText()).isEqualTo("/other");
        }
    }

    private static GatewayBuilder oneConnection(GatewayFixture to) {
        return GatewayFixture.toPorts(to.port()).http2Nodes().client("maxPoolSizePerServer", 1);
    }

    @Test
    void noMoreWaitForStreamsThanMay() throws IOException {
        Gate gate = new Gate();
        List<RawClient> clients = new ArrayList<>();
        try (GatewayFixture narrow =
                        GatewayFixture.to(upstream).http2Limit("streamsMax", 1).start();
                GatewayFixture before =
                        oneConnection(narrow).client("maxWaitQueue", 2).start()) {
            next = Script.script().stall(gate).respond(Answer.ok("done"));
            for (int i = 0; i < 6; i++) {
                RawClient client = RawClient.connect(before.port());
                clients.add(client);
                client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
                upstream.awaitHeads(1);
            }
            Await.until("those that are too many", () -> before.faults(Fault.POOL_OVERFLOW) == 3);
            gate.release();
            for (RawClient client : clients) {
                client.readResponse();
            }
            assertThat(before.faults(Fault.POOL_OVERFLOW)).isEqualTo(3);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }

    /** One that the node didn't look at goes elsewhere, whatever its method, and with its body. */
    @Test
    void bodiesGoAgainWhereTheNodeDidNotLookAtThem() throws IOException {
        Gate gate = new Gate();
        next = Script.script().readBody().stall(gate).respond(Answer.ok("done"));
        try (GatewayFixture full = GatewayFixture.to(upstream)
                        .http2Limit("streamsTotalMax", 1)
                        .start();
                GatewayFixture before = GatewayFixture.toPorts(full.port(), node.port())
                        .http2Nodes()
                        .start();
                Http2Client client = Http2Client.connect(before)) {
            for (int stream = 1; stream <= 11; stream += 2) {
                client.request(stream, false, "POST", "/next").data(stream, true, "a body");
            }
            upstream.awaitHeads(6);
            gate.release();
            for (int i = 0; i < 6; i++) {
                assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "200");
            }
            assertThat(full.count(Counter.HTTP2_STREAMS_REFUSED)).isPositive();
            assertThat(upstream.requests())
                    .hasSize(6)
                    .allMatch(seen -> seen.bodyText().equals("a body"));
        }
    }

    @Test
    void largeBodiesPassBothWays() throws IOException {
        byte[] down = new byte[4_000_000];
        next = Script.script().readBody().respond(Answer.of(200).body(down));
        byte[] up = new byte[2_000_000];
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/next");
            new FlowControlledUpload(client, 1, up).run();
            assertThat(client.response(1).body()).hasSize(down.length);
            assertThat(upstream.requests().getLast().bodyBytes()).isEqualTo(up.length);
        }
    }

    /** One connection carries what the node takes at once; for more there is another one, or they wait. */
    @Test
    void manyRequestsShareConnections() throws IOException {
        int count = 50;
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(200, "late");
        List<RawClient> clients = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            RawClient client = RawClient.connect(gateway.port());
            client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            clients.add(client);
        }
        upstream.awaitHeads(count);
        gate.release();
        for (RawClient client : clients) {
            assertThat(client.readResponse().status()).isEqualTo(200);
            client.close();
        }
        assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isBetween(2L, 5L);
    }

    @Test
    void anAnswerThatIsCutIsCut() throws IOException {
        next = Script.script().sendCut(CUT, CUT.bytes().length - 5).close();
        try (Http2Client client = Http2Client.connect(gateway)) {
            assertThat(client.get(1, "/next").response(1).reset()).isEqualTo(Http2Error.INTERNAL_ERROR.code());
        }
    }

    @Test
    void aClientThatGoesAwayIsGoneForTheNode() throws IOException {
        next = Script.script().awaitPeerClose();
        try (RawClient client = RawClient.connect(gateway.port())) {
            client.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            upstream.awaitHeads(1);
            client.reset();
        }
        upstream.awaitClosed(upstream.requests().getLast().connection());
        // The connection goes on.
        assertThat(ask("GET /after HTTP/1.1\r\nHost: a\r\n\r\n").bodyText()).isEqualTo("/after");
        assertThat(node.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(1);
    }

    /** While a stream of the connection that ends goes on, another one is opened for who waits, though one is all that there may be. */
    @Test
    void whoWaitsForAStreamGetsOneWhereTheNodeSaysGoodbye() throws IOException {
        try (RawServer raw = RawServer.start();
                GatewayFixture before = GatewayFixture.toPorts(raw.port())
                        .http2Nodes()
                        .client("maxPoolSizePerServer", 1)
                        .client("waitTimeoutNanos", Duration.ofMinutes(1))
                        .start();
                RawClient first = RawClient.connect(before.port());
                RawClient second = RawClient.connect(before.port())) {
            first.send("GET /a HTTP/1.1\r\nHost: a\r\n\r\n");
            try (RawClient going = raw.accept()) {
                going.send(SETTINGS_OF_ONE_STREAM);
                awaitAcknowledged(going);
                second.send("GET /b HTTP/1.1\r\nHost: a\r\n\r\n");
                Await.until(
                        "it waits", () -> before.counters().pools().getFirst().waiting() == 1);
                going.send(GOODBYE_AFTER_THE_FIRST);
                raw.accept().close();
            }
        }
    }

    private static void awaitAcknowledged(RawClient node) throws IOException {
        node.readExactly(24);
        boolean acknowledged = false;
        while (!acknowledged) {
            byte[] frame = node.readExactly(9);
            node.readExactly(Byte.toUnsignedInt(frame[1]) << 8 | Byte.toUnsignedInt(frame[2]));
            acknowledged = frame[3] == Http2Client.SETTINGS && frame[4] == 1;
        }
    }

    /** A node that says goodbye costs nobody a request, whatever its method. */
    @Test
    void requestsThatTheNodeDidNotLookAtAreSentAgain() throws IOException {
        GatewayFixture short2 =
                GatewayFixture.to(upstream).limit("requestsPerConnectionMax", 3).start();
        GatewayFixture front =
                GatewayFixture.toPorts(short2.port()).http2Nodes().start();
        try (short2;
                front;
                RawClient client = RawClient.connect(front.port())) {
            for (int i = 0; i < 40; i++) {
                String body = "POST /x" + i + " HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi";
                assertThat(client.send(body).readResponse().bodyText()).isEqualTo("/x" + i);
            }
            assertThat(short2.count(Counter.HTTP2_CONNECTIONS)).isGreaterThan(5);
            assertThat(upstream.requestCount()).isEqualTo(40);
        }
    }

    @Test
    void aNodeThatIsStoppedIsTriedNoMore() throws IOException {
        assertThat(ask("GET /a HTTP/1.1\r\nHost: a\r\n\r\n").status()).isEqualTo(200);
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(200, "late");
        try (RawClient waiting = RawClient.connect(gateway.port())) {
            waiting.send("GET /next HTTP/1.1\r\nHost: a\r\n\r\n");
            upstream.awaitHeads(2);
            Thread stopping = Thread.ofVirtual().start(() -> node.drain(Duration.ofSeconds(10)));
            gate.release();
            assertThat(waiting.readResponse().status()).isEqualTo(200);
            stopping.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        assertThat(ask("GET /b HTTP/1.1\r\nHost: a\r\n\r\n").status()).isIn(502, 503, 504);
    }
}
