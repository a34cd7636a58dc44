package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin that needs whole bodies, where there is none: it sees an empty one, and may make one. */
class EmptyBodyTest {
    private static final String NO_LENGTH = "POST /a HTTP/1.1\r\nHost: a.example\r\n\r\n";

    private static ByteBuffer bytes(String text) {
        return StandardCharsets.UTF_8.encode(text);
    }

    private static GatewayFixture gateway(ScriptedUpstream upstream, Probe probe) {
        return GatewayFixture.to(upstream)
                .plugins(Probe.LOADER)
                .route("/*", probe.config())
                .start();
    }

    @ParameterizedTest
    @ValueSource(strings = {"GET", "POST", "OPTIONS"})
    void aRequestWithoutABodyGetsOne(String method) throws IOException {
        Probe makes = probe().wholeRequest(100).onRequest(exchange -> {
            assertThat(exchange.requestBody().remaining()).isZero();
            exchange.requestBody(bytes("made"));
            assertThat(exchange.requestBody()).isEqualTo(bytes("made"));
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
                GatewayFixture gateway = gateway(upstream, makes);
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                client.send(NO_LENGTH.replace("POST", method));
                assertThat(client.readResponse().bodyText()).isEqualTo("made");
                assertThat(upstream.request(i).headers().values("Content-Length"))
                        .containsExactly("4");
            }
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    @Test
    void aRequestWithoutABodyGoesOnWithoutWhereNoneIsMade() throws IOException {
        Probe looks = probe().wholeRequest(100).onRequest(exchange -> Outcome.CONTINUE);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = gateway(upstream, looks);
                RawClient client = gateway.connect()) {
            client.send(Ask.get("/") + Ask.head("/") + Ask.post("/", "") + NO_LENGTH);
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(client.readResponse("HEAD").status()).isEqualTo(200);
            assertThat(client.readResponse().status()).isEqualTo(200);
            assertThat(client.readResponse().status()).isEqualTo(200);

            assertThat(upstream.requests()).extracting(EmptyBodyTest::length).containsExactly("", "", "0", "");
            assertThat(upstream.requests())
                    .allSatisfy(request -> assertThat(request.headers().has("Transfer-Encoding"))
                            .isFalse());
        }
    }

    private static String length(ReceivedRequest request) {
        return String.join(",", request.headers().values("Content-Length"));
    }

    private static Probe answers(String text) {
        return probe().wholeResponse(100).onResponse(exchange -> {
            assertThat(exchange.responseBody().remaining()).isZero();
            exchange.responseBody(bytes(text));
            return Outcome.CONTINUE;
        });
    }

    @Test
    void aResponseWithoutABodyGetsOne() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok(""));
                GatewayFixture gateway = gateway(upstream, answers("made"));
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                RawResponse response = client.send(Ask.get("/")).readResponse();
                assertThat(response.bodyText()).isEqualTo("made");
                assertThat(response.header("Content-Length")).isEqualTo("4");
            }
        }
    }

    /** How long the body would have been that a plugin makes of a GET's, nobody knows: there is no Content-Length then. */
    @Test
    void aResponseThatEndsWithItsHeadGoesWithout() throws IOException {
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> switch (request.target()) {
                    case "/204" -> Answer.of(204);
                    case "/304" -> Answer.of(304);
                    default -> Answer.ok("hello");
                });
                GatewayFixture gateway = gateway(upstream, answers("made"));
                RawClient client = gateway.connect()) {
            for (String path : new String[] {"/204", "/304", "/200"}) {
                boolean head = path.equals("/200");
                RawResponse response =
                        client.send(head ? Ask.head(path) : Ask.get(path)).readResponse(head ? "HEAD" : "GET");
                assertThat(response.status()).isEqualTo(Integer.parseInt(path.substring(1)));
                assertThat(response.head().headers().has("Content-Length")).isFalse();
                assertThat(response.head().headers().has("Transfer-Encoding")).isFalse();
            }
            assertThat(upstream.connectionCount()).isEqualTo(1);
        }
    }

    @Test
    void theHeadOfAResponseStaysAsItIsWhereNothingIsMade() throws IOException {
        Probe looks = probe().wholeResponse(100).onResponse(exchange -> Outcome.CONTINUE);
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = gateway(upstream, looks);
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.head("/")).readResponse("HEAD");
            assertThat(response.header("Content-Length")).isEqualTo("5");
        }
    }
}
