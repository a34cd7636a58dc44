package net.oooops.sigma.proxy;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.exchange.Probe;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

class TransformTurnsTest {
    private static final int MEBI = 1 << 20;
    /** What is received of a body before its sender is stopped, and what comes by then. */
    private static final long HELD_BYTES_MAX = MEBI / 2;

    /** Has more for ever, so that others have every second turn of the event loop. */
    private static final class Busy implements BodyTransform {
        final AtomicLong calls = new AtomicLong();
        final AtomicBoolean over = new AtomicBoolean();

        @Override
        public void chunk(ByteBuffer chunk, BodyOutput out) {}

        @Override
        public boolean hasMore() {
            return !over.get();
        }

        @Override
        public void more(BodyOutput out) {
            work();
            calls.incrementAndGet();
            out.write('x');
        }
    }

    private static void work() {
        long until = System.nanoTime() + 2_500_000;
        while (System.nanoTime() - until < 0) {
            Thread.onSpinWait();
        }
    }

    /** Looks how much waits behind each part of a body. */
    private static BodyTransform looking(Exchange exchange, AtomicLong most) {
        HttpExchange x = ((PluginView) exchange).exchange();
        return (chunk, out) -> {
            work();
            Transforms transforms = x.request.transforms;
            long held = transforms == null ? 0 : transforms.input.heldBytes();
            most.accumulateAndGet(held, Math::max);
        };
    }

    @Test
    void whoSendsMuchOfABodyThatAwaitsItsTurnIsStopped() throws IOException {
        Busy busy = new Busy();
        AtomicLong most = new AtomicLong();
        Probe transforms = Probe.probe().onRequest(exchange -> {
            boolean isBusy = exchange.request().path().equals("/busy");
            exchange.transformRequestBody(isBusy ? busy : looking(exchange, most));
            return Outcome.CONTINUE;
        });
        GeneratedBody body = GeneratedBody.of(1, 8 * MEBI);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("a"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", transforms.config())
                        .workers(1)
                        .start();
                RawClient takesLong = gateway.connect();
                RawClient sends = gateway.connect()) {
            takesLong.send("POST /busy HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\na");
            Await.until("it is at work", () -> busy.calls.get() > 10);
            sends.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: " + body.bytes() + "\r\n\r\n");
            sends.send(body);
            busy.over.set(true);
            assertThat(takesLong.readResponse().status()).isEqualTo(200);
            assertThat(sends.readResponse().status()).isEqualTo(200);
        }
        assertThat(most.get()).isBetween(1L, HELD_BYTES_MAX);
    }
}
