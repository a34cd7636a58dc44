package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A body is collected where the first plugin stands that needs it whole: those before it decide without. */
class CollectedLateTest {
    private final List<String> seen = new CopyOnWriteArrayList<>();
    private final ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok(request.bodyText()));
    private final Probe whole = Probe.probe().onRequest(this::body).wholeRequest(10);

    @AfterEach
    void stop() {
        node.close();
    }

    private Outcome body(Exchange x) {
        seen.add(StandardCharsets.UTF_8.decode(x.requestBody()).toString());
        return Outcome.CONTINUE;
    }

    private GatewayFixture gateway(PluginConfig... plugins) {
        return GatewayFixture.to(node)
                .plugins(Probe.LOADER)
                .route("/*", plugins)
                .start();
    }

    /** Who isn't let in has the gateway hold nothing, nor is asked for more. */
    @Test
    void aGuardBeforeItAnswersWithoutTheBody() throws IOException {
        Probe guard = Probe.probe().onRequest(x -> Outcome.respond(Response.text(401, "no")));
        try (GatewayFixture gateway = gateway(guard.config(), whole.config())) {
            try (RawClient client = gateway.connect()) {
                // Nothing of the body comes.
                RawResponse response = client.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\n")
                        .readResponse();
                assertThat(response.status()).isEqualTo(401);
            }
            try (RawClient client = gateway.connect()) {
                RawResponse response = client.send(
                                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n")
                        .readResponse();
                assertThat(response.status()).isEqualTo(401);
            }
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void aGuardBehindItAnswersAfterTheBody() throws IOException {
        Probe guard = Probe.probe().onRequest(x -> Outcome.respond(Response.text(401, "no")));
        try (GatewayFixture gateway = gateway(whole.config(), guard.config());
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.post("/", "abc")).readResponse().status())
                    .isEqualTo(401);
        }
        assertThat(seen).containsExactly("abc");
    }

    /** Also one that decides later, when part of the body, or all of it, is here already. */
    @Test
    void whatComesWhileAGuardDecidesIsCollected() throws IOException {
        Probe again = Probe.probe().onRequest(this::body).wholeRequest(20);
        List<CompletableFuture<Outcome>> waits = new CopyOnWriteArrayList<>();
        Probe guard = Probe.probe().onRequest(x -> {
            waits.add(new CompletableFuture<>());
            return Outcome.suspend(waits.getLast());
        });
        try (GatewayFixture gateway = gateway(guard.config(), whole.config(), again.config());
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/", "abc"));
            Await.until("waits", () -> waits.size() == 1);
            waits.getFirst().complete(Outcome.CONTINUE);
            assertThat(client.readResponse().bodyText()).isEqualTo("abc");

            client.send(Ask.postChunked("/") + "3\r\nabc\r\n");
            Await.until("waits", () -> waits.size() == 2);
            waits.getLast().complete(Outcome.CONTINUE);
            client.send("3\r\ndef\r\n0\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("abcdef");

            client.send(Ask.get("/"));
            Await.until("waits", () -> waits.size() == 3);
            waits.getLast().complete(Outcome.CONTINUE);
            assertThat(client.readResponse().bodyText()).isEmpty();
        }
        assertThat(seen).containsExactly("abc", "abc", "abcdef", "abcdef", "", "");
    }

    /** What is too large is answered to those that have seen the request, such as one that adds what browsers ask for. */
    @Test
    void thoseBeforeItSeeThatTheBodyIsTooLarge() throws IOException {
        Probe adds = Probe.probe().onRequest(x -> Outcome.CONTINUE).onResponse(x -> {
            x.response().add(Field.of("X-Added", "yes"));
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = gateway(adds.config(), whole.config())) {
            for (String request : List.of(
                    Ask.post("/", "much too large"), Ask.postChunked("/") + "e\r\nmuch too large\r\n0\r\n\r\n")) {
                try (RawClient client = gateway.connect()) {
                    RawResponse response = client.send(request).readResponse();
                    assertThat(response.status()).isEqualTo(413);
                    assertThat(response.header("X-Added")).isEqualTo("yes");
                }
            }
        }
        assertThat(seen).isEmpty();
    }
}
