package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.plugins.TextGateway;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Timeouts and limits that a reload changes hold for connections that are there already, as for others. */
class TimeoutsReloadTest {
    private static final String LONG = "{}";

    private final ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("yes"));

    @AfterEach
    void stop() {
        upstream.close();
    }

    private String json(String timeouts, String limits) {
        return json(timeouts, limits, upstream);
    }

    private static String json(String timeouts, String limits, ScriptedUpstream upstream) {
        return """
                {
                  "proxy-server": { "http": { "id": "web", "timeouts": %s, "limits": %s } },
                  "router": [{ "id": "r", "proxy-server-id": "web", "route": [{ "id": "all", "path": "/*", "proxy-pass-id": "node" }] }],
                  "proxy-pass": [{ "id": "node", "upstream-id": "node" }],
                  "upstream": [{ "id": "node", "nodes": ["%s"] }]
                }
                """.formatted(timeouts, limits, upstream.url());
    }

    private String timeouts(String timeouts) {
        return json(timeouts, "{}");
    }

    private static RawResponse get(RawClient client) throws IOException {
        client.send(Ask.get("/"));
        return client.readResponse();
    }

    private static Duration since(long nanos) {
        return Duration.ofNanos(System.nanoTime() - nanos);
    }

    @Test
    void anIdleConnectionIsClosedInTheNewTime() throws IOException {
        try (TextGateway gateway = TextGateway.start(timeouts(LONG));
                RawClient client = gateway.connect();
                RawClient silent = gateway.connect()) {
            assertThat(get(client).status()).isEqualTo(200);
            long idleNanos = System.nanoTime();

            gateway.reload(timeouts("{ \"keep-alive\": \"2s\", \"header\": \"2s\" }"));

            client.expectCleanClose();
            assertThat(since(idleNanos)).isBetween(Duration.ofMillis(1900), Duration.ofSeconds(8));
            silent.expectCleanClose();
            gateway.awaitCount(Counter.DOWNSTREAM_IDLE_TIMEOUTS, 2);
        }
    }

    @Test
    void aLongerTimeIsForThemToo() throws IOException {
        try (TextGateway gateway = TextGateway.start(timeouts("{ \"keep-alive\": \"2s\" }"));
                RawClient client = gateway.connect();
                RawClient another = gateway.connect()) {
            assertThat(get(client).status()).isEqualTo(200);
            long idleNanos = System.nanoTime();

            gateway.reload(timeouts("{ \"keep-alive\": \"4s\" }"));

            client.expectCleanClose();
            assertThat(since(idleNanos)).isGreaterThanOrEqualTo(Duration.ofMillis(3900));
            assertThat(get(another).status()).isEqualTo(200);
        }
    }

    @Test
    void aHeadThatHasBegunHasTheNewTime() throws IOException {
        try (TextGateway gateway = TextGateway.start(timeouts("{ \"header\": \"60s\" }"));
                RawClient client = gateway.connect()) {
            client.send("GET / HTTP/1.1\r\n");
            Await.until("it is accepted", () -> gateway.gateway().connectionCount() == 1);

            gateway.reload(timeouts("{ \"header\": \"1s\" }"));

            assertThat(client.readResponse().status()).isEqualTo(408);
        }
    }

    @Test
    void aBodyThatHasBegunHasTheNewTime() throws IOException {
        try (TextGateway gateway = TextGateway.start(timeouts(LONG));
                RawClient client = gateway.connect()) {
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc");
            upstream.awaitHeads(1);

            gateway.reload(timeouts("{ \"body-idle\": \"1s\" }"));

            assertThat(client.readResponse().status()).isEqualTo(408);
        }
    }

    @Test
    void anOldConnectionIsTooOldByTheNewTime() throws IOException {
        try (TextGateway gateway = TextGateway.start(timeouts(LONG));
                RawClient client = gateway.connect()) {
            assertThat(get(client).header("connection")).isNull();
            gateway.reload(timeouts("{ \"connection-lifetime\": \"1ms\" }"));
            assertThat(get(client).header("connection")).isEqualTo("close");
            client.expectCleanClose();
        }
    }

    /** Its head had left by then, and didn't say that the connection ends: another request may be on its way. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void oneThatIsTooOldBehindTheHeadOfAnAnswerIsToldWithTheNext(boolean old) throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream slow =
                        ScriptedUpstream.startOnHead(request -> request.target().equals("/slow")
                                ? Script.script()
                                        .send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n")
                                        .stall(gate)
                                        .send("hello")
                                : Script.script().respond(Answer.ok("hello")));
                TextGateway gateway = TextGateway.start(json(LONG, "{}", slow));
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/slow"));
            assertThat(client.readHead().header("connection")).isNull();

            gateway.reload(
                    old
                            ? json("{ \"connection-lifetime\": \"1ms\" }", "{}", slow)
                            : json(LONG, "{ \"requests-per-connection\": 1 }", slow));

            gate.release();
            assertThat(client.readRest().bodyText()).isEqualTo("hello");
            assertThat(get(client).header("connection")).isEqualTo("close");
            client.expectCleanClose();
        }
    }

    /** Two in a row: each counts from the beginning. */
    @Test
    void oneReloadAfterTheOtherChangesNothingButWhatTheLastOneSays() throws IOException {
        try (TextGateway gateway = TextGateway.start(timeouts(LONG));
                RawClient client = gateway.connect()) {
            assertThat(get(client).status()).isEqualTo(200);
            long idleNanos = System.nanoTime();
            for (int seconds = 60; seconds >= 3; seconds -= 19) {
                gateway.reload(timeouts("{ \"keep-alive\": \"" + seconds + "s\" }"));
            }
            client.expectCleanClose();
            assertThat(since(idleNanos)).isBetween(Duration.ofMillis(2900), Duration.ofSeconds(8));
        }
    }

    @Test
    void whoTakesNothingIsCutInTheNewTime() throws IOException {
        String large = "a".repeat(64 << 20);
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(large));
                TextGateway gateway = TextGateway.start(timeouts(LONG).replace(upstream.url(), node.url()));
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            assertThat(client.readHead().status()).isEqualTo(200);

            gateway.reload(timeouts("{ \"send-stall\": \"1s\" }").replace(upstream.url(), node.url()));

            gateway.awaitFaults(Fault.CLIENT_STALLED, 1);
        }
    }

    @Test
    void theNextRequestOfAConnectionIsMeasuredByTheNewLimits() throws IOException {
        try (TextGateway gateway = TextGateway.start(json("{}", "{ \"body\": \"1MiB\" }"));
                RawClient client = gateway.connect()) {
            assertThat(get(client).status()).isEqualTo(200);
            gateway.reload(json("{}", "{ \"body\": \"1KiB\" }"));
            client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2000\r\n\r\n");
            assertThat(client.readResponse().status()).isEqualTo(413);
        }
    }
}
