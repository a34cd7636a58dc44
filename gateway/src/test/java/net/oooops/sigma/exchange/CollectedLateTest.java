package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Key;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.config.PluginConfig;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A body is collected where the first plugin stands that needs it whole: those before it decide without. */
class CollectedLateTest {
    private static final Key<String> SHARED = Key.of(String.class, "collected-late");
    private static final String EXPECTING =
            "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\nExpect: 100-continue\r\n\r\n";

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
                assertThat(client.send(EXPECTING).readHead().status()).isEqualTo(401);
            }
        }
        assertThat(seen).isEmpty();
    }

    /** One that decides later, too: for as long as that takes nobody expects anything of a client that waits. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aClientThatWaitsIsAskedOnceItIsLetIn(boolean letIn) throws IOException {
        Outcome outcome = letIn ? Outcome.CONTINUE : Outcome.respond(Response.text(401, "no"));
        CompletableFuture<Outcome> decided = new CompletableFuture<>();
        Probe guard = Probe.probe().onRequest(x -> Outcome.suspend(decided));
        try (GatewayFixture gateway = GatewayFixture.to(node)
                        .plugins(Probe.LOADER)
                        .timeout("bodyIdleNanos", Duration.ofMillis(1500))
                        .route("/*", guard.config(), whole.config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(EXPECTING).expectSilence(Duration.ofSeconds(2));
            decided.complete(outcome);
            assertThat(client.readHead().status()).isEqualTo(letIn ? 100 : 401);
            if (letIn) {
                assertThat(client.send("hello").readResponse().bodyText()).isEqualTo("hello");
                assertThat(node.request(0).headers().has("Expect")).isFalse();
            }
        }
    }

    /** Who is asked has its time from then on, not from the head. */
    @Test
    void aClientThatIsAskedAndSendsNothingIsLate() throws IOException {
        CompletableFuture<Outcome> decided = new CompletableFuture<>();
        Probe guard = Probe.probe().onRequest(x -> Outcome.suspend(decided));
        try (GatewayFixture gateway = GatewayFixture.to(node)
                        .plugins(Probe.LOADER)
                        .timeout("bodyIdleNanos", Duration.ofMillis(300))
                        .route("/*", guard.config(), whole.config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(EXPECTING).expectSilence(Duration.ofMillis(500));
            decided.complete(Outcome.CONTINUE);
            assertThat(client.readHead().status()).isEqualTo(100);
            assertThat(client.readResponse().status()).isEqualTo(408);
        }
    }

    /** It has sent all of it without being asked: nobody asks it, nor the node. */
    @Test
    void aClientThatDoesNotWaitIsNotAsked() throws IOException {
        CompletableFuture<Outcome> decided = new CompletableFuture<>();
        AtomicBoolean waits = new AtomicBoolean();
        Probe guard = Probe.probe().onRequest(x -> {
            waits.set(true);
            return Outcome.suspend(decided);
        });
        try (GatewayFixture gateway = gateway(guard.config(), whole.config());
                RawClient client = gateway.connect()) {
            client.send(EXPECTING + "hello");
            // Its body came with its head, and is taken before anything else is done.
            Await.until("waits", waits::get);
            decided.complete(Outcome.CONTINUE);
            assertThat(client.readHead().status()).isEqualTo(200);
            assertThat(node.request(0).bodyText()).isEqualTo("hello");
            assertThat(node.request(0).headers().has("Expect")).isFalse();
        }
    }

    /** In the order of the chain, each once, with what they keep: whichever of them doesn't run on the event loop. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void thoseBeforeItSeeOneExchange(boolean blocking) throws IOException {
        Probe guard = Probe.probe();
        guard.onRequest(x -> {
                    seen.add("guard" + x.requestBody().remaining());
                    x.attach(guard, "kept");
                    x.value(SHARED, "shared");
                    return Outcome.CONTINUE;
                })
                .onResponse(x -> {
                    seen.add("answered " + x.attachment(guard));
                    return Outcome.CONTINUE;
                })
                .onEnd(x -> seen.add("end " + x.attachment(guard)));
        Probe behind = Probe.probe().onRequest(x -> {
            seen.add("behind " + x.value(SHARED));
            return Outcome.CONTINUE;
        });
        if (blocking) {
            guard.blocking();
            whole.blocking();
        }
        try (GatewayFixture gateway = gateway(guard.config(), whole.config(), behind.config())) {
            try (RawClient client = gateway.connect()) {
                client.send(Ask.postChunked("/") + "3\r\nabc\r\n");
                Await.until("the guard has seen it", () -> seen.contains("guard0"));
                assertThat(client.send("0\r\n\r\n").readResponse().bodyText()).isEqualTo("abc");
            }
            Ask.quiet(gateway);
        }
        assertThat(seen).containsExactly("guard0", "abc", "behind shared", "answered kept", "end kept");
    }

    /** Its length is known by then, and it is there for another try. */
    @Test
    void itGoesOnAsOneThatWasCollectedAtOnce() throws IOException {
        Probe guard = Probe.probe().onRequest(x -> Outcome.CONTINUE);
        try (ScriptedUpstream gone = ScriptedUpstream.play(
                        Script.script().readHead().readBody().close());
                GatewayFixture gateway = GatewayFixture.to(gone, node)
                        .plugins(Probe.LOADER)
                        .route("/*", guard.config(), whole.config())
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                client.send("PUT / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n");
                assertThat(client.readResponse().bodyText()).isEqualTo("abc");
            }
            assertThat(node.request(0).header("Content-Length")).isEqualTo("3");
        }
    }

    /** One in shadow that comes first has no guard wait, nor a body refused: what doesn't fit behind it isn't shown to it. */
    @Test
    void oneInShadowRefusesNothingBeforeAGuardDoes() throws IOException {
        Probe tried = Probe.probe().onRequest(this::body).wholeRequest(100);
        Probe guard = Probe.probe().onRequest(x -> Outcome.respond(Response.text(401, "no")));
        try (GatewayFixture gateway = gateway(tried.shadow(), guard.config(), whole.config())) {
            for (String request : List.of(Ask.postHead("/", 50), Ask.postChunked("/"), EXPECTING)) {
                try (RawClient client = gateway.connect()) {
                    assertThat(client.send(request).readResponse().status()).isEqualTo(401);
                }
            }
        }
        assertThat(seen).isEmpty();
    }

    @Test
    void oneInShadowBehindItSeesWhatWasCollected() throws IOException {
        Probe tried = Probe.probe().onRequest(this::body).wholeRequest(100);
        try (GatewayFixture gateway = gateway(whole.config(), tried.shadow());
                RawClient client = gateway.connect()) {
            client.send(Ask.postChunked("/") + "3\r\nabc\r\n0\r\n\r\n");
            assertThat(client.readResponse().bodyText()).isEqualTo("abc");
        }
        assertThat(seen).containsExactly("abc", "abc");
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

    /** They have let the request pass by not asking for it. */
    @Test
    void thoseBeforeItThatSeeOnlyAnswersSeeThatTheBodyIsTooLarge() throws IOException {
        Probe adds = Probe.probe().onResponse(x -> {
            x.response().add(Field.of("X-Added", "yes"));
            return Outcome.CONTINUE;
        });
        try (GatewayFixture gateway = gateway(adds.config(), whole.config());
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.post("/", "much too large")).readResponse();
            assertThat(response.status()).isEqualTo(413);
            assertThat(response.header("X-Added")).isEqualTo("yes");
        }
    }
}
