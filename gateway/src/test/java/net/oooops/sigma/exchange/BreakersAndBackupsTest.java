package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.BreakerConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An upstream gets no more than it is to get, and its backups and other zones only what nobody else takes. */
class BreakersAndBackupsTest {
    private static RawResponse ask(RawClient client) {
        try {
            return client.send(Ask.get("/")).readResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static ScriptedUpstream answering(String text) {
        return ScriptedUpstream.start(request -> Answer.ok(text));
    }

    private static void refused(RawResponse response) {
        assertThat(response.status()).isEqualTo(503);
        assertThat(response.header("Retry-After")).isEqualTo("1");
    }

    @Test
    void moreRequestsInFlightThanTheBoundAreRefused() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                ScriptedUpstream also = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(silent, also)
                        .breaker("requestsMax", 2)
                        .workers(2)
                        .start();
                RawClient one = gateway.connect();
                RawClient other = gateway.connect()) {
            try (RawClient two = gateway.connect()) {
                one.send(Ask.get("/"));
                two.send(Ask.get("/"));
                Await.until("both", () -> silent.requestCount() + also.requestCount() == 2);
                for (int i = 0; i < 3; i++) {
                    refused(ask(other));
                }
                assertThat(gateway.faults(Fault.BREAKER_FULL)).isEqualTo(3);
                assertThat(gateway.count(Counter.UPSTREAM_REQUESTS_REFUSED)).isEqualTo(3);
                two.reset();
            }
            // Whose client is gone has left its place.
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            other.send(Ask.get("/"));
            Await.until("another", () -> silent.requestCount() + also.requestCount() == 3);
        }
    }

    @Test
    void everyRequestGivesItsPlaceBack() throws IOException {
        Script closes = Script.script().readRequest().close();
        try (ScriptedUpstream good = answering("good");
                ScriptedUpstream bad = ScriptedUpstream.play(closes, closes);
                PortHold down = ScriptedUpstream.refusedPort();
                GatewayFixture gateway = GatewayFixture.toPorts(good.port(), bad.port(), down.port())
                        .breaker("requestsMax", 1)
                        .breaker("retriesMax", 1)
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 30; i++) {
                assertThat(ask(client).status()).isEqualTo(200);
            }
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isGreaterThan(5);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_REFUSED)).isZero();
        }
    }

    @Test
    void moreThatWaitThanTheBoundAreRefused() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(silent)
                        .breaker("connectionsMax", 1)
                        .breaker("pendingMax", 1)
                        .start();
                RawClient one = gateway.connect();
                RawClient other = gateway.connect()) {
            one.send(Ask.get("/"));
            silent.awaitRequests(1);
            try (RawClient two = gateway.connect()) {
                two.send(Ask.get("/"));
                Await.until("it waits", () -> Ask.pool(gateway).waiting() == 1);
                refused(ask(other));
                assertThat(gateway.faults(Fault.BREAKER_FULL)).isEqualTo(1);
                two.reset();
            }
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            other.send(Ask.get("/"));
            Await.until("it waits in its place", () -> Ask.pool(gateway).waiting() == 1);
            assertThat(silent.connectionCount()).isEqualTo(1);
        }
    }

    @Test
    void beyondTheBoundNothingIsSentAgain() throws IOException {
        try (ScriptedUpstream one =
                        ScriptedUpstream.start(request -> Answer.of(503).body("no"));
                ScriptedUpstream two = answering("good");
                GatewayFixture gateway =
                        GatewayFixture.to(one, two).breaker("retriesMax", 0).start();
                RawClient client = gateway.connect()) {
            List<Integer> statuses = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                statuses.add(ask(client).status());
            }
            assertThat(statuses.stream().filter(status -> status == 503)).hasSize(5);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isZero();
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_REFUSED)).isEqualTo(5);
        }
    }

    @Test
    void itOpensWhereTooManyFailAndClosesWhenTrialsGoWell() throws IOException {
        AtomicInteger status = new AtomicInteger(500);
        try (ScriptedUpstream node = ScriptedUpstream.start(
                        request -> Answer.of(status.get()).body("x"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .breaker("errorPercent", 50)
                        .breaker("requestsMin", 5)
                        .breaker("openNanos", Duration.ofSeconds(2))
                        .breaker("trials", 2)
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 4; i++) {
                assertThat(ask(client).status()).isEqualTo(500);
            }
            Await.until("open", () -> ask(client).status() == 503);
            int seen = node.requestCount();
            RawResponse refused = ask(client);
            assertThat(refused.status()).isEqualTo(503);
            assertThat(refused.header("Retry-After")).isIn("1", "2");
            assertThat(gateway.faults(Fault.BREAKER_OPEN)).isEqualTo(2);
            // A trial fails.
            Await.until("a trial", () -> ask(client).status() == 500);
            assertThat(node.requestCount()).isEqualTo(seen + 1);
            status.set(200);
            Await.until("closed", () -> ask(client).status() == 200);
            for (int i = 0; i < 20; i++) {
                assertThat(ask(client).status()).isEqualTo(200);
            }
        }
    }

    @Test
    void itOpensWhereNoNodeCanBeReached() throws IOException {
        try (PortHold one = ScriptedUpstream.refusedPort();
                PortHold two = ScriptedUpstream.refusedPort();
                GatewayFixture gateway = GatewayFixture.toPorts(one.port(), two.port())
                        .breaker("errorPercent", 50)
                        .breaker("requestsMin", 5)
                        .client("waitTimeoutNanos", Duration.ofNanos(1))
                        .start();
                RawClient client = gateway.connect()) {
            Await.until("open", () -> ask(client).status() == 503);
            assertThat(ask(client).header("Retry-After")).isIn("4", "5");
            assertThat(gateway.faults(Fault.CONNECT_FAILED)).isGreaterThanOrEqualTo(5);
        }
    }

    @Test
    void beyondTheLimitThatIsFoundRequestsAreRefused() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(silent)
                        .breaker("adaptive", new BreakerConfig.Adaptive(true, 1, 1, 150))
                        .start();
                RawClient one = gateway.connect();
                RawClient other = gateway.connect()) {
            one.send(Ask.get("/"));
            silent.awaitRequests(1);
            refused(ask(other));
            assertThat(gateway.faults(Fault.BREAKER_LIMITED)).isEqualTo(1);
        }
    }

    /** On a connection that is there a request is sent before its end is known. */
    @ParameterizedTest
    @ValueSource(
            strings = {"GET / HTTP/1.1\r\nHost: a\r\n\r\n", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi"
            })
    void theLimitThatIsFoundCountsRequestsOnKeptConnections(String request) throws IOException {
        Script once = Script.script()
                .readRequest()
                .respond(Answer.ok("one"))
                .readRequest()
                .awaitPeerClose();
        try (ScriptedUpstream node = ScriptedUpstream.play(once, once);
                GatewayFixture gateway = GatewayFixture.to(node)
                        .breaker("adaptive", new BreakerConfig.Adaptive(true, 1, 1, 150))
                        .start();
                RawClient one = gateway.connect();
                RawClient other = gateway.connect()) {
            assertThat(one.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            one.send(request);
            node.awaitRequests(2);
            refused(ask(other));
            assertThat(gateway.faults(Fault.BREAKER_LIMITED)).isEqualTo(1);
        }
    }

    /** Events and large files flow for long; how many answers begin at once says nothing of them. */
    @Test
    void theLimitThatIsFoundDoesNotCountAnswersThatFlow() throws IOException {
        Script flows = Script.script()
                .readRequest()
                .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n")
                .awaitPeerClose();
        try (ScriptedUpstream events = ScriptedUpstream.play(flows, flows, flows);
                GatewayFixture gateway = GatewayFixture.to(events)
                        .breaker("adaptive", new BreakerConfig.Adaptive(true, 1, 1, 150))
                        .start();
                RawClient one = gateway.connect();
                RawClient two = gateway.connect();
                RawClient three = gateway.connect()) {
            for (RawClient client : List.of(one, two, three)) {
                client.send(Ask.get("/"));
                assertThat(client.readHead().status()).isEqualTo(200);
            }
            assertThat(gateway.faults(Fault.BREAKER_LIMITED)).isZero();
        }
    }

    @Test
    void aBackupAnswersWhenNobodyElseCan() throws IOException {
        try (PortHold down = ScriptedUpstream.refusedPort();
                ScriptedUpstream good = answering("good");
                ScriptedUpstream backup = answering("backup");
                GatewayFixture well =
                        GatewayFixture.to(good).node(backup.port(), true, "").start();
                GatewayFixture ill = GatewayFixture.toPorts(down.port())
                        .node(backup.port(), true, "")
                        .start();
                RawClient client = well.connect();
                RawClient unlucky = ill.connect()) {
            for (int i = 0; i < 10; i++) {
                assertThat(ask(client).bodyText()).isEqualTo("good");
                assertThat(ask(unlucky).bodyText()).isEqualTo("backup");
            }
            // Then it is ejected, and nobody tries it any more.
            assertThat(ill.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isEqualTo(5);
        }
    }

    @Test
    void whatABackupCanDoForARequestItDoes() throws IOException {
        try (ScriptedUpstream bad =
                        ScriptedUpstream.start(request -> Answer.of(503).body("no"));
                ScriptedUpstream backup = answering("backup");
                GatewayFixture gateway = GatewayFixture.to(bad)
                        .node(backup.port(), true, "")
                        .passive("enabled", false)
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 5; i++) {
                assertThat(ask(client).bodyText()).isEqualTo("backup");
            }
            assertThat(bad.requestCount()).isEqualTo(5);
        }
    }

    @Test
    void theOwnZoneIsPreferred() throws IOException {
        try (ScriptedUpstream far = answering("far");
                ScriptedUpstream near = ScriptedUpstream.start(request ->
                        request.target().equals("/no") ? Answer.of(503).body("no") : Answer.ok("near"));
                GatewayFixture gateway = GatewayFixture.toPorts()
                        .node(far.port(), false, "there")
                        .node(near.port(), false, "here")
                        .zone("here")
                        .passive("slowStartNanos", 0)
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 10; i++) {
                assertThat(ask(client).bodyText()).isEqualTo("near");
            }
            for (int i = 0; i < 5; i++) {
                assertThat(client.send(Ask.get("/no")).readResponse().bodyText())
                        .isEqualTo("far");
            }
            // It is ejected by now.
            assertThat(ask(client).bodyText()).isEqualTo("far");
        }
    }
}
