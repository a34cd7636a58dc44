package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.vertx.core.VertxOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Callee;
import net.oooops.sigma.api.Callout;
import net.oooops.sigma.api.CalloutException;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.PluginContext;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.Schedule;
import net.oooops.sigma.config.AllowForward;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.config.SigmaConfig;
import net.oooops.sigma.config.UpstreamConfig.Protocol;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugin.PluginCatalog;
import net.oooops.sigma.snapshot.SnapshotCompiler;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What plugins ask without an exchange, and when they do what they do by themselves. */
class OwnCallTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final Schedule AT_ONCE = Schedule.every(Duration.ofDays(1)).first(Duration.ZERO);
    private static final Schedule OFTEN =
            Schedule.every(Duration.ofMillis(100)).first(Duration.ZERO).jitter(Duration.ZERO);

    private final List<String> told = new CopyOnWriteArrayList<>();
    private final List<ReceivedRequest> received = new CopyOnWriteArrayList<>();

    private ScriptedUpstream nodes(Answer answer) {
        return ScriptedUpstream.start(request -> {
            received.add(request);
            return answer;
        });
    }

    private static GatewayBuilder gateway(ScriptedUpstream upstream, Probe... probes) {
        GatewayBuilder builder = GatewayFixture.to(upstream).plugins(Probe.LOADER);
        PluginConfig[] plugins = new PluginConfig[probes.length];
        for (int i = 0; i < probes.length; i++) {
            plugins[i] = probes[i].config();
        }
        return builder.route("/*", plugins);
    }

    /** One that asks that as soon as it may, and again after the schedule. */
    private Probe asking(String proxyPassId, Schedule schedule, Callout callout) {
        return Probe.probe().onCreate(context -> {
            Callee callee = context.callee(proxyPassId);
            context.timer("ask", schedule, () -> tell(callee.call(callout)));
        });
    }

    private void tell(CompletionStage<Response> call) {
        told.add(call.handle((answer, failed) -> failed == null ? said(answer) : why(failed))
                .toCompletableFuture()
                .join());
    }

    private static String said(Response answer) {
        byte[] body = new byte[answer.bodyBytes()];
        answer.copyBodyTo(body, 0);
        return answer.status() + " " + new String(body, StandardCharsets.UTF_8);
    }

    private static String why(Throwable error) {
        Throwable cause = error instanceof CompletionException ? error.getCause() : error;
        return cause instanceof CalloutException none ? none.fault().name() : String.valueOf(cause);
    }

    @Test
    void aTimerAsksAndConnectionsAreUsedAgain() {
        Callout callout = Callout.of("POST", "/keys?x=1")
                .with(List.of(Field.of("X-Asked", "yes")))
                .body("ab".getBytes(StandardCharsets.UTF_8));
        try (ScriptedUpstream upstream = nodes(Answer.of(403).body("no"));
                GatewayFixture gateway = gateway(upstream, asking("pass", OFTEN, callout))
                        .workers(2)
                        .allowForward(AllowForward.ALL, "127.0.0.1")
                        .start()) {
            Await.until("asked", () -> told.size() >= 3);
            assertThat(upstream.connectionCount()).isOne();
            assertThat(gateway.count(Counter.CALLOUTS)).isGreaterThanOrEqualTo(3);
            assertThat(gateway.count(Counter.CALLOUTS_FAILED)).isZero();
            assertThat(gateway.count(Counter.REQUESTS_4XX)).as("of clients").isZero();
            ReceivedRequest asked = received.getFirst();
            assertThat(asked.method() + " " + asked.target()).isEqualTo("POST /keys?x=1");
            assertThat(asked.bodyText()).isEqualTo("ab");
            assertThat(asked.header("X-Asked")).isEqualTo("yes");
            assertThat(asked.headers().values("Host")).containsExactly("127.0.0.1:" + upstream.port());
            assertThat(asked.header("Via")).isNotNull();
            for (String none : List.of("X-Forwarded-For", "X-Forwarded-Proto", "X-Forwarded-Host", "Forwarded")) {
                assertThat(asked.header(none)).as(none).isNull();
            }
            // What is asked while the gateway ends may be cut off by that.
            assertThat(told).containsOnly("403 no");
        }
    }

    /** What is behind a head that is enough is read all the same. */
    @Test
    void aConnectionIsUsedAgainWhereTheBodyComesLater() {
        Callout callout = Callout.of("GET", "/keys").bodyOfOthersWhereWhole();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Script.script()
                        .send("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\n")
                        .pause(Duration.ofMillis(10))
                        .send("abc"));
                GatewayFixture gateway =
                        gateway(upstream, asking("pass", OFTEN, callout)).start()) {
            Await.until("asked", () -> told.size() >= 5);
            // One that isn't read to its end when the next is asked costs another connection.
            assertThat(upstream.connectionCount()).isLessThanOrEqualTo(3);
            assertThat(gateway.count(Counter.CALLOUTS_FAILED)).isZero();
            assertThat(told).containsOnly("200 ");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void theHostMayBeSaid(boolean preserved) {
        Callout callout = Callout.of("GET", "/keys").host("id.example.org:8443");
        try (ScriptedUpstream upstream = nodes(Answer.ok("a"));
                GatewayFixture _ = gateway(upstream, asking("pass", AT_ONCE, callout))
                        .proxyPass("preserveHost", preserved)
                        .start()) {
            Await.until("asked", () -> !told.isEmpty());
            assertThat(received.getFirst().headers().values("Host"))
                    .containsExactly(preserved ? "id.example.org:8443" : "127.0.0.1:" + upstream.port());
        }
    }

    /** Retries are those of the proxy-pass. */
    @Test
    void anotherNodeIsAskedWhereOneIsNotThere() {
        Probe asks = asking("pass", OFTEN, Callout.of("GET", "/keys"));
        try (ScriptedUpstream upstream = nodes(Answer.ok("a"));
                PortHold down = ScriptedUpstream.refusedPort();
                GatewayFixture _ = GatewayFixture.toPorts(down.port(), upstream.port())
                        .plugins(Probe.LOADER)
                        .route("/*", asks.config())
                        .start()) {
            Await.until("asked", () -> told.size() >= 4);
            // What is under way when the gateway closes has no answer.
            assertThat(told).containsOnly("200 a");
        }
    }

    @Test
    void whatHasNoAnswerSaysWhy() {
        Callout large = Callout.of("GET", "/large").answerBytesMax(9);
        Callout late = Callout.of("GET", "/late").within(Duration.ofMillis(100));
        Callout refused = Callout.of("GET", "/").with(List.of(Field.of("Expect", "miracles")));
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> {
                    if (request.target().equals("/late")) {
                        gate.pass();
                    }
                    return Answer.ok("0123456789");
                });
                GatewayFixture gateway = gateway(
                                upstream,
                                asking("pass", AT_ONCE, large),
                                asking("pass", AT_ONCE, late),
                                asking("pass", AT_ONCE, refused),
                                asking("other", AT_ONCE, late))
                        .start()) {
            Await.until("all told", () -> told.size() == 4);
            gate.release();
            assertThat(gateway.count(Counter.CALLOUTS_FAILED)).isEqualTo(2);
        }
        assertThat(told)
                .containsExactlyInAnyOrder(
                        "UPSTREAM_PROTOCOL", "UPSTREAM_TIMEOUT", "EXPECTATION_FAILED", "NO_HEALTHY_NODE");
    }

    /** A gateway that isn't there yet asks nobody. */
    @Test
    void nothingIsAskedBeforeTheConfigurationIsFollowed() {
        AtomicReference<Callee> callee = new AtomicReference<>();
        Callout callout = Callout.of("GET", "/keys");
        Probe early = Probe.probe()
                .onCreate(context -> callee.set(context.callee("pass")))
                .onStart(() -> tell(callee.get().call(callout)));
        try (ScriptedUpstream upstream = nodes(Answer.ok("a"));
                GatewayFixture gateway = gateway(upstream, early).start()) {
            assertThat(told).containsExactly("CLIENT_GONE");
            tell(callee.get().call(callout));
            gateway.gateway().stop(Duration.ZERO);
            tell(callee.get().call(callout));
        }
        assertThat(told).containsExactly("CLIENT_GONE", "200 a", "CLIENT_GONE");
        assertThat(received).hasSize(1);
    }

    /** What only a plugin waits for holds back no stop, and ends with it; the plugin is told, and then closed. */
    @Test
    void aStopEndsWhatIsUnderWay() throws Exception {
        Probe asks = asking("pass", AT_ONCE, Callout.of("GET", "/keys")).onClose(() -> told.add("closed"));
        AtomicReference<Callee> other = new AtomicReference<>();
        Probe alone = Probe.probe().onCreate(context -> other.set(context.callee("pass")));
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = gateway(upstream, asks, alone).start()) {
            CompletionStage<Response> waits = other.get().call(Callout.of("GET", "/other"));
            upstream.awaitRequests(2);
            long from = System.nanoTime();
            assertThat(gateway.gateway().stop(LONG)).isZero();
            assertThat(Duration.ofNanos(System.nanoTime() - from)).isLessThan(LONG);
            tell(waits);
            upstream.awaitAllClosed();
        }
        assertThat(told).containsExactly("CLIENT_GONE", "closed", "CLIENT_GONE");
    }

    /** A condition stands between the plugin and its exchanges, not between it and what it does by itself. */
    @Test
    void itWorksBesideExchanges() throws IOException {
        AtomicInteger seen = new AtomicInteger();
        Probe asks = asking("pass", OFTEN, Callout.of("GET", "/keys")).onRequest(exchange -> {
            seen.incrementAndGet();
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = nodes(Answer.ok("a"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", asks.when("request.path == '/a'"))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            assertThat(client.send(Ask.get("/b")).readResponse().status()).isEqualTo(200);
            Await.until("asked", () -> told.size() >= 2);
        }
        assertThat(seen).hasValue(1);
    }

    /** A plugin that stays goes on and doesn't begin anew; one that goes is closed after its timer. */
    @Test
    void reloads() throws Exception {
        PluginCatalog catalog = new PluginCatalog(Probe.LOADER);
        PluginConfig first = noting("first").config();
        try (ScriptedUpstream upstream = nodes(Answer.ok("a"))) {
            Gateway gateway =
                    Gateway.start(SnapshotCompiler.compile(config(upstream, first), catalog), 1, new VertxOptions());
            try {
                Await.until("done", () -> told.contains("first does"));
                reload(gateway, catalog, config(upstream, first));
                told.clear();
                Await.until("goes on", () -> told.contains("first does"));
                reload(gateway, catalog, config(upstream, noting("second").config()));
                Await.until("closed", () -> told.contains("first closed"));
                Await.until("begun", () -> told.contains("second does"));
                int closed = told.indexOf("first closed");
                assertThat(told.subList(closed, told.size())).doesNotContain("first does");
            } finally {
                gateway.stop(Duration.ZERO);
            }
        }
        assertThat(told).endsWith("second closed");
        assertThat(told.stream().filter(each -> each.equals("first begins"))).isEmpty();
    }

    private Probe noting(String name) {
        AtomicInteger times = new AtomicInteger();
        return Probe.probe()
                .onCreate(context -> context.timer("note", OFTEN, () -> {
                    if (times.incrementAndGet() == 1) {
                        told.add(name + " begins");
                    }
                    told.add(name + " does");
                }))
                .onClose(() -> told.add(name + " closed"));
    }

    private static SigmaConfig config(ScriptedUpstream upstream, PluginConfig plugin) {
        return GatewayFixture.to(upstream).route("/*", plugin).config();
    }

    private static void reload(Gateway gateway, PluginCatalog catalog, SigmaConfig config) throws Exception {
        gateway.reload(before -> new Gateway.Next(SnapshotCompiler.compile(config, catalog, before)));
    }

    /** Where sigma.json is only checked nothing happens, and what was made for that is closed. */
    @Test
    void aCheckDoesNothing() {
        Probe asks = asking("pass", AT_ONCE, Callout.of("GET", "/")).onClose(() -> told.add("closed"));
        PluginCatalog catalog = new PluginCatalog(Probe.LOADER);
        PluginConfig config = asks.config();
        catalog.tryOut(config.name(), config.settings(), Protocol.HTTP);
        assertThat(told).containsExactly("closed");
    }

    /** What a factory can't have it is told; the file isn't taken. */
    @Test
    void aFactoryThatAsksForTooMuchIsAProblem() {
        Probe asks = Probe.probe().onCreate(context -> {
            for (int i = 0; i <= PluginContext.TIMERS_MAX; i++) {
                context.timer("timer-" + i, OFTEN, () -> {});
            }
        });
        PluginConfig config = asks.config();
        assertThatThrownBy(
                        () -> new PluginCatalog(Probe.LOADER).tryOut(config.name(), config.settings(), Protocol.HTTP))
                .hasMessageContaining("at most 10");
    }
}
