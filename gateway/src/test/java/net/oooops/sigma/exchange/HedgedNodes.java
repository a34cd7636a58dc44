package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
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

/** Two or three nodes that answer at once, and do what the test says with the first, second and third request for {@code /slow}. */
final class HedgedNodes implements AutoCloseable {
    static final Duration SOON = Duration.ofMillis(100);
    static final String SLOW = "/slow";
    /** Enough for each of three nodes to be known. */
    private static final int WARM = 75;

    private final List<Step> slow;
    private final AtomicInteger asked = new AtomicInteger();
    private final AtomicInteger askedLast = new AtomicInteger();
    private final List<ScriptedUpstream> all;

    HedgedNodes(int count, Step... slow) {
        this.slow = List.of(slow);
        this.all = IntStream.range(0, count)
                .mapToObj(i -> ScriptedUpstream.start(request -> next(i, request.target())))
                .toList();
    }

    private Step next(int node, String target) {
        if (!target.equals(SLOW)) {
            return Answer.ok("warm");
        }
        askedLast.set(node);
        return slow.get(Math.min(asked.getAndIncrement(), slow.size() - 1));
    }

    /** The one that was asked last for {@code /slow}. */
    ScriptedUpstream askedLast() {
        return all.get(askedLast.get());
    }

    GatewayBuilder gateway() {
        return GatewayFixture.toPorts(
                        all.stream().mapToInt(ScriptedUpstream::port).toArray())
                .passive("silenceNanos", 0)
                .hedge(SOON, 100);
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
