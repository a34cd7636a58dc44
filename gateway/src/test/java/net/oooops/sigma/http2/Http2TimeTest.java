package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.http2.Http2Client.Frame;
import net.oooops.sigma.http2.Http2Client.Response;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each wait for a client of HTTP/2, and what ends with it: a stream, where the others have done nothing, or the connection. */
class Http2TimeTest {
    private static final Duration BRIEF = Duration.ofMillis(300);
    private static final int CALLS = 6;

    private static final int CANCEL = Http2Error.CANCEL.code();

    private final ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request -> switch (request.target()) {
        case "/large" -> Answer.of(200).body(new byte[300_000]);
        case "/ten" -> Answer.ok("0123456789");
        default -> Script.script().readBody().respond(Answer.ok(request.target()));
    });

    @AfterEach
    void stop() {
        upstream.close();
    }

    private GatewayBuilder gateway() {
        return GatewayFixture.to(upstream);
    }

    private static void assertReset(Http2Client client, int stream) throws IOException {
        Frame reset = client.await(Http2Client.RST_STREAM);
        assertThat(reset.stream()).isEqualTo(stream);
        assertThat(reset.number(0)).isEqualTo(CANCEL);
    }

    @Test
    void aStreamWhoseWindowStaysClosed() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("sendStallNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 0)) {
            client.get(1, "/large");
            assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "200");
            assertReset(client, 1);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isEqualTo(1);
            client.request(3, true, "HEAD", "/other");
            assertThat(client.response(3).status()).isEqualTo(200);
            // Of this one all is in the gateway.
            client.get(5, "/ten");
            assertThat(client.fields(client.await(Http2Client.HEADERS))).containsEntry(":status", "200");
            assertReset(client, 5);
        }
    }

    @Test
    void aConnectionWhoseWindowStaysClosed() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("sendStallNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 1 << 20)) {
            client.get(1, "/large");
            assertReset(client, 1);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isEqualTo(1);
            // What has no body needs no window.
            client.request(3, true, "HEAD", "/other");
            assertThat(client.response(3).status()).isEqualTo(200);
            client.window(0, 1 << 20).get(5, "/ten");
            assertThat(client.response(5).text()).isEqualTo("0123456789");
        }
    }

    /** A little once is no more than a stay. */
    @Test
    void aStreamWhoseWindowIsOpenedOnce() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("sendStallNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 0)) {
            client.get(1, "/large").await(Http2Client.HEADERS);
            client.window(1, 1).await(Http2Client.DATA);
            assertReset(client, 1);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isEqualTo(1);
        }
    }

    /** What it is told of other things is no sign that it takes answers. */
    @Test
    void pingsKeepNoStream() throws IOException {
        try (GatewayFixture gateway = gateway()
                        .timeout("sendStallNanos", Duration.ofMillis(600))
                        .start();
                Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 1 << 20)) {
            client.get(1, "/large");
            long start = System.nanoTime();
            for (int i = 0; i < 20; i++) {
                long until = start + Duration.ofMillis(100).toNanos() * i;
                Await.until("some time", () -> System.nanoTime() >= until);
                client.frame(Http2Client.PING, 0, 0, new byte[8]);
            }
            assertReset(client, 1);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isEqualTo(1);
        }
    }

    /** Nothing but its end is awaited, and that has to come as a body has. */
    @Test
    void aRequestOfNoBytesThatDoesNotEnd() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("bodyIdleNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/none", "content-length", "0");
            assertThat(client.response(1).status()).isEqualTo(408);
            client.request(3, false, "POST", "/none", "content-length", "0")
                    .reset(3, Http2Error.CANCEL.code())
                    .get(5, "/next");
            assertThat(client.response(5).text()).isEqualTo("/next");
            Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
            assertThat(upstream.requestCount()).isEqualTo(1);
        }
    }

    /** A call of gRPC may be quiet, but not for ever. */
    @Test
    void aCallThatIsQuietForTooLong() throws IOException {
        try (GatewayFixture gateway = gateway()
                        .plugins(Probe.LOADER)
                        .route("/*", Probe.calls().config())
                        .timeout("bodyIdleNanos", Duration.ofMillis(50))
                        .proxyPass("tunnel", new TunnelConfig(List.of(), BRIEF.toNanos(), 0))
                        .proxyPass("idleTimeoutNanos", BRIEF)
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/call", "content-type", "application/grpc");
            Frame head = client.await(Http2Client.HEADERS);
            assertThat(client.fields(head)).containsEntry("grpc-status", "4");
            Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
        }
    }

    /** More than any clock has is no bound. */
    @Test
    void aCallWithAllTheTimeThereIs() throws IOException {
        try (GatewayFixture gateway = gateway().start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, true, "POST", "/call", "content-type", "application/grpc", "grpc-timeout", "99999999H");
            assertThat(client.response(1).text()).isEqualTo("/call");
        }
    }

    /** Which time a client gives its call is no fault of the node. */
    @Test
    void aNodeIsNotBlamedForACallsBound() throws IOException {
        try (ScriptedUpstream silent =
                        ScriptedUpstream.startOnHead(request -> Script.script().awaitPeerClose());
                GatewayFixture gateway = GatewayFixture.to(silent, upstream)
                        .passive("errorsMax", 1)
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            for (int i = 0; i < CALLS; i++) {
                client.request(
                        2 * i + 1, true, "POST", "/c", "content-type", "application/grpc", "grpc-timeout", "50m");
                client.await(Http2Client.HEADERS);
            }
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isGreaterThan(1);
            assertThat(gateway.gateway().nodes()).allMatch(node -> node.state() != Node.State.EJECTED);
        }
    }

    /** Opened a little now and then, it isn't stalled. */
    @Test
    void aWindowThatOpensSlowlyIsNotStalled() throws IOException {
        try (GatewayFixture gateway = gateway()
                        .timeout("sendStallNanos", Duration.ofMillis(600))
                        .start();
                Http2Client client = Http2Client.connect(gateway, Http2Client.INITIAL_WINDOW_SIZE, 0)) {
            client.get(1, "/ten");
            long start = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                long until = start + Duration.ofMillis(150).toNanos() * i;
                Await.until("some time", () -> System.nanoTime() >= until);
                client.window(1, 1);
                assertThat(client.await(Http2Client.DATA).payload()).hasSize(1);
            }
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isZero();
        }
    }

    @Test
    void aBodyThatStops() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("bodyIdleNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/slow").data(1, false, "some");
            client.request(3, false, "POST", "/nothing");
            Set<Integer> answered = new HashSet<>();
            Set<Integer> unwanted = new HashSet<>();
            while (unwanted.size() < 2) {
                Frame frame = client.next();
                if (frame.type() == Http2Client.HEADERS) {
                    assertThat(client.fields(frame)).containsEntry(":status", "408");
                    answered.add(frame.stream());
                } else if (frame.type() == Http2Client.RST_STREAM) {
                    assertThat(frame.number(0)).isEqualTo(Http2Error.NO_ERROR.code());
                    unwanted.add(frame.stream());
                    assertThat(answered).contains(frame.stream());
                }
            }
            assertThat(unwanted).containsExactlyInAnyOrder(1, 3);
            assertThat(client.get(5, "/other").response(5).status()).isEqualTo(200);
            assertThat(gateway.faults(Fault.REQUEST_TIMEOUT)).isEqualTo(2);
            assertThat(upstream.requests()).noneMatch(seen -> seen.target().equals("/slow") && seen.complete());
        }
    }

    @Test
    void aBodyThatTrickles() throws IOException {
        try (GatewayFixture gateway =
                        gateway().bodyMinRate(100_000, Duration.ofMillis(200)).start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/slow");
            Await.until("given up", () -> {
                try {
                    client.data(1, false, "x");
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return gateway.faults(Fault.REQUEST_TIMEOUT) > 0;
            });
            Response response = client.response(1);
            assertThat(response.status()).isEqualTo(408);
            assertThat(client.get(3, "/other").response(3).status()).isEqualTo(200);
        }
    }

    @Test
    void settingsThatDoNotCome() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("headerNanos", BRIEF).start();
                Http2Client client = Http2Client.unspoken(gateway)) {
            client.raw(Http2Client.preface());
            assertThat(client.error()).isEqualTo(Http2Error.SETTINGS_TIMEOUT.code());
            client.awaitEnd();
            assertThat(gateway.count(Counter.HTTP2_ERRORS)).isEqualTo(1);
        }
    }

    @Test
    void aPrefaceThatStops() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("headerNanos", BRIEF).start()) {
            for (int bytes : new int[] {1, 10, 23}) {
                try (Http2Client client = Http2Client.unspoken(gateway)) {
                    client.raw(Arrays.copyOf(Http2Client.preface(), bytes));
                    // Whatever is said: it ends.
                    assertThat(client.socket().getInputStream().readAllBytes()).isNotNull();
                }
            }
        }
    }

    /** The rest of a head doesn't come, though other frames can't come between, and other streams go on until then. */
    @Test
    void aHeadThatStops() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("headerNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway)) {
            client.settled().frame(Http2Client.HEADERS, Http2Client.END_STREAM, 1, new byte[] {(byte) 0x82});
            assertThat(client.error()).isEqualTo(Http2Error.SETTINGS_TIMEOUT.code());
            client.awaitEnd();
        }
    }

    @Test
    void aConnectionThatNobodyUses() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("keepAliveNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway)) {
            assertThat(client.get(1, "/x").response(1).status()).isEqualTo(200);
            Frame last = client.await(Http2Client.GOAWAY);
            assertThat(last.number(0)).isEqualTo(1);
            assertThat(last.number(4)).isEqualTo(Http2Error.NO_ERROR.code());
            client.awaitEnd();
        }
    }

    /** What is on its way when the client hears of it is answered, too. */
    @Test
    void theLastOfSoManyRequests() throws IOException {
        try (GatewayFixture gateway =
                        gateway().limit("requestsPerConnectionMax", 3).start();
                Http2Client client = Http2Client.connect(gateway)) {
            for (int stream = 1; stream <= 9; stream += 2) {
                client.get(stream, "/x" + stream);
            }
            goAwayIsAnswered(client, 9);
            client.awaitEnd();
        }
    }

    @Test
    void aConnectionThatIsOld() throws IOException {
        try (GatewayFixture gateway =
                        gateway().timeout("connectionLifetimeNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway)) {
            long ends = System.nanoTime() + Duration.ofMillis(400).toNanos();
            assertThat(client.get(1, "/young").response(1).status()).isEqualTo(200);
            Await.until("it is old", () -> System.nanoTime() > ends);
            client.get(3, "/old");
            goAwayIsAnswered(client, 3);
            client.awaitEnd();
        }
    }

    /** Reads the first GOAWAY, answers the PING behind it, and reads the last one and every answer. */
    private static void goAwayIsAnswered(Http2Client client, int lastStream) throws IOException {
        Set<Integer> ended = new HashSet<>();
        int lastId = Integer.MAX_VALUE;
        int said = 0;
        while (said < 2 || !ended.contains(lastStream)) {
            Frame frame = client.next();
            switch (frame.type()) {
                case Http2Client.GOAWAY -> {
                    said++;
                    lastId = frame.number(0);
                    assertThat(frame.number(4)).isZero();
                }
                case Http2Client.PING -> client.frame(Http2Client.PING, Http2Client.ACK, 0, frame.payload());
                case Http2Client.HEADERS -> assertThat(client.fields(frame)).containsEntry(":status", "200");
                case Http2Client.RST_STREAM -> throw new AssertionError("reset: " + frame);
                default -> {}
            }
            if (frame.type() <= Http2Client.HEADERS && frame.has(Http2Client.END_STREAM)) {
                ended.add(frame.stream());
            }
        }
        assertThat(lastId).isEqualTo(lastStream);
    }
}
