package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.RequestHead;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.ResponseHead;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A plugin whose time is over has no hand in the exchange any more, while the answer is on its way through other plugins. */
class LatePluginTest {
    private static final FieldName NAME = FieldName.of("X-Late");
    private static final Field FIELD = Field.of("X-Late", "1");
    private static final ByteBuffer BODY = ByteBuffer.wrap(new byte[] {'l', 'a', 't', 'e'});

    /** How a plugin takes its time, and where. */
    private enum Way {
        BLOCKING_REQUEST,
        BLOCKING_RESPONSE,
        SUSPENDED_REQUEST,
        SUSPENDED_RESPONSE;

        boolean blocks() {
            return this == BLOCKING_REQUEST || this == BLOCKING_RESPONSE;
        }

        boolean inResponse() {
            return this == BLOCKING_RESPONSE || this == SUSPENDED_RESPONSE;
        }
    }

    /** What a plugin has kept of an exchange. */
    private record Kept(
            Exchange exchange,
            RequestHead request,
            @Nullable ResponseHead response) {
        static Kept of(Exchange exchange, boolean inResponse) {
            return new Kept(exchange, exchange.request(), inResponse ? exchange.response() : null);
        }

        private interface Use {
            @Nullable Object make() throws Exception;
        }

        private static Use done(Runnable use) {
            return () -> {
                use.run();
                return "done";
            };
        }

        /** What came of each use of it: what it gave, or the kind of exception. */
        Map<String, Object> uses() {
            Map<String, Use> all = new LinkedHashMap<>();
            all.put("request", exchange::request);
            all.put("response", exchange::response);
            all.put("hasResponse", exchange::hasResponse);
            all.put("requestBody", exchange::requestBody);
            all.put("responseBody", exchange::responseBody);
            all.put("replace requestBody", done(() -> exchange.requestBody(BODY.duplicate())));
            all.put("replace responseBody", done(() -> exchange.responseBody(BODY.duplicate())));
            all.put("peer", exchange::peerAddress);
            all.put("client", exchange::clientAddress);
            all.put("route", exchange::routeId);
            all.put("upstream", exchange::upstreamId);
            all.put("fault", exchange::fault);
            all.put("attachment", () -> exchange.attachment(probe()));
            all.put("attach", done(() -> exchange.attach(probe(), 1)));
            all.put("method", request::method);
            all.put("scheme", request::scheme);
            all.put("authority", request::authority);
            all.put("path", request::path);
            all.put("query", request::query);
            all.put("pathStartsWith", () -> request.pathStartsWith(Ascii.of("/")));
            all.put("replacePathPrefix", done(() -> request.replacePathPrefix(1, Ascii.of("/late/"))));
            all.put("set path", done(() -> request.path("/late")));
            all.put("set query", done(() -> request.query("late")));
            all.put("value", () -> request.value(NAME));
            all.put("values", () -> request.values(NAME));
            all.put("has", () -> request.has(NAME));
            all.put("names", request::names);
            all.put("set", done(() -> request.set(FIELD)));
            all.put("add", done(() -> request.add(FIELD)));
            all.put("remove", done(() -> request.remove(NAME)));
            if (response != null) {
                all.put("status", response::status);
                all.put("set status", done(() -> response.status(201)));
                all.put("set in response", done(() -> response.set(FIELD)));
            }
            Map<String, Object> came = new LinkedHashMap<>();
            all.forEach((name, use) -> came.put(name, outcome(use)));
            return came;
        }

        private static Object outcome(Use use) {
            try {
                return String.valueOf(use.make());
            } catch (Exception e) {
                return e.getClass();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void nothingCanBeReadOrWrittenAnyMore(Way way) throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        CountDownLatch tried = new CountDownLatch(1);
        AtomicReference<Kept> kept = new AtomicReference<>();
        CompletableFuture<Map<String, Object>> uses = new CompletableFuture<>();
        Probe.Step late = exchange -> {
            if (exchange.request().path().equals("/plain")) {
                return Outcome.CONTINUE;
            }
            kept.set(Kept.of(exchange, way.inResponse()));
            if (!way.blocks()) {
                return Outcome.suspend(new CompletableFuture<>());
            }
            await(answered);
            uses.complete(kept.get().uses());
            return Outcome.respond(Response.text(200, "late"));
        };
        Probe takesLong = (way.inResponse() ? probe().onResponse(late) : probe().onRequest(late)).wholeRequest(100);
        // Where the answer of Sigma's own waits meanwhile, not yet written.
        Probe holds = probe().onResponse(exchange -> {
                    if (exchange.response().status() == 500) {
                        answered.countDown();
                        await(tried);
                    }
                    return Outcome.CONTINUE;
                })
                .blocking();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .timeout("pluginNanos", Duration.ofSeconds(2))
                        .route("/*", holds.config(), (way.blocks() ? takesLong.blocking() : takesLong).config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send(Ask.post("/", "body"));
            if (!way.blocks()) {
                await(answered);
                uses.complete(kept.get().uses());
            }
            assertThat(uses.get(20, TimeUnit.SECONDS))
                    .allSatisfy((use, came) -> assertThat(came).isEqualTo(IllegalStateException.class));
            tried.countDown();
            assertUntouched(client.readResponse());

            assertThat(client.send(Ask.get("/plain")).readResponse().bodyText()).isEqualTo("hello");
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(1);
        }
    }

    /** The answer is made anew for the second of two plugins that fail, and it is that one which the next sees. */
    @Test
    void whoComesAfterTwoThatFailedHasTheAnswerInItsHands() throws Exception {
        Probe stamps = probe().onResponse(exchange -> {
            exchange.response()
                    .set(Field.of("X-Stamp", String.valueOf(exchange.response().status())));
            return Outcome.CONTINUE;
        });
        Probe throwing = probe().onResponse(exchange -> {
            throw new IOException("thrown");
        });
        Probe late = probe().onRequest(exchange -> Outcome.suspend(new CompletableFuture<>()));
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("hello"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .timeout("pluginNanos", Duration.ofMillis(200))
                        .route("/*", stamps.config(), throwing.config(), late.config())
                        .start();
                RawClient client = gateway.connect()) {
            RawResponse response = client.send(Ask.get("/")).readResponse();
            assertThat(response.status()).isEqualTo(500);
            assertThat(response.header("X-Stamp")).isEqualTo("500");
            assertThat(gateway.faults(Fault.PLUGIN_FAILED)).isEqualTo(2);
        }
    }

    private static void assertUntouched(RawResponse response) {
        assertThat(response.status()).isEqualTo(500);
        assertThat(response.bodyText()).isEqualTo(Fault.PLUGIN_FAILED.text() + "\n");
        assertThat(response.head().headers().has("X-Late")).isFalse();
    }

    private static void await(CountDownLatch latch) throws IOException, InterruptedException {
        if (!latch.await(20, TimeUnit.SECONDS)) {
            throw new IOException("not so within 20 s");
        }
    }
}
