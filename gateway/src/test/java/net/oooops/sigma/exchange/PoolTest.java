package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.UpstreamOptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Connections to a node: kept, shared, bounded, and given up where they are no good. */
class PoolTest {
    @Test
    void bothSidesAreKeptAlive() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 50; i++) {
                assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            }
            assertThat(upstream.connectionCount()).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_OPENED)).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_REUSED)).isEqualTo(49);
            assertThat(gateway.count(Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED)).isEqualTo(1);
        }
    }

    @Test
    void theConnectionThatWasUsedLastIsUsedFirst() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Script.script()
                        .stall(request.target().equals("/wait") ? gate : open())
                        .respond(Answer.ok("hello")));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient one = gateway.connect();
                RawClient two = gateway.connect()) {
            one.send(Ask.get("/wait"));
            upstream.awaitRequests(1);
            two.send(Ask.get("/")).readResponse();
            gate.release();
            one.readResponse();
            // Idle now: first the second connection, then the first one, which became idle last.
            for (int i = 0; i < 5; i++) {
                two.send(Ask.get("/")).readResponse();
            }
            assertThat(upstream.connectionCount()).isEqualTo(2);
            assertThat(upstream.requests().stream().skip(2).map(request -> request.connection()))
                    .containsExactly(0, 0, 0, 0, 0);
        }
    }

    @Test
    void thereAreNeverMoreThanAllowedAndEveryoneIsAnswered() throws Exception {
        int clients = 200;
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withRequestsKept(0),
                        request -> Script.script().pause(Duration.ofMillis(2)).respond(Answer.ok("hello")));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 8)
                        .client("waitTimeoutNanos", Duration.ofSeconds(20))
                        .start()) {
            Queue<Object> outcomes = concurrently(clients, number -> {
                try (RawClient client = gateway.connect()) {
                    for (int i = 0; i < 10; i++) {
                        assertThat(client.send(Ask.get("/")).readResponse().bodyText())
                                .isEqualTo("hello");
                    }
                }
                return "done";
            });

            assertThat(outcomes).hasSize(clients).containsOnly("done");
            assertThat(upstream.connectionCount()).isBetween(1, 8);
            Ask.count(gateway, Counter.REQUESTS_2XX, clients * 10L);
            Ask.quiet(gateway);
        }
    }

    @Test
    void twoWorkersShareTheBoundOut() throws Exception {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        UpstreamOptions.defaults().withRequestsKept(0),
                        request -> Script.script().pause(Duration.ofMillis(5)).respond(Answer.ok("hello")));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 5)
                        .client("waitTimeoutNanos", Duration.ofSeconds(20))
                        .workers(2)
                        .start()) {
            Queue<Object> outcomes = concurrently(60, number -> {
                try (RawClient client = gateway.connect()) {
                    for (int i = 0; i < 10; i++) {
                        client.send(Ask.get("/")).readResponse();
                    }
                }
                return "done";
            });

            assertThat(outcomes).hasSize(60).containsOnly("done");
            assertThat(upstream.connectionCount()).isEqualTo(5);
            Ask.count(gateway, Counter.REQUESTS_2XX, 600);
        }
    }

    @Test
    void beyondTheQueueIs503AtOnce() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 1)
                        .client("maxWaitQueue", 0)
                        .start();
                RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            first.send(Ask.get("/"));
            upstream.awaitRequests(1);
            RawResponse response = second.send(Ask.post("/", "hello")).readResponse();

            assertThat(response.status()).isEqualTo(503);
            assertThat(response.header("Retry-After")).isEqualTo("1");
            assertThat(gateway.faults(Fault.POOL_OVERFLOW)).isEqualTo(1);
            assertThat(upstream.requestCount()).isEqualTo(1);
        }
    }

    @Test
    void waitingForTooLongIs503() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 1)
                        .client("waitTimeoutNanos", Duration.ofMillis(300))
                        .start();
                RawClient first = gateway.connect();
                RawClient second = gateway.connect()) {
            first.send(Ask.get("/"));
            upstream.awaitRequests(1);
            RawResponse response = second.send(Ask.get("/")).readResponse();

            assertThat(response.status()).isEqualTo(503);
            assertThat(response.header("Retry-After")).isEqualTo("1");
            assertThat(gateway.faults(Fault.POOL_TIMEOUT)).isEqualTo(1);
            Await.value("waiting", () -> Ask.pool(gateway).waiting(), n -> n == 0);
            assertThat(upstream.requestCount()).isEqualTo(1);
        }
    }

    @Test
    void whoWaitsIsServedInOrderWithTheirBodies() throws IOException {
        Gate gate = new Gate();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request ->
                        Script.script().stall(gate).respond(Answer.ok(request.target() + request.bodyText())));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("maxPoolSizePerServer", 1)
                        .start()) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                RawClient client = gateway.connect();
                clients.add(client);
                client.send(Ask.post("/" + i, "body" + i));
                int waiting = i;
                Await.value("waiting", () -> Ask.pool(gateway).waiting(), n -> n == waiting);
            }
            gate.release();
            for (int i = 0; i < 5; i++) {
                assertThat(clients.get(i).readResponse().bodyText()).isEqualTo("/" + i + "body" + i);
                clients.get(i).close();
            }
            assertThat(upstream.connectionCount()).isEqualTo(1);
            assertThat(upstream.requests().stream().map(request -> request.target()))
                    .containsExactly("/0", "/1", "/2", "/3", "/4");
        }
    }

    @Test
    void aConnectionIsClosedBeforeTheNodeWouldCloseIt() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(
                        request -> Answer.ok("hello").header("Keep-Alive", "max=100, timeout=3"));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();
            client.send(Ask.get("/")).readResponse();
            assertThat(upstream.connectionCount()).isEqualTo(1);

            Await.until("closed a second before", Duration.ofMillis(2900), () -> upstream.openConnectionCount() == 0);
            assertThat(gateway.count(Counter.UPSTREAM_IDLE_TIMEOUTS)).isEqualTo(1);
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
        }
    }

    @ParameterizedTest
    @CsvSource({"timeout=1,false", "timeout=0,false", "timeout=5,true", "Timeout=60,true", "max=5,true"})
    void whatTheNodeKeepsForTooShortIsNotKept(String value, boolean kept) throws IOException {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> Answer.ok("hello").header("Keep-Alive", value));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();
            client.send(Ask.get("/")).readResponse();

            assertThat(upstream.connectionCount()).isEqualTo(kept ? 1 : 2);
        }
    }

    @Test
    void anIdleConnectionIsClosedAfterItsTime() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("idleTimeoutNanos", Duration.ofMillis(300))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();
            upstream.awaitClosed(0);

            Ask.count(gateway, Counter.UPSTREAM_IDLE_TIMEOUTS, 1);
            Await.value("open", () -> Ask.pool(gateway).open(), open -> open == 0);
        }
    }

    @Test
    void bytesOnAnIdleConnectionCloseIt() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/")).readResponse();
            upstream.connection(0).write("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\npoison");
            upstream.awaitClosed(0);

            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
            assertThat(upstream.connectionCount()).isEqualTo(2);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "HTTP/1.1 200 OK", "\r\n"})
    void bytesBehindAResponseAreNoResponse(String extra) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script().readRequest().send("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello" + extra),
                        Script.script().thenServe(request -> Answer.ok("clean")));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("hello");
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("clean");
            assertThat(upstream.connectionCount()).isEqualTo(2);
        }
    }

    @Test
    void aBodyWhereNoneMayBeIsNotTakenForAResponse() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script().readRequest().send("HTTP/1.1 204 No Content\r\n\r\nbody"),
                        Script.script().readRequest().send("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nbody"),
                        Script.script().thenServe(request -> Answer.ok("clean")));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(204);
            assertThat(client.send(Ask.head("/")).readResponse("HEAD").status()).isEqualTo(200);
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("clean");
            assertThat(upstream.connectionCount()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "HTTP/1.1 200 OK\r\nConnection: close",
                "HTTP/1.0 200 OK",
                "HTTP/1.1 200 OK\r\nConnection: a, Close",
            })
    void aConnectionThatTheNodeClosesIsNotKept(String head) throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script().readRequest().send(head + "\r\nContent-Length: 5\r\n\r\nfirst"),
                        Script.script().thenServe(request -> Answer.ok("second")));
                GatewayFixture gateway = GatewayFixture.to(upstream).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.bodyText()).isEqualTo("first");
            assertThat(response.headers().has("Connection"))
                    .as("not the client's business")
                    .isFalse();
            upstream.awaitClosed(0);
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("second");
        }
    }

    @Test
    void aNodeThatCameBackIsUsedAgain() throws IOException {
        int port;
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("before"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .client("waitTimeoutNanos", Duration.ofNanos(1))
                        .start();
                RawClient client = gateway.connect()) {
            port = upstream.port();
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("before");
            upstream.stopAccepting();
            upstream.closeConnections();
            Await.value("open", () -> Ask.pool(gateway).open(), open -> open == 0);
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(502);

            try (ScriptedUpstream back =
                    ScriptedUpstream.start(UpstreamOptions.defaults().withPort(port), request -> Answer.ok("after"))) {
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("after");
                assertThat(back.requestCount()).isEqualTo(1);
            }
        }
    }

    private static Gate open() {
        Gate gate = new Gate();
        gate.release();
        return gate;
    }

    /** What one of many does. */
    interface Task {
        Object run(int number) throws Exception;
    }

    /** Runs a task so many times at once, and returns what came of each: its result or what it threw. */
    static Queue<Object> concurrently(int count, Task task) throws InterruptedException {
        Queue<Object> outcomes = new ConcurrentLinkedQueue<>();
        CountDownLatch done = new CountDownLatch(count);
        for (int i = 0; i < count; i++) {
            int number = i;
            Thread.ofVirtual().start(() -> {
                try {
                    outcomes.add(task.run(number));
                } catch (Throwable e) {
                    outcomes.add(e);
                } finally {
                    done.countDown();
                }
            });
        }
        done.await();
        return outcomes;
    }
}
