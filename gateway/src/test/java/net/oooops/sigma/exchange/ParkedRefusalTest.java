package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.api.Field;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawResponse;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin takes its time over the answer to a request that failed half way: what still comes of the request changes nothing. */
class ParkedRefusalTest {
    private final CompletableFuture<Outcome> decision = new CompletableFuture<>();
    private final AtomicInteger asked = new AtomicInteger();
    private final Probe slow = probe().onRequest(exchange -> Outcome.CONTINUE).onResponse(exchange -> {
        asked.incrementAndGet();
        exchange.response().add(Field.of("X-Seen", "yes"));
        return Outcome.suspend(decision);
    });

    /** The node failed first, and that is what the client is told. */
    @ParameterizedTest
    @ValueSource(strings = {"x", ""})
    void aFailureOfTheNodeStands(String breach) throws IOException {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.startOnHead(request -> Script.script().reset());
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .timeout("bodyIdleNanos", Duration.ofMillis(300))
                        .route("/*", slow.config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n");
            Await.until("the plugin asked", () -> asked.get() == 1);
            client.send(breach).expectSilence(Duration.ofMillis(600));
            decision.complete(Outcome.CONTINUE);
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(502);
            assertThat(response.headers().values("X-Seen")).containsExactly("yes");
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            assertThat(asked).hasValue(1);
            assertThat(gateway.faults(Fault.REQUEST_TIMEOUT) + gateway.faults(Fault.BAD_REQUEST))
                    .isZero();
        }
    }

    @ParameterizedTest
    @CsvSource({"x,400,BAD_REQUEST", "'',408,REQUEST_TIMEOUT"})
    void whatComesMeanwhileIsThrownAway(String breach, int status, Fault fault) throws IOException {
        try (ScriptedUpstream upstream =
                        ScriptedUpstream.startOnHead(request -> Script.script().awaitPeerClose());
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .timeout("bodyIdleNanos", Duration.ofMillis(300))
                        .route("/*", slow.config())
                        .start();
                RawClient client = gateway.connect()) {
            client.send("POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n");
            upstream.awaitHeads(1);
            client.send("3\r\nabc\r\n" + breach);
            Await.until("the plugin asked", () -> asked.get() == 1);
            client.send("3\r\nab");
            client.expectSilence(Duration.ofMillis(600));
            client.send("c\r\n0\r\n\r\nGET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n");
            decision.complete(Outcome.CONTINUE);
            RawResponse response = client.readResponse();
            assertThat(response.status()).isEqualTo(status);
            assertThat(response.headers().values("X-Seen")).containsExactly("yes");
            assertThat(response.header("Connection")).isEqualTo("close");
            client.expectCleanClose();
            assertThat(asked).hasValue(1);
            assertThat(gateway.faults(fault)).isEqualTo(1);
            assertThat(upstream.requestCount()).isEqualTo(1);
        }
    }
}
