package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import java.util.Random;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ListenerConfig.Http2;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.http2.Http2Client.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.Header;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Requests in HTTP/2, and the responses of nodes that speak HTTP/1.1 (RFC 9113 section 8). */
class Http2ExchangeTest {
    private static final Answer CUT = Answer.ok("0123456789");

    private volatile Step next = Answer.ok("");
    private final ScriptedUpstream upstream =
            ScriptedUpstream.startOnHead(request -> request.target().startsWith("/next")
                    ? next
                    : Script.script().readBody().respond(Answer.ok(request.target())));
    private final GatewayFixture gateway = GatewayFixture.to(upstream).start();

    @AfterEach
    void stop() {
        long ownFaults = gateway.faults(Fault.INTERNAL);
        gateway.close();
        upstream.close();
        assertThat(ownFaults).isZero();
    }

    @Test
    void requestsBecomeRequestsOfHttp11() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            Response response = client.get(
                            1, "/a?b=c", "user-agent", "x", "cookie", "a=1", "te", "trailers", "cookie", "b=2")
                    .response(1);
            assertThat(response.status()).isEqualTo(200);
            assertThat(response.text()).isEqualTo("/a?b=c");
            assertThat(response.head()).containsEntry("content-length", "6").containsKeys("date", "via");
            assertThat(response.head().keySet()).allMatch(name -> name.equals(name.toLowerCase(Locale.ROOT)));
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.header("Host")).isEqualTo("a.example");
            assertThat(seen.header("Cookie")).isEqualTo("a=1; b=2");
            assertThat(seen.header("Via")).startsWith("2.0 sigma-");
            assertThat(seen.header("X-Forwarded-Host")).isEqualTo("a.example");
            assertThat(seen.headers().has("TE")).isFalse();
            assertThat(seen.headers().has("Transfer-Encoding")).isFalse();
        }
    }

    @Test
    void manyRequestsShareAConnection() throws IOException {
        int count = 60;
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(200, "late");
        try (Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < count; i++) {
                client.get(1 + 2 * i, "/next/" + i);
            }
            upstream.awaitHeads(count);
            gate.release();
            int ended = 0;
            while (ended < count) {
                Frame frame = client.next();
                if (frame.type() == Http2Client.HEADERS) {
                    assertThat(client.fields(frame)).containsEntry(":status", "200");
                }
                ended += frame.type() <= Http2Client.HEADERS && frame.has(Http2Client.END_STREAM) ? 1 : 0;
            }
            assertThat(gateway.count(Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED)).isEqualTo(1);
            assertThat(gateway.count(Counter.HTTP2_CONNECTIONS)).isEqualTo(1);
        }
    }

    @Test
    void bodiesOfUnknownLengthAreChunkedForNodes() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/post").data(1, false, "hel").data(1, true, "lo");
            assertThat(client.response(1).text()).isEqualTo("/post");
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.header("Transfer-Encoding")).isEqualTo("chunked");
            assertThat(seen.bodyText()).isEqualTo("hello");
        }
    }

    @Test
    void bodiesOfKnownLengthKeepIt() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/post", "content-length", "5").data(1, true, "hello");
            assertThat(client.response(1).status()).isEqualTo(200);
            ReceivedRequest seen = upstream.requests().getLast();
            assertThat(seen.header("Content-Length")).isEqualTo("5");
            assertThat(seen.bodyText()).isEqualTo("hello");
        }
    }

    @Test
    void trailersPassBothWays() throws IOException {
        next = Script.script().readBody().respond(Answer.ok("done").chunked(4).trailer("X-End", "node"));
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/next").data(1, false, "hello").headers(1, true, "x-end", "client");
            Response response = client.response(1);
            assertThat(response.text()).isEqualTo("done");
            assertThat(response.trailers()).containsEntry("x-end", "node");
            assertThat(upstream.requests().getLast().trailers().first("X-End")).isEqualTo("client");
        }
    }

    @Test
    void interimResponsesPass() throws IOException {
        next = Script.script()
                .interim(103, new Header("Link", "</a>"))
                .interim(100)
                .readBody()
                .respond(200, "done");
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/next", "expect", "100-continue", "content-length", "2");
            Frame first = client.await(Http2Client.HEADERS);
            assertThat(client.fields(first)).containsEntry(":status", "103").containsEntry("link", "</a>");
            assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "100");
            client.data(1, true, "hi");
            assertThat(client.response(1).text()).isEqualTo("done");
        }
    }

    @Test
    void responsesWithoutBodyEndWithTheirHead() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            next = Script.script().respond(Answer.of(204));
            assertThat(client.get(1, "/next").response(1).head()).doesNotContainKey("content-length");
            next = Script.script().respond(Answer.of(304));
            assertThat(client.get(3, "/next").response(3).status()).isEqualTo(304);
            Response head = client.request(5, true, "HEAD", "/length").response(5);
            assertThat(head.head()).containsEntry("content-length", "7");
            assertThat(head.body()).isEmpty();
        }
    }

    @Test
    void largeBodiesPassBothWays() throws IOException {
        byte[] up = new byte[3_000_000];
        new Random(7).nextBytes(up);
        byte[] down = new byte[5_000_000];
        new Random(8).nextBytes(down);
        next = Script.script().readBody().respond(Answer.of(200).body(down));
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/next");
            new FlowControlledUpload(client, 1, up).run();
            Response response = client.response(1);
            assertThat(response.body()).isEqualTo(down);
            assertThat(upstream.requests().getLast().bodyBytes()).isEqualTo(up.length);
            assertThat(upstream.requests().getLast().bodySha256()).isEqualTo(sha256(up));
        }
    }

    /** A node may begin its answer before it has taken what there is of the request, and take the rest then. */
    @Test
    void bodiesGoOnBehindAnAnswerThatHasBegun() throws IOException {
        int frames = 12;
        byte[] up = new byte[5_000 * frames];
        new Random(9).nextBytes(up);
        Gate taking = new Gate();
        Script answer = Script.script()
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                .stall(taking)
                .readBody()
                .send("0\r\n\r\n");
        UpstreamOptions narrow = UpstreamOptions.defaults().withReceiveBufferBytes(4096);
        try (ScriptedUpstream node = ScriptedUpstream.startOnHead(narrow, _ -> answer);
                GatewayFixture slow = GatewayFixture.to(node)
                        .runtime("sendBufferBytes", 4096)
                        .limit("writeBufferBytesMax", 4096)
                        .start();
                Http2Client client = Http2Client.connect(slow)) {
            client.request(1, false, "POST", "/slow");
            for (int i = 0; i < frames; i++) {
                if (i == frames * 3 / 4) {
                    client.fields(client.await(Http2Client.HEADERS));
                }
                client.data(1, i == frames - 1, Arrays.copyOfRange(up, 5_000 * i, 5_000 * (i + 1)));
            }
            // Whoever is answered now has had all of it read.
            client.ping(1, false).await(Http2Client.PING);
            taking.release();
            assertThat(client.await(Http2Client.DATA).has(Http2Client.END_STREAM))
                    .isTrue();
            assertThat(node.requests().getLast().bodySha256()).isEqualTo(sha256(up));
        }
    }

    /** RFC 9113 section 6.9.2: it may send as much as holds where nothing is said, before it has heard of settings that say less. */
    @Test
    void aClientMayNotHaveHeardOfItsWindow() throws IOException {
        byte[] up = new byte[60_000];
        GatewayFixture narrow =
                GatewayFixture.to(upstream).http2Limit("windowBytesMax", 16_384).start();
        try (narrow;
                Http2Client client = Http2Client.connect(narrow)) {
            client.request(1, false, "POST", "/post");
            for (int at = 0; at < up.length; at += 10_000) {
                client.data(1, at + 10_000 == up.length, Arrays.copyOfRange(up, at, at + 10_000));
            }
            assertThat(client.response(1).status()).isEqualTo(200);
            assertThat(upstream.requests().getLast().bodyBytes()).isEqualTo(up.length);
        }
    }

    private static String sha256(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** What the node sends waits for the client's windows, and for nothing else. */
    @Test
    void windowsAreKept() throws IOException {
        next = Script.script().respond(Answer.ok("0123456789"));
        try (Http2Client client = Http2Client.connect(gateway, 4, 0)) {
            client.get(1, "/next");
            assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "200");
            client.window(1, 4);
            Frame first = client.await(Http2Client.DATA);
            assertThat(first.payload()).hasSize(4);
            assertThat(first.has(Http2Client.END_STREAM)).isFalse();
            // RFC 9113 section 6.9.2: all windows change with the setting, here by 100.
            client.settings(4, 100);
            Frame rest = client.await(Http2Client.DATA);
            assertThat(rest.payload()).hasSize(6);
            assertThat(rest.has(Http2Client.END_STREAM)).isTrue();
        }
    }

    @Test
    void aStreamWithoutWindowHoldsUpNoOther() throws IOException {
        byte[] large = new byte[200_000];
        next = Script.script().respond(Answer.of(200).body(large));
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.window(0, 1 << 24).get(1, "/next");
            int seen = 0;
            while (seen < 65_535) {
                seen += client.await(Http2Client.DATA).payload().length;
            }
            assertThat(client.get(3, "/other").response(3).text()).isEqualTo("/other");
            client.window(1, 1 << 20);
            assertThat(client.response(1).body()).hasSize(200_000 - seen);
        }
    }

    /** The node breaks off: the client must not take what it has for all. */
    @Test
    void truncatedResponsesAreReset() throws IOException {
        next = Script.script().sendCut(CUT, CUT.bytes().length - 5).close();
        try (Http2Client client = Http2Client.connect(gateway)) {
            Response response = client.get(1, "/next").response(1);
            assertThat(response.reset()).isEqualTo(Http2Error.INTERNAL_ERROR.code());
            assertThat(client.get(3, "/other").response(3).status()).isEqualTo(200);
        }
    }

    @Test
    void aResetOfTheClientReachesTheNode() throws IOException {
        next = Script.script().awaitPeerClose();
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.get(1, "/next");
            upstream.awaitHeads(1);
            client.reset(1, Http2Error.CANCEL.code());
            upstream.awaitClosed(upstream.requests().getLast().connection());
            assertThat(client.get(3, "/other").response(3).status()).isEqualTo(200);
            Await.until("counted", () -> gateway.faults(Fault.CLIENT_GONE) == 1);
            assertThat(gateway.count(Counter.HTTP2_STREAMS_RESET)).isEqualTo(1);
        }
    }

    /** RFC 9113 section 8.1: who answers before the request is complete says that it wants no more of it. */
    @Test
    void earlyAnswersEndTheRequest() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            next = Script.script().respond(Answer.of(403).body("no"));
            client.request(1, false, "POST", "/next").data(1, false, "some");
            Response response = client.response(1);
            assertThat(response.status()).isEqualTo(403);
            assertThat(client.await(Http2Client.RST_STREAM).number(0)).isEqualTo(Http2Error.NO_ERROR.code());
            // What was on its way is thrown away.
            client.data(1, true, "rest");
            assertThat(client.get(3, "/other").response(3).text()).isEqualTo("/other");
        }
    }

    /** Some clients, as curl before 8.0, throw the answer away when they read both at once. On a busy machine it may be late, so it is tried several times. */
    @Test
    void thatNoMoreIsWantedIsNotSaidWithTheAnswer() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            boolean later = false;
            for (int stream = 1; stream < 20 && !later; stream += 2) {
                next = Script.script().respond(Answer.of(403).body("no"));
                client.request(stream, false, "POST", "/next").data(stream, false, "some");
                assertThat(client.response(stream).status()).isEqualTo(403);
                client.ping(stream, false);
                Frame first = client.next();
                while (first.type() != Http2Client.PING && first.type() != Http2Client.RST_STREAM) {
                    first = client.next();
                }
                later = first.type() == Http2Client.PING;
            }
            assertThat(later).isTrue();
        }
    }

    @Test
    void onAConnectionThatGoesAwayItIsSaidBeforeTheEnd() throws IOException {
        try (GatewayFixture leaving = GatewayFixture.to(upstream)
                        .limit("requestsPerConnectionMax", 1)
                        .start();
                Http2Client client = Http2Client.connect(leaving)) {
            next = Script.script().respond(Answer.of(403).body("no"));
            client.request(1, false, "POST", "/next").data(1, false, "some");
            assertThat(client.response(1).status()).isEqualTo(403);
            Frame reset = client.await(Http2Client.RST_STREAM);
            assertThat(reset.stream()).isEqualTo(1);
            assertThat(reset.number(0)).isEqualTo(Http2Error.NO_ERROR.code());
        }
    }

    /** Nobody has to be told who sends no more. */
    @Test
    void whoEndsTheRequestAfterItsAnswerIsNotReset() throws IOException {
        try (Http2Client client = Http2Client.connect(gateway)) {
            boolean reset = true;
            for (int stream = 1; stream < 40 && reset; stream += 4) {
                next = Script.script().respond(Answer.of(403).body("no"));
                client.request(stream, false, "POST", "/next").data(stream, false, "some");
                assertThat(client.response(stream).status()).isEqualTo(403);
                client.data(stream, true, "rest");
                // A second one is told some time after the first would have been.
                next = Script.script().respond(Answer.of(403).body("no"));
                client.request(stream + 2, false, "POST", "/next").data(stream + 2, false, "some");
                reset = client.await(Http2Client.RST_STREAM).stream() == stream;
            }
            assertThat(reset).isFalse();
        }
    }

    @Test
    void preparedAnswersAreSent() throws IOException {
        GatewayFixture lonely = GatewayFixture.to(upstream).route("/only").start();
        try (lonely;
                Http2Client client = Http2Client.connect(lonely)) {
            Response response = client.get(1, "/elsewhere").response(1);
            assertThat(response.status()).isEqualTo(404);
            assertThat(response.head()).containsKey("content-type");
            assertThat(response.body()).isNotEmpty();
        }
    }

    @Test
    void drainingTellsWhichRequestWasTheLast() throws IOException {
        Gate gate = new Gate();
        next = Script.script().stall(gate).respond(200, "late");
        try (Http2Client client = Http2Client.connect(gateway)) {
            client.get(1, "/next");
            upstream.awaitHeads(1);
            Thread stopping = Thread.ofVirtual().start(() -> gateway.drain(Duration.ofSeconds(10)));
            Frame first = client.await(Http2Client.GOAWAY);
            assertThat(first.number(0)).isEqualTo(Integer.MAX_VALUE);
            // Sent before its client could know: answered.
            client.get(3, "/raced");
            Frame ping = client.await(Http2Client.PING);
            client.frame(Http2Client.PING, Http2Client.ACK, 0, ping.payload());
            assertThat(client.await(Http2Client.GOAWAY).number(0)).isEqualTo(3);
            gate.release();
            assertThat(client.response(1).status()).isEqualTo(200);
            client.awaitEnd();
            stopping.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void aServerMayKnowHttp11Only() throws IOException {
        GatewayFixture plain = GatewayFixture.to(upstream).http2(Http2.NEVER).start();
        try (plain;
                Http2Client client = Http2Client.unspoken(plain)) {
            client.raw(Http2Client.preface());
            byte[] answer = client.socket().getInputStream().readNBytes(12);
            assertThat(new String(answer, US_ASCII)).isEqualTo("HTTP/1.1 505");
        }
    }
}
