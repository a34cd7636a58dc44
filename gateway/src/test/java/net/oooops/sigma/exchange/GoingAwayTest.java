package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.control.Handover;
import net.oooops.sigma.control.StartException;
import net.oooops.sigma.control.Watching;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Clients and nodes of WebSockets are told when the gateway stops (RFC 6455 section 7.4.1: 1001), and have time to close. */
@Tag("plain") // Encrypted connections have no halves.
class GoingAwayTest {
    private static final Duration LONG = Duration.ofSeconds(20);
    private static final String GOING_AWAY = "\u0088\u0002\u0003\u00e9";
    /** What a client answers to it: masked, with a mask of zeroes. */
    private static final String CLOSE = "\u0088\u0082\0\0\0\0\u0003\u00e9";

    private static final int MASKED_CLOSE_BYTES = 8;

    private final RawServer nodes = RawServer.start();

    @AfterEach
    void stopNodes() {
        nodes.close();
    }

    private GatewayFixture start() {
        return GatewayFixture.toPorts(nodes.port())
                .timeout("lingerNanos", Duration.ofMillis(300))
                .start();
    }

    private static CompletableFuture<Long> stop(GatewayFixture gateway, Duration drain) {
        CompletableFuture<Long> left = new CompletableFuture<>();
        Thread.ofVirtual().start(() -> left.complete(gateway.gateway().stop(drain)));
        return left;
    }

    /** The node gets it masked, as a client has to send it. */
    private static void readMaskedClose(RawClient node) throws IOException {
        byte[] frame = node.readExactly(MASKED_CLOSE_BYTES);
        assertThat(frame[0] & 0xFF).isEqualTo(0x88);
        assertThat(frame[1] & 0xFF).isEqualTo(0x82);
        assertThat((frame[6] ^ frame[2]) & 0xFF).isEqualTo(0x03);
        assertThat((frame[7] ^ frame[3]) & 0xFF).isEqualTo(0xE9);
    }

    @Test
    void bothAreToldAndTheClientHasTheTimeToClose() throws Exception {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.pass("\u0081\u0001a");
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            TunnelEnds.read(ends.client(), GOING_AWAY);
            readMaskedClose(ends.node());
            // The node closes at once; that isn't the client's end.
            ends.node().send(GOING_AWAY).halfClose();
            ends.client().expectSilence(Duration.ofMillis(100));
            assertThat(stopped).isNotDone();

            ends.client().send(CLOSE);
            ends.client().expectCleanClose();
            ends.node().expectCleanClose();
            assertThat(stopped.get()).isZero();
            assertThat(gateway.counters().faults().values()).allMatch(count -> count == 0);
        }
    }

    /** They would all come again at once; they have as long as the rest, but for the time that a stop would give them. */
    @Test
    void whereAnotherProcessServesTheyAreToldLate() throws Exception {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            Watching watch = new Watching(LONG).lastCall(Duration.ofMillis(19_500));
            CompletableFuture<Boolean> drained =
                    CompletableFuture.supplyAsync(() -> handOver(gateway).drain(watch), Thread::startVirtualThread);
            watch.awaitWatched();
            ends.pass("\u0081\u0001a");
            TunnelEnds.read(ends.client(), GOING_AWAY);
            readMaskedClose(ends.node());
            assertThat(drained).isNotDone();
            ends.node().send(GOING_AWAY).halfClose();
            ends.client().send(CLOSE);
            ends.client().expectCleanClose();
            assertThat(drained.get()).isTrue();
        }
    }

    private static Handover handOver(GatewayFixture gateway) {
        try {
            return gateway.gateway().handOver(sockets -> {});
        } catch (StartException e) {
            throw new AssertionError(e);
        }
    }

    /** Frames that have begun pass to their end, and nothing after them. */
    @Test
    void framesThatHaveBegunAreCompleted() throws Exception {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.node().send("\u0001~\u0001\u0000" + "n".repeat(100));
            ends.client().send("\u0082\u00ff\0\0\0\0\0\0\u0001\0mask" + "c".repeat(56));
            TunnelEnds.read(ends.client(), "\u0001~\u0001\u0000" + "n".repeat(100));
            TunnelEnds.read(ends.node(), "\u0082\u00ff\0\0\0\0\0\0\u0001\0mask" + "c".repeat(56));
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            Await.until("draining", () -> isRefused(gateway));
            ends.client().expectSilence(Duration.ofMillis(50));

            ends.node().send("n".repeat(156) + "\u0080\u0003end");
            TunnelEnds.read(ends.client(), "n".repeat(156) + GOING_AWAY);
            ends.client().send("c".repeat(200) + "\u0089\u0080mask");
            TunnelEnds.read(ends.node(), "c".repeat(200));
            readMaskedClose(ends.node());
            ends.client().send(CLOSE.substring(0, 3));
            ends.client().expectSilence(Duration.ofMillis(50));
            ends.client().send(CLOSE.substring(3));
            ends.client().expectCleanClose();
            ends.node().expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    private static boolean isRefused(GatewayFixture gateway) {
        try (RawClient _ = gateway.connect()) {
            return false;
        } catch (IOException _) {
            return true;
        }
    }

    @Test
    void whoJustEndsItsOutputHasClosedToo() throws Exception {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            TunnelEnds.read(ends.client(), GOING_AWAY);
            ends.client().halfClose();
            ends.client().expectCleanClose();
            readMaskedClose(ends.node());
            ends.node().expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    @Test
    void whoSaysNothingIsCutWhenTheDrainIsOver() throws Exception {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            CompletableFuture<Long> stopped = stop(gateway, Duration.ofMillis(500));
            TunnelEnds.read(ends.client(), GOING_AWAY);
            readMaskedClose(ends.node());
            assertThat(stopped.get()).isEqualTo(1);
            ends.client().expectReset();
            ends.node().expectReset();
            assertThat(gateway.faults(Fault.REQUEST_CUT)).isEqualTo(1);
        }
    }

    /** Nobody is told a second time, nor anything after a Close frame. */
    @Test
    void oneThatIsBeingClosedAlreadyIsLeftAlone() throws Exception {
        try (GatewayFixture gateway = start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.node().send("\u0088\u0002\u0003\u00e8");
            TunnelEnds.read(ends.client(), "\u0088\u0002\u0003\u00e8");
            CompletableFuture<Long> stopped = stop(gateway, LONG);
            Await.until("draining", () -> isRefused(gateway));
            ends.client().send(CLOSE);
            TunnelEnds.read(ends.node(), CLOSE);
            ends.node().halfClose();
            ends.client().expectCleanClose();
            ends.client().halfClose();
            ends.node().expectCleanClose();
            assertThat(stopped.get()).isZero();
        }
    }

    /** One that is switched while the gateway stops is told at once. */
    @Test
    void oneThatIsSwitchedLateIsToldToo() throws Exception {
        try (GatewayFixture gateway = start();
                RawClient client = gateway.connect()) {
            client.send(TunnelEnds.ASK);
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                CompletableFuture<Long> stopped = stop(gateway, LONG);
                Await.until("draining", () -> isRefused(gateway));
                node.send(TunnelEnds.SWITCH);
                assertThat(client.readHead().status()).isEqualTo(101);
                TunnelEnds.read(client, GOING_AWAY);
                client.send(CLOSE);
                client.expectCleanClose();
                assertThat(stopped.get()).isZero();
            }
        }
    }

    @Test
    void otherProtocolsGoOnUntilTheDrainIsOver() throws Exception {
        String ask = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n";
        String answer = "HTTP/1.1 101 Go\r\nUpgrade: chat\r\nConnection: upgrade\r\n\r\n";
        try (GatewayFixture gateway = GatewayFixture.toPorts(nodes.port())
                        .proxyPass("tunnel", new TunnelConfig(List.of("chat"), 60_000_000_000L, 0))
                        .start();
                TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ask, answer)) {
            CompletableFuture<Long> stopped = stop(gateway, Duration.ofSeconds(1));
            Await.until("draining", () -> isRefused(gateway));
            ends.pass("goes on");
            assertThat(stopped.get()).isEqualTo(1);
            ends.client().expectReset();
            ends.node().expectReset();
        }
    }

    /** A WebSocket that has lasted as long as it may is told, too. */
    @Test
    void theEndOfALifetimeIsTold() throws Exception {
        try (GatewayFixture gateway = GatewayFixture.toPorts(nodes.port())
                .timeout("lingerNanos", Duration.ofMillis(500))
                .proxyPass("tunnel", new TunnelConfig(List.of("websocket"), 60_000_000_000L, 300_000_000L))
                .start()) {
            try (TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
                TunnelEnds.read(ends.client(), GOING_AWAY);
                ends.client().send(CLOSE);
                ends.client().expectCleanClose();
            }
            assertThat(gateway.faults(Fault.TUNNEL_EXPIRED)).isZero();
            try (TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
                TunnelEnds.read(ends.client(), GOING_AWAY);
                ends.client().expectReset();
                byte[] told = ends.node().readUntilClose();
                assertThat(new String(told, StandardCharsets.ISO_8859_1)).hasSize(MASKED_CLOSE_BYTES);
            }
            assertThat(gateway.faults(Fault.TUNNEL_EXPIRED)).isEqualTo(1);
        }
    }

    /** Nothing drains: what would be cut sooner then has the time to close that it is told of. */
    @Test
    void theEndOfALifetimeIsNoDrain() throws Exception {
        try (GatewayFixture gateway = GatewayFixture.toPorts(nodes.port())
                        .timeout("lingerNanos", Duration.ofMillis(1500))
                        .timeout("drainNanos", Duration.ofMillis(300))
                        .proxyPass("tunnel", new TunnelConfig(List.of("websocket"), 60_000_000_000L, 300_000_000L))
                        .start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            TunnelEnds.read(ends.client(), GOING_AWAY);
            ends.client().expectSilence(Duration.ofMillis(900));
            ends.client().expectReset();
            assertThat(gateway.faults(Fault.TUNNEL_EXPIRED)).isEqualTo(1);
            assertThat(gateway.faults(Fault.REQUEST_CUT)).isZero();
        }
    }
}
