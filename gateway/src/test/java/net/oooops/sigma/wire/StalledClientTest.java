package net.oooops.sigma.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.Encryption;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Answer;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.Background;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.ScriptedUpstream;
import net.oooops.sigma.testkit.Wrapping;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Who takes its answer from the kernel, which has much of it, and who takes nothing ({@code timeouts.send-stall}). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class StalledClientTest {
    private static final Duration STALL = Duration.ofMillis(1500);
    /** Linux makes twice of that, and tells of room once a third is free: a slow client takes several times {@link #STALL} for that. */
    private static final int KERNEL_BYTES = 200_000;

    private static final ClientOptions NARROW = ClientOptions.defaults().withReceiveBufferBytes(8192);
    private static final String GET = "GET / HTTP/1.1\r\nHost: a\r\n\r\n";

    private static final int PIECE_BYTES = 2048;
    private static final Duration PAUSE = Duration.ofMillis(70);
    private static final int SLOW_BYTES = 120_000;

    @SuppressWarnings("NullAway.Init") // set before all tests
    private ScriptedUpstream upstream;

    @BeforeAll
    void start() {
        upstream = ScriptedUpstream.start(request -> Answer.of(200).body(GeneratedBody.of(1, 64 << 20)));
    }

    @AfterAll
    void stop() {
        upstream.close();
    }

    private GatewayBuilder on(Transport transport) {
        Needed.transport(transport);
        return GatewayFixture.to(upstream)
                .transport(transport)
                .timeout("sendStallNanos", STALL)
                .runtime("sendBufferBytes", KERNEL_BYTES);
    }

    private static RawClient ask(GatewayFixture gateway, Wrapping wrapping) throws IOException {
        return RawClient.connect(gateway.port(), NARROW, wrapping).send(GET);
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "IO_URING"})
    void whoReadsWhatLiesInTheKernelIsNotCut(Transport transport) {
        CompletableFuture<Void> plain = Background.run(() -> {
            try (GatewayFixture gateway = on(transport).tls(null).start()) {
                expectNotCut(gateway, Wrapping.NONE);
            }
        });
        CompletableFuture<Void> encrypted = Background.run(() -> {
            try (GatewayFixture gateway = on(transport).encrypted().start()) {
                expectNotCut(gateway, Encryption.SHARED::wrap);
            }
        });
        plain.join();
        encrypted.join();
    }

    private static void expectNotCut(GatewayFixture gateway, Wrapping wrapping) throws IOException {
        try (RawClient client = ask(gateway, wrapping)) {
            long asked = System.nanoTime();
            assertThat(client.readInPieces(SLOW_BYTES, PIECE_BYTES, PAUSE)).hasSize(SLOW_BYTES);
            assertThat(System.nanoTime() - asked).isGreaterThan(2 * STALL.toNanos());
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isZero();
            assertThat(gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN)).isEqualTo(1);
        }
    }

    /** Its system answers each question for a window that stays closed, and takes nothing. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void whoReadsNothingIsCut(Transport transport) throws IOException {
        try (GatewayFixture gateway = on(transport).tls(null).start();
                RawClient client = ask(gateway, Wrapping.NONE)) {
            assertThat(client.readExactly(PIECE_BYTES)).hasSize(PIECE_BYTES);
            expectCut(gateway, STALL);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"EPOLL", "IO_URING"})
    void whoReadsForAWhileAndThenNothingIsCut(Transport transport) throws IOException {
        try (GatewayFixture gateway = on(transport).encrypted().start();
                RawClient client = ask(gateway, Encryption.SHARED::wrap)) {
            client.readInPieces(SLOW_BYTES / 2, PIECE_BYTES, PAUSE);
            // The last record was in the client's kernel some time before its last bytes were asked for.
            expectCut(gateway, STALL.dividedBy(3));
        }
    }

    private static void expectCut(GatewayFixture gateway, Duration after) {
        long last = System.nanoTime();
        Await.until("the client cut", () -> gateway.faults(Fault.CLIENT_STALLED) == 1);
        // A tenth and a tick later at most, and what the machine takes for the rest.
        assertThat(System.nanoTime() - last).isBetween(after.toNanos(), STALL.toNanos() * 2);
    }
}
