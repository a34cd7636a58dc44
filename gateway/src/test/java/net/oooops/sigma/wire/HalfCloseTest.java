package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * A client may end its output when it has asked all it wants to ask (RFC 9112 section 9.6): it is answered. In the middle of a request it is
 * gone.
 */
@Tag("plain") // Encrypted connections have no halves.
class HalfCloseTest extends WireTest {
    private static final String GET = "GET /%s HTTP/1.1\r\nHost: a\r\n\r\n";
    private static final int BODY_BYTES = 4 << 20;
    private static final Duration BRIEF = Duration.ofMillis(300);

    @Override
    ScriptedUpstream upstream() {
        return upstreamOnHead();
    }

    private GatewayFixture on(Transport transport) {
        Needed.transport(transport);
        return GatewayFixture.to(upstream).transport(transport).start();
    }

    /** Ends the client's output and returns when its only Worker has seen it: what is asked later is seen later. */
    private static void end(GatewayFixture running, RawClient client) throws IOException {
        client.halfClose();
        try (RawClient other = running.connect()) {
            assertThat(other.send(GET.formatted("other")).readResponse().status())
                    .isEqualTo(200);
        }
    }

    private static void nobodyIsLeft(GatewayFixture running) {
        Await.until("no connection", () -> running.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 0);
        Await.until("no exchange", () -> running.count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whoHasAskedIsAnswered(Transport transport) throws IOException {
        Gate gate = new Gate();
        next = Script.script().readBody().stall(gate).respond(Answer.ok("late"));
        try (GatewayFixture running = on(transport);
                RawClient client = running.connect()) {
            client.send(GET.formatted("next"));
            Await.until("asked", () -> gate.waiting() == 1);
            end(running, client);
            gate.release();
            RawResponse response = client.readResponse();
            assertThat(response.bodyText()).isEqualTo("late");
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            nobodyIsLeft(running);
            assertThat(running.faults(Fault.CLIENT_GONE)).isZero();
        }
    }

    /** Those of Sigma's own, which are given at once, too. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void pipelinedRequestsAreAllAnswered(Transport transport) throws IOException {
        Gate gate = new Gate();
        next = Script.script().readBody().stall(gate).respond(Answer.ok("first"));
        String own = "TRACE /own HTTP/1.1\r\nHost: a\r\n\r\n";
        try (GatewayFixture running = on(transport);
                RawClient client = running.connect()) {
            client.send(GET.formatted("next") + own + own + GET.formatted("x") + GET.formatted("y"));
            Await.until("asked", () -> gate.waiting() == 1);
            end(running, client);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("first");
            assertThat(client.readResponse("TRACE").status()).isEqualTo(405);
            assertThat(client.readResponse("TRACE").status()).isEqualTo(405);
            RawResponse last = client.readResponse();
            assertThat(last.bodyText()).isEqualTo("/x");
            assertThat(last.header("Connection")).isNull();
            last = client.readResponse();
            assertThat(last.bodyText()).isEqualTo("/y");
            assertThat(last.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            nobodyIsLeft(running);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aLargeAnswerArrivesWhole(Transport transport) throws IOException {
        GeneratedBody body = GeneratedBody.of(3, BODY_BYTES);
        next = Script.script().readBody().respond(Answer.of(200).body(body));
        try (GatewayFixture running = on(transport);
                RawClient client = running.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(GET.formatted("next"));
            end(running, client);
            assertThat(client.readResponse().bodySha256()).isEqualTo(body.sha256());
            client.expectCleanClose();
            nobodyIsLeft(running);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aLargeBodyArrivesWhole(Transport transport) throws IOException {
        GeneratedBody body = GeneratedBody.of(4, BODY_BYTES);
        Gate gate = new Gate();
        next = Script.script().stall(gate).readBody().respond(Answer.ok("all"));
        try (GatewayFixture running = on(transport);
                RawClient client = running.connect()) {
            client.send("POST /next HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            Await.until("asked", () -> gate.waiting() == 1);
            gate.release();
            client.sendChunked(body, 50_000);
            client.halfClose();
            assertThat(client.readResponse().bodyText()).isEqualTo("all");
            assertThat(upstream.requests().getLast().bodySha256()).isEqualTo(body.sha256());
            client.expectCleanClose();
            nobodyIsLeft(running);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whoIsRefusedIsToldSo(Transport transport) throws IOException {
        try (GatewayFixture running = on(transport);
                RawClient client = running.connect()) {
            client.send("GET /attack HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n")
                    .halfClose();
            assertThat(client.readResponse().status()).isEqualTo(400);
            client.expectCleanClose();
            nobodyIsLeft(running);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void inTheMiddleOfARequestTheClientIsGone(Transport transport) throws IOException {
        try (GatewayFixture running = on(transport)) {
            String[] cut = {
                "GET /attack HTTP/1.1\r\nHos",
                "POST /attack HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nabc",
                "POST /attack HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n"
            };
            for (int i = 0; i < cut.length; i++) {
                long gone = i + 1L;
                try (RawClient client = running.connect()) {
                    client.send(cut[i]).halfClose();
                    client.expectClosed();
                }
                Await.until("gone", () -> running.faults(Fault.CLIENT_GONE) == gone);
            }
            nobodyIsLeft(running);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whatWasCompleteBeforeIsAnsweredAllTheSame(Transport transport) throws IOException {
        Gate gate = new Gate();
        next = Script.script().readBody().stall(gate).respond(Answer.ok("first"));
        try (GatewayFixture running = on(transport);
                RawClient client = running.connect()) {
            client.send(GET.formatted("next") + "GET /attack HTTP/1.1\r\nHost");
            Await.until("asked", () -> gate.waiting() == 1);
            end(running, client);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("first");
            client.expectClosed();
            nobodyIsLeft(running);
            assertThat(running.faults(Fault.CLIENT_GONE)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whoAsksNothingIsClosed(Transport transport) throws IOException {
        try (GatewayFixture running = on(transport);
                RawClient quiet = running.connect();
                RawClient answered = running.connect()) {
            quiet.halfClose().expectCleanClose();
            assertThat(answered.send(GET.formatted("x")).readResponse().status())
                    .isEqualTo(200);
            answered.halfClose().expectCleanClose();
            nobodyIsLeft(running);
        }
    }

    /** That it doesn't listen any more shows when it is written to; then the node is left. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whoClosedIsFoundOutByItsAnswer(Transport transport) throws IOException {
        next = Script.script()
                .readBody()
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
                .trickle("1\r\na\r\n".repeat(5000), 6, Duration.ofMillis(2))
                .awaitPeerClose();
        try (GatewayFixture running = on(transport)) {
            try (RawClient client = running.connect()) {
                client.send(GET.formatted("next")).readHead();
            }
            nobodyIsLeft(running);
            assertThat(running.faults(Fault.CLIENT_GONE)).isEqualTo(1);
            upstream.awaitClosed(upstream.requests().getLast().connection());
        }
    }

    /** Whether it is still there can't be asked: it stays for as long as its node may take, and no longer. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aSilentNodeIsWaitedForAsEver(Transport transport) throws IOException {
        next = Script.script().awaitPeerClose();
        Needed.transport(transport);
        try (GatewayFixture running = GatewayFixture.to(upstream)
                        .transport(transport)
                        .proxyPass("responseTimeoutNanos", BRIEF)
                        .start();
                RawClient client = running.connect()) {
            client.send(GET.formatted("next")).halfClose();
            assertThat(client.readResponse().status()).isEqualTo(504);
            client.expectCleanClose();
            nobodyIsLeft(running);
        }
    }

    /** Nor does one stay that takes nothing of its answer. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whoTakesNothingThenIsCut(Transport transport) throws IOException {
        next = Script.script().readBody().respond(Answer.of(200).body(GeneratedBody.of(3, 64 << 20)));
        Needed.transport(transport);
        try (GatewayFixture running = GatewayFixture.to(upstream)
                        .transport(transport)
                        .timeout("sendStallNanos", BRIEF)
                        .runtime("sendBufferBytes", 8192)
                        .start();
                RawClient client = running.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
            client.send(GET.formatted("next")).halfClose();
            Await.until("cut", () -> running.faults(Fault.CLIENT_STALLED) == 1);
            nobodyIsLeft(running);
        }
    }
}
