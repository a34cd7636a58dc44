package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** What plugins in shadow keep with an exchange is there to its end, whatever becomes of other plugins. */
class ShadowKeptTest {
    private static final Key<String> KEPT = Key.of(String.class, "kept");

    private final List<String> seen = new CopyOnWriteArrayList<>();

    private Probe keeps() {
        Probe probe = Probe.probe();
        return probe.onRequest(x -> {
                    x.value(KEPT, "value");
                    x.attach(probe, "attached");
                    return Outcome.CONTINUE;
                })
                .onEnd(x -> seen.add(x.value(KEPT) + " " + x.attachment(probe)));
    }

    private static Outcome suspended(CompletableFuture<Boolean> there) {
        there.complete(true);
        return Outcome.suspend(new CompletableFuture<>());
    }

    @Test
    void itIsThereWhereAnotherPluginIsLeft() throws IOException {
        Probe late = Probe.probe().onRequest(x -> Outcome.suspend(new CompletableFuture<>()));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", keeps().shadow(), late.shadow())
                        .timeout("pluginNanos", Duration.ofMillis(100))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            Await.until("ended", () -> !seen.isEmpty());
            assertThat(seen).containsExactly("value attached");
        }
    }

    @Test
    void itIsThereWhereTheClientGoesAway() throws IOException {
        CompletableFuture<Boolean> there = new CompletableFuture<>();
        Probe waits = Probe.probe().onRequest(x -> suspended(there));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", keeps().shadow(), waits.config())
                        .start()) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.get("/"));
                Await.until("suspended", there::isDone);
                client.reset();
            }
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            assertThat(seen).containsExactly("value attached");
        }
    }

    /** A slot that wasn't left would never be free again. */
    @Test
    void aConcurrencyLimitHasNoSlotTakenInTheEnd() throws IOException {
        CompletableFuture<Boolean> there = new CompletableFuture<>();
        Probe waits =
                Probe.probe().onRequest(x -> x.request().path().equals("/wait") ? suspended(there) : Outcome.CONTINUE);
        PluginConfig limit = GatewayFixture.plugin("concurrency-limit", Map.of("max", 1, "mode", "shadow"));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", limit, waits.config())
                        .start()) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.get("/wait"));
                Await.until("suspended", there::isDone);
                client.reset();
            }
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            try (RawClient client = gateway.connect()) {
                assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            }
            Ask.quiet(gateway);
            assertThat(gateway.counters().shadows()).isEmpty();
        }
    }

    /** It has seen the request, and is told of the end, so that it gives back what it holds. */
    @Test
    void oneThatMayNotSeeTheResponseIsToldOfTheEnd() throws IOException {
        Probe whole = keeps().onResponse(x -> {
            seen.add("response");
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("much too large"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", whole.wholeResponse(5).shadow())
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            Await.until("ended", () -> !seen.isEmpty());
            assertThat(seen).containsExactly("value attached");
        }
    }
}
