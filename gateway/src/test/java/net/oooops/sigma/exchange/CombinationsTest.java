package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Allocator;
import net.oooops.sigma.config.RuntimeConfig.ThreadModel;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each transport that works here, with each thread model and each allocator, streaming and collecting: the same requests, the same answers. */
@Tag("long")
class CombinationsTest {
    private static final int CLIENTS = 8;
    private static final int REQUESTS_EACH = 25;
    private static final int BODY_BYTES = 700_000;
    private static final Duration LONG = Duration.ofSeconds(20);

    record Combination(Transport transport, ThreadModel model, Allocator allocator, boolean collecting) {
        GatewayBuilder to(ScriptedUpstream upstream) {
            return GatewayFixture.to(upstream)
                    .workers(2)
                    .runtime("transport", transport)
                    .runtime("threadModel", model)
                    .runtime("allocator", allocator)
                    .contentBytesMax(collecting ? 1 << 20 : 0);
        }
    }

    static Stream<Combination> combinations() {
        List<Combination> all = new ArrayList<>();
        for (Transport transport : Transport.values()) {
            for (ThreadModel model : ThreadModel.values()) {
                for (Allocator allocator : Allocator.values()) {
                    all.add(new Combination(transport, model, allocator, false));
                    all.add(new Combination(transport, model, allocator, true));
                }
            }
        }
        return all.stream().filter(one -> one.transport() != Transport.AUTO);
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void eachGetsItsOwnAnswer(Combination combination) throws Exception {
        Needed.transport(combination.transport());
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.start(request -> Answer.ok(request.target() + " " + request.bodyText()));
                GatewayFixture gateway = combination.to(upstream).start();
                ExecutorService clients = Executors.newFixedThreadPool(CLIENTS)) {
            List<Callable<Integer>> calls = new ArrayList<>();
            for (int i = 0; i < CLIENTS; i++) {
                int number = i;
                calls.add(() -> ask(gateway, number));
            }
            for (Future<Integer> answered : clients.invokeAll(calls)) {
                assertThat(answered.get()).isEqualTo(REQUESTS_EACH);
            }
            Ask.count(gateway, Counter.REQUESTS_2XX, (long) CLIENTS * REQUESTS_EACH);
            Ask.quiet(gateway);
        }
    }

    private static int ask(GatewayFixture gateway, int number) throws IOException {
        int answered = 0;
        try (RawClient client = gateway.connect().deadline(LONG)) {
            for (int i = 0; i < REQUESTS_EACH; i++) {
                String path = "/" + number + "/" + i;
                String body = "b".repeat(i * number % 50);
                String text = client.send(Ask.post(path, body)).readResponse().bodyText();
                answered += text.equals(path + " " + body) ? 1 : 0;
            }
        }
        return answered;
    }

    @ParameterizedTest
    @MethodSource("combinations")
    void bodiesComeWholeAndResetsAreTold(Combination combination) throws Exception {
        Needed.transport(combination.transport());
        GeneratedBody body = GeneratedBody.of(5, BODY_BYTES);
        try (ScriptedUpstream upstream = ScriptedUpstream.play(
                        Script.script()
                                .readRequest()
                                .respond(Answer.ok("").body(body).chunked(10_000))
                                .readRequest()
                                .reset(),
                        Script.script().thenServe(request -> Answer.ok("again")));
                GatewayFixture gateway = combination.to(upstream).start();
                RawClient client = gateway.connect().deadline(LONG)) {
            RawResponse response =
                    client.send(Ask.postHead("/", BODY_BYTES)).send(body).readResponse();
            assertThat(upstream.request(0).bodySha256()).isEqualTo(body.sha256());
            assertThat(response.bodySha256()).isEqualTo(body.sha256());
            assertThat(client.send(Ask.post("/", "x")).readResponse().status()).isEqualTo(502);
            assertThat(gateway.faults(Fault.UPSTREAM_CLOSED)).isEqualTo(1);
            try (RawClient other = gateway.connect().deadline(LONG)) {
                assertThat(other.send(Ask.get("/")).readResponse().bodyText()).isEqualTo("again");
                other.send(Ask.get("/")).reset();
            }
            Await.until(
                    "the pool at rest",
                    LONG,
                    () -> gateway.counters().pools().stream().allMatch(pool -> pool.open() == pool.idle()));
        }
    }
}
