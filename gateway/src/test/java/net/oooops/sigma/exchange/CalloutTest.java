package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What plugins ask on their own account. */
class CalloutTest {
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();

    private static GatewayFixture gateway(ScriptedUpstream upstream, Probe probe) {
        return GatewayFixture.to(upstream)
                .plugins(Probe.LOADER)
                .route("/*", probe.sendsTo("pass").config())
                .start();
    }

    private ScriptedUpstream nodes(Answer answer) {
        return ScriptedUpstream.start(request -> {
            received.add(request);
            return request.target().startsWith("/who") ? answer : Answer.ok("hello");
        });
    }

    private Outcome ask(Exchange exchange, Callout callout) {
        return Outcome.suspend(exchange.call("pass", callout)
                .handle((answer, error) -> Outcome.then(there -> {
                    told.add(error == null ? said(answer) : why(error));
                    return Outcome.CONTINUE;
                })));
    }

    private static String said(Response answer) {
        byte[] body = new byte[answer.bodyBytes()];
        answer.copyBodyTo(body, 0);
        List<String> fields = answer.fields().stream()
                .map(Field::toString)
                .filter(field -> field.startsWith("X-"))
                .toList();
        return answer.status() + " " + fields + " " + new String(body, StandardCharsets.UTF_8);
    }

    private static String why(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof CalloutException none ? none.fault().name() : String.valueOf(cause);
    }

    @Test
    void theAnswerIsGivenAndTheRequestGoesOn() throws IOException {
        Callout callout = Callout.of("POST", "/who?x=1")
                .with(List.of(Field.of("X-Asked", "yes")))
                .body("ab".getBytes(StandardCharsets.UTF_8));
        Probe asks = Probe.probe().onRequest(exchange -> ask(exchange, callout));
        try (ScriptedUpstream upstream = nodes(Answer.of(403)
                        .body("no")
                        .header("X-Why", "a")
                        .header("X-Why", "b")
                        .chunked(2)
                        .trailer("X-T", "t"));
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                assertThat(client.send("GET /a HTTP/1.1\r\nHost: example.org\r\nCookie: c=1\r\n\r\n")
                                .readResponse()
                                .status())
                        .isEqualTo(200);
            }
            assertThat(gateway.counters().count(Counter.CALLOUTS)).isEqualTo(3);
            assertThat(gateway.counters().count(Counter.CALLOUTS_FAILED)).isZero();
            Await.until("all over", () -> gateway.counters().count(Counter.REQUESTS_2XX) == 3);
        }
        assertThat(told).hasSize(3).containsOnly("403 [X-Why: a, X-Why: b] no");
        ReceivedRequest asked = received.getFirst();
        assertThat(asked.method() + " " + asked.target()).isEqualTo("POST /who?x=1");
        assertThat(asked.bodyText()).isEqualTo("ab");
        assertThat(asked.header("X-Asked")).isEqualTo("yes");
        assertThat(asked.header("Host")).isEqualTo("example.org");
        assertThat(asked.header("X-Forwarded-For")).isEqualTo("127.0.0.1");
        assertThat(asked.header("X-Forwarded-Host")).isEqualTo("example.org");
        assertThat(asked.header("Cookie")).as("only what the plugin says").isNull();
        assertThat(received).hasSize(6);
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAnswerThatIsTooLargeIsNone(boolean framed) throws IOException {
        Callout callout = Callout.of("GET", "/who").answerBytesMax(9);
        Probe asks = Probe.probe().onRequest(exchange -> ask(exchange, callout));
        Answer large = Answer.ok("0123456789");
        try (ScriptedUpstream upstream = nodes(framed ? large : large.untilClose());
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            assertThat(gateway.counters().count(Counter.CALLOUTS_FAILED)).isOne();
        }
        assertThat(told).containsExactly("UPSTREAM_PROTOCOL");
    }

    @Test
    void aNodeThatAnswersNothingUsefulIsAFailure() throws IOException {
        Probe asks = Probe.probe().onRequest(exchange -> ask(exchange, Callout.of("GET", "/who")));
        try (ScriptedUpstream upstream = nodes(Answer.of(200).header("Content-Length", "no number"));
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
        }
        assertThat(told).containsExactly("UPSTREAM_PROTOCOL");
    }

    @Test
    void aProxyPassThatIsNotThePluginsIsNoWay() throws IOException {
        Probe asks = Probe.probe().onRequest(exchange -> {
            exchange.call("other", Callout.of("GET", "/who")).whenComplete((answer, error) -> told.add(why(error)));
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = nodes(Answer.ok(""));
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
        }
        assertThat(told).containsExactly("NO_HEALTHY_NODE");
    }

    /** Field values of a plugin's are checked as a client's are. */
    @Test
    void aHeadThatIsRefusedFromClientsIsRefusedFromPlugins() throws IOException {
        Callout callout = Callout.of("GET", "/who").with(List.of(Field.of("Expect", "miracles")));
        Probe asks = Probe.probe().onRequest(exchange -> ask(exchange, callout));
        try (ScriptedUpstream upstream = nodes(Answer.ok(""));
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
        }
        assertThat(told).containsExactly("EXPECTATION_FAILED");
        assertThat(received).hasSize(1);
    }

    /** The client goes away: what was asked for it ends; what is detached doesn't. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void itEndsWithItsExchangeUnlessItIsDetached(boolean detached) throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        CountDownLatch gone = new CountDownLatch(1);
        Callout plain = Callout.of("GET", "/who");
        Probe asks = Probe.probe().onRequest(exchange -> {
            Outcome waits = ask(exchange, detached ? plain.detached(Duration.ofSeconds(30)) : plain);
            exchange.call("pass", plain).whenComplete((answer, error) -> told.add("beside " + why(error)));
            return waits;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    received.add(request);
                    asked.countDown();
                    gone.await(5, TimeUnit.SECONDS);
                    return Answer.ok("you");
                });
                GatewayFixture gateway = gateway(upstream, asks)) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.get("/a"));
                assertThat(asked.await(5, TimeUnit.SECONDS)).isTrue();
                client.reset();
            }
            Await.until("its exchange is over", () -> told.contains("beside CLIENT_GONE"));
            gone.countDown();
            gateway.drain(Duration.ofSeconds(5));
            assertThat(gateway.counters().count(Counter.CALLOUTS_FAILED))
                    .as("nobody waited for those that were given up")
                    .isZero();
        }
    }

    @Test
    void oneAfterTheExchangeGoesOut() throws IOException {
        Probe asks = Probe.probe()
                .onRequest(exchange -> Outcome.CONTINUE)
                .onEnd(exchange -> exchange.call(
                                "pass", Callout.of("GET", "/who?late").detached(Duration.ofSeconds(30)))
                        .whenComplete((answer, error) -> told.add(error == null ? said(answer) : why(error))));
        try (ScriptedUpstream upstream = nodes(Answer.of(204));
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            Await.until("answered", () -> !told.isEmpty());
        }
        assertThat(told).containsExactly("204 [] ");
    }

    /** Nothing would end it. */
    @Test
    void oneAfterTheExchangeThatEndsWithItIsNone() throws IOException {
        Probe asks = Probe.probe()
                .onEnd(exchange -> exchange.call("pass", Callout.of("GET", "/who"))
                        .whenComplete((answer, error) -> told.add(why(error))));
        try (ScriptedUpstream upstream = nodes(Answer.ok("you"));
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            Await.until("told", () -> !told.isEmpty());
        }
        assertThat(told).containsExactly("CLIENT_GONE");
        assertThat(received).hasSize(1);
    }

    /** It holds a place for so long and no longer. */
    @Test
    void aDetachedOneEndsInTime() throws Exception {
        CountDownLatch over = new CountDownLatch(1);
        Callout callout = Callout.of("GET", "/who").detached(Duration.ofMillis(100));
        Probe asks = Probe.probe()
                .onEnd(exchange -> exchange.call("pass", callout).whenComplete((answer, error) -> {
                    told.add(why(error));
                    over.countDown();
                }));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    if (request.target().equals("/who")) {
                        over.await(10, TimeUnit.SECONDS);
                    }
                    return Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            assertThat(over.await(10, TimeUnit.SECONDS)).isTrue();
        }
        assertThat(told).containsExactly("UPSTREAM_TIMEOUT");
    }

    /** Of a body that nobody wants the connection lasts where it is small, and the answer counts where it is large. */
    @ParameterizedTest
    @ValueSource(ints = {1000, 1_000_000})
    void aBodyThatNobodyWantsIsThrownAway(int bytes) throws IOException {
        Callout callout = Callout.of("GET", "/who").ignoringBody();
        Probe asks = Probe.probe().onRequest(exchange -> ask(exchange, callout));
        try (ScriptedUpstream upstream = nodes(Answer.ok("x".repeat(bytes)));
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            }
            assertThat(upstream.connectionCount()).isLessThanOrEqualTo(bytes == 1000 ? 1 : 6);
        }
        assertThat(told).hasSize(5).containsOnly("200 [] ");
    }

    /** Who is asked under a host of its own hears nothing of the one that the client has asked for, whoever says so. */
    @Test
    void theHostMayBeAnother() throws IOException {
        Callout callout = Callout.of("GET", "/who").host("id.example.org:8443");
        Probe asks = Probe.probe().onRequest(exchange -> ask(exchange, callout));
        try (ScriptedUpstream upstream = nodes(Answer.ok("you"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .allowForward(AllowForward.ALL, "127.0.0.1")
                        .route("/*", asks.sendsTo("pass").config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nX-Forwarded-For: 192.0.2.1\r\nX-Forwarded-Proto: https\r\n"
                            + "X-Forwarded-Host: b\r\nX-Forwarded-Port: 444\r\n\r\n")
                    .readResponse();
        }
        ReceivedRequest asked = received.getFirst();
        assertThat(asked.headers().values("Host")).containsExactly("id.example.org:8443");
        assertThat(asked.headers().values("X-Forwarded-Host")).containsExactly("id.example.org:8443");
        assertThat(asked.headers().values("X-Forwarded-Proto")).containsExactly("https");
        assertThat(asked.header("X-Forwarded-For")).startsWith("192.0.2.1, ");
        assertThat(received.getLast().header("X-Forwarded-Host")).isEqualTo("b");
        for (String none : List.of("", "a b", "a/b", "a:1:2", "a@b", "a\r\nX: y")) {
            assertThatThrownBy(() -> callout.host(none)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    /** A server that asks itself by the gateway would have it ask for ever. */
    @Test
    void aLoopIsFoundOut() throws IOException {
        Probe asks = Probe.probe().onRequest(exchange -> ask(exchange, Callout.of("GET", "/who")));
        try (ScriptedUpstream upstream = nodes(Answer.ok("you"));
                GatewayFixture gateway = gateway(upstream, asks);
                RawClient client = gateway.connect()) {
            client.send("GET /a HTTP/1.1\r\nHost: a\r\nVia: 1.1 before\r\n\r\n").readResponse();
        }
        assertThat(received.getFirst().headers().values("Via"))
                .hasSize(2)
                .first()
                .isEqualTo("1.1 before");
    }

    /** However often a request is tried, a plugin sees its body once. */
    @Test
    void aBodyThatIsSentAgainIsShownOnce() throws IOException {
        AtomicInteger tries = new AtomicInteger();
        AtomicInteger bytes = new AtomicInteger();
        Probe counts = Probe.probe().onRequestChunk((exchange, chunk) -> bytes.addAndGet(chunk.remaining()));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    received.add(request);
                    return tries.getAndIncrement() == 1 ? Script.script().reset() : Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, counts);
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            String put = "PUT /a HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n0123456789";
            assertThat(client.send(put).readResponse().status()).isEqualTo(200);
        }
        assertThat(received).hasSize(3);
        assertThat(received.getLast().bodyText()).isEqualTo("0123456789");
        assertThat(bytes).hasValue(10);
    }
}
