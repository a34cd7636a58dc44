package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What is held of a body of which much becomes, and the turns that the event loop has for others meanwhile. */
@Isolated("memory of the whole process, and turns of an event loop")
class HeldTransformMemoryTest {
    /** A gigabyte that nobody reads is never made. */
    @Test
    void aClientThatTakesNothingStopsIt() throws IOException {
        HeldTransformTest.Blown blown = new HeldTransformTest.Blown(1L << 30, "", "");
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"));
                GatewayFixture gateway = HeldTransformTest.with(upstream, HeldTransformTest.responses(blown))
                        .start()) {
            try (DirectMemory memory = DirectMemory.watched();
                    RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096))) {
                client.send(Ask.get("/"));
                long made = Ask.standstill("what is made", blown.made::get);
                assertThat(made).isLessThan(32 << 20);
                assertThat(memory.grownBytesMax()).isLessThan(64 << 20);
                Ask.count(gateway, Counter.REQUESTS_IN_FLIGHT, 1);
            }
            Await.until("closed", () -> blown.closes.get() == 1);
            Ask.quiet(gateway);
        }
    }

    /** One that takes its time for each call leaves others their turns: what they need is a few turns of the event loop, not a second for each. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void othersHaveTheirTurns(boolean response) throws IOException {
        AtomicInteger calls = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        BodyTransform slow = new BodyTransform() {
            @Override
            public void chunk(ByteBuffer chunk, BodyOutput out) {}

            @Override
            public boolean hasMore() {
                return !over.get();
            }

            @Override
            public void more(BodyOutput out) {
                long until = System.nanoTime() + 2_000_000;
                while (System.nanoTime() - until < 0) {
                    Thread.onSpinWait();
                }
                calls.incrementAndGet();
                out.write('x');
            }
        };
        Probe onSlow = Probe.probe()
                .onRequest(exchange -> {
                    if (!response && exchange.request().path().equals("/slow")) {
                        exchange.transformRequestBody(slow);
                    }
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    if (response && exchange.request().path().equals("/slow")) {
                        exchange.transformResponseBody(slow);
                    }
                    return Outcome.CONTINUE;
                });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"));
                GatewayFixture gateway =
                        HeldTransformTest.with(upstream, onSlow).workers(1).start();
                RawClient packs = gateway.connect();
                RawClient other = gateway.connect()) {
            packs.send(Ask.post("/slow", "a"));
            Await.until("it is at work", () -> calls.get() > 10);
            int before = calls.get();
            int requests = 5;
            for (int i = 0; i < requests; i++) {
                assertThat(other.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("a");
            }
            assertThat(calls.get() - before).isLessThan(requests * 50);
            over.set(true);
            assertThat(packs.readResponse().status()).isEqualTo(200);
        }
    }
}
