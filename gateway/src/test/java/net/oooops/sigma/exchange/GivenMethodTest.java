package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.BodyEnd;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Methods that plugins change: the node gets the new one, the client's answer is framed by its own. Over HTTP/1.1 and HTTP/2 to nodes. */
class GivenMethodTest {
    private static final FieldName TO = FieldName.of("To");

    @TempDir
    @SuppressWarnings("NullAway.Init")
    Path dir;

    /** Makes the method what the request's field says. */
    static Outcome change(Exchange exchange) {
        String method = exchange.request().value(TO);
        if (method != null) {
            exchange.request().method(method);
        }
        return Outcome.CONTINUE;
    }

    private static PluginConfig changing() {
        return Probe.probe().onRequest(GivenMethodTest::change).config();
    }

    private static String ask(String method, String to, String more) {
        return method + " / HTTP/1.1\r\nHost: a.example\r\nTo: " + to + "\r\n" + more + "\r\n";
    }

    /** One that changes methods in front of nodes, perhaps by HTTP/2 to another gateway that is the node. */
    private record Two(GatewayFixture first, GatewayFixture second) implements AutoCloseable {
        static Two of(ScriptedUpstream upstream, boolean http2) {
            GatewayFixture behind =
                    GatewayFixture.to(upstream).tls(null).route("/*").start();
            GatewayBuilder before = http2
                    ? GatewayFixture.toPorts(behind.port()).http2Nodes().nodeTls(null)
                    : GatewayFixture.to(upstream);
            return new Two(before.plugins(Probe.LOADER).route("/*", changing()).start(), behind);
        }

        @Override
        public void close() {
            first.close();
            second.close();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aGetThatGoesAsHeadGetsAnEmptyBody(boolean http2) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("hello"));
                Two gateways = Two.of(upstream, http2);
                RawClient client = gateways.first.connect()) {
            for (int i = 0; i < 3; i++) {
                RawResponse response = client.send(ask("GET", "HEAD", "")).readResponse();
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.header("Content-Length")).isEqualTo("0");
                assertThat(response.bodyBytes()).isZero();
                assertThat(upstream.requests().getLast().method()).isEqualTo("HEAD");
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
                assertThat(upstream.requests().getLast().method()).isEqualTo("GET");
            }
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @CsvSource({"true,5", "false,5", "true,60000", "false,60000", "true,1000000", "false,1000000"})
    void aHeadThatGoesAsGetGetsItsHeadAlone(boolean http2, int bytes) throws IOException {
        Answer answer = Answer.ok("x".repeat(bytes));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> answer);
                Two gateways = Two.of(upstream, http2);
                RawClient client = gateways.first.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send(ask("HEAD", "GET", ""));
                RawResponse response = client.readResponse("HEAD");
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.header("Content-Length")).isEqualTo("" + bytes);
                assertThat(upstream.requests().getLast().method()).isEqualTo("GET");
                RawResponse next = client.send(Ask.get("/")).readResponse();
                assertThat(next.bodyBytes()).isEqualTo(bytes);
                assertThat(next.bodyEnd()).isEqualTo(BodyEnd.LENGTH);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aHeadOfUnknownLengthHoldsNobodyUp(boolean http2) throws IOException {
        Gate more = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.startOnHead(request -> request.header("To") == null
                        ? Answer.ok("hello")
                        : Script.script()
                                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")
                                .stall(more));
                Two gateways = Two.of(upstream, http2);
                RawClient client = gateways.first.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send(ask("HEAD", "GET", "") + Ask.get("/"));
                assertThat(client.readResponse("HEAD").status()).isEqualTo(200);
                assertThat(client.readResponse().bodyText()).isEqualTo("hello");
            }
            more.release();
        }
    }

    @Test
    void aLittleThatIsThrownAwayCostsNoConnection() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("hello"));
                Two gateways = Two.of(upstream, false);
                RawClient client = gateways.first.connect()) {
            for (int i = 0; i < 10; i++) {
                client.send(ask("HEAD", "GET", "")).readResponse("HEAD");
            }
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void bodiesGoOnAsTheyAre(boolean http2) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                Two gateways = Two.of(upstream, http2);
                RawClient client = gateways.first.connect()) {
            String put = ask("POST", "PUT", "Content-Length: 5\r\n") + "hello";
            assertThat(client.send(put).readResponse().bodyText()).isEqualTo("hello");
            assertThat(upstream.requests().getLast().method()).isEqualTo("PUT");
            String get = ask("POST", "GET", "Transfer-Encoding: chunked\r\n") + "3\r\nabc\r\n0\r\n\r\n";
            assertThat(client.send(get).readResponse().bodyText()).isEqualTo("abc");
            assertThat(upstream.requests().getLast().method()).isEqualTo("GET");
            assertThat(client.send(ask("GET", "POST", "")).readResponse().status())
                    .isEqualTo(200);
            ReceivedRequest post = upstream.requests().getLast();
            assertThat(post.method()).isEqualTo("POST");
            if (!http2) {
                assertThat(post.header("Content-Length")).isEqualTo("0");
            }
            client.send(ask("GET", "DELETE", "")).readResponse();
            assertThat(upstream.requests().getLast().header("Content-Length")).isNull();
        }
    }

    @ParameterizedTest
    @CsvSource({"GET,POST,1", "POST,PUT,2", "GET,GET,2"})
    void triesFollowWhatTheNodeGets(String client, String node, int tries) throws IOException {
        Script closes = Script.script().readRequest().close();
        try (ScriptedUpstream one = ScriptedUpstream.play(closes, closes, closes);
                ScriptedUpstream other = ScriptedUpstream.play(closes, closes, closes);
                GatewayFixture gateway = GatewayFixture.to(one, other)
                        .plugins(Probe.LOADER)
                        .route("/*", changing())
                        .start();
                RawClient asks = gateway.connect()) {
            asks.send(ask(client, node, client.equals("POST") ? "Content-Length: 0\r\n" : ""));
            assertThat(asks.readResponse().status()).isEqualTo(502);
            assertThat(one.requests().size() + other.requests().size()).isEqualTo(tries);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"CONNECT", "TRACE", "A B", "G:T", "", "A123456789B123456789C123456789D123", "GÉT"})
    void whatIsNoMethodFailsThePlugin(String method) throws IOException {
        List<String> thrown = new ArrayList<>();
        PluginConfig changes = Probe.probe()
                .onRequest(exchange -> {
                    try {
                        exchange.request().method(method);
                    } catch (IllegalArgumentException e) {
                        thrown.add(String.valueOf(e.getMessage()));
                    }
                    return Outcome.CONTINUE;
                })
                .config();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", changes)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
            assertThat(thrown).singleElement().asString().contains("expected: a token");
            assertThat(upstream.requests().getLast().method()).isEqualTo("GET");
        }
    }

    @Test
    void itIsSeenByThoseBehindAndLoggedAsReceived() throws IOException {
        Path log = dir.resolve("access.log");
        List<String> seen = new ArrayList<>();
        Probe behind = Probe.probe()
                .onRequest(exchange -> {
                    seen.add(exchange.request().method() + " "
                            + exchange.request().receivedMethod());
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    try {
                        exchange.request().method("PUT");
                    } catch (IllegalStateException e) {
                        seen.add("late");
                    }
                    return Outcome.CONTINUE;
                });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("hello"))) {
            try (GatewayFixture gateway = GatewayFixture.to(upstream)
                            .plugins(Probe.LOADER)
                            .route("/*", changing(), behind.config())
                            .accessLog(log)
                            .start();
                    RawClient client = gateway.connect()) {
                client.send(ask("PURGE", "DELETE", "")).readResponse();
                client.send(ask("GET", "GET", "")).readResponse();
                gateway.drain(Duration.ofSeconds(5));
            }
            assertThat(upstream.requests().getFirst().method()).isEqualTo("DELETE");
        }
        assertThat(seen).containsExactly("DELETE PURGE", "late", "GET GET", "late");
        String first = Files.readString(log, StandardCharsets.UTF_8)
                .lines()
                .findFirst()
                .orElseThrow();
        assertThat(new ObjectMapper().readTree(first).toString())
                .contains("PURGE")
                .doesNotContain("DELETE");
    }

    @Test
    void inShadowItChangesNothing() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route(
                                "/*",
                                Probe.probe().onRequest(GivenMethodTest::change).shadow())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(ask("GET", "DELETE", "")).readResponse();
            assertThat(upstream.requests().getLast().method()).isEqualTo("GET");
            assertThat(gateway.counters().shadows())
                    .anyMatch(shadow -> shadow.outcome().equals("change") && shadow.count() == 1);
        }
    }

    @Test
    void whoAsksForAnotherProtocolIsNotGivenItThen() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(_ -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", changing())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(
                    ask(
                            "GET",
                            "POST",
                            "Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"));
            assertThat(client.readResponse().bodyText()).isEqualTo("hello");
            assertThat(upstream.requests().getLast().header("Upgrade")).isNull();
        }
    }
}
