package net.oooops.sigma.exchange;

import static net.oooops.sigma.exchange.Probe.probe;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Outcome;
import net.oooops.sigma.config.RuntimeConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Many clients that connect while the Worker is busy: none waits behind the requests of those before it. */
@Tag("plain") // Their handshakes need the loop that is kept busy.
class BurstTest {
    private static final int CLIENTS = 120;

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void allAreAcceptedBeforeTheirRequestsAreServed(RuntimeConfig.Transport transport) throws Exception {
        Needed.transport(transport);
        CountDownLatch connected = new CountDownLatch(1);
        AtomicInteger seen = new AtomicInteger();
        AtomicReference<GatewayFixture> running = new AtomicReference<>();
        List<Long> accepted = new ArrayList<>();
        Probe busy = probe().onRequest(exchange -> {
            switch (seen.incrementAndGet()) {
                case 1 -> assertThat(connected.await(20, TimeUnit.SECONDS)).isTrue();
                case 20 -> accepted.add(running.get().count(Counter.DOWNSTREAM_CONNECTIONS_ACCEPTED));
                default -> {}
            }
            return Outcome.CONTINUE;
        });
        List<RawClient> clients = new ArrayList<>();
        try (ScriptedUpstream upstream = ScriptedUpstream.start(request -> Answer.ok("ok"));
                GatewayFixture gateway = GatewayFixture.to(upstream)
                        .plugins(Probe.LOADER)
                        .route("/*", busy.config())
                        .transport(transport)
                        .start()) {
            running.set(gateway);
            RawClient first = gateway.connect().send(Ask.get("/first"));
            clients.add(first);
            while (seen.get() == 0) {
                Thread.onSpinWait();
            }
            for (int i = 0; i < CLIENTS; i++) {
                clients.add(gateway.connect().send(Ask.get("/" + i)));
            }
            connected.countDown();
            for (RawClient client : clients) {
                assertThat(client.readResponse().status()).isEqualTo(200);
            }
            assertThat(accepted).containsExactly(CLIENTS + 1L);
        } finally {
            for (RawClient client : clients) {
                client.close();
            }
        }
    }
}
