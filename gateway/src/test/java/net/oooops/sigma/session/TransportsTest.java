package net.oooops.sigma.session;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import net.oooops.sigma.Needed;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.config.RuntimeConfig.Transport;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.GeneratedBody;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What transports could do differently with a session: pausing, half-closing, resetting. Each that works on this machine. */
class TransportsTest {
    private static final long SOAK_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int CLIENTS = 30;
    /** Printed where it fails, so that it can be tried again. */
    private static final long SEED = System.nanoTime();

    private final RawServer node = RawServer.start();

    @AfterEach
    void stop() {
        node.close();
    }

    private TcpFixture.Builder on(Transport transport) {
        Needed.transport(transport);
        return TcpFixture.to(node).runtime("transport", transport.name().toLowerCase(java.util.Locale.ROOT));
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void halfClosedInBothDirections(Transport transport) throws Exception {
        try (TcpFixture gateway = on(transport).start()) {
            try (RawClient client = gateway.connect();
                    RawClient server = node.accept()) {
                client.send("question").halfClose();
                assertThat(server.readUntilClose()).isEqualTo("question".getBytes(US_ASCII));
                server.send("answer").halfClose();
                assertThat(client.readUntilClose()).isEqualTo("answer".getBytes(US_ASCII));
            }
            try (RawClient client = gateway.connect();
                    RawClient server = node.accept()) {
                server.send("news").halfClose();
                assertThat(client.readUntilClose()).isEqualTo("news".getBytes(US_ASCII));
                client.send("thanks").halfClose();
                assertThat(server.readUntilClose()).isEqualTo("thanks".getBytes(US_ASCII));
            }
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 2);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void resetInBothDirections(Transport transport) throws Exception {
        try (TcpFixture gateway = on(transport).start()) {
            try (RawClient client = gateway.connect();
                    RawClient server = node.accept()) {
                client.send("a");
                server.readExactly(1);
                client.reset();
                server.expectReset();
            }
            try (RawClient client = gateway.connect();
                    RawClient server = node.accept()) {
                client.send("a");
                server.readExactly(1);
                server.reset();
                client.expectReset();
            }
            gateway.awaitFaults(Fault.CLIENT_GONE, 1);
            gateway.awaitFaults(Fault.UPSTREAM_CLOSED, 1);
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void slowReadersLoseNothing(Transport transport) throws Exception {
        GeneratedBody down = GeneratedBody.of(5, 8 << 20);
        try (TcpFixture gateway = on(transport)
                        .top("limits", Map.of("write-buffer", "4KiB"))
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096));
                RawClient server = node.accept()) {
            Thread.ofVirtual().start(() -> {
                try {
                    server.deadline(Duration.ofSeconds(60)).send(down).halfClose();
                } catch (IOException e) {
                    server.reset();
                }
            });
            assertThat(Hash.of(client.deadline(Duration.ofSeconds(60)).readUntilClose()))
                    .isEqualTo(down.sha256());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void slowReadersThatHaveEndedTheirSendingSideLoseNothing(Transport transport) throws Exception {
        GeneratedBody down = GeneratedBody.of(6, 16 << 20);
        try (TcpFixture gateway = on(transport).start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(4096));
                RawClient server = node.accept()) {
            client.send("all of it, please").halfClose();
            server.readUntilClose();
            Thread.ofVirtual().start(() -> {
                try {
                    server.deadline(Duration.ofSeconds(60)).send(down).halfClose();
                } catch (IOException e) {
                    server.reset();
                }
            });
            assertThat(Hash.of(client.deadline(Duration.ofSeconds(60)).readUntilClose()))
                    .isEqualTo(down.sha256());
            gateway.awaitCount(Counter.SESSIONS_COMPLETE, 1);
        }
    }

    /** What a node does with a session, as its first byte says. */
    private enum Kind {
        ECHO,
        RESET,
        CLOSE,
        FLOOD,
        LEFT
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "AUTO")
    void nothingIsLeftBehind(Transport transport) throws Exception {
        try (TcpFixture gateway = on(transport).workers(2).start()) {
            Thread serving = Thread.ofVirtual().start(this::serve);
            long end = System.nanoTime() + SOAK_NANOS;
            Queue<Object> outcomes = new ConcurrentLinkedQueue<>();
            CountDownLatch done = new CountDownLatch(CLIENTS);
            for (int i = 0; i < CLIENTS; i++) {
                Random random = new Random(SEED + i);
                Thread.ofVirtual().start(() -> {
                    outcomes.add(soak(gateway, random, end));
                    done.countDown();
                });
            }
            assertThat(done.await(60, TimeUnit.SECONDS)).isTrue();
            assertThat(outcomes).as("seed " + SEED).containsOnly("fine");
            gateway.awaitCount(Counter.SESSIONS_IN_FLIGHT, 0);
            assertThat(gateway.count(Counter.SESSIONS_COMPLETE)).isPositive();
            assertThat(gateway.count(Counter.SESSIONS_CUT)).isPositive();
            assertThat(gateway.faults(Fault.INTERNAL)).isZero();
            serving.interrupt();
        }
    }

    private static Object soak(TcpFixture gateway, Random random, long end) {
        try {
            while (System.nanoTime() < end) {
                Kind kind = Kind.values()[random.nextInt(Kind.values().length)];
                GeneratedBody body = GeneratedBody.of(random.nextLong(), random.nextInt(100_000));
                try (RawClient client = gateway.connect().deadline(Duration.ofSeconds(30))) {
                    client.send(new byte[] {(byte) kind.ordinal()});
                    play(kind, client, body);
                }
            }
            return "fine";
        } catch (IOException | RuntimeException | AssertionError e) {
            return e;
        }
    }

    private static void play(Kind kind, RawClient client, GeneratedBody body) throws IOException {
        switch (kind) {
            case ECHO -> {
                client.sendUnlessClosed(body.toBytes(), 5000);
                client.halfClose();
                assertThat(Hash.of(client.readUntilClose())).isEqualTo(body.sha256());
            }
            case RESET, CLOSE -> {
                try {
                    client.sendUnlessClosed(body.toBytes(), 5000);
                } catch (SocketException e) {
                    // Reset in between: as it should be.
                }
                client.readUntilClose();
            }
            case FLOOD -> client.readExactly(1000);
            case LEFT -> client.reset();
        }
    }

    private void serve() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                RawClient server = node.accept();
                Thread.ofVirtual().start(() -> serve(server));
            } catch (IOException e) {
                return;
            }
        }
    }

    private static void serve(RawClient server) {
        try (server) {
            int first = server.socket().getInputStream().read();
            Kind kind = first < 0 ? Kind.LEFT : Kind.values()[first];
            switch (kind) {
                case ECHO -> {
                    server.socket().getInputStream().transferTo(server.socket().getOutputStream());
                    server.halfClose();
                }
                case RESET -> server.reset();
                case FLOOD -> server.send(GeneratedBody.of(1, 10 << 20));
                case CLOSE, LEFT -> {}
            }
        } catch (IOException | AssertionError e) {
            // The client is gone: what it got is looked at there.
            server.reset();
        }
    }
}
