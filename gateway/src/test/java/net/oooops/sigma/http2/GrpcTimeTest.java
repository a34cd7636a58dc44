package net.oooops.sigma.http2;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BiConsumer;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.Handler;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Node;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** How long the answer to a call of gRPC may take to begin: as long as its client waits, within what the operator allows. */
class GrpcTimeTest {
    private static final Duration BRIEF = Duration.ofMillis(300);
    private static final String DEADLINE_EXCEEDED = "4";
    private static final String UNKNOWN = "2";

    private final Gate answers = new Gate();
    private final ScriptedUpstream late = ScriptedUpstream.startOnHead(
            request -> Script.script().readBody().stall(answers).respond(Answer.ok(request.target())));
    private final ScriptedUpstream silent =
            ScriptedUpstream.startOnHead(request -> Script.script().awaitPeerClose());

    @AfterEach
    void stop() {
        answers.release();
        late.close();
        silent.close();
    }

    /** Its nodes speak HTTP/1.1, so that a plugin says that what goes there are calls. */
    private static GatewayBuilder gateway(ScriptedUpstream... nodes) {
        return GatewayFixture.to(nodes)
                .plugins(Probe.LOADER)
                .route("/*", Probe.calls().config());
    }

    private static GatewayBuilder brief(ScriptedUpstream node) {
        return gateway(node).proxyPass("responseTimeoutNanos", BRIEF);
    }

    private static Http2Client call(Http2Client client, int stream, String... more) throws IOException {
        List<String> fields = new ArrayList<>(List.of("content-type", "application/grpc", "te", "trailers"));
        fields.addAll(List.of(more));
        return client.request(stream, true, "POST", "/call", fields.toArray(String[]::new));
    }

    private static Map<String, String> head(Http2Client client) throws IOException {
        return client.fields(client.await(Http2Client.HEADERS));
    }

    private static Duration since(long start) {
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void aClientThatWaitsLongerIsAnswered() throws IOException {
        try (GatewayFixture gateway = brief(late).start();
                Http2Client client = Http2Client.connect(gateway)) {
            // What waits beside it, and says nothing of a time, shows when the others' has passed.
            call(client, 1, "grpc-timeout", "20S");
            call(client, 3);
            assertThat(head(client)).containsEntry("grpc-status", DEADLINE_EXCEEDED);
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isEqualTo(1);
            answers.release();
            assertThat(client.response(1).text()).isEqualTo("/call");
        }
    }

    @Test
    void aCallEndsWhenItsOwnTimeHasPassed() throws IOException {
        try (GatewayFixture gateway = brief(silent).passive("errorsMax", 1).start();
                Http2Client client = Http2Client.connect(gateway)) {
            long start = System.nanoTime();
            call(client, 1, "grpc-timeout", "900m");
            assertThat(head(client)).containsEntry(":status", "200").containsEntry("grpc-status", DEADLINE_EXCEEDED);
            assertThat(since(start)).isBetween(Duration.ofMillis(900), Duration.ofSeconds(5));
            Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
            // It was its client's choice, not the node's fault.
            assertThat(gateway.gateway().nodes()).allMatch(node -> node.state() != Node.State.EJECTED);
        }
    }

    /** Its deadline is no connection's, which would hear what is thrown. */
    @Test
    void anErrorBehindACallThatIsLateEndsIt() throws IOException {
        CompletableFuture<Outcome> broken = new CompletableFuture<>() {
            @Override
            public CompletableFuture<Outcome> whenComplete(BiConsumer<? super Outcome, ? super Throwable> action) {
                throw new IllegalStateException("can't be");
            }
        };
        Probe late = Probe.probe().onResponse(_ -> Outcome.suspend(broken));
        try (GatewayFixture gateway = GatewayFixture.to(silent)
                        .plugins(Probe.LOADER)
                        .route("/*", Probe.calls().config(), late.config())
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            call(client, 1, "grpc-timeout", "300m");
            assertThat(head(client)).containsEntry("grpc-status", UNKNOWN);
            assertThat(gateway.faults(Fault.INTERNAL)).isEqualTo(1);
            Await.until("no exchange", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);
        }
    }

    /** A client can't hold a silent node for longer than streams may be quiet. */
    @Test
    void theOperatorsBoundHolds() throws IOException {
        try (GatewayFixture gateway = brief(silent)
                        .proxyPass("idleTimeoutNanos", BRIEF)
                        .proxyPass(
                                "tunnel",
                                new TunnelConfig(
                                        List.of(), Duration.ofMillis(900).toNanos(), 0))
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            long start = System.nanoTime();
            call(client, 1, "grpc-timeout", "1H");
            assertThat(head(client)).containsEntry("grpc-status", DEADLINE_EXCEEDED);
            assertThat(since(start)).isBetween(Duration.ofMillis(900), Duration.ofSeconds(5));
        }
    }

    /** Neither of the two makes what is allowed to any other answer less. */
    @Test
    void aCallHasAtLeastTheTimeOfOthers() throws IOException {
        try (GatewayFixture gateway = gateway(late)
                        .proxyPass("idleTimeoutNanos", BRIEF)
                        .proxyPass("tunnel", new TunnelConfig(List.of(), BRIEF.toNanos(), 0))
                        .start();
                Http2Client client = Http2Client.connect(gateway);
                Http2Client other = Http2Client.connect(gateway)) {
            call(client, 1, "grpc-timeout", "1H");
            // Longer than both.
            call(other, 1, "grpc-timeout", "700m");
            assertThat(head(other)).containsEntry("grpc-status", DEADLINE_EXCEEDED);
            answers.release();
            assertThat(client.response(1).text()).isEqualTo("/call");
        }
    }

    @Test
    void aShorterTimeShortens() throws IOException {
        try (GatewayFixture gateway = gateway(silent).start();
                Http2Client client = Http2Client.connect(gateway)) {
            long start = System.nanoTime();
            call(client, 1, "grpc-timeout", "100000u");
            assertThat(head(client)).containsEntry("grpc-status", DEADLINE_EXCEEDED);
            assertThat(since(start)).isLessThan(Duration.ofSeconds(5));
        }
    }

    /** Who waits long by his own will doesn't show that a node says nothing. */
    @Test
    void patientClientsEjectNoNode() throws IOException {
        try (GatewayFixture gateway = gateway(silent, late)
                        .proxyPass("responseTimeoutNanos", BRIEF)
                        .passive("silenceNanos", BRIEF.toNanos())
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            answers.release();
            int calls = 12;
            for (int i = 0; i < calls; i++) {
                call(client, 2 * i + 1, "grpc-timeout", i == 0 ? "1500m" : "60S");
            }
            Await.until("the first of them has waited", () -> gateway.faults(Fault.UPSTREAM_TIMEOUT) == 1);
            assertThat(gateway.gateway().nodes()).allMatch(node -> node.state() != Node.State.EJECTED);
        }
    }

    /** A node that joins one that says nothing: what it answers may pause as any call may. */
    @Test
    void anAnswerOfTheSecondTryMayPause() throws IOException {
        Gate rest = new Gate();
        AtomicInteger asked = new AtomicInteger();
        Script first = Script.script().readBody().awaitPeerClose();
        Script second = Script.script()
                .readBody()
                .send(
                        "HTTP/1.1 200 OK\r\nContent-Type: application/grpc\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nsome\r\n")
                .stall(rest)
                .send("4\r\nmore\r\n0\r\n\r\n");
        Handler either = request -> asked.getAndIncrement() == 0 ? first : second;
        try (ScriptedUpstream one = ScriptedUpstream.startOnHead(either);
                ScriptedUpstream other = ScriptedUpstream.startOnHead(either);
                GatewayFixture gateway = gateway(one, other)
                        .retry("anyMethod", true)
                        .retry("tryNanos", BRIEF)
                        .proxyPass("idleTimeoutNanos", BRIEF)
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            call(client, 1);
            assertThat(head(client)).containsEntry(":status", "200");
            assertThat(client.await(Http2Client.DATA).payload()).isEqualTo("some".getBytes(US_ASCII));
            long since = System.nanoTime();
            Await.until("others would have been cut", () -> System.nanoTime() - since > 3 * BRIEF.toNanos());
            rest.release();
            assertThat(client.await(Http2Client.DATA).payload()).isEqualTo("more".getBytes(US_ASCII));
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(1);
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isZero();
        } finally {
            rest.release();
        }
    }
}
