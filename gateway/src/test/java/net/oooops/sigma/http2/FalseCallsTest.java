package net.oooops.sigma.http2;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.RouteConfig;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.control.Gateway;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Any client can say that its request is a call of gRPC. Only where calls may go does it get the time that they have. */
class FalseCallsTest {
    private static final Duration BRIEF = Duration.ofMillis(300);
    private static final String DEADLINE_EXCEEDED = "4";

    private final ScriptedUpstream upstream =
            ScriptedUpstream.startOnHead(request -> request.target().equals("/silent")
                    ? Script.script().awaitPeerClose()
                    : Script.script().readBody().respond(Answer.ok(request.target())));

    @AfterEach
    void stop() {
        upstream.close();
    }

    private GatewayBuilder gateway() {
        return GatewayFixture.to(upstream);
    }

    private static Http2Client call(Http2Client client, boolean ends, String path, String... more) throws IOException {
        String[] fields = new String[more.length + 2];
        fields[0] = "content-type";
        fields[1] = "application/grpc";
        System.arraycopy(more, 0, fields, 2, more.length);
        return client.request(1, ends, "POST", path, fields);
    }

    /** The request is given up as any other that its client doesn't go on with. */
    private static void assertLate(Gateway gateway, Http2Client client) throws IOException {
        Map<String, String> head = client.fields(client.await(Http2Client.HEADERS));
        assertThat(head).containsEntry("grpc-status", DEADLINE_EXCEEDED);
        assertThat(gateway.counters().faults(Fault.REQUEST_TIMEOUT)).isEqualTo(1);
        Await.until("no exchange", () -> gateway.counters().count(Counter.REQUESTS_IN_FLIGHT) == 0);
    }

    @Test
    void aBodyToANodeOfHttp11MayNotBeQuiet() throws IOException {
        try (GatewayFixture gateway = gateway().timeout("bodyIdleNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway)) {
            call(client, false, "/a");
            assertLate(gateway.gateway(), client);
        }
    }

    @Test
    void aBodyToANodeOfHttp11HasARateToKeep() throws IOException {
        try (GatewayFixture gateway =
                        gateway().bodyMinRate(100_000, Duration.ofMillis(200)).start();
                Http2Client client = Http2Client.connect(gateway)) {
            call(client, false, "/a");
            long ends = System.nanoTime() + 5 * BRIEF.toNanos();
            Await.until("given up", () -> {
                try {
                    client.data(1, false, "x");
                } catch (IOException e) {
                    throw new AssertionError(e);
                }
                return gateway.faults(Fault.REQUEST_TIMEOUT) > 0 || System.nanoTime() > ends;
            });
            assertLate(gateway.gateway(), client);
        }
    }

    @Test
    void anAnswerOfHttp11IsAwaitedAsAnyOther() throws IOException {
        try (GatewayFixture gateway =
                        gateway().proxyPass("responseTimeoutNanos", BRIEF).start();
                Http2Client client = Http2Client.connect(gateway)) {
            call(client, true, "/silent", "grpc-timeout", "8000H");
            Map<String, String> head = client.fields(client.await(Http2Client.HEADERS));
            assertThat(head).containsEntry("grpc-status", DEADLINE_EXCEEDED);
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isEqualTo(1);
        }
    }

    /** Nobody but a plugin is there, which collects the body. */
    @Test
    void aBodyForAPluginMayNotBeQuiet() throws IOException {
        Probe answers =
                probe().onRequest(exchange -> Outcome.respond(Response.of(204))).wholeRequest(1000);
        RouteConfig answered = new RouteConfig(
                "answered",
                "",
                "/*",
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                List.of(),
                "",
                List.of(answers.config()));
        try (GatewayFixture gateway = gateway()
                        .plugins(Probe.LOADER)
                        .route(answered)
                        .timeout("bodyIdleNanos", BRIEF)
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            call(client, false, "/a").data(1, false, "abc");
            assertLate(gateway.gateway(), client);
        }
    }

    /** By itself the Route leads to nodes of HTTP/2, and a plugin sends the request elsewhere. */
    @Test
    void aBodyThatIsSentToANodeOfHttp11MayNotBeQuiet() throws IOException {
        String json = """
            {
              "timeouts": { "body-idle": "300ms" },
              "proxy-server": { "http": { "id": "web" } },
              "router": [{ "id": "r", "proxy-server-id": "web", "route": [
                { "id": "a", "path": "/*", "proxy-pass-id": "calls", "plugin": {
                  "traffic-split": { "splits": [{ "proxy-pass-id": "others", "percent": 100 }] }
                } }
              ] }],
              "proxy-pass": [{ "id": "calls", "upstream-id": "calls" }, { "id": "others", "upstream-id": "others" }],
              "upstream": [
                { "id": "calls", "nodes": ["h2c://127.0.0.1:1"] },
                { "id": "others", "nodes": ["http://127.0.0.1:%d"] }
              ]
            }
            """.formatted(upstream.port());
        try (TextGateway gateway = TextGateway.start(json);
                Http2Client client = Http2Client.over(new Socket(InetAddress.getLoopbackAddress(), gateway.port()))) {
            call(client, false, "/a");
            assertLate(gateway.gateway(), client);
        }
    }

    /** The other gateway is a node that speaks HTTP/2. */
    @Test
    void aCallToANodeOfHttp2MayBeQuiet() throws IOException {
        try (GatewayFixture node = gateway().start();
                GatewayFixture gateway = GatewayFixture.toPorts(node.port())
                        .http2Nodes()
                        .timeout("bodyIdleNanos", Duration.ofMillis(50))
                        .proxyPass("idleTimeoutNanos", BRIEF)
                        .proxyPass("tunnel", new TunnelConfig(List.of(), BRIEF.toNanos(), 0))
                        .start();
                Http2Client client = Http2Client.connect(gateway)) {
            long start = System.nanoTime();
            call(client, false, "/a");
            assertLate(gateway.gateway(), client);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThanOrEqualTo(BRIEF);
        }
    }
}
