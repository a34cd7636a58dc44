package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Plugins with a condition in whole exchanges: they act on all of one, or on nothing of it. */
class ConditionedPluginTest {
    private final List<String> seen = new CopyOnWriteArrayList<>();

    private static GatewayFixture start(ScriptedUpstream upstream, PluginConfig... plugins) {
        GatewayBuilder builder = GatewayFixture.to(upstream).plugins(Probe.LOADER);
        return builder.route("/*", plugins).start();
    }

    private Outcome note(String what) {
        seen.add(what);
        return Outcome.CONTINUE;
    }

    /** Is called for all that there is. */
    private Probe watcher() {
        return Probe.probe()
                .onRequest(x -> note("request"))
                .onResponse(x -> note("response"))
                .onRequestChunk((x, chunk) -> note("request chunk"))
                .onResponseChunk((x, chunk) -> note("response chunk"))
                .onEnd(x -> note("end"));
    }

    @Test
    void itActsOnAllOfAnExchangeOrOnNothing() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = start(upstream, watcher().when("request.path.startsWith('/api/')"));
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/other", "body")).readResponse();
            client.send(Ask.post("/api/x", "body")).readResponse();

            Await.until("ended", () -> seen.contains("end"));
            assertThat(seen).containsExactly("request", "request chunk", "response", "response chunk", "end");
        }
    }

    /** What was decided is kept, whatever becomes of the request. */
    @Test
    void theConditionIsAskedOnce() throws IOException {
        Probe moves = Probe.probe().onRequest(x -> {
            x.request().path("/moved");
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = start(upstream, watcher().when("request.path == '/first'"), moves.config());
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/first")).readResponse();
            client.send(Ask.get("/moved")).readResponse();

            Await.until("ended", () -> seen.contains("end"));
            assertThat(seen).containsExactly("request", "response", "response chunk", "end");
            assertThat(upstream.request(0).target()).isEqualTo("/moved");
        }
    }

    @Test
    void itSeesWhatPluginsBeforeItHaveMadeOfTheRequest() throws IOException {
        Probe marks = Probe.probe().onRequest(x -> {
            x.request().set(Field.of("X-Mark", "1"));
            return Outcome.CONTINUE;
        });
        Probe refuses = Probe.probe().onRequest(x -> Outcome.respond(Response.text(403, "no")));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway =
                        start(upstream, marks.config(), refuses.when("request.headers['x-mark'] == '1'"));
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(403);
        }
    }

    /** What it attaches is its own, and the decision doesn't stand in its place. */
    @Test
    void itKeepsWhatItAttaches() throws IOException {
        Plugin[] self = new Plugin[1];
        Probe attaches = Probe.probe().onRequest(x -> attached(x, self[0])).onResponse(x -> {
            x.response().set(Field.of("X-Attached", String.valueOf(x.attachment(self[0]))));
            return Outcome.CONTINUE;
        });
        self[0] = attaches;
        Probe other = Probe.probe().onResponse(x -> note("other sees " + x.attachment(self[0])));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = start(upstream, attaches.when("request.method == 'GET'"), other.config());
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                RawResponse response = client.send(Ask.get("/" + i)).readResponse();
                assertThat(response.header("X-Attached")).isEqualTo("null /" + i);
            }
            assertThat(seen).containsExactly("other sees null /0", "other sees null /1");
        }
    }

    private static Outcome attached(Exchange exchange, Plugin self) {
        exchange.attach(
                self, exchange.attachment(self) + " " + exchange.request().path());
        return Outcome.CONTINUE;
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void oneThatBlocksTakesNoThreadWhereItDoesntAct(boolean inResponse) throws IOException {
        Probe blocks = inResponse
                ? Probe.probe().onResponse(x -> note("called"))
                : Probe.probe().onRequest(x -> note("called"));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .limit("blockingCallsMax", 1)
                        .route("/*", blocks.blocking().when("request.path == '/slow'"))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/fast")).readResponse().status()).isEqualTo(200);
            assertThat(seen).isEmpty();
            assertThat(client.send(Ask.get("/slow")).readResponse().status()).isEqualTo(200);
            assertThat(seen).containsExactly("called");
        }
    }

    /** A guard isn't got round by a request that its condition chokes on. */
    @Test
    void whatCantBeEvaluatedActsAndIsCounted() throws IOException {
        Probe refuses = Probe.probe().onRequest(x -> Outcome.respond(Response.text(403, "no")));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = start(upstream, refuses.when("int(request.params['n']) > 5"));
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/?n=1")).readResponse().status()).isEqualTo(200);
            assertThat(client.send(Ask.get("/?n=6")).readResponse().status()).isEqualTo(403);
            for (int i = 0; i < 3; i++) {
                assertThat(client.send(Ask.get("/?n=x")).readResponse().status())
                        .isEqualTo(403);
            }
            Ask.count(gateway, Counter.PLUGIN_CONDITIONS_UNDECIDED, 3);
        }
    }

    /** Its condition is asked when there is a response: the plugin sees nothing before. */
    @Test
    void oneThatOnlySeesResponsesMayAskForThem() throws IOException {
        Probe marks = Probe.probe().onResponse(x -> {
            x.response().set(Field.of("X-Mark", "1"));
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        request -> request.target().equals("/bad") ? Answer.of(500) : Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .withoutRetries()
                        .route("/*", marks.when("response.status >= 500"))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().header("X-Mark"))
                    .isNull();
            assertThat(client.send(Ask.get("/bad")).readResponse().header("X-Mark"))
                    .isEqualTo("1");
        }
    }

    @Test
    void bothConditionAndShadow() throws IOException {
        Probe refuses = Probe.probe()
                .onRequest(x -> {
                    x.attach(self(), "kept");
                    return Outcome.respond(Response.text(403, "no"));
                })
                .onEnd(x -> note("end " + x.request().path() + " " + x.attachment(self())));
        selves.add(refuses);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway =
                        start(upstream, refuses.config(Map.of("when", "request.path == '/a'", "mode", "shadow")));
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/a")).readResponse().status()).isEqualTo(200);
            assertThat(client.send(Ask.get("/b")).readResponse().status()).isEqualTo(200);
            Await.value("seen", seen::size, n -> n == 1);
            assertThat(seen).containsExactly("end /a kept");
            assertThat(gateway.counters().shadows()).hasSize(1);
        }
    }

    private final List<Plugin> selves = new CopyOnWriteArrayList<>();

    private Plugin self() {
        return selves.getFirst();
    }
}
