package net.oooops.sigma.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import net.oooops.sigma.GatewayBuilder;
import net.oooops.sigma.GatewayFixture;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.ClientConfig;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.config.TunnelConfig;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How connections end whose protocol was switched: each direction by itself, and by a reset where nobody said that it is complete. */
@Tag("plain") // Encrypted connections have no halves.
class TunnelEndTest {
    private static final Duration SHORT = Duration.ofMillis(300);
    /** Long enough that a machine that others stall doesn't let it pass between two bytes. */
    private static final Duration UNHURRIED = Duration.ofMillis(1500);

    private static final int MUCH_BYTES = 3 << 20;
    /** 256 MiB. */
    private static final int FLOOD_PARTS = 4096;

    private final RawServer nodes = RawServer.start();

    @AfterEach
    void stop() {
        nodes.close();
    }

    private GatewayBuilder builder() {
        return GatewayFixture.toPorts(nodes.port());
    }

    private GatewayFixture on(Transport transport) {
        Needed.transport(transport);
        return builder().transport(transport).start();
    }

    private static void ended(GatewayFixture gateway) {
        Ask.count(gateway, Counter.TUNNELS_IN_FLIGHT, 0);
        Ask.quiet(gateway);
        assertThat(gateway.faults(Fault.INTERNAL)).isZero();
        assertThat(gateway.count(Counter.REQUESTS_1XX)).isEqualTo(1);
        assertThat(Ask.pool(gateway).open()).isZero();
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void theClientMayEndFirst(Transport transport) throws IOException {
        try (GatewayFixture gateway = on(transport);
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.client().send("last").halfClose();
            TunnelEnds.read(ends.node(), "last");
            ends.node().expectCleanClose();
            ends.node().send("a".repeat(MUCH_BYTES)).halfClose();
            assertThat(ends.client().readUntilClose()).hasSize(MUCH_BYTES);
            ended(gateway);
            assertThat(gateway.faults(Fault.CLIENT_GONE)).isZero();
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void theNodeMayEndFirst(Transport transport) throws IOException {
        try (GatewayFixture gateway = on(transport);
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.node().send("last").halfClose();
            TunnelEnds.read(ends.client(), "last");
            ends.client().expectCleanClose();
            ends.client().send("b".repeat(MUCH_BYTES)).halfClose();
            assertThat(ends.node().readUntilClose()).hasSize(MUCH_BYTES);
            ended(gateway);
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isZero();
        }
    }

    /** In the same segment as the head, even before the client was told. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void bothMayEndAtOnce(Transport transport) throws IOException {
        try (GatewayFixture gateway = on(transport);
                RawClient client = gateway.connect()) {
            client.send(TunnelEnds.ASK + "early").halfClose();
            try (RawClient node = nodes.accept()) {
                TunnelEnds.readRequest(node);
                node.send(TunnelEnds.SWITCH + "at once").halfClose();
                assertThat(client.readHead().status()).isEqualTo(101);
                TunnelEnds.read(client, "at once");
                client.expectCleanClose();
                TunnelEnds.read(node, "early");
                node.expectCleanClose();
            }
            ended(gateway);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aResetOfTheClientResetsTheNode(Transport transport) throws IOException {
        try (GatewayFixture gateway = on(transport);
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.pass("hello");
            ends.client().reset();
            ends.node().expectReset();
            ended(gateway);
            assertThat(gateway.faults(Fault.CLIENT_GONE)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void aResetOfTheNodeResetsTheClientWhichGetsWhatCameBefore(Transport transport) throws IOException {
        try (GatewayFixture gateway = on(transport);
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.pass("hello");
            ends.node().send("last");
            TunnelEnds.read(ends.client(), "last");
            ends.node().reset();
            ends.client().expectReset();
            ended(gateway);
            assertThat(gateway.faults(Fault.UPSTREAM_TRUNCATED)).isEqualTo(1);
        }
    }

    /** Nothing of it is held against the node: it had answered. */
    @Test
    void resetsDoNotEjectANode() throws IOException {
        try (GatewayFixture gateway = builder().passive("faultsMax", 2).start()) {
            for (int i = 0; i < 10; i++) {
                try (TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
                    ends.node().reset();
                    ends.client().expectReset();
                }
            }
            try (TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
                ends.pass("still here");
            }
        }
    }

    /** After one side has ended, the other one may take its time while it sends; where it says nothing, that is the end. */
    @Test
    void aSideThatSaysNothingAfterTheOtherHasEndedIsClosed() throws IOException {
        try (GatewayFixture gateway = builder().timeout("lingerNanos", SHORT).start()) {
            try (TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
                ends.client().halfClose();
                ends.node().expectCleanClose();
                ends.client().deadline(Duration.ofSeconds(5)).expectCleanClose();
                ended(gateway);
            }
            assertThat(gateway.counters().faults().values()).allMatch(count -> count == 0);
        }
    }

    @Test
    void aSideThatGoesOnAfterTheOtherHasEndedIsNot() throws IOException {
        try (GatewayFixture gateway =
                        builder().timeout("lingerNanos", UNHURRIED).start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.client().halfClose();
            ends.node().expectCleanClose();
            byte[] slowly = "0123456789".getBytes(StandardCharsets.US_ASCII);
            ends.node().sendInPieces(slowly, 1, UNHURRIED.dividedBy(6));
            ends.node().halfClose();
            assertThat(ends.client().readUntilClose()).isEqualTo(slowly);
            ended(gateway);
        }
    }

    @Test
    void withoutAByteBothAreResetInTheEnd() throws IOException {
        try (GatewayFixture gateway = builder()
                        .proxyPass("tunnel", new TunnelConfig(List.of("websocket"), UNHURRIED.toNanos(), 0))
                        .start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.client().sendInPieces("0123456789".getBytes(StandardCharsets.US_ASCII), 1, UNHURRIED.dividedBy(8));
            TunnelEnds.read(ends.node(), "0123456789");
            ends.client().expectReset();
            ends.node().expectReset();
            ended(gateway);
            assertThat(gateway.count(Counter.TUNNELS_IDLE_TIMEOUTS)).isEqualTo(1);
            assertThat(gateway.faults(Fault.SESSION_IDLE)).isEqualTo(1);
        }
    }

    /** No other time counts: not those of requests, nor those of answers. */
    @Test
    void aQuietOneStaysWhateverElseIsSet() throws IOException {
        try (GatewayFixture gateway = builder()
                        .timeout("headerNanos", SHORT)
                        .timeout("bodyIdleNanos", SHORT)
                        .timeout("keepAliveNanos", SHORT)
                        .timeout("sendStallNanos", SHORT)
                        .timeout("lingerNanos", SHORT)
                        .bodyMinRate(1_000_000, SHORT)
                        .proxyPass("responseTimeoutNanos", SHORT)
                        .proxyPass("idleTimeoutNanos", SHORT)
                        .client("idleTimeoutNanos", SHORT)
                        .start();
                TunnelEnds ends = TunnelEnds.open(gateway, nodes)) {
            ends.pass("a");
            ends.client().expectSilence(SHORT.multipliedBy(4));
            ends.pass("b");
        }
    }

    @Test
    void oneThatIsNoWebSocketIsCutWhenItHasLastedAsLongAsItMay() throws IOException {
        String ask = "GET /chat HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: chat\r\n\r\n";
        String answer = "HTTP/1.1 101 Go\r\nUpgrade: chat\r\nConnection: upgrade\r\n\r\n";
        try (GatewayFixture gateway = builder()
                        .proxyPass("tunnel", new TunnelConfig(List.of("chat"), 60_000_000_000L, SHORT.toNanos()))
                        .start();
                TunnelEnds ends = TunnelEnds.open(gateway.connect(), nodes, ask, answer)) {
            ends.pass("a");
            ends.client().expectReset();
            ends.node().expectReset();
            ended(gateway);
            assertThat(gateway.faults(Fault.TUNNEL_EXPIRED)).isEqualTo(1);
        }
    }

    /** Who takes nothing of what it is sent stops the other side, with little held between; and is cut at last. */
    @Test
    void aClientThatDoesNotReadStopsTheNode() throws Exception {
        // The kernel may take megabytes before it takes nothing, for seconds.
        try (GatewayFixture gateway = builder()
                        .timeout("sendStallNanos", Duration.ofSeconds(1))
                        .runtime("sendBufferBytes", 8192)
                        .start();
                TunnelEnds ends = TunnelEnds.open(
                        gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096)),
                        nodes,
                        TunnelEnds.ASK,
                        TunnelEnds.SWITCH)) {
            Thread writer = Thread.startVirtualThread(() -> flood(ends.node()));
            Ask.faults(gateway, Fault.CLIENT_STALLED, 1);
            ended(gateway);
            writer.join();
            assertThat(gateway.count(Counter.UPSTREAM_BYTES_RECEIVED)).isLessThan(1 << 20);
        }
    }

    @Test
    void aNodeThatDoesNotReadStopsTheClient() throws Exception {
        try (RawServer narrow = RawServer.start(4096);
                GatewayFixture gateway = GatewayFixture.toPorts(narrow.port())
                        .proxyPass(
                                "tunnel",
                                new TunnelConfig(
                                        List.of("websocket"),
                                        SHORT.multipliedBy(5).toNanos(),
                                        0))
                        .runtime("sendBufferBytes", 8192)
                        .start();
                TunnelEnds ends = TunnelEnds.open(gateway, narrow)) {
            Thread writer = Thread.startVirtualThread(() -> flood(ends.client()));
            Ask.faults(gateway, Fault.SESSION_IDLE, 1);
            ended(gateway);
            writer.join();
            assertThat(gateway.count(Counter.DOWNSTREAM_BYTES_RECEIVED)).isLessThan(32 << 20);
        }
    }

    /** Sends until it is stopped, and then cut. */
    private static void flood(RawClient from) {
        byte[] part = new byte[64 << 10];
        try {
            for (int i = 0; i < FLOOD_PARTS; i++) {
                if (!from.sendUnlessClosed(part, part.length)) {
                    return;
                }
            }
        } catch (IOException | AssertionError _) {
            // The same, as another system says it.
        }
    }

    @Test
    void muchPassesBothWaysAtOnceThroughSlowReaders() throws Exception {
        byte[] much = new byte[MUCH_BYTES];
        new Random(7).nextBytes(much);
        try (GatewayFixture gateway =
                        builder().limit("writeBufferBytesMax", 8192).start();
                TunnelEnds ends = TunnelEnds.open(
                        gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096)),
                        nodes,
                        TunnelEnds.ASK,
                        TunnelEnds.SWITCH)) {
            Thread one = sends(ends.client(), much);
            Thread other = sends(ends.node(), much);
            byte[][] read = new byte[1][];
            Thread reader = Thread.startVirtualThread(() -> {
                try {
                    read[0] = ends.client().readExactly(MUCH_BYTES);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(ends.node().readExactly(MUCH_BYTES)).isEqualTo(much);
            reader.join();
            one.join();
            other.join();
            assertThat(read[0]).isEqualTo(much);
        }
    }

    private static Thread sends(RawClient from, byte[] bytes) {
        return Thread.startVirtualThread(() -> {
            try {
                from.sendInPieces(bytes, 10_000);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    /** They don't count among the connections that requests share. */
    @Test
    void requestsGoOnBesideManyOfThem() throws IOException {
        int many = 300;
        List<TunnelEnds> open = new ArrayList<>();
        try (GatewayFixture gateway = builder()
                .client("maxPoolSizePerServer", ClientConfig.DEFAULT.maxPoolSizePerServer())
                .start()) {
            for (int i = 0; i < many; i++) {
                open.add(TunnelEnds.open(gateway, nodes));
            }
            assertThat(gateway.count(Counter.TUNNELS_IN_FLIGHT)).isEqualTo(many);
            ask(gateway, 4);
            open.getFirst().pass("still");
            open.getLast().pass("there");
            open.forEach(TunnelEnds::close);
            Ask.count(gateway, Counter.TUNNELS_IN_FLIGHT, 0);
            Ask.quiet(gateway);
        }
    }

    /** So many requests are answered, by one connection to the node. */
    private void ask(GatewayFixture gateway, int requests) throws IOException {
        try (RawClient client = gateway.connect()) {
            client.send(Ask.get("/beside"));
            try (RawClient node = nodes.accept()) {
                for (int i = 1; i <= requests; i++) {
                    assertThat(TunnelEnds.readRequest(node)).startsWith("GET /beside ");
                    node.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
                    assertThat(client.readResponse().bodyText()).isEqualTo("ok");
                    client.send(i < requests ? Ask.get("/beside") : "");
                }
            }
        }
    }
}
