package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.HedgedNodes.SLOW;
import static net.oooops.sigma.exchange.HedgedNodes.SOON;
import static net.oooops.sigma.exchange.HedgedNodes.after;
import static net.oooops.sigma.exchange.HedgedNodes.idle;
import static net.oooops.sigma.exchange.HedgedNodes.openConnections;
import static net.oooops.sigma.exchange.HedgedNodes.quiet;
import static net.oooops.sigma.exchange.HedgedNodes.warm;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
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
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A request that waits for too long at one node is sent to another one, too: who answers first, and what is left of the other try. */
class HedgeTest {
    @ParameterizedTest
    @ValueSource(strings = {"GET", "HEAD", "OPTIONS", "PUT", "DELETE", "QUERY"})
    void theOtherNodeAnswersForASlowOne(String method) throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"), Answer.ok("fast"));
                GatewayFixture gateway = nodes.gateway().start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                long hedgesBefore = gateway.count(Counter.UPSTREAM_HEDGES);
                long wonBefore = gateway.count(Counter.UPSTREAM_HEDGES_WON);
                client.send(method + " " + SLOW + " HTTP/1.1\r\nHost: a\r\nX-Mark: 1\r\n\r\n");

                RawResponse response = client.readResponse(method);
                assertThat(response.status()).isEqualTo(200);
                assertThat(response.bodyText()).isEqualTo(method.equals("HEAD") ? "" : "fast");
                nodes.awaitAsked(2);
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES)).isEqualTo(hedgesBefore + 1);
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES_WON)).isEqualTo(wonBefore + 1);
                assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isZero();
                // The slow one's was closed, the other one's serves on.
                Await.value("open connections", () -> openConnections(gateway), n -> n == 1);
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("warm");
                gate.release();
            }
            quiet(gateway);
        }
    }

    @Test
    void theFirstNodeMayStillBeTheFirstToAnswer() throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(first, "first"), after(second, "second"));
                GatewayFixture gateway = nodes.gateway().start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                first.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("first");
                Await.value("open connections", () -> openConnections(gateway), n -> n == 1);
                assertThat(client.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("warm");
                second.release();
            }
            quiet(gateway);
        }
    }

    @Test
    void whereBothFailThereIsNoThirdBeyondTheTries() throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(
                        3,
                        Script.script().stall(first).send("HTTP/1.1 2").close(),
                        Script.script().stall(second).send("HTTP/1.1 2").close(),
                        Answer.ok("third"));
                GatewayFixture gateway = nodes.gateway().retry("triesMax", 2).start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                first.release();
                // The hedge is the retry: nothing has failed yet.
                Ask.count(gateway, Counter.UPSTREAM_RETRIES, 0);
                second.release();

                assertThat(client.readResponse().status()).isEqualTo(502);
                assertThat(nodes.askedCount()).isEqualTo(2);
                assertThat(gateway.faults(Fault.UPSTREAM_CLOSED)).isEqualTo(1);
            }
            idle(gateway);
        }
    }

    @Test
    void whereBothFailAThirdNodeIsAskedWithinTheTries() throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(
                        3,
                        Script.script().stall(first).send("HTTP/1.1 2").close(),
                        Script.script().stall(second).send("HTTP/1.1 2").close(),
                        Answer.ok("third"));
                GatewayFixture gateway = nodes.gateway().retry("triesMax", 3).start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                second.release();
                Await.until(
                        "the second one is known to have failed",
                        () -> gateway.gateway().nodes().stream().anyMatch(node -> node.isSuspect()));
                first.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("third");
                assertThat(nodes.askedCount()).isEqualTo(3);
            }
            idle(gateway);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "garbage", "503", "500"})
    void whereTheHedgeFailsTheFirstGoesOn(String how) throws IOException {
        Gate first = new Gate();
        Step fails = switch (how) {
            case "close" -> Script.script().send("HTTP/1.1 2").close();
            case "garbage" -> Script.script().send("garbage\r\n\r\n");
            default -> Answer.of(Integer.parseInt(how)).body("no");
        };
        try (HedgedNodes nodes = new HedgedNodes(2, after(first, "first"), fails);
                GatewayFixture gateway = nodes.gateway().start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                // Of what warmed the nodes, some may have been hedged on a busy machine.
                long wonBefore = gateway.count(Counter.UPSTREAM_HEDGES_WON);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                Await.until(
                        "it is known to have failed",
                        () -> gateway.gateway().nodes().stream().anyMatch(node -> node.isSuspect()));
                first.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("first");
                assertThat(nodes.askedCount()).isEqualTo(2);
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES_WON)).isEqualTo(wonBefore);
            }
            idle(gateway);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"close", "garbage", "503"})
    void whereTheFirstFailsTheHedgeIsTheRetry(String how) throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        Step fails = switch (how) {
            case "close" -> Script.script().stall(first).send("HTTP/1.1 2").close();
            case "garbage" -> Script.script().stall(first).send("garbage\r\n\r\n");
            default -> Script.script().stall(first).respond(Answer.of(503).body("no"));
        };
        try (HedgedNodes nodes = new HedgedNodes(2, fails, after(second, "second"));
                GatewayFixture gateway = nodes.gateway().retry("triesMax", 2).start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                // Of what warmed the nodes, some may have been hedged on a busy machine.
                long wonBefore = gateway.count(Counter.UPSTREAM_HEDGES_WON);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                first.release();
                Await.until(
                        "it is known to have failed",
                        () -> gateway.gateway().nodes().stream().anyMatch(node -> node.isSuspect()));
                second.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("second");
                assertThat(nodes.askedCount()).isEqualTo(2);
                assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isZero();
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES_WON)).isEqualTo(wonBefore + 1);
            }
            idle(gateway);
        }
    }

    /** As nodes do with connections that they take for idle: that is held against neither, and the request goes on a fresh one at last. */
    @Test
    void whereBothCloseAsIdleNeitherIsBlamed() throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(
                        2,
                        Script.script().stall(first).close(),
                        Script.script().stall(second).close(),
                        Answer.ok("fresh"));
                GatewayFixture gateway = nodes.gateway().start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                first.release();
                Await.value("open connections", () -> openConnections(gateway), n -> n == 1);
                second.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("fresh");
                assertThat(nodes.askedCount()).isEqualTo(3);
            }
            quiet(gateway);
        }
    }

    @Test
    void aTryThatTakesTooLongLeavesItToTheHedge() throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(first, "first"), after(second, "second"));
                GatewayFixture gateway = nodes.gateway()
                        .hedge(SOON.multipliedBy(6), 100)
                        .proxyPass("responseTimeoutNanos", SOON.multipliedBy(10))
                        .start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                Await.until(
                        "the first one was too late",
                        () -> gateway.gateway().nodes().stream().anyMatch(node -> node.isSuspect()));
                second.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("second");
                first.release();
            }
            idle(gateway);
        }
    }

    @Test
    void theLimitOfATryDoesNotEndOneThatIsHedged() throws IOException {
        Gate first = new Gate();
        Gate second = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(3, after(first, "first"), after(second, "second"));
                GatewayFixture gateway =
                        nodes.gateway().retry("tryNanos", SOON.multipliedBy(3)).start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                long since = System.nanoTime();
                Await.until("the limit", () -> System.nanoTime() - since > SOON.toNanos() * 5);
                first.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("first");
                assertThat(nodes.askedCount()).isEqualTo(2);
                second.release();
            }
            quiet(gateway);
        }
    }

    @Test
    void nothingIsLeftWhereTheClientGoesAwayMeanwhile() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway = nodes.gateway().start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                client.reset();
            }
            Ask.faults(gateway, Fault.CLIENT_GONE, 1);
            quiet(gateway);
            assertThat(openConnections(gateway)).isZero();
            gate.release();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PATCH", "LOCK"})
    void othersAreNotHedgedThoughTheyMayBeSentAgain(String method) throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway =
                        nodes.gateway().retry("anyMethod", true).start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            warm(client);
            client.send(method + " " + SLOW
                    + " HTTP/1.1\r\nHost: a\r\nIdempotency-Key: \"1\"\r\nContent-Length: 0\r\n\r\n");
            nodes.awaitAsked(1);
            // By the time that a GET which came later is hedged, it would have been.
            other.send(Ask.get(SLOW));
            nodes.awaitAsked(3);
            gate.release();

            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(other.readResponse().bodyText()).isEqualTo("slow");
            assertThat(nodes.askedCount()).isEqualTo(3);
        }
    }

    @Test
    void theBudgetBoundsWhatIsHedged() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway = nodes.gateway().budget(0, 0).start();
                RawClient client = gateway.connect()) {
            warm(client);
            long before = gateway.count(Counter.UPSTREAM_RETRIES_OVER_BUDGET);
            client.send(Ask.get(SLOW));
            Ask.count(gateway, Counter.UPSTREAM_RETRIES_OVER_BUDGET, before + 1);
            gate.release();

            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(nodes.askedCount()).isEqualTo(1);
            assertThat(gateway.count(Counter.UPSTREAM_HEDGES)).isZero();
        }
    }

    @Test
    void noMoreThanAPartIsHedged() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway = nodes.gateway()
                        // Longer than what warms the nodes ever takes: one of these that was hedged would have
                        // taken of what is saved, counted or, where it had no connection yet, not.
                        .hedge(Duration.ofSeconds(2), 1)
                        .budget(100, 1000)
                        .start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES)).isZero();
                RawClient[] waiting = new RawClient[11];
                for (int i = 0; i < waiting.length; i++) {
                    waiting[i] = gateway.connect().send(Ask.get(SLOW));
                }
                Await.until("one is too many", () -> gateway.count(Counter.UPSTREAM_HEDGES_OVER_PERCENT) > 0);
                // Ten are saved.
                Await.until("all others are hedged", () -> gateway.count(Counter.UPSTREAM_HEDGES) == 10);
                Ask.count(gateway, Counter.UPSTREAM_HEDGES_OVER_PERCENT, 1);
                gate.release();
                for (RawClient each : waiting) {
                    assertThat(each.readResponse().bodyText()).isEqualTo("slow");
                    each.close();
                }
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES_OVER_PERCENT)).isEqualTo(1);
            }
            quiet(gateway);
        }
    }

    @Test
    void withOneNodeNothingIsHedged() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(1, after(gate, "slow"));
                GatewayFixture gateway = nodes.gateway().start();
                RawClient client = gateway.connect()) {
            warm(client);
            client.send(Ask.get(SLOW));
            nodes.awaitAsked(1);
            long since = System.nanoTime();
            Await.until("several times as long", () -> System.nanoTime() - since > 4 * SOON.toNanos());
            gate.release();

            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(gateway.count(Counter.UPSTREAM_HEDGES)).isZero();
            assertThat(gateway.count(Counter.UPSTREAM_HEDGES_OVER_PERCENT)).isZero();
        }
    }

    @Test
    void offUnlessItIsSaid() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway =
                        GatewayFixture.toPorts(nodes.port(0), nodes.port(1)).start();
                RawClient client = gateway.connect()) {
            warm(client);
            client.send(Ask.get(SLOW));
            nodes.awaitAsked(1);
            long since = System.nanoTime();
            Await.until("several times as long", () -> System.nanoTime() - since > 4 * SOON.toNanos());
            gate.release();

            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(nodes.askedCount()).isEqualTo(1);
        }
    }

    /** Both tries of each wait, one of them at a node that has stopped: once that is known, only the other one does. */
    @Test
    void aNodeThatFallsSilentIsLeftByFirstTriesAndHedges() throws IOException {
        Gate never = new Gate();
        Gate gate = new Gate();
        AtomicBoolean stopped = new AtomicBoolean();
        try (ScriptedUpstream stops =
                        ScriptedUpstream.start(request -> stopped.get() ? after(never, "late") : Answer.ok("well"));
                ScriptedUpstream good = ScriptedUpstream.start(
                        request -> request.target().equals(SLOW) ? after(gate, "slow") : Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.to(stops, good)
                        .passive("silenceNanos", Duration.ofMillis(500))
                        .hedge(Duration.ofMillis(20), 100)
                        .budget(100, 1000)
                        .start()) {
            RawClient[] waiting = new RawClient[6];
            try (RawClient client = gateway.connect()) {
                warm(client);
                stopped.set(true);
                long before = gateway.count(Counter.UPSTREAM_HEDGES);
                for (int i = 0; i < waiting.length; i++) {
                    waiting[i] = gateway.connect().send(Ask.get(SLOW));
                }
                Ask.count(gateway, Counter.UPSTREAM_HEDGES, before + waiting.length);
                Await.until("ejected", () -> {
                    HealingTest.ask(client, Ask.get("/"));
                    return gateway.gateway().nodes().stream().anyMatch(node -> !node.isAvailable());
                });
                String name = "127.0.0.1:" + stops.port();
                Await.until(
                        "nothing waits for it",
                        () -> gateway.gateway().nodes().stream()
                                .allMatch(node -> !node.name().equals(name) || node.inFlight() == 0));
                gate.release();
                for (RawClient each : waiting) {
                    assertThat(each.readResponse().bodyText()).isEqualTo("slow");
                    each.close();
                }
            }
            idle(gateway);
            never.release();
        }
    }
}
