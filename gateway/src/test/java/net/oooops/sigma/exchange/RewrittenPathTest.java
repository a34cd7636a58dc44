package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Ascii;
import net.oooops.sigma.api.Exchange;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ReceivedRequest;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** What any plugin makes of a path is judged before it reaches a node, however that plugin runs. */
class RewrittenPathTest {
    private static Outcome writeDots(Exchange exchange) {
        exchange.request().path("/a/../secret");
        return Outcome.CONTINUE;
    }

    static Stream<Arguments> refused() {
        return Stream.of(
                Arguments.of("on the loop", probe().onRequest(RewrittenPathTest::writeDots)),
                Arguments.of(
                        "blocking",
                        probe().onRequest(RewrittenPathTest::writeDots).blocking()),
                Arguments.of(
                        "suspended",
                        probe().onRequest(exchange -> Outcome.suspend(
                                CompletableFuture.supplyAsync(() -> writeDots(exchange), Thread::startVirtualThread)))),
                Arguments.of("before it suspends", probe().onRequest(exchange -> {
                    writeDots(exchange);
                    return Outcome.suspend(CompletableFuture.completedFuture(Outcome.CONTINUE));
                })),
                Arguments.of("bytes of no path", probe().onRequest(exchange -> {
                    exchange.request().replacePathPrefix(1, Ascii.of("/secret HTTP/1.1\r\nX: y\r\n"));
                    return Outcome.CONTINUE;
                })));
    }

    @ParameterizedTest(name = "{0}")
    @MethodSource("refused")
    void aPathThatNoClientMaySendIsRefused(String how, Probe plugin) throws IOException {
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugins(Probe.LOADER)
                        .route("/*", plugin.config())
                        .start();
                RawClient client = gateway.connect()) {
            for (int i = 0; i < 2; i++) {
                assertThat(client.send(Ask.get("/x")).readResponse().status())
                        .as(how)
                        .isEqualTo(400);
            }
            assertThat(gateway.faults(Fault.REWRITE_REFUSED)).isEqualTo(2);
            assertThat(node.requests()).isEmpty();
        }
    }

    @Test
    void whatMayBeSentIsBroughtToItsOneFormForThePluginsBehind() throws IOException {
        Probe writes = probe().onRequest(exchange -> {
            exchange.request().path("/b//%61%2f");
            return Outcome.CONTINUE;
        });
        Probe reads = probe().onRequest(exchange -> {
            exchange.request().query("saw=" + exchange.request().path());
            return Outcome.CONTINUE;
        });
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugins(Probe.LOADER)
                        .route("/*", writes.config(), reads.config())
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/x")).readResponse().status()).isEqualTo(200);
            assertThat(node.requests()).extracting(ReceivedRequest::target).containsExactly("/b/a%2F?saw=/b/a%2F");
        }
    }

    @Test
    void aPathWrittenAfterItsPluginsTurnReachesNoNodeEither() throws IOException {
        Exchange[] kept = new Exchange[1];
        Probe keeps = probe().onRequest(exchange -> {
            kept[0] = exchange;
            return Outcome.CONTINUE;
        });
        Probe answers = probe().onRequest(exchange -> Outcome.suspend(CompletableFuture.supplyAsync(
                () -> {
                    writeDots(kept[0]);
                    return Outcome.CONTINUE;
                },
                Thread::startVirtualThread)));
        try (ScriptedUpstream node = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(node)
                        .plugins(Probe.LOADER)
                        .route("/*", keeps.config(), answers.config())
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(Ask.get("/x")).readResponse().status()).isEqualTo(400);
            assertThat(node.requests()).isEmpty();
        }
    }
}
