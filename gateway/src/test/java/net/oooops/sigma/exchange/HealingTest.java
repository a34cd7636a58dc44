package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Of several nodes one fails: clients don't see it, and it is left alone until it is well again. */
class HealingTest {
    private static final Duration SOON = Duration.ofMillis(200);

    private static List<Integer> statuses(RawClient client, int count, String request) {
        List<Integer> statuses = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            statuses.add(ask(client, request).status());
        }
        return statuses;
    }

    static RawResponse ask(RawClient client, String request) {
        try {
            return client.send(request).readResponse();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "garbage", "503", "502", "504"})
    void aGetIsAskedOfAnotherNode(String how) throws IOException {
        Script failing = switch (how) {
            case "close" -> Script.script().readRequest().close();
            case "garbage" -> Script.script().readRequest().send("garbage\r\n\r\n");
            default -> Script.script().readRequest().send("HTTP/1.1 " + how + " No\r\nContent-Length: 2\r\n\r\nno");
        };
        try (ScriptedUpstream bad = ScriptedUpstream.play(failing, failing, failing, failing, failing);
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway =
                        GatewayFixture.toPorts(bad.port(), good.port()).start();
                RawClient client = gateway.connect()) {
            assertThat(statuses(client, 20, Ask.get("/"))).containsOnly(200);
            // Left alone after five in a row.
            assertThat(bad.requestCount()).isEqualTo(5);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(5);
        }
    }

    @Test
    void aNodeThatAnswers500AlwaysIsNotSeen() throws IOException {
        try (ScriptedUpstream bad =
                        ScriptedUpstream.start(request -> Answer.of(500).body("no"));
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway =
                        GatewayFixture.toPorts(bad.port(), good.port()).start();
                RawClient client = gateway.connect()) {
            assertThat(statuses(client, 40, Ask.get("/"))).containsOnly(200);
            assertThat(bad.requestCount()).isEqualTo(5);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {500, 503})
    void whatAllNodesAnswerPassesToTheClient(int status) throws IOException {
        try (ScriptedUpstream one =
                        ScriptedUpstream.start(request -> Answer.of(status).body("no"));
                ScriptedUpstream two =
                        ScriptedUpstream.start(request -> Answer.of(status).body("no"));
                GatewayFixture gateway =
                        GatewayFixture.toPorts(one.port(), two.port()).start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("no");
            assertThat(one.requestCount() + two.requestCount()).isEqualTo(2);
        }
    }

    @Test
    void whatWasAskedOfAnotherNodeInVainIsSigmasOwn() throws IOException {
        try (ScriptedUpstream busy = ScriptedUpstream.start(
                        request -> Answer.of(503).header("Retry-After", "7").body("no"));
                PortHold down = ScriptedUpstream.refusedPort();
                GatewayFixture gateway =
                        GatewayFixture.toPorts(busy.port(), down.port()).start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.header("Retry-After")).isNull();
            assertThat(busy.requestCount()).isEqualTo(1);
            assertThat(gateway.faults(Fault.CONNECT_FAILED)).isEqualTo(1);
        }
    }

    @Test
    void aPostReachesOneNodeOnly() throws IOException {
        Script closes = Script.script().readRequest().close();
        try (ScriptedUpstream bad = ScriptedUpstream.play(closes, closes, closes, closes, closes);
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway =
                        GatewayFixture.toPorts(bad.port(), good.port()).start();
                RawClient client = gateway.connect()) {
            List<Integer> statuses = statuses(client, 20, "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");

            assertThat(bad.requestCount()).isEqualTo(5);
            assertThat(good.requestCount()).isEqualTo(15);
            assertThat(statuses.stream().filter(status -> status == 502)).hasSize(5);
        }
    }

    @Test
    void aRefusingNodeIsLeftAlone() throws IOException {
        try (PortHold down = ScriptedUpstream.refusedPort();
                ScriptedUpstream up = ScriptedUpstream.start(request -> Answer.ok("up"));
                GatewayFixture gateway =
                        GatewayFixture.toPorts(down.port(), up.port()).start();
                RawClient client = gateway.connect()) {
            assertThat(statuses(client, 30, Ask.get("/"))).containsOnly(200);
            assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isEqualTo(5);
        }
    }

    @Test
    void aNodeThatIsWellAgainComesBackThroughTrials() throws IOException {
        AtomicBoolean well = new AtomicBoolean();
        try (ScriptedUpstream sick = ScriptedUpstream.start(request ->
                        well.get() ? Answer.ok("sick") : Answer.of(503).body("no"));
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(sick.port(), good.port())
                        // So long that no trial is among the first requests, on a busy machine, too.
                        .passive("ejectionNanos", Duration.ofMillis(500))
                        .passive("slowStartNanos", 0)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(statuses(client, 20, Ask.get("/"))).containsOnly(200);
            assertThat(sick.requestCount()).isEqualTo(5);
            // Trials fail, and no client sees them.
            Await.until("a trial", () -> {
                assertThat(ask(client, Ask.get("/")).status()).isEqualTo(200);
                return sick.requestCount() > 5;
            });
            well.set(true);
            Await.until(
                    "its turn again", () -> ask(client, Ask.get("/")).bodyText().equals("sick"));
            int before = sick.requestCount();
            Await.until("half of all", () -> {
                int at = sick.requestCount();
                statuses(client, 10, Ask.get("/"));
                return sick.requestCount() - at == 5;
            });
            assertThat(sick.requestCount()).isGreaterThan(before);
        }
    }

    /** Stopped, it takes connections and requests, and says nothing. */
    @Test
    void aSilentNodeIsLeftAndWhatWaitsForItGoesElsewhere() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(silent.port(), good.port())
                        .passive("silenceNanos", SOON)
                        .start();
                RawClient a = gateway.connect();
                RawClient b = gateway.connect();
                RawClient c = gateway.connect();
                RawClient other = gateway.connect()) {
            // Every other request goes to the silent one.
            for (RawClient waiting : List.of(a, b, c)) {
                waiting.send(Ask.get("/"));
                silent.awaitConnections(List.of(a, b, c).indexOf(waiting) + 1);
                other.send(Ask.get("/")).readResponse();
            }
            Await.until("noticed", () -> {
                ask(other, Ask.get("/"));
                return gateway.count(Counter.UPSTREAM_RETRIES) >= 3;
            });
            for (RawClient waiting : List.of(a, b, c)) {
                assertThat(waiting.readResponse().bodyText()).isEqualTo("good");
            }
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isZero();
        }
    }

    /** What they wait for is asked again and again, what is refused counts once, and takes nobody's place. */
    @Test
    void whatMayNotLeaveASilentNodeIsCountedOnce() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(silent.port(), good.port())
                        .passive("silenceNanos", SOON)
                        .passive("ejectionNanos", Duration.ofMinutes(5))
                        .breaker("retriesMax", 2)
                        .budget(0, 0)
                        .start();
                RawClient a = gateway.connect();
                RawClient b = gateway.connect();
                RawClient c = gateway.connect();
                RawClient other = gateway.connect()) {
            for (RawClient waiting : List.of(a, b, c)) {
                waiting.send(Ask.get("/"));
                silent.awaitConnections(List.of(a, b, c).indexOf(waiting) + 1);
                other.send(Ask.get("/")).readResponse();
            }
            Await.until("noticed", () -> gateway.count(Counter.UPSTREAM_RETRIES_OVER_BUDGET) >= 3);
            int silentSeen = silent.requestCount();
            long since = System.nanoTime();
            Await.until("asked several times", () -> System.nanoTime() - since > 4 * SOON.toNanos());
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_OVER_BUDGET)).isEqualTo(3);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_REFUSED)).isZero();
            assertThat(silent.requestCount()).isEqualTo(silentSeen);
        }
    }

    @Test
    void whereTheBreakerAllowsNoOtherTryTheFirstHasAllTheTime() throws IOException {
        Gate gate = new Gate();
        Script slow = Script.script().readRequest().stall(gate).respond(Answer.ok("slow"));
        try (ScriptedUpstream one = ScriptedUpstream.play(slow);
                ScriptedUpstream two = ScriptedUpstream.play(slow);
                GatewayFixture gateway = GatewayFixture.toPorts(one.port(), two.port())
                        .retry("tryNanos", SOON)
                        .breaker("retriesMax", 0)
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            Await.until("one has it", () -> one.requestCount() + two.requestCount() == 1);
            long since = System.nanoTime();
            Await.until("several limits of a try", () -> System.nanoTime() - since > 4 * SOON.toNanos());
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(one.requestCount() + two.requestCount()).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_REFUSED)).isZero();
        }
    }

    /** Only half of them may be out: what waits at the third goes elsewhere as well. */
    @Test
    void ofManySilentNodesNoneKeepsWhatWaits() throws IOException {
        try (ScriptedUpstream one = ScriptedUpstream.blackhole();
                ScriptedUpstream two = ScriptedUpstream.blackhole();
                ScriptedUpstream three = ScriptedUpstream.blackhole();
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.to(one, two, three, good)
                        .passive("silenceNanos", SOON)
                        .retry("tryNanos", Duration.ofMinutes(1))
                        .start()) {
            List<RawClient> clients = new ArrayList<>();
            for (int i = 0; i < 16; i++) {
                clients.add(gateway.connect());
                clients.getLast().send(Ask.get("/"));
            }
            for (RawClient client : clients) {
                assertThat(client.readResponse().bodyText()).isEqualTo("good");
            }
            clients.forEach(RawClient::close);
        }
    }

    /** Packets to it are lost: what tries it out gets no connection, and no sign of life. */
    @Test
    void aTrialThatGetsNoConnectionHasFailed() throws IOException {
        try (PortHold hanging = ScriptedUpstream.fullBacklogPort();
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(hanging.port(), good.port())
                        .passive("silenceNanos", SOON)
                        .passive("ejectionNanos", Duration.ofSeconds(1))
                        .start();
                RawClient a = gateway.connect();
                RawClient b = gateway.connect();
                RawClient c = gateway.connect();
                RawClient other = gateway.connect()) {
            for (RawClient waiting : List.of(a, b, c)) {
                waiting.send(Ask.get("/"));
                Await.until(
                        "it waits",
                        () -> gateway.count(Counter.REQUESTS_IN_FLIGHT)
                                == 1 + List.of(a, b, c).indexOf(waiting));
                other.send(Ask.get("/")).readResponse();
            }
            for (RawClient waiting : List.of(a, b, c)) {
                assertThat(waiting.readResponse().bodyText()).isEqualTo("good");
            }
            long before = gateway.count(Counter.UPSTREAM_RETRIES);
            Await.until("a trial was left", () -> {
                ask(other, Ask.get("/"));
                return gateway.count(Counter.UPSTREAM_RETRIES) > before;
            });
            // The node is out again: nobody tries it at once.
            assertThat(statuses(other, 50, Ask.get("/"))).containsOnly(200);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(before + 1);
        }
    }

    @Test
    void aTryThatTakesTooLongIsFollowedByAnother() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(silent.port(), good.port())
                        .retry("tryNanos", SOON)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("good");
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(1);
        }
    }

    @Test
    void theLastTryHasAllTheTimeThatTheRouteAllows() throws IOException {
        Gate gate = new Gate();
        Script slow = Script.script().readRequest().stall(gate).respond(Answer.ok("slow"));
        try (ScriptedUpstream one = ScriptedUpstream.play(slow);
                ScriptedUpstream two = ScriptedUpstream.play(slow);
                GatewayFixture gateway = GatewayFixture.toPorts(one.port(), two.port())
                        .retry("tryNanos", SOON)
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/"));
            one.awaitRequests(1);
            two.awaitRequests(1);
            // Longer than a try may take: it would have failed by then.
            long since = System.nanoTime();
            Await.until("several limits of a try", () -> System.nanoTime() - since > 4 * SOON.toNanos());
            gate.release();
            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(1);
        }
    }

    @Test
    void aBodyIsKeptThoughTheFirstNodeCouldNotBeReached() throws IOException {
        Script closes = Script.script().readRequest().close();
        try (PortHold down = ScriptedUpstream.refusedPort();
                ScriptedUpstream bad = ScriptedUpstream.play(closes, closes, closes);
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(down.port(), bad.port(), good.port())
                        .start();
                RawClient client = gateway.connect()) {
            client.send("PUT / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            assertThat(client.readResponse().bodyText()).isEqualTo("good");
            assertThat(good.request(0).bodyText()).isEqualTo("hello");
        }
    }

    @Test
    void theBudgetBoundsWhatIsSentAgain() throws IOException {
        try (ScriptedUpstream one =
                        ScriptedUpstream.start(request -> Answer.of(503).body("no"));
                ScriptedUpstream two =
                        ScriptedUpstream.start(request -> Answer.of(503).body("no"));
                GatewayFixture gateway = GatewayFixture.toPorts(one.port(), two.port())
                        .passive("enabled", false)
                        .budget(0, 0)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(statuses(client, 10, Ask.get("/"))).containsOnly(503);
            assertThat(one.requestCount() + two.requestCount()).isEqualTo(10);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_OVER_BUDGET)).isEqualTo(10);
        }
    }

    /** Else what is sent again would earn that still more is. */
    @Test
    void onlyWhatClientsAskEarnsForTheBudget() throws IOException {
        try (ScriptedUpstream one =
                        ScriptedUpstream.start(request -> Answer.of(503).body("no"));
                ScriptedUpstream two =
                        ScriptedUpstream.start(request -> Answer.of(503).body("no"));
                ScriptedUpstream three =
                        ScriptedUpstream.start(request -> Answer.of(503).body("no"));
                GatewayFixture gateway = GatewayFixture.toPorts(one.port(), two.port(), three.port())
                        .passive("enabled", false)
                        .budget(50, 0)
                        .limit("requestsPerConnectionMax", 10_000_000)
                        .start();
                RawClient client = gateway.connect()) {
            // It is earned ten times a second.
            long since = System.nanoTime();
            int asked = 0;
            while (asked < 900 || System.nanoTime() - since < 1_500_000_000) {
                assertThat(statuses(client, 100, Ask.get("/"))).containsOnly(503);
                asked += 100;
            }
            assertThat(one.requestCount() + two.requestCount() + three.requestCount())
                    .isBetween(asked + 1, asked * 3 / 2);
        }
    }

    @Test
    void theBudgetCountsWhatIsNotTriedElsewhereThoughNothingWasSent() throws IOException {
        try (PortHold one = ScriptedUpstream.refusedPort();
                PortHold two = ScriptedUpstream.refusedPort();
                GatewayFixture gateway = GatewayFixture.toPorts(one.port(), two.port())
                        .passive("enabled", false)
                        .budget(0, 0)
                        .client("waitTimeoutNanos", Duration.ofNanos(1))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(statuses(client, 20, Ask.get("/"))).containsOnly(502);
            // Only the first one found the other node well.
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES_OVER_BUDGET)).isEqualTo(19);
        }
    }

    @Test
    void afterTheTimeOfAllTriesNoOtherNodeIsLookedFor() throws IOException {
        try (PortHold down = ScriptedUpstream.refusedPort();
                ScriptedUpstream up = ScriptedUpstream.start(request -> Answer.ok("up"));
                GatewayFixture gateway = GatewayFixture.toPorts(down.port(), up.port())
                        .retry("totalNanos", Duration.ZERO)
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(ask(client, Ask.get("/")).status()).isEqualTo(502);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isZero();
        }
    }

    @Test
    void aFullPoolIsNotFinal() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.toPorts(silent.port(), good.port())
                        .client("maxPoolSizePerServer", 1)
                        .client("maxWaitQueue", 0)
                        .passive("enabled", false)
                        .start();
                RawClient waiting = gateway.connect();
                RawClient client = gateway.connect()) {
            waiting.send(Ask.get("/"));
            silent.awaitConnections(1);
            assertThat(statuses(client, 10, Ask.get("/"))).containsOnly(200);
        }
    }
}
