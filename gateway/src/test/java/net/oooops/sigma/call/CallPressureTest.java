package net.oooops.sigma.call;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import net.oooops.sigma.api.Fault;
import net.oooops.sigma.bolt.Status;
import net.oooops.sigma.observe.Counter;
import net.oooops.sigma.testkit.Await;
import net.oooops.sigma.testkit.ClientOptions;
import net.oooops.sigma.testkit.RawClient;
import net.oooops.sigma.testkit.RawServer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** Clients and nodes that are slow, and the end of the gateway. */
class CallPressureTest {
    private static final int LARGE = 256 << 10;

    private static BoltMessage large(int id) {
        return BoltMessage.request(2, id, "a.B", "").withContent(new byte[LARGE]);
    }

    @Test
    void aClientThatDoesNotReadIsBounded() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .server("max-frame-size", "1MiB")
                        .server("max-unsent", "2MiB")
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8 << 10));
                RawClient other = gateway.connect()) {
            for (int id = 0; id < 200; id++) {
                client.send(BoltMessage.request(2, id, "a.B", "").bytes());
            }
            RawClient node = server.accept();
            // Answers of 50 MB to who takes none of them: far more than is held for it.
            for (int id = 0; id < 200; id++) {
                BoltMessage request = BoltMessage.read(node);
                node.send(request.answer("").withContent(new byte[LARGE]).bytes());
            }
            Await.until("the client is given up", () -> gateway.count(Counter.DOWNSTREAM_CONNECTIONS_OPEN) == 1);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isPositive();
            other.send(BoltMessage.request(2, 1, "a.B", "x").bytes());
            node.send(BoltMessage.read(node).answer("y").bytes());
            assertThat(BoltMessage.read(other).text()).isEqualTo("y");
            node.close();
        }
    }

    @Test
    void aClientThatTakesNothingForTooLongIsReset() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .server("idle-timeout", "2s")
                        .top("timeouts", Map.of("send-stall", "500ms"))
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8 << 10))) {
            client.send(BoltMessage.request(2, 1, "a.B", "").bytes());
            RawClient node = server.accept();
            BoltMessage request = BoltMessage.read(node);
            node.send(request.answer("").withContent(new byte[7 << 20]).bytes());
            gateway.awaitFaults(Fault.CLIENT_STALLED, 1);
            gateway.awaitCount(Counter.DOWNSTREAM_CONNECTIONS_OPEN, 0);
            node.close();
        }
    }

    /** What leaves the gateway shows that long after the client has taken it. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void aClientThatTakesWhatLiesInTheKernelIsNotReset() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .runtime("send-buffer", "200KiB")
                        .top("timeouts", Map.of("send-stall", "1500ms"))
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8 << 10))) {
            client.send(BoltMessage.request(2, 1, "a.B", "").bytes());
            RawClient node = server.accept();
            node.send(BoltMessage.read(node)
                    .answer("")
                    .withContent(new byte[7 << 20])
                    .bytes());
            assertThat(client.readInPieces(120_000, 2048, Duration.ofMillis(70)))
                    .hasSize(120_000);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isZero();
            // From now on it reads nothing.
            gateway.awaitFaults(Fault.CLIENT_STALLED, 1);
            node.close();
        }
    }

    @Test
    void aClientThatReadsSlowlyGetsAll() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8 << 10))) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(
                    () -> sendMany(client, 100), task -> Thread.ofVirtual().start(task));
            Echo.serve(server.accept());
            for (int i = 0; i < 100; i++) {
                assertThat(BoltMessage.read(client).content()).hasSize(LARGE);
            }
            sending.join();
            gateway.awaitCount(Counter.CALLS_SUCCEEDED, 100);
        }
    }

    @Test
    void whoStillTakesItsAnswerIsNotIdle() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server)
                        .server("idle-timeout", "300ms")
                        .top("timeouts", Map.of("linger", "100ms"))
                        .start();
                RawClient client = gateway.connect(ClientOptions.defaults().withReceiveBufferBytes(8 << 10))) {
            client.send(BoltMessage.request(1, 1, "a.B", "").bytes());
            RawClient node = server.accept();
            byte[] answer = BoltMessage.read(node)
                    .answer("")
                    .withContent(new byte[7 << 20])
                    .bytes();
            node.send(answer);
            for (int i = 0; i < 10; i++) {
                client.readExactly(answer.length / 10);
                node.expectSilence(Duration.ofMillis(100));
            }
            client.readExactly(answer.length % 10);
            assertThat(gateway.faults(Fault.CLIENT_STALLED)).isZero();
            client.expectCleanClose();
            gateway.awaitCount(Counter.DOWNSTREAM_IDLE_TIMEOUTS, 1);
            node.close();
        }
    }

    private static void sendMany(RawClient client, int count) {
        try {
            for (int id = 0; id < count; id++) {
                client.send(large(id).bytes());
            }
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void aNodeThatDoesNotReadHoldsItsClientsBack() throws IOException {
        try (RawServer server = RawServer.start(8 << 10);
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            CompletableFuture<Void> sending = CompletableFuture.runAsync(
                    () -> sendMany(client, 200), task -> Thread.ofVirtual().start(task));
            RawClient node = server.accept();
            // 50 MB wait for a node that takes none of them: in the client, not here.
            client.expectSilence(Duration.ofMillis(500));
            assertThat(sending).isNotDone();
            assertThat(gateway.count(Counter.CALLS_IN_FLIGHT)).isBetween(1L, 100L);
            assertThat(gateway.count(Counter.DOWNSTREAM_BYTES_RECEIVED)).isLessThan(16 << 20);
            Echo.serve(node);
            for (int i = 0; i < 200; i++) {
                assertThat(BoltMessage.read(client).content()).hasSize(LARGE);
            }
            sending.join();
            assertThat(gateway.faults(Fault.POOL_OVERFLOW)).isZero();
        }
    }

    @Test
    void whatWaitsForANodeIsBounded() throws IOException {
        try (RawServer server = RawServer.start(8 << 10);
                BoltFixture gateway = BoltFixture.to(server)
                        .server("max-frame-size", "1MiB")
                        .server("max-unsent", "1MiB")
                        .start()) {
            RawClient[] clients = new RawClient[40];
            for (int i = 0; i < clients.length; i++) {
                clients[i] = gateway.connect();
                clients[i].send(large(i).bytes());
            }
            RawClient node = server.accept();
            Await.until("a call is refused", () -> gateway.faults(Fault.POOL_OVERFLOW) > 0);
            Echo.serve(node);
            int busy = 0;
            for (RawClient client : clients) {
                BoltMessage answer = BoltMessage.read(client);
                assertThat(answer.word()).isIn(0, Status.SERVER_THREADPOOL_BUSY.code());
                busy += answer.word() == 0 ? 0 : 1;
                client.close();
            }
            gateway.awaitFaults(Fault.POOL_OVERFLOW, busy);
        }
    }

    @Test
    void callsInFlightEndBeforeTheGatewayDoes() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect();
                RawClient idle = gateway.connect()) {
            idle.send(BoltMessage.heartbeat(1, 1).bytes());
            BoltMessage.read(idle);
            client.send(BoltMessage.request(1, 1, "a.B", "x").bytes());
            RawClient node = server.accept();
            BoltMessage call = BoltMessage.read(node);
            CompletableFuture<Long> stopped = gateway.stop(Duration.ofSeconds(10));
            idle.expectCleanClose();
            // What comes meanwhile is served.
            client.send(BoltMessage.request(1, 2, "a.B", "x").bytes());
            BoltMessage second = BoltMessage.read(node);
            node.send(call.answer("one").bytes());
            assertThat(BoltMessage.read(client).text()).isEqualTo("one");
            node.send(second.answer("two").bytes());
            assertThat(BoltMessage.read(client).text()).isEqualTo("two");
            client.expectCleanClose();
            client.halfClose();
            assertThat(stopped.join()).isZero();
        }
    }

    @Test
    void callsThatAreTooLongAreCut() throws IOException {
        try (RawServer server = RawServer.start();
                BoltFixture gateway = BoltFixture.to(server).start();
                RawClient client = gateway.connect()) {
            client.send(BoltMessage.request(1, 1, "a.B", "x").bytes());
            RawClient node = server.accept();
            BoltMessage.read(node);
            CompletableFuture<Long> stopped = gateway.stop(Duration.ofMillis(200));
            assertThat(BoltMessage.read(client).word()).isEqualTo(Status.CONNECTION_CLOSED.code());
            client.expectClosed();
            assertThat(stopped.join()).isEqualTo(1);
            node.close();
        }
    }
}
