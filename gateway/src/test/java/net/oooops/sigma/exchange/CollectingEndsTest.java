package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How an exchange ends whose body is being collected: those that have let it in are told, once, and what they hold is given back. */
class CollectingEndsTest {
    private static final String PART = Ask.postChunked("/") + "3\r\nabc\r\n";

    /** What becomes of a client in the middle of its body. */
    enum End {
        LEAVES,
        RESETS,
        STALLS,
        SENDS_TOO_MUCH,
        SENDS_NONSENSE,
        COMPLETES
    }

    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
    private final Probe adds = Probe.probe()
            .onRequest(x -> {
                seen.add("request");
                return Outcome.CONTINUE;
            })
            .onResponse(x -> {
                x.response().add(Field.of("X-Added", "yes"));
                return Outcome.CONTINUE;
            })
            .onEnd(x -> seen.add("end " + x.fault()));
    private final Probe whole = Probe.probe().onRequest(x -> Outcome.CONTINUE).wholeRequest(10);

    @AfterEach
    void stop() {
        node.close();
    }

    private GatewayBuilder gateway(int max) {
        return GatewayFixture.to(node)
                .plugins(Probe.LOADER)
                .route(
                        "/*",
                        adds.config(),
                        GatewayFixture.plugin("concurrency-limit", Map.of("max", max)),
                        whole.config());
    }

    private void end(RawClient client, End how) throws IOException {
        RawResponse response;
        switch (how) {
            case LEAVES -> client.close();
            case RESETS -> client.reset();
            case STALLS -> {
                response = client.readResponse();
                assertThat(response.status()).isEqualTo(408);
                assertThat(response.header("X-Added")).isEqualTo("yes");
            }
            case SENDS_TOO_MUCH -> {
                response = client.send("9\r\nmuch more\r\n").readResponse();
                assertThat(response.status()).isEqualTo(413);
                assertThat(response.header("X-Added")).isEqualTo("yes");
            }
            case SENDS_NONSENSE -> {
                response = client.send("nonsense\r\n").readResponse();
                assertThat(response.status()).isEqualTo(400);
                assertThat(response.header("X-Added")).isEqualTo("yes");
            }
            case COMPLETES ->
                assertThat(client.send("0\r\n\r\n").readResponse().bodyText()).isEqualTo("abc");
        }
    }

    private static Fault fault(End how) {
        return switch (how) {
            case STALLS -> Fault.REQUEST_TIMEOUT;
            case SENDS_TOO_MUCH -> Fault.BODY_TOO_LARGE;
            case SENDS_NONSENSE -> Fault.BAD_REQUEST;
            default -> Fault.CLIENT_GONE;
        };
    }

    /** Its place is taken for as long as its body takes, and free afterwards: one, not two. */
    @ParameterizedTest
    @EnumSource
    void itsPlaceIsTakenUntilItEnds(End how) throws IOException {
        Duration idle = how == End.STALLS ? Duration.ofSeconds(2) : Duration.ofSeconds(20);
        try (GatewayFixture gateway = gateway(1).timeout("bodyIdleNanos", idle).start()) {
            try (RawClient client = gateway.connect()) {
                client.send(PART);
                Await.until("let in", () -> seen.equals(List.of("request")));
                try (RawClient other = gateway.connect()) {
                    assertThat(other.send(Ask.post("/", "abc")).readResponse().status())
                            .isEqualTo(429);
                }
                end(client, how);
            }
            Ask.quiet(gateway);
            assertThat(seen).contains(how == End.COMPLETES ? "end null" : "end " + fault(how));
            assertThat(seen).hasSize(4);
            try (RawClient first = gateway.connect();
                    RawClient second = gateway.connect()) {
                first.send(PART);
                Await.until("let in", () -> seen.size() == 5);
                assertThat(second.send(Ask.get("/")).readResponse().status()).isEqualTo(429);
                assertThat(first.send("0\r\n\r\n").readResponse().bodyText()).isEqualTo("abc");
            }
        }
    }

    /** Of a plugin's refusal behind it, too. */
    @Test
    void thatOfARefusalAfterwardsIsGivenBack() throws IOException {
        Probe refuses =
                Probe.probe().onRequest(x -> Outcome.respond(Response.of(403))).wholeRequest(10);
        try (GatewayFixture gateway = GatewayFixture.to(node)
                        .plugins(Probe.LOADER)
                        .route("/*", GatewayFixture.plugin("concurrency-limit", Map.of("max", 1)), refuses.config())
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 3; i++) {
                client.send(PART + "0\r\n\r\n");
                assertThat(client.readResponse().status()).isEqualTo(403);
            }
        }
    }

    /** Who sends a byte now and then is ended by the rate that bodies have to keep. */
    @Test
    void aSlowClientHoldsItsPlaceNoLongerThanBodiesMayTake() throws IOException {
        try (GatewayFixture gateway = gateway(1)
                        .bodyMinRate(1000, Duration.ofMillis(300))
                        .timeout("bodyIdleNanos", Duration.ofSeconds(20))
                        .start();
                RawClient slow = gateway.connect()) {
            slow.send(Ask.postChunked("/"));
            byte[] bytes = "1\r\na\r\n".repeat(4).getBytes(StandardCharsets.US_ASCII);
            slow.sendInPieces(bytes, 6, Duration.ofMillis(150));
            assertThat(slow.readResponse().status()).isEqualTo(408);
            try (RawClient other = gateway.connect()) {
                assertThat(other.send(Ask.post("/", "abc")).readResponse().status())
                        .isEqualTo(200);
            }
        }
    }

    /** Also where many of them do, on several event loops. */
    @Test
    void nobodyIsForgottenAmongMany() throws IOException {
        try (GatewayFixture gateway = gateway(100).workers(2).start()) {
            for (End how : new End[] {End.LEAVES, End.RESETS, End.SENDS_TOO_MUCH, End.COMPLETES}) {
                List<RawClient> clients = new ArrayList<>();
                int before = seen.size();
                for (int i = 0; i < 20; i++) {
                    clients.add(gateway.connect().send(PART));
                }
                Await.until("all let in", () -> seen.size() == before + 20);
                for (RawClient client : clients) {
                    end(client, how);
                    client.close();
                }
                Ask.quiet(gateway);
                assertThat(seen).hasSize(before + 40);
            }
        }
    }
}
