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
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.StickyConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.PortHold;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Hedged requests and what else there is: bodies, interim answers, pools, breakers, plugins, cookies. */
class HedgedPartsTest {
    private static final String INTERIM = "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n";

    private static ReceivedRequest slowOne(HedgedNodes nodes, int node) {
        return nodes.node(node).requests().stream()
                .filter(request -> request.target().equals(SLOW))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aBodyThatWasKeptReachesBoth(boolean chunked) throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"), Answer.ok("fast"));
                GatewayFixture gateway = nodes.gateway().start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send("PUT " + SLOW + " HTTP/1.1\r\nHost: a\r\n"
                        + (chunked
                                ? "Transfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\nX-Sum: 5\r\n\r\n"
                                : "Content-Length: 5\r\n\r\nhello"));

                assertThat(client.readResponse().bodyText()).isEqualTo("fast");
                for (int i = 0; i < 2; i++) {
                    assertThat(slowOne(nodes, i).bodyText()).isEqualTo("hello");
                }
                assertThat(slowOne(nodes, 0).headers().values("Content-Length"))
                        .isEqualTo(slowOne(nodes, 1).headers().values("Content-Length"));
                gate.release();
            }
            quiet(gateway);
        }
    }

    @Test
    void aBodyThatWasCollectedReachesBoth() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"), Answer.ok("fast"));
                GatewayFixture gateway =
                        nodes.gateway().contentBytesMax(100_000).start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(
                        "PUT " + SLOW
                                + " HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhe\r\n3\r\nllo\r\n0\r\n\r\n");
                assertThat(client.readHead().status()).isEqualTo(100);

                assertThat(client.readResponse().bodyText()).isEqualTo("fast");
                for (int i = 0; i < 2; i++) {
                    assertThat(slowOne(nodes, i).bodyText()).isEqualTo("hello");
                    assertThat(slowOne(nodes, i).headers().values("Content-Length"))
                            .containsExactly("5");
                }
                gate.release();
            }
            quiet(gateway);
        }
    }

    /** Larger than what the second node takes at once: it goes there as that takes it. */
    @Test
    void aLargeBodyReachesBoth() throws IOException {
        Gate gate = new Gate();
        GeneratedBody body = GeneratedBody.of(7, 8 << 20);
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"), Answer.ok("fast"));
                GatewayFixture gateway = nodes.gateway()
                        .retry("bodyBytesMax", 16 << 20)
                        .memory("bodyBytesMax", 64 << 20)
                        .runtime("sendBufferBytes", 16 << 10)
                        .limit("writeBufferBytesMax", 16 << 10)
                        .start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send("PUT " + SLOW + " HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.bytes() + "\r\n\r\n")
                        .send(body);

                assertThat(client.readResponse().bodyText()).isEqualTo("fast");
                for (int i = 0; i < 2; i++) {
                    assertThat(slowOne(nodes, i).bodySha256()).isEqualTo(body.sha256());
                }
                gate.release();
            }
            quiet(gateway);
        }
    }

    @Test
    void aBodyThatWasNotKeptIsNotHedged() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway =
                        nodes.gateway().retry("bodyBytesMax", 4).start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            warm(client);
            client.send("PUT " + SLOW + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
            nodes.awaitAsked(1);
            other.send(Ask.get(SLOW));
            nodes.awaitAsked(3);
            gate.release();

            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(other.readResponse().bodyText()).isEqualTo("slow");
            assertThat(nodes.askedCount()).isEqualTo(3);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aLargeAnswerOfTheWinnerComesAsItsClientTakesIt(boolean chunked) throws IOException {
        Gate gate = new Gate();
        GeneratedBody body = GeneratedBody.of(3, 16 << 20);
        Answer large = Answer.ok("").body(body);
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"), chunked ? large.chunked(30_000) : large);
                GatewayFixture gateway = nodes.gateway()
                        .runtime("sendBufferBytes", 64 << 10)
                        .runtime("receiveBufferBytes", 64 << 10)
                        .start()) {
            try (RawClient client = gateway.connect().deadline(Duration.ofSeconds(60))) {
                warm(client);
                client.send(Ask.get(SLOW));
                assertThat(client.readHead().status()).isEqualTo(200);
                // It is stopped while the client takes nothing, and far from complete.
                long taken =
                        Ask.standstill("what the node gave", () -> gateway.count(Counter.UPSTREAM_BYTES_RECEIVED) + 1);
                assertThat(taken).isLessThan(body.bytes() / 2);

                RawResponse response = client.readRest();
                assertThat(response.bodySha256()).isEqualTo(body.sha256());
                gate.release();
            }
            quiet(gateway);
        }
    }

    @Test
    void afterAnInterimAnswerNothingIsHedged() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(
                        2, Script.script().send(INTERIM).stall(gate).respond(Answer.ok("slow")), Answer.ok("fast"));
                GatewayFixture gateway = nodes.gateway().start();
                RawClient client = gateway.connect()) {
            warm(client);
            client.send(Ask.get(SLOW));
            assertThat(client.readHead().status()).isEqualTo(103);
            long since = System.nanoTime();
            Await.until("several times as long", () -> System.nanoTime() - since > 4 * SOON.toNanos());
            gate.release();

            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(nodes.askedCount()).isEqualTo(1);
        }
    }

    /** The client has a part of what that node says: the rest has to come from there. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void anInterimAnswerDecidesWhoseTheFinalOneIs(boolean ofFirst) throws IOException {
        Gate before = new Gate();
        Gate gate = new Gate();
        Step says = Script.script().stall(before).send(INTERIM).stall(gate).respond(Answer.ok("who said so"));
        Step silent = after(gate, "other");
        try (HedgedNodes nodes = ofFirst ? new HedgedNodes(2, says, silent) : new HedgedNodes(2, silent, says);
                GatewayFixture gateway = nodes.gateway().start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                before.release();
                assertThat(client.readHead().status()).isEqualTo(103);
                Await.value("open connections", () -> openConnections(gateway), n -> n == 1);
                gate.release();
                assertThat(client.readResponse().bodyText()).isEqualTo("who said so");
            }
            quiet(gateway);
        }
    }

    /** The second node's only connection is taken: the hedge waits for it, and doesn't any more once the first node has answered. */
    @Test
    void aHedgeThatWaitsForAConnectionIsWithdrawn() throws IOException {
        Gate first = new Gate();
        Gate other = new Gate();
        try (HedgedNodes nodes =
                        HedgedNodes.inTurn(2, after(other, "other"), after(first, "first"), Answer.ok("never"));
                GatewayFixture gateway =
                        nodes.gateway().client("maxPoolSizePerServer", 1).start()) {
            try (RawClient client = gateway.connect();
                    RawClient blocking = gateway.connect()) {
                warm(client);
                long hedgesBefore = gateway.count(Counter.UPSTREAM_HEDGES);
                // Not hedged itself.
                blocking.send("POST " + SLOW + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
                nodes.awaitAsked(1);
                client.send(Ask.get(SLOW));
                nodes.awaitAsked(2);
                Await.until(
                        "it waits", () -> gateway.counters().pools().stream().anyMatch(pool -> pool.waiting() == 1));
                first.release();
                assertThat(client.readResponse().bodyText()).isEqualTo("first");
                Await.until(
                        "it doesn't", () -> gateway.counters().pools().stream().allMatch(pool -> pool.waiting() == 0));
                other.release();
                assertThat(blocking.readResponse().bodyText()).isEqualTo("other");
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES)).isEqualTo(hedgesBefore);
                assertThat(nodes.askedCount()).isEqualTo(2);
            }
            quiet(gateway);
        }
    }

    /** What waits for its connection is a try like any other then. */
    @Test
    void aHedgeThatWaitsForAConnectionTakesThePlaceOfAFirstTryThatFails() throws IOException {
        Gate first = new Gate();
        Gate other = new Gate();
        try (HedgedNodes nodes = HedgedNodes.inTurn(
                        2,
                        after(other, "other"),
                        Script.script().stall(first).send("garbage\r\n\r\n"),
                        Answer.ok("second"));
                GatewayFixture gateway =
                        nodes.gateway().client("maxPoolSizePerServer", 1).start()) {
            try (RawClient client = gateway.connect();
                    RawClient blocking = gateway.connect()) {
                warm(client);
                long hedgesBefore = gateway.count(Counter.UPSTREAM_HEDGES);
                blocking.send("POST " + SLOW + " HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n");
                nodes.awaitAsked(1);
                client.send("PUT " + SLOW + " HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello");
                nodes.awaitAsked(2);
                Await.until(
                        "it waits", () -> gateway.counters().pools().stream().anyMatch(pool -> pool.waiting() == 1));
                first.release();
                Ask.count(gateway, Counter.UPSTREAM_RETRIES, 1);
                other.release();
                assertThat(blocking.readResponse().bodyText()).isEqualTo("other");
                assertThat(client.readResponse().bodyText()).isEqualTo("second");
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES)).isEqualTo(hedgesBefore);
            }
            idle(gateway);
        }
    }

    @Test
    void whereTheOtherNodeCannotBeReachedTheFirstGoesOn() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(1, after(gate, "slow"));
                PortHold down = ScriptedUpstream.refusedPort();
                // Its turn would come once in a thousand.
                GatewayFixture gateway = GatewayFixture.toPorts()
                        .node("127.0.0.1", nodes.port(0), 999)
                        .node("127.0.0.1", down.port(), 1)
                        .hedge(SOON, 100)
                        .start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                assertThat(gateway.count(Counter.UPSTREAM_CONNECTIONS_FAILED)).isZero();
                client.send(Ask.get(SLOW));
                Ask.count(gateway, Counter.UPSTREAM_CONNECTIONS_FAILED, 1);
                gate.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("slow");
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES)).isZero();
                assertThat(gateway.faults(Fault.CONNECT_FAILED)).isZero();
            }
            idle(gateway);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"requestsMax", "retriesMax"})
    void theBreakerBoundsWhatIsHedged(String bound) throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway = nodes.gateway()
                        .breaker(bound, bound.equals("requestsMax") ? 1 : 0)
                        .start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                long before = gateway.count(Counter.UPSTREAM_RETRIES_REFUSED);
                client.send(Ask.get(SLOW));
                Ask.count(gateway, Counter.UPSTREAM_RETRIES_REFUSED, before + 1);
                gate.release();

                assertThat(client.readResponse().bodyText()).isEqualTo("slow");
                assertThat(nodes.askedCount()).isEqualTo(1);
                // Nothing is taken any more.
                assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
            }
            quiet(gateway);
        }
    }

    /** So many may be hedged at once after a quiet time, and nothing is earned here. */
    @Test
    void aHedgeThatIsRefusedTakesNothingOfTheShare() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway =
                        nodes.gateway().breaker("retriesMax", 0).hedge(SOON, 1).start()) {
            List<RawClient> clients = new ArrayList<>();
            try (RawClient client = gateway.connect()) {
                warm(client);
                for (int i = 0; i < 12; i++) {
                    RawClient one = gateway.connect();
                    clients.add(one);
                    one.send(Ask.get(SLOW));
                }
                Ask.count(gateway, Counter.UPSTREAM_RETRIES_REFUSED, 12);
                assertThat(gateway.count(Counter.UPSTREAM_HEDGES_OVER_PERCENT)).isZero();
            } finally {
                gate.release();
                clients.forEach(RawClient::close);
            }
        }
    }

    /** One place for the request, one for its hedge; both are given back, whoever wins, time and again. */
    @Test
    void theBreakerCountsAHedgeAsARequestOfItsOwn() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(
                        2, after(gate, "slow"), Answer.ok("fast"), after(gate, "slow"), Answer.ok("fast"));
                GatewayFixture gateway = nodes.gateway()
                        .breaker("requestsMax", 2)
                        .breaker("retriesMax", 1)
                        .start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                for (int i = 0; i < 2; i++) {
                    assertThat(client.send(Ask.get(SLOW)).readResponse().bodyText())
                            .isEqualTo("fast");
                }
                assertThat(gateway.count(Counter.UPSTREAM_RETRIES_REFUSED)).isZero();
                gate.release();
            }
            quiet(gateway);
        }
    }

    @Test
    void pluginsSeeTheAnswerThatTheClientGets() throws IOException {
        FieldName by = FieldName.of("X-By");
        Queue<String> seen = new ConcurrentLinkedQueue<>();
        Probe probe = Probe.probe()
                .onRequest(exchange -> {
                    // There is a view of the exchange before its answers.
                    exchange.request().path();
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    seen.add(exchange.response().value(by) + " "
                            + exchange.response().status());
                    exchange.response().status(299);
                    return Outcome.CONTINUE;
                });
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(
                        2,
                        after(gate, "slow"),
                        Answer.of(203).header("X-By", "fast").body("fast"));
                GatewayFixture gateway = nodes.gateway()
                        .plugins(Probe.LOADER)
                        .route(SLOW, probe.config())
                        .route("/*")
                        .start()) {
            try (RawClient client = gateway.connect()) {
                warm(client);
                RawResponse response = client.send(Ask.get(SLOW)).readResponse();

                assertThat(response.status()).isEqualTo(299);
                assertThat(response.bodyText()).isEqualTo("fast");
                assertThat(seen).containsExactly("fast 203");
                gate.release();
            }
            quiet(gateway);
        }
    }

    /** What the client has at its node isn't at another one. */
    @Test
    void aClientThatIsHeldAtItsNodeIsNotHedged() throws IOException {
        StickyConfig cookie = new StickyConfig(
                "node", "/", StickyConfig.SESSION, StickyConfig.Secure.AUTO, true, StickyConfig.SameSite.LAX, null);
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway = nodes.gateway().sticky(cookie).start();
                RawClient client = gateway.connect();
                RawClient other = gateway.connect()) {
            warm(client);
            String held = client.send(Ask.get("/")).readResponse().header("Set-Cookie");
            assertThat(held).isNotNull();
            client.send("GET " + SLOW + " HTTP/1.1\r\nHost: a\r\nCookie: "
                    + Objects.requireNonNull(held).split(";", 2)[0] + "\r\n\r\n");
            nodes.awaitAsked(1);
            other.send(Ask.get(SLOW));
            nodes.awaitAsked(3);
            gate.release();

            assertThat(client.readResponse().bodyText()).isEqualTo("slow");
            assertThat(other.readResponse().header("Set-Cookie")).startsWith("node=");
            assertThat(nodes.askedCount()).isEqualTo(3);
        }
    }

    @Test
    void aBackupIsNotForHedges() throws IOException {
        Gate gate = new Gate();
        try (HedgedNodes nodes = new HedgedNodes(2, after(gate, "slow"));
                GatewayFixture gateway = GatewayFixture.toPorts(nodes.port(0))
                        .node(nodes.port(1), true, "")
                        .passive("silenceNanos", 0)
                        .hedge(SOON, 100)
                        .start();
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

    /** Its requests are all answered by others, so that nobody waits for it for long: it is found out all the same. */
    @Test
    void aNodeThatHasStoppedIsEjectedThoughAllItsRequestsAreHedged() throws IOException {
        Gate gate = new Gate();
        AtomicBoolean stopped = new AtomicBoolean();
        try (ScriptedUpstream stops =
                        ScriptedUpstream.start(request -> stopped.get() ? after(gate, "late") : Answer.ok("well"));
                ScriptedUpstream good = ScriptedUpstream.start(request -> Answer.ok("good"));
                GatewayFixture gateway = GatewayFixture.to(stops, good)
                        .passive("silenceNanos", Duration.ofMillis(300))
                        .hedge(Duration.ofMillis(20), 100)
                        .budget(100, 1000)
                        .start();
                RawClient client = gateway.connect()) {
            warm(client);
            stopped.set(true);
            Await.until("ejected", () -> {
                assertThat(HealingTest.ask(client, Ask.get("/")).bodyText()).isEqualTo("good");
                return gateway.gateway().nodes().stream().anyMatch(node -> !node.isAvailable());
            });
            assertThat(gateway.count(Counter.UPSTREAM_HEDGES_WON)).isGreaterThanOrEqualTo(3);
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isZero();
            gate.release();
        }
    }
}
