package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.upstream.Node;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin that waits on the event loop is noticed while it does. */
class StalledPluginTest {
    private static GatewayFixture gateway(ScriptedUpstream upstream, Probe... probes) {
        GatewayBuilder builder = GatewayFixture.to(upstream).plugins(Probe.LOADER);
        builder.route("/*", Arrays.stream(probes).map(Probe::config).toArray(PluginConfig[]::new));
        return builder.start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"request", "response", "chunk", "end"})
    void itIsCountedThoughItHasNotReturned(String where) throws IOException {
        Gate gate = new Gate();
        Probe waits = switch (where) {
            case "request" -> probe().onRequest(exchange -> passed(gate));
            case "response" -> probe().onResponse(exchange -> passed(gate));
            case "chunk" -> probe().onRequestChunk((exchange, chunk) -> passed(gate));
            default -> probe().onEnd(exchange -> passed(gate));
        };
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = gateway(upstream, probe().onRequest(exchange -> Outcome.CONTINUE), waits);
                RawClient client = gateway.connect();
                Released _ = gate::release) {
            client.send(Ask.post("/", "body"));
            Await.until("the plugin waits", () -> gate.waiting() == 1);
            Ask.count(gateway, Counter.PLUGIN_STALLS, 1);
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("body");
            assertThat(client.send(Ask.post("/", "more")).readResponse().bodyText())
                    .isEqualTo("more");
            assertThat(gateway.count(Counter.PLUGIN_STALLS)).isEqualTo(1);
        }
    }

    /** The first Worker's loop was the clock of all of them. */
    @Test
    void timeGoesOnForNodesMeanwhile() throws IOException {
        Gate gate = new Gate();
        Probe stalls = probe().onRequest(
                        exchange -> exchange.request().path().equals("/stall") ? passed(gate) : Outcome.CONTINUE);
        try (ScriptedUpstream sick = ScriptedUpstream.start(request -> Answer.of(503));
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(sick.port(), good.port())
                        .plugins(Probe.LOADER)
                        .route("/*", stalls.config())
                        .passive("errorsMax", 1)
                        .passive("ejectionNanos", TimeUnit.SECONDS.toNanos(2))
                        .start();
                RawClient client = gateway.connect();
                Released _ = gate::release) {
            Node node = gateway.gateway().nodes().getFirst();
            Await.until("ejected", () -> {
                HealingTest.ask(client, Ask.get("/"));
                return node.state() == Node.State.EJECTED;
            });
            client.send(Ask.get("/stall"));
            Await.until("the plugin waits", () -> gate.waiting() == 1);
            Await.until("its time is over", () -> node.state() == Node.State.TRIAL);
            gate.release();
            assertThat(client.readResponse().status()).isEqualTo(200);
        }
    }

    @Test
    void onAThreadOfItsOwnItMayWait() throws IOException {
        Gate gate = new Gate();
        Gate loop = new Gate();
        Probe waits = probe().onRequest(exchange -> passed(gate)).blocking();
        Probe stalls = probe().onRequest(
                        exchange -> exchange.request().path().equals("/stall") ? passed(loop) : Outcome.CONTINUE);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/stall", stalls.config())
                        .route("/*", waits.config())
                        .start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect();
                Released _ = gate::release;
                Released _ = loop::release) {
            client.send(Ask.get("/"));
            Await.until("the plugin waits", () -> gate.waiting() == 1);
            // One that may not shows that there was time enough to notice both.
            other.send(Ask.get("/stall"));
            Ask.count(gateway, Counter.PLUGIN_STALLS, 1);
            loop.release();
            assertThat(other.readResponse().status()).isEqualTo(200);
            gate.release();
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(gateway.count(Counter.PLUGIN_STALLS)).isEqualTo(1);
        }
    }

    /** Whatever fails, the gateway can stop. */
    private interface Released extends AutoCloseable {
        @Override
        void close();
    }

    private static Outcome passed(Gate gate) {
        try {
            gate.pass();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return Outcome.CONTINUE;
    }
}
