package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.Script;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Who waits: a client with {@code Expect: 100-continue} does for the node until that asks for the body, then the node for the client. */
class ContinueTest {
    private static final Duration SOON = Duration.ofMillis(200);
    private static final Duration LATE = Duration.ofSeconds(20);

    private static String expecting(String method) {
        return method + " / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n";
    }

    @Test
    void aNodeThatSaysNothingIsLeftForAnother() throws IOException {
        Script asks = Script.script().readHead().interim(100).readBody().respond(Answer.ok("good"));
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                ScriptedUpstream good = ScriptedUpstream.play(asks);
                GatewayFixture gateway = GatewayFixture.to(silent, good)
                        .timeout("bodyIdleNanos", SOON.multipliedBy(4))
                        .retry("tryNanos", SOON.multipliedBy(7))
                        .start();
                RawClient client = gateway.connect()) {
            client.send(expecting("PUT"));
            assertThat(client.readHead().status()).isEqualTo(100);
            client.send("hello");
            assertThat(client.readResponse().bodyText()).isEqualTo("good");
            assertThat(good.request(0).bodyText()).isEqualTo("hello");
            assertThat(gateway.count(Counter.UPSTREAM_RETRIES)).isEqualTo(1);
        }
    }

    @Test
    void itsSilenceIsTheNodesDoing() throws IOException {
        try (ScriptedUpstream silent = ScriptedUpstream.blackhole();
                GatewayFixture gateway = GatewayFixture.to(silent)
                        .timeout("bodyIdleNanos", SOON.multipliedBy(4))
                        .proxyPass("responseTimeoutNanos", SOON.multipliedBy(7))
                        .start();
                RawClient client = gateway.connect()) {
            assertThat(client.send(expecting("POST")).readResponse().status()).isEqualTo(504);
            assertThat(gateway.faults(Fault.UPSTREAM_TIMEOUT)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"asked", "unasked"})
    void aClientThatMaySendIsWaitedFor(String how) throws IOException {
        Script asks = Script.script().readHead().interim(100).awaitPeerClose();
        try (ScriptedUpstream node = ScriptedUpstream.play(asks);
                GatewayFixture gateway = GatewayFixture.to(node)
                        .timeout("bodyIdleNanos", SOON.multipliedBy(15))
                        .proxyPass("responseTimeoutNanos", LATE)
                        .start();
                RawClient client = gateway.connect()) {
            client.send(expecting("POST") + (how.equals("asked") ? "" : "hell"));
            assertThat(client.readHead().status()).isEqualTo(100);
            Await.until("held by its client", () -> Ask.pool(gateway).held() == 1);
            assertThat(client.readResponse().status()).isEqualTo(408);
            assertThat(gateway.faults(Fault.REQUEST_TIMEOUT)).isEqualTo(1);
        }
    }
}
