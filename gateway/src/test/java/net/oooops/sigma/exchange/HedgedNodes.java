package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.observe.Counters;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Step;

/**
 * Two or three nodes that answer at once, and do what the test says with the first, second and third try of {@code /slow}. All first tries go to the
 * first node: of two that are under way to different nodes, the later one may be read before the other.
 */
final class HedgedNodes implements AutoCloseable {
    static final Duration SOON = Duration.ofMillis(100);
    static final String SLOW = "/slow";
    /** Enough for each of three nodes to be known that are asked in turn. */
    private static final int WARM = 75;
    /** The others' turns come once each while the nodes are warmed, and not again before 75 more requests. */
    private static final int FIRST_WEIGHT = 100;

    private final List<Step> slow;
    private final boolean inTurn;
    private final AtomicBoolean firstAsked = new AtomicBoolean();
    private final AtomicInteger askedBehind = new AtomicInteger();
    private final AtomicInteger asked = new AtomicInteger();
    private final List<ScriptedUpstream> all;

    HedgedNodes(int count, Step... slow) {
        this(count, false, slow);
    }

    /** First tries go to them in turn. No two are to be under way of which only one has arrived. */
    static HedgedNodes inTurn(int count, Step... slow) {
        return new HedgedNodes(count, true, slow);
    }

    private HedgedNodes(int count, boolean inTurn, Step... slow) {
        this.slow = List.of(slow);
        this.inTurn = inTurn;
        this.all = IntStream.range(0, count)
                .mapToObj(i -> ScriptedUpstream.start(request -> next(i, request.target())))
                .toList();
    }

    private Step next(int node, String target) {
        if (!target.equals(SLOW)) {
            return Answer.ok("warm");
        }
        int place = place(node);
        asked.incrementAndGet();
        return slow.get(Math.min(place, slow.size() - 1));
    }

    private int place(int node) {
        if (inTurn) {
            return askedBehind.getAndIncrement();
        }
        return node == 0 && firstAsked.compareAndSet(false, true) ? 0 : askedBehind.incrementAndGet();
    }

    GatewayBuilder gateway() {
        GatewayBuilder builder = GatewayFixture.toPorts();
        for (int i = 0; i < all.size(); i++) {
            builder.node("127.0.0.1", port(i), i > 0 || inTurn ? 1 : FIRST_WEIGHT);
        }
        return builder.passive("silenceNanos", 0).hedge(SOON, 100);
    }

    int port(int node) {
        return all.get(node).port();
    }

    ScriptedUpstream node(int number) {
        return all.get(number);
    }

    int askedCount() {
        return asked.get();
    }

    void awaitAsked(int count) {
        Await.value("requests for " + SLOW, asked::get, n -> n == count);
    }

    @Override
    public void close() {
        all.forEach(ScriptedUpstream::close);
    }

    static void warm(RawClient client) throws IOException {
        for (int i = 0; i < WARM; i++) {
            assertThat(client.send(Ask.get("/")).readResponse().status()).isEqualTo(200);
        }
    }

    static Step after(Gate gate, String text) {
        return Script.script().stall(gate).respond(Answer.ok(text));
    }

    /** After the clients are gone nothing is in flight, in pools or at nodes. */
    static void idle(GatewayFixture gateway) {
        Ask.quiet(gateway);
        assertThat(gateway.gateway().nodes())
                .allSatisfy(node -> assertThat(node.inFlight()).as(node.name()).isZero());
    }

    /** The same, and nothing is held against any node. */
    static void quiet(GatewayFixture gateway) {
        idle(gateway);
        assertThat(gateway.gateway().nodes())
                .allSatisfy(node -> assertThat(node.isSuspect()).as(node.name()).isFalse());
    }

    static int openConnections(GatewayFixture gateway) {
        return gateway.counters().pools().stream().mapToInt(Counters.Pool::open).sum();
    }
}
