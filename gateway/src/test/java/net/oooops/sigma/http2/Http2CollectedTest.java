package net.oooops.sigma.http2;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Bodies of streams that are collected whole for a plugin: those before it decide without. */
class Http2CollectedTest {
    private static final PluginConfig WHOLE = GatewayFixture.plugin("body-limit", Map.of("max", "10B", "whole", true));
    private static final int CANCEL = 8;

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
    private final Probe guard = Probe.probe().onRequest(x -> {
        seen.add(x.request().path());
        return Outcome.CONTINUE;
    });

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayFixture gateway(PluginConfig... plugins) {
        return GatewayFixture.to(node)
                .plugins(Probe.LOADER)
                .timeout("bodyIdleNanos", Duration.ofSeconds(2))
                .route("/*", plugins)
                .start();
    }

    private static PluginConfig plugin(String name, Map<String, Object> settings) {
        return GatewayFixture.plugin(name, settings);
    }

    @Test
    void aGuardAnswersWithoutTheBody() throws IOException {
        PluginConfig denies = plugin("ip-restriction", Map.of("deny", List.of("127.0.0.0/8")));
        try (GatewayFixture gateway = gateway(denies, WHOLE);
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/", "content-length", "5");
            assertThat(client.response(1).status()).isEqualTo(403);
            client.request(3, false, "POST", "/", "expect", "100-continue");
            assertThat(client.response(3).status()).isEqualTo(403);
        }
    }

    @Test
    void oneThatIsLetInIsCollected() throws IOException {
        try (GatewayFixture gateway = gateway(guard.config(), WHOLE);
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/").data(1, false, "hel");
            Await.until("let in", () -> seen.size() == 1);
            client.data(1, true, "lo");
            assertThat(client.response(1).text()).isEqualTo("hello");
            assertThat(node.request(0).header("Content-Length")).isEqualTo("5");
            client.request(3, false, "POST", "/").data(3, false, "hello").data(3, false, "hello!");
            assertThat(client.response(3).status()).isEqualTo(413);
        }
    }

    /** In streams no length need be said. */
    @Test
    void aSmallerLimitBeforeItHolds() throws IOException {
        PluginConfig small = plugin("body-limit", Map.of("max", "5B"));
        Probe answers = Probe.probe().onRequest(x -> Outcome.respond(Response.of(204)));
        try (GatewayFixture gateway = gateway(small, WHOLE, answers.config());
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/").data(1, false, "hello").data(1, true, "!");
            assertThat(client.response(1).status()).isEqualTo(413);
            client.request(3, false, "POST", "/").data(3, true, "hello");
            assertThat(client.response(3).status()).isEqualTo(204);
            assertThat(gateway.pluginCount("body-limit", "too-large")).isEqualTo(1);
        }
    }

    /** Each leaves the place that it has taken. */
    @Test
    void thePlacesOfStreamsThatEndAreGivenBack() throws IOException {
        PluginConfig one = plugin("concurrency-limit", Map.of("max", 1));
        try (GatewayFixture gateway = gateway(guard.config(), one, WHOLE);
                Http2Client client = Http2Client.connect(gateway)) {
            client.request(1, false, "POST", "/1").data(1, false, "hel");
            Await.until("let in", () -> seen.contains("/1"));
            client.request(3, false, "POST", "/3");
            assertThat(client.response(3).status()).isEqualTo(429);
            client.reset(1, CANCEL);
            Await.until("gone", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);

            client.request(5, false, "POST", "/5").data(5, false, "hel");
            assertThat(client.response(5).status()).as("it stalls").isEqualTo(408);
            Await.until("gone", () -> gateway.count(Counter.REQUESTS_IN_FLIGHT) == 0);

            client.request(7, false, "POST", "/7").data(7, false, "hel");
            Await.until("let in", () -> seen.contains("/7"));
            client.request(9, true, "GET", "/9");
            assertThat(client.response(9).status()).isEqualTo(429);
            client.data(7, true, "lo");
            assertThat(client.response(7).text()).isEqualTo("hello");
        }
    }
}
