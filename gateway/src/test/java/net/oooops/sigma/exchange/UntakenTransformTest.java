package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodyTransform;
import net.oooops.sigma.api.Head;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.RefusedBodyException;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Gate;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;

/** Transformed bodies of requests that no node takes any more, or none yet. */
class UntakenTransformTest {
    /** One that fails where it loses a byte, or is told of the end while it has more. */
    private static final class Careful implements BodyTransform {
        private final StringBuilder taken = new StringBuilder();
        private int next;

        @Override
        public void chunk(ByteBuffer chunk, BodyOutput out) throws RefusedBodyException {
            taken.append(StandardCharsets.US_ASCII.decode(chunk));
            more(out);
        }

        @Override
        public boolean hasMore() {
            return !taken.isEmpty();
        }

        @Override
        public void more(BodyOutput out) throws RefusedBodyException {
            if (taken.charAt(0) != 'a' + next) {
                throw new RefusedBodyException("bytes are missing before " + taken.charAt(0));
            }
            next++;
            taken.deleteCharAt(0);
            out.write('x');
        }

        @Override
        public void end(Head trailers, BodyOutput out) throws RefusedBodyException {
            if (hasMore()) {
                throw new RefusedBodyException("the end came before " + taken);
            }
        }
    }

    /** What a node that has answered doesn't take is thrown away, and no transform takes it for garbled: the answer is the node's. */
    @Test
    void whatNobodyTakesIsNotGarbled() throws IOException {
        CompletableFuture<Outcome> decision = new CompletableFuture<>();
        AtomicBoolean asked = new AtomicBoolean();
        Probe both = Probe.probe()
                .onRequest(exchange -> {
                    exchange.transformRequestBody(new Careful());
                    return Outcome.CONTINUE;
                })
                .onResponse(exchange -> {
                    asked.set(true);
                    return Outcome.suspend(decision);
                });
        try (ScriptedUpstream upstream = ScriptedUpstream.play(Script.script()
                        .readHead()
                        .respond(Answer.of(403).body("no"))
                        .close());
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", both.config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.postHead("/", 9) + "a");
            Await.until("asked", asked::get);
            Await.until("its node is left", () -> Ask.pool(gateway).open() == 0);
            for (String each : new String[] {"bcd", "efg", "hi"}) {
                client.send(each).expectSilence(Duration.ofMillis(50));
            }
            decision.complete(Outcome.CONTINUE);
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(403);
            assertThat(response.bodyText()).isEqualTo("no");
        }
    }

    /** Who asks first whether he may send has sent by then, and what becomes of that has waited for its turn: it goes to the node all the same. */
    @Test
    void whatWaitsForATurnBeforeThereIsAConnection() throws IOException {
        BodyTransform slow = new BodyTransform() {
            private final StringBuilder taken = new StringBuilder();

            @Override
            public void chunk(ByteBuffer chunk, BodyOutput out) {
                long until = System.nanoTime() + 3_000_000;
                while (System.nanoTime() - until < 0) {
                    Thread.onSpinWait();
                }
                taken.append(StandardCharsets.US_ASCII.decode(chunk));
            }

            @Override
            public void end(Head trailers, BodyOutput out) {
                out.write(StandardCharsets.US_ASCII.encode(taken.toString()));
            }
        };
        Gate gate = new Gate();
        Probe posts = Probe.probe().onRequest(exchange -> {
            if (exchange.request().path().equals("/posted")) {
                exchange.transformRequestBody(slow);
            }
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.startOnHead(request -> request.target().equals("/posted")
                                ? Script.script().interim(100).readBody().respond(Answer.ok("got it"))
                                : Script.script().stall(gate).respond(Answer.ok("first")));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", posts.config())
                        .client("maxPoolSizePerServer", 1)
                        .workers(1)
                        .start();
                RawClient first = gateway.connect();
                RawClient client = gateway.connect()) {
            first.send(Ask.get("/"));
            upstream.awaitHeads(1);
            client.send(
                    "POST /posted HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked\r\n\r\n");
            Await.until("in line", () -> Ask.pool(gateway).waiting() == 1);
            client.send("1\r\na\r\n1\r\nb\r\n1\r\nc\r\n0\r\n\r\n");
            client.expectSilence(Duration.ofMillis(100));
            gate.release();
            assertThat(first.readResponse().bodyText()).isEqualTo("first");
            assertThat(client.readResponse().bodyText()).isEqualTo("got it");
            assertThat(upstream.requests().getLast().bodyText()).isEqualTo("abc");
        }
    }
}
