package net.oooops.sigma.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.BodyNeed;
import net.oooops.sigma.api.BodyOutput;
import net.oooops.sigma.api.BodySource;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.FieldName;
import net.oooops.sigma.api.Needs;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.api.Plugin;
import net.oooops.sigma.api.Response;
import net.oooops.sigma.api.StreamBody;
import org.junit.jupiter.api.Test;

class PluginHarnessTest {
    private interface OnRequest {
        Outcome see(Exchange exchange) throws Exception;
    }

    private record Probe(Needs needs, OnRequest step) implements Plugin {
        @Override
        public Outcome onRequest(Exchange exchange) throws Exception {
            return step.see(exchange);
        }
    }

    private static PluginHarness harness(Needs needs, OnRequest step) {
        return PluginHarness.of(new Probe(needs, step));
    }

    @Test
    void showsTheEditsOfTheHead() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/test/a?b=1", "Host: x:1", "Accept: a", "accept: b");
        harness(Needs.REQUEST, seen -> {
                    seen.request().replacePathPrefix(5, Ascii.EMPTY);
                    seen.request().query(null);
                    seen.request().set(Field.of("Accept", "c"));
                    seen.request().add(Field.of("X-A", "1"));
                    return Outcome.CONTINUE;
                })
                .request(exchange);

        assertThat(exchange.request().path()).isEqualTo("/a");
        assertThat(exchange.request().query()).isNull();
        assertThat(exchange.request().authority()).isEqualTo("x:1");
        assertThat(exchange.request().lines()).containsExactly("Host: x:1", "Accept: c", "X-A: 1");
    }

    @Test
    void refusesWhatTheGatewayRefuses() {
        TestExchange exchange = TestExchange.of("GET", "/");

        assertThatThrownBy(() -> exchange.request().path("a")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> exchange.request().path("/a b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> exchange.request().path("/%4")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> exchange.request().query("a#b")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> exchange.request().remove(FieldName.of("host")))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(exchange::response).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> exchange.requestBody(ByteBuffer.allocate(1)))
                .isInstanceOf(IllegalStateException.class);
    }

    @Test
    void runsNoStepThatTheNeedsDoNotName() {
        PluginHarness harness = harness(Needs.RESPONSE, seen -> Outcome.CONTINUE);

        assertThatThrownBy(() -> harness.request(TestExchange.of("GET", "/")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("onRequest");
    }

    @Test
    void anAnswerOfThePluginBecomesTheResponse() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        Outcome outcome = harness(Needs.REQUEST, seen -> Outcome.respond(Response.text(403, "no")))
                .request(exchange);

        assertThat(outcome).isInstanceOf(Outcome.Respond.class);
        assertThat(exchange.response().status()).isEqualTo(403);
        assertThat(exchange.responseText()).isEqualTo("no");
    }

    @Test
    void awaitsASuspendedStepAndGivesItsFailure() throws Exception {
        PluginHarness late = harness(
                Needs.REQUEST,
                seen -> Outcome.suspend(
                        CompletableFuture.supplyAsync(() -> Outcome.CONTINUE, Thread::startVirtualThread)));
        PluginHarness failing = harness(
                Needs.REQUEST,
                seen -> Outcome.suspend(CompletableFuture.failedStage(new IllegalArgumentException("lost"))));

        assertThat(late.request(TestExchange.of("GET", "/"))).isSameAs(Outcome.CONTINUE);
        assertThatThrownBy(() -> failing.request(TestExchange.of("GET", "/")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("lost");
    }

    @Test
    void aStreamIsReadToItsEnd() throws Exception {
        LinkedBlockingQueue<String> parts = new LinkedBlockingQueue<>(List.of("one "));
        TestExchange exchange = TestExchange.of("GET", "/");
        BodySource source = new BodySource() {
            @Override
            public void begin(Runnable more) {
                Thread.ofPlatform().start(() -> {
                    parts.add("two");
                    more.run();
                });
            }

            @Override
            public Next next(BodyOutput out) {
                String part = parts.poll();
                if (part == null) {
                    return Next.LATER;
                }
                out.write(StandardCharsets.UTF_8.encode(part));
                return part.equals("two") ? Next.END : Next.MORE;
            }
        };
        StreamBody body = StreamBody.of(source);
        harness(Needs.REQUEST, seen -> Outcome.respond(Response.stream(200, List.of(), body)))
                .request(exchange);
        assertThat(exchange.responseText()).isEqualTo("one two");
        assertThat(body.take()).isFalse();
    }

    @Test
    void aStreamThatBreaksItsContractIsRefused() {
        BodySource empty = out -> BodySource.Next.MORE;
        BodySource brief = out -> BodySource.Next.END;
        assertThatThrownBy(() -> harness(
                                Needs.REQUEST,
                                seen -> Outcome.respond(Response.stream(200, List.of(), StreamBody.of(empty))))
                        .request(TestExchange.of("GET", "/")))
                .hasMessageContaining("at least a byte");
        assertThatThrownBy(() -> harness(
                                Needs.REQUEST,
                                seen -> Outcome.respond(Response.stream(200, List.of(), StreamBody.ofLength(3, brief))))
                        .request(TestExchange.of("GET", "/")))
                .hasMessageContaining("expected: 3");
    }

    @Test
    void aBlockingStepRunsOnAVirtualThread() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        harness(Needs.REQUEST.withBlocking(), seen -> {
                    seen.request()
                            .add(Field.of(
                                    "X-Virtual",
                                    String.valueOf(Thread.currentThread().isVirtual())));
                    return Outcome.CONTINUE;
                })
                .request(exchange);

        assertThat(exchange.request().lines()).containsExactly("X-Virtual: true");
    }

    @Test
    void wholeBodiesAreSeenReplacedAndBounded() throws Exception {
        PluginHarness harness = harness(Needs.REQUEST.withRequestBody(BodyNeed.whole(4)), seen -> {
            byte[] body = new byte[seen.requestBody().remaining()];
            seen.requestBody().get(body);
            seen.requestBody(StandardCharsets.UTF_8.encode(new String(body, StandardCharsets.UTF_8).repeat(2)));
            return Outcome.CONTINUE;
        });
        TestExchange exchange = TestExchange.of("POST", "/").withBody("abcd");
        harness.request(exchange);

        assertThat(exchange.requestText()).isEqualTo("abcdabcd");
        assertThatThrownBy(() -> harness.request(TestExchange.of("POST", "/").withBody("abcde")))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("5 bytes (expected: <= 4");
    }

    private record Answering(OnRequest step) implements Plugin {
        @Override
        public Needs needs() {
            return Needs.BOTH.withRequestBody(BodyNeed.whole(9)).withResponseBody(BodyNeed.whole(9));
        }

        @Override
        public Outcome onResponse(Exchange exchange) throws Exception {
            return step.see(exchange);
        }
    }

    @Test
    void aRequestWithoutABodyGetsOne() throws Exception {
        TestExchange exchange = TestExchange.of("GET", "/");
        harness(Needs.REQUEST.withRequestBody(BodyNeed.whole(4)), seen -> {
                    assertThat(seen.requestBody().remaining()).isZero();
                    seen.requestBody(StandardCharsets.UTF_8.encode("made"));
                    return Outcome.CONTINUE;
                })
                .request(exchange);

        assertThat(exchange.requestText()).isEqualTo("made");
    }

    @Test
    void aResponsesBodyIsReplacedInItsOwnStepOnly() throws Exception {
        PluginHarness harness = PluginHarness.of(new Answering(seen -> {
            seen.responseBody(StandardCharsets.UTF_8.encode("made"));
            assertThatThrownBy(() -> seen.requestBody(ByteBuffer.allocate(1)))
                    .isInstanceOf(IllegalStateException.class);
            return Outcome.CONTINUE;
        }));
        TestExchange get = TestExchange.of("GET", "/");
        harness.response(get, 200);
        TestExchange head = TestExchange.of("HEAD", "/");
        harness.response(head, 200);

        assertThat(get.responseText()).isEqualTo("made");
        assertThat(head.responseText()).isEmpty();
        assertThatThrownBy(() -> get.responseBody(ByteBuffer.allocate(1))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> harness.responseWithBody(TestExchange.of("GET", "/"), 200, "0123456789"))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("10 bytes (expected: <= 9; the gateway answers 502");
    }
}
